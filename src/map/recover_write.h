#pragma once

// Forms written down as the systems' layouts.

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/form/recover.h"
#include "heddle/form/recover_bits.h"
#include "heddle/form/recover_mixed.h"
#include "heddle/map/recover.h"

namespace heddle::map {

/// The bases of CuTe's strides for axes: the plain one for a single axis m, the path for axes named
/// `0`, `1.0`, …, else their place.
[[nodiscard]] std::vector<cute::Basis> bases_of(std::span<const Axis> axes);

/// The swizzle as a view has it.
[[nodiscard]] SwizzleStep step_of(const form::SwizzleBits& swizzle, std::size_t axis);

/// offset + layout: composed where the offset is not 0.
[[nodiscard]] Result<cute::AnyLayout> with_offset(const cute::Layout& layout,
                                                  std::span<const std::int64_t> offset);

/// The map as a layout whose shape is this one with each leaf replaced by the digits of its mode.
[[nodiscard]] Result<cute::AnyLayout> to_cute(const form::StridedMap& map, IntTupleView shape,
                                              std::span<const Axis> axes);

/// From the names of the view's box to its axes; their sizes are the least that hold the images, or
/// the view's bounds.
[[nodiscard]] Result<linear::LinearLayout> to_linear(const form::BitMap& map, const View& view);

/// The shape's indices are the modes, each row-major.
[[nodiscard]] Result<axe::Layout> to_axe(const form::MixedMap& map, std::span<const Axis> axes);

}  // namespace heddle::map
