#pragma once

// The values that two iters have in common: how code generation finds the largest piece of work
// that two placements agree on (seed 002, section 3.4, K intersection).
//
//   (128, 1@P) and (64, 2@P)    ->  (64, 2@P)
//   (4, 2@P) and (3, 3@P)       ->  (2, 6@P)       {0,2,4,6} and {0,3,6}
//   (4, 2@P) and (4, -2@P)      ->  (1, 1@P)       only 0

#include "heddle/axe/layout.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The iter whose values are exactly those of both. There always is one, since both begin at 0: the
/// multiples of the strides' least common multiple up to the nearer end; and the unit iter on the
/// first one's axis if that is 0 alone, as it is for iters of different axes, strides of 0 and
/// strides of opposite sign. Refuses `axe.extent`, `assume.needed` if the sign or the common
/// multiple of symbolic strides is not known.
[[nodiscard]] Result<Iter> iter_intersect(const Iter& a, const Iter& b);

}  // namespace heddle::axe
#pragma GCC visibility pop
