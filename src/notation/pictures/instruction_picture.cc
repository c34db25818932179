#include "notation/pictures/instruction_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/cute/fragment.h"
#include "heddle/draw/tv.h"

namespace heddle::notation {
namespace {

using form::Fragment;
using form::Instruction;
using form::InstructionOperand;

/// The place that is drawn as the value: what one thread, partition or data path has several of.
std::string_view value_place(const Fragment& fragment) {
  for (const std::string_view name : {"register", "F", "column"}) {
    if (fragment.place(name)) return name;
  }
  return fragment.places().front().name;
}

/// The thread-value layout on a tile whose rows are the dimension `rows`.
Result<cute::AnyLayout> owners_of(const Fragment& fragment, std::string_view rows) {
  std::vector<std::string_view> dims = {rows};
  for (const auto& dim : fragment.dims()) {
    if (dim.name != rows) dims.push_back(dim.name);
  }
  return cute::thread_value_map(fragment, dims, value_place(fragment));
}

std::int64_t size_of(const Fragment& fragment, std::string_view dim) {
  const auto found = fragment.dim(dim);
  return found ? fragment.dims()[*found].size : 0;
}

/// `T is a lane, V a register`.
std::string legend_of(const Fragment& fragment) {
  const std::string_view value = value_place(fragment);
  std::vector<std::string> threads;
  for (const auto& place : fragment.places()) {
    if (place.name != value && place.size > 1) threads.push_back(place.name);
  }
  std::ranges::reverse(threads);
  const std::string thread =
      threads.empty() ? "" : fmt::format("T is {}, ", fmt::join(threads, " and "));
  return fmt::format("{}V is {}", thread, value);
}

/// Whether the operand is a matrix of these sizes whose rows are the dimension of that name.
bool is_matrix(const InstructionOperand* operand, std::string_view rows, std::int64_t length,
               std::int64_t other) {
  if (operand == nullptr || operand->fragment.has_unused()) return false;
  const auto& dims = operand->fragment.dims();
  if (dims.size() != 2 || size_of(operand->fragment, rows) != length) return false;
  return dims[0].size * dims[1].size == length * other;
}

Result<std::optional<draw::Picture>> product_picture(const Instruction& instruction,
                                                     const draw::PictureOptions& options) {
  const auto* a = instruction.operand("A");
  const auto* b = instruction.operand("B");
  const auto* d = instruction.operand("D");
  const auto* c = d != nullptr ? d : instruction.operand("C");
  const auto [m, n, k] = instruction.shape;
  if (!is_matrix(a, "row", m, k) || !is_matrix(b, "col", n, k) || !is_matrix(c, "row", m, n)) {
    return std::nullopt;
  }
  HEDDLE_TRY(cute::AnyLayout a_owners, owners_of(a->fragment, "row"));
  HEDDLE_TRY(cute::AnyLayout b_owners, owners_of(b->fragment, "col"));
  HEDDLE_TRY(cute::AnyLayout c_owners, owners_of(c->fragment, "row"));
  HEDDLE_TRY(draw::Picture picture, draw::mma_picture({std::move(a_owners), std::move(b_owners),
                                                       std::move(c_owners), m, n, k},
                                                      options));
  std::string legend;
  for (const InstructionOperand* operand : {a, b, c}) {
    const std::string one = legend_of(operand->fragment);
    if (legend.find(one) != std::string::npos) continue;
    legend += fmt::format("{}{}", legend.empty() ? "" : "; ", one);
  }
  picture.notes.push_back(legend);
  return picture;
}

/// Each operand by itself, if places of it do not hold nothing.
Result<draw::Picture> operands_picture(const Instruction& instruction,
                                       const draw::PictureOptions& options) {
  std::optional<draw::Picture> picture;
  for (const InstructionOperand& operand : instruction.operands) {
    if (operand.fragment.has_unused()) continue;
    const auto& dims = operand.fragment.dims();
    std::int64_t columns = 1;
    for (std::size_t dim = 1; dim < dims.size(); ++dim) columns *= dims[dim].size;
    HEDDLE_TRY(const cute::AnyLayout owners, owners_of(operand.fragment, dims.front().name));
    HEDDLE_TRY(draw::Picture one, draw::tv_picture(owners, {dims.front().size, columns}, options));
    std::vector<std::string> names;
    for (const auto& dim : dims) names.push_back(fmt::format("{} {}", dim.name, dim.size));
    one.panels.front().label = fmt::format("{}: {}; {}", operand.name, fmt::join(names, ", "),
                                           legend_of(operand.fragment));
    for (std::string& note : one.notes) note.insert(0, operand.name + ": ");
    if (!picture) {
      picture = std::move(one);
      continue;
    }
    std::ranges::move(one.panels, std::back_inserter(picture->panels));
    std::ranges::move(one.notes, std::back_inserter(picture->notes));
  }
  if (picture) return *std::move(picture);
  return refuse("draw.tv", instruction.name + " has no operand that can be drawn");
}

}  // namespace

Result<draw::Picture> instruction_picture(const Instruction& instruction,
                                          draw::PictureOptions options) {
  if (!options.title) {
    const auto [m, n, k] = instruction.shape;
    options.title =
        fmt::format("{} ({}): {} x {} x {}", instruction.name, instruction.machine, m, n, k);
  }
  HEDDLE_TRY(auto product, product_picture(instruction, options));
  if (product) return *std::move(product);
  return operands_picture(instruction, options);
}

}  // namespace heddle::notation
