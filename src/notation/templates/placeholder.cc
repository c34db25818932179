#include "notation/templates/placeholder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "heddle/emit/guard.h"
#include "heddle/emit/lookup.h"
#include "heddle/emit/map_function.h"
#include "heddle/emit/print.h"
#include "heddle/emit/slice.h"
#include "heddle/map/relations.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/parser.h"

#include "notation/language/comparators.h"
#include "notation/language/free_names.h"
#include "notation/templates/member_names.h"
#include "notation/value/shard_pieces.h"

namespace heddle::notation {

using emit::Dialect;

/// The parts of `L[i, j]`, `L(i, j)`, `L.guard[i, j]`, `L[i, j].axis`.
struct Access {
  /// What the layout is called in the text.
  std::string_view name;
  Value layout;
  std::vector<IndexCoordinate> coordinates;
  std::string axis;
  bool is_guard = false;
};

namespace {

/// The maximum length of a coordinate, which is repeated wherever the index uses it.
constexpr std::size_t kLongestCoordinate = 4096;

/// Whether the refusal is that a coordinate shared by several modes may be negative, as far as is
/// known.
bool lacks_a_sign(const Diagnostic& why) { return why.code() == "overflow"; }

/// Whether the refusal is that a relation or a table is no short expression, so that a function is
/// needed.
bool needs_a_function(const Diagnostic& why) {
  return why.code() == "template.long_expression" || why.code() == "relation.domain";
}

/// Whether the coordinate is a range or an unbound name, which is known to be in its extent.
bool is_plain(const IndexCoordinate& coordinate, const Environment& environment) {
  if (coordinate.is_range()) return true;
  const auto* reference = std::get_if<Reference>(&coordinate.expression.node);
  return reference != nullptr && environment.find(reference->name) == nullptr;
}

IndexCoordinate coordinate_called(std::string_view name) {
  return {{Reference{name}, {}, {}}, name};
}

bool is_subscript(const Expression& expression) {
  return std::holds_alternative<Subscript>(expression.node) ||
         std::holds_alternative<Application>(expression.node);
}

/// Whether the expression has the form `L[i, j]` or `L[i, j].axis`, which can only be an access.
bool is_index(const Expression& expression) {
  if (std::holds_alternative<Subscript>(expression.node)) return true;
  return std::holds_alternative<Member>(expression.node) && is_index(expression.parts.front());
}

/// The access that an expression is; nullopt if it is none, or if the indexed value is no layout.
std::optional<Access> access_in(const Expression& expression, std::string_view text,
                                const Environment& environment) {
  std::string axis;
  const Expression* subscript = &expression;
  if (const auto* member = std::get_if<Member>(&expression.node)) {
    axis = member->name;
    subscript = &expression.parts.front();
  }
  if (!is_subscript(*subscript)) return std::nullopt;
  const Expression* layout = &subscript->parts.front();
  const auto* member = std::get_if<Member>(&layout->node);
  const bool is_guard = member != nullptr && member->name == "guard";
  if (is_guard) layout = &layout->parts.front();
  // `f(x)` calls an operation unless `f` is bound.
  const auto* reference = std::get_if<Reference>(&layout->node);
  const bool is_bound = reference != nullptr && environment.find(reference->name) != nullptr;
  if (std::holds_alternative<Application>(subscript->node) && !is_bound) return std::nullopt;
  Result<Value> value = evaluate(*layout, environment);
  if (value) value = with_pieces(*value);
  if (!value || !(value->has_map() || to_any_layout(*value))) return std::nullopt;
  // In a list, xs[0] is an element, but xs[i] is the value of i in a table.
  if (value->is_integer()) return std::nullopt;
  const bool is_list = value->is<cute::Tiler>() || value->is<TupleList>() || value->is<Datum>();
  if (is_list && !is_guard && evaluate(*subscript, environment)) return std::nullopt;
  if (is_guard && !axis.empty()) return std::nullopt;
  return Access{text_at(text, layout->span), *value, coordinates_in(*subscript, text),
                std::move(axis), is_guard};
}

bool has_ranges(const Access& access) {
  return std::ranges::any_of(access.coordinates, &IndexCoordinate::is_range);
}

Result<IndexExpression> question_of(const Access& access, const Environment& environment) {
  IndexExpressionOptions options;
  options.is_access = true;
  options.is_guard = access.is_guard;
  return index_expression_at(access.layout, access.coordinates, options, environment);
}

/// The value on one axis.
Result<Int> value_on_axis(const IndexExpression& question, const std::string& axis) {
  if (question.axes.empty()) return refuse("template.value", "the layout leads to no place");
  if (axis.empty() && question.values.size() == 1) return question.values.front();
  const auto found = std::ranges::find(question.axes, axis);
  if (found != question.axes.end()) {
    return question.values[static_cast<std::size_t>(found - question.axes.begin())];
  }
  const std::string axes = fmt::format("{}", fmt::join(question.axes, ", "));
  if (!axis.empty()) {
    return refuse("template.several",
                  fmt::format("the layout has no axis {}; it has {}", quote(axis), axes));
  }
  return refuse(Diagnostic("template.several",
                           fmt::format("the index is one on each of several axes: {}", axes))
                    .with_hint(fmt::format("write L[…].{}", question.axes.front())));
}

bool has_guard(const Expression& expression) {
  const auto* member = std::get_if<Member>(&expression.node);
  if (member != nullptr && member->name == "guard") return true;
  return std::ranges::any_of(expression.parts, has_guard);
}

/// Whether the expression is a choice between values by conditions that contain guards.
bool asks_guards(const Expression& expression) {
  if (is_group(expression)) return asks_guards(expression.parts.front());
  return std::holds_alternative<Choice>(expression.node) && !is_denial(expression) &&
         has_guard(expression.parts.front());
}

/// Adds the unbound names in the comparisons of an expression.
void take_compared_names(std::set<std::string>& names, const Expression& expression,
                         const Environment& environment) {
  if (std::holds_alternative<ComparisonNode>(expression.node)) {
    names.merge(free_names_in(expression, environment));
    return;
  }
  for (const Expression& part : expression.parts) take_compared_names(names, part, environment);
}

/// The value of an access, a slice if it has ranges.
Result<Value> value_at(const Access& access, const Environment& environment) {
  HEDDLE_TRY(const IndexExpression question, question_of(access, environment));
  HEDDLE_TRY(const Int value, value_on_axis(question, access.axis));
  if (question.ranges.empty()) return Value(value);
  return Value(lego::Slice{value, question.ranges});
}

bool has_variables_in(const Expression& expression, const Environment& environment) {
  const auto value = evaluate(expression, environment);
  if (value && value->is_integer() && !variables(*value).empty()) return true;
  return std::ranges::any_of(expression.parts, [&](const Expression& part) {
    return has_variables_in(part, environment);
  });
}

/// Whether the expression is a comparison whose answer depends on variables of the program.
bool is_open_comparison(const Expression& expression, const Value& value,
                        const Environment& environment) {
  const bool compares = std::holds_alternative<ComparisonNode>(expression.node) ||
                        std::holds_alternative<Connective>(expression.node) ||
                        is_denial(expression);
  const auto* verdict = value.get_if<Verdict>();
  const bool* truth = value.get_if<bool>();
  const bool holds = (verdict != nullptr && verdict->is_yes()) || (truth != nullptr && *truth);
  return compares && !holds && has_variables_in(expression, environment);
}

Result<emit::InlineText> value_text(const Value& value, Dialect dialect,
                                    const emit::Spelling& held) {
  if (value.is_integer()) return emit::inline_text(value.get<IntTuple>().leaf(), dialect, held);
  if (const bool* truth = value.get_if<bool>()) {
    return emit::InlineText{emit::truth_text(*truth, dialect), {}};
  }
  const auto* verdict = value.get_if<Verdict>();
  if (verdict != nullptr && !verdict->is_unknown()) {
    return emit::InlineText{emit::truth_text(verdict->is_yes(), dialect), {}};
  }
  if (const auto* text = value.get_if<std::string>()) return emit::InlineText{*text, {}};
  if (const auto* slice = value.get_if<lego::Slice>()) {
    HEDDLE_TRY(emit::Spelling spelling, emit::spelling_of(slice->ranges, dialect));
    spelling.insert(held.begin(), held.end());
    return emit::inline_text(slice->index, dialect, spelling);
  }
  Diagnostic diagnostic("template.value",
                        fmt::format("{} is {}, which no program has", on_one_line(to_string(value)),
                                    kind_name(value)));
  return refuse(
      value.has_map()
          ? std::move(diagnostic).with_hint("its index at coordinates of the program is L[i, j]")
          : std::move(diagnostic));
}

/// The value; refuses a truth value that depends on the program.
Result<Value> closed(const Expression& expression, std::string_view text,
                     const Environment& environment) {
  HEDDLE_TRY(Value value, evaluate(expression, environment));
  if (!is_open_comparison(expression, value, environment)) return value;
  return refuse(
      Diagnostic("template.value", fmt::format("whether {} depends on the program",
                                               on_one_line(text_at(text, expression.span))))
          .with_span(expression.span)
          .with_hint("a comparison of integers needs a placeholder of its own"));
}

}  // namespace

Result<std::string> Placeholders::helpers_of(const Kernel& kernel) const {
  emit::PrintOptions options;
  options.dialect = dialect_;
  options.in_program = true;
  options.spelling = with_stand_ins({});
  HEDDLE_TRY(const emit::PrintedKernel printed, emit::print(kernel, options));
  std::string text = printed.helpers;
  for (const Function& function : functions_) text += function.text;
  return text;
}

Result<Value> Placeholders::evaluated(const Expression& expression, std::string_view text,
                                      const Environment& environment) {
  variables_.clear();
  return evaluated(expression, {text, environment, {}});
}

Result<Value> Placeholders::evaluated(const Expression& expression, const Scope& scope) {
  if (asks_guards(expression)) {
    HEDDLE_TRY(emit::InlineText made, choice_text(expression, scope));
    made.text = fmt::format("({})", made.text);
    return Value(Int::variable(std::string(named(std::move(made), scope.environment))));
  }
  const std::optional<Access> access = access_in(expression, scope.text, scope.environment);
  if (!access || access->is_guard) {
    Environment with_indices = with_variables(scope.environment);
    if (!has_subscript(expression)) return closed(expression, scope.text, with_indices);
    HEDDLE_TRY(const Expression plain, without_accesses(expression, scope, with_indices));
    return closed(plain, scope.text, with_indices);
  }
  Result<Value> value = accessed(*access, scope);
  if (!value) return refuse(Diagnostic(value.error()).with_span(expression.span));
  return value;
}

Result<emit::InlineText> Placeholders::printed(const Expression& expression, std::string_view text,
                                               const Environment& environment,
                                               const emit::Spelling& spelling) {
  variables_.clear();
  take_compared_names(variables_, expression, environment);
  return expression_text(expression, {text, environment, spelling});
}

/// The text of a condition, a choice by conditions, or a value.
Result<emit::InlineText> Placeholders::expression_text(const Expression& expression,
                                                       const Scope& scope) {
  HEDDLE_TRY(std::optional<emit::InlineText> truth, truth_in(expression, scope));
  if (truth) return *std::move(truth);
  if (asks_guards(expression)) return choice_text(expression, scope);
  HEDDLE_TRY(const Value value, evaluated(expression, scope));
  HEDDLE_TRY(emit::InlineText made, value_text(value, dialect_, with_stand_ins(scope.spelling)));
  return with_their_kernels(std::move(made));
}

Environment Placeholders::with_variables(Environment environment) const {
  for (const std::string& name : variables_) environment.bind(name, Value(Int::variable(name)));
  return environment;
}

/// Replaces accesses within an expression, `2 * L[i, j]`, by names bound to their values; they are
/// evaluated in the scope `around`.
Result<Expression> Placeholders::without_accesses(const Expression& expression, const Scope& around,
                                                  Environment& environment) {
  // In a function, coordinates may be its parameters.
  if (std::holds_alternative<FunctionLiteral>(expression.node)) return expression;
  Expression plain = expression;
  plain.parts.clear();
  for (const Expression& part : expression.parts) {
    HEDDLE_TRY(plain.parts.emplace_back(), without_access(part, around, environment));
  }
  return plain;
}

/// The same of an expression that may itself be an access.
Result<Expression> Placeholders::without_access(const Expression& part, const Scope& around,
                                                Environment& environment) {
  const auto access =
      is_index(part) ? access_in(part, around.text, around.environment) : std::optional<Access>();
  const bool is_value = access && !access->is_guard && !has_ranges(*access);
  if (!is_value && !asks_guards(part)) return without_accesses(part, around, environment);
  Result<Value> value = is_value ? accessed(*access, around) : evaluated(part, around);
  if (!value) return refuse(std::move(value).error().with_span(part.span));
  // A name that no user can write, made from the place in the text.
  const std::string name = fmt::format("?{}", part.span.begin);
  environment.bind(name, *std::move(value));
  return Expression{Reference{environment.values().find(name)->first}, {}, part.span};
}

// Conditions.

/// A comparison of integers, which the program evaluates.
Result<std::optional<emit::InlineText>> Placeholders::comparison_in(const Expression& expression,
                                                                    const Scope& scope) {
  HEDDLE_TRY(const Value left, evaluated(expression.parts[0], scope));
  HEDDLE_TRY(const Value right, evaluated(expression.parts[1], scope));
  if (!left.is_integer() || !right.is_integer()) return std::nullopt;
  const Condition condition =
      condition_of(std::get<ComparisonNode>(expression.node).comparator,
                   left.get<IntTuple>().leaf(), right.get<IntTuple>().leaf());
  HEDDLE_TRY(emit::InlineText made, emit::inline_text(emit::Guard{{condition}, {}}, dialect_,
                                                      with_stand_ins(scope.spelling)));
  return with_their_kernels(std::move(made));
}

/// The condition that the program evaluates; nullopt for expressions that are no condition.
Result<std::optional<emit::InlineText>> Placeholders::truth_in(const Expression& expression,
                                                               const Scope& scope) {
  if (is_group(expression)) {
    return truth_in(expression.parts.front(), scope);
  }
  if (std::holds_alternative<ComparisonNode>(expression.node)) {
    return comparison_in(expression, scope);
  }
  if (const auto* connective = std::get_if<Connective>(&expression.node)) {
    std::vector<emit::InlineText> sides;
    for (const Expression& part : expression.parts) {
      HEDDLE_TRY(sides.emplace_back(), side_of_connective(part, scope));
    }
    return emit::joined(std::move(sides), connective->is_and, dialect_);
  }
  if (is_denial(expression)) {
    HEDDLE_TRY(emit::InlineText condition, side_of_connective(expression.parts.front(), scope));
    return emit::negated(std::move(condition), dialect_);
  }
  const std::optional<Access> access = access_in(expression, scope.text, scope.environment);
  if (!access || !access->is_guard) return std::nullopt;
  HEDDLE_TRY(emit::InlineText made, guard_text(*access, scope));
  return made;
}

/// A condition, or a truth value.
Result<emit::InlineText> Placeholders::side_of_connective(const Expression& side,
                                                          const Scope& scope) {
  HEDDLE_TRY(std::optional<emit::InlineText> truth, truth_in(side, scope));
  if (truth) return *std::move(truth);
  HEDDLE_TRY(const Value value, evaluated(side, scope));
  if (value.is<bool>() || value.is<Verdict>()) return value_text(value, dialect_, {});
  return refuse(Diagnostic("call.type", fmt::format("a condition is {}; a truth value is needed",
                                                    kind_name(value)))
                    .with_span(side.span));
}

/// `if L.guard[i] then a else b`
Result<emit::InlineText> Placeholders::choice_text(const Expression& choice, const Scope& scope) {
  if (is_group(choice)) return choice_text(choice.parts.front(), scope);
  HEDDLE_TRY(emit::InlineText condition, side_of_connective(choice.parts[0], scope));
  HEDDLE_TRY(emit::InlineText then, expression_text(choice.parts[1], scope));
  HEDDLE_TRY(emit::InlineText otherwise, expression_text(choice.parts[2], scope));
  return emit::chosen(std::move(condition), std::move(then), std::move(otherwise), dialect_);
}

/// A sum, term by term in the order of the text, which the program guarantees not to overflow.
Result<emit::InlineText> Placeholders::as_written(const Expression& sum, const Scope& scope) const {
  if (is_group(sum)) return as_written(sum.parts.front(), scope);
  const auto* arithmetic = std::get_if<Arithmetic>(&sum.node);
  const auto adds = [](TokenKind sign) {
    return sign == TokenKind::kPlus || sign == TokenKind::kMinus;
  };
  if (arithmetic == nullptr || !adds(arithmetic->operators.front())) {
    HEDDLE_TRY(const Int value,
               coordinate_value({sum, text_at(scope.text, sum.span)}, scope.environment));
    return emit::inline_text(value, dialect_, with_stand_ins(scope.spelling));
  }
  emit::InlineText made;
  for (std::size_t i = 0; i < sum.parts.size(); ++i) {
    HEDDLE_TRY(const emit::InlineText part, as_written(sum.parts[i], scope));
    if (i > 0) made.text += arithmetic->operators[i - 1] == TokenKind::kPlus ? " + " : " - ";
    made.text += emit::as_operand(part.text, "0 * ", " * 0", dialect_);
    made.kernel.results.insert(made.kernel.results.end(), part.kernel.results.begin(),
                               part.kernel.results.end());
  }
  return made;
}

/// Keeps sums of several names in the order written: guards are also evaluated near the limits of
/// the program's types, where another order may overflow.
Result<Access> Placeholders::with_sums_as_written(const Access& access, const Scope& around,
                                                  Environment& environment) {
  Access named_sums = access;
  for (IndexCoordinate& coordinate : named_sums.coordinates) {
    if (is_plain(coordinate, environment)) continue;
    HEDDLE_TRY(const Int value, coordinate_value(coordinate, environment));
    const Range values = range(value);
    const bool is_narrow = values.low >= INT32_MIN && values.high <= INT32_MAX;
    if (is_narrow || variables(std::span(&value, 1)).size() < 2) continue;
    HEDDLE_TRY(emit::InlineText made,
               as_written(coordinate.expression, {around.text, environment, around.spelling}));
    made.text = fmt::format("({})", made.text);
    const std::string_view name = named(std::move(made), environment);
    coordinate = coordinate_called(name);
    environment.bind(std::string(name),
                     Value(Int::variable(std::string(name), values.low, values.high)));
  }
  return named_sums;
}

/// The condition that the coordinates are a point.
Result<emit::InlineText> Placeholders::guard_text(const Access& written, const Scope& around) {
  Environment environment = around.environment;
  HEDDLE_TRY(const Access plain, without_inner(written, around, environment));
  HEDDLE_TRY(const Access access, with_sums_as_written(plain, around, environment));
  HEDDLE_TRY(const map::AnyLayout layout, to_any_layout(access.layout, environment.context()));
  Result<IndexExpression> question = question_of(access, environment);
  if (!question && lacks_a_sign(question.error())) {
    HEDDLE_TRY(const Access named, with_stand_ins(access, environment, around.spelling));
    question = question_of(named, environment);
  }
  if (!question && needs_a_function(question.error())) {
    const auto function = called_function(access, environment);
    if (!function) return refuse(std::move(question).error());
    return call_of(*function, function->name + "_guard", access, environment, around.spelling);
  }
  if (!question) return refuse(std::move(question).error());
  HEDDLE_TRY(const emit::Guard guard,
             emit::guard_of(layout, question->guarded_point, question->point,
                            environment.context().decide.limits));
  HEDDLE_TRY(emit::Spelling words, emit::spelling_of(question->ranges, dialect_));
  words.merge(with_stand_ins(around.spelling));
  HEDDLE_TRY(emit::InlineText made, emit::inline_text(guard, dialect_, words));
  return with_their_kernels(std::move(made));
}

/// Replaces accesses within coordinates, `L[M[i], j]`, by names bound to their values.
Result<Access> Placeholders::without_inner(const Access& access, const Scope& around,
                                           Environment& environment) {
  Access plain = access;
  for (IndexCoordinate& coordinate : plain.coordinates) {
    if (!has_subscript(coordinate.expression)) continue;
    HEDDLE_TRY(coordinate.expression, without_access(coordinate.expression, around, environment));
  }
  return plain;
}

// Functions that are called.

namespace {

/// The layout on one of its axes alone.
Result<map::AnyLayout> on_axis(const map::AnyLayout& layout, std::size_t axis,
                               const map::Limits& limits) {
  if (const auto* table = std::get_if<form::Table>(&layout)) {
    form::Table one{table->extents, {table->axes[axis]}, {}};
    for (std::size_t i = axis; i < table->values.size(); i += table->axes.size()) {
      one.values.push_back(table->values[i]);
    }
    return one;
  }
  const auto& relation = std::get<map::IntegerRelation>(layout);
  if (relation.axes().size() == 1) return layout;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < relation.axes().size(); ++i) names.push_back(fmt::format("a{}", i));
  HEDDLE_TRY(const map::IntegerRelation projection,
             map::IntegerRelation::parse(
                 fmt::format("{{ [{}] -> [{}] }}", fmt::join(names, ", "), names[axis]), limits));
  HEDDLE_TRY(map::IntegerRelation one, map::compose(relation, projection, limits));
  return one;
}

std::vector<std::string> axes_of(const map::AnyLayout& layout) {
  std::vector<std::string> names;
  const auto* table = std::get_if<form::Table>(&layout);
  const auto* relation = std::get_if<map::IntegerRelation>(&layout);
  if (table != nullptr) {
    for (const Axis& axis : table->axes) names.push_back(axis.name());
  }
  if (relation != nullptr) {
    for (const Axis& axis : relation->axes()) names.push_back(axis.name());
  }
  return names;
}

}  // namespace

