// Operators, choices and functions, and postfix forms: calls, indices, members.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "notation/language/free_names.h"
#include "notation/language/parser.h"

namespace heddle::notation {

namespace {

int level_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
    case TokenKind::kNotEqual:
    case TokenKind::kLess:
    case TokenKind::kLessEqual:
    case TokenKind::kGreater:
    case TokenKind::kGreaterEqual:
      return kComparisonLevel;
    case TokenKind::kCompose:
      return kCompositionLevel;
    case TokenKind::kColon:
      return kLayoutLevel;
    case TokenKind::kDivides:
      return kBitOrLevel;
    case TokenKind::kXor:
      return kBitXorLevel;
    case TokenKind::kColumn:
      return kBitAndLevel;
    case TokenKind::kPlus:
    case TokenKind::kMinus:
      return kSumLevel;
    case TokenKind::kStar:
    case TokenKind::kFloorDivide:
    case TokenKind::kSlash:
    case TokenKind::kPercent:
      return kProductLevel;
    default:
      return kNoOperator;
  }
}

/// The parameters before an arrow; nullopt if they are not names, or one is repeated.
std::optional<std::vector<std::string_view>> parameters_of(const Expression& expression) {
  const bool is_list = std::holds_alternative<Parentheses>(expression.node);
  const std::span<const Expression> parts =
      is_list ? std::span(expression.parts) : std::span(&expression, 1);
  std::vector<std::string_view> names;
  for (const Expression& part : parts) {
    const auto* name = std::get_if<Reference>(&part.node);
    if (name == nullptr || std::ranges::find(names, name->name) != names.end()) return std::nullopt;
    names.push_back(name->name);
  }
  if (names.empty()) return std::nullopt;
  return names;
}

}  // namespace

/// An expression, including the loosest operators.
Result<Expression> Parser::expression(int min_level) {
  if (is_word("if")) return choice(min_level);
  if (is_word("lambda") && next_kind() == TokenKind::kName) return lambda(min_level);
  HEDDLE_TRY(Expression left, connective(min_level, /*is_and=*/false));
  if (token_.kind == TokenKind::kArrow) return function(left, min_level);
  if (is_word("if")) return postfix_choice(std::move(left), min_level);
  return left;
}

/// `a or b`, whose sides are `a and b`, whose sides are comparisons.
Result<Expression> Parser::connective(int min_level, bool is_and) {
  const auto side = [&] { return is_and ? negated(min_level) : connective(min_level, true); };
  HEDDLE_TRY(Expression left, side());
  const std::string_view word = is_and ? "and" : "or";
  if (!is_word(word)) return left;
  const std::size_t begin = left.span.begin;
  std::vector<Expression> sides = expressions_of(std::move(left));
  while (is_word(word)) {
    HEDDLE_CHECK(use_word(word));
    HEDDLE_TRY(sides.emplace_back(), side());
  }
  return make(Connective{is_and}, span_from(begin), std::move(sides));
}

/// `not a`, a choice of false if `a` holds and of true otherwise; or a comparison.
Result<Expression> Parser::negated(int min_level) {
  const TokenKind next = is_word("not") ? next_kind() : TokenKind::kEnd;
  const bool is_negated = next == TokenKind::kName || next == TokenKind::kInteger ||
                          next == TokenKind::kReal || next == TokenKind::kLeftParenthesis;
  if (!is_negated) return binary(min_level);
  const std::size_t begin = token_.span.begin;
  HEDDLE_CHECK(enter());
  HEDDLE_CHECK(use_word("not"));
  HEDDLE_TRY(Expression condition, negated(kComparisonLevel));
  --nesting_;
  const Span span = span_from(begin);
  const auto truth = [&](std::string_view name) {
    return make_expression(Reference{name}, {span.end, span.end});
  };
  return make(Choice{}, span, expressions_of(std::move(condition), truth("false"), truth("true")));
}

