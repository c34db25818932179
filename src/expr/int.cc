#include "heddle/expr/int.h"

#include <algorithm>
#include <numeric>
#include <ostream>

namespace heddle {

Int ceil_div(const Int& a, const Int& b) {
  const Int quotient = floor_div(a, b);
  return known_equal(mod(a, b), 0) ? quotient : quotient + 1;
}

Int min(const Int& a, const Int& b) {
  if (!a.is_constant() || !b.is_constant()) return Int::undefined();
  return std::min(a.value(), b.value());
}

Int max(const Int& a, const Int& b) {
  if (!a.is_constant() || !b.is_constant()) return Int::undefined();
  return std::max(a.value(), b.value());
}

Int abs(const Int& a) { return known_less(a, 0) ? -a : a; }

Int sign(const Int& a) {
  if (!a.is_constant()) return Int::undefined();
  return (a.value() > 0) - (a.value() < 0);
}

Int gcd(const Int& a, const Int& b) {
  if (!a.is_constant() || !b.is_constant()) return Int::undefined();
  // As unsigned numbers, because the absolute value of the smallest integer is no int64_t.
  const auto magnitude = [](std::int64_t value) {
    return value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  };
  return std::gcd(magnitude(a.value()), magnitude(b.value()));
}

Result<Int> check_defined(const Int& value, std::string_view what) {
  if (value.is_defined()) return value;
  return refuse("overflow", std::string(what) + " does not fit into 64 bits");
}

std::string to_string(const Int& value) {
  return value.is_constant() ? std::to_string(value.value()) : "undefined";
}

std::ostream& operator<<(std::ostream& stream, const Int& value) {
  return stream << to_string(value);
}

}  // namespace heddle
