#pragma once

// The primes of a size.

#include <vector>

#include "form/divisors.h"
#include "heddle/core/result.h"
#include "heddle/expr/int.h"

namespace heddle::cute {

/// form::prime_powers() of `number`. Refuses `layout.extent` for numbers below 1 and
/// `factorization.symbolic`.
[[nodiscard]] Result<std::vector<form::PrimePower>> prime_powers(const Int& number);

}  // namespace heddle::cute
