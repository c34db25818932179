#include "expr/bounds.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace heddle::expr {
namespace {

/// Wide enough for products of two 64-bit numbers.
__extension__ using Wide = __int128;

constexpr Wide kInfinity = static_cast<Wide>(1) << 100;

/// A range with room for infinities.
struct Interval {
  Wide low = 0;
  Wide high = 0;
};

Wide clamp(Wide value) { return std::clamp(value, -kInfinity, kInfinity); }

/// A bound past 64 bits is as good as none, or as the last one within.
Interval settled(const Interval& interval) {
  constexpr Wide kLeast = static_cast<Wide>(Range::kNoLow) + 1;
  constexpr Wide kMost = static_cast<Wide>(Range::kNoHigh) - 1;
  return {interval.low < kLeast ? -kInfinity : std::min(interval.low, kMost),
          interval.high > kMost ? kInfinity : std::max(interval.high, kLeast)};
}

Interval widen(const Range& range) { return settled({range.low, range.high}); }

Range narrow(const Interval& interval) {
  const Interval within = settled(interval);
  return {within.low == -kInfinity ? Range::kNoLow : static_cast<std::int64_t>(within.low),
          within.high == kInfinity ? Range::kNoHigh : static_cast<std::int64_t>(within.high)};
}

Wide multiply(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  const bool is_infinite = a == kInfinity || a == -kInfinity || b == kInfinity || b == -kInfinity;
  if (is_infinite) return (a > 0) == (b > 0) ? kInfinity : -kInfinity;
  return clamp(a * b);
}

Interval operator*(const Interval& a, const Interval& b) {
  const auto ends = {multiply(a.low, b.low), multiply(a.low, b.high), multiply(a.high, b.low),
                     multiply(a.high, b.high)};
  return settled({std::min(ends), std::max(ends)});
}

Interval operator+(const Interval& a, const Interval& b) {
  return settled({a.low + b.low, a.high + b.high});
}

/// An even power is never negative.
Interval power(const Interval& base, std::size_t exponent) {
  Interval result{1, 1};
  for (std::size_t i = 0; i < exponent; ++i) result = result * base;
  if (exponent % 2 == 0 && base.low < 0 && base.high > 0) result.low = 0;
  return result;
}

Interval interval_of(const Product& product) {
  Interval interval{product.coefficient, product.coefficient};
  for (std::size_t i = 0; i < product.atoms.size();) {
    std::size_t same = i + 1;
    while (same < product.atoms.size() && compare(*product.atoms[i], *product.atoms[same]) == 0) {
      ++same;
    }
    interval = interval * power(widen(product.atoms[i]->range()), same - i);
    i = same;
  }
  return interval;
}

Interval interval(const Int& value) {
  if (!value.is_symbolic()) return {value.value(), value.value()};
  Interval sum;
  for (const Product& product : value.term().products()) sum = sum + interval_of(product);
  return sum;
}

std::int64_t magnitude_gcd(std::int64_t a, std::int64_t b) {
  // The smallest integer has no magnitude; 1 divides everything.
  if (a == Range::kNoLow || b == Range::kNoLow) return 1;
  return std::gcd(a, b);
}

std::int64_t power_of_two_in(std::int64_t divisor) {
  return divisor == 0 ? 0 : std::int64_t{1} << std::countr_zero(static_cast<std::uint64_t>(divisor));
}

Wide floor_divide(Wide a, Wide b) {
  if (a == kInfinity || a == -kInfinity) return a;
  return b == kInfinity ? (a < 0 ? -1 : 0) : a / b - (a % b < 0);
}

/// Euclidean quotients by a positive divisor.
Interval quotients(const Interval& a, const Interval& b) {
  if (b.low < 1) return {-kInfinity, kInfinity};
  const auto ends = {floor_divide(a.low, b.low), floor_divide(a.low, b.high),
                     floor_divide(a.high, b.low), floor_divide(a.high, b.high)};
  return {std::min(ends), std::max(ends)};
}

Interval remainders(const Interval& a, const Interval& b) {
  const Wide most = std::max(b.high, multiply(-1, b.low)) - 1;
  return settled({0, a.low < 0 ? most : std::min(a.high, most)});
}

/// The least 2^n - 1 that is not below the value.
Wide all_ones(Wide value) {
  if (value >= Range::kNoHigh) return kInfinity;
  return static_cast<Wide>(std::bit_ceil(static_cast<std::uint64_t>(value) + 1)) - 1;
}

Interval of_operation(Operator operation, const Interval& a, const Interval& b) {
  const bool natural = a.low >= 0 && b.low >= 0;
  switch (operation) {
    case Operator::kQuotient:
      return quotients(a, b);
    case Operator::kRemainder:
      return remainders(a, b);
    case Operator::kMinimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Operator::kMaximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Operator::kGcd: {
      const bool positive = a.low > 0 || b.low > 0 || a.high < 0 || b.high < 0;
      const auto limit = [](const Interval& x) {
        return x.low > 0 ? x.high : x.high < 0 ? multiply(-1, x.low) : kInfinity;
      };
      return {positive ? 1 : 0, std::min(limit(a), limit(b))};
    }
    case Operator::kAnd:
      if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
      if (a.low >= 0) return {0, a.high};
      if (b.low >= 0) return {0, b.high};
      return {-kInfinity, kInfinity};
    case Operator::kOr:
      if (!natural) return {-kInfinity, kInfinity};
      return {std::max(a.low, b.low), all_ones(std::max(a.high, b.high))};
    case Operator::kXor:
      if (!natural) return {-kInfinity, kInfinity};
      return {0, all_ones(std::max(a.high, b.high))};
    case Operator::kPowerOfTwo:
      return {a.low <= 0 ? 1 : a.low > 62 ? kInfinity : static_cast<Wide>(1) << a.low,
              a.high > 62 ? kInfinity : static_cast<Wide>(1) << std::max<Wide>(a.high, 0)};
    case Operator::kVariable:
      break;
  }
  return {-kInfinity, kInfinity};
}

/// The atoms that stand in products of a value, each once.
std::vector<AtomPointer> factors_of(const Int& value) {
  std::vector<AtomPointer> atoms;
  for (const Product& product : value.term().products()) {
    for (const AtomPointer& atom : product.atoms) {
      const bool is_new = std::ranges::none_of(
          atoms, [&](const AtomPointer& other) { return compare(*atom, *other) == 0; });
      if (is_new) atoms.push_back(atom);
    }
  }
  return atoms;
}

/// No atom stands in two products or twice in one: intervals lose nothing.
bool is_separated(const Int& value) {
  std::vector<const Atom*> seen;
  for (const Product& product : value.term().products()) {
    for (const AtomPointer& atom : product.atoms) {
      const bool repeats = std::ranges::any_of(
          seen, [&](const Atom* other) { return compare(*atom, *other) == 0; });
      if (repeats) return false;
      seen.push_back(atom.get());
    }
  }
  return true;
}

enum class Sign : std::uint8_t { kNegative, kMixed, kPositive };

/// The sign of the coefficients with which an atom occurs.
Sign sign_of_occurrences(const Int& value, const Atom& atom) {
  bool positive = false;
  bool negative = false;
  for (const Product& product : value.term().products()) {
    const bool occurs = std::ranges::any_of(
        product.atoms, [&](const AtomPointer& other) { return compare(*other, atom) == 0; });
    if (occurs) (product.coefficient > 0 ? positive : negative) = true;
  }
  if (positive && negative) return Sign::kMixed;
  return positive ? Sign::kPositive : Sign::kNegative;
}

/// A lower bound of a polynomial in new atoms that are at least 0 and at most `widths`.
Wide bound_of_moved(const Int& moved, const std::vector<AtomPointer>& atoms,
                    const std::vector<Wide>& widths) {
  if (!moved.is_defined()) return -kInfinity;
  Wide sum = 0;
  for (const Product& product : polynomial(moved)) {
    if (product.degree() == 0) sum = clamp(sum + product.coefficient);
    if (product.degree() == 0 || product.coefficient > 0) continue;
    Wide most = -static_cast<Wide>(product.coefficient);
    for (const AtomPointer& factor : product.atoms) {
      const auto at = std::ranges::find_if(
          atoms, [&](const AtomPointer& atom) { return compare(*atom, *factor) == 0; });
      most = multiply(most, at == atoms.end() ? kInfinity
                                              : widths[static_cast<std::size_t>(at - atoms.begin())]);
    }
    sum = most == kInfinity ? -kInfinity : clamp(sum - most);
  }
  return sum;
}

/// Replaces each atom by its least value plus a new atom (or, with `from_above`, where it only
/// lessens the sum, by its greatest value minus a new one): the old atom then stands for the new.
Wide bound_by_moving(const Int& value, bool from_above) {
  constexpr std::size_t kMaxMovedDegree = 6;
  const std::vector<AtomPointer> atoms = factors_of(value);
  for (const Product& product : value.term().products()) {
    if (product.degree() > kMaxMovedDegree) return -kInfinity;
  }
  if (atoms.size() > 16) return -kInfinity;
  Int moved = value;
  std::vector<Wide> widths;
  for (const AtomPointer& atom : atoms) {
    const Range& range = atom->range();
    const Int self = make_int(atom);
    const Interval wide = widen(range);
    widths.push_back(wide.high == kInfinity || wide.low == -kInfinity ? kInfinity
                                                                      : wide.high - wide.low);
    const bool high_end = range.high != Range::kNoHigh &&
                          (range.low == Range::kNoLow ||
                           (from_above && sign_of_occurrences(value, *atom) != Sign::kPositive));
    if (high_end) {
      moved = replace_factor(moved, *atom, Int(range.high) - self);
    } else if (range.low != Range::kNoLow) {
      if (range.low != 0) moved = replace_factor(moved, *atom, Int(range.low) + self);
    } else {
      return -kInfinity;
    }
    if (!moved.is_defined()) return -kInfinity;
  }
  return bound_of_moved(moved, atoms, widths);
}

/// One search for a lower bound of at least `goal`; it stops as soon as one is found.
class BoundSearch {
 public:
  explicit BoundSearch(Wide goal) : goal_(goal) {}

