#pragma once

// Assumptions about named variables, gathered before the variables are made.
//
//   const Symbol m("M"), k("K");                                          // expr/symbol.h
//   const Assumptions world = *Assumptions::make({m % 128 == 0, k <= m});
//   world.variable("M")               // M: at least 128, a multiple of 128
//   mod(world.variable("M"), 64)      // 0
//   known_at_most(world.variable("K"), world.variable("M"))      // true
//
// A variable carries what is known of it: equal assumptions make equal variables, and no table of
// variables exists anywhere. A variable of which a divisor is known is held as divisor * quotient
// (M = 128*(M//128)), so that divisions by parts of it come out exactly.

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/expr/proof.h"

#pragma GCC visibility push(default)
namespace heddle {

class Assumptions {
 public:
  /// Assumes nothing.
  Assumptions() = default;

  /// The conditions may compare a variable with an expression of others (`K <= 2*M`, `M == 128`),
  /// fix a remainder (`M % 8 == 4`) or say that something divides it (`N % K == 0`). A variable to
  /// which the conditions give no constant lower bound is at least `default_low`.
  ///
  /// Refuses `assume.contradiction` if it finds that no values satisfy all conditions (by ranges
  /// and divisors, and by trying up to 65536 values of the variables with finite ranges), and
  /// `assume.unsupported` for other forms, for a value left out of the middle of a range (`M != 5`)
  /// and for more than 1024 conditions.
  [[nodiscard]] static Result<Assumptions> make(std::span<const Condition> conditions,
                                                std::int64_t default_low = 1);
  /// Makes assumptions from conditions written out: make({m % 128 == 0, k <= m}), see
  /// expr/symbol.h.
  [[nodiscard]] static Result<Assumptions> make(std::initializer_list<Condition> conditions) {
    return make(std::span<const Condition>(conditions.begin(), conditions.size()));
  }

  /// The variable, or the constant that the assumptions leave for it; a name that no condition
  /// mentions is at least `default_low`.
  [[nodiscard]] Int variable(std::string_view name) const;
  /// Every variable that a condition mentions.
  [[nodiscard]] const Bindings& variables() const { return variables_; }

 private:
  Bindings variables_;
  std::int64_t default_low_ = 1;
};

}  // namespace heddle
#pragma GCC visibility pop
