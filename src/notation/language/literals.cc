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

/// What may stand in front of a C++ type and says nothing about it.
bool is_cpp_qualifier(std::string_view word) {
  return word == "const" || word == "typename" || word == "struct" || word == "class";
}

/// A type, and what its template parameters stand for where that is said behind it.
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

Parsed Parser::primary(bool negate_integer) {
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
      return dynamic();
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
    case TokenKind::kLeftBracket:
    case TokenKind::kLeftBrace:
    case TokenKind::kLess:
    case TokenKind::kSwizzleOpen:
    case TokenKind::kBasisOpen:
    case TokenKind::kShardOpen:
    case TokenKind::kReplicaOpen:
    case TokenKind::kShardMatrix:
    case TokenKind::kReplicaMatrix:
    case TokenKind::kTvmSwizzleOpen:
      return nested_primary();
    case TokenKind::kFloorRoot:
      return floor_root();
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

Parsed Parser::nested_primary() {
  if (!enter()) return std::nullopt;
  Parsed result;
  switch (token_.kind) {
    case TokenKind::kLeftParenthesis:
      result = parentheses();
      break;
    case TokenKind::kLeftBracket:
      result = list();
      break;
    case TokenKind::kLeftBrace:
      result = object();
      break;
    case TokenKind::kLess:
      result = tiler();
      break;
    case TokenKind::kSwizzleOpen:
      result = swizzle();
      break;
    case TokenKind::kShardOpen:
    case TokenKind::kReplicaOpen:
      result = iters();
      break;
    case TokenKind::kShardMatrix:
    case TokenKind::kReplicaMatrix:
      result = matrix();
      break;
    case TokenKind::kTvmSwizzleOpen:
      result = tvm_swizzle();
      break;
    default:
      result = basis();
      break;
  }
  --nesting_;
  return result;
}

Parsed Parser::integer(bool negate) {
  const Token token = token_;
  const bool negative = token.negative != negate;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (token.magnitude > kMax && !negative) {
    return fail(Diagnostic("syntax.number", fmt::format("{} does not fit into 64 bits",
                                                        quote(lexer_.text(token.span))))
                    .with_span(token.span));
  }
  advance();
  // Unsigned negation: the smallest integer has no positive counterpart.
  const std::uint64_t bits = negative ? 0 - token.magnitude : token.magnitude;
  return make(IntegerLiteral{static_cast<std::int64_t>(bits)}, token.span);
}

/// A string is one of JSON, escapes included.
Parsed Parser::string() {
  const Token token = token_;
  const std::string_view quoted = lexer_.text(token.span);
  std::optional<QuotedText> text = unquoted(quoted, token.span.begin);
  if (!text) {
    return fail(Diagnostic("syntax.unexpected",
                           fmt::format("{} is no string of JSON", notation::quote(quoted)))
                    .with_span(token.span)
                    .with_hint(R"(a backslash stands before " \ / b f n r t or u0041)"));
  }
  advance();
  return make(StringLiteral{std::move(text->text), std::move(text->places)}, token.span);
}

Parsed Parser::parentheses() {
  const Span opening = token_.span;
  Parentheses node;
  node.is_literal = true;
  std::vector<Expression> parts;
  open();
  if (token_.kind == TokenKind::kRightParenthesis) {
    return fail(Diagnostic("syntax.empty_tuple", "a tuple has at least one mode")
                    .with_span({opening.begin, token_.span.end}));
  }
  while (true) {
    Parsed part = expression(kComparisonLevel);
    if (!part) return std::nullopt;
    node.is_literal = node.is_literal && is_literal(*part);
    parts.push_back(*std::move(part));
    if (token_.kind != TokenKind::kComma) break;
    advance();
    node.has_trailing_comma = token_.kind == TokenKind::kRightParenthesis;
    if (node.has_trailing_comma) break;
  }
  if (!close(TokenKind::kRightParenthesis, opening)) return std::nullopt;
  return make(node, span_from(opening.begin), std::move(parts));
}

Parsed Parser::list() {
  const Span opening = token_.span;
  std::vector<Expression> parts;
  open();
  while (token_.kind != TokenKind::kRightBracket) {
    Parsed part = expression(kCompositionLevel);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
    if (token_.kind != TokenKind::kComma && token_.kind != TokenKind::kSemicolon) break;
    advance();
  }
  if (!close(TokenKind::kRightBracket, opening)) return std::nullopt;
  return make(ListLiteral{}, span_from(opening.begin), std::move(parts));
}

/// Expressions with commas, or what else separates them, between them.
std::optional<std::vector<Expression>> Parser::cells(TokenKind separator) {
  std::vector<Expression> parts;
  while (true) {
    Parsed part = binary(kSumLevel);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
    if (token_.kind != separator) return parts;
    advance();
    const bool is_end =
        token_.kind == TokenKind::kRightBracket || token_.kind == TokenKind::kRightBrace;
    if (is_end) return parts;
  }
}

/// Several expressions as a tuple, as parentheses would make it.
Parsed Parser::listed(std::vector<Expression> parts) {
  const Span span{parts.front().span.begin, parts.back().span.end};
  return make(Parentheses{true, false}, span, std::move(parts));
}

/// The name in front of the colon: in quotes as in JSON, or without.
std::optional<std::string> Parser::field_name() {
  std::string name;
  if (token_.kind == TokenKind::kString) {
    const Parsed quoted = string();
    if (!quoted) return std::nullopt;
    name = std::get<StringLiteral>(quoted->node).value;
  } else if (token_.kind == TokenKind::kName) {
    const std::optional<std::string> last = axis_name();  // {Axis.warpid: 5}
    if (!last) return std::nullopt;
    name = *last;
  } else {
    return fail_unexpected("the name of a field");
  }
  if (token_.kind != TokenKind::kColon) return fail_unexpected("':' and what the field holds");
  advance();
  return name;
}

/// `{'x', 'y'}`, a set as Python prints it: a list.
Parsed Parser::set(Span opening) {
  std::optional<std::vector<Expression>> parts = cells(TokenKind::kComma);
  if (!parts || !close(TokenKind::kRightBrace, opening)) return std::nullopt;
  return make(ListLiteral{}, span_from(opening.begin), *std::move(parts));
}

Parsed Parser::object() {
  const Span opening = token_.span;
  ObjectLiteral node;
  std::vector<Expression> parts;
  std::set<std::string> names;
  open();
  if (token_.kind == TokenKind::kString && next_kind() != TokenKind::kColon) return set(opening);
  while (token_.kind != TokenKind::kRightBrace) {
    const std::size_t begin = token_.span.begin;
    std::optional<std::string> name = field_name();
    if (!name) return std::nullopt;
    if (!names.insert(*name).second) {
      return fail(Diagnostic("syntax.unexpected", fmt::format("the object has the field {} twice",
                                                              notation::quote(*name)))
                      .with_span(span_from(begin)));
    }
    Parsed part = binary(kCompositionLevel);
    if (!part) return std::nullopt;
    node.names.push_back(*std::move(name));
    parts.push_back(*std::move(part));
    if (token_.kind != TokenKind::kComma) break;
    advance();
  }
  if (!close(TokenKind::kRightBrace, opening)) return std::nullopt;
  return make(std::move(node), span_from(opening.begin), std::move(parts));
}

Parsed Parser::dynamic() {
  const Token token = token_;
  advance();
  return make(DynamicLiteral{static_cast<std::int64_t>(token.magnitude)}, token.span);
}

Parsed Parser::pointer() {
  const PrintedPointer pointer = *match_pointer(lexer_.text(token_.span));
  if (pointer.is_swizzled) return fail_unexpected("a swizzle in front of '_'");
  const Span span = token_.span;
  advance();
  return make(pointer.literal, span);
}

Parsed Parser::cpp_type() {
  std::size_t position = token_.span.begin;
  Result<Expression> expression = read_cpp_expression(lexer_.text(), position);
  return read_elsewhere(std::move(expression), position);
}

Parsed Parser::mlir_type() {
  // A piece of a string may hold a type again, but each time it is nested once more.
  if (!enter()) return std::nullopt;
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
Parsed Parser::floor_root() {
  const Span opening = token_.span;
  if (!enter()) return std::nullopt;
  advance();
  Parsed number = expression(kComparisonLevel);
  --nesting_;
  if (!number) return std::nullopt;
  if (token_.kind != TokenKind::kRightBrace) return fail_open(opening);
  advance();
  if (token_.kind != TokenKind::kFloorEnd) return fail_unexpected("\\rfloor");
  advance();
  const Span span = span_from(opening.begin);
  return make(Application{{std::string_view()}}, span,
              list_of(make_expression(Reference{"isqrt"}, opening), *std::move(number)));
}

}  // namespace heddle::notation
