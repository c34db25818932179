// Division, minimum, maximum, gcd and bit operations on symbolic terms: simplified where ranges and
// divisors allow it, kept as atoms otherwise.

#include <algorithm>
#include <bit>
#include <numeric>

#include "expr/bounds.h"
#include "expr/term.h"

namespace heddle {
namespace {

using expr::AtomPointer;
using expr::Monomial;
using expr::Operator;
using expr::Polynomial;
using expr::Product;

/// value = quotient * divisor + rest, with as much in the quotient as divides product by product.
struct Split {
  Int quotient;
  Int rest;
};

Split split(const Int& value, const Int& divisor) {
  Split parts{0, 0};
  for (const Product& product : expr::polynomial(value)) {
    const Int whole = expr::make_int(Polynomial{product});
    if (const std::optional<Int> quotient = expr::exact_quotient(whole, divisor)) {
      parts.quotient += *quotient;
      continue;
    }
    Int kept = whole;
    if (divisor.is_constant()) {
      // Coefficients keep their sign and stay below the divisor; the constant becomes a remainder.
      const bool is_constant = product.degree() == 0;
      const std::int64_t by = divisor.value();
      const std::int64_t steps = is_constant
                                     ? exact::floor_divide(product.coefficient, by).value_or(0)
                                     : product.coefficient / by;
      const Int atoms = expr::make_int(Polynomial{{1, product.atoms}});
      parts.quotient += Int(steps) * atoms;
      kept = Int(product.coefficient - steps * by) * atoms;
    }
    parts.rest += kept;
  }
  return parts;
}

/// The greatest constant that divides the divisor and all products but the constant one.
std::int64_t common_divisor(const Int& rest, std::int64_t divisor) {
  std::int64_t common = divisor;
  for (const Product& product : expr::polynomial(rest)) {
    if (product.degree() > 0) common = std::gcd(common, product.coefficient);
  }
  return common;
}

Int constant_part(const Int& value) {
  const Polynomial products = expr::polynomial(value);
  if (products.empty() || products.back().degree() > 0) return 0;
  return products.back().coefficient;
}

/// The atoms that all products of both have in common, if those are known to be positive.
Int common_factor(const Int& rest, const Int& divisor) {
  const Polynomial left = expr::polynomial(rest);
  const Polynomial right = expr::polynomial(divisor);
  Int factor = 1;
  Int remaining = divisor;
  if (right.empty() || left.empty()) return factor;
  for (const AtomPointer& atom : right.front().atoms) {
    const Int candidate = factor * expr::make_int(atom);
    if (atom->range().low < 1) continue;
    if (expr::exact_quotient(rest, candidate) && expr::exact_quotient(divisor, candidate)) {
      factor = candidate;
    }
  }
  return factor;
}

bool known_positive(const Int& value) { return expr::is_at_least(value, 1); }
bool known_natural(const Int& value) { return expr::is_at_least(value, 0); }
bool known_negative(const Int& value) { return expr::is_at_least(Int(-1) * value, 1); }

/// (x//a + k)//b = (x + k*a)//(a*b) for positive a and b.
std::optional<Int> joined_quotient(const Int& rest, const Int& divisor) {
  const Int offset = constant_part(rest);
  const AtomPointer atom = expr::as_atom(rest - offset);
  if (!atom || atom->operation() != Operator::kQuotient || !known_positive(atom->right())) {
    return std::nullopt;
  }
  return floor_div(atom->left() + offset * atom->right(), atom->right() * divisor);
}

/// Of a rest whose products no longer divide, by something positive.
Int quotient_of_rest(const Int& rest, const Int& divisor) {
  if (known_natural(rest) && expr::is_at_least(divisor - rest, 1)) return 0;
  if (divisor.is_constant()) {
    const std::int64_t common = common_divisor(rest, divisor.value());
    if (common > 1) {
      const Int offset = constant_part(rest);
      const Int steps = *expr::exact_quotient(rest - offset, common);
      return floor_div(steps + floor_div(offset, common), divisor.value() / common);
    }
  } else if (const Int common = common_factor(rest, divisor); common != Int(1)) {
    return floor_div(*expr::exact_quotient(rest, common), *expr::exact_quotient(divisor, common));
  }
  if (std::optional<Int> joined = joined_quotient(rest, divisor)) return *joined;
  return expr::make_operation(Operator::kQuotient, rest, divisor);
}

/// x%(b*c) within a remainder by b is x.
Int without_inner_remainders(const Int& rest, const Int& divisor) {
  for (const Product& product : expr::polynomial(rest)) {
    for (const AtomPointer& atom : product.atoms) {
      if (atom->operation() != Operator::kRemainder) continue;
      const Int outer = expr::exact_quotient(expr::make_int(Polynomial{product}),
                                             expr::make_int(atom))
                            .value_or(Int(0));
      if (!known_divides(divisor, outer * atom->right())) continue;
      return rest - expr::make_int(Polynomial{product}) + outer * atom->left();
    }
  }
  return rest;
}

Int remainder_of_rest(const Int& rest, const Int& divisor) {
  if (known_natural(rest) && expr::is_at_least(divisor - rest, 1)) return rest;
  const Int plain = without_inner_remainders(rest, divisor);
  if (plain != rest) return mod(plain, divisor);
  if (divisor.is_constant()) {
    const std::int64_t common = common_divisor(rest, divisor.value());
    if (common > 1) {
      const Int offset = constant_part(rest);
      const Int steps = *expr::exact_quotient(rest - offset, common) + floor_div(offset, common);
      return Int(common) * mod(steps, divisor.value() / common) + mod(offset, common);
    }
  } else if (const Int common = common_factor(rest, divisor); common != Int(1)) {
    return common *
           mod(*expr::exact_quotient(rest, common), *expr::exact_quotient(divisor, common));
  }
  return expr::make_operation(Operator::kRemainder, rest, divisor);
}

/// Operations whose order does not matter take the lesser operand first.
Int commutative(Operator operation, const Int& a, const Int& b) {
  return expr::compare(a, b) <= 0 ? expr::make_operation(operation, a, b)
                                  : expr::make_operation(operation, b, a);
}

/// a and b have no bit in common: one is a multiple of a power of two that the other stays below.
bool known_disjoint(const Int& a, const Int& b) {
  const auto fits_below = [](const Int& low, const Int& high) {
    const std::int64_t divisor = expr::divisor_of(high);
    if (divisor == 0 || !known_natural(low)) return false;
    const std::int64_t power = std::int64_t{1} << std::countr_zero(static_cast<std::uint64_t>(divisor));
    return power > 0 && expr::is_at_least(Int(power) - low, 1);
  };
  return fits_below(a, b) || fits_below(b, a);
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

bool both_constant(const Int& a, const Int& b) { return a.is_constant() && b.is_constant(); }
bool any_undefined(const Int& a, const Int& b) { return !a.is_defined() || !b.is_defined(); }

}  // namespace

Int Int::symbolic_quotient(const Int& a, const Int& b) {
  if (b == Int(0)) return undefined();
  if (known_negative(b)) return Int(-1) * floor_div(a, Int(-1) * b);
  if (b.is_symbolic() && !known_positive(b)) {
    return expr::make_operation(Operator::kQuotient, a, b);
  }
  if (std::optional<Int> whole = expr::exact_quotient(a, b)) return *whole;
  const Split parts = split(a, b);
  return parts.quotient + quotient_of_rest(parts.rest, b);
}

Int Int::symbolic_remainder(const Int& a, const Int& b) {
  if (b == Int(0)) return undefined();
  if (known_negative(b)) return mod(a, Int(-1) * b);
  if (b.is_symbolic() && !known_positive(b)) {
    return expr::make_operation(Operator::kRemainder, a, b);
  }
  if (expr::exact_quotient(a, b)) return 0;
  return remainder_of_rest(split(a, b).rest, b);
}

Int ceil_div(const Int& a, const Int& b) {
  if (!both_constant(a, b)) {
    return known_divides(b, a) ? floor_div(a, b) : floor_div(a + b - 1, b);
  }
  const Int quotient = floor_div(a, b);
  return mod(a, b) == Int(0) ? quotient : quotient + 1;
}

Int min(const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (known_at_most(a, b)) return a;
  if (known_at_most(b, a)) return b;
  return commutative(Operator::kMinimum, a, b);
}

Int max(const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (known_at_most(a, b)) return b;
  if (known_at_most(b, a)) return a;
  return commutative(Operator::kMaximum, a, b);
}

Int abs(const Int& a) {
  if (a.is_constant()) return a.value() < 0 ? -a : a;
  return max(a, -a);
}

Int sign(const Int& a) {
  if (a.is_constant()) return (a.value() > 0) - (a.value() < 0);
  return min(max(a, -1), 1);
}

Int gcd(const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  // As unsigned numbers, because the absolute value of the smallest integer is no int64_t.
  if (both_constant(a, b)) return std::gcd(magnitude(a.value()), magnitude(b.value()));
  if (known_divides(a, b)) return abs(a);
  if (known_divides(b, a)) return abs(b);
  if (a == Int(1) || b == Int(1)) return 1;
  return commutative(Operator::kGcd, a, b);
}

Int bit_and(const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (both_constant(a, b)) return a.value() & b.value();
  if (a == b) return a;
  if (b.is_symbolic() && a.is_constant()) return bit_and(b, a);
  if (b.is_constant()) {
    // A mask of low bits is a remainder.
    const auto mask = static_cast<std::uint64_t>(b.value());
    if (b.value() == -1) return a;
    if (b.value() >= 0 && std::has_single_bit(mask + 1)) return mod(a, b + 1);
    // A mask of high bits takes the remainder away.
    if (b.value() < 0 && std::has_single_bit(0 - mask) && b.value() != Range::kNoLow) {
      return a - mod(a, -b);
    }
  }
  if (known_disjoint(a, b)) return 0;
  return commutative(Operator::kAnd, a, b);
}

Int bit_or(const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (both_constant(a, b)) return a.value() | b.value();
  if (a == b) return a;
  if (known_disjoint(a, b)) return a + b;
  return commutative(Operator::kOr, a, b);
}

Int bit_xor(const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (both_constant(a, b)) return a.value() ^ b.value();
  if (a == b) return 0;
  if (known_disjoint(a, b)) return a + b;
  return commutative(Operator::kXor, a, b);
}

namespace {

/// 2^places.
Int power_of_two(const Int& places) {
  constexpr std::int64_t kMaxPlaces = 62;
  if (!places.is_constant()) return expr::make_operation(Operator::kPowerOfTwo, places, 0);
  if (places.value() < 0 || places.value() > kMaxPlaces) return Int::undefined();
  return std::int64_t{1} << places.value();
}

}  // namespace

Int shift_left(const Int& a, const Int& places) {
  if (any_undefined(a, places) || known_less(places, 0)) return Int::undefined();
  return a == Int(0) ? a : a * power_of_two(places);
}

Int shift_right(const Int& a, const Int& places) {
  if (any_undefined(a, places) || known_less(places, 0)) return Int::undefined();
  if (both_constant(a, places)) return a.value() >> std::min<std::int64_t>(places.value(), 63);
  const Int scale = power_of_two(places);
  if (scale.is_defined()) return floor_div(a, scale);
  return expr::make_operation(Operator::kQuotient, a, scale);
}

}  // namespace heddle
