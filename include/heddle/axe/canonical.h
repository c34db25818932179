#pragma once

// Normal forms, and the equality that they decide.
//
//   S[(2,3,6):(18,6,1)]             (2,3) and 6 chain: 18 = 3*6, 6 = 6*1
//     ->  S[(36):(1@m)]
//   R[(2,2):(1@warpid,-2@warpid)]   -2 becomes 2 with the offset -2; 2 absorbed: {0,1,2,3} - 2
//     ->  R[(4):(1@warpid)] + -2@warpid
//
// The shard list in normal form is unique (theorem A.8). The replica list is unique only under the
// gap condition: {3:2, 2:3, 2:6} has two normal forms (errata on seed 002, appendix A). Without it
// the set of points decides equality.

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/core/verdict.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The shortest layout with the same map that the rules of appendix A reach: D0 (no unit iters) and
/// D1 (no two neighbours that one iter could replace) on the shard, with strides of 0 moved to axis
/// m, because their axis means nothing; C0, C1 (no negative strides) and C2 (multiples absorbed) on
/// the replica, sorted by axis and falling stride. A swizzle that changes no bit is dropped.
/// Symbolic iters are merged if the condition is known to hold. Refuses `overflow`. Cost: linear in
/// the shard, quadratic in the replica.
[[nodiscard]] Result<Layout> canonicalize(const Layout& layout);

/// One step of canonicalisation: the rule (`D0`, `D1`, `C0`, `C1`, `C2`, `zero`, `swizzle`), a text
/// on what it did, and the layout after it.
struct CanonicalizationStep {
  std::string rule;
  std::string what;
  Layout layout;
};
/// The steps from the layout to its normal form, in the order taken.
[[nodiscard]] Result<std::vector<CanonicalizationStep>> canonicalization_steps(
    const Layout& layout);

/// Whether on each axis the replica strides of the normal form have gaps: each is greater than the
/// reach of the one before it, extent times stride. Then the normal form is unique (theorem A.2).
[[nodiscard]] bool satisfies_gap_condition(const Layout& canonical);

/// satisfies_gap_condition() of the layout's normal form, as a question: a no names the two
/// replicas with their numbers. Refuses as canonicalize(), and `assume.needed`.
[[nodiscard]] Result<Verdict> gap_condition(const Layout& layout);

/// Whether the two induce the same set-valued map, on flat indices. Decided by normal forms; if a
/// replica list does not satisfy the gap condition, by its set of points, up to kMaxPlaces of them;
/// different swizzles by evaluation up to kMaxPlaces places. Unknown beyond that, and if symbolic
/// sizes leave it open. A no names an index and its two sets of places.
[[nodiscard]] Verdict equal(const Layout& a, const Layout& b);

}  // namespace heddle::axe
#pragma GCC visibility pop
