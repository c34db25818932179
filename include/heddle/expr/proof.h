#pragma once

// What is certain about symbolic integers: their range, their divisors, and whether a condition
// holds for all values, for none, or cannot be told.
//
//   const Int m = Int::variable("M", 1, 4096);
//   range(8 * m + 1)                                  // [9, 32769]
//   prove({m, Predicate::kAtMost, 5000})               // yes
//   prove({m, Predicate::kLess, 10})                   // no: M=10
//   prove({Int(8), Predicate::kDivides, 4 * m})        // no: M=1
//
// Yes is by interval, divisor and normal-form reasoning, and always right. No comes with values of
// the variables that break the condition and agree with all that is assumed of these. Whatever
// neither shows is unknown. This is the door for stronger provers: they answer the same question.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle {

/// The integers from `low` to `high`; the ends of the 64-bit numbers stand for no bound.
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
/// Those of all of them.
[[nodiscard]] std::set<std::string> variables(std::span<const Int> values);

/// Holds for all values of the variables, fails for some (the witness names them), or unknown.
[[nodiscard]] Verdict prove(const Condition& condition);

/// The condition certainly holds, for all values.
[[nodiscard]] bool known(const Condition& condition);
/// The condition certainly fails, for all values.
[[nodiscard]] bool known_false(const Condition& condition);

/// What to assume so that the condition holds, in the notation of `--assume`: `M%8==0`, `M<=64`,
/// and empty where no simple assumption about the variables would do.
[[nodiscard]] std::string assumption_for(const Condition& condition);

/// `needs 8 | M; try --assume 'M%8==0'`.
[[nodiscard]] std::string needs(const Condition& condition);

/// Values for variables, by name.
using Bindings = std::map<std::string, Int, std::less<>>;

/// `M=2, N=3`.
[[nodiscard]] std::string bindings_text(const Bindings& values);
/// The witness as it is for these sizes: `coordinate 1 = (1,0) where M=2, N=3`.
[[nodiscard]] Witness where(Witness witness, const Bindings& values);

/// Up to `limit` sets of values for the variables in some terms that the assumptions admit: small
/// numbers and ends of ranges, where conditions break first.
[[nodiscard]] std::vector<Bindings> samples(std::span<const Int> values, std::size_t limit);

/// The term with the named variables replaced. Refuses `instantiate.inadmissible` for a value
/// outside what is assumed of its variable, `overflow`.
[[nodiscard]] Result<Int> instantiate(const Int& value, const Bindings& bindings);
/// Both sides of a condition.
[[nodiscard]] Result<Condition> instantiate(const Condition& condition, const Bindings& bindings);

}  // namespace heddle
#pragma GCC visibility pop
