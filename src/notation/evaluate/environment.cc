#include "heddle/notation/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/notation/assume.h"
#include "notation/language/free_names.h"

namespace heddle::notation {

const Value* Environment::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

void Environment::take(const std::string& name) {
  ++taken_[name];
  while (is_taken(name_of_unknown(first_unknown_))) ++first_unknown_;
}

void Environment::release(const std::string& name) {
  const auto found = taken_.find(name);
  if (--found->second > 0) return;
  taken_.erase(found);
  const std::optional<std::size_t> number = unknown_called(name);
  if (number) first_unknown_ = std::min(first_unknown_, *number);
}

void Environment::bind(std::string name, Value value) {
  take(name);
  for (const std::string& variable : variables(value)) take(variable);
  if (const auto before = values_.find(name); before != values_.end()) {
    release(name);
    for (const std::string& variable : variables(before->second)) release(variable);
  }
  values_.insert_or_assign(std::move(name), std::move(value));
}

Result<void> Environment::bind(const std::vector<std::string>& names, const Value& value) {
  if (names.size() == 1) {
    bind(names.front(), value);
    return {};
  }
  std::vector<Value> parts;
  if (const auto* list = value.get_if<TupleList>()) parts.assign(list->begin(), list->end());
  if (const auto* tuple = value.get_if<IntTuple>(); tuple != nullptr && !tuple->is_leaf()) {
    for (std::size_t i = 0; i < tuple->rank(); ++i) parts.emplace_back(IntTuple(tuple->mode(i)));
  }
  if (parts.size() != names.size()) {
    return refuse("call.arity", fmt::format("{} names are bound to {}, which has {}", names.size(),
                                            kind_name(value), counted(parts.size(), "part")));
  }
  for (std::size_t i = 0; i < names.size(); ++i) bind(names[i], parts[i]);
  return {};
}

Result<void> Environment::declare_axis(std::string_view text) {
  HEDDLE_TRY(axe::AxisInfo axis, parse_axis(text));
  HEDDLE_TRY(axes_, axes_.declare(std::move(axis)));
  declared_axes_ += (declared_axes_.empty() ? "" : ", ") + std::string(trimmed(text));
  return {};
}

namespace {

Bindings integers_in(const std::map<std::string, Value, std::less<>>& values) {
  Bindings integers;
  for (const auto& [name, value] : values) {
    if (value.is_integer()) integers.emplace(name, value.get<IntTuple>().leaf());
  }
  return integers;
}

}  // namespace

Result<Environment> environment_of(const CallContext& context) {
  constexpr std::size_t kMaxTexts = 2;
  Environment environment = context.environment ? *context.environment : Environment();
  if (++environment.texts_ > kMaxTexts) {
    return refuse("syntax.too_deep",
                  fmt::format("a text within more than {} texts is not evaluated", kMaxTexts));
  }
  environment.set_context(context);
  return environment;
}

Result<void> Environment::assume(std::string_view text) {
  HEDDLE_TRY(const std::vector<Condition> stated, parse_assumptions(text));
  return assume(stated);
}

Result<void> Environment::assume(std::span<const Condition> conditions) {
  std::vector<Condition> stated(conditions.begin(), conditions.end());
  // Names that are bound to integers are replaced by them.
  const Bindings integers = integers_in(values_);
  for (Condition& condition : stated) {
    HEDDLE_TRY(condition.left, instantiate(condition.left, integers));
    HEDDLE_TRY(condition.right, instantiate(condition.right, integers));
  }
  std::vector<Condition> all = conditions_;
  all.insert(all.end(), stated.begin(), stated.end());
  HEDDLE_TRY(Assumptions assumptions, Assumptions::make(all));
  for (const auto& [name, value] : values_) {
    for (const std::string& variable : variables(value)) {
      if (assumptions.variable(variable) == assumptions_.variable(variable)) continue;
      return refuse(Diagnostic("assume.too_late",
                               fmt::format("{} holds {} without this assumption", name, variable))
                        .with_hint(fmt::format("write the assumption above '{} = …'", name)));
    }
  }
  conditions_ = std::move(all);
  assumptions_ = std::move(assumptions);
  context_.sizes = assumptions_.variables();
  context_.assumed = conditions_;
  return {};
}

Result<void> Environment::assume(const Statement& statement) {
  auto done = statement.kind == StatementKind::kAxis ? declare_axis(statement.assumption)
                                                     : assume(statement.assumption);
  // A place in a refusal of a condition would refer to the assumption's text, not to the source.
  if (!done) return refuse(std::move(done).error().with_span(statement.span));
  return {};
}

}  // namespace heddle::notation
