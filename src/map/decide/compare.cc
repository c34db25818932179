#include "heddle/map/compare.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "map/decide/methods.h"
#include "map/reading/read_as.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

constexpr std::int64_t kMaxCompared = std::int64_t{1} << 20;

/// Puts the view on another box of the same size, if it can take that box.
void onto(View& view, std::vector<Int> shape) {
  auto other = reshaped(view, shape);
  if (other) view = *std::move(other);
}

/// nullopt if the two have different numbers of points.
std::optional<ComparedViews> on_one_box(View a, View b) {
  if (!are_equal(a.extents, b.extents)) {
    if (b.takes_any_shape) onto(b, a.extents);
    if (a.takes_any_shape) onto(a, b.extents);
  }
  if (!are_equal(a.extents, b.extents)) {
    onto(a, {a.size()});
    onto(b, {b.size()});
  }
  if (!are_equal(a.extents, b.extents)) return std::nullopt;
  return ComparedViews{std::move(a), std::move(b)};
}

/// Removes the indices that have one value, because a picture gains nothing from them.
ComparedViews without_units(ComparedViews views) {
  std::vector<Int> shape;
  std::ranges::copy_if(views.a.extents, std::back_inserter(shape),
                       [](const Int& extent) { return !known_equal(extent, 1); });
  if (shape.empty()) shape.emplace_back(1);
  if (shape.size() == views.a.extents.size()) return views;
  onto(views.a, shape);
  onto(views.b, shape);
  return views;
}

/// Whether the axes match by name or position. If not, the verdict flattens the images of one side
/// or leaves out axes.
bool have_common_axes(const View& a, const View& b) {
  if (a.axes.size() != b.axes.size()) return false;
  return a.axes == b.axes || std::ranges::find_first_of(a.axes, b.axes) == a.axes.end();
}

/// The only image of a point, if it is all numbers, as for most points.
std::optional<std::vector<Int>> numbers_at(const View& view, std::span<const Int> point) {
  if (!view.is_function()) return std::nullopt;
  std::vector<Int> image = view.evaluate(point, 0);
  if (!std::ranges::all_of(image, &Int::is_constant)) return std::nullopt;
  return image;
}

/// Counts all points that differ and keeps the first of them; false if there is no time for all
/// points.
Result<bool> find_differences(const ComparedViews& views, const Limits& limits,
                              Comparison& comparison) {
  constexpr std::int64_t kEvery = 1024;
  constexpr std::int64_t kMaxListed = 4096;
  std::vector<Difference> listed;
  std::int64_t different = 0;
  for (std::int64_t flat = 0; flat < comparison.points; ++flat) {
    if (flat % kEvery == 0 && limits.are_over()) return false;
    std::vector<Int> point = point_of(views.a.extents, form::FlatOrder::kFirstFastest, flat);
    const auto left = numbers_at(views.a, point);
    const auto right = numbers_at(views.b, point);
    if (left && right) {
      if (*left == *right) continue;
      if (++different <= kMaxListed) listed.push_back({std::move(point), {*left}, {*right}});
      continue;
    }
    HEDDLE_TRY(auto here, images(views.a, point));
    HEDDLE_TRY(auto there, images(views.b, point));
    if (here == there) continue;
    if (++different > kMaxListed) continue;
    listed.push_back({std::move(point), std::move(here), std::move(there)});
  }
  comparison.differences = std::move(listed);
  comparison.different = different;
  return true;
}

}  // namespace

Result<Comparison> compare(const AnyLayout& a, const AnyLayout& b, const DecideOptions& asked) {
  DecideOptions options = asked;
  options.limits = asked.limits.begun();
  Comparison comparison;
  comparison.verdict = equal(a, b, options);
  HEDDLE_TRY(View here, view(a, options.limits));
  HEDDLE_TRY(View there, view(b, options.limits));
  const Reading reading = reading_of(a, b, options);
  auto read = read_as(reading, Side{a, std::move(here)}, Side{b, std::move(there)}, options);
  // For layouts that cannot be inverted, and places that one side lacks, the verdict is the whole
  // answer.
  if (!read || read->places) return comparison;
  auto views = on_one_box(std::move(read->a), std::move(read->b));
  if (!views) return comparison;
  const Int size = views->a.size();
  if (!size.is_constant() || size.value() > kMaxCompared) return comparison;
  comparison.points = size.value();
  if (comparison.verdict.is_yes()) return comparison;
  if (std::ranges::is_permutation(views->a.axes, views->b.axes)) {
    pick_axes(views->b, views->a.axes);
  }
  if (!have_common_axes(views->a, views->b)) return comparison;
  HEDDLE_TRY(const bool are_found, find_differences(*views, options.limits, comparison));
  if (!are_found) return comparison;
  comparison.names = given_names(views->a.names);
  comparison.axes = given_names(views->a.axes);
  comparison.views = without_units(*std::move(views));
  return comparison;
}

}  // namespace heddle::map
