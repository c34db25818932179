// The entry points of evaluation, and calls of operations.

#include "heddle/notation/evaluator.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "heddle/notation/analyses.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"
#include "notation/evaluate/evaluation.h"
#include "notation/language/free_names.h"
#include "notation/operations/axe_arithmetic.h"

namespace heddle::notation {

/// LEGO's name of the argument that says what holds of the sizes.
constexpr std::string_view kConstraints = "user_constraints";

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

/// In strict mode refuses undeclared axes.
Result<Value> Evaluator::checked(Result<Value> value, Span span) const {
  if (value && environment_.is_strict()) {
    HEDDLE_CHECK(at(check_axes(*value, environment_.axes()), span));
  }
  return value;
}

namespace {

/// The constraints of a layout, nullptr if it has none: TileBy(…, user_constraints=[…]), and after
/// the list of all tiles, as LEGO's Python writes it, GroupBy([(R,R),(T,T)], […]).
const Expression* constraints_of(const Application& node, const Expression& expression) {
  const auto found = std::ranges::find(node.names, kConstraints);
  if (found != node.names.end()) {
    return &expression.parts[static_cast<std::size_t>(found - node.names.begin()) + 1];
  }
  if (called_name(expression) != "GroupBy" || expression.parts.size() != 3) return nullptr;
  const Expression& tiles = expression.parts[1];
  const bool is_list_of_tiles =
      std::holds_alternative<ListLiteral>(tiles.node) && std::ranges::all_of(tiles.parts, is_tuple);
  return is_list_of_tiles && may_be_constraints(expression.parts[2]) ? &expression.parts[2]
                                                                     : nullptr;
}

/// The name here of a function of SymPy.
std::string_view name_here(std::string_view name) {
  if (name == "Max") return "max";
  return name == "Min" ? "min" : name;
}

}  // namespace

/// A call with constraints, evaluated where they are assumed.
Result<Value> Evaluator::constrained(const Expression& call, const Expression& constraints) const {
  HEDDLE_TRY(const std::vector<Condition> conditions, constraints_in(constraints));
  Environment environment = environment_;
  HEDDLE_CHECK(at(environment.assume(conditions), constraints.span));
  Evaluator inner(environment, sizes_, unknowns_);
  inner.parameters_ = parameters_;
  inner.assumed_ = &constraints;
  return inner.run(call);
}

Result<Value> Evaluator::visit(const Application& node, const Expression& expression,
                               Grouping) const {
  const Expression* constraints = constraints_of(node, expression);
  if (constraints != nullptr && constraints != assumed_) {
    return constrained(expression, *constraints);
  }
  const Expression& function = expression.parts.front();
  if (const auto* member = std::get_if<Member>(&function.node)) {
    const bool gets_axis = member->name == "get" && is_axis_class(function.parts.front());
    if (gets_axis && expression.parts.size() == 2) return run(expression.parts[1]);
    return call_named(name_here(member->name), node, expression);
  }
  const auto* reference = std::get_if<Reference>(&function.node);
  if (reference == nullptr) {
    HEDDLE_TRY(const Value value, run(function));
    return apply(value, node, expression);
  }
  if (is_choice(*reference, expression)) {
    return choose(
        expression.parts[1], [&] { return run(expression.parts[2]); },
        [&] { return run(expression.parts[3]); });
  }
  // A bound value that can be applied hides an operation of its name; a bound number does not.
  const Value* bound = find(reference->name);
  const bool hides = bound != nullptr && is_applicable(*bound);
  if (hides || (bound != nullptr && find_operation(reference->name) == nullptr)) {
    return apply(*bound, node, expression);
  }
  return call_named(name_here(reference->name), node, expression);
}

namespace {

/// How a call treats its arguments.
enum class ArgumentRule {
  kUsual,     // the values of expressions
  kIndices,   // indices after a LEGO layout; a free name is any index: apply(L, i, j)
  kPosition,  // a position after a LEGO layout, likewise: inv(L, p)
  kFunction,  // functions after the sizes, by name or formula: GenP([4,4], antidiag)
  kAxis,      // an axis at the end, which needs no quotes: Iter(8, 4, laneid)
};

struct SpecialForm {
  std::string_view name;
  ArgumentRule rule;
};

constexpr std::array kSpecialForms = {
    SpecialForm{"apply", ArgumentRule::kIndices}, SpecialForm{"inv", ArgumentRule::kPosition},
    SpecialForm{"GenP", ArgumentRule::kFunction}, SpecialForm{"Iter", ArgumentRule::kAxis},
    SpecialForm{"size", ArgumentRule::kAxis},     SpecialForm{"span", ArgumentRule::kAxis},
};

ArgumentRule rule_of(std::string_view name) {
  const auto found = std::ranges::find(kSpecialForms, name, &SpecialForm::name);
  return found == kSpecialForms.end() ? ArgumentRule::kUsual : found->rule;
}

/// What `?` is in an argument: a size in shapes, layouts and tilers, and where shapes are divided.
Grouping grouping_of(std::string_view operation, std::size_t index, std::string_view keyword) {
  if (operation == "shape_div" || operation == "ceil_div") return Grouping::kSizes;
  for (const Operation* one : operations_named(operation)) {
    if (keyword.empty() && index >= one->parameters.size()) continue;
    const Parameter* found =
        keyword.empty() ? &one->parameters[index] : find_parameter(*one, keyword);
    if (found == nullptr) continue;
    const Parameter& parameter = *found;
    const bool is_shape = parameter.name == "shape" || parameter.name == "cotarget" ||
                          parameter.type->is_layout ||
                          *parameter.type == kParameterType<cute::Tiler>;
    if (is_shape) return Grouping::kSizes;
  }
  return Grouping::kUsual;
}

/// TVM's methods that are called on the inner layout and take the outer one: inner.tile(outer, …).
bool is_of_the_inner_side(std::string_view method, const Value& receiver) {
  return receiver.is<axe::Layout>() && (method == "tile" || method == "direct_sum");
}

bool is_axe_layout(std::span<const Argument> arguments) {
  return !arguments.empty() && arguments.front().value.is_axe();
}

/// The texts of tensor types among the arguments.
std::vector<std::string> types_in(const Expression& call) {
  std::vector<std::string> types;
  for (const Expression& part : call.parts) {
    if (const auto* type = std::get_if<TritonLiteral>(&part.node)) types.emplace_back(type->text);
  }
  return types;
}

}  // namespace

Result<Value> Evaluator::call_named(std::string_view name, const Application& node,
                                    const Expression& expression) const {
  const Expression& function = expression.parts.front();
  if (find_operation(name) == nullptr) {
    if (auto named = named_function(expression)) return Value(*std::move(named));
    if (name == "E" && !node.names.empty()) return called_basis(expression);
    return unknown_name(name, function.span, Use::kCall);
  }
  const ArgumentRule rule = rule_of(name);
  std::vector<Argument> arguments;
  const bool is_method = std::holds_alternative<Member>(function.node);
  const Expression& front = is_method ? function.parts.front() : function;
  HEDDLE_TRY(const bool has_receiver, is_method ? is_receiver(front, name) : Result<bool>(false));
  if (has_receiver) {
    HEDDLE_TRY(Value receiver, run(front));
    arguments.push_back({std::move(receiver), {}, front.span});
  }
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const Expression& argument = expression.parts[i + 1];
    const bool is_asked =
        (rule == ArgumentRule::kIndices || rule == ArgumentRule::kPosition) && !arguments.empty();
    if (is_asked) {
      HEDDLE_TRY(arguments[0].value, tile_as_layout(arguments[0].value, expression.span));
    }
    if (&argument == assumed_) continue;
    const bool is_plain = node.names[i].empty();
    if (!is_plain) HEDDLE_CHECK(at(check_keyword(name, node.names[i]), argument.span));
    const auto* layout = is_asked ? arguments[0].value.get_if<lego::Layout>() : nullptr;
    if (layout != nullptr && is_plain) {
      const std::span<const Expression> rest = std::span(expression.parts).subspan(i + 1);
      if (rule == ArgumentRule::kIndices) return apply_lego(*layout, rest, expression.span);
      if (rest.size() == 1) return invert_lego(*layout, argument, expression.span);
    }
    const bool is_function = rule == ArgumentRule::kFunction && !arguments.empty();
    const bool may_be_axis = rule == ArgumentRule::kAxis && i + 1 == node.names.size() &&
                             (name == "Iter" || is_axe_layout(arguments));
    const std::optional<std::string> axis = may_be_axis ? axis_called(argument) : std::nullopt;
    const Grouping grouping = grouping_of(name, arguments.size(), node.names[i]);
    HEDDLE_TRY(Value value, axis          ? Result<Value>(*axis)
                            : is_function ? this->function(argument, arguments.front().value)
                                          : run(argument, grouping));
    arguments.push_back({std::move(value), std::string(node.names[i]), argument.span});
    const auto* quoted = std::get_if<StringLiteral>(&argument.node);
    if (quoted != nullptr) arguments.back().places = quoted->places;
  }
  if (has_receiver && arguments.size() > 1 && is_of_the_inner_side(name, arguments.front().value)) {
    std::swap(arguments[0], arguments[1]);
  }
  const Operation& operation = *find_operation(name, arguments);
  add_declared_axes(operation, environment_, arguments);
  HEDDLE_CHECK(
      at(add_stated_elements(operation, types_in(expression), arguments), expression.span));
  return checked(at(calls_.call(operation, arguments), expression.span), expression.span);
}

