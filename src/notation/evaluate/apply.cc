// A layout, a swizzle or a function in front of parentheses: A(5), A(1,_), L(lane=3).

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cute/partition.h"
#include "notation/evaluate/evaluation.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {

bool is_applicable(const Value& value) {
  return value.has_map() || value.is<cute::Swizzle>() || value.is<axe::Swizzle>() ||
         value.is<cute::OffsetLayout>() || value.is<LegoFunction>();
}

namespace {

/// The index of a coordinate, the offset included; or a slice, which begins at its own.
Result<Value> apply_placed(const cute::OffsetLayout& placed, const Value& at_coordinate) {
  HEDDLE_TRY(const std::optional<Value> converted, convert<cute::Coordinate>(at_coordinate));
  if (!converted) {
    return refuse("call.type", fmt::format("a layout is applied to a coordinate, not to {}",
                                           kind_name(at_coordinate)));
  }
  const auto& coordinate = converted->get<cute::Coordinate>();
  if (cute::has_underscore(coordinate)) {
    HEDDLE_TRY(cute::OffsetLayout slice, cute::pick(placed, {placed.layout, coordinate}));
    return Value(std::move(slice));
  }
  const cute::Tensor counted{cute::Counter{placed.offset}, placed.layout};
  HEDDLE_TRY(IntTuple index, cute::evaluate(counted, coordinate));
  return Value(std::move(index));
}

/// Refuses what has no meaning in front of parentheses.
Result<void> check_applicable(const Value& function, Span span) {
  if (is_applicable(function)) return {};
  Refusal refusal = wrong_kind("what is applied", function,
                               "a layout, a swizzle or the name of an operation", span);
  const bool is_stride = function.is<IntTuple>() || function.is<cute::StrideTuple>();
  if (!is_stride) return refusal;
  return refuse(std::move(refusal.value())
                    .with_hint("a layout that is written out stands in parentheses: "
                               "((4,8):(8,1))(3)"));
}

/// The integer that a swizzle is applied to.
Result<Int> address_of(const Value& coordinate, Span span) {
  HEDDLE_TRY(const std::optional<Value> address, convert<Int>(coordinate));
  if (!address) return wrong_kind("an address", coordinate, "an integer", span);
  return address->get<IntTuple>().leaf();
}

/// The index of a coordinate without `_`, the engine of the tensor counted in; nothing for others.
Result<std::optional<Value>> apply_tensor(const cute::Tensor& tensor, const Value& coordinate) {
  HEDDLE_TRY(const std::optional<Value> whole, convert<cute::Coordinate>(coordinate));
  if (!whole || cute::has_underscore(whole->get<cute::Coordinate>())) return std::nullopt;
  HEDDLE_TRY(IntTuple index, cute::evaluate(tensor, whole->get<cute::Coordinate>()));
  return Value(std::move(index));
}

/// What is no layout of Triton, LEGO or Axe, applied to its coordinate.
Result<Value> apply_to(const Value& function, const Value& coordinate, const Calls& calls,
                       Span span) {
  if (const auto* swizzle = function.get_if<cute::Swizzle>()) {
    HEDDLE_TRY(const Int address, address_of(coordinate, span));
    const Argument arguments[] = {{function, {}, span}, {Value(address), {}, span}};
    return calls.told(*find_operation("apply"), arguments, Value((*swizzle)(address)));
  }
  if (const auto* swizzle = function.get_if<axe::Swizzle>()) {
    HEDDLE_TRY(const Int address, address_of(coordinate, span));
    HEDDLE_TRY(const Int result,
               at(check_defined((*swizzle)(address), "a swizzled address"), span));
    return Value(result);
  }
  if (const auto* placed = function.get_if<cute::OffsetLayout>()) {
    return at(apply_placed(*placed, coordinate), span);
  }
  if (const auto* tensor = function.get_if<cute::Tensor>()) {
    HEDDLE_TRY(const std::optional<Value> index, at(apply_tensor(*tensor, coordinate), span));
    if (index) return *index;
  }
  const Argument arguments[] = {{function, {}, span}, {coordinate, {}, span}};
  return at(calls.call("apply", arguments), span);
}

}  // namespace

