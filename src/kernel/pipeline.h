#pragma once

// Which pipelines a target may run ahead: the loads of several iterations are under way while one
// is computed, each in a stage of its own.
//
//   pipeline k in K // 32, stages 3 {
//     load    { copy(As[stage], A[:, 32*k : +32]) }    k = 2 goes to stage 2 while k = 0
//     compute { gemm(acc, As[stage], …) }              is computed, which reads stage 0
//   }

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

/// Refuses `kernel.pipeline`: `load` has something else than copies, `let`, `for` and `if`; a copy
/// to what is no shared tensor of as many stages; a view of such a tensor, in `load` or `compute`,
/// whose first subscript is not `stage`; a tensor that `load` reads and the kernel writes; a
/// `break` that leaves the pipeline. Cost: linear in the kernel.
[[nodiscard]] Result<void> check_pipeline(const Kernel& kernel, const Pipeline& pipeline);

}  // namespace heddle::kernel
