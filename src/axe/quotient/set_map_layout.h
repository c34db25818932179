#pragma once

// The layout of a map that is given as a table.

#include <optional>
#include <span>
#include <string>

#include "axe/quotient/set_map.h"

namespace heddle::axe {

struct Recovery {
  /// A layout with the map.
  std::optional<Layout> layout = {};
  /// Where there is none: that there can be none, with any swizzle; otherwise the search took too
  /// many steps.
  bool is_proof = true;
};

/// The layout without a swizzle that has the map, otherwise one with a swizzle, which groups by the
/// shape (any shape where that is empty). Every swizzle that could be is tried.
[[nodiscard]] Recovery recover(const SetMap& map, std::span<const Int> shape);

/// The first index at which no layout without a swizzle can go on.
struct PlainObstacle {
  std::int64_t index = 0;
  std::string found;
  std::string wanted;
};
[[nodiscard]] std::optional<PlainObstacle> plain_obstacle(const SetMap& map);

}  // namespace heddle::axe
