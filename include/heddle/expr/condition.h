#pragma once

// Conditions between integers, and the choice between two integers by one.
//
//   const Int x = Int::variable("x", 0, 15);
//   select({x, Predicate::kLess, 16}, x + 1, 0)        // x+1: the condition always holds
//   select({x, Predicate::kLess, 8}, mod(x, 8), x)     // x: in the first branch x < 8
//   select({x, Predicate::kLess, 8}, 4 * x, 12)        // 4*select(x<8,x,3)
//   range(select({x, Predicate::kLess, 8}, x, 3))      // [0, 7]
//
// Only the branch that is taken needs a value: select(0 < x, floor_div(8, x), 0) is defined for
// every x.

#include <cstdint>
#include <string>

#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle {

/// How two integers compare; kDivides: the left one divides the right one.
enum class Predicate : std::uint8_t { kEqual, kNotEqual, kLess, kAtMost, kDivides };

/// `left < right`, `left == right`, `left | right` (left divides right), ….
struct Condition {
  Int left;
  Predicate predicate = Predicate::kEqual;
  Int right;

  friend bool operator==(const Condition&, const Condition&) = default;
};

/// `8 | M`, `M <= 64`, as messages write it.
[[nodiscard]] std::string to_string(const Condition& condition);

/// The condition certainly holds, for all values.
[[nodiscard]] bool known(const Condition& condition);
/// The condition certainly fails, for all values.
[[nodiscard]] bool known_false(const Condition& condition);

/// `then` where the condition holds, `otherwise` elsewhere. If the condition is known, this is the
/// branch itself; otherwise each branch is simplified by what its side of the condition says of
/// single variables, and a part that both branches share is moved out of the select.
///
/// Written `select(x<3,a,b)`, in the expression language also `if x < 3 then a else b`.
[[nodiscard]] Int select(const Condition& condition, const Int& then, const Int& otherwise);

}  // namespace heddle
#pragma GCC visibility pop
