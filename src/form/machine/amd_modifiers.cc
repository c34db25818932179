#include "form/machine/amd_modifiers.h"

#include <algorithm>
#include <array>

#include "core/format.h"

namespace heddle::form {
namespace {

constexpr std::int64_t kIndexBits = 32;

InstructionOperand& operand_of(Instruction& instruction, std::string_view name) {
  return *std::ranges::find(instruction.operands, name, &InstructionOperand::name);
}

Result<void> check_range(const Instruction& instruction, std::string_view modifier,
                         std::int64_t value, std::int64_t count) {
  if (value >= 0 && value < count) return {};
  return refuse("instruction.modifier", "{} of {} is {}, but must be from 0 to {}", modifier,
                instruction.name, value, count - 1);
}

std::int64_t size_of(const InstructionOperand& operand, std::string_view dim) {
  const auto found = operand.fragment.dim(dim);
  return found ? operand.fragment.dims()[*found].size : 1;
}

/// The lanes of B that each BLGP reads, by its number.
constexpr std::array<LaneRead, 8> kReadsOfB = {{{64, 64, 0},
                                                {64, 32, 0},
                                                {64, 32, 32},
                                                {64, 64, 16},
                                                {64, 16, 0},
                                                {64, 16, 16},
                                                {64, 16, 32},
                                                {64, 16, 48}}};

}  // namespace

Result<void> modify_mfma(Instruction& instruction, const InstructionModifiers& modifiers) {
  InstructionOperand& a = operand_of(instruction, "A");
  const std::int64_t blocks = size_of(a, "block");
  const std::int64_t cbsz = modifiers.cbsz.value_or(0);
  const std::int64_t abid = modifiers.abid.value_or(0);
  const std::int64_t blgp = modifiers.blgp.value_or(0);
  HEDDLE_CHECK(check_range(instruction, "blgp", blgp, kReadsOfB.size()));
  if (blgp != 0) operand_of(instruction, "B").reads = kReadsOfB[static_cast<std::size_t>(blgp)];

  if (cbsz < 0 || cbsz > 4 || (std::int64_t{1} << cbsz) > blocks) {
    return refuse("instruction.modifier",
                  "cbsz of {} is {}, but 2^cbsz blocks are at most the {} of the instruction",
                  instruction.name, cbsz, blocks);
  }
  const std::int64_t group = std::int64_t{1} << cbsz;
  HEDDLE_CHECK(check_range(instruction, "abid", abid, group));
  const std::int64_t rows = instruction.shape[0];
  if (cbsz != 0) a.reads = LaneRead{rows * group, rows, abid * rows};
  return {};
}

Result<void> modify_formats(Instruction& instruction, const InstructionModifiers& modifiers) {
  struct Format {
    std::string_view type;
    int bits;
  };
  constexpr std::array<Format, 5> kFormats = {
      {{"fp8", 8}, {"bf8", 8}, {"fp6", 6}, {"bf6", 6}, {"fp4", 4}}};
  const auto choose = [&](std::string_view modifier, std::int64_t value,
                          std::string_view operand_name) -> Result<void> {
    HEDDLE_CHECK(check_range(instruction, modifier, value, kFormats.size()));
    const Format& format = kFormats[static_cast<std::size_t>(value)];
    InstructionOperand& operand = operand_of(instruction, operand_name);
    operand.type = format.type;
    operand.bits = format.bits;
    operand.slot_bits = format.bits;
    return {};
  };
  HEDDLE_CHECK(choose("cbsz", modifiers.cbsz.value_or(0), "A"));
  return choose("blgp", modifiers.blgp.value_or(0), "B");
}

Result<void> modify_index(Instruction& instruction, const InstructionModifiers& modifiers) {
  InstructionOperand& index = operand_of(instruction, "K");
  const std::int64_t bits = index.fragment.places()[0].size * index.slot_bits;
  const std::int64_t set = modifiers.abid ? *modifiers.abid : modifiers.opsel.value_or(0);
  HEDDLE_CHECK(check_range(instruction, modifiers.abid ? "abid" : "opsel", set, kIndexBits / bits));
  index.first_bit = static_cast<int>(set * bits);
  return {};
}

Result<void> modify_halves(Instruction& instruction, const InstructionModifiers& modifiers) {
  // OPSEL has a bit for each source; the third one is that of C and D.
  constexpr std::int64_t kUpperHalves = 4;
  constexpr int kHalf = 16;
  const std::int64_t opsel = modifiers.opsel.value_or(0);
  if (opsel == 0) return {};
  if (opsel != kUpperHalves) {
    return refuse("instruction.modifier",
                  "opsel of {} is {}, but must be 0 for the lower halves of the registers of D or "
                  "{} for the upper ones",
                  instruction.name, opsel, kUpperHalves);
  }
  for (const std::string_view name : {"C", "D"}) {
    operand_of(instruction, name).first_bit = kHalf;
  }
  return {};
}

}  // namespace heddle::form
