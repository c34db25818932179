// Layouts, swizzles and their parts as CuTe and Axe write them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "heddle/cute/partition.h"
#include "notation/evaluate/evaluation.h"
#include "notation/operations/axe_arithmetic.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {

namespace {

using cute::Layout;
using cute::Swizzle;

/// What stands in parentheses, one by one, or the expression alone.
std::span<const Expression> items_of(const Expression& expression) {
  if (std::holds_alternative<Parentheses>(expression.node)) return expression.parts;
  return {&expression, 1};
}

}  // namespace

Result<Value> Evaluator::visit(const LayoutLiteral&, const Expression& expression, Grouping) const {
  HEDDLE_TRY(const Value shape, run(expression.parts[0], Grouping::kTuples));
  if (!shape.is<IntTuple>()) {
    return wrong_kind("the shape before ':'", shape, "an integer or a tuple",
                      expression.parts[0].span);
  }
  if (expression.parts.size() == 1) {
    HEDDLE_TRY(Layout layout, at(cute::make_layout(shape.get<IntTuple>()), expression.span));
    return Value(std::move(layout));
  }
  HEDDLE_TRY(const Value stride, run(expression.parts[1], Grouping::kTuples));
  if (!stride.is<IntTuple>() && !stride.is<cute::StrideTuple>()) {
    return wrong_kind("the stride behind ':'", stride, "an integer or a tuple",
                      expression.parts[1].span);
  }
  HEDDLE_TRY(Layout layout,
             at(cute::make_layout(shape.get<IntTuple>(), strides_of(stride)), expression.span));
  return Value(std::move(layout));
}

Result<Value> Evaluator::visit(const OnTile&, const Expression& expression, Grouping) const {
  const Span span = expression.parts[0].span;
  HEDDLE_TRY(const Value given, run(expression.parts[0]));
  HEDDLE_TRY(const Layout layout,
             converted<Layout>(given, "what has a tile", span, "a layout (thread,value)"));
  HEDDLE_TRY(const Value size, run(expression.parts[1]));
  HEDDLE_TRY(
      const cute::Tiler tile,
      converted<cute::Tiler>(size, "the tile", expression.parts[1].span, "a shape or a tiler"));
  HEDDLE_TRY(cute::TvLayout tv, at(cute::on_tile(layout, tile), span));
  return Value(std::move(tv));
}

Result<std::array<int, 3>> Evaluator::swizzle_numbers(const Expression& expression) const {
  std::array<int, 3> numbers = {};
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
  return numbers;
}

Result<Value> Evaluator::visit(const SwizzleLiteral&, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const auto numbers, swizzle_numbers(expression));
  HEDDLE_TRY(const Swizzle swizzle,
             at(Swizzle::make(numbers[0], numbers[1], numbers[2]), expression.span));
  return Value(swizzle);
}

Result<Value> Evaluator::visit(const TvmSwizzleLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const auto numbers, swizzle_numbers(expression));
  HEDDLE_TRY(
      axe::Swizzle swizzle,
      at(axe::Swizzle::make(numbers[0], numbers[1], numbers[2], node.is_inner), expression.span));
  return Value(std::move(swizzle));
}

/// A step along the axis; a swizzle of it.
Result<Value> Evaluator::visit(const OnAxis& node, const Expression& expression, Grouping) const {
  const Expression& scale = expression.parts.front();
  const Span name{scale.span.end, expression.span.end};
  HEDDLE_TRY(const Value value, run(scale));
  if (const auto* swizzle = value.get_if<axe::Swizzle>()) {
    axe::Swizzle placed = *swizzle;
    placed.axis = Axis(node.axis);
    return checked(Value(std::move(placed)), name);
  }
  HEDDLE_TRY(const Int number, converted<Int>(value, "what stands before '@'", scale.span));
  return checked(Value(AxisStep{number, Axis(node.axis)}), name);
}

Result<std::vector<Int>> Evaluator::extents_of(const Expression& expression) const {
  std::vector<Int> extents;
  const std::span<const Expression> items = items_of(expression);
  for (const Expression& item : items) {
    HEDDLE_TRY(const Value value, run(item, Grouping::kTuples));
    const auto* tuple = value.get_if<IntTuple>();
    const bool is_whole = items.size() == 1 && tuple != nullptr && tuple->depth() <= 1;
    if (!is_whole && (tuple == nullptr || !tuple->is_leaf())) {
      return wrong_kind("an extent", value, "an integer", item.span);
    }
    for (const Int& extent : tuple->leaves()) extents.push_back(extent);
  }
  return extents;
}

Result<std::vector<AxisStep>> Evaluator::steps_of(const Expression& expression) const {
  std::vector<AxisStep> steps;
  const std::span<const Expression> items = items_of(expression);
  for (const Expression& item : items) {
    HEDDLE_TRY(const Value value, run(item, Grouping::kTuples));
    const auto* tuple = value.get_if<IntTuple>();
    if (items.size() == 1 && tuple != nullptr && tuple->depth() == 1) {
      for (const Int& stride : tuple->leaves()) steps.push_back({stride, Axis::memory()});
      continue;
    }
    const bool is_nested = tuple != nullptr && !tuple->is_leaf();
    const std::optional<AxisStep> step = is_nested ? std::nullopt : as_step(value);
    if (!step) {
      return wrong_kind("a stride", value, "an integer, on an axis or alone,", item.span);
    }
    steps.push_back(*step);
  }
  return steps;
}

Result<Value> Evaluator::visit(const ItersLiteral& node, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const std::vector<Int> extents, extents_of(expression.parts[0]));
  std::vector<AxisStep> steps;
  const bool has_strides = expression.parts.size() > 1;
  if (has_strides) {
    HEDDLE_TRY(steps, steps_of(expression.parts[1]));
  }
  HEDDLE_TRY(std::vector<axe::Iter> iters,
             at(make_iters(extents, has_strides ? &steps : nullptr), expression.span));
  if (node.is_replica) {
    // The same checks as for a layout that has them.
    HEDDLE_CHECK(at(axe::Layout::make({}, iters), expression.span));
    return Value(AxePart{std::move(iters), {}});
  }
  HEDDLE_TRY(axe::Layout layout, at(axe::Layout::make(std::move(iters)), expression.span));
  return checked(Value(std::move(layout)), expression.span);
}

Result<Value> Evaluator::visit(const BasisLiteral& node, const Expression& expression,
                               Grouping) const {
  Int scale = 1;
  if (!expression.parts.empty()) {
    HEDDLE_TRY(scale, integer(expression.parts.front(), "the number before '@'"));
  }
  HEDDLE_TRY(const cute::Basis basis, at(cute::Basis::make(node.path), expression.span));
  return Value(cute::StrideTuple(cute::Stride(scale, basis)));
}

}  // namespace heddle::notation