/// A relation becomes the functions emitted for it, a table an array if the language has arrays.
Result<Placeholders::Function> Placeholders::function_of(const Access& access,
                                                         const Environment& environment) const {
  HEDDLE_TRY(const map::AnyLayout all, to_any_layout(access.layout, environment.context()));
  const map::Limits& limits = environment.context().decide.limits;
  const std::vector<std::string> axes = axes_of(all);
  const auto found = std::ranges::find(axes, access.axis);
  const bool is_only = access.axis.empty() && axes.size() == 1;
  if (!is_only && found == axes.end()) {
    return refuse("template.several", "the index is one on each of several axes");
  }
  HEDDLE_TRY(map::AnyLayout layout,
             on_axis(all, is_only ? 0 : static_cast<std::size_t>(found - axes.begin()), limits));
  auto* table = std::get_if<form::Table>(&layout);
  if (table != nullptr && access.coordinates.size() == 1) {
    table->extents = {std::ssize(table->values)};
  }
  const std::string layout_name(access.name);
  Function made{
      .layout = layout_name,
      .axis = access.axis,
      .coordinates = access.coordinates.size(),
      .name = "heddle_index_" +
              (emit::is_identifier(layout_name) ? layout_name : std::to_string(functions_.size())),
      .sizes = {},
      .values = {},
      .text = {}};
  if (!access.axis.empty()) made.name += "_" + access.axis;
  const auto is_taken = [&](const Function& other) { return other.name == made.name; };
  while (std::ranges::any_of(functions_, is_taken)) made.name += '_';
  if (table != nullptr && !access.is_guard) {
    if (auto text = emit::lookup_text(*table, dialect_, made.name)) {
      const auto [least, most] = std::ranges::minmax(table->values);
      made.values = {least, most};
      made.text = *std::move(text);
      return made;
    }
  }
  emit::MapFunctionOptions options;
  options.limits = limits;
  options.target = emit::usual_target(dialect_);
  if (made.coordinates == 1) options.coordinates = {"i"};
  HEDDLE_TRY(const emit::MapFunction function, emit::map_function(layout, options));
  if (function.coordinates.size() != made.coordinates || dialect_ == Dialect::kLatex ||
      dialect_ == Dialect::kMlir) {
    return refuse("emit.target", "no function is called here");
  }
  made.sizes = function.sizes;
  made.values = function.values.front();
  HEDDLE_TRY(made.text, emit::to_text(function, {.dialect = dialect_, .name = made.name}));
  return made;
}

