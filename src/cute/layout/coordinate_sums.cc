#include "cute/layout/coordinate_sums.h"

#include <algorithm>
#include <vector>

#include "expr/format.h"

namespace heddle::cute {

bool is_zero(const IntTuple& coordinate) {
  return std::ranges::all_of(coordinate.leaves(), [](const Int& n) { return known_equal(n, 0); });
}

Result<IntTuple> moved(const IntTuple& coordinate, const IntTuple& offset) {
  if (is_zero(offset)) return coordinate;
  if (is_zero(coordinate)) return offset;
  if (coordinate.is_leaf() && offset.is_leaf()) {
    HEDDLE_TRY(Int sum, check_defined(coordinate.leaf() + offset.leaf(),
                                      [&] { return fmt::format("{} + {}", coordinate, offset); }));
    return IntTuple(std::move(sum));
  }
  if (coordinate.is_leaf() || offset.is_leaf()) {
    return refuse("coordinate.incongruent", "the offset {} cannot be added to the coordinate {}",
                  offset, coordinate);
  }
  const std::size_t rank = std::max(coordinate.rank(), offset.rank());
  std::vector<IntTuple> modes;
  for (std::size_t i = 0; i < rank; ++i) {
    const bool in_both = i < coordinate.rank() && i < offset.rank();
    if (!in_both) {
      modes.push_back(i < coordinate.rank() ? coordinate.mode(i) : offset.mode(i));
      continue;
    }
    HEDDLE_TRY(IntTuple mode, moved(coordinate.mode(i), offset.mode(i)));
    modes.push_back(std::move(mode));
  }
  return IntTuple::of(modes);
}

IntTuple filled(const IntTuple& coordinate, const Profile& profile) {
  const ProfileView view = profile.view();
  if (coordinate.is_leaf() || view.is_leaf()) return coordinate;
  std::vector<IntTuple> modes;
  for (const ProfileView mode : view.modes()) {
    const std::size_t i = modes.size();
    modes.push_back(i < coordinate.rank() ? filled(coordinate.mode(i), Profile(mode))
                                          : IntTuple(0));
  }
  for (std::size_t i = modes.size(); i < coordinate.rank(); ++i)
    modes.push_back(coordinate.mode(i));
  return IntTuple::of(modes);
}

}  // namespace heddle::cute
