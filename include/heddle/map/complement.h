#pragma once

// Whether one CuTe layout is a complement of another.
//
//   is_complement((4,2):(1,16), 4:4, 32)         yes
//   is_complement((4,2):(1,16), 2:4, 32)         no: 2 of 4 copies
//   is_complement((2,2):(1,5), (2,2):(2,10), 20)  no: 4 of 5 copies
//   is_complement((4,2):(1,16), 8:2, 32)         no: coordinates 2 and 1 both have the index 2
//
// The contract of R = complement(A, M), which complement() keeps and which leaves R some freedom:
//
//   f_A(x) != f_R(y) for all x, y != 0, the images meet only in 0
//   f_R is strictly increasing
//   size(R) >= floor(M / size(filter(A)))

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/layout.h"
#include "heddle/map/decide_options.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// Does `rest` keep the contract of a complement of `layout` in [0, target)? A no names the clause
/// that fails, with a coordinate or the numbers of elements. Of a layout that is not injective the
/// copies in its image count once. Refuses what cute::is_increasing() and cute::filter() refuse,
/// `complement.target` for a target below 1, `assume.needed`. Cost: that of
/// disjoint_apart_from_zero().
[[nodiscard]] Result<Verdict> is_complement(const cute::Layout& layout, const cute::Layout& rest,
                                            const Int& target, const DecideOptions& options = {});

}  // namespace heddle::map
#pragma GCC visibility pop
