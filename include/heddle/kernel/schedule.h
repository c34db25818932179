#pragma once

// Schedules that a user adds: statements that do an operator in its place.
//
//   schedule in_rows for copy(D: f32[M,N], S: f32[M,N]) { for i in M { copy(D[i], S[i]) } }
//
//   copy(x, A[0:16, :]) using in_rows      for i in 16 { copy(x[i], A[0:16, :][i]) }
//
// The parameters are views of the operands, in whatever memory they are; sizes in their shapes are
// the operands' extents. The meaning of a kernel stays that of its operators, so that a schedule
// that does something else is found by comparing the two (`heddle kernel check`).

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/view.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The schedule of the kernel that the call must be done by; nullptr if it names none of them.
[[nodiscard]] const Schedule* find_schedule(const Kernel& kernel, const Call& call);

/// Refuses what check_schedule_name() refuses, `kernel.schedule`: an operator that there is not, a
/// parameter with a layout, another number of parameters than the operator has operands, a size
/// that no dimension has on its own, a body that writes what the operator reads; `kernel.name` for
/// a tensor or an integer that is neither a parameter's nor the body's.
[[nodiscard]] Result<void> check(const Schedule& schedule);

/// Refuses `kernel.name_taken`: what `using` has for a schedule of the library, such as `vector`.
[[nodiscard]] Result<void> check_schedule_name(std::string_view name);

/// Every name that a statement of the kernel may have.
[[nodiscard]] std::set<std::string> names_in(const Kernel& kernel);

/// The statements that do the call by the schedule. Names that the body declares are changed where
/// they are taken. Refuses `kernel.schedule`: another operator, other options, operands of
/// other types or shapes, an operand that is no view, a written operand whose tensor another one is
/// of too, and a schedule in the body of a schedule. Cost: linear in the body.
[[nodiscard]] Result<Block> expanded(const Schedule& schedule, const Call& call,
                                     std::span<const ViewShape> operands, const Kernel& kernel,
                                     const std::set<std::string>& taken);

}  // namespace heddle::kernel
#pragma GCC visibility pop
