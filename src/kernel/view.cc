// Views: each step turns a point of its result into a point of what it reads.

#include "heddle/kernel/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "core/overloaded.h"
#include "core/text.h"
#include "heddle/expr/proof.h"
#include "heddle/form/index_map.h"
#include "kernel/assumption.h"

namespace heddle::kernel {

namespace {

using SubscriptKind = Subscript::Kind;

/// The shape that the next step reads, while the steps of a view are followed.
struct Shaped {
  const View& view;
  DType type;
  std::vector<Int> extents;
};

bool takes_dimension(const Subscript& subscript) { return subscript.kind != SubscriptKind::kNew; }

/// Refuses an index that is outside by the numbers themselves, whichever block, thread and
/// iteration it is, and a range before the beginning; a range past the end may be what a tile has
/// too much.
Result<void> check_reach(const Subscript& subscript, std::size_t dimension, const Shaped& at) {
  const bool is_index = subscript.kind == SubscriptKind::kIndex;
  if (!is_index && subscript.kind != SubscriptKind::kRange) return {};
  const Int& extent = at.extents[dimension];
  const Int end = is_index ? subscript.begin + 1 : subscript.begin + subscript.extent;
  const bool is_before = end.is_constant() && end.value() < 1;
  const bool is_after = is_index && subscript.begin.is_constant() && extent.is_constant() &&
                        subscript.begin.value() >= extent.value();
  if (!is_before && !is_after) return {};
  const std::string what = is_index ? fmt::format("the index {}", to_string(subscript.begin))
                                    : fmt::format("the elements from {} up to {}",
                                                  to_string(subscript.begin), to_string(end));
  return refuse(Diagnostic("kernel.index", fmt::format("{} has {} along axis {}, outside of its {}",
                                                       to_string(at.view), what, dimension,
                                                       counted(to_string(extent), "element")))
                    .with_hint(fmt::format("indices count from 0, and the last one is {}",
                                           to_string(extent - 1))));
}

Result<void> follow(const Sliced& step, Shaped& at) {
  const auto taken =
      static_cast<std::size_t>(std::ranges::count_if(step.subscripts, takes_dimension));
  if (taken > at.extents.size()) {
    return refuse("kernel.subscripts",
                  fmt::format("{} has {}, and what it slices has the shape {}", to_string(at.view),
                              counted(taken, "subscript"), shape_text(at.extents)));
  }
  std::vector<Int> extents;
  std::size_t dimension = 0;
  for (const Subscript& subscript : step.subscripts) {
    if (takes_dimension(subscript)) HEDDLE_CHECK(check_reach(subscript, dimension, at));
    if (subscript.kind == SubscriptKind::kNew) extents.emplace_back(1);
    if (subscript.kind == SubscriptKind::kRange) extents.push_back(subscript.extent);
    if (subscript.kind == SubscriptKind::kWhole) extents.push_back(at.extents[dimension]);
    if (takes_dimension(subscript)) ++dimension;
  }
  extents.insert(extents.end(), at.extents.begin() + static_cast<std::ptrdiff_t>(dimension),
                 at.extents.end());
  at.extents = std::move(extents);
  return {};
}

Result<void> follow(const Permuted& step, Shaped& at) {
  std::vector<std::size_t> sorted = step.order;
  std::ranges::sort(sorted);
  std::vector<std::size_t> all(at.extents.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (sorted != all) {
    return refuse("kernel.permutation",
                  fmt::format("{} permutes a view of shape {}, but its order does not name each of "
                              "the {} dimensions once",
                              to_string(at.view), shape_text(at.extents), all.size()));
  }
  std::vector<Int> extents;
  for (const std::size_t dimension : step.order) extents.push_back(at.extents[dimension]);
  at.extents = std::move(extents);
  return {};
}

Result<void> follow(const Reshaped& step, Shaped& at) {
  const Condition same = {form::product(step.shape), Predicate::kEqual, form::product(at.extents)};
  if (!known(same)) {
    return refuse(
        Diagnostic("kernel.reshape",
                   fmt::format("{} reshapes {} of shape {} to {} of shape {}", to_string(at.view),
                               counted(to_string(same.right), "element"), shape_text(at.extents),
                               to_string(same.left), shape_text(step.shape)))
            .with_hint(known_false(same) ? std::string() : assumption(same)));
  }
  at.extents = step.shape;
  return {};
}

Result<void> follow(const Relaid& step, Shaped& at) {
  HEDDLE_TRY(const map::View box, map::view(step.layout));
  if (box.axes.size() != 1) {
    return refuse("kernel.layout",
                  fmt::format("{} reads memory by {}, whose places have {} coordinates",
                              to_string(at.view), map::to_string(step.layout), box.axes.size()));
  }
  at.extents = box.extents;
  return {};
}

Result<void> follow(const Recast& step, Shaped& at) {
  if (at.extents.empty()) {
    return refuse(Diagnostic("kernel.recast",
                             fmt::format("{} reads the bits of one element, which has no dimension "
                                         "to read them along",
                                         to_string(at.view)))
                      .with_hint("declare it with the shape [1]"));
  }
  const Int held = at.extents.back() * bits(at.type);
  if (!known_divides(bits(step.type), held)) {
    return refuse("kernel.recast",
                  fmt::format("{} reads {} bits of the last dimension of shape {} as {}, which has "
                              "{} bits",
                              to_string(at.view), to_string(held), shape_text(at.extents),
                              name_of(step.type), bits(step.type)));
  }
  at.extents.back() = floor_div(held, bits(step.type));
  at.type = step.type;
  return {};
}

/// The shapes that the steps read, the tensor's first, and that of the view last.
Result<std::vector<Shaped>> shapes(const View& view, const Tensor& tensor) {
  std::vector<Shaped> all = {{view, tensor.type, tensor.shape}};
  for (const View::Step& step : view.steps) {
    Shaped next = all.back();
    HEDDLE_CHECK(std::visit([&](const auto& each) { return follow(each, next); }, step));
    all.push_back(std::move(next));
  }
  return all;
}

/// Adds what must hold for the index to be in [0, extent), without what is known.
void require_inside(const Int& index, const Int& extent, std::vector<Condition>& inside) {
  const Condition low = {0, Predicate::kAtMost, index};
  const Condition high = {index, Predicate::kLess, extent};
  for (const Condition& condition : {low, high}) {
    if (!known(condition)) inside.push_back(condition);
  }
}

std::vector<Int> before(const Sliced& step, const Shaped& read, std::span<const Int> point,
                        Element& element) {
  std::vector<Int> result;
  std::size_t from = 0;
  for (const Subscript& subscript : step.subscripts) {
    if (subscript.kind == SubscriptKind::kNew) {
      ++from;
      continue;
    }
    Int index = subscript.begin;
    if (subscript.kind == SubscriptKind::kWhole) index = point[from++];
    if (subscript.kind == SubscriptKind::kRange) index = subscript.begin + point[from++];
    if (subscript.kind != SubscriptKind::kWhole) {
      require_inside(index, read.extents[result.size()], element.inside);
    }
    result.push_back(std::move(index));
  }
  result.insert(result.end(), point.begin() + static_cast<std::ptrdiff_t>(from), point.end());
  return result;
}

std::vector<Int> before(const Permuted& step, const Shaped& /*read*/, std::span<const Int> point,
                        Element& /*element*/) {
  std::vector<Int> result(point.size());
  for (std::size_t d = 0; d != point.size(); ++d) result[step.order[d]] = point[d];
  return result;
}

std::vector<Int> before(const Reshaped& step, const Shaped& read, std::span<const Int> point,
                        Element& /*element*/) {
  return form::unflatten(read.extents, form::flatten(step.shape, point));
}

std::vector<Int> before(const Relaid& step, const Shaped& /*read*/, std::span<const Int> point,
                        Element& element) {
  element.layout = step.layout;
  return {point.begin(), point.end()};
}

std::vector<Int> before(const Recast& step, const Shaped& /*read*/, std::span<const Int> point,
                        Element& element) {
  element.recast = step.type;
  return {point.begin(), point.end()};
}

}  // namespace

namespace {

/// How a range is written that begins where it should end: `Y[128*bx : 128]`; else what would have
/// to be assumed.
std::string range_hint(const View& view, const Int& extent) {
  for (const View::Step& step : view.steps) {
    const auto* sliced = std::get_if<Sliced>(&step);
    if (sliced == nullptr) continue;
    for (const Subscript& each : sliced->subscripts) {
      if (each.kind != SubscriptKind::kRange || each.extent != extent) continue;
      const Int end = each.begin + each.extent;
      if (!known_at_most(1, end) || each.begin == 0) continue;
      return fmt::format("did you mean {} : +{}?", to_string(each.begin), to_string(end));
    }
  }
  return assumption({1, Predicate::kAtMost, extent});
}

}  // namespace

Result<ViewShape> shape_of(const View& view, const Tensor& tensor) {
  HEDDLE_TRY(const std::vector<Shaped> all, shapes(view, tensor));
  for (const Int& extent : all.back().extents) {
    if (known_at_most(1, extent)) continue;
    return refuse(
        Diagnostic("kernel.shape", fmt::format("{} has the shape {}, with an extent that "
                                               "is not known to be at least 1",
                                               to_string(view), shape_text(all.back().extents)))
            .with_hint(range_hint(view, extent)));
  }
  return ViewShape{all.back().type, all.back().extents};
}

Result<Element> element_at(const View& view, const Tensor& tensor, std::span<const Int> point) {
  HEDDLE_TRY(const std::vector<Shaped> all, shapes(view, tensor));
  Element element;
  element.coordinate.assign(point.begin(), point.end());
  for (std::size_t i = view.steps.size(); i-- != 0;) {
    if (element.layout || element.recast) {
      return refuse(Diagnostic("kernel.recast", fmt::format("{} reads a part of {} in another way",
                                                            to_string(view), view.tensor))
                        .with_hint("begin with `bits` or `relayout`, then slice"));
    }
    element.coordinate = std::visit(
        [&](const auto& step) { return before(step, all[i], element.coordinate, element); },
        view.steps[i]);
  }
  return element;
}

Result<std::vector<Int>> broadcast(std::span<const Int> a, std::span<const Int> b) {
  const std::span<const Int> longer = a.size() >= b.size() ? a : b;
  const std::span<const Int> shorter = a.size() >= b.size() ? b : a;
  std::vector<Int> result(longer.begin(), longer.end());
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t d = 0; d != shorter.size(); ++d) {
    Int& extent = result[lead + d];
    if (known_equal(shorter[d], 1) || known_equal(shorter[d], extent)) continue;
    if (!known_equal(extent, 1)) {
      const std::vector<Int> left(a.begin(), a.end());
      const std::vector<Int> right(b.begin(), b.end());
      const Condition same = {extent, Predicate::kEqual, shorter[d]};
      return refuse(Diagnostic("kernel.broadcast",
                               fmt::format("the shapes {} and {} do not broadcast: they have {} "
                                           "and {} in dimension -{}, and neither is 1",
                                           shape_text(left), shape_text(right),
                                           to_string(a.size() >= b.size() ? extent : shorter[d]),
                                           to_string(a.size() >= b.size() ? shorter[d] : extent),
                                           shorter.size() - d))
                        .with_hint(known_false(same) ? std::string() : assumption(same)));
    }
    extent = shorter[d];
  }
  return result;
}

std::vector<Int> broadcast_point(std::span<const Int> shape, std::span<const Int> point) {
  std::vector<Int> result;
  const std::size_t lead = point.size() - shape.size();
  for (std::size_t d = 0; d != shape.size(); ++d) {
    result.push_back(known_equal(shape[d], 1) ? Int(0) : point[lead + d]);
  }
  return result;
}

Result<std::vector<Int>> place_of(const Element& element, const Tensor& tensor) {
  const auto& layout = element.layout ? element.layout : tensor.layout;
  if (!layout) return std::vector{form::flatten(tensor.shape, element.coordinate)};
  HEDDLE_TRY(map::View view, map::view(*layout));
  if (!element.layout) {
    HEDDLE_TRY(view, map::reshaped(view, tensor.shape));
  }
  return view.evaluate(element.coordinate, 0);
}

}  // namespace heddle::kernel
