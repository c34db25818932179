#pragma once

// A product repeats a block after the pattern of a tiler: (the block, its copies).
//
//   logical_product((2,5):(5,1), <3:5,4:6>)         ((2,3),(5,4)):((5,10),(1,30))
//   blocked_product((2,5):(5,1), (3,4):(1,3))       ((2,3),(5,4)):((5,10),(1,30))
//   raked_product((2,5):(5,1), (3,4):(1,3))         ((3,2),(4,5)):((10,5),(30,1))
//   tile_to_shape((8,64):(64,1), (128,64))          ((8,16),(64,1)):((64,512),(1,0))
//
// logical_product(A, B) = (A, complement(A, size(A)*cosize(B)) o B) (seed 004, definition 4.1). If
// A and B repeat no index, neither does the product. The copies need not fill the target, so a
// block whose copies leave holes is allowed here: its complement is CuTe's, which runs on past its
// end. A by-mode tiler repeats each mode by itself, and the modes may overlap.

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// (block, copies). Refuses what complement() and composition() refuse, with their reasons.
[[nodiscard]] Result<Layout> logical_product(const Layout& block, const Layout& tiler);
/// The product mode by mode; `_` and modes beyond the tiler keep the block's mode, a size n means
/// n:1.
[[nodiscard]] Result<Layout> logical_product(const Layout& block, const Tiler& tiler);
/// ((blocks…), (copies…)), ((blocks…), copies, copies, …), (block, block, …, copies, copies, …).
[[nodiscard]] Result<Layout> zipped_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] Result<Layout> tiled_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] Result<Layout> flat_product(const Layout& block, const Tiler& tiler);

/// Mode by mode (block, copies): blocks stay whole. The rank is the greater of the two ranks.
[[nodiscard]] Result<Layout> blocked_product(const Layout& block, const Layout& tiler);
/// Mode by mode (copies, block): blocks are interleaved.
[[nodiscard]] Result<Layout> raked_product(const Layout& block, const Layout& tiler);

/// Repeats the block until it fills `shape`, first mode first or in the given `order` of modes.
/// Refuses `tile_to_shape.divisibility` if the block does not divide the shape and
/// `tile_to_shape.order` if two modes have the same place in the order.
[[nodiscard]] Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape);
[[nodiscard]] Result<Layout> tile_to_shape(const Layout& block, const IntTuple& shape,
                                           const IntTuple& order);

}  // namespace heddle::cute
#pragma GCC visibility pop
