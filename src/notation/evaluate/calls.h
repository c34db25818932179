#pragma once

// The operations that one expression applies, whether it calls them or writes them as signs.

#include <optional>
#include <span>
#include <string_view>

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

}  // namespace heddle::notation
