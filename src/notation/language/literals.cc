// Where an expression begins: numbers, texts, names, tuples, lists, objects, and what C++ and MLIR
// print.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "notation/language/literals/cpp_types.h"
#include "notation/language/literals/mlir_types.h"
#include "notation/language/literals/pointers.h"
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

/// A word that may precede a C++ type and says nothing about it.
bool is_cpp_qualifier(std::string_view word) {
  return word == "const" || word == "typename" || word == "struct" || word == "class";
}

/// A type whose template parameters are replaced if `[with …]` after it says by what.
Result<Expression> read_cpp_expression(std::string_view text, std::size_t& position) {
  HEDDLE_TRY(CppType type, read_cpp_type(text, position));
  const std::size_t next = std::min(text.find_first_not_of(' ', position), text.size());
  if (text.substr(next).starts_with("[with")) {
    position = next;
    HEDDLE_TRY(const CppBindings bindings, read_cpp_bindings(text, position));
    HEDDLE_TRY(type, substitute(type, bindings));
  }
  return expression_of(type, text);
}

}  // namespace

Result<Expression> Parser::primary(bool negate_integer) {
  const Token token = token_;
  switch (token.kind) {
    case TokenKind::kInteger:
      return integer(negate_integer);
    case TokenKind::kString:
      return string();
    case TokenKind::kUnderscore:
      advance();
      return make(UnderscoreLiteral{}, token.span);
    case TokenKind::kDynamic:
      advance();
      return make(DynamicLiteral{static_cast<std::int64_t>(token.magnitude)}, token.span);
    case TokenKind::kPointer:
      return pointer();
    case TokenKind::kCppType:
      return cpp_type();
    case TokenKind::kMlirType:
      return mlir_type();
    case TokenKind::kName:
      advance();
      if (is_cpp_qualifier(lexer_.text(token.span)) && token_.kind == TokenKind::kCppType) {
        return cpp_type();
      }
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
    case TokenKind::kTriton:
      advance();
      return make(TritonLiteral{lexer_.text(token.span)}, token.span);
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

/// What `read` reads, one level deeper.
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
    return fail("syntax.number",
                fmt::format("{} does not fit into 64 bits", quote(lexer_.text(token.span))),
                token.span);
  }
  advance();
  // Unsigned negation: the smallest integer has no positive counterpart.
  const std::uint64_t bits = negative ? 0 - token.magnitude : token.magnitude;
  return make(IntegerLiteral{static_cast<std::int64_t>(bits)}, token.span);
}

/// A string is one of JSON, escapes included.
Result<Expression> Parser::string() {
  const Token token = token_;
  const std::string_view quoted = lexer_.text(token.span);
  std::optional<QuotedText> text = unquoted(quoted, token.span.begin);
  if (!text) {
    return fail("syntax.unexpected", fmt::format("{} is no string of JSON", quote(quoted)),
                token.span, R"(a backslash stands before " \ / b f n r t or u0041)");
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
  if (token_.kind == TokenKind::kRightParenthesis) {
    return fail("syntax.empty_tuple", "a tuple has at least one mode",
                {opening.begin, token_.span.end});
  }
  while (!node.has_trailing_comma) {
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
    HEDDLE_TRY(parts.emplace_back(), expression(kCompositionLevel));
    if (!accept(TokenKind::kComma) && !accept(TokenKind::kSemicolon)) break;
  }
  return make_closed(TokenKind::kRightBracket, opening, ListLiteral{}, std::move(parts));
}

/// Expressions with separators between them; one may follow the last.
Result<std::vector<Expression>> Parser::cells(int min_level, TokenKind separator) {
  std::vector<Expression> parts;
  do {
    HEDDLE_TRY(parts.emplace_back(), binary(min_level));
  } while (accept(separator) && token_.kind != TokenKind::kRightBracket &&
           token_.kind != TokenKind::kRightBrace && token_.kind != TokenKind::kGreater);
  return parts;
}

/// Several expressions as a tuple, as parentheses would make it.
Result<Expression> Parser::listed(std::vector<Expression> parts) {
  const Span span{parts.front().span.begin, parts.back().span.end};
  return make(Parentheses{true, false}, span, std::move(parts));
}

/// The name in front of the colon: in quotes as in JSON, or without.
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

Result<Expression> Parser::pointer() {
  const PrintedPointer pointer = *match_pointer(lexer_.text(token_.span));
  if (pointer.is_swizzled) return fail_unexpected("a swizzle in front of '_'");
  const Span span = token_.span;
  advance();
  return make(pointer.literal, span);
}

Result<Expression> Parser::cpp_type() {
  std::size_t position = token_.span.begin;
  Result<Expression> expression = read_cpp_expression(lexer_.text(), position);
  return read_elsewhere(std::move(expression), position);
}

Result<Expression> Parser::mlir_type() {
  // A piece of a string may hold a type again, but each time it is nested once more.
  HEDDLE_CHECK(enter());
  std::size_t position = token_.span.begin;
  const auto parse = [this](Span piece) -> Result<Expression> {
    Lexer lexer(lexer_.text().substr(0, piece.end));
    lexer.continue_at(piece.begin);
    return read_whole(lexer, nesting_);
  };
  Result<Expression> expression = read_mlir_type(lexer_.text(), position, parse);
  --nesting_;
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
              list_of(make_expression(Reference{"isqrt"}, opening), std::move(number)));
}

}  // namespace heddle::notation
