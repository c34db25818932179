#pragma once

// Exact 64-bit arithmetic: every operation gives the integer or nullopt.
// Nothing wraps around.
//
//   exact::multiply(1'000'000, 1'000'000)     ->  1000000000000
//   exact::multiply(int64_max, 2)             ->  nullopt
//   exact::floor_divide(-7, 2)                ->  -4
//   exact::floor_modulo(-7, 2)                ->  1
//
// Division is Euclidean, which for a positive divisor is the same as rounding down.

#include <cmath>
#include <cstdint>
#include <optional>

#pragma GCC visibility push(default)
namespace heddle::exact {

using Value = std::optional<std::int64_t>;

[[nodiscard]] inline Value add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

[[nodiscard]] inline Value subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a, b, &difference)) return std::nullopt;
  return difference;
}

[[nodiscard]] inline Value multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// The remainder in [0, |b|); nullopt for b = 0.
[[nodiscard]] inline Value floor_modulo(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return 0;
  const std::int64_t remainder = a % b;
  if (remainder >= 0) return remainder;
  return b > 0 ? remainder + b : remainder - b;
}

/// The Euclidean quotient: a = q * b + floor_modulo(a, b); nullopt for b = 0 or past 64 bits.
[[nodiscard]] inline Value floor_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return std::nullopt;
  if (b == -1) return subtract(0, a);
  const std::int64_t quotient = a / b;
  if (a % b >= 0) return quotient;
  return b > 0 ? quotient - 1 : quotient + 1;
}

/// |a|; nullopt for the smallest integer.
[[nodiscard]] inline Value absolute(std::int64_t a) { return a < 0 ? subtract(0, a) : Value(a); }

/// The greatest integer whose square is at most `a`; nullopt for negative `a`.
[[nodiscard]] inline Value square_root(std::int64_t a) {
  if (a < 0) return std::nullopt;
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(a)));
  // Doubles have 53 bits: the estimate may be one off.
  const auto is_past = [&](std::int64_t candidate) {
    const Value square = multiply(candidate, candidate);
    return !square || *square > a;
  };
  while (is_past(root)) --root;
  while (!is_past(root + 1)) ++root;
  return root;
}

}  // namespace heddle::exact
#pragma GCC visibility pop
