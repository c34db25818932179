#pragma once

// Forms written as the systems' layouts: the results of recover.h and of convert.h.
//
//   StridedView   4:2 2:1 2:8, axis m      CuTe (4,(2,2)):(2,(1,8)), Axe S[(4,2,2):(2,8,1)]
//   BitView       columns 1 3              linear offset=1 -> (1), offset=2 -> (3)

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/recover_bits.h"
#include "heddle/form/recover_mixed.h"
#include "heddle/map/any_layout.h"

namespace heddle::map {

// ---- Results of form/recover*.h, as views have them ----

[[nodiscard]] StridedView strided_view(const form::MixedMap& map);
/// A swizzle from the bits that it reads, and from B, M and S.
[[nodiscard]] SwizzleStep step_of(const form::SwizzleBits& swizzle, std::size_t axis);
[[nodiscard]] form::SwizzleBits swizzle_bits(const SwizzleStep& step);

// ---- Writers ----

[[nodiscard]] AnyLayout any_layout(const cute::AnyLayout& layout);

/// Makes the refusal of a map that the notation has no layout for, from the reason.
using NoLayout = std::function<Diagnostic(std::string why)>;

/// The bases of CuTe's strides for axes: those whose paths the names spell (`0`, `1.0`), else the
/// plain one for a single axis, and the axes' positions for several.
[[nodiscard]] std::vector<cute::Basis> bases_of(std::span<const Axis> axes);

/// The digits as modes nested as the shape is, one for each of its leaves: a single digit is
/// written without a tuple, several as a tuple. Refuses by `no_layout` a digit that leads along
/// several axes.
[[nodiscard]] Result<cute::Layout> cute_modes(std::span<const std::vector<form::Digit>> modes,
                                              IntTupleView shape, std::span<const Axis> axes,
                                              const NoLayout& no_layout);
/// offset + layout, as a composed layout if the offset is not 0. Refuses by `no_layout` an offset
/// of several axes.
[[nodiscard]] Result<cute::AnyLayout> with_offset(const cute::Layout& layout,
                                                  std::span<const Int> offset,
                                                  const NoLayout& no_layout);
/// The digits with offset and swizzle, as a composed layout if it has either. A swizzle acts on a
/// single axis.
[[nodiscard]] Result<cute::AnyLayout> cute_layout(const StridedView& strided, IntTupleView shape,
                                                  std::span<const Axis> axes,
                                                  const NoLayout& no_layout);

/// The linear layout from the names of the view's box to its axes. The matrix has no offset.
/// Refuses `overflow` for a size past 64 bits.
[[nodiscard]] Result<linear::LinearLayout> linear_layout(const BitView& bits, const View& view);

/// The Axe layout whose iters are the modes, each slowest digit first. Refuses by `no_layout` a
/// digit that leads along several axes.
[[nodiscard]] Result<axe::Layout> axe_layout(const StridedView& strided, std::span<const Axis> axes,
                                             const NoLayout& no_layout);

}  // namespace heddle::map
