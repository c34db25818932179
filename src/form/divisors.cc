#include "form/divisors.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace heddle::form {
namespace {

using Word = std::uint64_t;
__extension__ using DoubleWord = unsigned __int128;

/// Primes below this are divided out one by one.
constexpr Word kSmallPrimes = 4096;

Word multiply_modulo(Word a, Word b, Word modulus) {
  return static_cast<Word>(static_cast<DoubleWord>(a) * b % modulus);
}

Word power_modulo(Word base, Word exponent, Word modulus) {
  Word power = 1;
  for (; exponent > 0; exponent >>= 1U) {
    if ((exponent & 1U) != 0) power = multiply_modulo(power, base, modulus);
    base = multiply_modulo(base, base, modulus);
  }
  return power;
}

/// Miller and Rabin's test with the bases that decide every 64-bit number; for odd numbers above
/// the bases.
bool is_prime(Word number) {
  constexpr std::array<Word, 12> kBases = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  Word odd = number - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  return std::ranges::all_of(kBases, [&](Word base) {
    Word power = power_modulo(base, odd, number);
    if (power == 1 || power == number - 1) return true;
    for (int i = 1; i < twos; ++i) {
      power = multiply_modulo(power, power, number);
      if (power == number - 1) return true;
    }
    return false;
  });
}

/// Pollard's rho: some divisor of an odd composite number that is neither 1 nor the number.
Word some_divisor(Word number) {
  for (Word shift = 1;; ++shift) {
    const auto next = [&](Word x) { return (multiply_modulo(x, x, number) + shift) % number; };
    Word slow = 2;
    Word fast = 2;
    Word divisor = 1;
    while (divisor == 1) {
      slow = next(slow);
      fast = next(next(fast));
      divisor = std::gcd(slow > fast ? slow - fast : fast - slow, number);
    }
    if (divisor != number) return divisor;
  }
}

/// Counts the primes of a number without primes below kSmallPrimes.
void factor_large(Word number, std::map<Word, int>& exponents) {
  if (number == 1) return;
  if (number < kSmallPrimes * kSmallPrimes || is_prime(number)) {
    ++exponents[number];
    return;
  }
  const Word divisor = some_divisor(number);
  factor_large(divisor, exponents);
  factor_large(number / divisor, exponents);
}

std::map<Word, int> factor(Word number) {
  std::map<Word, int> exponents;
  for (Word p = 2; p < kSmallPrimes && p * p <= number; p += p == 2 ? 1 : 2) {
    for (; number % p == 0; number /= p) ++exponents[p];
  }
  factor_large(number, exponents);
  return exponents;
}

}  // namespace

std::vector<PrimePower> prime_powers(std::int64_t number) {
  std::vector<PrimePower> powers;
  for (const auto& [prime, exponent] : factor(static_cast<Word>(number))) {
    powers.push_back({static_cast<std::int64_t>(prime), exponent});
  }
  return powers;
}

std::vector<std::int64_t> primes_of(std::int64_t number) {
  std::vector<std::int64_t> primes;
  for (const auto& [prime, exponent] : prime_powers(number)) {
    primes.insert(primes.end(), static_cast<std::size_t>(exponent), prime);
  }
  return primes;
}

Divisors::Divisors(std::int64_t number) {
  for (const auto& [prime, power] : prime_powers(number)) {
    const std::size_t step = divisors_.size();
    const auto exponent = static_cast<std::size_t>(power);
    dimensions_.push_back({step, exponent + 1});
    for (std::size_t i = 0; i < step * exponent; ++i) divisors_.push_back(divisors_[i] * prime);
  }
}

}  // namespace heddle::form
