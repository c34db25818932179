#pragma once

// A function as Python defines it, the way seed 001 writes its permutations:
//
//   def antidiag(n, i, j):
//     antidg = i + j + 1                          (n, i, j) -> (antidg ->
//     if (antidg <= n):                             if antidg <= n
//       return i + (antidg * (antidg - 1)) / 2      then i + antidg*(antidg - 1)//2
//     …                                             else …)(i + j + 1)
//
// A bound name becomes the parameter of a function of the following statements, an `if` a choice
// between them. A comparison is 1 or 0, and / divides if that leaves no remainder for all values of
// its names.

#include <cstddef>
#include <functional>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

struct PythonFunction {
  std::string_view name;
  Expression function;
  /// The end of its last line.
  std::size_t end = 0;
};

/// The expression in this part of the text, with '/' as TokenKind::kSlash.
using PieceParser = std::function<Result<Expression>(Span)>;

/// The function whose `def` begins at this byte of the text: assignments (also +=, -=, *=, //=,
/// %=), if, elif, else and return, by lines. Refuses `syntax.unexpected` for other lines and if a
/// path through it does not return, `syntax.slash` for a division that may leave a remainder,
/// `syntax.too_long` if it has too many paths, and what the parser refuses.
[[nodiscard]] Result<PythonFunction> read_python_function(std::string_view text, std::size_t begin,
                                                          const PieceParser& parse);

}  // namespace heddle::notation
