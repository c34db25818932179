#pragma once

// Permutations of [0, N) that are layouts, and tables of numbers that may be one.
//
// A layout is a permutation when its modes, sorted by stride, have strides without gap or overlap:
// 1, then the running products of the extents. So every such layout is a way to write N as a
// product of extents in the order of their strides, and an order of its modes; it is coalesced when
// no mode directly follows the one below it.
//
//   12 = 3 * 4          strides 1, 3; of the orders of two modes one does not coalesce: (4,3):(3,1)
//   12 = 2 * 3 * 2      strides 1, 2, 6; three orders: (2,3,2):(6,2,1)  (3,2,2):(2,1,6)
//                                                      (2,2,3):(1,6,2)
//
// This gives their number: with H(N,k) the number of ways to write N as an ordered product of k
// factors above 1, and c(k) the number of orders of 1…k in which no i + 1 directly follows i,
//
//   count(N) = sum over k of H(N,k) * c(k)
//   c(k) = (k-1) * c(k-1) + (k-2) * c(k-2),  c(0) = c(1) = 1:    1 1 1 3 11 53 309 …
//
// For N = p^k it is k!: the permutations of k digits. All of them have inverses that are layouts;
// their compositions are layouts only where the factorizations match, and they form a group for
// prime powers (seed 004, remark 3.16; see cute/factorization.h).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// Does the layout have each of 0, 1, …, size - 1 as an index exactly once? A no names an index
/// that is missed, or two coordinates with the same index. Composed layouts are tried at every
/// coordinate; past 2^20 of them the answer is unknown. Cost for plain layouts: that of sorting the
/// modes.
[[nodiscard]] Verdict is_permutation(const Layout& layout);
[[nodiscard]] Verdict is_permutation(const ComposedLayout& layout);
/// Does the table hold each of 0, 1, …, size - 1 exactly once?
[[nodiscard]] Verdict is_permutation(std::span<const std::int64_t> table);

/// The shortest layout whose indices in flat order are the table: flat and coalesced. Refuses
/// `recover.no_layout` with the first entry that no layout can continue with, `recover.too_large`
/// past 2^20 entries, and `tuple.empty`.
[[nodiscard]] Result<Layout> layout_of_table(std::span<const std::int64_t> table);

/// How many permutations of [0, n) are layouts, each function counted once. Refuses
/// `layout.extent` for n below 1, `factorization.symbolic` where the primes of n are not known,
/// and `overflow`.
[[nodiscard]] Result<Int> permutation_layout_count(const Int& n);

/// Calls `visit` with the coalesced layout of each permutation of [0, n) that is a layout, until it
/// returns false: fewer modes first, beginning with the identity n:1. Refuses what
/// permutation_layout_count() refuses, except `overflow`. Cost: for each layout, that of the
/// divisors of n and the modes.
[[nodiscard]] Result<void> for_each_permutation_layout(
    const Int& n, const std::function<bool(const Layout&)>& visit);

/// The first `limit` layouts that for_each_permutation_layout() visits.
[[nodiscard]] Result<std::vector<Layout>> permutation_layouts(const Int& n, std::size_t limit);

}  // namespace heddle::cute
#pragma GCC visibility pop
