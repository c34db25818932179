#pragma once

// The primes of a size.

#include <cstdint>
#include <vector>

#include "form/divisors.h"
#include "heddle/core/result.h"
#include "heddle/expr/int.h"

namespace heddle::cute {

/// form::prime_powers() of `number`. Refuses `layout.extent` for numbers below 1 and
/// `factorization.symbolic`.
[[nodiscard]] Result<std::vector<form::PrimePower>> prime_powers(const Int& number);
/// form::primes_of() of `number`. Refuses as prime_powers().
[[nodiscard]] Result<std::vector<std::int64_t>> primes_of(const Int& number);

}  // namespace heddle::cute
