#pragma once

// That a formula divides by 0 nowhere in its tile.

#include <span>

#include "heddle/core/result.h"
#include "heddle/lego/genp.h"

namespace heddle::lego {

/// The box has one extent for each parameter. Refuses `arithmetic.zero_divisor`, with the point,
/// where the formula divides by 0 somewhere in it, `assume.needed` where that is not known: where
/// ranges do not settle it and the points are more than GenP::kMaxEvaluated, or take more than
/// GenP::kMaxOperations operations. Cost: an evaluation of each open divisor at each point.
[[nodiscard]] Result<void> check_divisors(const Formula& formula, std::span<const Int> box);

}  // namespace heddle::lego