  Wide run(const Int& value) { return run(value, 0); }

 private:
  Wide run(const Int& value, int depth) {
    if (!value.is_defined() || ++steps_ > kMaxSteps) return -kInfinity;
    Wide best = interval(value).low;
    if (!value.is_symbolic() || best >= goal_) return best;
    if (!is_separated(value)) {
      for (const bool from_above : {false, true}) {
        best = std::max(best, bound_by_moving(value, from_above));
        if (best >= goal_) return best;
      }
    }
    if (depth == kMaxRewrites) return best;
    for (const AtomPointer& atom : factors_of(value)) {
      best = std::max(best, by_rewriting(value, *atom, depth));
      if (best >= goal_) return best;
    }
    return best;
  }

  Wide by_rewriting(const Int& value, const Atom& atom, int depth) {
    switch (atom.operation()) {
      case Operator::kVariable:
        return by_assumed_bounds(value, atom, depth);
      case Operator::kQuotient:
        return by_remainder(value, atom, depth);
      case Operator::kRemainder: {
        // x%d = x - d*(x//d)
        const Int quotient = make_operation(Operator::kQuotient, atom.left(), atom.right());
        return run(replace_factor(value, atom, atom.left() - atom.right() * quotient), depth + 1);
      }
      case Operator::kMinimum:
      case Operator::kMaximum: {
        const Wide left = run(replace_factor(value, atom, atom.left()), depth + 1);
        // Less of a minimum, or more of a maximum: either branch is a bound.
        const Sign sign = sign_of_occurrences(value, atom);
        const bool either = is_linear(value, atom) &&
                            sign == (atom.operation() == Operator::kMinimum ? Sign::kNegative
                                                                            : Sign::kPositive);
        if (either ? left >= goal_ : left < goal_) return left;
        const Wide right = run(replace_factor(value, atom, atom.right()), depth + 1);
        return either ? std::max(left, right) : std::min(left, right);
      }
      default:
        return -kInfinity;
    }
  }

