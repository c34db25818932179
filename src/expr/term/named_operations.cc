// Minimum, maximum, gcd, square root and bit operations on symbolic terms: simplified where ranges
// and divisors allow it, kept as atoms otherwise.

#include <algorithm>
#include <bit>
#include <numeric>

#include "expr/term/bounds.h"
#include "expr/term/operation.h"
#include "expr/term/term.h"

namespace heddle {
namespace {

using expr::AtomPointer;

using expr::make_int;
using expr::make_operation;
using expr::Operator;
using expr::Product;
using expr::Products;

bool known_natural(const Int& value) { return expr::is_at_least(value, 0); }

/// The lesser operand of a commutative operation comes first, so that both orders give the same
/// term.
bool in_order(const Int& a, const Int& b) { return expr::compare(a, b) <= 0; }

/// a and b have no bit in common: one is a multiple of a power of two that the other stays below.
bool known_disjoint(const Int& a, const Int& b) {
  const auto fits_below = [](const Int& low, const Int& high) {
    const std::int64_t divisor = expr::divisor_of(high);
    if (divisor == 0 || !known_natural(low)) return false;
    const std::int64_t power = std::int64_t{1}
                               << std::countr_zero(static_cast<std::uint64_t>(divisor));
    return power > 0 && expr::is_at_least(Int(power) - low, 1);
  };
  return fits_below(a, b) || fits_below(b, a);
}

/// The value under a mask of one run of bits, or of all high bits.
std::optional<Int> without_other_bits(const Int& value, std::int64_t mask) {
  if (mask == -1) return value;
  const auto bits = static_cast<std::uint64_t>(mask);
  if (mask > 0 && mask != Range::kNoHigh) {
    const int below = std::countr_zero(bits);
    const std::uint64_t run = bits >> below;
    const Int unit = std::int64_t{1} << below;
    if (std::has_single_bit(run + 1)) return unit * mod(floor_div(value, unit), run + 1);
  }
  if (mask < 0 && mask != Range::kNoLow && std::has_single_bit(0 - bits)) {
    return value - mod(value, -mask);
  }
  return std::nullopt;
}

/// Both divided by the greatest power of two that divides both as written; nullopt for 1.
struct Scaled {
  Int unit;
  Int a;
  Int b;
};

std::optional<Scaled> without_common_zeros(const Int& a, const Int& b) {
  const auto common =
      static_cast<std::uint64_t>(std::gcd(expr::divisor_of(a), expr::divisor_of(b)));
  if (common == 0 || common % 2 != 0) return std::nullopt;
  const Int unit = std::int64_t{1} << std::countr_zero(common);
  const std::optional<Int> left = expr::exact_quotient(a, unit);
  const std::optional<Int> right = expr::exact_quotient(b, unit);
  if (!left || !right) return std::nullopt;
  return Scaled{unit, *left, *right};
}

std::uint64_t magnitude(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

bool both_constant(const Int& a, const Int& b) { return a.is_constant() && b.is_constant(); }
bool any_undefined(const Int& a, const Int& b) { return !a.is_defined() || !b.is_defined(); }

/// The square root of the leading product, if that is the square of a positive product.
std::optional<Int> leading_root(const Int& square) {
  const Product& leading = Products(square).front();
  const exact::Value coefficient = exact::square_root(leading.coefficient);
  if (!coefficient || *coefficient * *coefficient != leading.coefficient) return std::nullopt;
  Int root = *coefficient;
  for (std::size_t i = 0; i < leading.degree(); i += 2) {
    if (i + 1 == leading.degree() || !same(*leading.atoms[i], *leading.atoms[i + 1])) {
      return std::nullopt;
    }
    root *= make_int(leading.atoms[i]);
  }
  return root;
}

/// The lesser or the greater one.
Int extreme(Operator operation, const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (!in_order(a, b)) return extreme(operation, b, a);
  const bool takes_least = operation == Operator::kMinimum;
  if (known_at_most(a, b)) return takes_least ? a : b;
  if (known_at_most(b, a)) return takes_least ? b : a;
  return make_operation(operation, a, b);
}

/// The variables among the summands of a value that stay below all bits of another one, if the rest
/// of the value has none of theirs: j in 4*t + j beside 4*s, for j in [0, 3]. 0 if there are none,
/// or other low summands: x%4 + 4*(x//4) is better left whole.
Int below_bits_of(const Int& other, const Int& value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const std::int64_t divisor = expr::divisor_of(other);
  if (divisor % 2 != 0 || divisor == 0) return 0;
  const std::int64_t unit = std::min(kMost, divisor & -divisor);
  Int low = 0;
  for (const Product& product : Products(value)) {
    Int summand = product.coefficient;
    for (const AtomPointer& atom : product.atoms) summand *= make_int(atom);
    if (expr::divisor_of(summand) % unit == 0) continue;
    const bool is_variable =
        product.degree() == 1 && product.atoms[0]->operation() == Operator::kVariable;
    if (!is_variable) return 0;
    low += summand;
  }
  const bool is_below = low.is_defined() && known_natural(low) && expr::is_at_least(unit - low, 1);
  return is_below ? low : 0;
}

/// The summands that a constant has no bits of: multiples of a power of two above it. 0 if there
/// are none.
Int above_bits_of(std::int64_t constant, const Int& value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  if (constant < 0 || constant >= kMost) return 0;
  const auto unit =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(constant) + 1));
  Int above = 0;
  for (const Product& product : Products(value)) {
    if (product.degree() == 0) continue;
    Int summand = product.coefficient;
    for (const AtomPointer& atom : product.atoms) summand *= make_int(atom);
    if (expr::divisor_of(summand) % unit == 0) above += summand;
  }
  return above;
}

/// Or, and exclusive or.
Int united(Operator operation, const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (both_constant(a, b)) return *expr::computed(operation, a.value(), b.value());
  if (a == b) return operation == Operator::kOr ? a : Int(0);
  if (!in_order(a, b)) return united(operation, b, a);
  if (known_disjoint(a, b)) return a + b;
  if (a.is_constant()) {
    const Int above = above_bits_of(a.value(), b);
    if (above != Int(0)) return united(operation, a, b - above) + above;
  }
  if (const Int low = below_bits_of(b, a); low != Int(0))
    return united(operation, a - low, b) + low;
  if (const Int low = below_bits_of(a, b); low != Int(0))
    return united(operation, a, b - low) + low;
  if (const std::optional<Scaled> scaled = without_common_zeros(a, b)) {
    return scaled->unit * expr::apply(operation, scaled->a, scaled->b);
  }
  return make_operation(operation, a, b);
}

/// 2^places.
Int power_of_two(const Int& places) {
  constexpr std::int64_t kMaxPlaces = 62;
  if (!places.is_constant()) return make_operation(Operator::kShiftLeft, 1, places);
  if (places.value() < 0 || places.value() > kMaxPlaces) return Int::undefined();
  return std::int64_t{1} << places.value();
}

}  // namespace

