#pragma once

// Boxes of a tensor, with sizes that are known: the parts that devices hold and send.
//
//   [0,4) x [2,8)                      24 elements
//   its intersection with [2,6) x [0,4)   [2,4) x [2,4)
//   what that leaves of it             [0,2) x [2,8) and [2,4) x [4,8)

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/axe/slice.h"

#pragma GCC visibility push(default)
namespace heddle::distribute {

/// The half-open interval [begin, end) of one dimension.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 1;

  friend auto operator<=>(const Extent&, const Extent&) = default;
};

/// One interval for each dimension; that of a tensor without dimensions has one element.
using Box = std::vector<Extent>;

/// The number of elements; 0 if an interval is empty.
[[nodiscard]] std::int64_t volume(const Box& box);
/// The lengths of the intervals.
[[nodiscard]] std::vector<std::int64_t> extents_of(const Box& box);
/// What both boxes, of one rank, have; nullopt for nothing.
[[nodiscard]] std::optional<Box> intersection(const Box& a, const Box& b);
/// Whether there is such an element.
[[nodiscard]] bool meet(const Box& a, const Box& b);
/// Whether every element of `inner` is in `outer`.
[[nodiscard]] bool contains(const Box& outer, const Box& inner);
/// What `a` has and `b` has not, as boxes without a common element. Cost: at most two boxes for
/// each dimension.
[[nodiscard]] std::vector<Box> difference(const Box& a, const Box& b);
/// What remains of all `boxes` without all of `others`; the boxes must not meet one another.
[[nodiscard]] std::vector<Box> difference(std::vector<Box> boxes, std::span<const Box> others);

/// The same elements as fewer boxes where some touch, in ascending order; the boxes must not meet
/// one another.
[[nodiscard]] std::vector<Box> merged(std::vector<Box> boxes);

/// The box as a region of axe::slice().
[[nodiscard]] std::vector<axe::Interval> region(const Box& box);

/// `[0,4) x [2,8)`; `the element` without dimensions.
[[nodiscard]] std::string to_string(const Box& box);

}  // namespace heddle::distribute
#pragma GCC visibility pop
