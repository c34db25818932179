#pragma once

// What pictures ask of a layout of either kind.

#include <cstddef>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"

namespace heddle::draw {

[[nodiscard]] std::string layout_text(const cute::AnyLayout& layout);

/// `(0,(1,2))`
[[nodiscard]] std::string tuple_text(const IntTuple& tuple);

/// The layout, or the one inside a composed layout.
[[nodiscard]] const cute::Layout& strided_part(const cute::AnyLayout& layout);

/// The index or, for strides in several axes, the coordinate of a flat coordinate.
[[nodiscard]] Result<IntTuple> image_of(const cute::AnyLayout& layout, std::size_t flat);

/// Refuses `draw.symbolic` where an extent, a stride or the offset is not a constant: cells hold
/// numbers.
[[nodiscard]] Result<void> check_constant(const cute::AnyLayout& layout);
/// The same for a number of something else.
[[nodiscard]] Result<void> check_constant(const Int& number, std::string_view whole);

/// A constant that is not negative.
[[nodiscard]] inline std::size_t to_size(const Int& constant) {
  return static_cast<std::size_t>(constant.value());
}

}  // namespace heddle::draw
