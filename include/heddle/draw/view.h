#pragma once

// The picture of a layout of any system as a function on its box, each cell with the images of its
// point. Relations and tables are drawn in this way, and two layouts are compared.
//
//   { [i,j] -> [8i+j] : 0 <= j <= i < 4 }        0
//                                                8  9
//                                               16 17 18        cells outside the domain are
//                                               24 25 26 27     hatched

#include "heddle/draw/picture.h"
#include "heddle/lego/layout.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/integer_relation.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// A point of several axes shows one number for each axis, `3,1`; one with several images all of
/// them, `0|4`. Colours are those of the first image if it is one number. Refuses `draw.too_large`,
/// `draw.symbolic`, `draw.color`, and as evaluating the view does. Cost: an evaluation for each
/// cell that is shown.
[[nodiscard]] Result<Picture> picture(const map::View& view, const PictureOptions& options = {});

/// The picture of a relation with any bounded domain, on the least box that holds it. Also refuses
/// `relation.unbounded`, `relation.empty`, `relation.parameters`.
[[nodiscard]] Result<Picture> picture(const map::IntegerRelation& relation,
                                      const PictureOptions& options = {});

/// The logical view of a LEGO layout, each cell with the position of its point. Tiles of two
/// dimensions each nest: rows and columns have one digit for each level.
///
///   TileBy([2,2],[2,2]).OrderBy(Col(4,4))         0  4 |  8 12
///                                                 1  5 |  9 13
///                                                 -----+------
///                                                 2  6 | 10 14
///                                                 3  7 | 11 15
///
/// In any other view the last two dimensions are the grid, and further ones have a panel for each
/// of their coordinates. Points that an ExpandBy leaves out are hatched. Refuses as picture().
[[nodiscard]] Result<Picture> picture(const lego::Layout& layout,
                                      const PictureOptions& options = {});

/// The opposite direction, place by place: each place in the box of all images, from the least to
/// the greatest on each axis, with the points that are mapped to it.
///
///   (2,3):(4,1)          0      1      2      3      4      5      6
///                    (0,0)  (0,1)  (0,2)      ·  (1,0)  (1,1)  (1,2)
///
/// One axis is a memory, drawn in lines of 32 words (or of a round of the banks, if the options ask
/// for banks); of several, the last two are rows and columns. Places of no point are hatched and
/// counted, those of several points are counted too. Colours are those of a coordinate of the first
/// point, `c0` unless the options name another. Refuses as picture(), and `draw.too_large` for a
/// layout of more than kMaxCells points. Cost: n log n in the points.
[[nodiscard]] Result<Picture> memory_picture(const map::View& view,
                                             const PictureOptions& options = {});
[[nodiscard]] Result<Picture> memory_picture(const map::IntegerRelation& relation,
                                             const PictureOptions& options = {});

/// Two layouts on one box, with marks on the cells in which they differ: `3 / 5`. Refuses
/// `view.shape` if the boxes differ, and as picture().
[[nodiscard]] Result<Picture> difference_picture(const map::View& a, const map::View& b,
                                                 const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
