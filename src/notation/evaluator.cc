#include "heddle/notation/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::Basis;
using cute::ComposedLayout;
using cute::Coordinate;
using cute::Index;
using cute::Layout;
using cute::Stride;
using cute::StrideTuple;
using cute::Swizzle;
using cute::Tile;
using cute::Tiler;

/// What parentheses mean where they stand.
enum class Grouping { kUsual, kTuples };

/// The refusal, with a place if it had none.
Refusal refuse_at(Diagnostic diagnostic, Span span) {
  if (diagnostic.span()) return refuse(std::move(diagnostic));
  return refuse(std::move(diagnostic).with_span(span));
}

template <class T>
Result<T> at(Result<T> result, Span span) {
  if (result) return result;
  return refuse_at(std::move(result).error(), span);
}

Refusal wrong_kind(std::string_view what, const Value& value, std::string_view needed, Span span) {
  return refuse_at(Diagnostic("call.type", fmt::format("{} is {}; {} is needed", what,
                                                       kind_name(value), needed)),
                   span);
}

/// A tuple whose modes are the given tuples.
template <class Leaf, class Convert>
Value tuple_of(const std::vector<Value>& parts, Convert convert) {
  std::vector<Tuple<Leaf>> modes;
  modes.reserve(parts.size());
  for (const Value& part : parts) modes.push_back(convert(part));
  return Tuple<Leaf>::of(modes);
}

StrideTuple stride_part(const Value& part) {
  if (const auto* strides = part.get_if<StrideTuple>()) return *strides;
  return cute::to_strides(part.get<IntTuple>());
}

template <class T, class... More>
bool all_are(const std::vector<Value>& parts) {
  return std::ranges::all_of(
      parts, [](const Value& part) { return part.is<T>() || (... || part.is<More>()); });
}

struct CuteName {
  std::string_view name;
  std::string_view hint;
};

constexpr std::string_view kInner = "slice a division: zipped_divide(L, TILER)((_,_), COORDINATE)";
constexpr std::string_view kOuter = "slice a division: zipped_divide(L, TILER)(COORDINATE, (_,_))";
constexpr std::string_view kWriteTuple = "write the tuple: (4,8)";

// What CuTe calls otherwise, or what this version writes otherwise.
constexpr std::array kCuteNames = {
    CuteName{"local_tile", kInner},
    CuteName{"inner_partition", kInner},
    CuteName{"local_partition", kOuter},
    CuteName{"outer_partition", kOuter},
    CuteName{"group_modes", "it is called group(L, BEGIN, END)"},
    CuteName{"make_shape", kWriteTuple},
    CuteName{"make_coord", kWriteTuple},
    CuteName{"make_stride", kWriteTuple},
    CuteName{"make_tile", "write the tiler: <4,8:1>"},
    CuteName{"LayoutLeft", "it is called make_layout_left(SHAPE)"},
    CuteName{"GenColMajor", "it is called make_layout_left(SHAPE)"},
    CuteName{"LayoutRight", "it is called make_layout_right(SHAPE)"},
    CuteName{"GenRowMajor", "it is called make_layout_right(SHAPE)"},
    CuteName{"print_layout", "table(L) lists the indices; the statement draw L shows them"},
    CuteName{"print_latex", "the statement draw L to \"FILE.svg\" writes a picture"},
};

/// What helps whoever knows the name from CuTe; empty for other names.
std::string hint_for_cute_name(std::string_view name) {
  const auto found = std::ranges::find(kCuteNames, name, &CuteName::name);
  if (found != kCuteNames.end()) return std::string(found->hint);
  constexpr std::string_view kGet = "get_";
  if (!name.starts_with(kGet)) return {};
  const Operation* operation = find_operation(name.substr(kGet.size()));
  return operation == nullptr ? std::string() : "it is called " + signature(*operation);
}

class Evaluator {
 public:
  explicit Evaluator(const Environment& environment, const Observer* observer = nullptr)
      : environment_(environment), observer_(observer) {}

  Result<Value> run(const Expression& expression, Grouping grouping = Grouping::kUsual) const {
    return std::visit([&](const auto& node) { return visit(node, expression, grouping); },
                      expression.node);
  }

