#pragma once

// Which modes of a tuple a coordinate picks: those at its underscores (slice) or at its indices
// (dice). The picked modes stand side by side in the result, however deep they lay, as in CuTe.

#include <cstddef>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/coordinate.h"

namespace heddle::cute {

enum class Keep { kUnderscores, kIndices };

struct Selection {
  Profile profile = Profile::incomplete();
  /// Numbers of the picked leaves.
  std::vector<std::size_t> leaves;

  template <class Leaf>
  [[nodiscard]] InlineVector<Leaf, kInlineLeaves> leaves_of(std::span<const Leaf> all) const {
    InlineVector<Leaf, kInlineLeaves> picked;
    for (const std::size_t leaf : leaves) picked.push_back(all[leaf]);
    return picked;
  }
};

/// Refuses `coordinate.incongruent` and, where nothing is picked, `slice.empty`.
[[nodiscard]] Result<Selection> select_parts(const Coordinate& coordinate, ProfileView tuple,
                                             Keep keep);

}  // namespace heddle::cute
