#pragma once

// Random symbolic operands: a world of assumed variables, layouts over them, and values that the
// assumptions admit.

#include <cstdint>
#include <vector>

#include "heddle/cute/layout.h"
#include "heddle/expr/assumptions.h"
#include "support/random.h"

namespace heddle::test {

class SymbolicWorld {
 public:
  explicit SymbolicWorld(Random& random);

  /// One of the variables, a part or a small multiple of one, or a small number; at least 1.
  [[nodiscard]] Int size(Random& random) const;
  /// Compact in any order, padded, broadcast or arbitrary, now and then with a stride that may be
  /// 0; up to four modes, sometimes nested.
  [[nodiscard]] cute::Layout layout(Random& random) const;
  /// A layout whose modes mostly step through those of `a`.
  [[nodiscard]] cute::Layout layout_within(Random& random, const cute::Layout& a) const;
  /// Values for all variables that the assumptions admit.
  [[nodiscard]] Bindings values(Random& random) const;
  /// What is assumed, as text.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Condition> conditions_;
  Assumptions assumptions_;
  std::vector<Int> variables_;
  Int step_;
};

}  // namespace heddle::test
