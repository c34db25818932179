#pragma once

// Words of the expression language, one at a time:
//
//   (_2,4):(12,1@0)  # comment        (  2  ,  4  )  :  (  12  ,  1  @  0  )
//
// CuTe's compile-time integers `_2` are integers, as are 0x40 and 0b101; a lone `_` is the
// underscore. `o` (or the sign of composition) joins layouts. `antidiag^{inv}` is one name, that of
// an inverse. `#` starts a comment unless a letter follows immediately: `#blocked` is a name, and
// `#ttg.blocked<{…}>` is one word. The LaTeX that is read: matrices of Axe layouts, names in
// `\texttt{…}` and similar, and commands that mean a sign or space.
//
// In a kernel (kernel.h) there are real numbers too, S, R and o are names like any other, and
// layouts are read only where one stands.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/core/plain_text.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

enum class TokenKind : std::uint8_t {
  kEnd,
  kNewline,
  kSemicolon,
  kInteger,
  kReal,  // 0.5  1e-5, in kernels only
  kName,
  kString,
  kUnderscore,
  kCompose,           // o
  kSwizzleOpen,       // Sw<  S<  Swizzle<
  kBasisOpen,         // E<
  kShardOpen,         // S[
  kReplicaOpen,       // R[
  kTvmSwizzleOpen,    // SW(
  kShardMatrix,       // \begin{pmatrix}
  kShardMatrixEnd,    // \end{pmatrix}
  kReplicaMatrix,     // \begin{bmatrix}
  kReplicaMatrixEnd,  // \end{bmatrix}
  kColumn,            // &
  kRow,               // the double backslash at the end of a row of a matrix
  kForeign,      // the beginning of another system's text: Layout  !cute.layout  #ttg.blocked<{…}>
  kDynamic,      // ?  ?{div=16}
  kEmptyBraces,  // {}
  kLeftParenthesis,
  kRightParenthesis,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kComma,
  kColon,
  kAt,
  kDot,
  kPlus,
  kMinus,
  kStar,
  kFloorDivide,
  kSlash,      // division, in Python functions and kernels only
  kFloorRoot,  // \lfloor \sqrt{, in Python functions only
  kFloorEnd,   // \rfloor
  kPercent,
  kAssign,
  kArrow,  // ->
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kDivides,  // |
  kXor,      // ^
};

/// One word and its place. An integer has its number too: the magnitude is at most 2^63, and it is
/// negative only if it is written as CuTe's `_-4`. The magnitude of `?` is the number that divides
/// it.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  Span span;
  std::uint64_t magnitude = 0;
  bool negative = false;
};

/// Reads words from a text that must outlive it. Cheap to copy: a copy looks ahead.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next word; kEnd at the end, again and again. Refuses `syntax.unexpected` (a character that
  /// begins no word), `syntax.number` (past 64 bits, or run into letters), `syntax.slash`,
  /// `syntax.unbalanced` (a string that does not end), `syntax.reserved` (a
  /// call with template arguments).
  [[nodiscard]] Result<Token> next();

  /// From here on reads a Python function: `/` divides, and a root may be in LaTeX.
  void read_python() { is_python_ = true; }
  [[nodiscard]] bool reads_python() const { return is_python_; }

  /// From here on reads the words of a kernel, or those of the language again.
  void read_kernel(bool is_kernel) { is_kernel_ = is_kernel; }
  [[nodiscard]] bool reads_kernel() const { return is_kernel_; }

  /// Continues reading at this byte.
  void continue_at(std::size_t position) { position_ = position; }

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Span span) const { return text_at(text_, span); }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  void skip_blanks();
  [[nodiscard]] Token take(TokenKind kind, std::size_t length);
  Result<Token> read_number(std::size_t digits, bool negative);
  [[nodiscard]] std::size_t real_length(std::size_t digits) const;
  std::optional<Token> read_layout_piece();
  Result<Token> read_word();
  [[nodiscard]] Result<void> check_reserved(std::size_t length) const;
  Result<Token> read_string();
  Result<Token> read_dynamic();
  Result<Token> read_sign();
  [[nodiscard]] Refusal refuse_character() const;
  std::optional<Token> read_latex();
  std::optional<Token> read_root();

  std::string_view text_;
  std::size_t position_ = 0;
  bool is_python_ = false;
  bool is_kernel_ = false;
};

/// Refuses (`syntax.encoding`) NUL bytes and invalid UTF-8.
[[nodiscard]] Result<void> check_encoding(std::string_view text);

/// The spelling of a sign: `<=`; empty for words that are no signs.
[[nodiscard]] std::string_view sign_of(TokenKind kind);

/// A piece of text for a message: quoted, and shortened in the middle if it is long.
[[nodiscard]] std::string quote(std::string_view text);

/// `syntax.unbalanced`: the text ends before `closing`, which what is opened there needs.
[[nodiscard]] Diagnostic not_closed(std::string_view opened, std::string_view closing, Span place);

}  // namespace heddle::notation
#pragma GCC visibility pop
