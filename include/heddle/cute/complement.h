#pragma once

// The complement of A in M is where copies of A can be put: A and its complement meet only at 0.
//
//   complement((4,2):(1,16), 32)          4:4: A covers 0-3 and 16-19, steps of 4 fill the rest
//   complement((2,2):(1,5), 20)           refused: 5 is no multiple of 2, CuTe's (2,2):(2,10)
//                                         leaves holes
//   complement_fill((2,2):(1,5), 20)      (2,3):(2,9): what can be filled (seed 000, section 3.5)
//
// Contract of R = complement(A, M):
//
//   f_A(x) != f_R(y) for all x, y != 0
//   f_R is strictly increasing
//   size(R) >= floor(M / size(filter(A)))
//
// The result R is CuTe's wherever that keeps the contract; otherwise the complement is refused.

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The complement of `layout` in [0, cotarget); a target that is a shape is covered mode by mode,
/// rounding up. Refuses `complement.not_injective`, `complement.holes`,
/// `complement.negative_stride`, `complement.two_axes`, `complement.target` (below 1), `overflow`.
/// Seed 004, definition 2.6 and remark 2.9.
[[nodiscard]] Result<Layout> complement(const Layout& layout, const IntTuple& cotarget);
/// The complement of `layout` in its own cosize.
[[nodiscard]] Result<Layout> complement(const Layout& layout);

/// Fills the gaps of `layout` in [0, target) from the first gap on, each with copies of everything
/// placed so far (seed 000, section 3.5, as corrected). It may leave holes where complement()
/// refuses, but keeps the other two clauses of the contract. Refuses `complement.not_injective`,
/// `complement.negative_stride`, `complement.two_axes`, `complement.target` and
/// `complement_fill.too_large` (uneven gaps in more than 2^22 numbers).
[[nodiscard]] Result<Layout> complement_fill(const Layout& layout, const Int& target);

/// Is (A, complement(A, M)) a bijection onto [0, M)? In sorted order, every stride must be a
/// multiple of extent times stride of the mode before it, and M a multiple of that of the last. The
/// verdict names the failing pair. Seed 004, definition 2.5 and proposition 2.7.
[[nodiscard]] Result<Verdict> admissible_for_complementation(const Layout& layout,
                                                             const Int& target);

}  // namespace heddle::cute
#pragma GCC visibility pop
