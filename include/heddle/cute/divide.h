#pragma once

// A divide splits a layout into tiles: (the elements of one tile, the tiles).
//
//   L = (9,(4,8)):(59,(13,1)),  T = <3:3,(2,4):(1,8)>
//   logical_divide(L, T)     ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))
//   zipped_divide(L, T)      ((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))
//   tiled_divide(L, T)       ((3,(2,4)),3,(2,2)):…     flat_divide(L, T)   (3,(2,4),3,(2,2)):…
//
// logical_divide(A, B) = A o (B, complement(B, shape(A))) (seed 004, definition 2.22). A tile that
// does not divide a mode over-covers it, as in CuTe: the mode is rounded up to whole tiles, and the
// elements past its end are for predication. (3,4):(100,1) divided by 2:1 is
// (2,(2,4)):(100,(200,1)).

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// (tile, rest). Exactly composition(A', (tile, complement)) where A' is A with at most one mode
/// rounded up to whole tiles. Refuses what complement() and composition() refuse, with their
/// reasons, and `divide.uncovered` where whole tiles do not cover A.
[[nodiscard]] Result<Layout> logical_divide(const Layout& layout, const Layout& tile);
/// The divide mode by mode; `_` and modes beyond the tiler are kept, a size n means n:1. Refuses
/// `tiler.rank`.
[[nodiscard]] Result<Layout> logical_divide(const Layout& layout, const Tiler& tiler);
/// ((tiles…), (rests…)).
[[nodiscard]] Result<Layout> zipped_divide(const Layout& layout, const Tiler& tiler);
/// ((tiles…), rest, rest, …).
[[nodiscard]] Result<Layout> tiled_divide(const Layout& layout, const Tiler& tiler);
/// (tile, tile, …, rest, rest, …).
[[nodiscard]] Result<Layout> flat_divide(const Layout& layout, const Tiler& tiler);

/// A layout of up to `size` coordinates of a shape that each mode's gcd allows: its tile divides
/// the shape. domain_distribute((15,14), 6) = (3,2):(1,15).
[[nodiscard]] Result<Layout> domain_distribute(const IntTuple& shape, const Int& size);

}  // namespace heddle::cute
#pragma GCC visibility pop
