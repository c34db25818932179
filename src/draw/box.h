#pragma once

// The picture of a function on a box whose points are named by plain indices: which dimensions make
// rows, columns and panels, and a cell for each point.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heddle/draw/picture.h"

namespace heddle::draw {

/// Which dimensions of a box run along which side, outermost first, and which make panels.
struct BoxSides {
  std::vector<std::size_t> rows;
  std::vector<std::size_t> columns;
  std::vector<std::size_t> panels;
};

/// The last dimension makes the columns, the one before it the rows, the others panels.
[[nodiscard]] BoxSides plain_sides(std::size_t rank);

struct BoxPicture {
  std::string title;
  std::vector<Int> sizes;
  BoxSides sides;
  /// The first index of each dimension; empty for 0.
  std::vector<std::int64_t> begins = {};
  /// The cell of a point; its facts are those of `fact_names`, if the options ask for facts.
  std::function<Result<Cell>(std::span<const Int> point)> cell;
  std::vector<std::string> fact_names = {};
};

/// Refuses `draw.too_large`, `draw.symbolic`, and what making a cell does.
[[nodiscard]] Result<Picture> make_picture(const BoxPicture& box, const PictureOptions& options);

/// What a position looks like: its number, coloured as the options say; hatched below 0.
[[nodiscard]] Cell position_cell(std::int64_t position, const PictureOptions& options);
/// Refuses `draw.color` for what the options say of colours.
[[nodiscard]] Result<void> check_position_colors(const PictureOptions& options);

}  // namespace heddle::draw
