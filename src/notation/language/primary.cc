// Primary expressions: numbers, texts, names, tuples, lists, objects, and texts of C++ and MLIR.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "notation/language/foreign/foreign_texts.h"
#include "notation/language/parser.h"

namespace heddle::notation {

namespace {

bool is_literal(const Expression& expression) {
  if (const auto* parentheses = std::get_if<Parentheses>(&expression.node)) {
    return parentheses->is_literal;
  }
  return std::holds_alternative<IntegerLiteral>(expression.node) ||
         std::holds_alternative<UnderscoreLiteral>(expression.node) ||
         std::holds_alternative<DynamicLiteral>(expression.node) ||
         std::holds_alternative<BasisLiteral>(expression.node);
}

}  // namespace

Result<Expression> Parser::primary(bool negate_integer) {
  const Token token = token_;
  switch (token.kind) {
    case TokenKind::kInteger:
      return integer(negate_integer);
    case TokenKind::kReal:
      return real();
    case TokenKind::kString:
      return string();
    case TokenKind::kUnderscore:
      advance();
      return make(UnderscoreLiteral{}, token.span);
    case TokenKind::kDynamic:
      advance();
      return make(DynamicLiteral{static_cast<std::int64_t>(token.magnitude)}, token.span);
    case TokenKind::kForeign:
      // A piece of a foreign text may contain another foreign text, one level deeper.
      return nested(&Parser::foreign_text);
    case TokenKind::kName:
      HEDDLE_CHECK(check_name(token.span));
      advance();
      return make(Reference{lexer_.text(token.span)}, token.span);
    case TokenKind::kLeftParenthesis:
      return nested(&Parser::parentheses);
    case TokenKind::kLeftBracket:
      return nested(&Parser::list);
    case TokenKind::kLeftBrace:
      return nested(&Parser::object);
    case TokenKind::kLess:
      return nested(&Parser::tiler);
    case TokenKind::kSwizzleOpen:
      return nested(&Parser::swizzle);
    case TokenKind::kBasisOpen:
      return nested(&Parser::basis);
    case TokenKind::kShardOpen:
    case TokenKind::kReplicaOpen:
      return nested(&Parser::iters);
    case TokenKind::kShardMatrix:
    case TokenKind::kReplicaMatrix:
      return nested(&Parser::matrix);
    case TokenKind::kTvmSwizzleOpen:
      return nested(&Parser::tvm_swizzle);
    case TokenKind::kFloorRoot:
      return nested(&Parser::floor_root);
    case TokenKind::kEmptyBraces:
      advance();
      return make(ObjectLiteral{}, token.span);
    case TokenKind::kRightParenthesis:
    case TokenKind::kRightBracket:
    case TokenKind::kRightBrace:
      if (openings_.empty()) return fail_at_end("");
      return fail_unexpected("an expression");
    default:
      return fail_unexpected("an expression");
  }
}

/// Calls `read` one nesting level deeper.
Result<Expression> Parser::nested(Result<Expression> (Parser::*read)()) {
  HEDDLE_CHECK(enter());
  Result<Expression> expression = (this->*read)();
  --nesting_;
  return expression;
}

Result<Expression> Parser::integer(bool negate) {
  const Token token = token_;
  const bool negative = token.negative != negate;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (token.magnitude > kMax && !negative) {
    return fail(
        "syntax.number",
        fmt::format("{} is not an integer from -2^63 to 2^63-1", quote(lexer_.text(token.span))),
        token.span);
  }
  advance();
  // Unsigned negation: the smallest integer has no positive counterpart.
  const std::uint64_t bits = negative ? 0 - token.magnitude : token.magnitude;
  return make(IntegerLiteral{static_cast<std::int64_t>(bits)}, token.span);
}

/// `0.5`, `1e-5`
Result<Expression> Parser::real() {
  const std::string_view text = lexer_.text(token_.span);
  RealLiteral node;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), node.value);
  if (error != std::errc()) {
    return fail("syntax.number", fmt::format("{} is outside of the numbers of f64", quote(text)),
                token_.span, "inf is written inf");
  }
  const Span span = token_.span;
  advance();
  return make(node, span);
}

/// A string, with JSON's escapes.
Result<Expression> Parser::string() {
  const Token token = token_;
  const std::string_view quoted = lexer_.text(token.span);
  std::optional<QuotedText> text = unquoted(quoted, token.span.begin);
  if (!text) {
    return fail("syntax.unexpected", fmt::format("{} is not a string of JSON", quote(quoted)),
                token.span, "a backslash comes before \" \\ / b f n r t or u0041");
  }
  advance();
  return make(StringLiteral{std::move(text->text), std::move(text->places)}, token.span);
}

