#include "heddle/kernel/instruction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "core/text.h"
#include "core/words.h"
#include "heddle/core/nearest_names.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/schedule.h"
#include "heddle/kernel/source.h"
#include "kernel/lower/atom.h"

namespace heddle::kernel {

namespace {

constexpr std::int64_t kMaxAtom = 4096;
constexpr std::int64_t kMaxSpan = std::int64_t{1} << 31;
/// What memory is known to be aligned to: parameters, arrays of shared memory and of registers.
constexpr std::int64_t kMaxAlignment = 16;

Refusal refuse_instruction(const Instruction& instruction, std::string_view reason,
                           std::string hint = {}) {
  return refuse(
      Diagnostic("kernel.instruction", fmt::format("instruction {}: {}", instruction.name, reason))
          .with_hint(std::move(hint)));
}

bool is_plain_word(std::string_view name) {
  return !name.empty() && begins_name(name.front()) && std::ranges::all_of(name, is_word_character);
}

/// The product of the extents, at most one more than an atom may have.
std::int64_t elements_of(const InstructionOperand& operand) {
  std::int64_t product = 1;
  for (const std::int64_t extent : operand.shape) {
    product = std::min(product * std::clamp<std::int64_t>(extent, 0, kMaxAtom + 1), kMaxAtom + 1);
  }
  return product;
}

/// Whether the digits of lanes, or of places, tell all elements apart: each counts by more than all
/// smaller ones together.
bool are_apart(const Spread& atom, bool of_lanes) {
  std::vector<SpreadDigit> digits;
  std::ranges::copy_if(atom.digits, std::back_inserter(digits), [&](const SpreadDigit& digit) {
    return digit.is_thread == of_lanes && !known_equal(digit.extent, 1);
  });
  std::ranges::sort(digits, {}, &SpreadDigit::stride);
  std::int64_t next = 1;
  for (const SpreadDigit& digit : digits) {
    if (digit.stride < next) return false;
    next += (digit.extent.value() - 1) * digit.stride;
  }
  return true;
}

Result<void> check_atom(const Instruction& instruction, const InstructionOperand& operand) {
  HEDDLE_TRY(const Spread atom, atom_of(instruction, operand));
  if (!atom.registers.is_defined() || !known_at_most(atom.registers, kMaxSpan)) {
    return refuse_instruction(
        instruction, fmt::format("{} spans more than {} elements", to_string(operand), kMaxSpan));
  }
  if (are_apart(atom, false) && are_apart(atom, true)) return {};
  return refuse_instruction(instruction,
                            fmt::format("two elements of {} may share a place", to_string(operand)),
                            "each digit of a layout steps over all that the smaller ones count");
}

Result<void> check_operand(const Instruction& instruction, const InstructionOperand& operand) {
  const std::string shown = to_string(operand);
  if (!is_plain_word(operand.name)) {
    return refuse_instruction(instruction, fmt::format("'{}' is not a name", operand.name));
  }
  const bool is_alike = !operand.type || bits(*operand.type) == operand.bits;
  const bool is_whole = operand.bits >= 8 && operand.bits <= 64 &&
                        std::has_single_bit(static_cast<std::uint64_t>(operand.bits));
  if (!is_alike || !is_whole) {
    return refuse_instruction(
        instruction,
        fmt::format("{} has elements of {} bits; 8, 16, 32 or 64 are needed", shown, operand.bits));
  }
  if (operand.space == Space::kValue) {
    return refuse_instruction(instruction, fmt::format("{} has no memory", shown),
                              "operands are in reg, shared or global");
  }
  const bool is_box = !operand.shape.empty() &&
                      std::ranges::all_of(operand.shape, [](std::int64_t n) { return n >= 1; });
  if (!is_box || elements_of(operand) > kMaxAtom) {
    return refuse_instruction(instruction,
                              fmt::format("{} has no shape of 1 to {} elements", shown, kMaxAtom));
  }
  if (!operand.space && !instruction.texts.empty()) {
    return refuse_instruction(
        instruction,
        fmt::format("{} has no memory, and the text of an instruction is for one kind", shown),
        fmt::format("write its memory after it: {} reg, shared or global", shown));
  }
  return check_atom(instruction, operand);
}

Result<void> check_text(const Instruction& instruction, const std::string& target,
                        const std::string& text) {
  const std::vector<std::string> targets = {"cuda", "opencl"};
  if (!find_target(target)) {
    const std::string meant = did_you_mean(target, targets);
    return refuse_instruction(
        instruction, fmt::format("unknown target '{}'", target),
        meant.empty() ? fmt::format("the targets are {}", fmt::join(targets, " and ")) : meant);
  }
  HEDDLE_CHECK(filled(instruction, text, [](std::string_view, std::int64_t) { return ""; }));
  return {};
}

/// Whether it does what an instruction can do, on as many operands.
Result<void> check_operation(const Instruction& instruction) {
  const std::size_t operands = instruction.operands.size();
  if (instruction.operation == "copy") {
    if (operands == 2) return {};
    return refuse_instruction(instruction, fmt::format("copy has 2 operands, not {}", operands));
  }
  if (operands != 0 && find_function(instruction.operation, operands - 1)) return {};
  for (std::size_t count = 1; count != 4; ++count) {
    if (!find_function(instruction.operation, count)) continue;
    return refuse_instruction(
        instruction, fmt::format("{} has {} besides its result, and there are {} operands",
                                 instruction.operation,
                                 counted(static_cast<std::int64_t>(count), "operand"), operands));
  }
  return refuse_instruction(
      instruction, fmt::format("no schedule applies instructions for {}", instruction.operation),
      "instructions are for copy, or for a function such as + or fma");
}

/// Whether its operands go together.
Result<void> check_alike(const Instruction& instruction) {
  const InstructionOperand& to = instruction.operands[0];
  const bool is_copy = instruction.operation == "copy";
  for (std::size_t i = 0; i != instruction.operands.size(); ++i) {
    const InstructionOperand& each = instruction.operands[i];
    const auto same = std::ranges::find(instruction.operands, each.name, &InstructionOperand::name);
    if (&*same != &each) {
      return refuse_instruction(instruction,
                                fmt::format("two operands have the name {}", each.name));
    }
    const bool is_one_type = !to.type || !each.type || to.type == each.type;
    if (is_copy && (to.shape != each.shape || to.bits != each.bits || !is_one_type)) {
      return refuse_instruction(
          instruction, fmt::format("a copy keeps shape and type, and its operands are {} and {}",
                                   to_string(to), to_string(each)));
    }
    if (!is_copy && (to.shape != each.shape || !each.type)) {
      return refuse_instruction(
          instruction,
          fmt::format("the operands of {} have one shape, and types: its result is {}, and an "
                      "operand {}",
                      instruction.operation, to_string(to), to_string(each)));
    }
  }
  return {};
}

/// The elements of an operand that one thread holds or gives the address of.
std::int64_t held_by_a_thread(const Instruction& instruction, const InstructionOperand& operand) {
  const auto atom = atom_of(instruction, operand);
  std::int64_t held = 1;
  for (const SpreadDigit& digit : atom ? register_digits(*atom) : std::vector<SpreadDigit>()) {
    held *= digit.extent.value();
  }
  return held;
}

/// What stands between the braces of a place: `D`, `D[2]`.
Result<std::string> place_text(const Instruction& instruction, std::string_view place,
                               const PlaceText& written) {
  const std::size_t bracket = place.find('[');
  const std::string_view name = place.substr(0, bracket);
  const auto operand = std::ranges::find(instruction.operands, name, &InstructionOperand::name);
  if (operand == instruction.operands.end()) {
    std::vector<std::string> names;
    for (const InstructionOperand& each : instruction.operands) names.push_back(each.name);
    return refuse_instruction(
        instruction,
        fmt::format("its text has the place {{{}}}, and there is no operand '{}'", place, name),
        fmt::format("its operands are {}; a brace of the text itself is written twice, {{{{",
                    fmt::join(names, ", ")));
  }
  if (bracket == std::string_view::npos) return written(name, -1);
  std::int64_t element = -1;
  const std::string number(place.substr(bracket + 1));
  const char* last = number.c_str() + number.size();
  const auto [end, error] = std::from_chars(number.c_str(), last, element);
  const bool is_number = error == std::errc() && std::string_view(end, last) == "]";
  const std::int64_t held = held_by_a_thread(instruction, *operand);
  if (is_number && element >= 0 && element < held) return written(name, element);
  return refuse_instruction(
      instruction,
      fmt::format("its text has the place {{{}}}, and a thread has {} of {}", place,
                  counted(held, "element"), name),
      fmt::format("{{{}[0]}} is the first of them, {{{}}} the pointer to it", name, name));
}

}  // namespace

std::int64_t size(const InstructionOperand& operand) { return elements_of(operand); }

bool is_vector(const Instruction& instruction, const InstructionOperand& operand) {
  constexpr std::int64_t kWidest = 16;
  const std::vector<std::int64_t> places = places_of(operand);
  const std::int64_t bytes = std::ssize(places) * operand.bits / 8;
  return places.back() + 1 == std::ssize(places) && std::ranges::is_sorted(places) &&
         bytes <= kWidest && bytes > 0 && instruction.alignment % bytes == 0;
}

std::vector<std::int64_t> places_of(const InstructionOperand& operand) {
  std::vector<std::int64_t> places;
  const auto atom = atom_of({{}, {}, {}, kWarpThreads}, operand);
  if (!atom) return places;
  for (std::int64_t i = 0; i != size(operand); ++i) {
    const std::vector<Int> coordinate = form::unflatten(atom->shape, i);
    if (is_held(*atom, 0, coordinate)) places.push_back(register_of(*atom, coordinate).value());
  }
  return places;
}

Result<std::string> filled(const Instruction& instruction, std::string_view text,
                           const PlaceText& place) {
  std::string result;
  for (std::size_t i = 0; i != text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      result += c;
      continue;
    }
    if (i + 1 != text.size() && text[i + 1] == c) {
      result += text[i++];
      continue;
    }
    const std::size_t end = c == '{' ? text.find('}', i) : std::string_view::npos;
    if (end == std::string_view::npos) {
      return refuse_instruction(instruction,
                                fmt::format("its text has the brace '{}' on its own", c),
                                "{D} is a place; a brace of the text itself is written twice, {{");
    }
    HEDDLE_TRY(const std::string written,
               place_text(instruction, text.substr(i + 1, end - i - 1), place));
    result += written;
    i = end;
  }
  return result;
}