/// `if c then a else b`
Result<Expression> Parser::choice(int min_level) {
  const std::size_t begin = token_.span.begin;
  HEDDLE_CHECK(enter());
  HEDDLE_CHECK(use_word("if"));
  HEDDLE_TRY(Expression condition, connective(kComparisonLevel, /*is_and=*/false));
  skip_newlines();
  HEDDLE_CHECK(use_word("then"));
  HEDDLE_TRY(Expression then, expression(min_level));
  skip_newlines();
  HEDDLE_CHECK(use_word("else"));
  HEDDLE_TRY(Expression otherwise, expression(min_level));
  --nesting_;
  return make(Choice{}, span_from(begin),
              expressions_of(std::move(condition), std::move(then), std::move(otherwise)));
}

/// `a if c else b`, as Python writes it.
Result<Expression> Parser::postfix_choice(Expression then, int min_level) {
  const std::size_t begin = then.span.begin;
  HEDDLE_CHECK(enter());
  HEDDLE_CHECK(use_word("if"));
  HEDDLE_TRY(Expression condition, connective(kComparisonLevel, /*is_and=*/false));
  HEDDLE_CHECK(use_word("else"));
  HEDDLE_TRY(Expression otherwise, expression(min_level));
  --nesting_;
  return make(Choice{}, span_from(begin),
              expressions_of(std::move(condition), std::move(then), std::move(otherwise)));
}

/// `(i,j) -> body`, `x -> body`
Result<Expression> Parser::function(const Expression& parameters, int min_level) {
  auto names = parameters_of(parameters);
  if (!names) {
    return fail("syntax.unexpected",
                "the names of a function's parameters come before '->', each once", parameters.span,
                "(i,j) -> 3*i+j, or x -> (x//3, x%3)");
  }
  HEDDLE_CHECK(enter());
  advance();
  skip_newlines();
  HEDDLE_TRY(Expression body, expression(min_level));
  --nesting_;
  return make(FunctionLiteral{*std::move(names)}, span_from(parameters.span.begin),
              expressions_of(std::move(body)));
}

/// `lambda i, j: body`, as Python writes it.
Result<Expression> Parser::lambda(int min_level) {
  const std::size_t begin = token_.span.begin;
  HEDDLE_CHECK(enter());
  advance();
  FunctionLiteral node;
  do {
    const std::string_view name = lexer_.text(token_.span);
    if (token_.kind != TokenKind::kName) return fail_unexpected("the name of a parameter");
    HEDDLE_CHECK(check_name(token_.span));
    if (std::ranges::find(node.parameters, name) != node.parameters.end()) {
      return fail("syntax.unexpected",
                  fmt::format("the function has the parameter {} twice", quote(name)), token_.span);
    }
    node.parameters.push_back(name);
    advance();
  } while (accept(TokenKind::kComma));
  HEDDLE_CHECK(expect(TokenKind::kColon, "':' and what the function gives"));
  skip_newlines();
  HEDDLE_TRY(Expression body, expression(min_level));
  --nesting_;
  return make(std::move(node), span_from(begin), expressions_of(std::move(body)));
}

/// `/` divides only where no remainder can be lost: in the tiles of LEGO's layouts, where it has to
/// divide, in functions of Python, which are checked, and in kernels, which have real numbers.
Result<void> Parser::check_slash() const {
  if (is_in_tile_ || lexer_.reads_python() || lexer_.reads_kernel()) return {};
  return fail("syntax.slash", "'/' is not an operator: integers are divided by '//'", token_.span,
              "write // for the quotient rounded down, % for its remainder");
}

/// Whether the sign comes twice in a row: `<<`, `&&`.
bool Parser::is_twice() const {
  Lexer ahead = lexer_;
  const Result<Token> next = ahead.next();
  return next && next->kind == token_.kind && next->span.begin == token_.span.end;
}

/// The level of the operator that comes next; of `<<` and `>>` that of shifts. `&&` and `||` are
/// not operators, and `>>` closes two tilers within a tiler.
int Parser::level_of_next() const {
  const TokenKind sign = token_.kind;
  const bool is_bits = sign == TokenKind::kColumn || sign == TokenKind::kDivides;
  const bool is_order = sign == TokenKind::kLess || sign == TokenKind::kGreater;
  if (!(is_bits || is_order) || !is_twice()) return level_of(sign);
  const bool is_in_tiler = !openings_.empty() && lexer_.text(openings_.back()) == "<";
  if (sign == TokenKind::kGreater && is_in_tiler) return kComparisonLevel;
  return is_bits ? kNoOperator : kShiftLevel;
}

