#pragma once

// Reading CuTe's notation, in every spelling:
//
//   (_2,4):(_12,_1)                              CuTe C++
//   (4, 2):(1, 4)      Layout((4, 8), (1, 4))    pycute
//   S<3,4,3> o 0 o (8,4):(1,8)                   CuTe DSL
//   (4,2):(1@0,1@1)                              strides along the modes of a coordinate
//   (4,2)                                        a shape alone is column-major
//
// These functions read texts; evaluate() (evaluator.h) reads whole expressions with names. Every
// refusal has a place in the text: `syntax.…`, `name.unknown`, or what making the layout refuses.

#include <string_view>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/swizzle.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// A plain layout. Refuses (`call.type`) a composed layout, with a hint to parse_layout().
[[nodiscard]] Result<cute::Layout> parse_cute(std::string_view text);
/// A layout, plain or composed; `Sw<0,M,S> o 0 o layout` is the plain one.
[[nodiscard]] Result<cute::AnyLayout> parse_layout(std::string_view text);
[[nodiscard]] Result<IntTuple> parse_int_tuple(std::string_view text);
/// `(1,(0,_))`
[[nodiscard]] Result<cute::Coordinate> parse_coordinate(std::string_view text);
/// `<8:4,(2,4):(1,8),16,_>`, `[8:4;16]`; a tuple tiles mode by mode, a layout or a size tiles the
/// whole.
[[nodiscard]] Result<cute::Tiler> parse_tiler(std::string_view text);
/// `Sw<3,4,3>`, `S<3,4,3>`, `Swizzle<3,4,3>`
[[nodiscard]] Result<cute::Swizzle> parse_swizzle(std::string_view text);

}  // namespace heddle::notation
#pragma GCC visibility pop
