// Statements: assignments, declarations of C++, assert, refuse, draw, assume.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/text.h"
#include "notation/language/free_names.h"
#include "notation/language/parser.h"
#include "notation/language/python_function.h"

namespace heddle::notation {

namespace {

bool ends_statement(TokenKind kind) {
  return kind == TokenKind::kEnd || kind == TokenKind::kNewline || kind == TokenKind::kSemicolon;
}

bool begins_comparison(TokenKind kind) {
  return (kind >= TokenKind::kEqual && kind <= TokenKind::kGreaterEqual) ||
         kind == TokenKind::kDivides;
}

std::optional<StatementKind> keyword_of(std::string_view word) {
  if (word == "assert") return StatementKind::kAssert;
  if (word == "refuse") return StatementKind::kRefuse;
  if (word == "draw") return StatementKind::kDraw;
  if (word == "assume") return StatementKind::kAssume;
  return std::nullopt;
}

/// Whether the word cannot be bound to a value.
bool is_keyword(std::string_view word) { return keyword_of(word) || is_word_of_python(word); }

}  // namespace

/// Consumes `name =` or `i, j =` and returns the names; consumes nothing if something else comes
/// next.
std::vector<std::string> Parser::bound_names() {
  std::vector<std::string> names;
  Lexer ahead = lexer_;
  Token token = token_;
  const auto next = [&] {
    const Result<Token> read = ahead.next();
    token = read ? *read : Token{};
  };
  while (token.kind == TokenKind::kName) {
    names.emplace_back(lexer_.text(token.span));
    next();
    if (token.kind == TokenKind::kAssign) {
      lexer_ = ahead;
      advance();
      return names;
    }
    if (token.kind != TokenKind::kComma) return {};
    next();
  }
  return {};
}

/// Consumes the keyword that makes a statement more than an expression.
std::optional<StatementKind> Parser::keyword() {
  if (token_.kind != TokenKind::kName) return std::nullopt;
  const auto kind = keyword_of(lexer_.text(token_.span));
  if (kind) advance();
  return kind;
}

/// Consumes the words before the name in a C++ declaration: `auto const x = …`, `using X = …`.
void Parser::skip_declaration() {
  const auto begins_declaration = [&] {
    constexpr std::array<std::string_view, 5> kWords = {"auto", "using", "const", "constexpr",
                                                        "static"};
    return token_.kind == TokenKind::kName && next_kind() == TokenKind::kName &&
           std::ranges::find(kWords, lexer_.text(token_.span)) != kWords.end();
  };
  while (begins_declaration()) advance();
}

/// `assume` or `axis`, and the text up to the end of the line, a semicolon or a comment.
Statement Parser::assumption(StatementKind kind) {
  Statement statement;
  statement.kind = kind;
  const std::size_t begin = token_.span.begin;
  const std::size_t end =
      std::min(lexer_.text().find_first_of("\n;#", token_.span.end), lexer_.text().size());
  statement.assumption = lexer_.text({token_.span.end, end});
  lexer_.continue_at(end);
  advance();
  statement.span = {begin, end};
  return statement;
}

/// `def f(i, j):` and the lines below it, a binding of f.
Result<Statement> Parser::definition() {
  const std::size_t begin = token_.span.begin;
  const auto parse = [&](Span span) -> Result<Expression> {
    Lexer lexer(lexer_.text().substr(0, span.end));
    lexer.continue_at(span.begin);
    lexer.read_python();
    return read_whole(lexer, nesting_);
  };
  HEDDLE_TRY(PythonFunction read, read_python_function(lexer_.text(), begin, parse));
  Statement statement;
  statement.kind = StatementKind::kBinding;
  statement.names = {std::string(read.name)};
  HEDDLE_TRY(statement.expression, check_height(std::move(read.function)));
  statement.span = {begin, read.end};
  lexer_.continue_at(read.end);
  advance();
  return statement;
}

Result<std::optional<Statement>> Parser::statement() {
  while (accept(TokenKind::kNewline) || accept(TokenKind::kSemicolon)) {
  }
  HEDDLE_CHECK(check_words());
  if (token_.kind == TokenKind::kEnd) return std::nullopt;
  if (is_word("def") && next_kind() == TokenKind::kName) return definition();

  Statement statement;
  const std::size_t begin = token_.span.begin;
  skip_declaration();
  const Span first = token_.span;
  if (std::vector<std::string> names = bound_names(); !names.empty()) {
    for (const std::string& name : names) {
      if (!is_keyword(name)) continue;
      return fail("syntax.reserved",
                  fmt::format("'{}' {} and cannot be bound", name,
                              keyword_of(name) ? "begins a statement" : "is a word of Python"),
                  first, "choose another name");
    }
    statement.kind = StatementKind::kBinding;
    statement.names = std::move(names);
    skip_newlines();
  } else {
    // An assumption is kept as text: `[0,32)` is no expression of the language.
    if (lexer_.text(first) == "assume") return assumption(StatementKind::kAssume);
    if (lexer_.text(first) == "axis" && next_kind() == TokenKind::kName) {
      return assumption(StatementKind::kAxis);
    }
    statement.kind = keyword().value_or(StatementKind::kExpression);
  }
  HEDDLE_TRY(statement.expression, expression(kComparisonLevel));
  if (statement.kind == StatementKind::kDraw && is_word("to")) {
    advance();
    if (token_.kind != TokenKind::kString) return fail_unexpected("a path in quotes");
    HEDDLE_TRY(const Expression path, string());
    statement.path = std::get<StringLiteral>(path.node).value;
  }
  statement.span = span_from(begin);
  if (!ends_statement(token_.kind)) return fail_at_end("the end of the statement");
  HEDDLE_CHECK(check_words());
  return statement;
}

// Assumptions.

Refusal Parser::fail_assumption(std::string_view text, std::string_view what,
                                std::string hint) const {
  constexpr std::string_view kForms = "assumptions look like M%128==0, K<=M or lane in [0,32)";
  return fail(Diagnostic("assume.syntax", fmt::format("{} {}", quote(text), what))
                  .with_hint(hint.empty() ? std::string(kForms) : std::move(hint)));
}

/// `[0,32)` after `lane in`.
Result<void> Parser::interval(Expression member, std::vector<StatedCondition>& stated) {
  const auto comparator_of = [](TokenKind bracket) {
    const bool is_closed =
        bracket == TokenKind::kLeftBracket || bracket == TokenKind::kRightBracket;
    return is_closed ? TokenKind::kLessEqual : TokenKind::kLess;
  };
  const TokenKind begin = token_.kind;
  if (begin != TokenKind::kLeftBracket && begin != TokenKind::kLeftParenthesis) {
    return fail_assumption(trimmed(lexer_.text().substr(token_.span.begin)), "is not an interval");
  }
  advance();
  HEDDLE_TRY(Expression low, binary(kShiftLevel));
  HEDDLE_CHECK(expect(TokenKind::kComma, "',' and the end of the interval"));
  HEDDLE_TRY(Expression high, binary(kShiftLevel));
  const TokenKind end = token_.kind;
  if (!accept(TokenKind::kRightBracket) && !accept(TokenKind::kRightParenthesis)) {
    return fail_unexpected("']' or ')' after the interval");
  }
  stated.push_back({std::move(low), comparator_of(begin), member});
  stated.push_back({std::move(member), comparator_of(end), std::move(high)});
  return {};
}

/// One comparison, or a chain of them: 0 <= t < 128; or `lane in [0,32)`.
Result<void> Parser::assumed(std::vector<StatedCondition>& stated) {
  skip_newlines();
  const std::string_view rest = lexer_.text().substr(token_.span.begin);
  const std::string_view text = trimmed(rest.substr(0, rest.find(',')));
  if (text.empty()) return fail_assumption(trimmed(lexer_.text()), "has an empty assumption");
  HEDDLE_TRY(Expression left, binary(kShiftLevel));
  if (is_word("in")) {
    advance();
    return interval(std::move(left), stated);
  }
  const std::size_t before = stated.size();
  while (begins_comparison(token_.kind)) {
    const TokenKind comparator = token_.kind;
    advance();
    HEDDLE_TRY(Expression right, binary(kShiftLevel));
    stated.push_back({std::move(left), comparator, right});
    left = std::move(right);
  }
  if (token_.kind == TokenKind::kAssign) {
    return fail_assumption(text, "has a single '=' in it", "write == for \"is equal to\"");
  }
  if (token_.kind == TokenKind::kColumn || is_word("and")) {
    return fail_assumption(text, fmt::format("has {} in it", is_word("and") ? "'and'" : "'&&'"),
                           "separate assumptions with commas: M%8==0, K<=M");
  }
  if (stated.size() == before) {
    return fail_assumption(text, "assumes nothing: a comparison is needed");
  }
  return {};
}

Result<std::vector<StatedCondition>> Parser::assumptions() {
  std::vector<StatedCondition> stated;
  do {
    HEDDLE_CHECK(assumed(stated));
  } while (accept(TokenKind::kComma));
  skip_newlines();
  if (token_.kind != TokenKind::kEnd) return fail_at_end("the end of the assumption");
  HEDDLE_CHECK(check_words());
  return stated;
}

}  // namespace heddle::notation