/// `a ^ b`, `a << b`, as C and Python write them, are calls: bit_xor(a, b), shift_left(a, b).
Result<Expression> Parser::of_bits(Expression left, Token sign, Expression right) {
  std::string_view name;
  if (sign.kind == TokenKind::kDivides) name = "bit_or";
  if (sign.kind == TokenKind::kXor) name = "bit_xor";
  if (sign.kind == TokenKind::kColumn) name = "bit_and";
  if (sign.kind == TokenKind::kLess) name = "shift_left";
  if (sign.kind == TokenKind::kGreater) name = "shift_right";
  const Span span{left.span.begin, right.span.end};
  return make(Application{{std::string_view(), std::string_view()}}, span,
              expressions_of(make_expression(Reference{name}, sign.span), std::move(left),
                             std::move(right)));
}

Result<Expression> Parser::binary(int min_level) {
  HEDDLE_TRY(Expression left, unary());
  while (true) {
    if (is_word("tile") && min_level <= kLayoutLevel) {
      HEDDLE_TRY(left, on_tile(std::move(left)));
      continue;
    }
    const Token sign = token_;
    const int level = level_of_next();
    if (level == kNoOperator || level < min_level) return left;
    if (sign.kind == TokenKind::kSlash) HEDDLE_CHECK(check_slash());
    advance();
    if (level == kShiftLevel) advance();
    skip_newlines();
    HEDDLE_TRY(Expression right, binary(level + 1));
    const bool is_of_bits = level >= kBitOrLevel && level <= kShiftLevel;
    HEDDLE_TRY(left, is_of_bits ? of_bits(std::move(left), sign, std::move(right))
                                : join(std::move(left), sign.kind, std::move(right)));
  }
}

/// `((4,8),(2,2)):((32,1),(16,8)) tile (16,8)`
Result<Expression> Parser::on_tile(Expression layout) {
  HEDDLE_CHECK(use_word("tile"));
  HEDDLE_TRY(Expression tile, binary(kSumLevel));
  const Span span{layout.span.begin, tile.span.end};
  return make(OnTile{}, span, expressions_of(std::move(layout), std::move(tile)));
}

Result<Expression> Parser::join(Expression left, TokenKind sign, Expression right) {
  const Span span{left.span.begin, right.span.end};
  const int level = level_of(sign);
  const bool is_comparison = level == kComparisonLevel;
  if ((is_comparison && std::holds_alternative<ComparisonNode>(left.node)) ||
      (level == kLayoutLevel && std::holds_alternative<LayoutLiteral>(left.node))) {
    return fail(
        "syntax.unexpected",
        fmt::format("{} cannot follow one another", is_comparison ? "comparisons" : "':' and ':'"),
        span,
        lexer_.reads_kernel() && !is_comparison
            ? "ranges have no step: X.reshape(N // 2, 2)[:, 0] is every second element of X"
            : "put parentheses around one of them");
  }
  if (level == kCompositionLevel && std::holds_alternative<CompositionChain>(left.node)) {
    return grow(std::move(left), std::move(right));
  }
  if (auto* chain = std::get_if<Arithmetic>(&left.node);
      chain != nullptr && level_of(chain->operators.front()) == level) {
    chain->operators.push_back(sign);
    return grow(std::move(left), std::move(right));
  }
  Expression::Node node = Arithmetic{{sign}};
  if (is_comparison) node = ComparisonNode{sign};
  if (level == kCompositionLevel) node = CompositionChain{};
  if (level == kLayoutLevel) node = LayoutLiteral{};
  return make(std::move(node), span, expressions_of(std::move(left), std::move(right)));
}

