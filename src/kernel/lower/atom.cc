#include "kernel/lower/atom.h"

#include <fmt/format.h>

#include <algorithm>

#include "heddle/expr/proof.h"

namespace heddle::kernel {

Instruction vector_copy(DType type, std::int64_t width) {
  const std::int64_t bytes = width * bits(type) / 8;
  Instruction copy{fmt::format("copy_{}_bytes", bytes), "copy", {}, 1, bytes, {}};
  for (const char* name : {"D", "S"}) {
    copy.operands.push_back({name, type, bits(type), {width}, {}, {}});
  }
  return copy;
}

Instruction async_copy(DType type, std::int64_t width) {
  Instruction copy = vector_copy(type, width);
  copy.name = fmt::format("cp_async_{}", copy.alignment);
  copy.operands[0].space = Space::kShared;
  copy.operands[1].space = Space::kGlobal;
  return copy;
}

Result<Spread> atom_of(const Instruction& instruction, const InstructionOperand& operand) {
  Tensor tensor{
      operand.name, operand.type.value_or(DType::kF32), {}, Space::kRegister, operand.layout};
  for (const std::int64_t extent : operand.shape) tensor.shape.emplace_back(extent);
  if (!operand.layout) return row_spread(tensor.shape, 1, operand.shape.back());
  auto atom = spread_of(tensor, instruction.threads);
  if (atom) return atom;
  return refuse(
      Diagnostic(
          "kernel.instruction",
          fmt::format("instruction {}: {}: its layout does not give each element a lane and m",
                      instruction.name, to_string(operand)))
          .with_note(atom.error().message())
          .with_hint("one row of 8 in each of 8 lanes is S[(8,8):(1@laneid,1@m)]"));
}

std::optional<Spread> divided(Spread spread, const Spread& atom) {
  const std::size_t outer = spread.shape.size() - atom.shape.size();
  for (SpreadDigit wanted : atom.digits) {
    wanted.dimension += outer;
    while (!known_equal(wanted.extent, 1)) {
      const auto lowest = std::ranges::find_if(spread.digits, [&](const SpreadDigit& digit) {
        return digit.dimension == wanted.dimension && known_equal(digit.step, wanted.step) &&
               !known_equal(digit.extent, 1);
      });
      if (lowest == spread.digits.end() || lowest->is_thread != wanted.is_thread ||
          lowest->stride != wanted.stride) {
        return std::nullopt;
      }
      Int taken = wanted.extent;
      if (!known_divides(wanted.extent, lowest->extent)) taken = lowest->extent;
      if (!taken.is_constant() || !known_divides(taken, wanted.extent)) return std::nullopt;
      lowest->extent = floor_div(lowest->extent, taken);
      wanted.extent = floor_div(wanted.extent, taken);
      for (SpreadDigit* digit : {&*lowest, &wanted}) {
        digit->step *= taken;
        digit->stride *= taken.value();
      }
    }
  }
  return spread;
}

Spread spread_over(const std::vector<Int>& shape, std::int64_t threads, const Spread& atom) {
  const std::size_t outer = shape.size() - atom.shape.size();
  std::vector<Int> tiles = shape;
  for (std::size_t d = 0; d != atom.shape.size(); ++d) {
    tiles[outer + d] = ceil_div(shape[outer + d], atom.shape[d]);
  }
  Spread spread = row_spread(tiles, threads, 1);
  for (SpreadDigit& digit : spread.digits) {
    if (digit.dimension >= outer) digit.step *= atom.shape[digit.dimension - outer];
    if (!digit.is_thread) digit.stride *= atom.registers.value();
  }
  std::vector<SpreadDigit> digits = atom.digits;
  for (SpreadDigit& digit : digits) digit.dimension += outer;
  spread.digits.insert(spread.digits.begin(), digits.begin(), digits.end());
  spread.shape = shape;
  spread.registers *= atom.registers;
  return spread;
}

}  // namespace heddle::kernel
