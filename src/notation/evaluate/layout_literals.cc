// Layouts, swizzles and their parts as CuTe and Axe write them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cute/partition.h"
#include "notation/evaluate/evaluation.h"
#include "notation/operations/axe_arithmetic.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {

namespace {

using cute::Layout;
using cute::Swizzle;

/// The parts of parentheses, or the expression alone.
std::span<const Expression> items_of(const Expression& expression) {
  if (std::holds_alternative<Parentheses>(expression.node)) return expression.parts;
  return {&expression, 1};
}

bool has_fraction(const Expression& expression) {
  return std::holds_alternative<FractionLiteral>(expression.node) ||
         std::ranges::any_of(expression.parts, has_fraction);
}

/// The fraction in lowest terms, its denominator positive.
Result<FractionLiteral> reduced(const FractionLiteral& node) {
  if (node.denominator == 0) {
    return refuse("stride.fraction", fmt::format("{}/0 is not a number", node.numerator));
  }
  const std::int64_t common =
      std::gcd(node.numerator, node.denominator) * (node.denominator < 0 ? -1 : 1);
  return FractionLiteral{node.numerator / common, node.denominator / common};
}

/// The mode whose index i has the value i*n/d, rounded towards 0: with n = a*d + 1 its digits are
/// d with stride a, and what is above with stride n.
Result<Layout> mode_of_fraction(const Int& extent, const FractionLiteral& fraction,
                                const cute::Basis& basis) {
  const std::int64_t period = fraction.denominator;
  const Int whole = fraction.numerator / period;
  const std::int64_t rest = std::abs(fraction.numerator % period);
  if (known_at_most((extent - 1) * rest, period - 1)) {
    return cute::make_layout(IntTuple(extent), cute::StrideTuple(cute::Stride(whole, basis)));
  }
  if (rest == 1 && known_divides(period, extent)) {
    const std::array<Int, 2> shape = {period, floor_div(extent, period)};
    const std::array<cute::Stride, 2> strides = {cute::Stride(whole, basis),
                                                 cute::Stride(fraction.numerator, basis)};
    return cute::make_layout(IntTuple::flat(shape), cute::StrideTuple::flat(strides));
  }
  return refuse(Diagnostic("stride.fraction",
                           fmt::format("no layout has the values i*{}/{}, rounded towards 0, for i "
                                       "below {}",
                                       fraction.numerator, period, to_string(extent)))
                    .with_note(rest == 1
                                   ? fmt::format("{} does not divide the extent", period)
                                   : fmt::format("{} leaves the remainder {} by {}, not 1",
                                                 std::abs(fraction.numerator), rest, period)));
}

}  // namespace

/// A number, if the fraction is one.
Result<Value> Evaluator::visit(const FractionLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const FractionLiteral fraction, at(reduced(node), expression.span));
  if (fraction.denominator == 1) return Value(Int(fraction.numerator));
  return refuse_at(Diagnostic("stride.fraction",
                              fmt::format("{}/{} is not an integer; a fraction is a stride only",
                                          fraction.numerator, fraction.denominator))
                       .with_hint("write it after its shape: 32:R<1,16>"),
                   expression.span);
}

/// The mode of this shape with strides that may be fractions.
Result<cute::Layout> Evaluator::mode_with_fractions(const IntTuple& shape,
                                                    const Expression& strides) const {
  if (!shape.is_leaf() && std::holds_alternative<Parentheses>(strides.node) &&
      shape.rank() == strides.parts.size()) {
    std::vector<Layout> modes;
    std::size_t next = 0;
    for (const IntTupleView mode : shape.modes()) {
      HEDDLE_TRY(modes.emplace_back(), mode_with_fractions(IntTuple(mode), strides.parts[next++]));
    }
    return at(cute::make_layout(std::span<const Layout>(modes)), strides.span);
  }
  const auto* basis = std::get_if<BasisLiteral>(&strides.node);
  const Expression& scale = basis != nullptr && !strides.parts.empty() ? strides.parts[0] : strides;
  const auto* fraction = std::get_if<FractionLiteral>(&scale.node);
  if (fraction == nullptr || !shape.is_leaf()) {
    HEDDLE_TRY(const cute::StrideTuple plain,
               as<cute::StrideTuple>(strides, "the stride after ':'", "an integer or a tuple",
                                     Grouping::kStrides));
    return at(cute::make_layout(shape, plain), strides.span);
  }
  HEDDLE_TRY(const FractionLiteral value, at(reduced(*fraction), scale.span));
  HEDDLE_TRY(const cute::Basis path,
             at(cute::Basis::make(basis != nullptr ? basis->path : std::vector<std::size_t>()),
                strides.span));
  return at(mode_of_fraction(shape.leaf(), value, path), strides.span);
}