Result<Expression> Parser::unary() {
  const std::size_t begin = token_.span.begin;
  bool negate = false;
  bool any_sign = false;
  for (; token_.kind == TokenKind::kMinus || token_.kind == TokenKind::kPlus; advance()) {
    any_sign = true;
    if (token_.kind == TokenKind::kMinus) negate = !negate;
  }
  const bool is_integer = token_.kind == TokenKind::kInteger;
  HEDDLE_TRY(Expression operand, postfix(negate && is_integer));
  if (any_sign) operand.span.begin = begin;
  if (!negate || is_integer) return operand;
  const Span span = operand.span;
  return make(Negation{}, span, expressions_of(std::move(operand)));
}

Result<Expression> Parser::postfix(bool negate_integer) {
  HEDDLE_TRY(Expression left, primary(negate_integer));
  while (true) {
    switch (token_.kind) {
      case TokenKind::kAt: {
        HEDDLE_TRY(left, at_sign(std::move(left)));
        break;
      }
      case TokenKind::kLeftParenthesis: {
        HEDDLE_TRY(left, application(std::move(left)));
        break;
      }
      case TokenKind::kLeftBracket: {
        HEDDLE_TRY(left, subscript(std::move(left)));
        break;
      }
      case TokenKind::kDot: {
        HEDDLE_TRY(left, member(std::move(left)));
        break;
      }
      case TokenKind::kEmptyBraces:  // a value of a C++ type: _8{}, LayoutRight{}
        left.span.end = token_.span.end;
        advance();
        break;
      default:
        return left;
    }
  }
}

/// Ranges are read in kernels only.
Result<void> Parser::check_index(const Expression& index, bool is_whole) const {
  const bool is_range = std::holds_alternative<LayoutLiteral>(index.node);
  const bool is_open =
      is_whole && token_.kind != TokenKind::kComma && token_.kind != TokenKind::kRightBracket;
  if (!is_open && (!is_range || lexer_.reads_kernel()) && token_.kind != TokenKind::kColon) {
    return {};
  }
  if (lexer_.reads_kernel()) {
    return fail("syntax.unexpected", "a range has a beginning and an end", index.span,
                "0:8 is 0 up to 7, and so is 0 : +8");
  }
  return fail("syntax.unexpected",
              "a slice is a whole dimension, ':'; parts of one, 'a:b', are not read", index.span,
              "a tile of its own makes a part: TileBy([M//BM],[BM]) and [i, :]");
}

/// `L[i, k, :, :]`; a `:` is the whole dimension, like `_`.
Result<Expression> Parser::subscript(Expression whole) {
  const Span opening = token_.span;
  const std::size_t begin = whole.span.begin;
  HEDDLE_CHECK(enter());
  std::vector<Expression> parts = expressions_of(std::move(whole));
  open();
  while (token_.kind != TokenKind::kRightBracket) {
    const Span first = token_.span;
    const bool is_whole = accept(TokenKind::kColon);
    HEDDLE_TRY(Expression index,
               is_whole ? make(UnderscoreLiteral{}, first) : expression(kComparisonLevel));
    HEDDLE_CHECK(check_index(index, is_whole));
    parts.push_back(std::move(index));
    if (!accept(TokenKind::kComma)) break;
  }
  if (parts.size() == 1 && token_.kind == TokenKind::kRightBracket) {
    return fail("syntax.unexpected", fmt::format("{} where an index is expected", describe_token()),
                token_.span, fmt::format("{}, without brackets", lexer_.text(parts.front().span)));
  }
  HEDDLE_CHECK(close(TokenKind::kRightBracket, opening));
  --nesting_;
  return make(Subscript{}, span_from(begin), std::move(parts));
}

/// S[…], R[…] and SW(…) are functions of TVM's modules, not methods.
Result<void> Parser::check_module(const Expression& path) const {
  const Expression* root = &path;
  while (std::holds_alternative<Member>(root->node)) root = &root->parts.front();
  const auto* name = std::get_if<Reference>(&root->node);
  constexpr std::string_view kOwnModules[] = {"T", "Tx", "tirx", "tvm"};
  if (name != nullptr && std::ranges::find(kOwnModules, name->name) != std::end(kOwnModules))
    return {};
  return fail("syntax.unexpected",
              fmt::format("{} is not a module of TVM", quote(lexer_.text(path.span))), path.span,
              "S[8:1@m] is used alone, or as T.S[8:1@m]");
}