 private:
  using Parts = std::vector<Value>;

  Result<Value> visit(const IntegerLiteral& literal, const Expression&, Grouping) const {
    return Value(Int(literal.value));
  }
  Result<Value> visit(const UnderscoreLiteral&, const Expression&, Grouping) const {
    return Value(Coordinate(Index(cute::Underscore())));
  }
  Result<Value> visit(const StringLiteral& literal, const Expression&, Grouping) const {
    return Value(literal.value);
  }
  Result<Value> visit(const Reference& reference, const Expression& expression, Grouping) const;
  Result<Value> visit(const Parentheses& node, const Expression& expression,
                      Grouping grouping) const;
  Result<Value> visit(const TilerLiteral&, const Expression& expression, Grouping) const;
  Result<Value> visit(const LayoutLiteral&, const Expression& expression, Grouping) const;
  Result<Value> visit(const SwizzleLiteral&, const Expression& expression, Grouping) const;
  Result<Value> visit(const BasisLiteral& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const Negation&, const Expression& expression, Grouping) const;
  Result<Value> visit(const Arithmetic& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const CompositionChain&, const Expression& expression, Grouping) const;
  Result<Value> visit(const Comparison& node, const Expression& expression, Grouping) const;
  Result<Value> visit(const Application& node, const Expression& expression, Grouping) const;

  Result<Parts> all(const std::vector<Expression>& expressions, Grouping grouping) const;
  Result<Int> integer(const Expression& expression, std::string_view what) const;
  Result<Value> make_tuple(const Parts& parts, Span span) const;
  Result<Value> combine(TokenKind sign, const Value& left, const Value& right, Span span) const;
  Result<Value> compose(const Value& left, const Value& right, Span span) const;
  Result<Value> compare_layouts(TokenKind comparator, const Value& left, const Value& right,
                                Span span) const;
  Result<Value> apply(const Value& function, const Application& node,
                      const Expression& expression) const;
  Result<Value> call_named(std::string_view name, const Application& node,
                           const Expression& expression) const;
  Refusal unknown_name(std::string_view name, Span span) const;

  /// What came of an operation; the observer hears of it.
  Result<Value> observed(const Operation& operation, std::span<const Argument> arguments,
                         Result<Value> value) const;
  Result<Value> observed_call(std::string_view name, std::span<const Argument> arguments) const;

  const Environment& environment_;
  const Observer* observer_;
};

Result<Value> Evaluator::observed(const Operation& operation, std::span<const Argument> arguments,
                                  Result<Value> value) const {
  if (observer_ != nullptr) (*observer_)(operation, arguments, value);
  return value;
}

Result<Value> Evaluator::observed_call(std::string_view name,
                                       std::span<const Argument> arguments) const {
  const Operation& operation = *find_operation(name);
  return observed(operation, arguments, call(operation, arguments));
}

Result<Evaluator::Parts> Evaluator::all(const std::vector<Expression>& expressions,
                                        Grouping grouping) const {
  Parts values;
  values.reserve(expressions.size());
  for (const Expression& expression : expressions) {
    HEDDLE_TRY(Value value, run(expression, grouping));
    values.push_back(std::move(value));
  }
  return values;
}

Result<Int> Evaluator::integer(const Expression& expression, std::string_view what) const {
  HEDDLE_TRY(const Value value, run(expression));
  HEDDLE_TRY(const std::optional<Value> converted, convert(value, Kind::kInteger));
  if (!converted) return wrong_kind(what, value, "an integer", expression.span);
  return converted->get<IntTuple>().leaf();
}

Refusal Evaluator::unknown_name(std::string_view name, Span span) const {
  Diagnostic diagnostic("name.unknown", fmt::format("nothing is called {}", quote(name)));
  if (std::string hint = hint_for_cute_name(name); !hint.empty()) {
    return refuse(std::move(diagnostic).with_hint(std::move(hint)).with_span(span));
  }
  std::vector<std::string> names;
  for (const auto& [bound, value] : environment_.values()) names.push_back(bound);
  for (const Operation& operation : operations()) names.push_back(operation.name);
  const std::vector<std::string> nearest = nearest_names(name, names);
  if (!nearest.empty()) {
    diagnostic = std::move(diagnostic)
                     .with_hint(fmt::format("did you mean {}?", fmt::join(nearest, " or ")));
  }
  return refuse(std::move(diagnostic).with_span(span));
}

