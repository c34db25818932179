#include "axe/slice/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "core/text.h"
#include "heddle/axe/canonical.h"
#include "heddle/form/recover.h"

namespace heddle::axe {
namespace {

using Vector = std::vector<std::int64_t>;

/// The map of a region as a function of the points' flat coordinate in it, as the recovery of
/// layouts needs it: 0 at the first corner.
class Table {
 public:
  Table(const Layout& layout, const SliceCall& call, Places places)
      : layout_(layout), call_(call), is_swizzled_(places == Places::kSwizzled) {
    for (const Interval& interval : call.region) counts_.push_back(interval.end - interval.begin);
    for (const Axis& axis : axe::axes(layout)) axes_.push_back(axis);
    corner_ = place(0);
  }

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] Int count() const { return product(counts_); }
  [[nodiscard]] const Coordinate& corner() const { return corner_; }
  /// Whether a value did not fit into 64 bits.
  [[nodiscard]] bool has_overflown() const { return has_overflown_; }

  /// The flat index in the layout.
  [[nodiscard]] Int index(std::int64_t point) const {
    std::vector<Int> place = unflatten(counts_, point);
    for (std::size_t j = 0; j < place.size(); ++j) place[j] += call_.region[j].begin;
    return flatten(call_.shape, place);
  }

  [[nodiscard]] Coordinate place(std::int64_t point) const {
    Coordinate place = shard_at(layout_, index(point)) + layout_.offset();
    return is_swizzled_ ? swizzled(layout_, std::move(place)) : place;
  }

  [[nodiscard]] Vector operator()(std::int64_t point) {
    const Coordinate here = place(point);
    Vector values;
    values.reserve(axes_.size());
    for (const Axis& axis : axes_) {
      const Int value = here[axis] - corner_[axis];
      has_overflown_ = has_overflown_ || !value.is_defined();
      values.push_back(value.is_defined() ? value.value() : 0);
    }
    return values;
  }

  [[nodiscard]] Coordinate coordinate(std::span<const Int> row) const {
    Coordinate result;
    for (std::size_t i = 0; i < axes_.size(); ++i) result.add(axes_[i], row[i]);
    return result;
  }

 private:
  const Layout& layout_;
  const SliceCall& call_;
  bool is_swizzled_;
  std::vector<Int> counts_;
  std::vector<Axis> axes_;
  Coordinate corner_;
  bool has_overflown_ = false;
};

Refusal undecided(const SliceCall& call, const std::string& why) {
  return refuse("axe.undecided", "{}: {}", call.text(), why);
}

bool is_constant(const Layout& layout, const SliceCall& call) {
  const auto constant_entry = [](const auto& entry) { return entry.second.is_constant(); };
  return call.is_constant() && std::ranges::all_of(layout.offset(), constant_entry) &&
         std::ranges::all_of(layout.shard(), [](const Iter& iter) { return is_constant(iter); });
}

Result<void> check_can_list(const Layout& layout, const SliceCall& call, Places places) {
  if (!is_constant(layout, call)) return undecided(call, "its symbolic points cannot be listed");
  Int points = 1;
  for (const Interval& interval : call.region) points *= interval.end - interval.begin;
  if (!known_at_most(points, kMaxPlaces)) {
    return undecided(
        call, fmt::format("its {} points are too many to list (at most {})", points, kMaxPlaces));
  }
  if (places == Places::kPlain) return {};
  const auto on_axis = [&](const Iter& iter) { return iter.axis == layout.swizzle()->axis; };
  if (std::ranges::none_of(layout.replica(), on_axis)) return {};
  return undecided(call, "the swizzle may permute the replicas of each point in another way");
}

/// The iters of the digits, slowest first, or an obstacle: a digit that has a stride on several
/// axes.
std::optional<SliceObstacle> to_iters(std::span<const form::Digit> digits, const Table& table,
                                      std::vector<Iter>& iters) {
  Int level = 1;
  for (const form::Digit& digit : digits) {
    std::optional<Iter> iter = iter_of(digit, table.axes());
    if (!iter) {
      const Coordinate stride = table.coordinate(digit.stride);
      return SliceObstacle{
          level, std::nullopt,
          fmt::format("the stride there would be {}, on {} at once", stride,
                      counted(std::ranges::distance(stride.begin(), stride.end()), "axis"))};
    }
    iters.push_back(*std::move(iter));
    level *= digit.extent;
  }
  std::ranges::reverse(iters);
  return std::nullopt;
}

}  // namespace

Result<Layout> slice_by_table(const Layout& canonical, const SliceCall& call, Places places) {
  HEDDLE_CHECK(check_can_list(canonical, call, places));
  Table table(canonical, call, places);
  const std::int64_t points = table.count().value();
  const std::size_t axes = table.axes().size();
  const form::Sampler sample = [&table](std::int64_t point) { return table(point); };
  const Result<std::vector<form::Digit>> digits = form::recover(points, axes, sample);
  const std::optional<form::Obstacle> at =
      digits ? std::nullopt : form::find_obstacle(points, axes, sample);
  if (table.has_overflown()) return refuse("overflow", call.text() + " needs more than 64 bits");
  const auto no_slice_at = [&](const SliceObstacle& obstacle) {
    return no_slice(canonical, call, table.index(obstacle.place.value()), obstacle);
  };
  if (!digits) {
    if (!at) return refuse(digits.error());
    std::vector<Int> excess;
    for (std::size_t i = 0; i < axes; ++i) excess.push_back(Int(at->found[i]) - at->wanted[i]);
    return no_slice_at({at->point, table.coordinate(excess), "the step changes, and " + at->why});
  }
  std::vector<Iter> iters;
  if (const auto obstacle = to_iters(*digits, table, iters)) return no_slice_at(*obstacle);
  HEDDLE_TRY(
      const Layout result,
      Layout::make(std::move(iters), {canonical.replica().begin(), canonical.replica().end()},
                   table.corner(), places == Places::kPlain ? canonical.swizzle() : std::nullopt));
  return canonicalize(result);
}

}  // namespace heddle::axe
