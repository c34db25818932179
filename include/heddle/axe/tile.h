#pragma once

// Tiles and direct sums: two placements on the product of their domains, and the operations that
// recover one placement from the product.
//
//   S[(2,3):(3,1)] (x) S[(8,8):(8,1)]  =  S[(2,8,3,8):(192,8,64,1)]
//     a 2 x 3 grid of 8 x 8 tiles: f(x || y) = f_A(x) * span(B) + f_B(y), dimension by dimension
//   S[(2,2):(8,2)] + S[(2,2):(4,1)]  =  S[(16):(1)]
//     the direct sum: f(x || y) = f_A(x) + f_B(y), without the span
//
// Both work on the interleaved domain (S_A[0], S_B[0], S_A[1], S_B[1], …), A outer, B inner. (Seed
// 002, section 3.3, appendices C, D and F, with the errata.)

#include <span>
#include <vector>

#include "heddle/axe/layout.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

using Shape = std::vector<Int>;

/// (S_A[0] * S_B[0], …): the shape of a tile, without its inner structure.
[[nodiscard]] Shape product_shape(std::span<const Int> outer, std::span<const Int> inner);
/// (S_A[0], S_B[0], S_A[1], S_B[1], …).
[[nodiscard]] Shape interleaved(std::span<const Int> outer, std::span<const Int> inner);

/// A (x) B: a grid A of tiles B, A scaled by the axis-wise span of B; the list is the interleaved
/// iters, without unit iters. Refuses `axe.ranks`, `axe.not_admitted`, `axe.no_grouping`,
/// `assume.needed`, `overflow`. If a side is swizzled: its swizzle is applied to the product if A
/// steps by whole periods of it, or B fills an aligned 2^k places; otherwise the map is tabulated,
/// and `axe.swizzle_mixed` is a proof that no layout has it, with any swizzle; `axe.undecided` for
/// more than kMaxPlaces places. Cost: linear in the iters, up to kMaxPlaces places with swizzles.
/// Definition in section 3.3, construction in appendix C.3, scaling replica and offset too (errata
/// on F.3).
[[nodiscard]] Result<Layout> tile(const Layout& outer, std::span<const Int> outer_shape,
                                  const Layout& inner, std::span<const Int> inner_shape);

/// The C with T = C (x) B, in normal form. Complete: a refusal `axe.not_a_tile` is a proof that
/// there is none, swizzled or not, and names the block, the iter and the numbers, with a coordinate
/// of T. (If neither T nor B has a swizzle and there are more than kMaxPlaces places, the refusal
/// is about C without a swizzle only, and says so.) Also refuses as tile(),
/// `axe.shape_divisibility` if B's shape does not divide T's, and `axe.undecided` for replicas of
/// more than kMaxPlaces points whose lists do not decide, or if a swizzled layout has more than
/// kMaxPlaces places. Cost: linear in the iters; the points of the replicas if the lists do not
/// decide. Where T and B name the same threads by different axes (tx; warpid and laneid), T is read
/// on B's (on_thread_axes_of() in threads.h, whose refusals are added). Appendix D as corrected.
[[nodiscard]] Result<Layout> tile_of(const Layout& tiled, std::span<const Int> tiled_shape,
                                     const Layout& inner, std::span<const Int> inner_shape);

/// The B with T = A (x) B; its span is span(T) / span(A). Complete, refuses as tile_of().
[[nodiscard]] Result<Layout> tile_inner_of(const Layout& tiled, std::span<const Int> tiled_shape,
                                           const Layout& outer, std::span<const Int> outer_shape);

/// The layout repeated over `to_shape`: a row-major grid (on axis m) of copies of the layout with
/// shape `current_shape`. Refuses `axe.shape_divisibility` if the current shape does not divide the
/// other, and as tile().
[[nodiscard]] Result<Layout> tile_to(const Layout& layout, std::span<const Int> to_shape,
                                     std::span<const Int> current_shape);

/// A + B: f(x || y) = f_A(x) + f_B(y). Refuses as tile(). Appendix F.
[[nodiscard]] Result<Layout> direct_sum(const Layout& left, std::span<const Int> left_shape,
                                        const Layout& right, std::span<const Int> right_shape);

/// A * W: every stride of the shard and the replica, and the offset, multiplied by W on its axis;
/// an axis that W does not mention is kept, as the span is 1 on an axis that is not used. So
/// scale(A, span(B)) + B = A (x) B. A swizzle goes with its bits where W is a power of two on its
/// axis; otherwise the map is tabulated as for tile(). Refuses as tile(). Appendix F.3 with the
/// errata: replica and offset are scaled too.
[[nodiscard]] Result<Layout> scale(const Layout& layout, std::span<const Coordinate::Entry> widths);

/// An A with T = A + B, in normal form; replicas may allow several. Complete as tile_of() is, with
/// the refusal `axe.not_a_direct_sum`; `axe.undecided` also if T has swizzled replicas.
[[nodiscard]] Result<Layout> direct_sum_left_of(const Layout& sum, std::span<const Int> sum_shape,
                                                const Layout& right,
                                                std::span<const Int> right_shape);
/// A B with T = A + B; refuses as direct_sum_left_of().
[[nodiscard]] Result<Layout> direct_sum_right_of(const Layout& sum, std::span<const Int> sum_shape,
                                                 const Layout& left,
                                                 std::span<const Int> left_shape);

}  // namespace heddle::axe
#pragma GCC visibility pop
