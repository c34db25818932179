#pragma once

// The picture of a layout of any system as a function on its box, each cell with the images of its
// point: what relations and tables look like, and what two layouts are compared by.
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

/// A point of several axes shows one number an axis, `3,1`; one with several images all of them,
/// `0|4`. Colours go by the first image where it is one number. Refuses `draw.too_large`,
/// `draw.symbolic`, `draw.color`, and what evaluating the view does. Cost: an evaluation for each
/// cell that is shown.
[[nodiscard]] Result<Picture> picture(const map::View& view, const PictureOptions& options = {});

/// The same of a relation with any bounded domain: the least box that holds it is shown. Refuses
/// `relation.unbounded`, `relation.empty`, `relation.parameters` too.
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
/// In any other view the last two dimensions make the grid, and further ones a panel for each of
/// their coordinates. What an ExpandBy leaves out is hatched. Refuses as picture().
[[nodiscard]] Result<Picture> picture(const lego::Layout& layout,
                                      const PictureOptions& options = {});

/// Two layouts on one box, the cells in which they differ marked: `3 / 5`. Refuses `view.shape`
/// where the boxes differ, and as picture().
[[nodiscard]] Result<Picture> difference_picture(const map::View& a, const map::View& b,
                                                 const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
