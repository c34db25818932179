#pragma once

// The arguments of slices: a coordinate, and the layout, tuple or tiler that it slices.

#include "heddle/core/result.h"
#include "notation/operations/structure.h"

namespace heddle::notation {

struct Cut {
  cute::Coordinate coordinate;
  Structure target;
};

/// CuTe writes slice(coordinate, layout), `heddle batch` usually slice(layout, coordinate): the
/// layout identifies itself. If both are tuples, the one with `_` is the coordinate, or the first
/// if neither has it. Refuses `call.type` for other values.
[[nodiscard]] Result<Cut> cut_of(const Value& a, const Value& b);

}  // namespace heddle::notation
