#pragma once

// Explanations of Axe layouts, step by step with numbers: the places of an index, normal forms,
// groupings, tiles and slices.
//
//   explain_places(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + 5@warpid, (8,16), (1,5))
//     index    (1,5) in (8,16), row-major: 1*16 + 5 = 21
//     digits   1, 0, 2, 1
//     steps    laneid 1*4 + 2*1 = 6, …
//     places   the offset added, once for each replica
//
// Each function calls the operation of its name and shows how it treats the operands; tiles, sums,
// quotients, spans and intersections write down their steps themselves. An operation that refuses
// is explained up to its refusal.

#include <span>

#include "heddle/axe/layout.h"
#include "heddle/axe/slice.h"
#include "heddle/core/explanation.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// Layouts of more iters are not explained iter by iter.
inline constexpr std::size_t kMaxExplainedIters = 64;

/// The four steps of the forward map (seed 002, section 2.3): the row-major index, its digits,
/// their steps along the axes, the offset and the replicas; then the swizzle bit by bit.
[[nodiscard]] Explanation explain_places(const Layout& layout, std::span<const Int> shape,
                                         std::span<const Int> point);
/// Like explain_places() above, for a flat index.
[[nodiscard]] Explanation explain_places(const Layout& layout, const Int& index);

/// Shows the bits before, those that are read, those that change, and the address after.
[[nodiscard]] Explanation explain_swizzle(const Swizzle& swizzle, const Int& address);

/// Lists which rule of appendix A did what.
[[nodiscard]] Explanation explain_canonicalize(const Layout& layout);

/// Shows where the extents of the shape cut the iters of the normal form.
[[nodiscard]] Explanation explain_group(const Layout& layout, std::span<const Int> shape);

/// Shows the spans of the inner side, the outer side scaled by them, and the two interleaved.
[[nodiscard]] Explanation explain_tile(const Layout& outer, std::span<const Int> outer_shape,
                                       const Layout& inner, std::span<const Int> inner_shape);

/// Shows the blocks of both sides, interleaved, and the replicas and offsets of both.
[[nodiscard]] Explanation explain_direct_sum(const Layout& left, std::span<const Int> left_shape,
                                             const Layout& right, std::span<const Int> right_shape);

/// Show the blocks into which the product is cut, the given side's among them, and what is left for
/// the other side.
[[nodiscard]] Explanation explain_tile_of(const Layout& tiled, std::span<const Int> tiled_shape,
                                          const Layout& inner, std::span<const Int> inner_shape);
[[nodiscard]] Explanation explain_tile_inner_of(const Layout& tiled,
                                                std::span<const Int> tiled_shape,
                                                const Layout& outer,
                                                std::span<const Int> outer_shape);
[[nodiscard]] Explanation explain_direct_sum_left_of(const Layout& sum,
                                                     std::span<const Int> sum_shape,
                                                     const Layout& right,
                                                     std::span<const Int> right_shape);
[[nodiscard]] Explanation explain_direct_sum_right_of(const Layout& sum,
                                                      std::span<const Int> sum_shape,
                                                      const Layout& left,
                                                      std::span<const Int> left_shape);

/// Shows how far each iter reaches on the axis, and what a swizzle changes.
[[nodiscard]] Explanation explain_span(const Layout& layout, const Axis& axis);

/// Shows the common multiple of the strides, and the nearer end.
[[nodiscard]] Explanation explain_iter_intersect(const Iter& a, const Iter& b);

/// Shows the place of the first corner, and the part of each dimension.
[[nodiscard]] Explanation explain_slice(const Layout& layout, std::span<const Int> shape,
                                        std::span<const Interval> region);

}  // namespace heddle::axe
#pragma GCC visibility pop
