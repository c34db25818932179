#include "core/primes.h"

namespace heddle {

std::optional<std::vector<PrimePower>> prime_powers(std::int64_t number) {
  std::vector<PrimePower> powers;
  for (std::int64_t p = 2; p <= kMaxTrialDivisor && p * p <= number; ++p) {
    if (number % p != 0) continue;
    powers.push_back({p, 0});
    for (; number % p == 0; number /= p) ++powers.back().exponent;
  }
  if (number == 1) return powers;
  if (number / kMaxTrialDivisor > kMaxTrialDivisor) return std::nullopt;
  powers.push_back({number, 1});
  return powers;
}

}  // namespace heddle
