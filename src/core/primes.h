#pragma once

// Prime factors of 64-bit numbers, by trial division.

#include <cstdint>
#include <optional>
#include <vector>

namespace heddle {

/// Divisors up to here are tried: what has none of them and is below kMaxTrialDivisor^2 is prime.
inline constexpr std::int64_t kMaxTrialDivisor = std::int64_t{1} << 21;

struct PrimePower {
  std::int64_t prime = 2;
  int exponent = 1;

  friend bool operator==(const PrimePower&, const PrimePower&) = default;
};

/// The primes of `number`, which is at least 1, ascending with their exponents; nothing where what
/// is left after trial division is too large to be known as a prime.
/// Cost: at most kMaxTrialDivisor divisions.
[[nodiscard]] std::optional<std::vector<PrimePower>> prime_powers(std::int64_t number);

}  // namespace heddle
