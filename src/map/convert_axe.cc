// Writing a map as an Axe layout: digits slowest first, each on its axis.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "map/conversion.h"
#include "map/view_parts.h"

namespace heddle::map {
namespace {

Result<axe::Iter> iter_of(const Task& task, const form::Digit& digit) {
  // A digit that does not move stays on an axis of the map: it must not bring in another one.
  axe::Iter iter{digit.extent, 0, task.view.axes.empty() ? Axis::memory() : task.view.axes.front()};
  std::size_t moved = 0;
  for (std::size_t axis = 0; axis < digit.stride.size(); ++axis) {
    if (known_equal(digit.stride[axis], 0)) continue;
    iter.stride = digit.stride[axis];
    iter.axis = task.view.axes[axis];
    ++moved;
  }
  if (moved < 2) return iter;
  std::vector<std::string> parts;
  for (std::size_t axis = 0; axis < digit.stride.size(); ++axis) {
    parts.push_back(
        fmt::format("{}@{}", to_string(digit.stride[axis]), task.view.axes[axis].name()));
  }
  return refuse(no_layout(
      task, fmt::format("one step leads along {} axes at once, {}", moved, fmt::join(parts, "+"))));
}

Result<axe::Swizzle> swizzle_of(const Task& task, const SwizzleStep& step) {
  const auto source = static_cast<std::uint64_t>(step.source);
  const int low = std::countr_zero(source);
  const bool inner = step.shift > 0;
  return axe::Swizzle::make(inner ? low - step.shift : low, std::popcount(source),
                            inner ? step.shift : -step.shift, inner, task.view.axes[step.axis]);
}

}  // namespace

Result<AnyLayout> write_axe(const Task& task) {
  HEDDLE_TRY(const StridedView strided, digit_form(task));
  std::vector<axe::Iter> shard;
  for (const std::vector<form::Digit>& mode : strided.modes) {
    for (std::size_t i = mode.size(); i-- > 0;) {
      HEDDLE_TRY(axe::Iter iter, iter_of(task, mode[i]));
      shard.push_back(std::move(iter));
    }
  }
  std::vector<axe::Iter> replica;
  for (const form::Digit& digit : strided.copies) {
    HEDDLE_TRY(axe::Iter iter, iter_of(task, digit));
    replica.push_back(std::move(iter));
  }
  axe::Coordinate offset;
  for (std::size_t axis = 0; axis < strided.offset.size(); ++axis) {
    offset.add(task.view.axes[axis], strided.offset[axis]);
  }
  std::optional<axe::Swizzle> swizzle;
  if (strided.swizzle) {
    HEDDLE_TRY(swizzle, swizzle_of(task, *strided.swizzle));
  }
  HEDDLE_TRY(axe::Layout layout,
             axe::Layout::make(std::move(shard), std::move(replica), std::move(offset), swizzle));
  return layout;
}

}  // namespace heddle::map
