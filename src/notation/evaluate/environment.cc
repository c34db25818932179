#include "heddle/notation/evaluator.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/text.h"
#include "heddle/notation/assume.h"

namespace heddle::notation {

const Value* Environment::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
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
    return refuse("call.arity", fmt::format("{} names are bound to {}, which has {} parts",
                                            names.size(), kind_name(value), parts.size()));
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
  HEDDLE_TRY(std::vector<Condition> stated, parse_assumptions(text));
  // Names that are bound to integers are these, not variables.
  const Bindings integers = integers_in(values_);
  for (Condition& condition : stated) {
    HEDDLE_TRY(condition.left, instantiate(condition.left, integers));
    HEDDLE_TRY(condition.right, instantiate(condition.right, integers));
  }
  std::vector<Condition> conditions = conditions_;
  conditions.insert(conditions.end(), stated.begin(), stated.end());
  HEDDLE_TRY(Assumptions assumptions, Assumptions::make(conditions));
  for (const auto& [name, value] : values_) {
    for (const std::string& variable : variables(value)) {
      if (assumptions.variable(variable) == assumptions_.variable(variable)) continue;
      return refuse(Diagnostic("assume.too_late",
                               fmt::format("{} holds {} without this assumption", name, variable))
                        .with_hint("assume first, bind then"));
    }
  }
  conditions_ = std::move(conditions);
  assumptions_ = std::move(assumptions);
  context_.sizes = assumptions_.variables();
  context_.assumed = conditions_;
  return {};
}

}  // namespace heddle::notation
