#pragma once

// The operations that one expression applies, whether it calls them or writes them as signs.

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// Calls operations in one context, so that they share what they may spend, and tells an observer
/// of each.
class Calls {
 public:
  Calls(const Environment& environment, const Observer* observer)
      : environment_(environment), observer_(observer) {}

  [[nodiscard]] Result<Value> call(const Operation& operation,
                                   std::span<const Argument> arguments) const;
  /// The same of the operation of that name, which the table has, that the arguments mean.
  [[nodiscard]] Result<Value> call(std::string_view name,
                                   std::span<const Argument> arguments) const;
  /// The same of arguments that are all at `span`, which is also the place of a refusal.
  [[nodiscard]] Result<Value> call(std::string_view name, std::initializer_list<Value> arguments,
                                   Span span) const;

  /// Tells the observer of an operation that was applied without call(), and returns `value`.
  Result<Value> told(const Operation& operation, std::span<const Argument> arguments,
                     Result<Value> value) const;

  /// For all operations of the expression together.
  [[nodiscard]] const CallContext& context() const;

 private:
  const Environment& environment_;
  const Observer* observer_;
  mutable std::optional<CallContext> context_;
};

/// An operation that asks what axes count is told those that are declared, unless it is given some.
void add_declared_axes(const Operation& operation, const Environment& environment,
                       std::vector<Argument>& arguments);

/// The refusal, with a place if it had none.
[[nodiscard]] inline Refusal refuse_at(Diagnostic diagnostic, Span span) {
  if (diagnostic.span()) return refuse(std::move(diagnostic));
  return refuse(std::move(diagnostic).with_span(span));
}

template <class T>
[[nodiscard]] Result<T> at(Result<T> result, Span span) {
  if (result) return result;
  return refuse_at(std::move(result).error(), span);
}

}  // namespace heddle::notation