Result<Placeholders::Function> Placeholders::called_function(const Access& access,
                                                             const Environment& environment) {
  for (const Function& known : functions_) {
    const bool is_same = known.layout == access.name && known.axis == access.axis &&
                         known.coordinates == access.coordinates.size();
    if (is_same) return known;
  }
  HEDDLE_TRY(Function made, function_of(access, environment));
  functions_.push_back(made);
  return made;
}

Result<emit::InlineText> Placeholders::call_of(const Function& function, const std::string& name,
                                               const Access& access, const Environment& environment,
                                               const emit::Spelling& spelling) const {
  emit::InlineText made;
  std::vector<std::string> arguments;
  const auto take = [&](const Int& value) -> Result<void> {
    HEDDLE_TRY(emit::InlineText argument,
               emit::inline_text(value, dialect_, with_stand_ins(spelling)));
    argument = with_their_kernels(std::move(argument));
    arguments.push_back(argument.text);
    std::ranges::move(argument.kernel.results, std::back_inserter(made.kernel.results));
    return {};
  };
  for (const IndexCoordinate& coordinate : access.coordinates) {
    HEDDLE_TRY(const Int value, coordinate_value(coordinate, environment));
    HEDDLE_CHECK(take(value));
  }
  for (const std::string& size : function.sizes) HEDDLE_CHECK(take(Int::variable(size)));
  made.text = fmt::format("{}({})", name, fmt::join(arguments, ", "));
  return made;
}

