#pragma once

// Texts of other systems within an expression: where one begins, and what expression it is.
//
//   Layout<Shape<_4,_8>>              a type of C++: (4,8)
//   !cute.layout<"(4,8):(8,1)">       a type of CuTe DSL: (4,8):(8,1)
//   #ttg.swizzled_shared<{…}>         an attribute of Triton
//   smem_ptr[16b](0x400)              a pointer of CuTe
//   { [i] -> [2i] : 0 <= i < 4 }      a relation of isl
//
// The lexer takes the beginning of such a text as one token, the parser calls its reader and goes
// on behind what that has read. A new notation is a row of the table.

#include <cstddef>
#include <functional>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

/// Reads a piece of the text, which may be cut out of a string, as an expression of the language.
using ParsePiece = std::function<Result<Expression>(Span)>;

struct ForeignText {
  /// How many characters at the beginning of `rest` show that one begins; 0 where none does.
  std::size_t (*begins)(std::string_view rest);
  /// The expression that the text at `position` is; moves `position` behind it.
  Result<Expression> (*read)(std::string_view text, std::size_t& position, const ParsePiece& parse);
};

/// What is found at the beginning of a text.
struct FoundForeignText {
  const ForeignText* notation = nullptr;
  std::size_t length = 0;
};

/// The first notation of the table that the text begins with; none where it begins with the
/// language itself.
[[nodiscard]] FoundForeignText find_foreign_text(std::string_view rest);

}  // namespace heddle::notation
