#include "heddle/notation/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "notation/language/literals/cpp_types.h"
#include "notation/language/literals/mlir_types.h"
#include "notation/language/literals/pointers.h"
#include "notation/language/python_function.h"

namespace heddle::notation {
namespace {

// How tightly operators bind.
constexpr int kComparisonLevel = 1;
constexpr int kCompositionLevel = 2;
constexpr int kLayoutLevel = 3;
constexpr int kSumLevel = 4;
constexpr int kProductLevel = 5;
constexpr int kNoOperator = 0;

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

bool ends_statement(TokenKind kind) {
  return kind == TokenKind::kEnd || kind == TokenKind::kNewline || kind == TokenKind::kSemicolon;
}

bool is_literal(const Expression& expression) {
  if (const auto* parentheses = std::get_if<Parentheses>(&expression.node)) {
    return parentheses->is_literal;
  }
  return std::holds_alternative<IntegerLiteral>(expression.node) ||
         std::holds_alternative<UnderscoreLiteral>(expression.node) ||
         std::holds_alternative<DynamicLiteral>(expression.node) ||
         std::holds_alternative<BasisLiteral>(expression.node);
}

template <class... Parts>
std::vector<Expression> list_of(Parts... parts) {
  std::vector<Expression> list;
  list.reserve(sizeof...(parts));
  (list.push_back(std::move(parts)), ...);
  return list;
}

// The functions of the parser return nothing once something was refused; the reason is in
// `refusal_`. So the frames of the recursion stay small: it may be kMaxNesting deep.
using Parsed = std::optional<Expression>;

/// What may stand in front of a C++ type and says nothing about it.
bool is_cpp_qualifier(std::string_view word) {
  return word == "const" || word == "typename" || word == "struct" || word == "class";
}

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
  Parsed expression(int min_level);
  Parsed connective(int min_level, bool is_and);
  Parsed negated(int min_level);
  Parsed choice(int min_level);
  Parsed postfix_choice(Expression then, int min_level);
  Parsed function(const Expression& parameters, int min_level);
  Parsed subscript(Expression whole);
  bool use_word(std::string_view word);
  [[nodiscard]] bool is_word(std::string_view word) const;
  Parsed binary(int min_level);
  Parsed on_tile(Expression layout);
  Parsed unary();
  Parsed postfix(bool negate_integer);
  Parsed primary(bool negate_integer);
  Parsed nested_primary();
  Parsed integer(bool negate);
  Parsed string();
  Parsed parentheses();
  Parsed tiler();
  Parsed list();
  Parsed object();
  Parsed set(Span opening);
  std::optional<std::string> field_name();
  Parsed swizzle();
  Parsed basis();
  Parsed at_sign(Expression scale);
  Parsed iters();
  Parsed matrix();
  std::optional<std::vector<Expression>> cells(TokenKind separator);
  Parsed listed(std::vector<Expression> parts);
  Parsed tvm_swizzle();
  bool swizzle_side(TvmSwizzleLiteral& node);
  std::optional<std::string> axis_name();
  Parsed member(Expression whole);
  Parsed dynamic();
  Parsed pointer();
  Parsed swizzled_pointer(Expression swizzle);
  Parsed cpp_type();
  Parsed mlir_type();
  Parsed read_elsewhere(Result<Expression> expression, std::size_t end);
  void skip_declaration();
  Parsed application(Expression function);
  Parsed join(Expression left, TokenKind sign, Expression right);
  std::optional<std::size_t> path_step();
  std::optional<std::string_view> argument_name();
  bool skip_dots();
  std::vector<std::string> bound_names();
  std::optional<StatementKind> keyword();
  Statement assumption(StatementKind kind);
  std::optional<Statement> definition();
  Parsed floor_root();

