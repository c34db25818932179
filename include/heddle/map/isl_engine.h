#pragma once

// CuTe's algebra by integer set relations: seed 000's own algorithms, carried out by isl. It is a
// second opinion on cute/algebra.h that shares no step with it, and slower by orders of magnitude.
//
//   composition((4,6,8,10):(2,3,5,7), 6:12)
//
//     mapping of 6:12         { [c] -> [12c] : 0 <= c < 6 }                        algorithm 1
//     after it, (4,6,8,10)    { [c] -> [9(c mod 2) + 5*floor(c/2)] : … }           no c -> d*c
//     its coordinates         { [0, i, j, 0] : i in {0, 3}, 0 <= j <= 2 }          shape (2,3)
//     in that shape           { [i, j] -> [9i + 5j] : 0 <= i < 2 and 0 <= j < 3 }  algorithm 2
//                             (2,3):(9,5)
//
// The algorithms are the seed's (section 3.5 and 3.6) with these changes:
//
//   composition     A runs on past its end, as in CuTe. Where the coordinates of A are no grid, the
//                   shapes compatible with the mode of B are tried. The result is compared with the
//                   relation, as modes composed one by one need not add up.
//   complement      the rest past everything placed is filled from its own end on, not from that
//                   of A alone.
//   right_inverse   the run that is read back keeps its coordinates in the layout:
//                   (2,2):(8,1) gives 2:2. Modes of stride 0 are left out.
//   layout_from_strides   the equation is that of the last coordinate, so that strides may be
//                   negative.
//
// Layouts must have numbers for sizes and strides, on one axis; others are refused with
// `isl_engine.operand`. All functions give up at the limits with `relation.gave_up`.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/layout.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map::isl_engine {

// ---- Layouts from relations ----

/// The layout of this shape whose layout mapping { [c] -> [index] } is `mapping`: its index mapping
/// in that shape must be strictly affine. Refuses `isl_engine.not_affine`, and `isl_engine.domain`
/// if the relation is no function of [0, size). Algorithm 2.
[[nodiscard]] Result<cute::Layout> layout_from_shape(const IntegerRelation& mapping,
                                                     const IntTuple& shape,
                                                     const Limits& limits = {});

/// The layout with these strides. Its extents are x + 1 for the solutions x >= 0 of  sum of stride
/// * x = f(size - 1). Refuses `isl_engine.no_shape` if none of them has that mapping,
/// `isl_engine.domain`. Algorithm 3.
[[nodiscard]] Result<cute::Layout> layout_from_strides(const IntegerRelation& mapping,
                                                       const cute::StrideTuple& strides,
                                                       const Limits& limits = {});

// ---- The algebra ----

/// A after B, as cute/composition.h has it. Refuses `composition.no_layout`,
/// `composition.negative_coordinate`, `overflow`. Algorithm 4.
[[nodiscard]] Result<cute::Layout> composition(const cute::Layout& a, const cute::Layout& b,
                                               const Limits& limits = {});

/// Fills the gaps of `layout` in [0, target), first gap first. Refuses `complement.target`,
/// `complement.negative_stride`, and `complement.not_injective` where copies would meet.
/// Algorithm 5.
[[nodiscard]] Result<cute::Layout> complement_fill(const cute::Layout& layout, std::int64_t target,
                                                   const Limits& limits = {});
/// complement_fill() if the result keeps the contract of cute/complement.h, which isl decides;
/// refuses `complement.holes` if it has too few elements.
[[nodiscard]] Result<cute::Layout> complement(const cute::Layout& layout, std::int64_t target,
                                              const Limits& limits = {});
/// Whether `replica` keeps the contract of a complement of `layout` in [0, target): the two have
/// only 0 in common, `replica` ascends and is large enough.
[[nodiscard]] Result<bool> is_complement(const cute::Layout& layout, const cute::Layout& replica,
                                         std::int64_t target, const Limits& limits = {});

/// The inverse of a bijective layout. Refuses `inverse.not_bijective`. Algorithm 6.
[[nodiscard]] Result<cute::Layout> inverse(const cute::Layout& layout, const Limits& limits = {});

/// L(R(i)) = i on the indices below the first that L misses; 1:0 if no layout has this function.
[[nodiscard]] Result<cute::Layout> right_inverse(const cute::Layout& layout,
                                                 const Limits& limits = {});

/// R(L(c)) = c: the right inverse of the layout beside its filling. Refuses
/// `left_inverse.divisibility` where gaps remain or L is not injective, `inverse.negative_stride`.
[[nodiscard]] Result<cute::Layout> left_inverse(const cute::Layout& layout,
                                                const Limits& limits = {});

/// The operation with this name in the expression language; `target` is the target of the
/// complements, by default for `complement` the cosize. Refuses `isl_engine.operation` for another
/// name or other operands.
[[nodiscard]] Result<cute::Layout> call(std::string_view operation,
                                        std::span<const cute::Layout> layouts,
                                        std::optional<std::int64_t> target = {},
                                        const Limits& limits = {});
/// The names that call() knows.
[[nodiscard]] std::span<const std::string_view> operations();

// ---- Linear layouts, by the five mappings of section 5 ----

/// outer after layout, dimensions matched by position; the bases are read off the composed
/// relation. Refuses `linear.dims_differ`.
[[nodiscard]] Result<linear::LinearLayout> compose(const linear::LinearLayout& layout,
                                                   const linear::LinearLayout& outer,
                                                   const Limits& limits = {});
/// The inverse. Refuses `linear.not_invertible`.
[[nodiscard]] Result<linear::LinearLayout> invert(const linear::LinearLayout& layout,
                                                  const Limits& limits = {});

// ---- Questions about the layout mapping, decided by isl ----

[[nodiscard]] Result<bool> is_single_valued(const cute::Layout& layout, const Limits& limits = {});
[[nodiscard]] Result<bool> is_single_valued(const linear::LinearLayout& layout,
                                            const Limits& limits = {});
[[nodiscard]] Result<bool> is_injective(const cute::Layout& layout, const Limits& limits = {});
[[nodiscard]] Result<bool> is_injective(const linear::LinearLayout& layout,
                                        const Limits& limits = {});
/// Whether the layout mappings are equal. A no has the least coordinate at which they differ; past
/// the limits the answer is unknown.
[[nodiscard]] Verdict equal(const cute::Layout& a, const cute::Layout& b,
                            const Limits& limits = {});
/// As above; dimensions are matched by position.
[[nodiscard]] Verdict equal(const linear::LinearLayout& a, const linear::LinearLayout& b,
                            const Limits& limits = {});
/// R(c) = A(B(c)) for every c of B, A running on past its end: composition's law.
[[nodiscard]] Result<bool> is_composition(const cute::Layout& a, const cute::Layout& b,
                                          const cute::Layout& r, const Limits& limits = {});
/// R(L(c)) = c for every c, R not running on past its end; L(R(i)) = i for every i of R.
[[nodiscard]] Result<bool> is_left_inverse(const cute::Layout& layout, const cute::Layout& r,
                                           const Limits& limits = {});
[[nodiscard]] Result<bool> is_right_inverse(const cute::Layout& layout, const cute::Layout& r,
                                            const Limits& limits = {});

}  // namespace heddle::map::isl_engine
#pragma GCC visibility pop
