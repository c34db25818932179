#include "kernel/lower/fragment_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/draw/formats.h"
#include "heddle/draw/linear.h"
#include "heddle/form/instruction.h"
#include "heddle/linear/fragment.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/machine/instruction_layout.h"

namespace heddle::kernel {

namespace {

/// A layout from registers and lanes whose registers are of 32 bits, each of `elements` that lie
/// side by side along a dimension; copies of one place along none.
struct InRegisters {
  linear::LinearLayout layout;
  std::int64_t elements = 1;
  std::optional<std::size_t> along;
};

/// The dimension along which a basis goes; nullopt for copies.
std::optional<std::size_t> dimension_of(const std::vector<std::int64_t>& basis) {
  const auto moved = std::ranges::find_if(basis, [](std::int64_t step) { return step != 0; });
  return moved == basis.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(moved - basis.begin()));
}

Result<InRegisters> in_registers(const form::InstructionOperand& operand) {
  HEDDLE_TRY(linear::LinearLayout layout, linear::linear_layout(operand.fragment));
  linear::Bases bases = layout.bases();
  linear::NamedSizes sizes = layout.out_dim_sizes();
  auto& registers = std::ranges::find(bases, "register", &linear::InBases::name)->vectors;
  const auto places = std::int64_t{1} << registers.size();
  const std::int64_t most = places / form::register_count(operand);
  InRegisters result{std::move(layout), 1, {}};
  while (result.elements < most) {
    const auto along = dimension_of(registers.front());
    if (result.elements != 1 && along != result.along) break;
    result.along = along;
    result.elements *= 2;
    registers.erase(registers.begin());
  }
  if (result.along) {
    sizes[*result.along].second /= result.elements;
    for (linear::InBases& in : bases) {
      for (auto& basis : in.vectors) basis[*result.along] /= result.elements;
    }
  }
  HEDDLE_TRY(result.layout, linear::LinearLayout::make(bases, sizes));
  return result;
}

/// `0,1` for the first two elements along a dimension, `0-7` for more.
void name_positions(draw::Ruler& ruler, std::int64_t elements) {
  for (std::size_t i = 0; i != ruler.length; ++i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * elements;
    ruler.names.push_back(
        fmt::format("{}{}{}", first, elements == 2 ? ',' : '-', first + elements - 1));
  }
}

std::string title_of(const form::InstructionOperand& operand, std::int64_t elements) {
  const auto& dims = operand.fragment.dims();
  const std::string shape = fmt::format("{} x {}", dims[0].size, dims[1].size);
  if (operand.name == "E") {
    return fmt::format("E, codes of {} elements: T1:0 is part 0 of the register of lane 1, for {}",
                       shape, elements);
  }
  const bool is_sparse = dims[1].name == "kspan";
  const std::string of = is_sparse ? fmt::format(" spans of {}", 2 * elements) : "";
  const std::string with =
      elements == 1 ? "" : fmt::format(", with {} {}elements", elements, is_sparse ? "kept " : "");
  return fmt::format("{}, {}{} of {}: T1:0 is register 0 of lane 1{}", operand.name, shape, of,
                     operand.type, with);
}

Result<std::string> picture_of(const form::InstructionOperand& operand) {
  HEDDLE_TRY(const InRegisters held, in_registers(operand));
  draw::PictureOptions options;
  options.modulus = 0;
  options.title = title_of(operand, held.elements);
  HEDDLE_TRY(draw::Picture picture, draw::tensor_picture(held.layout, options));
  draw::Panel& panel = picture.panels.front();
  if (held.along && held.elements != 1) {
    name_positions(*held.along == 0 ? panel.rows : panel.columns, held.elements);
  }
  return draw::to_terminal(picture);
}

}  // namespace

Result<std::string> fragment_pictures(std::string_view instruction, std::string_view machine) {
  HEDDLE_TRY(const form::Instruction found,
             machine::instruction(instruction, {.machine = machine}));
  std::string text;
  for (const form::InstructionOperand& operand : found.operands) {
    if (operand.name == "D") continue;
    HEDDLE_TRY(const std::string picture, picture_of(operand));
    text += picture;
  }
  return text;
}

}  // namespace heddle::kernel
