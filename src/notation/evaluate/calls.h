#pragma once

// The operations that one expression applies, by call or by operator sign.

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// Calls operations in one context, so that they share search limits, and notifies an observer of
/// each.
class Calls {
 public:
  Calls(const Environment& environment, const Observer* observer)
      : environment_(environment), observer_(observer) {}

  [[nodiscard]] Result<Value> call(const Operation& operation,
                                   std::span<const Argument> arguments) const;
  /// Calls the operation of that name, which must be in the table; the arguments select the
  /// overload.
  [[nodiscard]] Result<Value> call(std::string_view name,
                                   std::span<const Argument> arguments) const;
  /// As above, with all arguments at `span`, which is also the place of a refusal.
  [[nodiscard]] Result<Value> call(std::string_view name, std::initializer_list<Value> arguments,
                                   Span span) const;

  /// Notifies the observer of an operation that was applied without call(), and returns `value`.
  Result<Value> told(const Operation& operation, std::span<const Argument> arguments,
                     Result<Value> value) const;

  /// The context that all operations of the expression share.
  [[nodiscard]] const CallContext& context() const;

 private:
  const Environment& environment_;
  const Observer* observer_;
  mutable std::optional<CallContext> context_;
};

/// Passes the declared axes to an operation that has a parameter for them, unless it is given.
/// A hint for a name that CuTe, TVM or a command has for something of another name here; empty for
/// other names.
[[nodiscard]] std::string hint_for_foreign_name(std::string_view name);

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
