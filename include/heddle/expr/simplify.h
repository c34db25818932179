#pragma once

// Finds cheap expressions for the integers of one kernel.
//
//   const Int i0 = Int::variable("i0", 0, 5), i1 = Int::variable("i1", 0, 5);
//   const Int index = 3*i0 + 9*floor_div(i0, 3) + i1 + 6*floor_div(i1, 3);
//   const Simplified found = *simplify(std::vector{index}, {}, {.target = Target::operations()});
//   to_string(found.kernel.results[0])        // 6*(i0+i1//3)+i1-3*(i0%3), or another of 7
//   found.count.operations                    // 7
//
// The integers come in normal form, which holds what ranges and divisors prove (int.h). The
// question here is only how to compute them, all of them together:
//
// - Each sum is written over its atoms. A quotient and a remainder of the same two numbers can each
//   be written by the other (x%d = x - d*(x//d)), nested quotients one through the other, by powers
//   of two as shifts and masks. These choices are tried one atom after the other.
// - Then factors and common parts are taken out of all sums at once, the one that saves most
//   first: K*BM*p + K*r becomes K*(BM*p + r), and BM*p + r is computed once though two sums have
//   it.
//
// If all variables are bounded, no form is taken that passes through numbers past 64 bits, unless
// the plain normal form passes through these very numbers.
//
// The target says what an operation costs. The result is the same on every run. The work is
// bounded: when the budget is spent, the best form found so far is returned, at worst the plain
// normal form.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/condition.h"

#pragma GCC visibility push(default)
namespace heddle {

/// What operations cost on a machine, relative to an addition.
struct Target {
  std::string name;
  std::int64_t add = 1;  // also a subtraction, a negation
  std::int64_t multiply = 1;
  /// Quotients and remainders by a divisor that is not a constant.
  std::int64_t divide = 1;
  std::int64_t divide_by_constant = 1;
  /// Shifts, and, or, xor.
  std::int64_t bits = 1;
  std::int64_t compare = 1;
  std::int64_t min_max = 1;
  std::int64_t select = 1;
  std::int64_t other = 1;
  /// Multiplications and divisions by powers of two become shifts and masks.
  bool has_bits = true;

  /// Every operation costs the same, and arithmetic gets no shifts or masks: the usual count in
  /// comparisons.
  [[nodiscard]] static Target operations();
  /// A GPU: a division by a variable takes dozens of instructions, by a constant a few.
  [[nodiscard]] static Target gpu();
  /// A CPU with a divider.
  [[nodiscard]] static Target cpu();
  /// The target with this name; nullopt if there is none.
  [[nodiscard]] static std::optional<Target> named(std::string_view name);
};

/// One step of a simplification, for an explanation.
struct SimplificationStep {
  /// The law: `x%d = x - d*(x//d)`.
  std::string rule;
  std::string before;
  std::string after;
  /// Why it holds here: `range: 0 <= j < 8`, `divisibility: 8 | M`, `form` for an identity.
  std::string proof;
};

struct SimplifyOptions {
  Target target = Target::gpu();
  /// Names of definitions are this and a number; names that variables have are skipped.
  std::string prefix = "t";
  /// Whether steps are recorded.
  bool explain = false;
  /// Work to spend, in steps of some tens of nanoseconds; 0 still gives a result.
  std::int64_t budget = 50'000;
};

struct Simplified {
  Kernel kernel;
  OperationCount count;
  /// The cost on the target.
  std::int64_t cost = 0;
  /// The steps taken, in order; only if `explain` was set.
  std::vector<SimplificationStep> steps;
};

/// Simplifies the values and guards of one kernel together. Refuses `overflow` for an undefined
/// value.
[[nodiscard]] Result<Simplified> simplify(std::span<const Int> values,
                                          std::span<const Condition> guards = {},
                                          const SimplifyOptions& options = {});

/// The cost of a kernel on a target.
[[nodiscard]] std::int64_t cost(const Kernel& kernel, const Target& target);

/// The value after the facts about its variables are put in, and each rule that simplifies it then:
/// `value` is written over variables of which nothing need be known, `variables` gives the facts.
/// Refuses what instantiate() refuses.
struct ExplainedValue {
  Int value;
  std::vector<SimplificationStep> steps;
};
[[nodiscard]] Result<ExplainedValue> explain(const Int& value, const Bindings& variables);

}  // namespace heddle
#pragma GCC visibility pop
