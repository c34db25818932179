#pragma once

// Texts of other systems within an expression: where one begins, and its expression.
//
//   Layout<Shape<_4,_8>>              a type of C++: (4,8)
//   !cute.layout<"(4,8):(8,1)">       a type of CuTe DSL: (4,8):(8,1)
//   #ttg.swizzled_shared<{…}>         an attribute of Triton
//   smem_ptr[16b](0x400)              a pointer of CuTe
//   { [i] -> [2i] : 0 <= i < 4 }      a relation of isl
//   { [i] : 0 <= i < 4 }              a set of isl
//   P('x', None)                      a sharding of JAX, PyTorch, Shardy or XLA, or a mesh
//
// The lexer takes the beginning of such a text as one token; the parser calls its reader and
// continues after the text that it has read. A new notation is a row of the table.

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// Reads a piece of the text, which may be cut out of a string, as an expression of the language.
using ParsePiece = std::function<Result<Expression>(Span)>;

struct ForeignText {
  /// The number of characters at the beginning of `rest` that identify such a text; 0 if none
  /// begins there.
  std::size_t (*begins)(std::string_view rest);
  /// The expression of the text at `position`; moves `position` past it.
  Result<Expression> (*read)(std::string_view text, std::size_t& position, const ParsePiece& parse);
};

/// The foreign text at the beginning of a text.
struct FoundForeignText {
  const ForeignText* notation = nullptr;
  std::size_t length = 0;
};

/// The first notation in the table that the text begins with; none if the text begins with Heddle's
/// own language.
[[nodiscard]] FoundForeignText find_foreign_text(std::string_view rest);

/// The call of an operation, the meaning of many texts.
[[nodiscard]] Expression call_of(std::string_view operation, std::vector<Expression> arguments,
                                 Span span);

}  // namespace heddle::notation
