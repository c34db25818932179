#pragma once

// Interval arithmetic with room for infinities.
//
//   M in [1, inf)     8*M + 1 in [9, inf)      x//8 for x in [0, 63] in [0, 7]

#include "expr/term/term.h"

namespace heddle::expr {

/// Wide enough for products of two 64-bit numbers.
__extension__ using Wide = __int128;

inline constexpr Wide kInfinity = static_cast<Wide>(1) << 100;

/// A range with room for infinities.
struct WideRange {
  Wide low = 0;
  Wide high = 0;
};

/// The nearest number from minus infinity to infinity.
[[nodiscard]] Wide clamp(Wide value);
/// Their product; infinity is treated as any other number, and 0 times it is 0.
[[nodiscard]] Wide multiply(Wide a, Wide b);
/// Rounded down, for positive b.
[[nodiscard]] Wide floor_divide(Wide a, Wide b);

[[nodiscard]] WideRange widen(const Range& range);
/// The interval in 64 bits: a bound past these becomes infinite, or the last number within.
[[nodiscard]] Range narrow(const WideRange& interval);

/// The interval of a sum, from the ranges of its atoms.
[[nodiscard]] WideRange interval(const Int& value);
/// The interval of an operation on operands in these intervals.
[[nodiscard]] WideRange of_operation(Operator operation, const WideRange& a, const WideRange& b);

}  // namespace heddle::expr
