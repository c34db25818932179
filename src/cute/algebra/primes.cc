#include "cute/algebra/primes.h"

#include "cute/layout/format.h"

namespace heddle::cute {
namespace {

Result<void> check_number(const Int& number) {
  if (!number.is_constant()) {
    return refuse("factorization.symbolic", "{} is symbolic, and only constants have known primes",
                  number);
  }
  if (number.value() < 1) {
    return refuse("layout.extent", "{} is not the size of a layout", number);
  }
  return {};
}

}  // namespace

Result<std::vector<form::PrimePower>> prime_powers(const Int& number) {
  HEDDLE_CHECK(check_number(number));
  return form::prime_powers(number.value());
}

Result<std::vector<std::int64_t>> primes_of(const Int& number) {
  HEDDLE_CHECK(check_number(number));
  return form::primes_of(number.value());
}

}  // namespace heddle::cute
