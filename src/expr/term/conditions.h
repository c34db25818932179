#pragma once

// Conditions in one normal form; the divisors in values, and the conditions under which they
// divide.

#include <optional>
#include <span>
#include <vector>

#include "heddle/expr/condition.h"

namespace heddle::expr {

/// A condition in normal form, and whether its opposite is meant.
struct NormalCondition {
  Condition condition;
  bool is_turned = false;
};

/// Less or equal between sums without common part and content, the leading product on the left; or
/// divides, if the divisor may be 0. The condition itself if that does not fit into 64 bits.
[[nodiscard]] NormalCondition normal_condition(const Condition& condition);

/// The condition that holds where this one fails; nullopt for divisibility.
[[nodiscard]] std::optional<Condition> opposite_of(const Condition& condition);

/// Terms that are at least 0 where a condition in normal form holds, or where it does not.
[[nodiscard]] std::vector<Int> slacks_of(const Condition& condition, bool holds);

/// The divisor where all conditions hold, outermost choice first, and 1 elsewhere; 1 also where one
/// of them says that it is not 0.
[[nodiscard]] Int divisor_under(std::span<const Condition> path, const Int& divisor);

/// The divisors in a value that may be 0, each under the choices around it. Divisions that
/// simplification removed are not found.
[[nodiscard]] std::vector<Int> open_divisors(const Int& value);

}  // namespace heddle::expr
