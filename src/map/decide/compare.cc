#include "heddle/map/compare.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "map/read_as.h"
#include "map/view_parts.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kMaxCompared = std::int64_t{1} << 20;

/// Nothing where the two have different numbers of points.
std::optional<ComparedViews> on_one_box(View a, View b) {
  const auto onto = [](View& view, std::vector<Int> shape) {
    auto other = reshaped(view, shape);
    if (other) view = *std::move(other);
  };
  if (!are_equal(a.extents, b.extents)) {
    if (b.takes_any_shape) onto(b, a.extents);
    if (a.takes_any_shape) onto(a, b.extents);
  }
  if (!are_equal(a.extents, b.extents)) {
    onto(a, {a.size()});
    onto(b, {b.size()});
  }
  if (!are_equal(a.extents, b.extents)) return std::nullopt;
  // Indices with one value say nothing.
  std::vector<Int> shape;
  std::ranges::copy_if(a.extents, std::back_inserter(shape),
                       [](const Int& extent) { return !known_equal(extent, 1); });
  if (shape.empty()) shape.emplace_back(1);
  if (shape.size() < a.extents.size()) {
    onto(a, shape);
    onto(b, shape);
  }
  return ComparedViews{std::move(a), std::move(b)};
}

/// Axes of the same names in the order of the first.
void match_axes(const View& a, View& b) {
  if (a.axes == b.axes || !std::ranges::is_permutation(a.axes, b.axes)) return;
  std::vector<std::size_t> picks;
  for (const Axis& axis : a.axes) {
    const auto found = std::ranges::find(b.axes, axis);
    picks.push_back(static_cast<std::size_t>(found - b.axes.begin()));
  }
  View matched;
  matched.system = b.system;
  matched.extents = b.extents;
  matched.names = b.names;
  matched.order = b.order;
  matched.axes = a.axes;
  matched.bounds.resize(a.axes.size());
  matched.copies = b.copies;
  matched.evaluate = [evaluate = b.evaluate, picks](std::span<const Int> point, const Int& copy) {
    const std::vector<Int> image = evaluate(point, copy);
    std::vector<Int> picked;
    for (const std::size_t pick : picks) picked.push_back(image[pick]);
    return picked;
  };
  b = std::move(matched);
}

/// Else the verdict counts the images of one side as numbers, or leaves out axes.
bool have_common_axes(const View& a, const View& b) {
  if (a.axes.size() != b.axes.size()) return false;
  return a.axes == b.axes || std::ranges::find_first_of(a.axes, b.axes) == a.axes.end();
}

std::vector<Int> point_at(const View& view, std::int64_t flat) {
  std::vector<Int> point;
  for (const Int& extent : view.extents) {
    point.emplace_back(flat % extent.value());
    flat /= extent.value();
  }
  return point;
}

bool is_over(const Limits& limits, std::chrono::steady_clock::time_point end) {
  return limits.stop.stop_requested() || std::chrono::steady_clock::now() >= end;
}

/// Nothing where there is no time for all points.
Result<std::optional<std::vector<Difference>>> differences_of(const ComparedViews& views,
                                                              std::int64_t points,
                                                              const Limits& limits) {
  constexpr std::int64_t kEvery = 1024;
  const auto end = std::chrono::steady_clock::now() + limits.time;
  std::vector<Difference> differences;
  for (std::int64_t flat = 0; flat < points; ++flat) {
    if (flat % kEvery == 0 && is_over(limits, end)) return std::nullopt;
    std::vector<Int> point = point_at(views.a, flat);
    HEDDLE_TRY(auto here, images(views.a, point));
    HEDDLE_TRY(auto there, images(views.b, point));
    if (here == there) continue;
    differences.push_back({std::move(point), std::move(here), std::move(there)});
  }
  return differences;
}

}  // namespace

Result<Comparison> compare(const AnyLayout& a, const AnyLayout& b, const DecideOptions& options) {
  Comparison comparison;
  comparison.verdict = equal(a, b, options);
  HEDDLE_TRY(View here, view(a, options.limits));
  HEDDLE_TRY(View there, view(b, options.limits));
  const Reading reading = options.reading.value_or(Reading::kLiteral);
  auto read = read_as(reading, Side{a, std::move(here)}, Side{b, std::move(there)}, options);
  // What cannot be turned round, and places that one side has not, the verdict says alone.
  if (!read || read->places) return comparison;
  auto views = on_one_box(std::move(read->a), std::move(read->b));
  if (!views) return comparison;
  const Int size = views->a.size();
  if (!size.is_constant() || size.value() > kMaxCompared) return comparison;
  comparison.points = size.value();
  if (comparison.verdict.is_yes()) return comparison;
  match_axes(views->a, views->b);
  if (!have_common_axes(views->a, views->b)) return comparison;
  HEDDLE_TRY(auto differences, differences_of(*views, comparison.points, options.limits));
  if (!differences) return comparison;
  comparison.differences = *std::move(differences);
  comparison.names = given_names(views->a.names);
  comparison.axes = given_names(views->a.axes);
  comparison.views = *std::move(views);
  return comparison;
}

}  // namespace heddle::map
