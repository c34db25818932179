// Common functions of the parser: words, limits, refusals; and its entry points.

#include "heddle/notation/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "notation/language/free_names.h"
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
      if (!unreadable_) unreadable_ = std::move(token).error();
      token_ = Token{TokenKind::kEnd, {last_end_, last_end_}, 0, false};
      return;
    }
    token_ = *token;
  } while (!openings_.empty() && token_.kind == TokenKind::kNewline);
}

/// From here on reads the words of a kernel, or those of the language; the next word too.
void Parser::read_kernel(bool is_kernel) {
  const std::size_t last_end = last_end_;
  lexer_.read_kernel(is_kernel);
  lexer_.continue_at(token_.span.begin);
  advance();
  last_end_ = last_end;
}

void Parser::skip_newlines() {
  while (token_.kind == TokenKind::kNewline) advance();
}

bool Parser::accept(TokenKind kind) {
  if (token_.kind != kind) return false;
  advance();
  return true;
}

Result<void> Parser::expect(TokenKind kind, std::string_view wanted) {
  if (accept(kind)) return {};
  return fail_unexpected(wanted);
}

/// Refuses if the text ended because a word cannot be read.
Result<void> Parser::check_words() const {
  if (unreadable_) return refuse(*unreadable_);
  return {};
}

TokenKind Parser::next_kind() const {
  Lexer ahead = lexer_;
  const Result<Token> token = ahead.next();
  return token ? token->kind : TokenKind::kEnd;
}

bool Parser::is_word(std::string_view word) const {
  return token_.kind == TokenKind::kName && lexer_.text(token_.span) == word;
}

/// Refuses words of Python as names. Kernels have words of their own.
Result<void> Parser::check_name(Span name) const {
  const std::string_view word = lexer_.text(name);
  if (lexer_.reads_kernel() || !is_word_of_python(word)) return {};
  return fail("syntax.reserved",
              fmt::format("{} is a word of Python and names nothing", quote(word)), name,
              "choose another name");
}

/// Consumes the word, which must come next.
Result<void> Parser::use_word(std::string_view word) {
  if (!is_word(word)) return fail_unexpected(quote(word));
  advance();
  skip_newlines();
  return {};
}

void Parser::open() {
  openings_.push_back(token_.span);
  advance();
}

namespace {

/// What closes a text that ends in a bracket: `)`, `]`, `}`, `>`, `\end{pmatrix}`.
std::string_view closing_of(std::string_view opening) {
  if (opening.ends_with("{pmatrix}")) return "\\end{pmatrix}";
  if (opening.ends_with('(')) return ")";
  if (opening.ends_with('[')) return "]";
  return opening.ends_with('<') ? ">" : "}";
}

/// Whether the sign closes parentheses, brackets or braces.
bool is_close(TokenKind kind) {
  return kind == TokenKind::kRightParenthesis || kind == TokenKind::kRightBracket ||
         kind == TokenKind::kRightBrace;
}

std::size_t count_of(const Expression& expression) {
  std::size_t count = 1;
  for (const Expression& part : expression.parts) count += count_of(part);
  return count;
}

}  // namespace

Result<void> Parser::close(TokenKind kind, Span opening) {
  // For `>`, splits a `>=`: its first character closes the tiler.
  if (kind == TokenKind::kGreater && token_.kind == TokenKind::kGreaterEqual) {
    token_.span.end = token_.span.begin + 1;
    token_.kind = TokenKind::kGreater;
    lexer_.continue_at(token_.span.end);
  }
  openings_.pop_back();
  if (accept(kind)) return {};
  if (token_.kind == TokenKind::kEnd) return fail_open(opening);
  const std::string opened = quote(lexer_.text(opening));
  const bool is_other_close = is_close(token_.kind) || token_.kind == TokenKind::kGreater ||
                              token_.kind == TokenKind::kShardMatrixEnd ||
                              token_.kind == TokenKind::kReplicaMatrixEnd;
  if (!is_other_close) return fail_unexpected("',' or the end of " + opened);
  return fail("syntax.unbalanced",
              fmt::format("{} is closed by {}", opened, quote(lexer_.text(token_.span))),
              token_.span, fmt::format("write {} there", quote(closing_of(lexer_.text(opening)))));
}

/// Counts one more level of nesting.
Result<void> Parser::enter() {
  if (++nesting_ <= kMaxNesting) return {};
  return fail("syntax.too_deep", fmt::format("parentheses nest more than {} deep", kMaxNesting),
              token_.span);
}

Refusal Parser::fail(Diagnostic diagnostic) const {
  if (unreadable_) return refuse(*unreadable_);
  return refuse(std::move(diagnostic));
}

Refusal Parser::fail(std::string_view code, std::string_view message, Span span,
                     std::string hint) const {
  return fail(Diagnostic(code, message).with_span(span).with_hint(std::move(hint)));
}

