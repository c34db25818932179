#pragma once

// How CuTe's operations compute their results, step by step with numbers:
//
//   explain_composition((6,2):(8,2), (4,3):(3,1))
//     leaf 4:3      reads A at 0 3 6 9: 0 24 2 26                         -> (2,2):(24,2)
//       in 6:8      6/3 = 2 of the 4 steps fit; stride 3*8 = 24             -> 2:24
//       in 2:2      …
//
// Each function explains the operation of its name. Either the operation writes down its steps
// itself (complement_fill, the questions of admissibility), or the steps are carried out separately
// and shown only if they lead to the same result. An operation that refuses is explained up to the
// condition that fails. Operands of more than kMaxExplainedLeaves leaves are
// not explained in steps, and no step lists more than a few values.

#include <cstddef>

#include "heddle/core/explanation.h"
#include "heddle/cute/algebra.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

inline constexpr std::size_t kMaxExplainedLeaves = 64;

// Evaluation and slices.

/// The index of a coordinate: its digits, each times its stride, and their sum; after these the
/// offset and the swizzle of a composed layout. With `_` in the coordinate: the modes that the
/// slice keeps and where it begins.
[[nodiscard]] Explanation explain_apply(const AnyLayout& layout, const Coordinate& coordinate);
[[nodiscard]] Explanation explain_slice(const Coordinate& coordinate, const AnyLayout& layout);
[[nodiscard]] Explanation explain_slice_and_offset(const Coordinate& coordinate,
                                                   const Layout& layout);
/// The bits before, the bits that are read, the bits that change, and the address after.
[[nodiscard]] Explanation explain_swizzle(const Swizzle& swizzle, const Int& address);
[[nodiscard]] Explanation explain_crd2idx(const IntTuple& coordinate, const IntTuple& shape);
[[nodiscard]] Explanation explain_idx2crd(const IntTuple& index, const IntTuple& shape);
[[nodiscard]] Explanation explain_idx2crd(const IntTuple& index, const IntTuple& shape,
                                          const IntTuple& stride);
/// 1 + the sum of (extent-1)*|stride|.
[[nodiscard]] Explanation explain_cosize(const Layout& layout);

// Simplifying.

/// Which rule drops, joins or keeps each mode (seed 004, coalescence rules).
[[nodiscard]] Explanation explain_coalesce(const Layout& layout);
[[nodiscard]] Explanation explain_coalesce(const Layout& layout, ProfileView profile);
[[nodiscard]] Explanation explain_filter(const Layout& layout);

// The algebra.

/// How each leaf of B passes through the modes of A by division (seed 004, definition 2.13), and
/// whether the digits of the leaves carry (definition 2.17).
[[nodiscard]] Explanation explain_composition(const Layout& a, const Layout& b);
[[nodiscard]] Explanation explain_composition(const Layout& a, const Tiler& tiler);
/// Each gap between the sorted modes, then the rest of the target (seed 004, definition 2.6).
[[nodiscard]] Explanation explain_complement(const Layout& layout, const IntTuple& cotarget);
/// Each gap and what fills it (seed 000, section 3.5).
[[nodiscard]] Explanation explain_complement_fill(const Layout& layout, const Int& target);
/// Each stride beside what the modes before it cover (seed 004, definition 2.5).
[[nodiscard]] Explanation explain_admissible_for_complementation(const Layout& layout,
                                                                 const Int& target);
/// How each mode divides the shape, where it acts, and whether the modes carry (seed 004,
/// definitions 2.11 to 2.17).
[[nodiscard]] Explanation explain_admissible_for_composition(const IntTuple& shape,
                                                             const Layout& b);
/// The same with CUTLASS's second condition (definition 2.21).
[[nodiscard]] Explanation explain_admissible_for_cutlass_composition(const IntTuple& shape,
                                                                     const Layout& b);
/// The modes sorted by stride, and the product of the extents before each of them (seed 003).
[[nodiscard]] Explanation explain_inverse(const Layout& layout);
[[nodiscard]] Explanation explain_right_inverse(const Layout& layout);
[[nodiscard]] Explanation explain_left_inverse(const Layout& layout);

/// (tile, complement of the tile) composed into the layout (seed 004, definition 2.22).
[[nodiscard]] Explanation explain_logical_divide(const Layout& layout, const Layout& tile);
[[nodiscard]] Explanation explain_logical_divide(const Layout& layout, const Tiler& tiler);
/// logical_divide and how its modes are gathered.
[[nodiscard]] Explanation explain_zipped_divide(const Layout& layout, const Tiler& tiler);
[[nodiscard]] Explanation explain_tiled_divide(const Layout& layout, const Tiler& tiler);
[[nodiscard]] Explanation explain_flat_divide(const Layout& layout, const Tiler& tiler);

/// (block, the free positions composed with the tiler) (seed 004, definition 4.1).
[[nodiscard]] Explanation explain_logical_product(const Layout& block, const Layout& tiler);
[[nodiscard]] Explanation explain_logical_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] Explanation explain_zipped_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] Explanation explain_tiled_product(const Layout& block, const Tiler& tiler);
[[nodiscard]] Explanation explain_flat_product(const Layout& block, const Tiler& tiler);
/// logical_product and how its modes are paired.
[[nodiscard]] Explanation explain_blocked_product(const Layout& block, const Layout& tiler);
[[nodiscard]] Explanation explain_raked_product(const Layout& block, const Layout& tiler);
/// How many copies each mode takes, their order, and the blocked product with them.
[[nodiscard]] Explanation explain_tile_to_shape(const Layout& block, const IntTuple& shape);
[[nodiscard]] Explanation explain_tile_to_shape(const Layout& block, const IntTuple& shape,
                                                const IntTuple& order);

}  // namespace heddle::cute
#pragma GCC visibility pop