Result<Value> Evaluator::visit(const Reference& reference, const Expression& expression,
                               Grouping) const {
  if (const Value* value = environment_.find(reference.name)) return *value;
  if (reference.name == "true") return Value(true);
  if (reference.name == "false") return Value(false);
  if (const Operation* operation = find_operation(reference.name)) {
    return refuse(Diagnostic("call.arity",
                             fmt::format("{} is an operation and needs arguments", reference.name))
                      .with_span(expression.span)
                      .with_hint("it is called as " + signature(*operation)));
  }
  return unknown_name(reference.name, expression.span);
}

Result<Value> Evaluator::visit(const Parentheses& node, const Expression& expression,
                               Grouping grouping) const {
  const bool is_tuple = expression.parts.size() > 1 || node.has_trailing_comma || node.is_literal ||
                        grouping == Grouping::kTuples;
  if (!is_tuple) return run(expression.parts.front());
  HEDDLE_TRY(const Parts parts, all(expression.parts, grouping));
  return make_tuple(parts, expression.span);
}

Result<Value> Evaluator::make_tuple(const Parts& parts, Span span) const {
  if (all_are<IntTuple>(parts)) {
    return tuple_of<Int>(parts, [](const Value& part) { return part.get<IntTuple>(); });
  }
  if (all_are<IntTuple, StrideTuple>(parts)) return tuple_of<Stride>(parts, stride_part);
  const auto mode_as = [](Kind kind) {
    return [kind](const Value& part) { return *convert(part, kind).value_or(std::nullopt); };
  };
  if (all_are<IntTuple, Coordinate>(parts)) {
    return tuple_of<Index>(parts, [&](const Value& part) {
      return mode_as(Kind::kCoordinate)(part).template get<Coordinate>();
    });
  }
  if (all_are<IntTuple, Coordinate, Layout, Tiler>(parts)) {
    return tuple_of<Tile>(parts, [&](const Value& part) {
      return mode_as(Kind::kTiler)(part).template get<Tiler>();
    });
  }
  const auto other = std::ranges::find_if(parts, [](const Value& part) {
    return !part.is<IntTuple>() && !part.is<Coordinate>() && !part.is<Layout>() &&
           !part.is<Tiler>();
  });
  return wrong_kind(fmt::format("mode {} of a tuple", other - parts.begin()), *other,
                    "an integer, a tuple, a layout or '_'", span);
}

Result<Value> Evaluator::visit(const TilerLiteral&, const Expression& expression, Grouping) const {
  std::vector<Tiler> modes;
  for (const Expression& part : expression.parts) {
    HEDDLE_TRY(const Value value, run(part));
    HEDDLE_TRY(const std::optional<Value> tile, convert(value, Kind::kTiler));
    if (!tile) return wrong_kind("a mode of a tiler", value, "a layout, a size or '_'", part.span);
    modes.push_back(tile->get<Tiler>());
  }
  return Value(Tiler::of(modes));
}

Result<Value> Evaluator::visit(const LayoutLiteral&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Value shape, run(expression.parts[0], Grouping::kTuples));
  if (!shape.is<IntTuple>()) {
    return wrong_kind("the shape before ':'", shape, "an integer or a tuple",
                      expression.parts[0].span);
  }
  HEDDLE_TRY(const Value stride, run(expression.parts[1], Grouping::kTuples));
  if (!stride.is<IntTuple>() && !stride.is<StrideTuple>()) {
    return wrong_kind("the stride behind ':'", stride, "an integer or a tuple",
                      expression.parts[1].span);
  }
  HEDDLE_TRY(Layout layout,
             at(cute::make_layout(shape.get<IntTuple>(), stride_part(stride)), expression.span));
  return Value(std::move(layout));
}

