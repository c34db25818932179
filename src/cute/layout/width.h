#pragma once

// Changes the width of elements, for every type that has upcast and downcast.

#include "cute/layout/format.h"
#include "expr/assume_needed.h"
#include "heddle/core/result.h"

namespace heddle::cute {

/// Refuses (`recast.factor`) a factor or a width below 1; `call` names the operation and its
/// operands.
template <std::invocable Call>
[[nodiscard]] Result<void> check_factor(const Int& n, Call call) {
  HEDDLE_TRY(const bool positive, decide({1, Predicate::kAtMost, n}, call));
  if (positive) return {};
  return refuse("recast.factor", "{}: {} is not positive", call(), n);
}

/// From `old_bits` to `new_bits`: upcast by the numerator of the ratio, downcast by the
/// denominator.
template <class Value>
[[nodiscard]] Result<Value> change_width(const Value& value, const Int& old_bits,
                                         const Int& new_bits) {
  const auto call = [&] { return fmt::format("recast({},{},{})", value, old_bits, new_bits); };
  HEDDLE_CHECK(check_factor(old_bits, call));
  HEDDLE_CHECK(check_factor(new_bits, call));
  const Int common = gcd(old_bits, new_bits);
  const Int wider = floor_div(new_bits, common);
  const Int narrower = floor_div(old_bits, common);
  Value result = value;
  if (!known_equal(wider, 1)) {
    HEDDLE_TRY(result, upcast(result, wider));
  }
  if (!known_equal(narrower, 1)) {
    HEDDLE_TRY(result, downcast(result, narrower));
  }
  return result;
}

}  // namespace heddle::cute
