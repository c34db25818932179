// The matrices of an instruction, as digits.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "heddle/axe/fragment.h"
#include "heddle/axe/group.h"
#include "machine/gemm/fit.h"

namespace heddle::machine {
namespace {

using form::Fragment;
using form::InstructionOperand;

constexpr std::int64_t kRegisterBits = 32;
constexpr std::int64_t kMostLanes = 64;

/// A, B, and the D that takes the place of C; Apple's coprocessor has Y, X and Z. Of the tiles that
/// SME has for C, the first.
const InstructionOperand* operand_of(const form::Instruction& instruction, std::size_t matrix) {
  constexpr std::array<std::array<const char*, 3>, 3> kNames = {
      {{"A", "Y", "A"}, {"B", "X", "B"}, {"D", "C", "Z"}}};
  for (const char* name : kNames[matrix]) {
    for (const InstructionOperand& operand : instruction.operands) {
      const bool has_tiles = operand.fragment.dim("tile").has_value();
      if (operand.name == name && !has_tiles) return &operand;
    }
  }
  const auto is_tile = [](const InstructionOperand& operand) {
    return operand.name.starts_with("ZA0.");
  };
  const auto tile = std::ranges::find_if(instruction.operands, is_tile);
  return matrix == 2 && tile != instruction.operands.end() ? &*tile : nullptr;
}

std::string dims_text(const Fragment& fragment) {
  std::vector<std::string> names;
  for (const auto& dim : fragment.dims()) names.push_back(dim.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The numbers of the dimensions that are the rows and the columns of A, B or C; nullopt for a
/// dimension that the fragment does not have. A reason for other dimensions.
using Sides = std::array<std::optional<std::size_t>, 2>;
std::variant<Sides, std::string> sides_of(const Fragment& fragment, std::size_t matrix) {
  // B's columns and A's rows have names of their own; K has several.
  constexpr std::array<std::array<const char*, 2>, 3> kNames = {
      {{"row", nullptr}, {nullptr, "col"}, {"row", "col"}}};
  Sides sides;
  std::size_t known = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const char* name = kNames[matrix][side];
    if (name != nullptr) sides[side] = fragment.dim(name);
    if (sides[side]) ++known;
  }
  if (matrix < 2) {
    const std::size_t along = matrix == 0 ? 1 : 0;
    for (const char* name : {"k", matrix == 0 ? "col" : "row"}) {
      if (!sides[along]) sides[along] = fragment.dim(name);
    }
    if (sides[along]) ++known;
  }
  if (known == fragment.dims().size()) return sides;
  return fmt::format("{} has the dimensions {}", kGemmMatrices[matrix], dims_text(fragment));
}

/// The fragment as a layout of the matrix, a dimension that it lacks having one element.
axe::Layout with_sides(const axe::Layout& layout, const Fragment& fragment, const Sides& sides) {
  std::vector<Int> shape;
  for (const auto& dim : fragment.dims()) shape.emplace_back(dim.size);
  std::vector<std::int64_t> order;
  for (const auto& side : sides) {
    if (side) order.push_back(static_cast<std::int64_t>(*side));
  }
  return axe::permute_groups(layout, shape, order).value().layout;
}

}  // namespace

std::int64_t wave_of(const form::Instruction& instruction) {
  constexpr std::int64_t kUsualWave = 32;
  return instruction.lanes > 1 && instruction.lanes <= kMostLanes ? instruction.lanes : kUsualWave;
}

std::variant<GemmAtom, std::string> gemm_atom(const form::Instruction& instruction,
                                              std::size_t matrix) {
  const InstructionOperand* operand = operand_of(instruction, matrix);
  if (operand == nullptr) return fmt::format("it has no matrix {}", kGemmMatrices[matrix]);
  const Fragment& fragment = operand->fragment;
  if (!instruction.thread_ids.empty()) return "no plans are made for quad pairs";
  if (operand->group > 1 || operand->shared_by > 1) {
    return fmt::format("{} is sparse", operand->name);
  }
  if (instruction.operand("SFA") != nullptr) return "it takes scale factors";
  const auto sides = sides_of(fragment, matrix);
  if (const auto* reason = std::get_if<std::string>(&sides)) return *reason;
  const auto layout = axe::axe_layout(fragment);
  if (!layout) return layout.error().message();
  GemmAtom atom;
  atom.element_bits = operand->bits;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto dim = std::get<Sides>(sides)[side];
    atom.shape[side] = dim ? fragment.dims()[*dim].size : 1;
  }
  const std::int64_t wave = wave_of(instruction);
  auto digits =
      matrix_digits(with_sides(*layout, fragment, std::get<Sides>(sides)), atom.shape, wave);
  if (!digits) return digits.error().message();
  atom.digits = *std::move(digits);
  for (const auto& place : fragment.places()) {
    const std::string axis = axe::axis_of(place.name).name();
    if (place.size == 1) continue;
    if (axis == "wid_in_wg") {
      atom.sizes["warpid"] = place.size;
    } else if (axis == "tx") {
      atom.sizes["laneid"] = std::min(place.size, wave);
      atom.sizes["warpid"] = place.size / atom.sizes["laneid"];
    } else {
      atom.sizes[axis] = place.size;
    }
  }
  atom.is_in_memory = fragment.place("shared").has_value();
  if (atom.is_in_memory) {
    // Every thread of the warpgroup gives the same descriptor.
    atom.sizes = {{"m", atom.shape[0] * atom.shape[1]}};
    atom.digits.copies.clear();
  }
  if (atom.is_in_memory || instruction.lanes > 1) atom.free_axis = "m";
  if (!atom.is_in_memory && instruction.lanes > 1 && operand->slot_bits < kRegisterBits) {
    const auto elements = atom.sizes.find("m");
    atom.per_register = std::min<std::int64_t>(kRegisterBits / operand->slot_bits,
                                               elements == atom.sizes.end() ? 1 : elements->second);
  }
  if (atom.sizes.contains("F")) atom.free_axis = "F";
  return atom;
}

}  // namespace heddle::machine