Result<void> check(const Instruction& instruction) {
  if (!is_plain_word(instruction.name)) {
    return refuse_instruction(instruction, fmt::format("'{}' is not a name", instruction.name));
  }
  HEDDLE_CHECK(check_schedule_name(instruction.name));
  HEDDLE_CHECK(check_operation(instruction));
  if (instruction.threads != 1 && instruction.threads != kWarpThreads) {
    return refuse_instruction(instruction,
                              fmt::format("it is done by one thread or by a warp of {}, not by {}",
                                          kWarpThreads, instruction.threads));
  }
  for (const InstructionOperand& operand : instruction.operands) {
    HEDDLE_CHECK(check_operand(instruction, operand));
  }
  HEDDLE_CHECK(check_alike(instruction));
  const std::int64_t alignment = instruction.alignment;
  if (alignment < 1 || alignment > kMaxAlignment ||
      !std::has_single_bit(static_cast<std::uint64_t>(alignment))) {
    return refuse_instruction(
        instruction, fmt::format("addresses are aligned to 1, 2, 4, 8 or {} bytes, not to {}",
                                 kMaxAlignment, alignment));
  }
  for (const auto& [target, text] : instruction.texts) {
    HEDDLE_CHECK(check_text(instruction, target, text));
  }
  return {};
}

}  // namespace heddle::kernel
