#pragma once

// Conditions about named sizes, written as they read.
//
//   const Symbol m("M"), k("K");
//   const Assumptions world = *Assumptions::make({m % 128 == 0, k <= 2 * m, divides(k, m)});
//   const Int rows = world.variable("M");       // at least 128, a multiple of 128
//
// A Symbol is an Int whose comparisons are conditions. Comparing two Ints says whether they are the
// same term; comparing Symbols says what is to be assumed, or asked of a prover (expr/proof.h).

#include <string_view>
#include <utility>

#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle {

class Symbol {
 public:
  /// The variable of this name, of which nothing is known.
  explicit Symbol(std::string_view name) : value_(Int::variable(name)) {}
  explicit Symbol(Int value) : value_(std::move(value)) {}

  [[nodiscard]] const Int& value() const { return value_; }
  operator const Int&() const { return value_; }  // NOLINT: a symbol is an integer

  friend Symbol operator+(const Symbol& a, const Int& b) { return Symbol(a.value_ + b); }
  friend Symbol operator-(const Symbol& a, const Int& b) { return Symbol(a.value_ - b); }
  friend Symbol operator*(const Symbol& a, const Int& b) { return Symbol(a.value_ * b); }
  friend Symbol operator+(const Int& a, const Symbol& b) { return Symbol(a + b.value_); }
  friend Symbol operator-(const Int& a, const Symbol& b) { return Symbol(a - b.value_); }
  friend Symbol operator*(const Int& a, const Symbol& b) { return Symbol(a * b.value_); }
  friend Symbol operator+(const Symbol& a, const Symbol& b) { return Symbol(a.value_ + b.value_); }
  friend Symbol operator-(const Symbol& a, const Symbol& b) { return Symbol(a.value_ - b.value_); }
  friend Symbol operator*(const Symbol& a, const Symbol& b) { return Symbol(a.value_ * b.value_); }
  /// The Euclidean remainder and quotient, as mod() and floor_div() of Ints.
  friend Symbol operator%(const Symbol& a, const Int& b) { return Symbol(mod(a.value_, b)); }
  friend Symbol operator/(const Symbol& a, const Int& b) { return Symbol(floor_div(a.value_, b)); }

  friend Condition operator==(const Symbol& a, const Int& b) {
    return {a.value_, Predicate::kEqual, b};
  }
  friend Condition operator!=(const Symbol& a, const Int& b) {
    return {a.value_, Predicate::kNotEqual, b};
  }
  friend Condition operator<(const Symbol& a, const Int& b) {
    return {a.value_, Predicate::kLess, b};
  }
  friend Condition operator<=(const Symbol& a, const Int& b) {
    return {a.value_, Predicate::kAtMost, b};
  }
  friend Condition operator>(const Symbol& a, const Int& b) {
    return {b, Predicate::kLess, a.value_};
  }
  friend Condition operator>=(const Symbol& a, const Int& b) {
    return {b, Predicate::kAtMost, a.value_};
  }

 private:
  Int value_;
};

/// `divisor` divides `number`.
[[nodiscard]] inline Condition divides(const Int& divisor, const Int& number) {
  return {divisor, Predicate::kDivides, number};
}

}  // namespace heddle
#pragma GCC visibility pop
