#pragma once

// A second opinion on symbolic integers: Z3 proves what ranges and divisors (expr/proof.h) leave
// open, and finds values that break a false condition.
//
//   const Solver solver;
//   const Int n = Int::variable("n", 1, 100), i = Int::variable("i", 0, 99);
//   solver.prove({floor_div(i * n, n + 1), Predicate::kAtMost, i})      // yes  (Z3 4.8.12)
//   solver.prove({i * i, Predicate::kLess, 90 * n})                     // no: i=10, n=1
//   solver.prove({mod(i, n), Predicate::kLess, i}, given)               // where `given` holds
//
// Int's division is Euclidean, and so is that of SMT-LIB: a quotient is encoded by its definition,
// a = q*b + r with 0 <= r < |b|. Bit operations are encoded bit by bit if ranges bound their
// operands, and otherwise as uninterpreted functions; a witness is reported only after plain
// arithmetic confirms it. So yes and no are always right, and everything else is unknown, with the
// reason.
//
// Heddle may be built without Z3 (HEDDLE_Z3 in CMake): then every verdict is unknown and says so. A
// Solver owns its context; several threads may share one, which answers their questions one by one.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "heddle/core/verdict.h"
#include "heddle/expr/code_expression.h"
#include "heddle/expr/int.h"
#include "heddle/expr/proof.h"

#pragma GCC visibility push(default)
namespace heddle {

struct SolverOptions {
  /// Each of Z3's two searches for an answer ends after this many of its units (`rlimit`), at least
  /// 1. The number is the same on every machine.
  std::uint32_t steps = 250'000;
  /// Gives up when a stop is requested.
  std::stop_token stop = {};
  /// The end of the time for all questions together, if there is one; what is given up at it
  /// depends on the machine.
  std::optional<std::chrono::steady_clock::time_point> end = {};
  /// How many verdicts are remembered.
  std::size_t remembered = 4096;
};

class Solver {
 public:
  explicit Solver(SolverOptions options = {});
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  /// Heddle was built with Z3.
  [[nodiscard]] static bool is_available();
  /// `Z3 4.8.12`, or `no solver`.
  [[nodiscard]] static std::string name();

  /// Yes: holds for all values of the variables that agree with the assumptions about them and with
  /// the given conditions, wherever all sides are defined. No: fails for some (the witness names
  /// them). Unknown: out of steps, beyond Z3, or built without it.
  [[nodiscard]] Verdict prove(const Condition& condition,
                              std::span<const Condition> given = {}) const;

  /// Whether the kernel computes these values as its results, and as its guards whether these
  /// conditions hold, in order, wherever the values are defined and the given conditions hold. A
  /// variable of the kernel is the one of that name in the values. Each result has its own steps.
  [[nodiscard]] Verdict prove_computes(const Kernel& kernel, std::span<const Int> values,
                                       std::span<const Condition> guards = {},
                                       std::span<const Condition> given = {}) const;

 private:
  class Context;
  std::unique_ptr<Context> context_;
};

}  // namespace heddle
#pragma GCC visibility pop
