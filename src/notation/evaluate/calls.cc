#include "notation/evaluate/calls.h"

#include <algorithm>
#include <string>
#include <utility>

#include "notation/operations/axe_arithmetic.h"

namespace heddle::notation {

Result<Value> Calls::told(const Operation& operation, std::span<const Argument> arguments,
                          Result<Value> value) const {
  if (observer_ != nullptr) (*observer_)(operation, arguments, value);
  return value;
}

const CallContext& Calls::context() const {
  if (!context_) {
    context_ = environment_.context();
    context_->decide.limits = context_->decide.limits.begun();
    context_->environment = &environment_;
  }
  return *context_;
}

Result<Value> Calls::call(const Operation& operation, std::span<const Argument> arguments) const {
  return told(operation, arguments, notation::call(operation, arguments, context()));
}

Result<Value> Calls::call(std::string_view name, std::span<const Argument> arguments) const {
  return call(*find_operation(name, arguments), arguments);
}

Result<Value> Calls::call(std::string_view name, std::initializer_list<Value> arguments,
                          Span span) const {
  std::vector<Argument> placed;
  for (const Value& value : arguments) placed.push_back({value, {}, span});
  return at(call(name, placed), span);
}

void add_declared_axes(const Operation& operation, const Environment& environment,
                       std::vector<Argument>& arguments) {
  constexpr std::string_view kAxes = "axes";
  const std::size_t by_position = operation.parameters.size();
  const bool is_given = arguments.size() >= by_position ||
                        std::ranges::find(arguments, kAxes, &Argument::name) != arguments.end();
  if (!has_parameter(operation, kAxes) || is_given || environment.declared_axes().empty()) return;
  arguments.push_back({Value(environment.declared_axes()), std::string(kAxes), {}});
}

Result<Value> call_in(const Environment& environment, const Operation& operation,
                      std::vector<Argument> arguments) {
  add_declared_axes(operation, environment, arguments);
  HEDDLE_TRY(Value result, Calls(environment, nullptr).call(operation, arguments));
  if (environment.is_strict()) HEDDLE_CHECK(check_axes(result, environment.axes()));
  return result;
}

Result<Value> call_in(const Environment& environment, std::string_view name,
                      std::vector<Argument> arguments) {
  const Operation& operation = *find_operation(name, arguments);
  return call_in(environment, operation, std::move(arguments));
}

}  // namespace heddle::notation
