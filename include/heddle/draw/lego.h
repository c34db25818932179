#pragma once

// The picture of a LEGO layout: the logical view, each cell with the position of its point.
//
//   TileBy([2,2],[2,2]).OrderBy(Col(4,4))         0  4 |  8 12
//                                                 1  5 |  9 13
//                                                 -----+------
//                                                 2  6 | 10 14
//                                                 3  7 | 11 15
//
// Tiles of two dimensions each nest: rows and columns have one digit for each level. In any other
// view the last two dimensions make the grid, and further ones a panel for each of their
// coordinates. What an ExpandBy leaves out is hatched.

#include "heddle/draw/picture.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// Refuses what picture() of a layout refuses: `draw.too_large`, `draw.symbolic`, `draw.color`.
/// Cost: an evaluation for each cell that is shown.
[[nodiscard]] Result<Picture> picture(const lego::Layout& layout,
                                      const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
