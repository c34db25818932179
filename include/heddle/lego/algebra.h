#pragma once

// Composition and inverse. A layout leads from its view, read row-major, to positions; where the
// positions of one are read as row-major indices of another's view, the two are one layout again:
//
//   A = GroupBy([4,8]).OrderBy(Col(4,8))
//   B = GroupBy([2,16]).OrderBy(Row(2,16))
//   composition(A, B)     GroupBy([2,16]).OrderBy(Row(2,16)).OrderBy(Col(4,8))     A after B
//   inverse(A)            GroupBy([8,4]).OrderBy(Col(8,4))
//
//   [1,0] of B's view is at 16, which is [2,0] of A's view: A(B([1,0])) = 2
//   [7,3] of inverse(A) is position 31 of A, where A has [3,7], number 31
//
// A chain GroupBy(…).OrderBy(P).OrderBy(Q) applies P first; so the links of B come first in the
// composition, and those of an inverse are the inverses in reverse.

#include "heddle/core/result.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

/// outer(inner(point)), on the view of `inner`. Of two bijections of one size it is the chain of
/// both, an ExpandBy of `outer` at its end; otherwise one GenP on the view as a single tile, with a
/// formula where evaluating it on variables gives one, else with its values.
///
/// Refuses `lego.composition` if some position of `inner` is no index of `outer`'s view, with the
/// point (`assume.needed` if the sizes leave it open, `composition.undecided` if the values of an
/// injective layout do); `lego.expand` for an ExpandBy inside, whose -1 has no index, and for one
/// outside of a composition that is no bijection; also as Layout::order_by() and GenP::make().
[[nodiscard]] Result<Layout> composition(const Layout& outer, const Layout& inner);

/// The layout that maps a position to the row-major number of its point: flatten(L.inv(p)). Its
/// view has the sizes of the last link as they are laid down, those of the original array for an
/// ExpandBy, of which it is no bijection. Refuses `lego.no_inverse` as Layout::inv().
[[nodiscard]] Result<Layout> inverse(const Layout& layout);

}  // namespace heddle::lego
#pragma GCC visibility pop
