#include "cute/algebra/tiling.h"

#include "core/text.h"
#include "cute/layout/format.h"

namespace heddle::cute {
namespace {

/// Leaves out the tuple around the modes of a mode of several.
void unpack(ProfileView mode, Profile& profile, std::size_t& rank) {
  rank += mode.rank();
  if (mode.rank() == 1) return profile.append(mode);
  for (const ProfileView part : mode.modes()) profile.append(part);
}

/// The same leaves in another nesting.
Result<Layout> nested(const Layout& layout, std::size_t rank, const Profile& modes) {
  Profile profile = Profile::incomplete();
  profile.append_tuple(rank);
  profile.append(modes);
  return Layout::make(std::move(profile), {layout.extents().begin(), layout.extents().end()},
                      {layout.strides().begin(), layout.strides().end()});
}

}  // namespace

Result<Layout> by_mode(
    std::string_view name, const Layout& layout, const Tiler& tiler,
    const std::function<Result<Layout>(const Layout&, const Layout&)>& operation) {
  if (tiler.is_leaf()) {
    const Tile& tile = tiler.leaf();
    if (tile.is_underscore()) return layout;
    if (const Layout* tile_layout = tile.layout()) return operation(layout, *tile_layout);
    HEDDLE_TRY(const Layout first, make_layout(IntTuple(*tile.size())));
    return operation(layout, first);
  }
  if (tiler.rank() > layout.rank()) {
    return refuse("tiler.rank", "{}: the tiler {} has {} for the {} modes of {}", name,
                  to_string(tiler), counted(tiler.rank(), "tile"), layout.rank(), layout);
  }
  std::vector<Layout> modes = layout.modes();
  std::size_t index = 0;
  for (const TilerView tile : tiler.modes()) {
    HEDDLE_TRY(modes[index], with_note(by_mode(name, modes[index], Tiler(tile), operation),
                                       [&] { return fmt::format("in mode {}", index); }));
    ++index;
  }
  return make_layout(modes);
}

Result<Layout> unpack_rest(const Layout& zipped) {
  auto mode = zipped.profile().view().modes().begin();
  Profile modes = Profile::incomplete();
  modes.append(*mode);
  std::size_t rank = 1;
  unpack(*++mode, modes, rank);
  return nested(zipped, rank, modes);
}

Result<Layout> unpack_both(const Layout& zipped) {
  auto mode = zipped.profile().view().modes().begin();
  Profile modes = Profile::incomplete();
  std::size_t rank = 0;
  unpack(*mode, modes, rank);
  unpack(*++mode, modes, rank);
  return nested(zipped, rank, modes);
}

}  // namespace heddle::cute
