#pragma once

// Int is the number used in shapes, strides, coordinates and indices: a 64-bit constant held
// inline, or a symbolic term over variables with known ranges and divisors.
//
//   Int m = 128, n = 6;
//   m * n + 1                         // 769
//   floor_div(Int(-7), 2)             // -4: Euclidean division
//   known_divides(2, n)               // true
//   Int(int64_max) * 2                // undefined: there is no such 64-bit number
//
//   Int t = Int::variable("t", 0, 127);
//   4 * t + mod(t, 8) - t             // 3*t+t%8
//   floor_div(32 * t + 5, 8)          // 4*t
//   known_less(t, 128)                // true
//   known_equal(mod(t, 2), 0)         // false: it may be, it may not be
//
// Sums and products have one normal form (expanded, ordered, like products gathered), so equal sums
// and products are equal objects. Division, min, max and the bit operations are simplified where
// ranges and divisors allow it and kept as they are otherwise. Symbolic terms are mathematical
// integers: they are immutable, shared and safe to use from several threads.
//
// An Int may also be *undefined*: the result of an overflow, of a division by zero, or of a term
// that has grown too large. Arithmetic on an undefined Int is undefined, so a formula is written
// plainly and checked once at its end with check_defined() (error code `overflow`). Layouts never
// hold an undefined Int: the code that builds one checks.
//
// Algorithms ask questions through the predicates known_equal, known_less, known_divides, …: they
// answer true only when the fact is certain. An algorithm must also be right when the answer is
// false only because the fact is not known: it keeps the general form, or refuses and names the
// condition (expr/proof.h). Code that calls value() must have checked is_constant().

#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/core/exact.h"
#include "heddle/core/inline_vector.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle {

/// An integer type, except bool and the character types.
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

namespace expr {
/// The term that a symbolic Int holds; src/expr/term/term.h.
class Term;
void retain(const Term* term) noexcept;
void release(const Term* term) noexcept;
}  // namespace expr

// GCC 12 warns that the unused slots of an inline vector are read (a false alarm).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

class Int {
 public:
  Int() = default;
  template <Integer T>
  Int(T value) noexcept {  // NOLINT: integers are Ints
    if (std::in_range<std::int64_t>(value)) {
      value_ = static_cast<std::int64_t>(value);
    } else {
      kind_ = Kind::kUndefined;
    }
  }
  Int(const Int& other) noexcept : value_(other.value_), kind_(other.kind_) {
    if (is_symbolic()) expr::retain(&term());
  }
  Int(Int&& other) noexcept : value_(other.value_), kind_(other.kind_) {
    other.kind_ = Kind::kConstant;
  }
  Int& operator=(const Int& other) noexcept { return *this = Int(other); }
  Int& operator=(Int&& other) noexcept {
    std::swap(value_, other.value_);
    std::swap(kind_, other.kind_);
    return *this;
  }
  ~Int() {
    if (is_symbolic()) expr::release(&term());
  }

  /// The variable `name`, any integer from `low` to `high`, both included. Variables of one name
  /// and one range are the same variable. More can be known of a variable: expr/assumptions.h.
  [[nodiscard]] static Int variable(std::string_view name, std::int64_t low, std::int64_t high);
  /// A variable of which nothing is known.
  [[nodiscard]] static Int variable(std::string_view name);

  /// An undefined Int, such as an overflow or a division by zero gives.
  [[nodiscard]] static Int undefined() { return Int(exact::Value()); }

  [[nodiscard]] bool is_defined() const { return kind_ != Kind::kUndefined; }
  [[nodiscard]] bool is_constant() const { return kind_ == Kind::kConstant; }
  [[nodiscard]] bool is_symbolic() const { return kind_ == Kind::kSymbolic; }
  /// The constant; only for is_constant().
  [[nodiscard]] std::int64_t value() const {
    assert(is_constant());
    return value_;
  }
  /// The term, for code that reads terms; only for is_symbolic().
  [[nodiscard]] const expr::Term& term() const {
    return *reinterpret_cast<const expr::Term*>(value_);  // NOLINT(performance-no-int-to-ptr)
  }
  /// Takes over one reference to a term that is not a constant.
  [[nodiscard]] static Int adopt(const expr::Term* term) { return Int(term); }

  friend Int operator+(const Int& a, const Int& b) {
    return combine(a, b, exact::add, symbolic_sum);
  }
  friend Int operator-(const Int& a, const Int& b) {
    return combine(a, b, exact::subtract, symbolic_difference);
  }
  friend Int operator*(const Int& a, const Int& b) {
    return combine(a, b, exact::multiply, symbolic_product);
  }
  friend Int operator-(const Int& a) { return Int(0) - a; }
  Int& operator+=(const Int& other) { return *this = *this + other; }
  Int& operator-=(const Int& other) { return *this = *this - other; }
  Int& operator*=(const Int& other) { return *this = *this * other; }

  /// Euclidean quotient and remainder: a = floor_div(a, b) * b + mod(a, b), 0 <= mod(a, b) < |b|.
  friend Int floor_div(const Int& a, const Int& b) {
    return combine(a, b, exact::floor_divide, symbolic_quotient);
  }
  friend Int mod(const Int& a, const Int& b) {
    return combine(a, b, exact::floor_modulo, symbolic_remainder);
  }

  /// Structural equality; undefined equals undefined. For the mathematical question use
  /// known_equal.
  friend bool operator==(const Int& a, const Int& b) {
    if (a.kind_ != b.kind_) return false;
    return a.value_ == b.value_ || (a.is_symbolic() && same_term(a, b));
  }