namespace {

/// Fresh names for the unknown numbers of the expression, used neither in it nor in a bound value.
std::map<const Expression*, std::string> fresh_unknowns(const Expression& expression,
                                                        const Environment& environment) {
  std::map<const Expression*, std::string> fresh;
  std::size_t number = environment.first_unknown();
  const std::set<std::string_view> written = names_in(expression);
  for (const Expression* unknown : unknowns_in(expression)) {
    std::string name;
    do {
      name = name_of_unknown(number++);
    } while (environment.is_taken(name) || written.contains(name));
    fresh.emplace(unknown, std::move(name));
  }
  return fresh;
}

}  // namespace

Result<Value> evaluate(const Expression& expression, const Environment& environment,
                       const Observer& observer) {
  return Evaluator(environment, sizes_in(expression), fresh_unknowns(expression, environment),
                   observer ? &observer : nullptr)
      .described(expression);
}

Result<Value> evaluate_function(std::string_view text, const Environment& environment) {
  HEDDLE_TRY(const Expression expression, parse_expression(text));
  return Evaluator(environment, sizes_in(expression), fresh_unknowns(expression, environment))
      .function(expression, Value(false));
}

Result<Value> evaluate(std::string_view text, const Environment& environment) {
  HEDDLE_TRY(const Expression expression, parse_expression(text));
  return evaluate(expression, environment);
}

}  // namespace heddle::notation
