#pragma once

// The divisors of a number as a box: one dimension for each prime, as long as its exponent allows.
//
//   12 = 2^2 * 3      1 2 4      index 0 1 2
//                     3 6 12           3 4 5
//
// Sums over the divisors of all divisors, and their Moebius inverses, are then sums along each
// dimension in turn.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::form {

struct PrimePower {
  std::int64_t prime = 2;
  int exponent = 1;
};

/// The primes of a positive number, ascending with their exponents; none for 1. Cost: about the
/// fourth root of the number.
[[nodiscard]] std::vector<PrimePower> prime_powers(std::int64_t number);
/// The same, each prime as often as it divides the number: 2, 2, 3 for 12.
[[nodiscard]] std::vector<std::int64_t> primes_of(std::int64_t number);

class Divisors {
 public:
  /// The divisors of a positive number. Cost: that of its primes, and the number of divisors.
  explicit Divisors(std::int64_t number);

  [[nodiscard]] std::size_t size() const { return divisors_.size(); }
  /// The divisor with this index: the first is 1, the last the number itself.
  [[nodiscard]] std::int64_t operator[](std::size_t index) const { return divisors_[index]; }

  /// Replaces g by c with g(d) = sum of c(m) over the divisors m of d.
  template <class Value>
  void moebius_transform(std::vector<Value>& values) const {
    for (const auto& [step, length] : dimensions_) {
      for (std::size_t index = values.size(); index-- > 0;) {
        if (index / step % length != 0) values[index] -= values[index - step];
      }
    }
  }

 private:
  struct Dimension {
    std::size_t step = 1;
    std::size_t length = 1;
  };
  std::vector<Dimension> dimensions_;
  std::vector<std::int64_t> divisors_{1};
};

}  // namespace heddle::form
