#include "cute/primes.h"

#include "cute/format.h"

namespace heddle::cute {

Result<std::vector<PrimePower>> prime_powers(const Int& number) {
  if (!number.is_constant()) {
    return refuse("factorization.too_large",
                  fmt::format("{} is symbolic, and only constants have known primes", number));
  }
  if (number.value() < 1) {
    return refuse("layout.extent", fmt::format("{} is not the size of a layout", number));
  }
  std::int64_t rest = number.value();
  std::vector<PrimePower> powers;
  for (std::int64_t p = 2; p <= kMaxTrialDivisor && p * p <= rest; ++p) {
    if (rest % p != 0) continue;
    powers.push_back({p, 0});
    for (; rest % p == 0; rest /= p) ++powers.back().exponent;
  }
  if (rest / kMaxTrialDivisor > kMaxTrialDivisor) {
    return refuse("factorization.too_large",
                  fmt::format("{} is not taken apart into primes: after division by those up to "
                              "{} a number is left that may or may not be one",
                              number, kMaxTrialDivisor));
  }
  if (rest > 1) powers.push_back({rest, 1});
  return powers;
}

}  // namespace heddle::cute
