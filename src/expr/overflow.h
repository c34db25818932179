#pragma once

// Forms that would leave the 64 bits on the way.
//
//   n*(i%d)     and     n*i - n*d*(i//d)
//
// are the same number, but the second passes through n*i, which may be far larger: a machine would
// overflow where the first form does not. So the plain form sets what is allowed: no other form may
// compute a number that may be past 64 bits, unless the plain form computes that very number.
// Nothing is asked of numbers over variables without ends: of these not even the plain form is
// known to fit.

#include <unordered_map>
#include <unordered_set>

#include "heddle/expr/code_expression.h"

namespace heddle::expr {

class OverflowGuard {
 public:
  /// Allows all that the plain form computes.
  void allow(const Kernel& plain);
  /// Each operation fits into 64 bits, or is one of the plain form.
  [[nodiscard]] bool admits(const Kernel& kernel);

 private:
  [[nodiscard]] bool admits(const CodeExpression& expression);
  [[nodiscard]] bool fits(const Int& value);

  std::unordered_set<Int> allowed_;
  std::unordered_map<Int, bool> known_;
};

}  // namespace heddle::expr
