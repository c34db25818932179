#pragma once

// A formula compiled for constants, of which a proof by evaluation needs many, and the check that
// it never divides by 0; permutations known by name.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expr/code/program.h"
#include "heddle/core/result.h"
#include "heddle/lego/genp.h"

namespace heddle::lego {

class FastFormula {
 public:
  /// nullptr for a formula with other variables than its parameters.
  [[nodiscard]] static std::shared_ptr<const FastFormula> make(const Formula& formula);

  /// The results at these arguments; nullopt if an argument is not constant or a result is
  /// undefined: evaluate() says why then.
  [[nodiscard]] std::optional<std::vector<Int>> operator()(std::span<const Int> arguments) const;
  /// The cost of an evaluation, in operations on numbers.
  [[nodiscard]] std::size_t step_count() const { return program_.step_count(); }

 private:
  explicit FastFormula(expr::Program program) : program_(std::move(program)) {}

  expr::Program program_;
};

/// The box has one extent for each parameter. Refuses `arithmetic.zero_divisor`, with the point, if
/// the formula divides by 0 somewhere in it, `assume.needed` if that is not known: if ranges do not
/// settle it and the points are more than GenP::kMaxEvaluated, or take more than
/// GenP::kMaxOperations operations. Cost: an evaluation of each open divisor at each point.
[[nodiscard]] Result<void> check_divisors(const Formula& formula, std::span<const Int> box);

// ---- Permutations known by name ----
//
// The permutations that GenP knows by name, each with its inverse and the proof that the two are
// inverse to each other, for all sizes that check_built_in() admits.

/// Refuses `lego.genp` for a name that is not known, for parameters or sizes that it cannot have,
/// and `assume.needed` if that is open.
[[nodiscard]] Result<void> check_built_in(std::span<const Int> dims, const BuiltIn& function);

/// The number of a point; undefined if it does not fit into 64 bits. Only for checked arguments.
[[nodiscard]] Int apply_built_in(std::span<const Int> dims, const BuiltIn& function,
                                 std::span<const Int> point);
/// The point with a number. Refuses `lego.no_inverse` for a fan of symbolic size.
[[nodiscard]] Result<std::vector<Int>> invert_built_in(std::span<const Int> dims,
                                                       const BuiltIn& function, const Int& flat);

}  // namespace heddle::lego
