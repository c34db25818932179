#pragma once

// How the places of an index, normal forms, groupings, tiles and slices of Axe layouts come about,
// step by step with numbers:
//
//   explain_places(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + 5@warpid, (8,16), (1,5))
//     index    (1,5) in (8,16), row-major: 1*16 + 5 = 21
//     digits   1, 0, 2, 1
//     steps    laneid 1*4 + 2*1 = 6, …
//     places   the offset added, once for each replica
//
// Each function calls the operation of its name and takes the operands apart beside it. An
// operation that refuses is explained up to its refusal.

#include <span>

#include "heddle/axe/layout.h"
#include "heddle/axe/slice.h"
#include "heddle/core/explanation.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// Layouts of more iters are not taken apart.
inline constexpr std::size_t kMaxExplainedIters = 64;

/// The four steps of the forward map (seed 002, section 2.3): the row-major index, its digits,
/// their steps along the axes, the offset and the replicas; then the swizzle bit by bit.
[[nodiscard]] Explanation explain_places(const Layout& layout, std::span<const Int> shape,
                                         std::span<const Int> point);
/// The same of a flat index.
[[nodiscard]] Explanation explain_places(const Layout& layout, const Int& index);

/// The bits before, those that are read, those that change, and the address after.
[[nodiscard]] Explanation explain_swizzle(const Swizzle& swizzle, const Int& address);

/// Which rule of appendix A did what, one after the other.
[[nodiscard]] Explanation explain_canonicalize(const Layout& layout);

/// Where the extents of the shape cut the iters of the normal form.
[[nodiscard]] Explanation explain_group(const Layout& layout, std::span<const Int> shape);

/// The spans of the inner side, the outer side scaled by them, the two interleaved.
[[nodiscard]] Explanation explain_tile(const Layout& outer, std::span<const Int> outer_shape,
                                       const Layout& inner, std::span<const Int> inner_shape);

/// The place of the first corner, and the part of each dimension.
[[nodiscard]] Explanation explain_slice(const Layout& layout, std::span<const Int> shape,
                                        std::span<const Interval> region);

}  // namespace heddle::axe
#pragma GCC visibility pop
