#pragma once

// Index spaces of several axes: the axes that a layout's strides use, and coordinates made from one
// number per axis.

#include <map>
#include <span>
#include <vector>

#include "heddle/cute/layout.h"

namespace heddle::cute {

/// One number for each axis.
using AxisValues = std::map<Basis, Int>;

/// The bases of the strides that are not 0, ascending and without repetition.
[[nodiscard]] std::vector<Basis> distinct_bases(std::span<const Stride> strides);

/// The nested coordinate that holds the values at their bases and 0 elsewhere. No basis may be a
/// prefix of another.
[[nodiscard]] IntTuple assemble_coordinate(const AxisValues& values);

/// The layout of the coordinates along one axis alone: strides along it as plain ones, others 0.
[[nodiscard]] Result<Layout> along_axis(const Layout& layout, const Basis& axis);

}  // namespace heddle::cute