/// The refusal of a token where an operator or `wanted` is expected.
Refusal Parser::fail_at_end(std::string_view wanted) const {
  if (!is_close(token_.kind)) return fail_unexpected(fmt::format("an operator or {}", wanted));
  return fail("syntax.unbalanced",
              fmt::format("{} closes nothing", quote(lexer_.text(token_.span))), token_.span,
              "leave it out, or write its partner where it begins");
}

Refusal Parser::fail_open(Span opening) const {
  const std::string_view opened = lexer_.text(opening);
  return fail(not_closed(opened, closing_of(opened), opening));
}

std::string Parser::describe_token() const {
  if (token_.kind == TokenKind::kEnd) return "the text ends";
  if (token_.kind == TokenKind::kNewline) return "the line ends";
  return "there is " + quote(lexer_.text(token_.span));
}

Refusal Parser::fail_unexpected(std::string_view wanted) const {
  if (token_.kind == TokenKind::kEnd && !openings_.empty()) return fail_open(openings_.back());
  std::string hint;
  if (token_.kind == TokenKind::kColumn && is_twice()) hint = "conditions are joined by 'and'";
  if (token_.kind == TokenKind::kDivides && is_twice()) hint = "conditions are joined by 'or'";
  const bool is_comparison = token_.kind == TokenKind::kAssign && !lexer_.reads_kernel();
  if (is_comparison) hint = "A == B asks whether they are equal";
  const std::string_view before = trimmed(lexer_.text({0, token_.span.begin}));
  const bool is_kernel = token_.kind == TokenKind::kName && before.ends_with("kernel");
  if (is_kernel) hint = "kernels are for heddle kernel: heddle kernel run FILE NAME";
  const bool is_table = lexer_.text().find("+--", token_.span.begin) != std::string_view::npos;
  if (is_table)
    hint = "leave out the table, which the layout in front says; heddle recover reads tables";
  const bool is_at_end = token_.kind == TokenKind::kEnd || token_.kind == TokenKind::kNewline;
  if (is_at_end && before.ends_with(':')) hint = "strides come after ':', or leave it out";
  if (before.ends_with("module"))
    hint = "a program of MLIR is read from its file: heddle layouts FILE";
  return fail("syntax.unexpected", fmt::format("{} where {} is expected", describe_token(), wanted),
              token_.span, std::move(hint));
}

Result<Expression> Parser::check_height(Expression expression) const {
  if (expression.height <= kMaxHeight) return expression;
  return fail("syntax.too_deep", fmt::format("expressions nest more than {} deep", kMaxHeight),
              expression.span);
}

Result<void> Parser::count_terms(std::size_t terms, Span span) {
  terms_ += terms;
  if (terms_ <= kMaxTerms) return {};
  return fail("syntax.too_long", fmt::format("more than {} terms in one statement", kMaxTerms),
              span);
}

Result<Expression> Parser::make(Expression::Node node, Span span, std::vector<Expression> parts) {
  HEDDLE_CHECK(count_terms(1, span));
  return check_height(make_expression(std::move(node), span, std::move(parts)));
}

Result<Expression> Parser::make_closed(TokenKind kind, Span opening, Expression::Node node,
                                       std::vector<Expression> parts) {
  HEDDLE_CHECK(close(kind, opening));
  return make(std::move(node), span_from(opening.begin), std::move(parts));
}

/// Appends a part to a chain of operators of one level.
Result<Expression> Parser::grow(Expression chain, Expression part) {
  chain.span.end = part.span.end;
  chain.height = std::max(chain.height, part.height + 1);
  chain.parts.push_back(std::move(part));
  return check_height(std::move(chain));
}

/// Takes over the expression that another reader made of the text up to `end`.
Result<Expression> Parser::read_elsewhere(Result<Expression> expression, std::size_t end) {
  if (!expression) return fail(std::move(expression).error());
  lexer_.continue_at(end);
  advance();
  last_end_ = end;
  HEDDLE_CHECK(count_terms(count_of(*expression), expression->span));
  return check_height(*std::move(expression));
}

Result<Expression> Parser::whole_expression() {
  skip_newlines();
  HEDDLE_TRY(Expression whole, expression(kComparisonLevel));
  skip_newlines();
  if (token_.kind != TokenKind::kEnd) return fail_at_end("the end of the expression");
  HEDDLE_CHECK(check_words());
  return whole;
}

Result<Expression> read_whole(Lexer lexer, std::size_t nesting) {
  return Parser(lexer, nesting).whole_expression();
}

Result<std::optional<Statement>> StatementReader::next() {
  if (!is_checked_) HEDDLE_CHECK(check_encoding(lexer_.text()));
  is_checked_ = true;
  Parser parser(lexer_);
  HEDDLE_TRY(std::optional<Statement> statement, parser.statement());
  lexer_ = parser.rest();
  return statement;
}

Result<Expression> parse_expression(std::string_view text) {
  HEDDLE_CHECK(check_encoding(text));
  return read_whole(Lexer(text));
}

}  // namespace heddle::notation
