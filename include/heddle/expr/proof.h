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

/// Holds for all values of the variables, fails for some (the witness names them), or unknown.
[[nodiscard]] Verdict prove(const Condition& condition);

/// What to assume so that the condition holds, in the notation of `--assume`: `M%8==0`, `M<=64`,
/// and empty where no simple assumption about the variables would do.
[[nodiscard]] std::string assumption_for(const Condition& condition);

/// `needs 8 | M; try --assume 'M%8==0'`.
[[nodiscard]] std::string needs(const Condition& condition);

/// The witness as it is for these sizes: `coordinate 1 = (1,0) where M=2, N=3`.
[[nodiscard]] Witness where(Witness witness, const Bindings& values);

/// The two sides of a condition that fails at these values.
[[nodiscard]] Witness failure_at(const Condition& at, const Bindings& values);

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
