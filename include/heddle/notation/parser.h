#pragma once

// Parses text to syntax trees. The operators from the loosest to the tightest:
//
//   (i,j) -> A           a function; if c then A else B, or A if c else B
//   or, then and         conditions
//   == != < <= > >=      comparison; does not chain
//   o                    composition: A o B, Sw<3,4,3> o 0 o (8,64):(64,1)
//   :                    shape:stride; A:B tile (16,8) with the tile of a thread-value layout
//   + -                  integers
//   * // %
//   -x                   then x@0, then f(x), f[x]
//
// A statement ends at a newline or `;`, but not within parentheses or after an operator.

#include <optional>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/syntax.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// Parentheses, brackets and calls nest at most this deep (`syntax.too_deep`).
inline constexpr std::size_t kMaxNesting = 256;
/// No tree is higher than this (`syntax.too_deep`), so that walking it cannot run out of stack.
inline constexpr std::size_t kMaxHeight = 512;
/// One statement has at most so many terms (`syntax.too_long`).
inline constexpr std::size_t kMaxTerms = 65536;

/// Reads statements one at a time, so that a long program needs no more memory than its longest
/// statement. The text must outlive the statements.
class StatementReader {
 public:
  explicit StatementReader(std::string_view text) : lexer_(text) {}

  /// The next statement; nullopt at the end. After a refusal the rest must not be read.
  ///
  /// Refuses `syntax.unexpected`, `syntax.unbalanced`, `syntax.empty_tuple`, `syntax.number`,
  /// `syntax.too_deep`, `syntax.too_long`, `syntax.reserved`, `syntax.slash`, `syntax.encoding`;
  /// every one has a place in the text. Cost: linear.
  [[nodiscard]] Result<std::optional<Statement>> next();

 private:
  Lexer lexer_;
  bool is_checked_ = false;
};

/// The one expression that is the whole text. Refuses what StatementReader refuses, and statements.
[[nodiscard]] Result<Expression> parse_expression(std::string_view text);

}  // namespace heddle::notation
#pragma GCC visibility pop
