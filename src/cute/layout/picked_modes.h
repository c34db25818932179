#pragma once

// Which modes of a tuple a coordinate picks: those at its underscores (slice) or at its indices
// (dice). The picked modes become modes of one flat level in the result, however deeply they were
// nested, as in CuTe.

#include <cstddef>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/coordinate.h"

namespace heddle::cute {

/// Calls `visit(index, part)` for each leaf of the coordinate and the corresponding part of the
/// tuple, until it returns false. Also returns false if the coordinate does not fit the tuple.
template <class Visit>
bool visit_parts(CoordinateView coordinate, ProfileView tuple, Visit&& visit) {
  if (coordinate.is_leaf()) return visit(coordinate.leaf(), tuple);
  if (tuple.is_leaf() || tuple.rank() != coordinate.rank()) return false;
  auto part = tuple.modes().begin();
  for (const CoordinateView mode : coordinate.modes()) {
    if (!visit_parts(mode, *part, visit)) return false;
    ++part;
  }
  return true;
}

enum class Keep { kUnderscores, kIndices };

struct Selection {
  Profile profile = Profile::incomplete();
  /// Numbers of the picked leaves.
  InlineVector<std::size_t, kInlineLeaves> leaves;

  template <class Leaf>
  [[nodiscard]] InlineVector<Leaf, kInlineLeaves> leaves_of(std::span<const Leaf> all) const {
    InlineVector<Leaf, kInlineLeaves> picked;
    for (const std::size_t leaf : leaves) picked.push_back(all[leaf]);
    return picked;
  }
};

/// The parts of the tuple at the `_` or at the indices; if there are none, a tuple without modes.
/// Refuses `coordinate.incongruent`.
[[nodiscard]] Result<Selection> select_parts(const Coordinate& coordinate, ProfileView tuple,
                                             Keep keep);

}  // namespace heddle::cute
