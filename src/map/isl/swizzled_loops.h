#pragma once

// Loops through memory over the points of a swizzled layout.

#include <optional>
#include <vector>

#include "heddle/map/any_layout.h"
#include "heddle/map/loop_nest.h"

namespace heddle::map {

/// Loops over the places in their order. A swizzle that is its own inverse changes places only
/// within blocks of a power of two, so that a point is found from the digits of the place that is
/// swizzled again. nullopt if the digits do not show the blocks or the order.
[[nodiscard]] std::optional<std::vector<LoopNode>> loops_over_swizzled_places(const View& view);

}  // namespace heddle::map
