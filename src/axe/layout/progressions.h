#pragma once

// Sets of numbers as sums of progressions: the question which replica list has these points.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/axe/layout.h"

namespace heddle::axe {

/// What the search found: iters with these points, or that there are none, or neither.
struct Progressions {
  bool is_complete = true;
  std::optional<std::vector<Iter>> iters;
};

/// Iters on the axis, with positive strides, whose sums are exactly these numbers (sorted, each
/// once, the first one 0). Exhaustive as long as the sets built on the way have fewer than 2^22
/// numbers together.
[[nodiscard]] Progressions progressions(std::span<const std::int64_t> points, const Axis& axis);

}  // namespace heddle::axe
