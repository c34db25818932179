#include "notation/explain/axe_explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "axe/layout/iters.h"
#include "heddle/axe/explain.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

/// The arguments of an operation, asked for by kind: nothing where one is of another.
class Arguments {
 public:
  explicit Arguments(std::span<const std::optional<Value>> values) : values_(values) {}

  [[nodiscard]] bool has(std::size_t i) const { return i < values_.size() && values_[i]; }
  [[nodiscard]] const axe::Layout* layout(std::size_t i) const {
    return has(i) ? values_[i]->get_if<axe::Layout>() : nullptr;
  }
  [[nodiscard]] std::optional<std::vector<Int>> shape(std::size_t i) const {
    const auto* tuple = has(i) ? values_[i]->get_if<IntTuple>() : nullptr;
    if (tuple == nullptr) return std::nullopt;
    return Reader<AxeShape>::read(*values_[i]).extents;
  }
  /// A tuple of tuples, `((8,16),(2,4))`.
  [[nodiscard]] std::vector<std::vector<Int>> rows(std::size_t i) const {
    const auto* tuple = has(i) ? values_[i]->get_if<IntTuple>() : nullptr;
    return tuple == nullptr ? std::vector<std::vector<Int>>() : rows_of(*tuple);
  }

 private:
  std::span<const std::optional<Value>> values_;
};

Explanation apply_steps(const axe::Layout& layout, const Arguments& arguments) {
  const auto point = arguments.shape(1);
  if (!point) return {};
  if (const auto shape = arguments.shape(2)) return axe::explain_places(layout, *shape, *point);
  if (point->size() == 1) return axe::explain_places(layout, point->front());
  std::vector<Int> extents;
  for (const axe::Iter& iter : layout.shard()) extents.push_back(iter.extent);
  return axe::explain_places(layout, extents, *point);
}

Explanation tile_steps(const axe::Layout& outer, const Arguments& arguments) {
  const axe::Layout* inner = arguments.layout(1);
  const auto shapes = arguments.rows(2);
  if (inner == nullptr || shapes.size() != 2) return {};
  return axe::explain_tile(outer, shapes[0], *inner, shapes[1]);
}

Explanation slice_steps(const axe::Layout& layout, const Arguments& arguments) {
  const auto shape = arguments.shape(1);
  std::vector<axe::Interval> region;
  for (const std::vector<Int>& row : arguments.rows(2)) {
    if (row.size() != 2) return {};
    region.push_back({row[0], row[1]});
  }
  if (!shape || region.size() != shape->size()) return {};
  return axe::explain_slice(layout, *shape, region);
}

}  // namespace

Explanation axe_steps(std::string_view operation, std::span<const std::optional<Value>> values) {
  const Arguments arguments(values);
  const axe::Layout* layout = arguments.layout(0);
  if (layout == nullptr) return {};
  if (operation == "apply") return apply_steps(*layout, arguments);
  if (operation == "canonicalize") return axe::explain_canonicalize(*layout);
  if (operation == "tile") return tile_steps(*layout, arguments);
  if (operation == "slice") return slice_steps(*layout, arguments);
  const auto shape = arguments.shape(1);
  if (operation == "group" && shape) return axe::explain_group(*layout, *shape);
  return {};
}

std::string axe_formula(const axe::Layout& layout) {
  std::vector<std::string> digits;
  std::vector<std::string> terms;
  for (std::size_t i = 0; i < layout.shard().size(); ++i) {
    const axe::Iter& iter = layout.shard()[i];
    digits.push_back(fmt::format("d{} < {}", i, to_string(iter.extent)));
    if (iter.stride != Int(0))
      terms.push_back(fmt::format("d{}*({})", i, axe::step_text(iter.stride, iter.axis)));
  }
  for (const auto& [axis, value] : layout.offset()) terms.push_back(axe::step_text(value, axis));
  std::string text = fmt::format(
      "An Axe layout of {} elements. An index has the digits {}, the last running fastest; its "
      "place is {}",
      to_string(axe::size(layout)), fmt::join(digits, ", "),
      terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + ")));
  for (const axe::Iter& iter : layout.replica()) {
    text += fmt::format(", with {} copies {} apart", to_string(iter.extent),
                        axe::step_text(iter.stride, iter.axis));
  }
  if (layout.swizzle()) text += fmt::format(", swizzled by {}", axe::to_string(*layout.swizzle()));
  return text + ".";
}

}  // namespace heddle::notation