Result<Value> Placeholders::called(const Access& written, const Scope& around) {
  Environment environment = around.environment;
  HEDDLE_TRY(const Access access, without_inner(written, around, environment));
  HEDDLE_TRY(const Function function, called_function(access, environment));
  HEDDLE_TRY(emit::InlineText call,
             call_of(function, function.name, access, environment, around.spelling));
  return Value(Int::variable(std::string(named(std::move(call), environment)), function.values.low,
                             function.values.high));
}

// Coordinates under generated names: the access guarantees that they are in their extents, which
// may not be known of `i - m` otherwise.

/// The value of an access within the line, or by a function call if the layout is too long for a
/// line.
Result<Value> Placeholders::accessed(const Access& written, const Scope& around) {
  Result<Value> value = indexed(written, around);
  if (value || !needs_a_function(value.error())) return value;
  Result<Value> by_call = called(written, around);
  return by_call ? by_call : value;
}

Result<Value> Placeholders::indexed(const Access& written, const Scope& around) {
  Environment environment = around.environment;
  HEDDLE_TRY(const Access access, without_inner(written, around, environment));
  const auto is_given = [&](const IndexCoordinate& coordinate) {
    return is_plain(coordinate, environment);
  };
  if (std::ranges::all_of(access.coordinates, is_given)) return value_at(access, environment);
  // Otherwise the conditions of a relation's pieces would repeat the whole coordinate.
  if (access.layout.is<map::IntegerRelation>()) {
    HEDDLE_TRY(const Access named, with_stand_ins(access, environment, around.spelling));
    return value_at(named, environment);
  }
  Result<Value> value = value_at(access, environment);
  const bool is_wanting = value ? calls_functions(*value) : lacks_a_sign(value.error());
  if (!is_wanting) return value;
  HEDDLE_TRY(const Access named, with_stand_ins(access, environment, around.spelling));
  Result<Value> better = value_at(named, environment);
  const bool is_better = better && !(value && calls_functions(*better));
  return is_better ? better : value;
}

