#pragma once

// What values divide by, and under which conditions.

#include <span>
#include <vector>

#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"

namespace heddle::expr {

/// The divisor where all conditions hold, outermost choice first, and 1 elsewhere; 1 also where one
/// of them says that it is not 0.
[[nodiscard]] Int divisor_under(std::span<const Condition> path, const Int& divisor);

/// The divisors in a value that may be 0, each under the choices around it. Divisions that
/// simplification removed are not found.
[[nodiscard]] std::vector<Int> open_divisors(const Int& value);

}  // namespace heddle::expr
