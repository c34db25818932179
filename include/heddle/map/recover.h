#pragma once

// Finds the layout of a function: a layout of any system, or a table of numbers, is read as a mere
// function and written in a notation that its values alone determine.
//
//   [0,2,1,3]                       strided   (2,2):(2,1)
//   [[0,1,2,3],[4,5,6,7]]           strided   (2,4):(4,1), a mode for each index of the table
//   [0,1,3,2]                       bits      c0=1 -> 1, c0=2 -> 3;  mixed  Sw<1,0,1> o 0 o 4:1
//   { [c] -> [(-3c) mod 16] : … }   none: c = 6 maps to 14, where a layout needs …
//
// The candidate is read off at a few points (form/recover.h, recover_bits.h, recover_mixed.h). If
// the notation shows the structure of the function (digits, bits), that decides whether the
// candidate equals it, so sizes up to 2^62 are no obstacle; else every point of the box is
// evaluated.

#include <optional>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/stride.h"
#include "heddle/expr/int_tuple.h"
#include "heddle/linear/linear_layout.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

struct RecoverOptions {
  /// The result has exactly this shape (seed 000, Algorithm 2).
  std::optional<IntTuple> shape;
  /// The result's shape refines this one; by default the box of coordinates.
  std::optional<IntTuple> compatible_with;
  /// The result has exactly these strides (seed 000, Algorithm 3).
  std::optional<cute::StrideTuple> strides;
  Limits limits;
};

// All refuse `recover.copies` if a point has several images (except recover_axe), `assume.needed`
// for symbolic sizes, `view.shape` for a shape of another size, `recover.too_large` past 2^20
// points (2^24 in a table) if the notation does not show the structure, `recover.gave_up` past the
// time.
//
// If the modes of a shape are as large as the coordinates of the box, it is matched coordinate by
// coordinate; with any other shape the box is one flat index in its own order.

/// A strided layout: each coordinate of the box is a mode. If the image of 0 is not 0, a composed
/// layout without a swizzle. Axes `m`, `0`, `1.0`, … are CuTe's; any other single axis becomes `m`,
/// several become 0, 1, … in their order. Refuses `recover.no_layout` with a coordinate,
/// `recover.strides`, and `recover.no_layout` too if one step leads along two axes or an offset is
/// on several.
[[nodiscard]] Result<cute::AnyLayout> recover_strided(const AnyLayout& layout,
                                                      const RecoverOptions& options = {});

/// A strided layout, followed by the swizzle of the fewest bits if it needs one. Refuses
/// `recover.no_mixed`.
[[nodiscard]] Result<cute::AnyLayout> recover_mixed(const AnyLayout& layout,
                                                    const RecoverOptions& options = {});

/// A linear layout from the names of the box to the axes. Refuses `recover.no_bits` with a point
/// that shows it, or with the image of 0 if that is not 0.
[[nodiscard]] Result<linear::LinearLayout> recover_bit_linear(const AnyLayout& layout,
                                                              const RecoverOptions& options = {});

struct RecoveredAxe {
  axe::Layout layout;
  /// The box whose row-major flat index the layout takes.
  std::vector<Int> shape;
};

/// An Axe layout: strided on several axes, with copies, an offset, and a swizzle on one axis.
/// Refuses `recover.no_axe`, with the coordinate that shows it if there is one.
[[nodiscard]] Result<RecoveredAxe> recover_axe(const AnyLayout& layout,
                                               const RecoverOptions& options = {});

}  // namespace heddle::map
#pragma GCC visibility pop
