#include "cute/algebra/primes.h"

#include "cute/layout/format.h"

namespace heddle::cute {

Result<std::vector<form::PrimePower>> prime_powers(const Int& number) {
  if (!number.is_constant()) {
    return refuse("factorization.symbolic", "{} is symbolic, and only constants have known primes",
                  number);
  }
  if (number.value() < 1) {
    return refuse("layout.extent", "{} is not the size of a layout", number);
  }
  return form::prime_powers(number.value());
}

}  // namespace heddle::cute