/// Whether the text calls helper functions: quotients of possibly negative numbers do in languages
/// that round towards zero.
bool Placeholders::calls_functions(const Value& value) const {
  if (!value.is_integer()) return false;
  const auto made = emit::inline_text(value.get<IntTuple>().leaf(), dialect_, with_stand_ins({}));
  if (!made) return false;
  const auto helpers = helpers_of(made->kernel);
  return helpers && !helpers->empty();
}

Result<Access> Placeholders::with_stand_ins(const Access& access, const Environment& environment,
                                            const emit::Spelling& spelling) {
  Access named = access;
  for (IndexCoordinate& coordinate : named.coordinates) {
    if (is_plain(coordinate, environment)) continue;
    HEDDLE_TRY(coordinate, stand_in(coordinate, environment, spelling));
  }
  return named;
}

/// The generated name of the coordinate; a constant remains as it is.
Result<IndexCoordinate> Placeholders::stand_in(const IndexCoordinate& coordinate,
                                               const Environment& environment,
                                               const emit::Spelling& spelling) {
  HEDDLE_TRY(const Int value, coordinate_value(coordinate, environment));
  if (value.is_constant()) return coordinate;
  HEDDLE_TRY(emit::InlineText made, emit::inline_text(value, dialect_, with_stand_ins(spelling)));
  if (made.text.size() > kLongestCoordinate) {
    return refuse(Diagnostic("template.long_expression",
                             fmt::format("the coordinate has more than {} characters in {}",
                                         kLongestCoordinate, emit::title_of(dialect_)))
                      .with_hint("give it a name in the program first"));
  }
  made.text = fmt::format("({})", made.text);
  return coordinate_called(named(std::move(made), environment));
}

/// A name for the text; operators next to it cannot split the text.
std::string_view Placeholders::named(emit::InlineText made, const Environment& environment) {
  for (const auto& [name, known] : stand_ins_) {
    if (known.text == made.text) return name;
  }
  std::string name = fmt::format("heddle_c{}", stand_ins_.size());
  while (environment.find(name) != nullptr) name += '_';
  return stand_ins_.emplace_back(std::move(name), std::move(made)).name;
}

emit::Spelling Placeholders::with_stand_ins(emit::Spelling spelling) const {
  for (const auto& [name, coordinate] : stand_ins_) spelling.emplace(name, coordinate.text);
  return spelling;
}

/// Adds the kernels of the coordinates in the text, because it calls the functions that they call.
emit::InlineText Placeholders::with_their_kernels(emit::InlineText made) const {
  for (const auto& [name, coordinate] : stand_ins_) {
    if (made.text.find(coordinate.text) == std::string::npos) continue;
    made.kernel.results.insert(made.kernel.results.end(), coordinate.kernel.results.begin(),
                               coordinate.kernel.results.end());
  }
  return made;
}

}  // namespace heddle::notation
