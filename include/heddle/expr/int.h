#pragma once

// Int is the number used in shapes, strides, coordinates and indices.
//
//   Int m = 128, n = 6;
//   m * n + 1                         // 769
//   floor_div(Int(-7), 2)             // -4: Euclidean division
//   known_divides(2, n)               // true
//   Int(int64_max) * 2                // undefined: there is no such 64-bit number
//
// An Int is a 64-bit constant held inline, or *undefined*: the result of an overflow or a division
// by zero. Arithmetic on an undefined Int is undefined, so a formula is written plainly and checked
// once at its end with check_defined() (error code `overflow`). Layouts never hold an undefined
// Int: whoever builds one checks.
//
// Algorithms ask questions through the predicates known_equal, known_less, known_divides, …: they
// answer true only when the fact is certain. An algorithm must be right when the answer is false
// because the fact is merely not known: it keeps the general form, or refuses and names the
// condition. That is the door for symbolic terms, which become a third kind of Int behind the same
// interface; code that asks for value() must have seen is_constant().

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/core/exact.h"
#include "heddle/core/result.h"

namespace heddle {

/// An integer type, but neither truth values nor characters.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

class Int {
 public:
  Int() = default;
  template <Integer T>
  Int(T value) {  // NOLINT: integers are Ints
    if (std::in_range<std::int64_t>(value)) {
      value_ = static_cast<std::int64_t>(value);
    } else {
      kind_ = Kind::kUndefined;
    }
  }

  /// The result of an overflow or a division by zero.
  [[nodiscard]] static Int undefined() { return Int(exact::Value()); }

  [[nodiscard]] bool is_defined() const { return kind_ != Kind::kUndefined; }
  [[nodiscard]] bool is_constant() const { return kind_ == Kind::kConstant; }
  /// The constant; only for is_constant().
  [[nodiscard]] std::int64_t value() const { return value_; }

  friend Int operator+(const Int& a, const Int& b) { return combine(a, b, exact::add); }
  friend Int operator-(const Int& a, const Int& b) { return combine(a, b, exact::subtract); }
  friend Int operator*(const Int& a, const Int& b) { return combine(a, b, exact::multiply); }
  friend Int operator-(const Int& a) { return Int(0) - a; }
  Int& operator+=(const Int& other) { return *this = *this + other; }
  Int& operator-=(const Int& other) { return *this = *this - other; }
  Int& operator*=(const Int& other) { return *this = *this * other; }

  /// Euclidean quotient and remainder: a = floor_div(a, b) * b + mod(a, b), 0 <= mod(a, b) < |b|.
  friend Int floor_div(const Int& a, const Int& b) { return combine(a, b, exact::floor_divide); }
  friend Int mod(const Int& a, const Int& b) { return combine(a, b, exact::floor_modulo); }

  /// Structural equality; undefined equals undefined. For the mathematical question use
  /// known_equal.
  friend bool operator==(const Int&, const Int&) = default;

 private:
  enum class Kind : std::uint8_t { kConstant, kUndefined };

  explicit Int(exact::Value value)
      : value_(value.value_or(0)), kind_(value ? Kind::kConstant : Kind::kUndefined) {}

  template <class Operation>
  static Int combine(const Int& a, const Int& b, Operation operation) {
    if (!a.is_constant() || !b.is_constant()) return undefined();
    return Int(operation(a.value_, b.value_));
  }

  std::int64_t value_ = 0;
  Kind kind_ = Kind::kConstant;
};

/// The least integer q with q * b >= a, for positive b.
[[nodiscard]] Int ceil_div(const Int& a, const Int& b);
[[nodiscard]] Int min(const Int& a, const Int& b);
[[nodiscard]] Int max(const Int& a, const Int& b);
[[nodiscard]] Int abs(const Int& a);
/// -1, 0 or 1.
[[nodiscard]] Int sign(const Int& a);
/// The greatest common divisor, never negative; gcd(0, 0) = 0.
[[nodiscard]] Int gcd(const Int& a, const Int& b);

/// True when the fact certainly holds; false when it does not or is not known.
[[nodiscard]] inline bool known_equal(const Int& a, const Int& b) {
  return a.is_constant() && b.is_constant() && a.value() == b.value();
}
[[nodiscard]] inline bool known_less(const Int& a, const Int& b) {
  return a.is_constant() && b.is_constant() && a.value() < b.value();
}
[[nodiscard]] inline bool known_at_most(const Int& a, const Int& b) {
  return a.is_constant() && b.is_constant() && a.value() <= b.value();
}
/// `divisor` divides `number`; 0 divides only 0.
[[nodiscard]] inline bool known_divides(const Int& divisor, const Int& number) {
  return known_equal(divisor, 0) ? known_equal(number, 0) : known_equal(mod(number, divisor), 0);
}

/// Refuses (`overflow`) an undefined Int; `what` names the quantity, as in "the size of (4,8)".
[[nodiscard]] Result<Int> check_defined(const Int& value, std::string_view what);
/// The same where naming the quantity costs something: `describe()` is called for an undefined Int
/// only.
template <std::invocable Describe>
[[nodiscard]] Result<Int> check_defined(const Int& value, Describe describe) {
  return value.is_defined() ? Result<Int>(value)
                            : check_defined(value, std::string_view(describe()));
}

[[nodiscard]] std::string to_string(const Int& value);
std::ostream& operator<<(std::ostream& stream, const Int& value);

}  // namespace heddle

template <>
struct std::hash<heddle::Int> {
  std::size_t operator()(const heddle::Int& value) const {
    return value.is_constant() ? std::hash<std::int64_t>()(value.value()) : ~std::size_t{0};
  }
};