Result<Value> Evaluator::visit(const LayoutLiteral&, const Expression& expression, Grouping) const {
  constexpr std::string_view kNeeded = "an integer or a tuple";
  const Expression& shape_part = expression.parts[0];
  HEDDLE_TRY(const IntTuple shape,
             as<IntTuple>(shape_part, "the shape before ':'", kNeeded, Grouping::kTuples));
  if (expression.parts.size() == 1) return value_at(cute::make_layout(shape), expression.span);
  if (has_fraction(expression.parts[1])) {
    HEDDLE_TRY(Layout layout, mode_with_fractions(shape, expression.parts[1]));
    // A mode alone stays one.
    const bool is_split = shape.is_leaf() && !layout.shape().is_leaf();
    if (is_split) {
      HEDDLE_TRY(layout, cute::make_layout(std::span<const Layout>(&layout, 1)));
    }
    return Value(std::move(layout));
  }
  HEDDLE_TRY(const cute::StrideTuple strides,
             as<cute::StrideTuple>(expression.parts[1], "the stride after ':'", kNeeded,
                                   Grouping::kStrides));
  const Expression& stride_part = expression.parts[1];
  const bool is_part =
      std::holds_alternative<Subscript>(stride_part.node) && is_tuple(stride_part.parts.front());
  auto layout = cute::make_layout(shape, strides);
  if (!layout && is_part) {
    return refuse_at(
        Diagnostic("call.type", "what is in the brackets is of the stride alone, not of the layout")
            .with_hint("a layout that is written out needs parentheses: ((4,8):(8,1))(3)"),
        stride_part.span);
  }
  return value_at(std::move(layout), expression.span);
}

Result<Value> Evaluator::visit(const OnTile&, const Expression& expression, Grouping) const {
  const Expression& front = expression.parts[0];
  HEDDLE_TRY(const Layout layout, as<Layout>(front, "what has a tile", "a layout (thread,value)"));
  HEDDLE_TRY(const cute::Tiler tile,
             as<cute::Tiler>(expression.parts[1], "the tile", "a shape or a tiler"));
  return value_at(cute::on_tile(layout, tile), front.span);
}

Result<std::array<int, 3>> Evaluator::swizzle_numbers(const Expression& expression) const {
  std::array<int, 3> numbers = {};
  for (std::size_t i = 0; i < 3; ++i) {
    HEDDLE_TRY(const Int number, as<Int>(expression.parts[i], "a number of a swizzle"));
    if (!number.is_constant()) {
      return refuse_at(Diagnostic("swizzle.parameters",
                                  fmt::format("the numbers of a swizzle are constants, not {}",
                                              to_string(number))),
                       expression.parts[i].span);
    }
    // Such large numbers are all invalid, so clamping changes nothing.
    constexpr std::int64_t kMost = 1000;
    numbers[i] = static_cast<int>(std::clamp(number.value(), -kMost, kMost));
  }
  return numbers;
}

Result<Value> Evaluator::visit(const SwizzleLiteral&, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const auto numbers, swizzle_numbers(expression));
  return value_at(Swizzle::make(numbers[0], numbers[1], numbers[2]), expression.span);
}

Result<Value> Evaluator::visit(const TvmSwizzleLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const auto numbers, swizzle_numbers(expression));
  return value_at(axe::Swizzle::make(numbers[0], numbers[1], numbers[2], node.is_inner),
                  expression.span);
}

