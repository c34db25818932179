#pragma once

// A function as Python defines it, the way seed 001 writes its permutations:
//
//   def antidiag(n, i, j):
//     antidg = i + j + 1                          (n, i, j) -> (antidg ->
//     if (antidg <= n):                             if antidg <= n
//       return i + (antidg * (antidg - 1)) / 2      then i + antidg*(antidg - 1)//2
//     …                                             else …)(i + j + 1)
//
// A name that is bound becomes the parameter of what follows, an `if` a choice between what
// follows. A comparison counts 1 or 0, and / divides where that leaves no remainder whatever the
// names in it stand for.

#include <cstddef>
#include <functional>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

struct PythonFunction {
  std::string_view name;
  Expression function;
  /// Where its last line ends.
  std::size_t end = 0;
};

/// The expression in this part of the text, with '/' as TokenKind::kSlash.
using PieceParser = std::function<Result<Expression>(Span)>;

/// The function whose `def` begins at this byte of the text: assignments (also +=, -=, *=, //=,
/// %=), if, elif, else and return, by lines. Refuses `syntax.unexpected` for other lines and where
/// a way through it does not return, `syntax.slash` for a division that may leave a remainder,
/// `syntax.too_long` where too many ways lead through it, and what the parser refuses.
[[nodiscard]] Result<PythonFunction> read_python_function(std::string_view text, std::size_t begin,
                                                          const PieceParser& parse);

}  // namespace heddle::notation
