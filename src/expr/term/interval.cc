#include "expr/term/interval.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "expr/term/bounds.h"

namespace heddle::expr {
namespace {

/// A bound past 64 bits becomes infinite, or the last number within.
WideRange settled(const WideRange& interval) {
  constexpr Wide kLeast = static_cast<Wide>(Range::kNoLow) + 1;
  constexpr Wide kMost = static_cast<Wide>(Range::kNoHigh) - 1;
  return {interval.low < kLeast ? -kInfinity : std::min(interval.low, kMost),
          interval.high > kMost ? kInfinity : std::max(interval.high, kLeast)};
}

/// Products of such numbers fit.
bool is_narrow(Wide value) { return value >= Range::kNoLow && value <= Range::kNoHigh; }

Wide magnitude(Wide value) { return value < 0 ? -value : value; }

WideRange operator*(const WideRange& a, const WideRange& b) {
  const auto ends = {multiply(a.low, b.low), multiply(a.low, b.high), multiply(a.high, b.low),
                     multiply(a.high, b.high)};
  return settled({std::min(ends), std::max(ends)});
}

WideRange operator+(const WideRange& a, const WideRange& b) {
  return settled({a.low + b.low, a.high + b.high});
}

/// An even power is never negative.
WideRange power(const WideRange& base, std::size_t exponent) {
  WideRange result{1, 1};
  for (std::size_t i = 0; i < exponent; ++i) result = result * base;
  if (exponent % 2 == 0 && base.low < 0 && base.high > 0) result.low = 0;
  return result;
}

WideRange scaled(const WideRange& a, std::int64_t by) {
  const Wide first = multiply(a.low, by);
  const Wide second = multiply(a.high, by);
  return settled(by >= 0 ? WideRange{first, second} : WideRange{second, first});
}

WideRange product_interval(const Product& product) {
  if (product.degree() == 1) {
    return scaled(widen(product.atoms.front()->range()), product.coefficient);
  }
  WideRange interval{product.coefficient, product.coefficient};
  for (std::size_t i = 0; i < product.atoms.size();) {
    std::size_t end = i + 1;
    while (end < product.atoms.size() && same(*product.atoms[i], *product.atoms[end])) ++end;
    interval = interval * power(widen(product.atoms[i]->range()), end - i);
    i = end;
  }
  return interval;
}

/// Euclidean quotients by a positive divisor.
WideRange quotients(const WideRange& a, const WideRange& b) {
  // The range of a divisor that has no value may have its ends swapped.
  if (b.low < 1 || b.high < b.low) return {-kInfinity, kInfinity};
  const auto ends = {floor_divide(a.low, b.low), floor_divide(a.low, b.high),
                     floor_divide(a.high, b.low), floor_divide(a.high, b.high)};
  return {std::min(ends), std::max(ends)};
}

WideRange remainders(const WideRange& a, const WideRange& b) {
  const Wide most = std::max(b.high, multiply(-1, b.low)) - 1;
  return settled({0, a.low < 0 ? most : std::min(a.high, most)});
}

/// The least 2^n - 1 that is at least the value.
Wide all_ones(Wide value) {
  if (value >= Range::kNoHigh) return kInfinity;
  return static_cast<Wide>(std::bit_ceil(static_cast<std::uint64_t>(value) + 1)) - 1;
}

/// The interval of a bit operation in two's complement: bits above those of both operands copy
/// their signs, and so do those of the result.
WideRange of_signed_bits(const WideRange& a, const WideRange& b) {
  const Wide ones = all_ones(std::max(std::max(a.high, b.high), -std::min(a.low, b.low) - 1));
  return {ones == kInfinity ? -kInfinity : -ones - 1, ones};
}

/// The square root of a number that is not negative.
Wide root(Wide square) {
  return *exact::square_root(static_cast<std::int64_t>(std::min<Wide>(square, Range::kNoHigh)));
}

Wide power_of_two(Wide places) {
  return places > 62 ? kInfinity : static_cast<Wide>(1) << std::max<Wide>(places, 0);
}

std::int64_t power_of_two_in(std::int64_t divisor) {
  return divisor == 0 ? 0
                      : std::int64_t{1} << std::countr_zero(static_cast<std::uint64_t>(divisor));
}

/// Whether it holds only variables and operations on them: proofs about such terms build no deep
/// ones.
bool is_shallow(const Int& value) { return !value.is_symbolic() || value.term().depth() <= 2; }

}  // namespace

Wide clamp(Wide value) { return std::clamp(value, -kInfinity, kInfinity); }

WideRange widen(const Range& range) { return settled({range.low, range.high}); }

Range narrow(const WideRange& interval) {
  const WideRange within = settled(interval);
  return {within.low == -kInfinity ? Range::kNoLow : static_cast<std::int64_t>(within.low),
          within.high == kInfinity ? Range::kNoHigh : static_cast<std::int64_t>(within.high)};
}

Wide multiply(Wide a, Wide b) {
  if (a == 0 || b == 0) return 0;
  const bool is_past = !is_narrow(a) || !is_narrow(b);
  if (is_past && magnitude(a) > kInfinity / magnitude(b)) {
    return (a > 0) == (b > 0) ? kInfinity : -kInfinity;
  }
  return clamp(a * b);
}

Wide floor_divide(Wide a, Wide b) {
  if (a == kInfinity || a == -kInfinity) return a;
  return b == kInfinity ? (a < 0 ? -1 : 0) : a / b - (a % b < 0);
}

WideRange interval(const Int& value) {
  if (!value.is_symbolic()) return {value.value(), value.value()};
  WideRange sum;
  for (const Product& product : value.term().products()) sum = sum + product_interval(product);
  return sum;
}

WideRange of_operation(Operator operation, const WideRange& a, const WideRange& b) {
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
      const auto limit = [](const WideRange& x) {
        return x.low > 0 ? x.high : x.high < 0 ? multiply(-1, x.low) : kInfinity;
      };
      return {positive ? 1 : 0, std::min(limit(a), limit(b))};
    }
    case Operator::kAnd:
      if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
      if (a.low >= 0) return {0, a.high};
      if (b.low >= 0) return {0, b.high};
      return of_signed_bits(a, b);
    case Operator::kOr:
      if (!natural) return of_signed_bits(a, b);
      return {std::max(a.low, b.low), all_ones(std::max(a.high, b.high))};
    case Operator::kXor:
      if (!natural) return of_signed_bits(a, b);
      return {0, all_ones(std::max(a.high, b.high))};
    case Operator::kSelect:
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    case Operator::kSquareRoot:
      return {root(std::max<Wide>(a.low, 0)), root(std::max<Wide>(a.high, 0))};
    case Operator::kShiftLeft:  // of 1
      return {power_of_two(b.low), power_of_two(b.high)};
    default:
      return {-kInfinity, kInfinity};
  }
}