/// A step along the axis, or a swizzle of it.
Result<Value> Evaluator::visit(const OnAxis& node, const Expression& expression, Grouping) const {
  const Expression& scale = expression.parts.front();
  const Span name{scale.span.end, expression.span.end};
  HEDDLE_TRY(const Value value, run(scale));
  if (const auto* swizzle = value.get_if<axe::Swizzle>()) {
    axe::Swizzle placed = *swizzle;
    placed.axis = Axis(node.axis);
    return checked(Value(std::move(placed)), name);
  }
  HEDDLE_TRY(const Int number, converted<Int>(value, "what precedes '@'", scale.span));
  return checked(Value(AxisStep{number, Axis(node.axis)}), name);
}

/// The values in parentheses, each with its place; a single tuple gives its leaves.
Result<std::vector<Argument>> Evaluator::listed(const Expression& expression) const {
  const std::span<const Expression> items = items_of(expression);
  if (items.empty()) {
    return refuse_at(Diagnostic("syntax.empty_tuple", "a list of iters has at least one"),
                     expression.span);
  }
  std::vector<Argument> parts;
  for (const Expression& item : items) {
    HEDDLE_TRY(Value value, run(item, Grouping::kTuples));
    const auto* tuple = items.size() == 1 ? value.get_if<IntTuple>() : nullptr;
    if (tuple == nullptr || tuple->depth() != 1) {
      parts.push_back({std::move(value), {}, item.span});
      continue;
    }
    for (const Int& leaf : tuple->leaves()) parts.push_back({Value(leaf), {}, item.span});
  }
  return parts;
}

Result<Value> Evaluator::visit(const ItersLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const std::vector<Argument> sizes, listed(expression.parts[0]));
  std::vector<Int> extents;
  for (const Argument& size : sizes) {
    if (!size.value.is_integer()) {
      return wrong_kind("an extent", size.value, "an integer", *size.span);
    }
    extents.push_back(size.value.get<IntTuple>().leaf());
  }
  std::vector<AxisStep> steps;
  const bool has_strides = expression.parts.size() > 1;
  if (has_strides) {
    HEDDLE_TRY(const std::vector<Argument> strides, listed(expression.parts[1]));
    for (const auto& [stride, name, span, places] : strides) {
      const bool is_nested = stride.is<IntTuple>() && !stride.is_integer();
      const std::optional<AxisStep> step = is_nested ? std::nullopt : as_step(stride);
      if (!step) {
        return wrong_kind("a stride", stride, "an integer, on an axis or alone,", *span);
      }
      steps.push_back(*step);
    }
  }
  HEDDLE_TRY(std::vector<axe::Iter> iters,
             at(make_iters(extents, has_strides ? &steps : nullptr), expression.span));
  if (node.is_replica) {
    // Checked as in a layout that has these iters.
    HEDDLE_CHECK(at(axe::Layout::make({}, iters), expression.span));
    return Value(AxePart{std::move(iters), {}});
  }
  return checked(value_at(axe::Layout::make(std::move(iters)), expression.span), expression.span);
}

Result<Value> Evaluator::visit(const BasisLiteral& node, const Expression& expression,
                               Grouping) const {
  Int scale = 1;
  if (!expression.parts.empty()) {
    HEDDLE_TRY(scale, as<Int>(expression.parts.front(), "the number before '@'"));
  }
  HEDDLE_TRY(const cute::Basis basis, at(cute::Basis::make(node.path), expression.span));
  return Value(cute::StrideTuple(cute::Stride(scale, basis)));
}

/// E(0,1), as CuTe DSL writes E<0,1>.
Result<Value> Evaluator::called_basis(const Expression& call) const {
  std::vector<std::size_t> path;
  for (const Expression& part : std::span(call.parts).subspan(1)) {
    HEDDLE_TRY(const ModeNumbers modes, as<ModeNumbers>(part, "an argument of E"));
    path.insert(path.end(), modes.numbers.begin(), modes.numbers.end());
  }
  HEDDLE_TRY(const cute::Basis basis, at(cute::Basis::make(path), call.span));
  return Value(cute::StrideTuple(cute::Stride(1, basis)));
}

}  // namespace heddle::notation
