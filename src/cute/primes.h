#pragma once

// Prime factors, by trial division.
//
//   prime_powers(360)          2^3 3^2 5^1

#include <cstdint>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"

namespace heddle::cute {

/// Divisors up to here are tried: what has none of them and is below the square is prime.
inline constexpr std::int64_t kMaxTrialDivisor = std::int64_t{1} << 21;

struct PrimePower {
  std::int64_t prime = 2;
  int exponent = 1;
};

/// The primes of `number`, ascending with their exponents; none for 1. Refuses `layout.extent` for
/// numbers below 1 and `factorization.too_large` where what is left after trial division may or may
/// not be prime. Cost: at most kMaxTrialDivisor divisions.
[[nodiscard]] Result<std::vector<PrimePower>> prime_powers(const Int& number);

}  // namespace heddle::cute
