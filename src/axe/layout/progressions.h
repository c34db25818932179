#pragma once

// Sets of numbers as sums of progressions: the question which replica list has these points.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/axe/layout.h"

namespace heddle::axe {

/// Sorted, each number once.
using Points = std::vector<std::int64_t>;

/// The points p with p, p + stride, …, extent of them, all in the set.
[[nodiscard]] Points eroded(const Points& set, std::int64_t extent, std::int64_t stride);
/// The set + {0, stride, …}, extent of them; doubling the copies.
[[nodiscard]] Points dilated(const Points& set, std::int64_t extent, std::int64_t stride);

/// What the search found: iters with these points, or that there are none, or neither.
struct Progressions {
  bool is_complete = true;
  std::optional<std::vector<Iter>> iters;
};

/// Iters on the axis, with positive strides, whose sums are exactly these numbers, the first one 0.
/// Exhaustive as long as the search looks at fewer than 2^25 elements of sets.
[[nodiscard]] Progressions progressions(const Points& points, const Axis& axis);
/// Iters whose sums U lie in `allowed` and have U + known = target; all three begin with 0.
[[nodiscard]] Progressions progressions(const Points& target, const Points& known,
                                        const Points& allowed, const Axis& axis);

}  // namespace heddle::axe
