#pragma once

// composition(A, B) is the layout R of A after B:  R(c) = A(B(c))  for every coordinate c of B.
//
//   composition((6,2):(8,2), (4,3):(3,1))      ((2,2),3):((24,2),8)
//   composition((8,8):(8,1), 6:3)              (3,2):(24,9)
//   composition((4,6):(1,5), 6:1)              refused: coordinate 4 maps to 5, where a mode
//                                              6:1 would need 4
//
// B's modes are kept: every leaf of B becomes one mode of R of the same size, so that each
// coordinate of B is a coordinate of R. A runs on past its end in its last mode as written (seed
// 004's extension).
//
// The answer is exact. Each leaf N:r of B is taken through A by division (seed 004,
// definition 2.13); where a division leaves a remainder, the function decides: form/recover.h finds
// the leaf's layout if there is one. Then the leaves are joined, which is right when no digit
// of A carries between them (definition 2.17), or when every coordinate of B confirms it.

#include <cstddef>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// R with compatible(shape(B), shape(R)) and R(c) = A(B(c)) for every c; the text is CuTe's where
/// CuTe is right. B may have strides along the modes of A (1@0, 8@1@0), A strides in several axes.
///
/// Refuses: `composition.no_layout` (no layout has this function with B's modes kept; with a
/// coordinate that shows it, the first one), `composition.negative_coordinate` (B reaches
/// coordinates below 0), `composition.basis` (a stride of B names a mode A does not have),
/// `composition.two_axes` (a stride of R would be on two axes at once), `composition.undecided`
/// (more than 2^20 elements and digits that may carry), `overflow`. Cost: linear in
/// leaves(A)*leaves(B) where division settles it.
///
/// The operands are in CuTe's order, the outer one first: composition(a, b) is a after b.
/// linear::compose(layout, outer) has Triton's order, the outer one last.
[[nodiscard]] Result<Layout> composition(const Layout& a, const Layout& b);

/// The composition mode by mode: each mode of A with its tile; modes beyond the tiler are dropped,
/// `_` keeps a mode, a size n takes the first n elements. Refuses `tiler.rank` for more tiles than
/// modes.
[[nodiscard]] Result<Layout> composition(const Layout& a, const Tiler& tiler);

/// The coordinates of B that leave the domain of A: those c with B(c) outside [0, size(A)), in flat
/// order, at most `limit` of them. If the strides of B run along modes of A, those outside a mode.
/// Refuses `domain_overflow.too_large` past 2^24 leaf coordinates of B if some leave the domain,
/// and `composition.basis`.
[[nodiscard]] Result<std::vector<IntTuple>> domain_overflow(const Layout& a, const Layout& b,
                                                            std::size_t limit = 256);

}  // namespace heddle::cute
#pragma GCC visibility pop
