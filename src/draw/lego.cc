#include "heddle/draw/lego.h"

#include <algorithm>
#include <utility>

#include "draw/box.h"

namespace heddle::draw {
namespace {

/// Tiles of two dimensions each nest along both sides.
BoxSides sides_of(const lego::Layout& layout) {
  const std::size_t rank = layout.dims().size();
  const bool nests =
      std::ranges::all_of(layout.tiles(), [](const lego::Sizes& tile) { return tile.size() == 2; });
  if (!nests) return plain_sides(rank);
  BoxSides sides;
  for (std::size_t i = 0; i < rank; ++i) (i % 2 == 1 ? sides.columns : sides.rows).push_back(i);
  return sides;
}

}  // namespace

Result<Picture> picture(const lego::Layout& layout, const PictureOptions& options) {
  HEDDLE_CHECK(check_position_colors(options));
  const auto cell = [&](std::span<const Int> point) -> Result<Cell> {
    HEDDLE_TRY(const Int position, layout.apply(point));
    Cell made = position_cell(position.value(), options);
    if (options.facts) made.facts = {lego::to_string(point), made.text};
    return made;
  };
  return make_picture(
      {to_string(layout), layout.dims(), sides_of(layout), {}, cell, {"coordinate", "position"}},
      options);
}

}  // namespace heddle::draw
