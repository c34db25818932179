// Evaluates indices of LEGO layouts and functions of their permutations.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "heddle/expr/index_variable.h"
#include "heddle/lego/layout.h"
#include "notation/evaluate/evaluation.h"
#include "notation/operations/lego_arguments.h"
#include "notation/operations/tuples.h"
#include "notation/value/axe.h"

namespace heddle::notation {

/// An index of a LEGO layout: a free name, with quotes or without, is a variable in the range of
/// its dimension.
Result<Value> Evaluator::index(const Expression& expression, const Int& extent) const {
  const auto* quoted = std::get_if<StringLiteral>(&expression.node);
  if (quoted != nullptr && is_axis_name(quoted->value)) {
    return index(make_expression(Reference{quoted->value}, expression.span), extent);
  }
  const auto* reference = std::get_if<Reference>(&expression.node);
  if (reference == nullptr) return run(expression);
  if (is_known(reference->name)) return run(expression);
  return Value(index_variable(reference->name, extent));
}

namespace {

/// The parts of a coordinate that is written as one: L.apply([4,1]), L((4,1)).
std::span<const Expression> listed_indices(std::span<const Expression> indices) {
  const bool is_list =
      indices.size() == 1 && (std::holds_alternative<ListLiteral>(indices.front().node) ||
                              (std::holds_alternative<Parentheses>(indices.front().node) &&
                               indices.front().parts.size() > 1));
  return is_list ? std::span<const Expression>(indices.front().parts) : indices;
}

}  // namespace

/// The position of a coordinate, or a slice if it has `:` or `_`.
Result<Value> Evaluator::apply_lego(const lego::Layout& layout, std::span<const Expression> indices,
                                    Span span) const {
  if (indices.empty()) {
    return refuse_at(Diagnostic("call.arity", "a layout is applied to a coordinate"), span);
  }
  const std::span<const Expression> items = listed_indices(indices);
  const lego::Sizes sizes = layout.dims();
  Parts parts;
  for (std::size_t i = 0; i < items.size(); ++i) {
    HEDDLE_TRY(Value part, index(items[i], i < sizes.size() ? sizes[i] : Int(1)));
    parts.push_back(std::move(part));
  }
  Value coordinate = parts.front();
  if (parts.size() > 1) {
    HEDDLE_TRY(coordinate, at(tuple_of(parts), span));
  }
  return calls_.call(coordinate.is<cute::Coordinate>() ? "slice" : "apply",
                     {Value(layout), coordinate}, span);
}

/// Converts a permutation of a tile, Row(4,8), to the layout of that tile.
Result<Value> Evaluator::tile_as_layout(const Value& value, Span span) const {
  const auto* tile = value.get_if<LegoPermutation>();
  if (tile == nullptr) return value;
  return value_at(layout_of_tile(*tile), span);
}

Result<Value> Evaluator::invert_lego(const lego::Layout& layout, const Expression& position,
                                     Span span) const {
  HEDDLE_TRY(const Value number, index(position, layout.physical_size()));
  return calls_.call("inv", {Value(layout), number}, span);
}

/// `L[4,1]`, `DL_a[i, k, :, :]`; a part of a list or a tuple, `L.inv(6)[0]`.
Result<Value> Evaluator::visit(const Subscript&, const Expression& expression, Grouping) const {
  const Expression& front = expression.parts.front();
  HEDDLE_TRY(const Value written, run(front));
  HEDDLE_TRY(const Value whole, tile_as_layout(written, front.span));
  const std::span<const Expression> indices = std::span(expression.parts).subspan(1);
  if (const auto* layout = whole.get_if<lego::Layout>()) {
    return apply_lego(*layout, indices, expression.span);
  }
  const std::optional<Value> list = as_sizes(whole);
  if (!list || indices.size() != 1) {
    const std::string_view needed = "a LEGO layout or a list of integers";
    Refusal refusal = wrong_kind("what is indexed by []", whole, needed, front.span);
    if (!whole.has_map()) return refusal;
    return refuse(std::move(refusal.value()).with_hint("L(1,_) evaluates and slices a layout"));
  }
  HEDDLE_TRY(const Int number, as<Int>(indices.front(), "an index"));
  const auto leaves = list->get<IntTuple>().leaves();
  const bool is_inside = number.is_constant() && number.value() >= 0 &&
                         std::in_range<std::size_t>(number.value()) &&
                         static_cast<std::size_t>(number.value()) < leaves.size();
  if (is_inside) return Value(leaves[static_cast<std::size_t>(number.value())]);
  return refuse_at(Diagnostic("call.type", fmt::format("{} is not an index of a list of {}",
                                                       to_string(number), leaves.size())),
                   indices.front().span);
}

/// `antidiag`, `grouped(GM)`; nullopt for other expressions, and if the name is bound.
std::optional<LegoFunction> Evaluator::named_function(const Expression& expression) const {
  const bool is_call = std::holds_alternative<Application>(expression.node);
  const Expression& head = is_call ? expression.parts.front() : expression;
  const auto* reference = std::get_if<Reference>(&head.node);
  if (reference == nullptr || find(reference->name) != nullptr) return std::nullopt;
  if (!named_permutation(reference->name)) return std::nullopt;
  std::vector<Int> parameters;
  for (std::size_t i = 1; is_call && i < expression.parts.size(); ++i) {
    const Result<Int> parameter = as<Int>(expression.parts[i], "a parameter");
    if (!parameter) return std::nullopt;
    parameters.push_back(*parameter);
  }
  return named_permutation(reference->name, std::move(parameters));
}

/// `lambda x: antidiag(n, x)`, a function of the whole point, as LEGO's Python writes it: antidiag
/// on a tile of side n. nullopt for all other expressions.
std::optional<Value> Evaluator::named_on_square(const Expression& expression,
                                                const Value& tile) const {
  const auto* lambda = std::get_if<FunctionLiteral>(&expression.node);
  const std::optional<Value> sizes = as_sizes(tile);
  if (lambda == nullptr || lambda->parameters.size() != 1 || !sizes) return std::nullopt;
  const Expression& call = expression.parts.front();
  const auto* called = call.parts.empty() ? nullptr : std::get_if<Reference>(&call.parts[0].node);
  if (called == nullptr || !std::holds_alternative<Application>(call.node)) return std::nullopt;
  const auto* point = std::get_if<Reference>(&call.parts.back().node);
  if (point == nullptr || point->name != lambda->parameters.front()) return std::nullopt;
  for (std::size_t i = 1; i + 1 < call.parts.size(); ++i) {
    const Result<Int> side = as<Int>(call.parts[i], "the side of a tile");
    const auto dims = sizes->get<IntTuple>().leaves();
    const bool is_side = side && i == 1 && std::ranges::all_of(dims, [&](const Int& size) {
                           return known_equal(size, *side);
                         });
    if (!is_side) return std::nullopt;
  }
  if (const Value* bound = find(called->name)) {
    return bound->is<LegoFunction>() ? std::optional(*bound) : std::nullopt;
  }
  auto named = named_permutation(called->name);
  return named ? std::optional<Value>(*std::move(named)) : std::nullopt;
}

/// An argument of GenP: its names take precedence over operations, swizzle(2,0,2).
Result<Value> Evaluator::function(const Expression& expression, const Value& tile) const {
  if (auto named = named_on_square(expression, tile)) return *std::move(named);
  if (auto named = named_function(expression)) return Value(*std::move(named));
  Result<Value> value = run(expression);
  const bool is_name = std::holds_alternative<Reference>(expression.node) ||
                       std::holds_alternative<Application>(expression.node);
  if (value || !is_name || value.error().code() != "name.unknown") return value;
  return refuse(Diagnostic(value.error())
                    .with_hint(fmt::format("GenP knows {}; a function is written (i,j) -> 4*i+j",
                                           fmt::join(lego::built_in_names(), ", "))));
}

}  // namespace heddle::notation
