// `A o B`: layouts, swizzles with offsets, pointers and relations.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "notation/evaluate/evaluation.h"
#include "notation/operations/axe_arithmetic.h"
#include "notation/value/shard_pieces.h"

namespace heddle::notation {

namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Layout;
using cute::Swizzle;

/// engine o layout.
Result<Value> tensor_of(const cute::Engine& engine, const Value& inner, Span span) {
  constexpr std::string_view kInner = "what follows a pointer";
  if (inner.is<cute::Tensor>()) return wrong_kind(kInner, inner, "a layout", span);
  HEDDLE_TRY(AnyLayout layout, converted<AnyLayout>(inner, kInner, span, "a layout"));
  return Value(cute::Tensor{engine, std::move(layout)});
}

/// swizzle o tensor: a swizzle before an unset pointer acts on its addresses.
Result<Value> swizzle_tensor(const Swizzle& swizzle, cute::Tensor tensor, Span span) {
  auto* pointer = std::get_if<cute::Pointer>(&tensor.engine);
  if (pointer == nullptr || !pointer->address.empty() || !pointer->swizzle.is_identity()) {
    return wrong_kind("what follows a swizzle", Value(std::move(tensor)),
                      "a layout, an offset or a pointer that is not set", span);
  }
  pointer->swizzle = swizzle;
  return Value(std::move(tensor));
}

Result<Value> compose(const Calls& calls, const Value& left_side, const Value& right_side,
                      Span span) {
  HEDDLE_TRY(const Value left, with_pieces(left_side));
  HEDDLE_TRY(const Value right, with_pieces(right_side));
  if (left.is<map::IntegerRelation>() || right.is<map::IntegerRelation>()) {
    return calls.call("compose", {left, right}, span);
  }
  const auto* swizzle = left.get_if<axe::Swizzle>();
  if (const auto* layout = right.get_if<axe::Layout>(); layout != nullptr && swizzle != nullptr) {
    return value_at(swizzled(*swizzle, *layout), span);
  }
  const bool is_beside_lego = left.is<lego::Layout>() || right.is<lego::Layout>();
  if ((left.is_axe() || right.is_axe()) && !is_beside_lego) {
    return wrong_kind(swizzle == nullptr ? "the left side of o" : "the right side of o",
                      swizzle == nullptr ? left : right,
                      swizzle == nullptr ? "a swizzle in TVM's order, SW(3,3,3)," : "an Axe layout",
                      span);
  }
  return calls.call("composition", {left, right}, span);
}

/// outer o offset o inner. An offset of 0 is no more than the composition, which other systems have
/// too.
Result<Value> compose_with_offset(const Calls& calls, const Value& outer, const IntTuple& offset,
                                  const Value& inner, Span span) {
  HEDDLE_TRY(const auto function, convert<cute::OuterFunction>(outer));
  if (!function) {
    if (known_equal(offset.leaves().front(), 0) && offset.is_leaf())
      return compose(calls, outer, inner, span);
    return wrong_kind("what precedes the offset", outer, "a layout or a swizzle", span);
  }
  HEDDLE_TRY(const AnyLayout right,
             converted<AnyLayout>(inner, "what follows the offset", span, "a layout"));
  return value_at<AnyLayout>(
      cute::make_composed_layout(Reader<cute::OuterFunction>::read(*function), offset, right),
      span);
}

/// `(0,0) o (2,3):(1@0,1@1)`, as CuTe DSL prints a tensor of coordinates: where they begin.
Result<std::optional<Value>> as_coordinate_tensor(const Calls& calls, const Value& left,
                                                  const Value& right, Span span) {
  const auto* begin = left.get_if<IntTuple>();
  const auto* layout = right.get_if<Layout>();
  const bool is_of_coordinates =
      begin != nullptr && !begin->is_leaf() && layout != nullptr &&
      std::ranges::any_of(layout->stride().leaves(),
                          [](const cute::Stride& stride) { return !stride.basis().empty(); });
  if (!is_of_coordinates) return std::nullopt;
  std::vector<Argument> numbers;
  for (const IntTupleView mode : begin->modes())
    numbers.push_back({Value(IntTuple(mode)), {}, span});
  HEDDLE_TRY(const Value engine, at(calls.call("ArithTuple", numbers), span));
  HEDDLE_TRY(Value tensor, tensor_of(engine.get<cute::Engine>(), right, span));
  return tensor;
}

/// The offset that a value is between two operands: a number, or a coordinate by mode.
Result<std::optional<IntTuple>> as_offset(const Value& value) {
  if (const auto* tuple = value.get_if<IntTuple>()) return *tuple;
  HEDDLE_TRY(const auto number, convert<Int>(value));
  return number ? std::optional(number->get<IntTuple>()) : std::nullopt;
}

}  // namespace

/// Composes from the right; a number or a coordinate between two operands is an offset.
Result<Value> Evaluator::visit(const CompositionChain&, const Expression& expression,
                               Grouping) const {
  HEDDLE_TRY(const Parts parts, all(expression.parts, Grouping::kUsual));
  Value result = parts.back();
  for (std::size_t i = parts.size() - 1; i > 0; --i) {
    const Value& left = parts[i - 1];
    const Span span{expression.parts[i - 1].span.begin, expression.span.end};
    if (const auto* engine = left.get_if<cute::Engine>()) {
      HEDDLE_TRY(result, tensor_of(*engine, result, span));
      continue;
    }
    if (left.is<Swizzle>() && result.is<cute::Tensor>()) {
      HEDDLE_TRY(result, swizzle_tensor(left.get<Swizzle>(), result.get<cute::Tensor>(), span));
      continue;
    }
    HEDDLE_TRY(auto tensor, i == 1 ? as_coordinate_tensor(calls_, left, result, span)
                                   : Result<std::optional<Value>>(std::nullopt));
    if (tensor) {
      result = *std::move(tensor);
      continue;
    }
    HEDDLE_TRY(const auto offset, i >= 2 ? as_offset(left) : std::nullopt);
    if (!offset) {
      HEDDLE_TRY(result, compose(calls_, left, result, span));
      continue;
    }
    HEDDLE_TRY(result, compose_with_offset(calls_, parts[i - 2], *offset, result, span));
    --i;
  }
  return result;
}

}  // namespace heddle::notation
