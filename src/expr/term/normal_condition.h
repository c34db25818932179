#pragma once

// Conditions in one normal form.

#include <optional>

#include "heddle/expr/condition.h"

namespace heddle::expr {

/// A condition in normal form, and whether it stands for its opposite.
struct NormalCondition {
  Condition condition;
  bool is_turned = false;
};

/// Less or equal between sums without common part and content, the leading product on the left; or
/// divides, where 0 may divide. The condition itself where 64 bits do not hold that.
[[nodiscard]] NormalCondition normal_condition(const Condition& condition);

/// The condition that holds where this one fails; nullopt for one of divisibility.
[[nodiscard]] std::optional<Condition> opposite_of(const Condition& condition);

}  // namespace heddle::expr