Int min(const Int& a, const Int& b) { return extreme(Operator::kMinimum, a, b); }

Int max(const Int& a, const Int& b) { return extreme(Operator::kMaximum, a, b); }

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
  // As unsigned numbers, because the absolute value of the smallest integer does not fit into
  // int64_t.
  if (both_constant(a, b)) return std::gcd(magnitude(a.value()), magnitude(b.value()));
  if (!in_order(a, b)) return gcd(b, a);
  if (known_divides(a, b)) return abs(a);
  if (known_divides(b, a)) return abs(b);
  return make_operation(Operator::kGcd, a, b);
}

Int isqrt(const Int& a) {
  if (!a.is_defined() || known_less(a, 0)) return Int::undefined();
  if (a.is_constant()) return *exact::square_root(a.value());
  const Range range = expr::operation_range(Operator::kSquareRoot, a, 0);
  if (range.low == range.high) return range.low;
  const std::optional<Int> root = leading_root(a);
  // s*s + r is at least s*s and below (s+1)*(s+1).
  const bool is_root = root && root->is_symbolic() && known_natural(*root) &&
                       known_at_most(*root * *root, a) && known_at_most(a, *root * (*root + 2));
  return is_root ? *root : make_operation(Operator::kSquareRoot, a, 0);
}

Int bit_and(const Int& a, const Int& b) {
  if (any_undefined(a, b)) return Int::undefined();
  if (both_constant(a, b)) return a.value() & b.value();
  if (!in_order(a, b)) return bit_and(b, a);
  if (a == b) return a;
  if (a.is_constant()) {
    if (std::optional<Int> masked = without_other_bits(b, a.value())) return *masked;
  }
  if (known_disjoint(a, b)) return 0;
  return make_operation(Operator::kAnd, a, b);
}

Int bit_or(const Int& a, const Int& b) { return united(Operator::kOr, a, b); }

Int bit_xor(const Int& a, const Int& b) { return united(Operator::kXor, a, b); }

Int shift_left(const Int& a, const Int& places) {
  if (any_undefined(a, places) || known_less(places, 0)) return Int::undefined();
  return a == Int(0) ? a : a * power_of_two(places);
}

Int shift_right(const Int& a, const Int& places) {
  if (any_undefined(a, places) || known_less(places, 0)) return Int::undefined();
  if (!places.is_constant()) return floor_div(a, power_of_two(places));
  // A shift by more places leaves only the sign of 64 bits; 2^63 itself does not fit as a divisor.
  const std::int64_t most = std::min<std::int64_t>(places.value(), 63);
  if (a.is_constant()) return a.value() >> most;
  const std::int64_t first = std::min<std::int64_t>(most, 62);
  return floor_div(floor_div(a, power_of_two(first)), power_of_two(most - first));
}

}  // namespace heddle