Range quotient_range(const Variable& variable) {
  WideRange whole = widen(variable.range);
  // The range of divisor * factors * quotient.
  const Wide divisor = variable.divisor;
  const auto ceil_divide = [](Wide a, Wide b) { return -floor_divide(-a, b); };
  const auto shifted = [&](Wide end) {
    return end == kInfinity || end == -kInfinity ? end : end - variable.residue;
  };
  WideRange quotient{ceil_divide(shifted(whole.low), divisor),
                     floor_divide(shifted(whole.high), divisor)};
  for (const AtomPointer& factor : variable.factors) {
    const WideRange by = widen(factor->range());
    if (by.low < 1) return {};
    // A positive number divided by a positive one stays positive.
    quotient.low = ceil_divide(quotient.low, quotient.low > 0 ? by.high : by.low);
    quotient.high = floor_divide(quotient.high, quotient.high >= 0 ? by.low : by.high);
  }
  return narrow(quotient);
}

std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  if (a == Range::kNoLow || b == Range::kNoLow) return 1;
  return std::gcd(a, b);
}

Range operation_range(Operator operation, const Int& left, const Int& right) {
  Range range = narrow(of_operation(operation, interval(left), interval(right)));
  // A number that is at least the divisor has a quotient of at least 1, which intervals alone do
  // not show.
  const bool may_rise =
      operation == Operator::kQuotient && range.low == 0 && is_shallow(left) && is_shallow(right);
  if (may_rise && interval(right).low > 0 && is_never_above(right, left, 0)) range.low = 1;
  return range;
}

std::int64_t operation_divisor(Operator operation, const Int& left, const Int& right) {
  const std::int64_t a = divisor_of(left);
  const std::int64_t b = divisor_of(right);
  switch (operation) {
    case Operator::kRemainder:
    case Operator::kMinimum:
    case Operator::kMaximum:
    case Operator::kGcd:
    case Operator::kSelect:
      return common_divisor(a, b);
    case Operator::kAnd:
      return std::max(power_of_two_in(a), power_of_two_in(b));
    case Operator::kOr:
    case Operator::kXor:
      return common_divisor(power_of_two_in(a), power_of_two_in(b));
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
    divisor = common_divisor(divisor, of_product);
  }
  return divisor;
}

Range interval_of(const Int& value) { return narrow(interval(value)); }

}  // namespace heddle::expr
