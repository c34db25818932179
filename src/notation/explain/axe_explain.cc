// Explanations of operations on Axe and LEGO layouts.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "axe/layout/iters.h"
#include "core/text.h"
#include "heddle/axe/explain.h"
#include "heddle/lego/explain.h"
#include "notation/explain/explainers.h"

namespace heddle::notation {
namespace {

Explanation explain_places(const axe::Layout& layout, const IntList& point,
                           const std::optional<IntList>& shape) {
  if (shape) return axe::explain_places(layout, *shape, point);
  if (point.size() == 1) return axe::explain_places(layout, point.front());
  return axe::explain_places(layout, axe::extents_of(layout.shard()), point);
}

using OfPair = Explanation (*)(const axe::Layout&, std::span<const Int>, const axe::Layout&,
                               std::span<const Int>);

/// An operation on two layouts and a pair of shapes.
Explainer with_shapes(OfPair explain) {
  return explainer([explain](const axe::Layout& a, const axe::Layout& b, const AxeShapes& shape) {
    const auto& shapes = shape.shapes;
    return shapes.size() == 2 ? explain(a, shapes[0], b, shapes[1]) : Explanation();
  });
}

Explanation explain_span(const axe::Layout& layout, const std::optional<std::string>& axis) {
  if (axis) return axe::explain_span(layout, Axis(*axis));
  Explanation all = step("", "On each axis that is used.");
  for (const Axis& used : axe::axes(layout)) all.steps.push_back(axe::explain_span(layout, used));
  return all;
}

Explanation explain_slice(const axe::Layout& layout, const IntList& shape, const Region& region) {
  if (region.size() != shape.size()) return {};
  return axe::explain_slice(layout, shape, region);
}

}  // namespace

const Explainers& axe_explainers() {
  static const Explainers table = {
      {"apply", explainer(explain_places)},
      {"canonicalize", explainer(axe::explain_canonicalize)},
      {"group", explainer(axe::explain_group)},
      {"slice", explainer(explain_slice)},
      {"tile", with_shapes(axe::explain_tile)},
      {"tile_of", with_shapes(axe::explain_tile_of)},
      {"tile_inner_of", with_shapes(axe::explain_tile_inner_of)},
      {"direct_sum", with_shapes(axe::explain_direct_sum)},
      {"direct_sum_left_of", with_shapes(axe::explain_direct_sum_left_of)},
      {"direct_sum_right_of", with_shapes(axe::explain_direct_sum_right_of)},
      {"span", explainer(explain_span)},
      {"iter_intersect", explainer(axe::explain_iter_intersect)},
  };
  return table;
}

const Explainers& lego_explainers() {
  static const Explainers table = {
      {"apply", explainer([](const lego::Layout& layout, const IntList& point) {
         return lego::explain_apply(layout, point).value_or(Explanation());
       })},
      {"inv", explainer([](const lego::Layout& layout, const Int& position) {
         return lego::explain_inv(layout, position).value_or(Explanation());
       })},
  };
  return table;
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
      "An Axe layout of {}. An index has the digits {}, the last running fastest; its "
      "place is {}",
      counted(to_string(axe::size(layout)), "element"), fmt::join(digits, ", "),
      terms.empty() ? "0" : fmt::format("{}", fmt::join(terms, " + ")));
  for (const axe::Iter& iter : layout.replica()) {
    text += fmt::format(", with {} copies {} apart", to_string(iter.extent),
                        axe::step_text(iter.stride, iter.axis));
  }
  if (layout.swizzle()) text += fmt::format(", swizzled by {}", axe::to_string(*layout.swizzle()));
  return text + ".";
}

}  // namespace heddle::notation