Result<Value> Evaluator::visit(const SwizzleLiteral&, const Expression& expression,
                               Grouping) const {
  int numbers[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    HEDDLE_TRY(const Int number, integer(expression.parts[i], "a number of a swizzle"));
    if (!number.is_constant()) {
      return refuse_at(Diagnostic("swizzle.parameters",
                                  fmt::format("the numbers of a swizzle are constants, not {}",
                                              to_string(number))),
                       expression.parts[i].span);
    }
    // Beyond a byte every number is wrong alike.
    constexpr std::int64_t kMost = 1000;
    numbers[i] = static_cast<int>(std::clamp(number.value(), -kMost, kMost));
  }
  HEDDLE_TRY(const Swizzle swizzle,
             at(Swizzle::make(numbers[0], numbers[1], numbers[2]), expression.span));
  return Value(swizzle);
}

Result<Value> Evaluator::visit(const BasisLiteral& node, const Expression& expression,
                               Grouping) const {
  Int scale = 1;
  if (!expression.parts.empty()) {
    HEDDLE_TRY(scale, integer(expression.parts.front(), "the number before '@'"));
  }
  HEDDLE_TRY(const Basis basis, at(Basis::make(node.path), expression.span));
  return Value(StrideTuple(Stride(scale, basis)));
}

Result<Value> Evaluator::visit(const Negation&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Value operand, run(expression.parts.front()));
  return combine(TokenKind::kStar, Value(Int(-1)), operand, expression.span);
}

Result<Value> Evaluator::visit(const Arithmetic& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(Value left, run(expression.parts.front()));
  for (std::size_t i = 0; i < node.operators.size(); ++i) {
    HEDDLE_TRY(const Value right, run(expression.parts[i + 1]));
    const Span span{expression.span.begin, expression.parts[i + 1].span.end};
    HEDDLE_TRY(left, combine(node.operators[i], left, right, span));
  }
  return left;
}

Result<Int> calculate(TokenKind sign, const Int& a, const Int& b) {
  switch (sign) {
    case TokenKind::kPlus:
      return check_defined(a + b, fmt::format("{} + {}", to_string(a), to_string(b)));
    case TokenKind::kMinus:
      return check_defined(a - b, fmt::format("{} - {}", to_string(a), to_string(b)));
    case TokenKind::kStar:
      return check_defined(a * b, fmt::format("{} * {}", to_string(a), to_string(b)));
    default:
      break;
  }
  const bool is_quotient = sign == TokenKind::kFloorDivide;
  const std::string text =
      fmt::format("{} {} {}", to_string(a), is_quotient ? "//" : "%", to_string(b));
  if (known_equal(b, 0)) return refuse("arithmetic.zero_divisor", text + " divides by zero");
  return check_defined(is_quotient ? floor_div(a, b) : mod(a, b), text);
}

Result<Value> Evaluator::combine(TokenKind sign, const Value& left, const Value& right,
                                 Span span) const {
  HEDDLE_TRY(const std::optional<Value> a, convert(left, Kind::kInteger));
  HEDDLE_TRY(const std::optional<Value> b, convert(right, Kind::kInteger));
  if (a && b) {
    HEDDLE_TRY(const Int result,
               at(calculate(sign, a->get<IntTuple>().leaf(), b->get<IntTuple>().leaf()), span));
    return Value(result);
  }
  // A multiple of a basis stride: 8*E<0,1>.
  const Value& factor = a ? left : right;
  const Value& other = a ? right : left;
  const auto* stride = other.get_if<StrideTuple>();
  if ((a || b) && sign == TokenKind::kStar && stride != nullptr && stride->is_leaf()) {
    const Stride product = factor.get<IntTuple>().leaf() * stride->leaf();
    HEDDLE_CHECK(at(check_defined(product.scale(), "a stride"), span));
    return Value(StrideTuple(product));
  }
  return wrong_kind("an operand of arithmetic", a ? right : left, "an integer", span);
}