/// L(lane=3, warp=1); an object, L({"lane": 3}), does as well.
Result<Value> Evaluator::apply_linear(const Value& layout, const Application& node,
                                      const Expression& expression) const {
  Datum::Fields point;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& part = expression.parts[i + 1];
    if (node.names[i].empty() && node.names.size() == 1) {
      HEDDLE_TRY(const Value whole, run(part));
      const Argument arguments[] = {{layout, {}, expression.span}, {whole, {}, part.span}};
      return at(calls_.call("apply", arguments), expression.span);
    }
    if (node.names[i].empty()) {
      return refuse_at(Diagnostic("call.keyword", "a coordinate of a linear layout has names")
                           .with_hint("L(register=1, lane=3)"),
                       part.span);
    }
    HEDDLE_TRY(const Value coordinate, run(part));
    HEDDLE_TRY(Datum number, datum(coordinate, "a coordinate", part.span));
    point.emplace_back(std::string(node.names[i]), std::move(number));
  }
  const Argument arguments[] = {{layout, {}, expression.span},
                                {Value(Datum(std::move(point))), {}, expression.span}};
  return at(calls_.call("apply", arguments), expression.span);
}

/// L(21); L(1,5) of as many numbers as there are iters; L(1,5, shape=(8,16)).
Result<Value> Evaluator::apply_axe(const Value& layout, const Application& node,
                                   const Expression& expression) const {
  std::vector<Argument> arguments = {{layout, {}, expression.parts.front().span}};
  Parts parts;
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& part = expression.parts[i + 1];
    HEDDLE_TRY(Value value, run(part));
    if (node.names[i].empty()) {
      parts.push_back(std::move(value));
    } else {
      arguments.push_back({std::move(value), std::string(node.names[i]), part.span});
    }
  }
  if (parts.empty()) {
    return refuse_at(Diagnostic("call.arity", "a layout is applied to an index or a point"),
                     expression.span);
  }
  Value point = parts.front();
  if (parts.size() > 1) {
    HEDDLE_TRY(point, at(tuple_of(parts), expression.span));
  }
  arguments.insert(arguments.begin() + 1, Argument{std::move(point), {}, expression.span});
  return at(calls_.call("apply", arguments), expression.span);
}

Result<Value> Evaluator::apply(const Value& applied, const Application& node,
                               const Expression& expression) const {
  const Span span = expression.span;
  const Span front = expression.parts.front().span;
  HEDDLE_TRY(const Value function, tile_as_layout(applied, front));
  HEDDLE_CHECK(check_applicable(function, front));
  if (function.is<axe::Layout>() || function.is<axe::Sharded>()) {
    return apply_axe(function, node, expression);
  }
  if (function.is<linear::LinearLayout>()) return apply_linear(function, node, expression);
  if (const auto* layout = function.get_if<lego::Layout>()) {
    for (std::size_t i = 0; i < node.names.size(); ++i) {
      if (node.names[i].empty()) continue;
      return refuse_at(Diagnostic("call.keyword", "a coordinate of a LEGO layout has no names"),
                       expression.parts[i + 1].span);
    }
    return apply_lego(*layout, std::span(expression.parts).subspan(1), span);
  }
  if (const auto* named = function.get_if<LegoFunction>()) {
    const auto* formula = std::get_if<lego::Formula>(&named->function);
    if (formula != nullptr) return apply_function(*formula, expression);
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
  if (parts.empty()) {
    return refuse_at(Diagnostic("call.arity", "a layout is applied to a coordinate"), span);
  }
  if (parts.size() == 1) return apply_to(function, parts.front(), calls_, span);
  HEDDLE_TRY(const Value coordinate, at(tuple_of(parts), span));
  return apply_to(function, coordinate, calls_, span);
}

}  // namespace heddle::notation
