#pragma once

// Permutations of [0, N) that are layouts, and tables of numbers that may be one.
//
// A layout is a permutation when its modes, sorted by stride, stack without gap or overlap: 1, then
// the extents multiplied up. So every such layout is a way to write N as a product of extents in
// the order of their strides, and an order for its modes to run in; it is coalesced when no mode
// runs right after the one below it.
//
//   12 = 3 * 4          strides 1, 3; of the orders of two modes one does not coalesce: (4,3):(3,1)
//   12 = 2 * 3 * 2      strides 1, 2, 6; three orders: (2,3,2):(6,2,1)  (3,2,2):(2,1,6)
//                                                      (2,2,3):(1,6,2)
//
// That gives their number: with H(N,k) the ways to write N as a product of k factors above 1, in
// order, and c(k) the orders of 1…k in which no i + 1 comes right after i,
//
//   count(N) = sum over k of H(N,k) * c(k)
//   c(k) = (k-1) * c(k-1) + (k-2) * c(k-2),  c(0) = c(1) = 1:    1 1 1 3 11 53 309 …
//
// For N = p^k it is k!: the permutations of k digits. All of them invert to layouts; they compose
// to layouts only where the factorizations meet, and are a group for prime powers (seed 004, remark
// 3.16; see cute/factorization.h).

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

/// Does the layout meet each of 0, 1, …, size - 1 exactly once? A no names an index that is missed,
/// or two coordinates that meet. Composed layouts are tried at every coordinate and unknown past
/// 2^20 of them. Cost for plain layouts: that of sorting the modes.
[[nodiscard]] Verdict is_permutation(const Layout& layout);
[[nodiscard]] Verdict is_permutation(const ComposedLayout& layout);
/// Does the table hold each of 0, 1, …, size - 1 exactly once?
[[nodiscard]] Verdict is_permutation(std::span<const std::int64_t> table);

/// The shortest layout whose indices in flat order are the table: flat and coalesced. Refuses
/// `recover.no_layout` with the first entry at which no layout can go on, `recover.too_large` past
/// 2^20 entries, and `tuple.empty`.
[[nodiscard]] Result<Layout> layout_of_table(std::span<const std::int64_t> table);

/// How many permutations of [0, n) are layouts, each function counted once. Refuses
/// `layout.extent` for n below 1, `factorization.symbolic` where the primes of n are not known,
/// and `overflow`.
[[nodiscard]] Result<Int> permutation_layout_count(const Int& n);

/// Calls `visit` with the coalesced layout of each permutation of [0, n) that is one, until it
/// returns false: fewer modes first, the identity n:1 being the first of all. Refuses what
/// permutation_layout_count() refuses, but for `overflow`. Cost: for each layout, that of the
/// divisors of n and the modes.
[[nodiscard]] Result<void> for_each_permutation_layout(
    const Int& n, const std::function<bool(const Layout&)>& visit);

/// The first `limit` of them.
[[nodiscard]] Result<std::vector<Layout>> permutation_layouts(const Int& n, std::size_t limit);

}  // namespace heddle::cute
#pragma GCC visibility pop
