#include "cute/layout/picked_modes.h"

#include "cute/layout/format.h"

namespace heddle::cute {

Result<Selection> select_parts(const Coordinate& coordinate, ProfileView tuple, Keep keep) {
  std::vector<ProfileView> parts;
  std::vector<std::size_t> leaves;
  std::size_t next_leaf = 0;
  const auto pick = [&](const Index& index, ProfileView part) {
    const bool is_picked = index.is_underscore() == (keep == Keep::kUnderscores);
    if (is_picked) parts.push_back(part);
    for (const std::size_t end = next_leaf + part.leaf_count(); next_leaf < end; ++next_leaf) {
      if (is_picked) leaves.push_back(next_leaf);
    }
    return true;
  };
  if (!visit_parts(coordinate, tuple, pick)) {
    return refuse("coordinate.incongruent",
                  "the coordinate {} has another nesting than the {} modes it is to pick from",
                  coordinate, tuple.rank());
  }
  Selection selection{Profile::incomplete(), std::move(leaves)};
  if (!coordinate.is_leaf() || parts.empty()) selection.profile.append_tuple(parts.size());
  for (const ProfileView part : parts) selection.profile.append(part);
  return selection;
}

}  // namespace heddle::cute
