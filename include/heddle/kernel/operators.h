#pragma once

// The operators of kernels: their operands and their options. What each means is in meaning.h.
//
//   copy(D, S, pad=0)                         D = S; what is outside of S is `pad`
//   copy_async(D, S, group="k", pad=0)        the same; D may be read after wait(group="k")
//   wait(group="k")
//   fill(D, 0)
//   cast(D, S)                                D = S, rounded to D's type
//   reduce(D, S, op="sum", axis=1)            sum, prod, max, min, any, all, argmax, argmin
//   scan(D, S, op="sum", axis=0, exclusive=true)
//   gemm(C, A, B)                             C += A @ B; alpha, beta, accum=false
//   gemm_sparse(C, A, B, E)                   the same, A has what E says is kept along K
//   gather(D, S, I, axis=0)                   D[…, i, …] = S[…, I[i], …]
//   scatter(D, S, I, axis=0)                  D[…, I[i], …] = S[…, i, …]
//   atomic_add(D, S)                          D += S, whoever else adds at the same time
//   barrier()
//
// A user adds an operator by expanding it into others: `def` in the text, a function that makes
// statements in C++.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// What an operator does with an operand.
enum class Role : std::uint8_t {
  kWrites,   // a view, all of which is written
  kUpdates,  // a view that is read and written
  kReads,    // a view, or for most operators any elementwise expression
};

struct OperandRule {
  std::string_view name;
  Role role = Role::kReads;
  /// Only a view, because its elements are read in an order of their own.
  bool is_view = false;
};

struct OptionRule {
  enum class Kind : std::uint8_t { kFlag, kNumber, kName, kAxes };
  std::string_view name;
  Kind kind = Kind::kFlag;
  /// The names that it may be set to; empty for any.
  std::vector<std::string_view> names = {};
  bool is_required = false;
  /// What a call in a text means that does not set it.
  std::optional<OptionValue> usual = std::nullopt;
};

/// A schedule of the library that an operator may be forced to be done by: `copy(D, S) using
/// vector`.
struct WayRule {
  /// What a target has to have for it.
  enum class Needs : std::uint8_t { kNothing, kOneWorker, kAsyncCopies, kMatrixLoads };
  std::string_view name;
  Needs needs = Needs::kNothing;
};

struct OperatorRule {
  std::string_view name;
  std::vector<OperandRule> operands;
  std::vector<OptionRule> options;
  /// All ways to do it. This is the only list of them.
  std::vector<WayRule> ways = {};
};

/// All operators, in the order above.
[[nodiscard]] std::span<const OperatorRule> operators();
/// The operator of this name; nullptr if there is none.
[[nodiscard]] const OperatorRule* find_operator(std::string_view name);

/// Whether some operator is done by a schedule of the library of this name, which nothing else can
/// have then.
[[nodiscard]] bool is_way(std::string_view name);

/// Refuses `kernel.operator` (no such name, with the nearest ones), `kernel.operands` (another
/// number of them, or an expression where a view is needed), `kernel.option` (one that the operator
/// does not have, of another kind, or left out although it is needed; one that its schedule does
/// not have).
[[nodiscard]] Result<void> check_call(const Call& call);

/// The parameters that some statement writes, by their numbers.
[[nodiscard]] std::vector<std::size_t> written_parameters(const Kernel& kernel);

}  // namespace heddle::kernel
#pragma GCC visibility pop
