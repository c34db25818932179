// What evaluates functions, choices and the indices of LEGO layouts.

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "heddle/expr/condition.h"
#include "heddle/expr/index_variable.h"
#include "heddle/lego/layout.h"
#include "notation/evaluation.h"
#include "notation/lego_values.h"
#include "notation/names.h"
#include "notation/tuples.h"

namespace heddle::notation {

namespace {

/// A condition, not something that is selected from.
bool is_condition(const Expression& expression) {
  const bool is_group =
      std::holds_alternative<Parentheses>(expression.node) && expression.parts.size() == 1;
  if (is_group) return is_condition(expression.parts.front());
  return std::holds_alternative<Comparison>(expression.node) ||
         std::holds_alternative<Connective>(expression.node);
}

}  // namespace

bool is_choice(const Reference& function, const Expression& application) {
  return function.name == "select" && application.parts.size() == 4 &&
         is_condition(application.parts[1]);
}

/// An index of a LEGO layout: a name that stands for nothing else is any index of its dimension.
Result<Value> Evaluator::index(const Expression& expression, const Int& extent) const {
  const auto* reference = std::get_if<Reference>(&expression.node);
  if (reference == nullptr) return run(expression);
  const std::string_view name = reference->name;
  const bool is_known = environment_.find(name) != nullptr || sizes_.contains(name) ||
                        environment_.assumptions().variables().contains(name) ||
                        find_operation(name) != nullptr;
  if (is_known) return run(expression);
  return Value(index_variable(name, extent));
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

/// A position, or the slice that `:` and `_` leave free.
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
  const Argument arguments[] = {{Value(layout), {}, span}, {coordinate, {}, span}};
  return at(observed_call(coordinate.is<cute::Coordinate>() ? "slice" : "apply", arguments), span);
}

/// A permutation of a tile, Row(4,8), is asked as the layout of that tile; all else is as it is.
Result<Value> Evaluator::tile_as_layout(const Value& value, Span span) const {
  const auto* tile = value.get_if<LegoPermutation>();
  if (tile == nullptr) return value;
  const auto dims = lego::dims(tile->permutation);
  HEDDLE_TRY(const lego::Layout view,
             at(lego::Layout::group_by({{dims.begin(), dims.end()}}), span));
  HEDDLE_TRY(lego::Layout layout, at(view.order_by({tile->permutation}), span));
  return Value(std::move(layout));
}

Result<Value> Evaluator::invert_lego(const lego::Layout& layout, const Expression& position,
                                     Span span) const {
  HEDDLE_TRY(Value number, index(position, layout.physical_size()));
  const Argument arguments[] = {{Value(layout), {}, span}, {std::move(number), {}, position.span}};
  return at(observed_call("inv", arguments), span);
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
  HEDDLE_TRY(const Int number, integer(indices.front(), "an index"));
  const auto leaves = list->get<IntTuple>().leaves();
  const bool is_inside = number.is_constant() && number.value() >= 0 &&
                         std::in_range<std::size_t>(number.value()) &&
                         static_cast<std::size_t>(number.value()) < leaves.size();
  if (is_inside) return Value(leaves[static_cast<std::size_t>(number.value())]);
  return refuse_at(Diagnostic("call.type", fmt::format("{} is no index of a list of {}",
                                                       to_string(number), leaves.size())),
                   indices.front().span);
}

/// `antidiag`, `grouped(GM)`; nothing for what else there is, and where the name is bound.
std::optional<LegoFunction> Evaluator::named_function(const Expression& expression) const {
  const bool is_call = std::holds_alternative<Application>(expression.node);
  const Expression& head = is_call ? expression.parts.front() : expression;
  const auto* reference = std::get_if<Reference>(&head.node);
  if (reference == nullptr || environment_.find(reference->name) != nullptr) return std::nullopt;
  if (!named_permutation(reference->name)) return std::nullopt;
  std::vector<Int> parameters;
  for (std::size_t i = 1; is_call && i < expression.parts.size(); ++i) {
    const Result<Int> parameter = integer(expression.parts[i], "a parameter");
    if (!parameter) return std::nullopt;
    parameters.push_back(*parameter);
  }
  return named_permutation(reference->name, std::move(parameters));
}

/// What GenP takes: its names come before those of operations, swizzle(2,0,2).
Result<Value> Evaluator::function(const Expression& expression) const {
  if (auto named = named_function(expression)) return Value(*std::move(named));
  return run(expression);
}

namespace {

/// The names that a parameter must not have in the body: those of what other names there stand for.
std::set<std::string> captured_names(const Expression& body, const Environment& environment) {
  std::set<std::string> captured;
  for (const std::string_view name : names_in(body)) {
    const Value* value = environment.find(name);
    if (value == nullptr) continue;
    for (std::string& variable : variables(*value)) captured.insert(std::move(variable));
  }
  return captured;
}

}  // namespace

Result<Value> Evaluator::visit(const FunctionLiteral& node, const Expression& expression,
                               Grouping) const {
  const Expression& body = expression.parts.front();
  Environment inner = environment_;
  lego::Formula formula;
  std::set<std::string> taken = captured_names(body, environment_);
  for (const std::string_view parameter : node.parameters) {
    std::string name(parameter);
    while (!taken.insert(name).second) name += '_';
    inner.bind(std::string(parameter), Value(Int::variable(name)));
    formula.parameters.push_back(std::move(name));
  }
  HEDDLE_TRY(const Value value, Evaluator(inner, sizes_, unknowns_).run(body));
  const auto* results = value.get_if<IntTuple>();
  if (results == nullptr || results->depth() > 1) {
    return wrong_kind("what a function gives", value, "an integer or a tuple of integers",
                      body.span);
  }
  formula.results.assign(results->leaves().begin(), results->leaves().end());
  return Value(LegoFunction{std::move(formula)});
}

Result<Value> Evaluator::apply_function(const lego::Formula& formula,
                                        const Expression& expression) const {
  std::vector<Int> arguments;
  for (const Expression& part : std::span(expression.parts).subspan(1)) {
    HEDDLE_TRY(Int argument, integer(part, "an argument of a function"));
    arguments.push_back(std::move(argument));
  }
  if (arguments.size() != formula.parameters.size()) {
    return refuse_at(
        Diagnostic("call.arity", fmt::format("{} takes {} arguments, not {}", to_string(formula),
                                             formula.parameters.size(), arguments.size())),
        expression.span);
  }
  HEDDLE_TRY(const std::vector<Int> results,
             at(lego::evaluate(formula, arguments), expression.span));
  for (const Int& result : results) {
    HEDDLE_CHECK(at(check_defined(result, "the value of a function"), expression.span));
  }
  return results.size() == 1 ? Value(results.front()) : Value(IntTuple::flat(results));
}

namespace {

/// Of two values that are integers or tuples alike, leaf by leaf the one that the condition says.
Result<Value> selected(const Condition& condition, const Value& then, const Value& otherwise,
                       Span span) {
  const auto* a = then.get_if<IntTuple>();
  const auto* b = otherwise.get_if<IntTuple>();
  if (a == nullptr || b == nullptr || a->profile() != b->profile()) {
    return refuse_at(
        Diagnostic("call.type",
                   fmt::format("whether {} is open, and the branches are {} and {}; "
                               "integers or tuples alike are needed",
                               to_string(condition), kind_name(then), kind_name(otherwise))),
        span);
  }
  std::vector<Int> leaves;
  for (std::size_t i = 0; i < a->leaves().size(); ++i) {
    leaves.push_back(heddle::select(condition, a->leaves()[i], b->leaves()[i]));
    HEDDLE_CHECK(at(check_defined(leaves.back(), "a choice"), span));
  }
  std::size_t next = 0;
  return Value(transform_leaves(*a, [&](const Int&) { return leaves[next++]; }));
}

/// The comparison as a condition.
Condition condition_of(TokenKind comparator, const Int& a, const Int& b) {
  switch (comparator) {
    case TokenKind::kEqual:
      return {a, Relation::kEqual, b};
    case TokenKind::kNotEqual:
      return {a, Relation::kNotEqual, b};
    case TokenKind::kLess:
      return {a, Relation::kLess, b};
    case TokenKind::kLessEqual:
      return {a, Relation::kAtMost, b};
    case TokenKind::kGreater:
      return {b, Relation::kLess, a};
    default:
      return {b, Relation::kAtMost, a};
  }
}

}  // namespace

/// Only a branch that may be taken is looked at.
Result<Value> Evaluator::choose_by_comparison(const Comparison& node, const Expression& condition,
                                              const Branch& then, const Branch& otherwise) const {
  HEDDLE_TRY(const Int a, integer(condition.parts[0], "the left side of the comparison"));
  HEDDLE_TRY(const Int b, integer(condition.parts[1], "the right side of the comparison"));
  const Condition compared = condition_of(node.comparator, a, b);
  if (known(compared)) return then();
  if (known_false(compared)) return otherwise();
  HEDDLE_TRY(const Value if_so, then());
  HEDDLE_TRY(const Value if_not, otherwise());
  return selected(compared, if_so, if_not, condition.span);
}

Result<Value> Evaluator::choose(const Expression& condition, const Branch& then,
                                const Branch& otherwise) const {
  if (const auto* comparison = std::get_if<Comparison>(&condition.node)) {
    return choose_by_comparison(*comparison, condition, then, otherwise);
  }
  const bool is_group =
      std::holds_alternative<Parentheses>(condition.node) && condition.parts.size() == 1;
  if (is_group) return choose(condition.parts.front(), then, otherwise);
  if (const auto* connective = std::get_if<Connective>(&condition.node)) {
    Branch rest = connective->is_and ? then : otherwise;
    for (std::size_t i = condition.parts.size(); i-- > 1;) {
      rest = [&, i, next = rest] {
        return connective->is_and ? choose(condition.parts[i], next, otherwise)
                                  : choose(condition.parts[i], then, next);
      };
    }
    return connective->is_and ? choose(condition.parts.front(), rest, otherwise)
                              : choose(condition.parts.front(), then, rest);
  }
  HEDDLE_TRY(const Value value, run(condition));
  if (const bool* truth = value.get_if<bool>()) return *truth ? then() : otherwise();
  return wrong_kind("what a choice depends on", value, "a comparison", condition.span);
}

Result<Value> Evaluator::visit(const Choice&, const Expression& expression, Grouping) const {
  return choose(
      expression.parts[0], [&] { return run(expression.parts[1]); },
      [&] { return run(expression.parts[2]); });
}

/// Outside of a choice only of truth values.
Result<Value> Evaluator::visit(const Connective& node, const Expression& expression,
                               Grouping) const {
  for (const Expression& part : expression.parts) {
    HEDDLE_TRY(const Value value, run(part));
    const bool* truth = value.get_if<bool>();
    if (truth == nullptr) return wrong_kind("a side of and, or", value, "a truth value", part.span);
    if (*truth != node.is_and) return Value(!node.is_and);
  }
  return Value(node.is_and);
}

}  // namespace heddle::notation