Result<Value> Evaluator::compose(const Value& left, const Value& right, Span span) const {
  const Argument arguments[] = {{left, {}, span}, {right, {}, span}};
  return at(observed_call("composition", arguments), span);
}

Result<Value> compose_with_offset(const Swizzle& swizzle, const Int& offset, const Value& inner,
                                  Span span) {
  HEDDLE_TRY(const std::optional<Value> right, at(convert(inner, Kind::kAnyLayout), span));
  if (!right) return wrong_kind("what follows the offset", inner, "a layout", span);
  if (known_equal(offset, 0)) {
    const auto compose = [&](const auto& layout) { return cute::composition(swizzle, layout); };
    HEDDLE_TRY(const AnyLayout layout,
               at(right->is<Layout>() ? compose(right->get<Layout>())
                                      : compose(right->get<ComposedLayout>()),
                  span));
    return Value(layout);
  }
  if (!right->is<Layout>()) {
    return wrong_kind("what follows the offset", inner, "a plain layout", span);
  }
  HEDDLE_TRY(ComposedLayout layout,
             at(ComposedLayout::make(swizzle, offset, right->get<Layout>()), span));
  return Value(std::move(layout));
}

/// From the right; an integer behind a swizzle is an offset when more follows.
Result<Value> Evaluator::visit(const CompositionChain&, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const Parts parts, all(expression.parts, Grouping::kUsual));
  Value result = parts.back();
  for (std::size_t i = parts.size() - 1; i > 0; --i) {
    const Value& left = parts[i - 1];
    const bool is_offset = i >= 2 && parts[i - 2].is<Swizzle>();
    const Span span{expression.parts[i - 1].span.begin, expression.span.end};
    const auto offset = is_offset ? convert(left, Kind::kInteger) : std::nullopt;
    if (offset && *offset) {
      HEDDLE_TRY(result, compose_with_offset(parts[i - 2].get<Swizzle>(),
                                             (*offset)->get<IntTuple>().leaf(), result, span));
      --i;
    } else {
      HEDDLE_TRY(result, compose(left, result, span));
    }
  }
  return result;
}