 private:
  enum class Kind : std::uint8_t { kConstant, kUndefined, kSymbolic };

  explicit Int(exact::Value value) noexcept
      : value_(value.value_or(0)), kind_(value ? Kind::kConstant : Kind::kUndefined) {}
  explicit Int(const expr::Term* term) noexcept
      : value_(reinterpret_cast<std::intptr_t>(term)), kind_(Kind::kSymbolic) {}

  template <class Constant, class Symbolic>
  static Int combine(const Int& a, const Int& b, Constant constant, Symbolic symbolic) {
    if (a.is_constant() && b.is_constant()) [[likely]]
      return Int(constant(a.value_, b.value_));
    if (!a.is_defined() || !b.is_defined()) return undefined();
    return symbolic(a, b);
  }
  static Int symbolic_sum(const Int& a, const Int& b);
  static Int symbolic_difference(const Int& a, const Int& b);
  static Int symbolic_product(const Int& a, const Int& b);
  static Int symbolic_quotient(const Int& a, const Int& b);
  static Int symbolic_remainder(const Int& a, const Int& b);
  static bool same_term(const Int& a, const Int& b);

  /// The constant, or the address of the term.
  std::int64_t value_ = 0;
  Kind kind_ = Kind::kConstant;
};

/// An Int holds a number or an address of something outside it, so its bytes may be moved.
template <>
inline constexpr bool kTriviallyRelocatable<Int> = true;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// The least integer q with q * b >= a, for positive b.
[[nodiscard]] Int ceil_div(const Int& a, const Int& b);
[[nodiscard]] Int min(const Int& a, const Int& b);
[[nodiscard]] Int max(const Int& a, const Int& b);
[[nodiscard]] Int abs(const Int& a);
/// -1, 0 or 1.
[[nodiscard]] Int sign(const Int& a);
/// The greatest common divisor, never negative; gcd(0, 0) = 0.
[[nodiscard]] Int gcd(const Int& a, const Int& b);

/// The greatest integer whose square is at most `a`; undefined for negative `a`.
[[nodiscard]] Int isqrt(const Int& a);

/// Bit by bit, on numbers in two's complement with infinite sign extension.
[[nodiscard]] Int bit_and(const Int& a, const Int& b);
[[nodiscard]] Int bit_or(const Int& a, const Int& b);
[[nodiscard]] Int bit_xor(const Int& a, const Int& b);
/// a * 2^places and floor(a / 2^places); undefined for negative places, and if `places` is not a
/// constant and may exceed 62.
[[nodiscard]] Int shift_left(const Int& a, const Int& places);
[[nodiscard]] Int shift_right(const Int& a, const Int& places);

namespace expr {
bool proves_equal(const Int& a, const Int& b);
bool proves_at_most(const Int& a, const Int& b);
bool proves_less(const Int& a, const Int& b);
bool proves_divides(const Int& divisor, const Int& number);
}  // namespace expr

/// True if the fact certainly holds; false if it does not or is not known.
[[nodiscard]] inline bool known_equal(const Int& a, const Int& b) {
  if (a.is_constant() && b.is_constant()) [[likely]]
    return a.value() == b.value();
  return expr::proves_equal(a, b);
}
[[nodiscard]] inline bool known_at_most(const Int& a, const Int& b) {
  if (a.is_constant() && b.is_constant()) [[likely]]
    return a.value() <= b.value();
  return expr::proves_at_most(a, b);
}
[[nodiscard]] inline bool known_less(const Int& a, const Int& b) {
  if (a.is_constant() && b.is_constant()) [[likely]]
    return a.value() < b.value();
  return expr::proves_less(a, b);
}
/// `divisor` divides `number`; 0 divides only 0.
[[nodiscard]] inline bool known_divides(const Int& divisor, const Int& number) {
  if (!divisor.is_constant() || !number.is_constant()) [[unlikely]]
    return expr::proves_divides(divisor, number);
  return divisor.value() == 0 ? number.value() == 0
                              : exact::floor_modulo(number.value(), divisor.value()) == 0;
}
/// The two certainly differ.
[[nodiscard]] inline bool known_different(const Int& a, const Int& b) {
  return known_less(a, b) || known_less(b, a);
}

/// Refuses (`overflow`) an undefined Int; `what` names the quantity, as in "the size of (4,8)".
[[nodiscard]] Result<Int> check_defined(const Int& value, std::string_view what);
/// Like check_defined() above, for a name that is costly to build: `describe()` is called for an
/// undefined Int only.
template <std::invocable Describe>
[[nodiscard]] Result<Int> check_defined(const Int& value, Describe describe) {
  return value.is_defined() ? Result<Int>(value)
                            : check_defined(value, std::string_view(describe()));
}

/// `4*t+t%8`, with the operators of the expression language; `//` and `%` are Euclidean.
[[nodiscard]] std::string to_string(const Int& value);
std::ostream& operator<<(std::ostream& stream, const Int& value);

namespace expr {
[[nodiscard]] std::size_t hash_of(const Int& symbolic);
}  // namespace expr

}  // namespace heddle
#pragma GCC visibility pop

template <>
struct std::hash<heddle::Int> {
  std::size_t operator()(const heddle::Int& value) const {
    if (value.is_symbolic()) return heddle::expr::hash_of(value);
    return value.is_constant() ? std::hash<std::int64_t>()(value.value()) : ~std::size_t{0};
  }
};