  /// d*(x//d) = x - x%d, for d of one product and wherever all of d stands beside the quotient.
  Wide by_remainder(const Int& value, const Atom& atom, int depth) {
    const Int remainder = make_operation(Operator::kRemainder, atom.left(), atom.right());
    Int rewritten = 0;
    bool changed = false;
    for (const Product& product : value.term().products()) {
      const Int whole = make_int(Polynomial{product});
      const Int quotient = make_operation(Operator::kQuotient, atom.left(), atom.right());
      const std::optional<Int> factor = exact_quotient(whole, atom.right() * quotient);
      changed = changed || factor.has_value();
      rewritten += factor ? *factor * (atom.left() - remainder) : whole;
    }
    return changed ? run(rewritten, depth + 1) : -kInfinity;
  }

  /// A variable that is at least B may be replaced by B where that lessens the value.
  Wide by_assumed_bounds(const Int& value, const Atom& atom, int depth) {
    const Variable& variable = atom.variable();
    if (!is_linear(value, atom) || (variable.at_least.empty() && variable.at_most.empty())) {
      return -kInfinity;
    }
    // value = slope * quotient + rest, and divisor * factors * quotient = variable - residue.
    const Int rest = replace_factor(value, atom, 0);
    const Int slope = replace_factor(value - rest, atom, 1);
    Int unit = variable.divisor;
    for (const AtomPointer& factor : variable.factors) unit *= make_int(factor);
    const std::optional<Int> per_variable = exact_quotient(slope, unit);
    if (!per_variable) return -kInfinity;
    const bool rises = interval(*per_variable).low >= 0;
    const bool falls = interval(*per_variable).high <= 0;
    if (!rises && !falls) return -kInfinity;
    Wide best = -kInfinity;
    for (const Int& bound : rises ? variable.at_least : variable.at_most) {
      best = std::max(best, run(rest + *per_variable * (bound - variable.residue), depth + 1));
      if (best >= goal_) break;
    }
    return best;
  }

