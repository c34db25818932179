#pragma once

// The variables of a value, the known range and divisors, and values for variables.
//
//   const Int m = Int::variable("M", 1, 4096);
//   range(8 * m + 1)                                  // [9, 32769]
//   known_divisor(8 * m + 4)                          // 4
//   variables(8 * m + 1)                              // M

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle {

/// The integers from `low` to `high`; the least and greatest 64-bit numbers mean that there is no
/// bound.
struct Range {
  static constexpr std::int64_t kNoLow = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kNoHigh = std::numeric_limits<std::int64_t>::max();

  std::int64_t low = kNoLow;
  std::int64_t high = kNoHigh;

  [[nodiscard]] bool is_bounded() const { return low != kNoLow && high != kNoHigh; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// The least range that holds both.
[[nodiscard]] inline Range joined(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// A range that holds every value: the least one where each variable occurs once and no two atoms
/// depend on each other.
[[nodiscard]] Range range(const Int& value);

/// The greatest constant that is known to divide every value; 0 for 0.
[[nodiscard]] std::int64_t known_divisor(const Int& value);

/// The names of the variables that occur, in order, each once.
[[nodiscard]] std::vector<std::string> variables(const Int& value);
/// The names of the variables of all the values.
[[nodiscard]] std::set<std::string> variables(std::span<const Int> values);

/// Values for variables, by name.
using Bindings = std::map<std::string, Int, std::less<>>;

/// `M=2, N=3`.
[[nodiscard]] std::string bindings_text(const Bindings& values);

}  // namespace heddle
#pragma GCC visibility pop