Result<Expression> Parser::parentheses() {
  const Span opening = token_.span;
  Parentheses node;
  node.is_literal = true;
  std::vector<Expression> parts;
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    HEDDLE_TRY(parts.emplace_back(), expression(kComparisonLevel));
    node.is_literal = node.is_literal && is_literal(parts.back());
    if (!accept(TokenKind::kComma)) break;
    node.has_trailing_comma = token_.kind == TokenKind::kRightParenthesis;
  }
  return make_closed(TokenKind::kRightParenthesis, opening, node, std::move(parts));
}

Result<Expression> Parser::list() {
  const Span opening = token_.span;
  std::vector<Expression> parts;
  open();
  while (token_.kind != TokenKind::kRightBracket) {
    HEDDLE_TRY(parts.emplace_back(), expression(kComparisonLevel));
    if (!accept(TokenKind::kComma) && !accept(TokenKind::kSemicolon)) break;
  }
  return make_closed(TokenKind::kRightBracket, opening, ListLiteral{}, std::move(parts));
}

/// Expressions between separators; a trailing separator is allowed.
Result<std::vector<Expression>> Parser::cells(int min_level, TokenKind separator) {
  std::vector<Expression> parts;
  do {
    HEDDLE_TRY(parts.emplace_back(), binary(min_level));
  } while (accept(separator) && token_.kind != TokenKind::kRightBracket &&
           token_.kind != TokenKind::kRightBrace && token_.kind != TokenKind::kGreater);
  return parts;
}

/// The expressions as a tuple, as if in parentheses.
Result<Expression> Parser::listed(std::vector<Expression> parts) {
  const Span span{parts.front().span.begin, parts.back().span.end};
  return make(Parentheses{true, false}, span, std::move(parts));
}

/// The name before the colon, with quotes as in JSON, or without.
Result<std::string> Parser::field_name() {
  if (token_.kind != TokenKind::kString && token_.kind != TokenKind::kName) {
    return fail_unexpected("the name of a field");
  }
  HEDDLE_TRY(std::string name, axis_name());  // {Axis.warpid: 5}
  HEDDLE_CHECK(expect(TokenKind::kColon, "':' and what the field holds"));
  return name;
}

/// `{"dim0": 16}`; `{'x', 'y'}`, a set as Python prints it, is a list.
Result<Expression> Parser::object() {
  const Span opening = token_.span;
  ObjectLiteral node;
  std::vector<Expression> parts;
  std::set<std::string> names;
  open();
  if (token_.kind == TokenKind::kString && next_kind() != TokenKind::kColon) {
    HEDDLE_TRY(parts, cells(kSumLevel, TokenKind::kComma));
    return make_closed(TokenKind::kRightBrace, opening, ListLiteral{}, std::move(parts));
  }
  while (token_.kind != TokenKind::kRightBrace) {
    const std::size_t begin = token_.span.begin;
    HEDDLE_TRY(std::string name, field_name());
    if (!names.insert(name).second) {
      return fail("syntax.unexpected",
                  fmt::format("the object has the field {} twice", quote(name)), span_from(begin));
    }
    node.names.push_back(std::move(name));
    HEDDLE_TRY(parts.emplace_back(), binary(kCompositionLevel));
    if (!accept(TokenKind::kComma)) break;
  }
  return make_closed(TokenKind::kRightBrace, opening, std::move(node), std::move(parts));
}

Result<Expression> Parser::foreign_text() {
  const auto parse = [this](Span piece) -> Result<Expression> {
    Lexer lexer(lexer_.text().substr(0, piece.end));
    lexer.continue_at(piece.begin);
    return read_whole(lexer, nesting_);
  };
  std::size_t position = token_.span.begin;
  const auto [notation, length] = find_foreign_text(lexer_.text().substr(position));
  Result<Expression> expression = notation->read(lexer_.text(), position, parse);
  return read_elsewhere(std::move(expression), position);
}

/// `\lfloor \sqrt{x} \rfloor`
Result<Expression> Parser::floor_root() {
  const Span opening = token_.span;
  advance();
  HEDDLE_TRY(Expression number, expression(kComparisonLevel));
  if (!accept(TokenKind::kRightBrace)) return fail_open(opening);
  HEDDLE_CHECK(expect(TokenKind::kFloorEnd, "\\rfloor"));
  return make(Application{{std::string_view()}}, span_from(opening.begin),
              expressions_of(make_expression(Reference{"isqrt"}, opening), std::move(number)));
}

}  // namespace heddle::notation
