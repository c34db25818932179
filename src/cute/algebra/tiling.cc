#include "cute/algebra/tiling.h"

#include "cute/layout/format.h"

namespace heddle::cute {
namespace {

void unpack(const Layout& mode, std::vector<Layout>& modes) {
  if (mode.rank() == 1) {
    modes.push_back(mode);
    return;
  }
  for (Layout& part : mode.modes()) modes.push_back(std::move(part));
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
    return refuse("tiler.rank", "{}: the tiler {} has {} tiles for the {} modes of {}", name,
                  to_string(tiler), tiler.rank(), layout.rank(), layout);
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
  std::vector<Layout> modes{zipped.mode(0)};
  unpack(zipped.mode(1), modes);
  return make_layout(modes);
}

Result<Layout> unpack_both(const Layout& zipped) {
  std::vector<Layout> modes;
  unpack(zipped.mode(0), modes);
  unpack(zipped.mode(1), modes);
  return make_layout(modes);
}

}  // namespace heddle::cute