  static bool is_linear(const Int& value, const Atom& atom) {
    return std::ranges::all_of(value.term().products(), [&](const Product& product) {
      return std::ranges::count_if(product.atoms, [&](const AtomPointer& other) {
               return compare(*other, atom) == 0;
             }) <= 1;
    });
  }

  static constexpr int kMaxRewrites = 3;
  static constexpr int kMaxSteps = 64;

  Wide goal_;
  int steps_ = 0;
};

}  // namespace

Range quotient_range(const Variable& variable) {
  Interval whole = widen(variable.range);
  // divisor * factors * quotient lies in here.
  const Wide divisor = variable.divisor;
  const auto ceil_divide = [](Wide a, Wide b) {
    return a == kInfinity || a == -kInfinity ? a : -floor_divide(-a, b);
  };
  const auto shifted = [&](Wide end) {
    return end == kInfinity || end == -kInfinity ? end : end - variable.residue;
  };
  Interval quotient{ceil_divide(shifted(whole.low), divisor),
                    floor_divide(shifted(whole.high), divisor)};
  for (const AtomPointer& factor : variable.factors) {
    const Interval by = widen(factor->range());
    if (by.low < 1) return {};
    // A positive number divided by something positive stays positive.
    quotient.low = quotient.low >= 1   ? 1
                   : quotient.low == 0 ? 0
                                       : quotient.low;
    if (quotient.high >= 0) {
      quotient.high = quotient.high == kInfinity ? kInfinity : floor_divide(quotient.high, by.low);
    } else {
      quotient.high = -1;
    }
  }
  return narrow(quotient);
}

Range operation_range(Operator operation, const Int& left, const Int& right) {
  return narrow(of_operation(operation, interval(left), interval(right)));
}

std::int64_t operation_divisor(Operator operation, const Int& left, const Int& right) {
  const std::int64_t a = divisor_of(left);
  const std::int64_t b = divisor_of(right);
  switch (operation) {
    case Operator::kRemainder:
    case Operator::kMinimum:
    case Operator::kMaximum:
    case Operator::kGcd:
      return magnitude_gcd(a, b);
    case Operator::kAnd:
      return std::max(power_of_two_in(a), power_of_two_in(b));
    case Operator::kOr:
    case Operator::kXor:
      return magnitude_gcd(power_of_two_in(a), power_of_two_in(b));
    default:
      return 1;
  }
}

std::int64_t divisor_of(const Int& value) {
  if (!value.is_symbolic()) {
    return value.value() == Range::kNoLow ? 1 : std::abs(value.value());
  }
  std::int64_t divisor = 0;
  for (const Product& product : value.term().products()) {
    std::int64_t of_product = product.coefficient == Range::kNoLow ? 1 : product.coefficient;
    for (const AtomPointer& atom : product.atoms) {
      of_product = exact::multiply(of_product, atom->divisor()).value_or(of_product);
    }
    divisor = magnitude_gcd(divisor, of_product);
  }
  return divisor;
}

Range interval_of(const Int& value) { return narrow(interval(value)); }

bool is_at_least(const Int& value, std::int64_t bound) {
  if (!value.is_defined()) return false;
  return BoundSearch(bound).run(value) >= bound;
}

std::int64_t lower_bound(const Int& value) {
  return narrow({BoundSearch(kInfinity).run(value), 0}).low;
}

}  // namespace heddle::expr
