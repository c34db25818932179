#pragma once

// The facts that are certain about symbolic integers: their range, their divisors, and whether a
// condition holds for all values, for none, or cannot be decided.
//
//   const Int m = Int::variable("M", 1, 4096);
//   range(8 * m + 1)                                  // [9, 32769]
//   prove({m, Predicate::kAtMost, 5000})               // yes
//   prove({m, Predicate::kLess, 10})                   // no: M=10
//   prove({Int(8), Predicate::kDivides, 4 * m})        // no: M=1
//
// Yes is by interval, divisor and normal-form reasoning, and always right. No comes with values of
// the variables that break the condition and satisfy all assumptions about them. If neither can be
// shown, the verdict is unknown. Stronger provers (expr/solver.h) answer the same question.

#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/expr/variables.h"

#pragma GCC visibility push(default)
namespace heddle {

/// Yes: holds for all values of the variables; no: fails for some (the witness names them); or
/// unknown.
[[nodiscard]] Verdict prove(const Condition& condition);

/// An assumption that makes the condition hold, in the notation of `--assume`: `M%8==0`, `M<=64`;
/// empty if no simple assumption about the variables would do.
[[nodiscard]] std::string assumption_for(const Condition& condition);

/// `needs 8 | M; try --assume 'M%8==0'`.
[[nodiscard]] std::string needs(const Condition& condition);

/// The witness at these sizes: `coordinate 1 = (1,0) where M=2, N=3`.
[[nodiscard]] Witness where(Witness witness, const Bindings& values);

/// The two sides of a condition that fails at these values.
[[nodiscard]] Witness failure_at(const Condition& at, const Bindings& values);

/// Up to `limit` sets of admissible values for the variables of some terms: small numbers and ends
/// of ranges, where conditions break first.
[[nodiscard]] std::vector<Bindings> samples(std::span<const Int> values, std::size_t limit);

/// The term with the named variables replaced. Refuses `instantiate.inadmissible` for a value that
/// the assumptions about its variable exclude, `overflow`.
[[nodiscard]] Result<Int> instantiate(const Int& value, const Bindings& bindings);
/// Replaces the variables on both sides of a condition.
[[nodiscard]] Result<Condition> instantiate(const Condition& condition, const Bindings& bindings);

}  // namespace heddle
#pragma GCC visibility pop
