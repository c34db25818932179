#pragma once

// The parser of heddle/notation/parser.h, which that of kernels extends: recursive descent without
// backtracking. Its parts are in statements.cc, expressions.cc, literals.cc and layout_literals.cc;
// common functions are in parser.cc.

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

// Operator precedence levels.
inline constexpr int kComparisonLevel = 1;
inline constexpr int kCompositionLevel = 2;
inline constexpr int kLayoutLevel = 3;
inline constexpr int kBitOrLevel = 4;
inline constexpr int kBitXorLevel = 5;
inline constexpr int kBitAndLevel = 6;
inline constexpr int kShiftLevel = 7;
inline constexpr int kSumLevel = 8;
inline constexpr int kProductLevel = 9;
inline constexpr int kNoOperator = 0;

template <class... Parts>
std::vector<Expression> expressions_of(Parts... parts) {
  std::vector<Expression> list;
  list.reserve(sizeof...(parts));
  (list.push_back(std::move(parts)), ...);
  return list;
}

/// `left < right`, as an assumption states it.
struct StatedCondition {
  Expression left;
  TokenKind comparator = TokenKind::kEqual;
  Expression right;
};

class Parser {
 public:
  /// `nesting` is how deep the text is nested within another text.
  explicit Parser(Lexer lexer, std::size_t nesting = 0) : lexer_(lexer), nesting_(nesting) {
    advance();
  }

  /// The next statement, up to its separator; nullopt at the end of the text.
  Result<std::optional<Statement>> statement();
  /// The whole text.
  Result<Expression> whole_expression();
  /// The whole text as assumptions, with commas between them (heddle/notation/assume.h).
  Result<std::vector<StatedCondition>> assumptions();

  /// The lexer before the next unused word.
  [[nodiscard]] Lexer rest() const;

 protected:
  // statements.cc
  std::vector<std::string> bound_names();
  std::optional<StatementKind> keyword();
  void skip_declaration();
  Statement assumption(StatementKind kind);
  Result<Statement> definition();
  Result<void> assumed(std::vector<StatedCondition>& stated);
  Result<void> interval(Expression member, std::vector<StatedCondition>& stated);
  [[nodiscard]] Refusal fail_assumption(std::string_view text, std::string_view what,
                                        std::string hint = {}) const;

  // expressions.cc, from the loosest operator to the tightest
  Result<Expression> expression(int min_level);
  Result<Expression> connective(int min_level, bool is_and);
  Result<Expression> negated(int min_level);
  Result<Expression> choice(int min_level);
  Result<Expression> postfix_choice(Expression then, int min_level);
  Result<Expression> function(const Expression& parameters, int min_level);
  Result<Expression> lambda(int min_level);
  Result<Expression> binary(int min_level);
  Result<Expression> on_tile(Expression layout);
  Result<Expression> join(Expression left, TokenKind sign, Expression right);
  Result<Expression> unary();
  Result<Expression> postfix(bool negate_integer);
  Result<Expression> subscript(Expression whole);
  [[nodiscard]] Result<void> check_index(const Expression& index, bool is_whole) const;
  Result<Expression> member(Expression whole);
  [[nodiscard]] Result<void> check_module(const Expression& path) const;
  Result<Expression> application(Expression function);
  std::optional<std::string_view> argument_name();
  [[nodiscard]] bool is_twice() const;
  [[nodiscard]] int level_of_next() const;
  Result<Expression> of_bits(Expression left, Token sign, Expression right);
  [[nodiscard]] Result<void> check_slash() const;

  // literals.cc
  Result<Expression> primary(bool negate_integer);
  Result<Expression> nested(Result<Expression> (Parser::*read)());
  Result<Expression> integer(bool negate);
  Result<Expression> real();
  Result<Expression> string();
  Result<Expression> parentheses();
  Result<Expression> list();
  Result<std::vector<Expression>> cells(int min_level, TokenKind separator);
  Result<Expression> listed(std::vector<Expression> parts);
  Result<std::string> field_name();
  Result<Expression> object();
  Result<Expression> foreign_text();
  Result<Expression> floor_root();

  // layout_literals.cc
  Result<Expression> tiler();
  Result<std::vector<Expression>> three_numbers(std::string_view names);
  Result<Expression> swizzle();
  Result<Expression> swizzled_pointer(Expression swizzle);
  Result<Expression> tvm_swizzle();
  Result<bool> is_inner_swizzle();
  Result<std::size_t> path_step();
  Result<Expression> basis();
  Result<Expression> at_sign(Expression scale);
  Result<std::string> axis_name();
  Result<Expression> iters();
  Result<Expression> matrix();

  // parser.cc
  void advance();
  void skip_newlines();
  void read_kernel(bool is_kernel);
  /// Consumes the next word if it is of this kind.
  bool accept(TokenKind kind);
  [[nodiscard]] Result<void> expect(TokenKind kind, std::string_view wanted);
  [[nodiscard]] Result<void> check_words() const;
  [[nodiscard]] TokenKind next_kind() const;
  [[nodiscard]] bool is_word(std::string_view word) const;
  [[nodiscard]] Result<void> check_name(Span name) const;
  [[nodiscard]] Result<void> use_word(std::string_view word);
  [[nodiscard]] Result<void> enter();
  void open();
  /// Consumes the sign that closes the one at `opening`.
  [[nodiscard]] Result<void> close(TokenKind kind, Span opening);
  /// close(), then make() from the opening sign on.
  Result<Expression> make_closed(TokenKind kind, Span opening, Expression::Node node,
                                 std::vector<Expression> parts = {});
  Result<Expression> make(Expression::Node node, Span span, std::vector<Expression> parts = {});
  Result<Expression> grow(Expression chain, Expression part);
  [[nodiscard]] Result<void> count_terms(std::size_t terms, Span span);
  Result<Expression> check_height(Expression expression) const;
  Result<Expression> read_elsewhere(Result<Expression> expression, std::size_t end);
  [[nodiscard]] Refusal fail(Diagnostic diagnostic) const;
  [[nodiscard]] Refusal fail(std::string_view code, std::string_view message, Span span,
                             std::string hint = {}) const;
  [[nodiscard]] Refusal fail_unexpected(std::string_view wanted) const;
  [[nodiscard]] Refusal fail_at_end(std::string_view wanted) const;
  [[nodiscard]] Refusal fail_open(Span opening) const;
  [[nodiscard]] std::string describe_token() const;
  [[nodiscard]] Span span_from(std::size_t begin) const { return {begin, last_end_}; }

  Lexer lexer_;
  Token token_;
  std::size_t last_end_ = 0;  // the end of the word before token_
  // Open parentheses and brackets, within which newlines are ignored.
  std::vector<Span> openings_;
  std::size_t nesting_ = 0;
  std::size_t terms_ = 0;
  // Whether the words are in a tile of a LEGO layout, where `/` divides.
  bool is_in_tile_ = false;
  // The lexer's refusal of the next word, at which the text ends for the parser. Refusals of the
  // parser then have this reason.
  std::optional<Diagnostic> unreadable_;
};

/// Parses the rest of the lexer's text as one expression, `nesting` deep within another text.
[[nodiscard]] Result<Expression> read_whole(Lexer lexer, std::size_t nesting = 0);

}  // namespace heddle::notation
