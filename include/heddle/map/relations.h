#pragma once

// Every layout as an integer set relation, and the mappings of which seed 000 composes layouts.
//
//   relation((4,8):(8,1))                  { [c0, c1] -> [8c0 + c1] : 0 <= c0 <= 3 and … }
//   layout_mapping((4,8):(8,1))            { [c] -> … }: from the flat coordinate
//   relation(S[4:1@lane] + R[2:4@warp])    { [c0] -> [lane = c0, warp] : warp mod 4 = 0 and … }
//   relation(linear layout)                { [register, lane] -> [dim0 = …, dim1 = …] : … }
//
// A layout is a relation from the points of its box (any_layout.h) to its images. Sizes may be
// symbolic if they stay affine: they become parameters, with the assumptions on them as
// constraints.
//
// Source: seed 000, sections 3 to 5; equation numbers are its own.

#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/swizzle.h"
#include "heddle/expr/int_tuple.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// The relation from the points of the layout's box to all of their images: copies are several
/// images of one point. Dimensions are named after the view's indices and axes if isl can write the
/// names. Refuses `relation.not_affine` with the term that is not, `relation.too_large` for a table
/// of too many pieces or more than 128 dimensions, `relation.gave_up`, and what view() refuses.
[[nodiscard]] Result<IntegerRelation> relation(const AnyLayout& layout, const Limits& limits = {});
[[nodiscard]] Result<IntegerRelation> relation(const View& view, const Limits& limits = {});
/// The same from the points of a box of another shape, such as that of the tensor of an Axe layout.
/// Also refuses what reshaped() refuses.
[[nodiscard]] Result<IntegerRelation> relation(const AnyLayout& layout, std::span<const Int> shape,
                                               const Limits& limits = {});

// ---- CuTe (section 3) ----

/// { [c] -> [c mod s0, floor(c / s0) mod s1, …] : 0 <= c < size }: from the flat coordinate to the
/// natural one, with one number per leaf of the shape. The first half of algorithm 1. Refuses
/// `layout.extent`.
[[nodiscard]] Result<IntegerRelation> coordinate_mapping(const IntTuple& shape,
                                                         const Limits& limits = {});
/// { [c0, …] -> [c0*d0 + …] : 0 <= ci < si }: from the natural coordinate to the index. The second
/// half of algorithm 1.
[[nodiscard]] Result<IntegerRelation> index_mapping(const cute::Layout& layout,
                                                    const Limits& limits = {});
/// The index mapping from the natural coordinates of another shape of the same size, such as one of
/// coordinate_spaces(). Refuses `view.shape`.
[[nodiscard]] Result<IntegerRelation> index_mapping(const cute::Layout& layout,
                                                    const IntTuple& shape,
                                                    const Limits& limits = {});
/// From the flat coordinate to the index: the coordinate mapping followed by the index mapping.
[[nodiscard]] Result<IntegerRelation> layout_mapping(const cute::Layout& layout,
                                                     const Limits& limits = {});
/// The shapes whose coordinates a shape accepts, itself first: each tuple in it may be replaced by
/// its size (section 2.1.1). (4,(2,2)) has (4,(2,2)), (4,4) and 16. Refuses `relation.too_large`
/// beyond 1024.
[[nodiscard]] Result<std::vector<IntTuple>> coordinate_spaces(const IntTuple& shape);

// ---- Swizzles (section 4) ----

/// Mappings on the B + M + |S| bits that a swizzle permutes, the highest first.
struct SwizzleMappings {
  /// Equation 11: a number to its bits.
  IntegerRelation coordinate;
  /// Algorithm 1: bits to bits. Equation 13.
  IntegerRelation binary;
  /// Equation 14: a number to its bits, `binary`, and back to a number.
  IntegerRelation layout;
};
[[nodiscard]] Result<SwizzleMappings> swizzle_mappings(const cute::Swizzle& swizzle,
                                                       const Limits& limits = {});

// ---- Linear layouts (section 5) ----

struct LinearMappings {
  /// Equation 16: a point to its flat coordinate.
  IntegerRelation integral_coordinate;
  /// Equation 17: the flat coordinate to its bits, the lowest first.
  IntegerRelation binary_coordinate;
  /// Equation 22: bits to bits.
  IntegerRelation binary_vector_space;
  /// Equation 18: bits to the flat index.
  IntegerRelation linear_index;
  /// Equation 19: the flat index to the outputs.
  IntegerRelation natural_index;
};
[[nodiscard]] Result<LinearMappings> linear_mappings(const linear::LinearLayout& layout,
                                                     const Limits& limits = {});
/// Equation 23: all five in sequence; the same map as relation(), built as in the seed.
[[nodiscard]] Result<IntegerRelation> layout_mapping(const LinearMappings& mappings,
                                                     const Limits& limits = {});

}  // namespace heddle::map
#pragma GCC visibility pop
