#include "heddle/expr/int.h"

#include "core/text.h"
#include "expr/term/bounds.h"
#include "expr/term/term.h"
#include "heddle/expr/index_variable.h"

namespace heddle {

Int Int::variable(std::string_view name, std::int64_t low, std::int64_t high) {
  if (low > high) return undefined();
  expr::Variable variable;
  variable.name = name;
  variable.range = {low, high};
  return expr::make_variable(std::move(variable));
}

Int Int::variable(std::string_view name) { return variable(name, Range::kNoLow, Range::kNoHigh); }

Int index_variable(std::string_view name, const Int& extent) {
  if (!extent.is_defined() || known_less(extent, 1)) return Int::undefined();
  if (extent.is_constant()) return Int::variable(name, 0, extent.value() - 1);
  expr::Variable variable;
  variable.name = name;
  const std::int64_t most = range(extent).high;
  variable.range = {0, most == Range::kNoHigh ? most : most - 1};
  variable.at_most.push_back(extent - 1);
  return expr::make_variable(std::move(variable));
}

namespace expr {

bool proves_equal(const Int& a, const Int& b) {
  if (!a.is_defined() || !b.is_defined()) return false;
  if (a == b) return true;
  const Range left = interval_of(a);
  const Range right = interval_of(b);
  if (left.high < right.low || right.high < left.low) return false;
  const Int difference = a - b;
  if (!difference.is_symbolic()) return difference == Int(0);
  // A sum of products of free variables is always 0 only if it is literally 0.
  if (is_polynomial_in_free_variables(difference)) return false;
  return is_at_least(difference, 0) && is_at_least(-difference, 0);
}

bool proves_at_most(const Int& a, const Int& b) { return is_never_above(a, b, 0); }

bool proves_less(const Int& a, const Int& b) { return is_never_above(a, b, 1); }

bool proves_divides(const Int& divisor, const Int& number) {
  if (!divisor.is_defined() || !number.is_defined()) return false;
  if (number == Int(0) || divisor == Int(1)) return true;
  if (divisor == Int(0)) return known_equal(number, 0);
  if (divisor.is_constant()) {
    const std::int64_t known = divisor_of(number);
    return exact::floor_modulo(known, divisor.value()) == 0 || mod(number, divisor) == Int(0);
  }
  return exact_quotient(number, divisor).has_value() || mod(number, divisor) == Int(0);
}

}  // namespace expr

Result<Int> check_defined(const Int& value, std::string_view what) {
  if (value.is_defined()) return value;
  constexpr std::size_t kMost = 200;
  return refuse(
      "overflow",
      shortened(what, kMost) +
          " has no 64-bit value: it overflows, divides by zero or exceeds the limit on terms");
}

}  // namespace heddle
