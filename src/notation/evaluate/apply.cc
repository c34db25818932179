// Applies a layout, a swizzle or a function: A(5), A(1,_), L(lane=3).

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cute/partition.h"
#include "notation/evaluate/evaluation.h"
#include "notation/operations/tuples.h"
#include "notation/value/shard_pieces.h"

namespace heddle::notation {

bool is_applicable(const Value& value) {
  return value.has_map() || value.is<cute::Swizzle>() || value.is<axe::Swizzle>() ||
         value.is<cute::OffsetLayout>() || value.is<LegoFunction>();
}

namespace {

/// The index of a coordinate, with the offset; or a slice, which has its own offset.
Result<Value> apply_placed(const cute::OffsetLayout& placed, const Value& at_coordinate,
                           Span span) {
  HEDDLE_TRY(const cute::Coordinate coordinate,
             converted<cute::Coordinate>(at_coordinate, "what a layout is applied to", span));
  if (cute::has_underscore(coordinate)) {
    return value_at(cute::pick(placed, {placed.layout, coordinate}), span);
  }
  const cute::Tensor counted{cute::Counter{placed.offset}, placed.layout};
  return value_at(cute::evaluate(counted, coordinate), span);
}

/// Refuses values that cannot be applied.
Result<void> check_applicable(const Value& function, Span span) {
  if (is_applicable(function)) return {};
  Refusal refusal = wrong_kind("what is applied", function,
                               "a layout, a swizzle or the name of an operation", span);
  const bool is_stride = function.is<IntTuple>() || function.is<cute::StrideTuple>();
  if (!is_stride) return refusal;
  return refuse(std::move(refusal.value())
                    .with_hint("a layout that is written out needs parentheses: ((4,8):(8,1))(3)"));
}

/// The index of a coordinate without `_`, including the tensor's engine; nullopt for other
/// coordinates.
Result<std::optional<Value>> apply_tensor(const cute::Tensor& tensor, const Value& coordinate) {
  HEDDLE_TRY(const std::optional<Value> whole, convert<cute::Coordinate>(coordinate));
  if (!whole || cute::has_underscore(whole->get<cute::Coordinate>())) return std::nullopt;
  HEDDLE_TRY(IntTuple index, cute::evaluate(tensor, whole->get<cute::Coordinate>()));
  return Value(std::move(index));
}

/// Applies a function of any kind but LEGO's to its coordinate; `named` are further arguments.
Result<Value> apply_to(const Value& function, const Value& coordinate, std::vector<Argument> named,
                       const Calls& calls, Span span) {
  if (const auto* swizzle = function.get_if<axe::Swizzle>()) {
    HEDDLE_TRY(const Int address, converted<Int>(coordinate, "an address", span));
    return value_at(check_defined((*swizzle)(address), "a swizzled address"), span);
  }
  if (const auto* placed = function.get_if<cute::OffsetLayout>()) {
    return apply_placed(*placed, coordinate, span);
  }
  if (const auto* tensor = function.get_if<cute::Tensor>()) {
    HEDDLE_TRY(const std::optional<Value> index, at(apply_tensor(*tensor, coordinate), span));
    if (index) return *index;
  }
  std::vector<Argument> arguments = {{function, {}, span}, {coordinate, {}, span}};
  if (const auto* swizzle = function.get_if<cute::Swizzle>()) {
    HEDDLE_TRY(const Int address, converted<Int>(coordinate, "an address", span));
    arguments.back().value = Value(address);
    return calls.told(*find_operation("apply"), arguments, Value((*swizzle)(address)));
  }
  std::ranges::move(named, std::back_inserter(arguments));
  return at(calls.call("apply", arguments), span);
}

}  // namespace

/// A(5), A(1,_); L(lane=3, warp=1) for a linear layout, whose coordinates have names; L(1,5,
/// shape=(8,16)) for an Axe layout, which has no shape of its own.
Result<Value> Evaluator::apply(const Value& applied, const Application& node,
                               const Expression& expression) const {
  const Span span = expression.span;
  HEDDLE_TRY(const Value layout_of_tile, tile_as_layout(applied, expression.parts.front().span));
  HEDDLE_TRY(const Value function, with_pieces(layout_of_tile));
  HEDDLE_CHECK(check_applicable(function, expression.parts.front().span));
  const auto* named_function = function.get_if<LegoFunction>();
  if (const auto* formula = named_function == nullptr
                                ? nullptr
                                : std::get_if<lego::Formula>(&named_function->function)) {
    return apply_function(*formula, expression);
  }
  const bool is_linear = function.is<linear::LinearLayout>();
  const bool may_be_named = is_linear || function.is<axe::Layout>() || function.is<axe::Sharded>();
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Span part = expression.parts[i + 1].span;
    if (!node.names[i].empty() && !may_be_named) {
      return refuse_at(Diagnostic("call.keyword", "a coordinate of this layout has no names"),
                       part);
    }
    if (is_linear && node.names[i].empty() != node.names.front().empty()) {
      return refuse_at(
          Diagnostic("call.keyword", "the coordinates of a linear layout have names all, or none"),
          part);
    }
  }
  if (const auto* layout = function.get_if<lego::Layout>()) {
    return apply_lego(*layout, std::span(expression.parts).subspan(1), span);
  }
  Parts parts;
  Datum::Fields fields;
  std::vector<Argument> named;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& part = expression.parts[i + 1];
    HEDDLE_TRY(Value value, run(part));
    if (node.names[i].empty()) {
      parts.push_back(std::move(value));
    } else if (is_linear) {
      HEDDLE_TRY(Datum number, datum(value, "a coordinate", part.span));
      fields.emplace_back(node.names[i], std::move(number));
    } else {
      named.push_back({std::move(value), std::string(node.names[i]), part.span});
    }
  }
  if (is_linear && parts.empty()) parts.emplace_back(Datum(std::move(fields)));
  if (parts.empty()) {
    return refuse_at(Diagnostic("call.arity", "a layout is applied to a coordinate"), span);
  }
  Value coordinate = parts.front();
  if (parts.size() > 1) {
    HEDDLE_TRY(coordinate, at(tuple_of(parts), span));
  }
  return apply_to(function, coordinate, std::move(named), calls_, span);
}

}  // namespace heddle::notation