  void advance();
  void skip_newlines();
  [[nodiscard]] TokenKind next_kind() const;
  bool enter();
  void open();
  /// Uses the closing sign of what began at `opening`; false where something else stands there.
  bool close(TokenKind kind, Span opening);
  Parsed make(Expression::Node node, Span span, std::vector<Expression> parts = {});
  Parsed grow(Expression chain, Expression part);
  bool count_terms(std::size_t terms, Span span);
  Parsed check_height(Expression expression);
  std::nullopt_t fail(Diagnostic diagnostic);
  std::nullopt_t fail_unexpected(std::string_view wanted);
  std::nullopt_t fail_shift(TokenKind sign, std::size_t begin);
  std::nullopt_t fail_at_end(std::string_view wanted);
  std::nullopt_t fail_open(Span opening);
  std::nullopt_t fail_bound_keyword(std::string_view word, Span span);
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

/// An expression with what binds loosest in it.
Parsed Parser::expression(int min_level) {
  if (is_word("if")) return choice(min_level);
  if (is_word("lambda") && next_kind() == TokenKind::kName) {
    return fail(Diagnostic("syntax.unexpected", "a function is written with '->', without 'lambda'")
                    .with_span(token_.span)
                    .with_hint("(i,j) -> 3*i+j, or x -> (x//3, x%3)"));
  }
  Parsed left = connective(min_level, /*is_and=*/false);
  if (!left || refusal_) return left;
  if (token_.kind == TokenKind::kArrow) return function(*left, min_level);
  return is_word("if") ? postfix_choice(*std::move(left), min_level) : left;
}

/// `a or b`, whose sides are `a and b`, whose sides are comparisons.
Parsed Parser::connective(int min_level, bool is_and) {
  const auto side = [&] { return is_and ? negated(min_level) : connective(min_level, true); };
  Parsed left = side();
  const std::string_view word = is_and ? "and" : "or";
  if (!left || !is_word(word)) return left;
  const std::size_t begin = left->span.begin;
  std::vector<Expression> sides = list_of(*std::move(left));
  while (is_word(word)) {
    if (!use_word(word)) return std::nullopt;
    Parsed right = side();
    if (!right) return std::nullopt;
    sides.push_back(*std::move(right));
  }
  return make(Connective{is_and}, span_from(begin), std::move(sides));
}

/// `not a`, the choice of false where `a` holds and of true elsewhere; or a comparison.
Parsed Parser::negated(int min_level) {
  const TokenKind next = is_word("not") ? next_kind() : TokenKind::kEnd;
  const bool is_negated = next == TokenKind::kName || next == TokenKind::kInteger ||
                          next == TokenKind::kLeftParenthesis;
  if (!is_negated) return binary(min_level);
  const std::size_t begin = token_.span.begin;
  if (!enter() || !use_word("not")) return std::nullopt;
  Parsed condition = negated(kComparisonLevel);
  --nesting_;
  if (!condition) return std::nullopt;
  const Span span = span_from(begin);
  const auto truth = [&](std::string_view name) {
    return make_expression(Reference{name}, {span.end, span.end});
  };
  return make(Choice{}, span, list_of(*std::move(condition), truth("false"), truth("true")));
}

/// `if c then a else b`
Parsed Parser::choice(int min_level) {
  const std::size_t begin = token_.span.begin;
  if (!enter() || !use_word("if")) return std::nullopt;
  Parsed condition = connective(kComparisonLevel, /*is_and=*/false);
  skip_newlines();
  if (!condition || !use_word("then")) return std::nullopt;
  Parsed then = expression(min_level);
  skip_newlines();
  if (!then || !use_word("else")) return std::nullopt;
  Parsed otherwise = expression(min_level);
  --nesting_;
  if (!otherwise) return std::nullopt;
  return make(Choice{}, span_from(begin),
              list_of(*std::move(condition), *std::move(then), *std::move(otherwise)));
}

/// `a if c else b`, as Python writes it.
Parsed Parser::postfix_choice(Expression then, int min_level) {
  const std::size_t begin = then.span.begin;
  if (!enter() || !use_word("if")) return std::nullopt;
  Parsed condition = connective(kComparisonLevel, /*is_and=*/false);
  if (!condition || !use_word("else")) return std::nullopt;
  Parsed otherwise = expression(min_level);
  --nesting_;
  if (!otherwise) return std::nullopt;
  return make(Choice{}, span_from(begin),
              list_of(*std::move(condition), std::move(then), *std::move(otherwise)));
}

/// The names in front of an arrow; nothing where something else stands there.
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
  return names;
}

/// `(i,j) -> body`, `x -> body`
Parsed Parser::function(const Expression& parameters, int min_level) {
  auto names = parameters_of(parameters);
  if (!names) {
    return fail(Diagnostic("syntax.unexpected",
                           "in front of '->' stand the names of a function's parameters, each once")
                    .with_span(parameters.span)
                    .with_hint("(i,j) -> 3*i+j, or x -> (x//3, x%3)"));
  }
  if (!enter()) return std::nullopt;
  advance();
  skip_newlines();
  Parsed body = expression(min_level);
  --nesting_;
  if (!body) return std::nullopt;
  return make(FunctionLiteral{*std::move(names)}, span_from(parameters.span.begin),
              list_of(*std::move(body)));
}

/// `L[i, k, :, :]`
Parsed Parser::subscript(Expression whole) {
  const Span opening = token_.span;
  const std::size_t begin = whole.span.begin;
  if (!enter()) return std::nullopt;
  std::vector<Expression> parts = list_of(std::move(whole));
  open();
  while (token_.kind != TokenKind::kRightBracket) {
    Parsed index;
    if (token_.kind == TokenKind::kColon) {
      const Span colon = token_.span;
      advance();
      index = make(WholeDimension{}, colon);
    } else {
      index = expression(kComparisonLevel);
    }
    if (!index) return std::nullopt;
    const bool is_part =
        std::holds_alternative<LayoutLiteral>(index->node) ||
        (std::holds_alternative<WholeDimension>(index->node) && token_.kind != TokenKind::kComma &&
         token_.kind != TokenKind::kRightBracket);
    if (is_part || token_.kind == TokenKind::kColon) {
      return fail(
          Diagnostic("syntax.unexpected",
                     "a slice is a whole dimension, ':'; parts of one, 'a:b', are not read")
              .with_span(index->span)
              .with_hint("a tile of its own makes a part: TileBy([M//BM],[BM]) and [i, :]"));
    }
    parts.push_back(*std::move(index));
    if (token_.kind != TokenKind::kComma) break;
    advance();
  }
  if (parts.size() == 1 && token_.kind == TokenKind::kRightBracket) {
    return fail_unexpected("an index");
  }
  if (!close(TokenKind::kRightBracket, opening)) return std::nullopt;
  --nesting_;
  return make(Subscript{}, span_from(begin), std::move(parts));
}

/// `a << b` or `a >> b`, the first of whose signs is at `begin`.
std::nullopt_t Parser::fail_shift(TokenKind sign, std::size_t begin) {
  const bool is_left = sign == TokenKind::kLess;
  return fail(
      Diagnostic("syntax.unexpected", fmt::format("'{0}{0}' is no operator", is_left ? '<' : '>'))
          .with_span({begin, begin + 2})
          .with_hint(is_left ? "a << 2 is a*4, or shift_left(a, 2)"
                             : "a >> 1 is a//2, or shift_right(a, 1)"));
}

Parsed Parser::binary(int min_level) {
  Parsed left = unary();
  while (left && !refusal_) {
    if (is_word("tile") && min_level <= kLayoutLevel) {
      left = on_tile(*std::move(left));
      continue;
    }
    const TokenKind sign = token_.kind;
    const int level = level_of(sign);
    if (level == kNoOperator || level < min_level) break;
    const std::size_t end = token_.span.end;
    advance();
    const bool may_shift = sign == TokenKind::kLess || sign == TokenKind::kGreater;
    if (may_shift && token_.kind == sign && token_.span.begin == end) {
      return fail_shift(sign, end - 1);
    }
    skip_newlines();
    Parsed right = binary(level + 1);
    if (!right) return std::nullopt;
    left = join(*std::move(left), sign, *std::move(right));
  }
  return left;
}

/// `((4,8),(2,2)):((32,1),(16,8)) tile (16,8)`
Parsed Parser::on_tile(Expression layout) {
  if (!use_word("tile")) return std::nullopt;
  Parsed tile = binary(kSumLevel);
  if (!tile) return std::nullopt;
  const Span span{layout.span.begin, tile->span.end};
  return make(OnTile{}, span, list_of(std::move(layout), *std::move(tile)));
}

Parsed Parser::join(Expression left, TokenKind sign, Expression right) {
  const Span span{left.span.begin, right.span.end};
  const int level = level_of(sign);
  const bool is_comparison = level == kComparisonLevel;
  if ((is_comparison && std::holds_alternative<Comparison>(left.node)) ||
      (level == kLayoutLevel && std::holds_alternative<LayoutLiteral>(left.node))) {
    return fail(
        Diagnostic("syntax.unexpected", fmt::format("{} cannot follow one another",
                                                    is_comparison ? "comparisons" : "':' and ':'"))
            .with_span(span)
            .with_hint("put parentheses around one of them"));
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
  if (is_comparison) node = Comparison{sign};
  if (level == kCompositionLevel) node = CompositionChain{};
  if (level == kLayoutLevel) node = LayoutLiteral{};
  return make(std::move(node), span, list_of(std::move(left), std::move(right)));
}

Parsed Parser::unary() {
  const std::size_t begin = token_.span.begin;
  bool negate = false;
  bool any_sign = false;
  for (; token_.kind == TokenKind::kMinus || token_.kind == TokenKind::kPlus; advance()) {
    any_sign = true;
    if (token_.kind == TokenKind::kMinus) negate = !negate;
  }
  const bool is_integer = token_.kind == TokenKind::kInteger;
  Parsed operand = postfix(negate && is_integer);
  if (!operand || !any_sign) return operand;
  operand->span.begin = begin;
  if (!negate || is_integer) return operand;
  const Span span = operand->span;
  return make(Negation{}, span, list_of(*std::move(operand)));
}

Parsed Parser::postfix(bool negate_integer) {
  Parsed left = primary(negate_integer);
  while (left && !refusal_) {
    if (token_.kind == TokenKind::kAt) {
      left = at_sign(*std::move(left));
    } else if (token_.kind == TokenKind::kLeftParenthesis) {
      left = application(*std::move(left));
    } else if (token_.kind == TokenKind::kLeftBracket) {
      left = subscript(*std::move(left));
    } else if (token_.kind == TokenKind::kDot) {
      left = member(*std::move(left));
    } else if (token_.kind == TokenKind::kEmptyBraces) {
      // A value of a C++ type: _8{}, LayoutRight{}.
      left->span.end = token_.span.end;
      advance();
    } else {
      break;
    }
  }
  return left;
}

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

/// Counts one more level of nesting.
bool Parser::enter() {
  if (++nesting_ <= kMaxNesting) return true;
  fail(Diagnostic("syntax.too_deep", fmt::format("parentheses nest more than {} deep", kMaxNesting))
           .with_span(token_.span));
  return false;
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

Parsed Parser::tiler() {
  const Span opening = token_.span;
  std::vector<Expression> parts;
  open();
  if (token_.kind == TokenKind::kGreater) {
    return fail(Diagnostic("syntax.empty_tuple", "a tiler has at least one mode")
                    .with_span({opening.begin, token_.span.end}));
  }
  while (true) {
    // A `>` within closes the tiler; comparisons need parentheses here.
    Parsed part = binary(kCompositionLevel);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
    if (token_.kind != TokenKind::kComma) break;
    advance();
    if (token_.kind == TokenKind::kGreater) break;
  }
  if (!close(TokenKind::kGreater, opening)) return std::nullopt;
  return make(TilerLiteral{}, span_from(opening.begin), std::move(parts));
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

Parsed Parser::swizzle() {
  const Span opening = token_.span;
  std::vector<Expression> parts;
  open();
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      if (token_.kind != TokenKind::kComma) return fail_unexpected("',' and three numbers B, M, S");
      advance();
    }
    Parsed part = binary(kSumLevel);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  if (!close(TokenKind::kGreater, opening)) return std::nullopt;
  Parsed swizzle = make(SwizzleLiteral{}, span_from(opening.begin), std::move(parts));
  const bool is_joined = token_.kind == TokenKind::kPointer && token_.span.begin == last_end_ &&
                         lexer_.text(token_.span)[0] == '_';
  return swizzle && is_joined ? swizzled_pointer(*std::move(swizzle)) : swizzle;
}

/// `Sw<3,4,3>_smem_ptr[16b](0x400)`.
Parsed Parser::swizzled_pointer(Expression swizzle) {
  const PrintedPointer pointer = *match_pointer(lexer_.text(token_.span));
  advance();
  const std::size_t begin = swizzle.span.begin;
  return make(pointer.literal, span_from(begin), list_of(std::move(swizzle)));
}

Parsed Parser::pointer() {
  const PrintedPointer pointer = *match_pointer(lexer_.text(token_.span));
  if (pointer.is_swizzled) return fail_unexpected("a swizzle in front of '_'");
  const Span span = token_.span;
  advance();
  return make(pointer.literal, span);
}

Parsed Parser::dynamic() {
  const Token token = token_;
  advance();
  return make(DynamicLiteral{static_cast<std::int64_t>(token.magnitude)}, token.span);
}

std::size_t count_of(const Expression& expression) {
  std::size_t count = 1;
  for (const Expression& part : expression.parts) count += count_of(part);
  return count;
}

/// Takes over what another reader made of the text up to `end`.
Parsed Parser::read_elsewhere(Result<Expression> expression, std::size_t end) {
  if (!expression) return fail(std::move(expression).error());
  lexer_.continue_at(end);
  advance();
  last_end_ = end;
  if (refusal_ || !count_terms(count_of(*expression), expression->span)) return std::nullopt;
  return check_height(*std::move(expression));
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
    Parser parser(lexer, nesting_);
    Parsed expression = parser.whole_expression();
    if (parser.refusal()) return refuse(*parser.refusal());
    return *std::move(expression);
  };
  Result<Expression> expression = read_mlir_type(lexer_.text(), position, parse);
  --nesting_;
  return read_elsewhere(std::move(expression), position);
}

std::optional<std::size_t> Parser::path_step() {
  if (token_.kind != TokenKind::kInteger || token_.negative) {
    return fail_unexpected("the number of a mode");
  }
  const auto step = static_cast<std::size_t>(token_.magnitude);
  advance();
  return step;
}

Parsed Parser::basis() {
  const Span opening = token_.span;
  BasisLiteral node;
  open();
  while (true) {
    const auto step = path_step();
    if (!step) return std::nullopt;
    node.path.push_back(*step);
    if (token_.kind != TokenKind::kComma) break;
    advance();
  }
  if (!close(TokenKind::kGreater, opening)) return std::nullopt;
  return make(std::move(node), span_from(opening.begin));
}

/// Behind `@` the number of a mode, as CuTe writes it, or the name of an axis.
Parsed Parser::at_sign(Expression scale) {
  const std::size_t begin = scale.span.begin;
  BasisLiteral node;
  while (token_.kind == TokenKind::kAt) {
    advance();
    const bool is_name = token_.kind == TokenKind::kName || token_.kind == TokenKind::kString;
    if (is_name && node.path.empty()) {
      std::optional<std::string> axis = axis_name();
      if (!axis) return std::nullopt;
      return make(OnAxis{*std::move(axis)}, span_from(begin), list_of(std::move(scale)));
    }
    if (token_.kind != TokenKind::kInteger) {
      return fail_unexpected("the number of a mode or the name of an axis");
    }
    const auto step = path_step();
    if (!step) return std::nullopt;
    node.path.push_back(*step);
  }
  std::ranges::reverse(node.path);  // 8@1@0 is written from the innermost mode
  return make(std::move(node), span_from(begin), list_of(std::move(scale)));
}

/// `laneid`, `Axis.laneid`, `T.Axis.laneid`: the last name is the axis.
std::optional<std::string> Parser::axis_name() {
  if (token_.kind == TokenKind::kString) {
    const Parsed written = string();
    if (!written) return std::nullopt;
    return std::get<StringLiteral>(written->node).value;
  }
  while (true) {
    if (token_.kind != TokenKind::kName) return fail_unexpected("the name of an axis");
    std::string name(lexer_.text(token_.span));
    std::erase(name, '\\');  // LaTeX writes tid\_in\_wg
    advance();
    if (token_.kind != TokenKind::kDot) return name;
    advance();
  }
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

/// `S[(8,2):(4@laneid,1@m)]`, `S[8:1@m]`, `S[8, 64]`, and R[…] likewise.
Parsed Parser::iters() {
  const Span opening = token_.span;
  const ItersLiteral node{token_.kind == TokenKind::kReplicaOpen};
  open();
  if (token_.kind == TokenKind::kRightBracket) {
    return fail(Diagnostic("syntax.empty_tuple", "a list of iters has at least one")
                    .with_span({opening.begin, token_.span.end}));
  }
  std::optional<std::vector<Expression>> extents = cells(TokenKind::kComma);
  if (!extents) return std::nullopt;
  std::vector<Expression> parts;
  if (extents->size() == 1) {
    parts = *std::move(extents);
  } else {
    if (token_.kind == TokenKind::kColon) {
      return fail(Diagnostic("syntax.unexpected",
                             "several extents in front of ':' stand in "
                             "parentheses")
                      .with_span({extents->front().span.begin, token_.span.end})
                      .with_hint("S[(8,2):(4@laneid,1@m)]"));
    }
    Parsed tuple = listed(*std::move(extents));
    if (!tuple) return std::nullopt;
    parts = list_of(*std::move(tuple));
  }
  if (token_.kind == TokenKind::kColon) {
    advance();
    Parsed strides = binary(kSumLevel);
    if (!strides) return std::nullopt;
    parts.push_back(*std::move(strides));
  }
  if (!close(TokenKind::kRightBracket, opening)) return std::nullopt;
  return make(node, span_from(opening.begin), std::move(parts));
}

/// `\begin{pmatrix}8&2\\ 4@\texttt{lane}&1@\texttt{m}\end{pmatrix}`: extents over strides.
Parsed Parser::matrix() {
  const Span opening = token_.span;
  const bool is_replica = token_.kind == TokenKind::kReplicaMatrix;
  const TokenKind end = is_replica ? TokenKind::kReplicaMatrixEnd : TokenKind::kShardMatrixEnd;
  open();
  std::vector<Expression> rows;
  while (token_.kind != end || rows.empty()) {
    if (rows.size() == 2) return fail_unexpected("the end of the matrix behind its two rows");
    std::optional<std::vector<Expression>> row = cells(TokenKind::kColumn);
    if (!row) return std::nullopt;
    Parsed tuple = listed(*std::move(row));
    if (!tuple) return std::nullopt;
    rows.push_back(*std::move(tuple));
    if (token_.kind != TokenKind::kRow) break;
    advance();
  }
  if (!close(end, opening)) return std::nullopt;
  return make(ItersLiteral{is_replica}, span_from(opening.begin), std::move(rows));
}

/// `, outer`, `, swizzle_inner=False`: which bits change.
bool Parser::swizzle_side(TvmSwizzleLiteral& node) {
  const std::string_view word = lexer_.text(token_.span);
  if (token_.kind == TokenKind::kName && (word == "outer" || word == "inner")) {
    node.is_inner = word == "inner";
    advance();
    return true;
  }
  if (token_.kind == TokenKind::kName && word == "swizzle_inner") {
    advance();
    if (token_.kind == TokenKind::kAssign) advance();
  }
  const std::string_view truth = lexer_.text(token_.span);
  if (truth == "True" || truth == "true" || truth == "False" || truth == "false") {
    node.is_inner = truth == "True" || truth == "true";
    advance();
    return true;
  }
  fail_unexpected("inner or outer");
  return false;
}

Parsed Parser::tvm_swizzle() {
  const Span opening = token_.span;
  TvmSwizzleLiteral node;
  std::vector<Expression> parts;
  open();
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      if (token_.kind != TokenKind::kComma) return fail_unexpected("',' and three numbers M, B, S");
      advance();
    }
    Parsed part = binary(kSumLevel);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  if (token_.kind == TokenKind::kComma) {
    advance();
    if (!swizzle_side(node)) return std::nullopt;
  }
  if (!close(TokenKind::kRightParenthesis, opening)) return std::nullopt;
  return make(node, span_from(opening.begin), std::move(parts));
}

Parsed Parser::member(Expression whole) {
  advance();
  const bool is_fraction =
      std::holds_alternative<IntegerLiteral>(whole.node) && token_.kind == TokenKind::kInteger;
  if (is_fraction) {
    const Span number{whole.span.begin, token_.span.end};
    return fail(
        Diagnostic("syntax.number", fmt::format("{} is no integer; all numbers are integers",
                                                quote(lexer_.text(number))))
            .with_span(number));
  }
  const bool is_piece = token_.kind == TokenKind::kShardOpen ||
                        token_.kind == TokenKind::kReplicaOpen ||
                        token_.kind == TokenKind::kTvmSwizzleOpen;
  if (is_piece && std::holds_alternative<Reference>(whole.node)) {  // T.S[…]
    Parsed piece = nested_primary();
    if (piece) piece->span.begin = whole.span.begin;
    return piece;
  }
  // Axes may be numbers: L[c].0.
  if (token_.kind != TokenKind::kName && token_.kind != TokenKind::kInteger) {
    return fail_unexpected("the name of a method");
  }
  const std::string_view name = lexer_.text(token_.span);
  const std::size_t begin = whole.span.begin;
  advance();
  return make(Member{name}, span_from(begin), list_of(std::move(whole)));
}

std::optional<std::string_view> Parser::argument_name() {
  if (token_.kind != TokenKind::kName || next_kind() != TokenKind::kAssign) return std::nullopt;
  const std::string_view name = lexer_.text(token_.span);
  advance();
  advance();
  return name == "\u03c3" ? "sigma" : name;
}

/// `...` in the place of an inverse that is known, as the paper leaves it out.
bool Parser::skip_dots() {
  for (int dot = 0; dot < 3; ++dot) {
    if (token_.kind != TokenKind::kDot) {
      fail_unexpected("'...'");
      return false;
    }
    advance();
  }
  return true;
}

Parsed Parser::application(Expression function) {
  const Span opening = token_.span;
  const std::size_t begin = function.span.begin;
  if (!enter()) return std::nullopt;
  Application node;
  const auto* called = std::get_if<Reference>(&function.node);
  const bool may_leave_out = called != nullptr && called->name == "GenP";
  std::vector<Expression> parts = list_of(std::move(function));
  open();
  while (token_.kind != TokenKind::kRightParenthesis) {
    if (may_leave_out && parts.size() == 3 && token_.kind == TokenKind::kDot) {
      if (!skip_dots()) return std::nullopt;
      break;
    }
    node.names.push_back(argument_name().value_or(std::string_view()));
    Parsed argument = expression(kComparisonLevel);
    if (!argument) return std::nullopt;
    parts.push_back(*std::move(argument));
    if (token_.kind != TokenKind::kComma) break;
    advance();
  }
  if (!close(TokenKind::kRightParenthesis, opening)) return std::nullopt;
  --nesting_;
  return make(std::move(node), span_from(begin), std::move(parts));
}

std::optional<StatementKind> keyword_of(std::string_view word) {
  if (word == "assert") return StatementKind::kAssert;
  if (word == "refuse") return StatementKind::kRefuse;
  if (word == "draw") return StatementKind::kDraw;
  if (word == "assume") return StatementKind::kAssume;
  return std::nullopt;
}

/// A word that no value can be bound to.
bool is_keyword(std::string_view word) { return keyword_of(word) || word == "if"; }

/// Uses `name =` or `i, j =` and gives the names; uses nothing where something else stands here.
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

/// Uses the word that makes a statement more than an expression.
std::optional<StatementKind> Parser::keyword() {
  if (token_.kind != TokenKind::kName) return std::nullopt;
  const auto kind = keyword_of(lexer_.text(token_.span));
  if (kind) advance();
  return kind;
}

/// Uses the words in front of the name that a C++ declaration binds: `auto const x = …`,
/// `using X = …`.
void Parser::skip_declaration() {
  const auto begins_declaration = [&] {
    constexpr std::array<std::string_view, 5> kWords = {"auto", "using", "const", "constexpr",
                                                        "static"};
    return token_.kind == TokenKind::kName && next_kind() == TokenKind::kName &&
           std::ranges::find(kWords, lexer_.text(token_.span)) != kWords.end();
  };
  while (begins_declaration()) advance();
}

std::nullopt_t Parser::fail_bound_keyword(std::string_view word, Span span) {
  return fail(Diagnostic("syntax.reserved",
                         fmt::format("'{}' begins a statement and cannot be bound", word))
                  .with_span(span)
                  .with_hint("choose another name"));
}

/// `assume` or `axis`, and all that follows up to the end of the line, a semicolon or a comment.
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

/// `def f(i, j):` and the lines below it: f is bound.
std::optional<Statement> Parser::definition() {
  const std::size_t begin = token_.span.begin;
  const auto parse = [&](Span span) -> Result<Expression> {
    Lexer lexer(lexer_.text().substr(0, span.end));
    lexer.continue_at(span.begin);
    lexer.read_python();
    Parser parser(lexer, nesting_);
    Parsed piece = parser.whole_expression();
    if (parser.refusal()) return refuse(*parser.refusal());
    return *std::move(piece);
  };
  auto read = read_python_function(lexer_.text(), begin, parse);
  if (!read) return fail(std::move(read).error());
  Statement statement;
  statement.kind = StatementKind::kBinding;
  statement.names = {std::string(read->name)};
  Parsed function = check_height(std::move(read->function));
  if (!function) return std::nullopt;
  statement.expression = *std::move(function);
  statement.span = {begin, read->end};
  lexer_.continue_at(read->end);
  advance();
  return statement;
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

std::optional<Statement> Parser::statement() {
  while (token_.kind == TokenKind::kNewline || token_.kind == TokenKind::kSemicolon) advance();
  if (token_.kind == TokenKind::kEnd) return std::nullopt;
  if (is_word("def") && next_kind() == TokenKind::kName) return definition();

  Statement statement;
  const std::size_t begin = token_.span.begin;
  skip_declaration();
  const Span first = token_.span;
  if (std::vector<std::string> names = bound_names(); !names.empty()) {
    for (const std::string& name : names) {
      if (is_keyword(name)) return fail_bound_keyword(name, first);
    }
    statement.kind = StatementKind::kBinding;
    statement.names = std::move(names);
    skip_newlines();
  } else {
    // An assumption is read as it stands: `[0,32)` is nothing that the language has.
    if (lexer_.text(first) == "assume") return assumption(StatementKind::kAssume);
    if (lexer_.text(first) == "axis" && next_kind() == TokenKind::kName) {
      return assumption(StatementKind::kAxis);
    }
    statement.kind = keyword().value_or(StatementKind::kExpression);
  }
  Parsed whole = expression(kComparisonLevel);
  if (!whole) return std::nullopt;
  statement.expression = *std::move(whole);

  if (statement.kind == StatementKind::kDraw && token_.kind == TokenKind::kName &&
      lexer_.text(token_.span) == "to") {
    advance();
    if (token_.kind != TokenKind::kString) return fail_unexpected("a path in quotes");
    statement.path = std::get<StringLiteral>(string()->node).value;
  }
  statement.span = span_from(begin);
  if (refusal_) return std::nullopt;
  if (ends_statement(token_.kind)) return statement;
  return fail_at_end("the end of the statement");
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

}  // namespace

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
  Parser parser{Lexer(text)};
  Parsed expression = parser.whole_expression();
  if (parser.refusal()) return refuse(*parser.refusal());
  return *std::move(expression);
}

}  // namespace heddle::notation
