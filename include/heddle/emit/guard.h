#pragma once

// When coordinates are a point of a layout: the check of a kernel before it touches an element.
//
//   ExpandBy([100,70],[128,96],TileBy([8,3],[16,32]).OrderBy(Row(128,96)))   at (by, bx, ty, tx)
//
//   0 <= by < 8, 0 <= bx < 3, 0 <= ty < 16, 0 <= tx < 32      it is in the view
//   16*by+ty < 100, 32*bx+tx < 70                             and the ExpandBy keeps it

#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::emit {

/// Holds if the box conditions hold, and all conditions of one of the alternatives.
struct Guard {
  /// 0 <= coordinate < extent, two for each coordinate that has both ends.
  std::vector<Condition> box;
  /// Evaluated only at points of the box; empty if all of these are points.
  std::vector<std::vector<Condition>> alternatives;
};

/// The guard that `point` is one of the layout; one number is a flat coordinate in the layout's own
/// order. `inside` are the same coordinates, known to be in the box, for the alternatives. Refuses
/// `emit.coordinates` for another number of coordinates, and as reading the layout does. Cost: that
/// of evaluating the layout once; for a relation, of splitting it into pieces.
[[nodiscard]] Result<Guard> guard_of(const map::AnyLayout& layout, std::span<const Int> point,
                                     std::span<const Int> inside, const map::Limits& limits = {});

}  // namespace heddle::emit
#pragma GCC visibility pop