Result<Expression> Parser::member(Expression whole) {
  advance();
  const bool is_fraction =
      std::holds_alternative<IntegerLiteral>(whole.node) && token_.kind == TokenKind::kInteger;
  if (is_fraction) {
    const Span number{whole.span.begin, token_.span.end};
    return fail(
        "syntax.number",
        fmt::format("{} is not an integer; all numbers are integers", quote(lexer_.text(number))),
        number);
  }
  const bool is_piece = token_.kind == TokenKind::kShardOpen ||
                        token_.kind == TokenKind::kReplicaOpen ||
                        token_.kind == TokenKind::kTvmSwizzleOpen;
  const bool is_path =
      std::holds_alternative<Reference>(whole.node) || std::holds_alternative<Member>(whole.node);
  if (is_piece && is_path) {  // T.S[…], tvm.tirx.layout.S[…]
    HEDDLE_CHECK(check_module(whole));
    HEDDLE_TRY(Expression piece, primary(/*negate_integer=*/false));
    piece.span.begin = whole.span.begin;
    return piece;
  }
  // Axes may be numbers: L[c].0. After a dot `o` is a name.
  if (token_.kind != TokenKind::kName && token_.kind != TokenKind::kInteger &&
      token_.kind != TokenKind::kCompose) {
    return fail_unexpected("the name of a method");
  }
  const std::string_view name = lexer_.text(token_.span);
  const std::size_t begin = whole.span.begin;
  advance();
  return make(Member{name}, span_from(begin), expressions_of(std::move(whole)));
}

std::optional<std::string_view> Parser::argument_name() {
  if (token_.kind != TokenKind::kName || next_kind() != TokenKind::kAssign) return std::nullopt;
  const std::string_view name = lexer_.text(token_.span);
  advance();
  advance();
  return name == "\u03c3" ? "sigma" : name;
}

Result<Expression> Parser::application(Expression function) {
  const Span opening = token_.span;
  const std::size_t begin = function.span.begin;
  HEDDLE_CHECK(enter());
  Application node;
  const auto* called = std::get_if<Reference>(&function.node);
  const auto* method = std::get_if<Member>(&function.node);
  const bool may_leave_out = called != nullptr && called->name == "GenP";
  const std::size_t tiles = called != nullptr   ? tile_count(called->name)
                            : method != nullptr ? tile_count(method->name)
                                                : 0;
  // A function in a tile has sizes as arguments: [max(M/GM,1)].
  const bool was_in_tile = is_in_tile_;
  // The argument is a layout: A.relayout(S[8:1]).
  const bool is_relayout = lexer_.reads_kernel() && method != nullptr && method->name == "relayout";
  std::vector<Expression> parts = expressions_of(std::move(function));
  if (is_relayout) lexer_.read_kernel(false);
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    if (may_leave_out && parts.size() == 3 && token_.kind == TokenKind::kDot) {
      // `...` in place of a known inverse, which the paper omits.
      for (int dot = 0; dot < 3; ++dot) HEDDLE_CHECK(expect(TokenKind::kDot, "'...'"));
      break;
    }
    if (may_leave_out && parts.size() == 3 && is_word("None")) {  // no inverse, in LEGO's Python
      advance();
      accept(TokenKind::kComma);
      break;
    }
    node.names.push_back(argument_name().value_or(std::string_view()));
    is_in_tile_ = parts.size() - 1 < tiles || (was_in_tile && tiles == 0);
    HEDDLE_TRY(parts.emplace_back(), expression(kComparisonLevel));
    if (!accept(TokenKind::kComma)) break;
  }
  is_in_tile_ = was_in_tile;
  if (is_relayout) lexer_.read_kernel(true);
  HEDDLE_CHECK(close(TokenKind::kRightParenthesis, opening));
  --nesting_;
  return make(std::move(node), span_from(begin), std::move(parts));
}

}  // namespace heddle::notation
