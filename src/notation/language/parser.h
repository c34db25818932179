#pragma once

// The parser that heddle/notation/parser.h offers: a descent without a way back. Its parts lie in
// statements.cc, expressions.cc, literals.cc and layout_literals.cc; what they all use in
// parser.cc.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/syntax.h"

namespace heddle::notation {

// How tightly operators bind.
inline constexpr int kComparisonLevel = 1;
inline constexpr int kCompositionLevel = 2;
inline constexpr int kLayoutLevel = 3;
inline constexpr int kSumLevel = 4;
inline constexpr int kProductLevel = 5;
inline constexpr int kNoOperator = 0;

template <class... Parts>
std::vector<Expression> list_of(Parts... parts) {
  std::vector<Expression> list;
  list.reserve(sizeof...(parts));
  (list.push_back(std::move(parts)), ...);
  return list;
}

// The functions of the parser return nothing once something was refused; the reason is in
// `refusal_`, for two reasons: a word that cannot be read is noticed wherever advance() comes upon
// it, and frames without a Diagnostic stay small, which matters for a recursion that may be
// kMaxNesting deep. Outside of the parser there are Results.
using Parsed = std::optional<Expression>;

class Parser {
 public:
  /// `nesting` is how deep what is read lies within another text.
  explicit Parser(Lexer lexer, std::size_t nesting = 0) : lexer_(lexer), nesting_(nesting) {
    advance();
  }

  /// A statement and the separator behind it; nothing at the end of the text.
  std::optional<Statement> statement();
  /// The whole text.
  Parsed whole_expression();

  [[nodiscard]] const std::optional<Diagnostic>& refusal() const { return refusal_; }
  /// The lexer before the word that was not used yet.
  [[nodiscard]] Lexer rest() const;

 private:
  // statements.cc
  std::vector<std::string> bound_names();
  std::optional<StatementKind> keyword();
  void skip_declaration();
  Statement assumption(StatementKind kind);
  std::optional<Statement> definition();
  std::nullopt_t fail_bound_keyword(std::string_view word, Span span);

  // expressions.cc, from the loosest operator to the tightest
  Parsed expression(int min_level);
  Parsed connective(int min_level, bool is_and);
  Parsed negated(int min_level);
  Parsed choice(int min_level);
  Parsed postfix_choice(Expression then, int min_level);
  Parsed function(const Expression& parameters, int min_level);
  Parsed binary(int min_level);
  Parsed on_tile(Expression layout);
  Parsed join(Expression left, TokenKind sign, Expression right);
  Parsed unary();
  Parsed postfix(bool negate_integer);
  Parsed subscript(Expression whole);
  Parsed member(Expression whole);
  Parsed application(Expression function);
  std::optional<std::string_view> argument_name();
  bool skip_dots();
  std::nullopt_t fail_shift(TokenKind sign, std::size_t begin);

  // literals.cc
  Parsed primary(bool negate_integer);
  Parsed nested_primary();
  Parsed integer(bool negate);
  Parsed string();
  Parsed parentheses();
  Parsed list();
  std::optional<std::vector<Expression>> cells(TokenKind separator);
  Parsed listed(std::vector<Expression> parts);
  std::optional<std::string> field_name();
  Parsed set(Span opening);
  Parsed object();
  Parsed dynamic();
  Parsed pointer();
  Parsed cpp_type();
  Parsed mlir_type();
  Parsed floor_root();

  // layout_literals.cc
  Parsed tiler();
  std::optional<std::vector<Expression>> three_numbers(std::string_view names);
  Parsed swizzle();
  Parsed swizzled_pointer(Expression swizzle);
  Parsed tvm_swizzle();
  bool swizzle_side(TvmSwizzleLiteral& node);
  std::optional<std::size_t> path_step();
  Parsed basis();
  Parsed at_sign(Expression scale);
  std::optional<std::string> axis_name();
  Parsed iters();
  Parsed matrix();

  // parser.cc
  void advance();
  void skip_newlines();
  [[nodiscard]] TokenKind next_kind() const;
  [[nodiscard]] bool is_word(std::string_view word) const;
  bool use_word(std::string_view word);
  bool enter();
  void open();
  /// Uses the closing sign of what began at `opening`; false where something else stands there.
  bool close(TokenKind kind, Span opening);
  Parsed make(Expression::Node node, Span span, std::vector<Expression> parts = {});
  Parsed grow(Expression chain, Expression part);
  bool count_terms(std::size_t terms, Span span);
  Parsed check_height(Expression expression);
  Parsed read_elsewhere(Result<Expression> expression, std::size_t end);
  std::nullopt_t fail(Diagnostic diagnostic);
  std::nullopt_t fail_unexpected(std::string_view wanted);
  std::nullopt_t fail_at_end(std::string_view wanted);
  std::nullopt_t fail_open(Span opening);
  [[nodiscard]] std::string describe_token() const;
  [[nodiscard]] Span span_from(std::size_t begin) const { return {begin, last_end_}; }

  Lexer lexer_;
  Token token_;
  std::size_t last_end_ = 0;  // where the word before token_ ends
  // Parentheses and brackets that are open: newlines count for nothing.
  std::vector<Span> openings_;
  std::size_t nesting_ = 0;
  std::size_t terms_ = 0;
  std::optional<Diagnostic> refusal_;
};

/// The one expression that is all that the lexer reads, `nesting` deep within another text.
[[nodiscard]] Result<Expression> read_whole(Lexer lexer, std::size_t nesting = 0);

}  // namespace heddle::notation
