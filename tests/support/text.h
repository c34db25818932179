#pragma once

// Reads operands as the tests write them, so that the floors below `notation` can be tested without
// it:
//
//   layout("(4,(2,2)):(2,(1,8))")   tuple("(4,8)")   coordinate("(1,_)")   tiler("<8:4,_>")
//   composed("Sw<3,4,3> o 0 o (8,64):(64,1)")
//
// A text that cannot be read throws std::invalid_argument; an operand that the library refuses
// throws too.

#include <string_view>

#include "heddle/cute/algebra.h"

namespace heddle::test {

[[nodiscard]] IntTuple tuple(std::string_view text);
[[nodiscard]] cute::StrideTuple strides(std::string_view text);
/// `shape:stride`, or a shape alone (column-major). Strides may be `8@1@0`.
[[nodiscard]] cute::Layout layout(std::string_view text);
[[nodiscard]] cute::Coordinate coordinate(std::string_view text);
[[nodiscard]] cute::Tiler tiler(std::string_view text);
[[nodiscard]] cute::Swizzle swizzle(std::string_view text);
[[nodiscard]] cute::ComposedLayout composed(std::string_view text);

}  // namespace heddle::test
