// `A o B`: layouts, swizzles with offsets, pointers and relations.

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "notation/evaluate/evaluation.h"
#include "notation/operations/axe_arithmetic.h"

namespace heddle::notation {

namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Layout;
using cute::Swizzle;

Result<Value> compose_with_offset(const Swizzle& swizzle, const Int& offset, const Value& inner,
                                  Span span) {
  constexpr std::string_view kInner = "what follows the offset";
  HEDDLE_TRY(const AnyLayout right, converted<AnyLayout>(inner, kInner, span, "a layout"));
  if (known_equal(offset, 0)) {
    const auto compose = [&](const auto& layout) { return cute::composition(swizzle, layout); };
    return value_at<AnyLayout>(std::visit(compose, right), span);
  }
  const auto* plain = std::get_if<Layout>(&right);
  if (plain == nullptr) return wrong_kind(kInner, inner, "a plain layout", span);
  return value_at(ComposedLayout::make(swizzle, offset, *plain), span);
}

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

/// The refusal of left o offset o right with `left` a layout: only an offset of 0 gives a layout.
Refusal refuse_offset(const Value& left, const Int& offset, Span span) {
  return refuse_at(
      Diagnostic("composition.offset",
                 fmt::format("{} o {} o …: an offset between layouts other than 0 is "
                             "not carried",
                             to_string(left), to_string(offset)))
          .with_hint("an offset stands behind a swizzle: Sw<3,4,3> o 16 o (8,64):(64,1)"),
      span);
}

Result<Value> compose(const Calls& calls, const Value& left, const Value& right, Span span) {
  if (left.is<map::IntegerRelation>() || right.is<map::IntegerRelation>()) {
    return calls.call("compose", {left, right}, span);
  }
  const auto* swizzle = left.get_if<axe::Swizzle>();
  if (const auto* layout = right.get_if<axe::Layout>(); layout != nullptr && swizzle != nullptr) {
    return value_at(swizzled(*swizzle, *layout), span);
  }
  if (left.is_axe() || right.is_axe()) {
    return wrong_kind(swizzle == nullptr ? "the left side of o" : "the right side of o",
                      swizzle == nullptr ? left : right,
                      swizzle == nullptr ? "a swizzle in TVM's order, SW(3,3,3)," : "an Axe layout",
                      span);
  }
  return calls.call("composition", {left, right}, span);
}

}  // namespace

/// Composes from the right; an integer between two operands is an offset.
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
    HEDDLE_TRY(const auto offset, i >= 2 ? convert<Int>(left) : std::nullopt);
    if (!offset) {
      HEDDLE_TRY(result, compose(calls_, left, result, span));
      continue;
    }
    const Value& outer = parts[i - 2];
    const Int& number = offset->get<IntTuple>().leaf();
    if (const auto* swizzle = outer.get_if<Swizzle>()) {
      HEDDLE_TRY(result, compose_with_offset(*swizzle, number, result, span));
    } else if (known_equal(number, 0)) {
      HEDDLE_TRY(result, compose(calls_, outer, result, span));
    } else {
      return refuse_offset(outer, number, span);
    }
    --i;
  }
  return result;
}

}  // namespace heddle::notation
