#pragma once

// What values divide by, and that a formula divides by 0 nowhere in its tile.

#include <optional>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/lego/genp.h"

namespace heddle::lego {

/// The condition that holds where this one fails; nothing for one of divisibility.
[[nodiscard]] std::optional<Condition> opposite_of(const Condition& condition);

/// The divisor where all conditions hold, outermost choice first, and 1 elsewhere; 1 also where one
/// of them says that it is not 0.
[[nodiscard]] Int divisor_under(std::span<const Condition> path, const Int& divisor);

/// What a value divides by that is not known to differ from 0, each as divisor_under() the choices
/// around it. What simplification took away is no longer there.
[[nodiscard]] std::vector<Int> open_divisors(const Int& value);

/// The box has one extent for each parameter. Refuses `arithmetic.zero_divisor`, with the point,
/// where the formula divides by 0 somewhere in it, `assume.needed` where that is not known. Cost:
/// an evaluation of each divisor that ranges do not settle at each point, of at most
/// GenP::kMaxEvaluated.
[[nodiscard]] Result<void> check_divisors(const Formula& formula, std::span<const Int> box);

}  // namespace heddle::lego
