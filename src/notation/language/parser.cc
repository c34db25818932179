// What all parts of the parser use: words, limits, refusals; and where a reading begins.

#include "heddle/notation/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "notation/language/parser.h"

namespace heddle::notation {

Lexer Parser::rest() const {
  Lexer lexer = lexer_;
  lexer.continue_at(token_.span.begin);
  return lexer;
}

void Parser::advance() {
  last_end_ = token_.span.end;
  do {
    Result<Token> token = lexer_.next();
    if (!token) {
      fail(std::move(token).error());
      token_ = Token{TokenKind::kEnd, {last_end_, last_end_}, 0, false};
      return;
    }
    token_ = *token;
  } while (!openings_.empty() && token_.kind == TokenKind::kNewline);
}

void Parser::skip_newlines() {
  while (token_.kind == TokenKind::kNewline) advance();
}

TokenKind Parser::next_kind() const {
  Lexer ahead = lexer_;
  const Result<Token> token = ahead.next();
  return token ? token->kind : TokenKind::kEnd;
}

bool Parser::is_word(std::string_view word) const {
  return token_.kind == TokenKind::kName && lexer_.text(token_.span) == word;
}

/// Uses the word that must stand here.
bool Parser::use_word(std::string_view word) {
  if (!is_word(word)) {
    fail_unexpected(quote(word));
    return false;
  }
  advance();
  skip_newlines();
  return true;
}

void Parser::open() {
  openings_.push_back(token_.span);
  advance();
}

bool Parser::close(TokenKind kind, Span opening) {
  // `>=` closes a tiler when it begins with the sign that is wanted.
  if (kind == TokenKind::kGreater && token_.kind == TokenKind::kGreaterEqual) {
    token_.span.end = token_.span.begin + 1;
    token_.kind = TokenKind::kGreater;
    lexer_.continue_at(token_.span.end);
  }
  openings_.pop_back();
  if (token_.kind == kind) {
    advance();
    return true;
  }
  const std::string opened = quote(lexer_.text(opening));
  const bool is_other_close =
      token_.kind == TokenKind::kRightParenthesis || token_.kind == TokenKind::kRightBracket ||
      token_.kind == TokenKind::kRightBrace || token_.kind == TokenKind::kGreater ||
      token_.kind == TokenKind::kShardMatrixEnd || token_.kind == TokenKind::kReplicaMatrixEnd;
  if (token_.kind == TokenKind::kEnd) {
    fail_open(opening);
  } else if (is_other_close) {
    fail(Diagnostic("syntax.unbalanced",
                    fmt::format("{} is closed by {}", opened, quote(lexer_.text(token_.span))))
             .with_span(token_.span));
  } else {
    fail_unexpected("',' or the end of " + opened);
  }
  return false;
}

/// Counts one more level of nesting.
bool Parser::enter() {
  if (++nesting_ <= kMaxNesting) return true;
  fail(Diagnostic("syntax.too_deep", fmt::format("parentheses nest more than {} deep", kMaxNesting))
           .with_span(token_.span));
  return false;
}

std::nullopt_t Parser::fail(Diagnostic diagnostic) {
  if (!refusal_) refusal_ = std::move(diagnostic);  // the first reason is the right one
  return std::nullopt;
}

/// Something follows where nothing more was read.
std::nullopt_t Parser::fail_at_end(std::string_view wanted) {
  const bool is_close = token_.kind == TokenKind::kRightParenthesis ||
                        token_.kind == TokenKind::kRightBracket ||
                        token_.kind == TokenKind::kRightBrace;
  if (!is_close) return fail_unexpected(fmt::format("an operator or {}", wanted));
  return fail(Diagnostic("syntax.unbalanced",
                         fmt::format("{} closes nothing", quote(lexer_.text(token_.span))))
                  .with_span(token_.span));
}

std::nullopt_t Parser::fail_open(Span opening) {
  return fail(Diagnostic("syntax.unbalanced", quote(lexer_.text(opening)) + " is not closed")
                  .with_span(opening));
}

std::string Parser::describe_token() const {
  if (token_.kind == TokenKind::kEnd) return "the text ends";
  if (token_.kind == TokenKind::kNewline) return "the line ends";
  return "there is " + quote(lexer_.text(token_.span));
}

std::nullopt_t Parser::fail_unexpected(std::string_view wanted) {
  if (token_.kind == TokenKind::kEnd && !openings_.empty()) return fail_open(openings_.back());
  Diagnostic diagnostic("syntax.unexpected",
                        fmt::format("{} where {} is expected", describe_token(), wanted));
  if (token_.kind == TokenKind::kColumn) {
    diagnostic = std::move(diagnostic).with_hint("bit_and(a, b) is a & b");
  }
  return fail(std::move(diagnostic).with_span(token_.span));
}

Parsed Parser::check_height(Expression expression) {
  if (expression.height <= kMaxHeight) return expression;
  return fail(
      Diagnostic("syntax.too_deep", fmt::format("expressions nest more than {} deep", kMaxHeight))
          .with_span(expression.span));
}

bool Parser::count_terms(std::size_t terms, Span span) {
  terms_ += terms;
  if (terms_ <= kMaxTerms) return true;
  fail(Diagnostic("syntax.too_long", fmt::format("more than {} terms in one statement", kMaxTerms))
           .with_span(span));
  return false;
}

Parsed Parser::make(Expression::Node node, Span span, std::vector<Expression> parts) {
  if (refusal_ || !count_terms(1, span)) return std::nullopt;
  return check_height(make_expression(std::move(node), span, std::move(parts)));
}

/// One more part at the end of a chain of equal operators.
Parsed Parser::grow(Expression chain, Expression part) {
  chain.span.end = part.span.end;
  chain.height = std::max(chain.height, part.height + 1);
  chain.parts.push_back(std::move(part));
  return check_height(std::move(chain));
}

namespace {

std::size_t count_of(const Expression& expression) {
  std::size_t count = 1;
  for (const Expression& part : expression.parts) count += count_of(part);
  return count;
}

}  // namespace

/// Takes over what another reader made of the text up to `end`.
Parsed Parser::read_elsewhere(Result<Expression> expression, std::size_t end) {
  if (!expression) return fail(std::move(expression).error());
  lexer_.continue_at(end);
  advance();
  last_end_ = end;
  if (refusal_ || !count_terms(count_of(*expression), expression->span)) return std::nullopt;
  return check_height(*std::move(expression));
}

Parsed Parser::whole_expression() {
  skip_newlines();
  Parsed whole = expression(kComparisonLevel);
  skip_newlines();
  if (whole && !refusal_ && token_.kind != TokenKind::kEnd) {
    return fail_at_end("the end of the expression");
  }
  return whole;
}

Result<Expression> read_whole(Lexer lexer, std::size_t nesting) {
  Parser parser(lexer, nesting);
  Parsed expression = parser.whole_expression();
  if (parser.refusal()) return refuse(*parser.refusal());
  return *std::move(expression);
}

Result<std::optional<Statement>> StatementReader::next() {
  if (!is_checked_) HEDDLE_CHECK(check_encoding(lexer_.text()));
  is_checked_ = true;
  Parser parser(lexer_);
  std::optional<Statement> statement = parser.statement();
  if (parser.refusal()) return refuse(*parser.refusal());
  lexer_ = parser.rest();
  return statement;
}

Result<Expression> parse_expression(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  return read_whole(Lexer(text));
}

}  // namespace heddle::notation