bool compares(TokenKind comparator, int order) {
  switch (comparator) {
    case TokenKind::kEqual:
      return order == 0;
    case TokenKind::kNotEqual:
      return order != 0;
    case TokenKind::kLess:
      return order < 0;
    case TokenKind::kLessEqual:
      return order <= 0;
    case TokenKind::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Verdict negation(const Verdict& verdict) {
  if (verdict.is_yes()) return Verdict::no(verdict.method()).with_remark(verdict.remark());
  if (!verdict.is_no()) return verdict;
  std::string evidence = verdict.method();
  if (const auto& witness = verdict.counterexample()) {
    evidence += fmt::format("; coordinate {}: {} and {}", witness->coordinate, witness->found,
                            witness->wanted);
  }
  return Verdict::yes(std::move(evidence)).with_remark(verdict.remark());
}

AnyLayout any_layout(const Value& value) {
  if (const auto* layout = value.get_if<Layout>()) return *layout;
  return value.get<ComposedLayout>();
}

bool is_equality(TokenKind comparator) {
  return comparator == TokenKind::kEqual || comparator == TokenKind::kNotEqual;
}

Result<Value> Evaluator::compare_layouts(TokenKind comparator, const Value& left,
                                         const Value& right, Span span) const {
  HEDDLE_TRY(const std::optional<Value> a, at(convert(left, Kind::kAnyLayout), span));
  HEDDLE_TRY(const std::optional<Value> b, at(convert(right, Kind::kAnyLayout), span));
  if (!a || !b) return wrong_kind("a side of ==", a ? right : left, "a layout", span);
  const Verdict verdict = cute::equal(any_layout(*a), any_layout(*b));
  const Argument arguments[] = {{*a, {}, span}, {*b, {}, span}};
  HEDDLE_CHECK(observed(*find_operation("equal"), arguments, Value(verdict)));
  return Value(comparator == TokenKind::kEqual ? verdict : negation(verdict));
}

Result<Value> Evaluator::visit(const Comparison& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const Value left, run(expression.parts[0]));
  HEDDLE_TRY(const Value right, run(expression.parts[1]));
  const Span span = expression.span;
  if (is_equality(node.comparator)) {
    if (left.is_layout() || right.is_layout())
      return compare_layouts(node.comparator, left, right, span);
    if (left.data().index() == right.data().index()) {
      return Value(compares(node.comparator, to_string(left) == to_string(right) ? 0 : 1));
    }
    return wrong_kind("the right side of the comparison", right, std::string(kind_name(left)),
                      span);
  }
  HEDDLE_TRY(const Int a, integer(expression.parts[0], "the left side of the comparison"));
  HEDDLE_TRY(const Int b, integer(expression.parts[1], "the right side of the comparison"));
  const int order = known_less(a, b) ? -1 : known_equal(a, b) ? 0 : 1;
  return Value(compares(node.comparator, order));
}

Result<Value> Evaluator::visit(const Application& node, const Expression& expression,
                               Grouping) const {
  const Expression& function = expression.parts.front();
  const auto* reference = std::get_if<Reference>(&function.node);
  if (reference == nullptr) {
    HEDDLE_TRY(const Value value, run(function));
    return apply(value, node, expression);
  }
  // What is bound and can be applied hides an operation of its name; a bound number does not.
  const Value* bound = environment_.find(reference->name);
  const bool is_applicable = bound != nullptr && (bound->is_layout() || bound->is<Swizzle>());
  if (is_applicable || (bound != nullptr && find_operation(reference->name) == nullptr)) {
    return apply(*bound, node, expression);
  }
  return call_named(reference->name, node, expression);
}

Result<Value> Evaluator::call_named(std::string_view name, const Application& node,
                                    const Expression& expression) const {
  const Operation* operation = find_operation(name);
  if (operation == nullptr) return unknown_name(name, expression.parts.front().span);
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& argument = expression.parts[i + 1];
    HEDDLE_TRY(Value value, run(argument));
    arguments.push_back({std::move(value), std::string(node.names[i]), argument.span});
  }
  return at(observed(*operation, arguments, call(*operation, arguments)), expression.span);
}

Result<Value> Evaluator::apply(const Value& function, const Application& node,
                               const Expression& expression) const {
  const Span span = expression.span;
  if (!function.is_layout() && !function.is<Swizzle>()) {
    return wrong_kind("what is applied", function,
                      "a layout, a swizzle or the name of an operation",
                      expression.parts.front().span);
  }
  Parts parts;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    if (!node.names[i].empty()) {
      return refuse_at(Diagnostic("call.keyword", "a coordinate has no named parts"),
                       expression.parts[i + 1].span);
    }
    HEDDLE_TRY(Value part, run(expression.parts[i + 1]));
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    return refuse_at(Diagnostic("call.arity", "a layout is applied to a coordinate"), span);
  Value coordinate = parts.front();
  if (parts.size() > 1) {
    HEDDLE_TRY(coordinate, make_tuple(parts, span));
  }
  if (const auto* swizzle = function.get_if<Swizzle>()) {
    HEDDLE_TRY(const std::optional<Value> address, convert(coordinate, Kind::kInteger));
    if (!address) return wrong_kind("an address", coordinate, "an integer", span);
    const Argument arguments[] = {{function, {}, span}, {*address, {}, span}};
    return observed(*find_operation("apply"), arguments,
                    Value((*swizzle)(address->get<IntTuple>().leaf())));
  }
  const Argument arguments[] = {{function, {}, span}, {coordinate, {}, span}};
  return at(observed_call("apply", arguments), span);
}

}  // namespace

const Value* Environment::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

Result<Value> evaluate(const Expression& expression, const Environment& environment) {
  return Evaluator(environment).run(expression);
}

Result<Value> evaluate_observed(const Expression& expression, const Environment& environment,
                                const Observer& observer) {
  return Evaluator(environment, &observer).run(expression);
}

Result<Value> evaluate(std::string_view text, const Environment& environment) {
  HEDDLE_TRY(const Expression expression, parse_expression(text));
  return evaluate(expression, environment);
}

}  // namespace heddle::notation
