#include "cute/layout/picked_modes.h"

#include "cute/layout/format.h"

namespace heddle::cute {

Result<Selection> select_parts(const Coordinate& coordinate, ProfileView tuple, Keep keep) {
  Profile parts = Profile::incomplete();
  std::size_t rank = 0;
  Selection selection;
  std::size_t next_leaf = 0;
  const auto pick = [&](const Index& index, ProfileView part) {
    const bool is_picked = index.is_underscore() == (keep == Keep::kUnderscores);
    if (is_picked) parts.append(part);
    rank += is_picked ? 1 : 0;
    for (const std::size_t end = next_leaf + part.leaf_count(); next_leaf < end; ++next_leaf) {
      if (is_picked) selection.leaves.push_back(next_leaf);
    }
    return true;
  };
  if (!visit_parts(coordinate, tuple, pick)) {
    return refuse("coordinate.incongruent",
                  "the coordinate {} has another nesting than the {} modes it is to pick from",
                  coordinate, tuple.rank());
  }
  if (!coordinate.is_leaf() || rank == 0) selection.profile.append_tuple(rank);
  selection.profile.append(parts);
  return selection;
}

}  // namespace heddle::cute
