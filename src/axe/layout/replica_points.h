#pragma once

// The points of a replica list on one axis, as a set of numbers.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/axe/layout.h"

namespace heddle::axe {

/// All sums of one multiple of each iter's stride, sorted, each once. Nothing where an extent or a
/// stride is symbolic, or there are more than kMaxPlaces points. The axes of the iters are not
/// looked at.
[[nodiscard]] std::optional<std::vector<std::int64_t>> points(std::span<const Iter> iters);

/// The iters on that axis.
[[nodiscard]] std::vector<Iter> on_axis(std::span<const Iter> iters, const Axis& axis);

}  // namespace heddle::axe
