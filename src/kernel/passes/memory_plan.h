#pragma once

// Where the buffers of shared memory lie: those that are never in use at the same time may have the
// same bytes.
//
//   for k { copy(As, …); copy(Bs, …); gemm(acc, As, Bs) }
//   barrier
//   Cs = acc                                           Cs may lie where As and Bs lie
//
// A buffer is in use from the first to the last statement of the program's own block that names it;
// a loop or a branch is one statement, so buffers of one loop never share. Two of them may share if
// one is in use before the other, and a barrier of that block stands between: all threads come to
// it, after they are done with the one and before any begins with the other. No barrier is added,
// unless the kernel needs more memory than there is without. What asynchronous copies write is in
// use until they have been waited for.

#include <cstdint>
#include <set>
#include <string>

#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// Every buffer begins at a multiple of this many bytes, for vectors.
inline constexpr std::int64_t kSharedAlignment = 16;

/// Gives each buffer of shared memory its place: the largest first, each at the first place where
/// nothing lies that it may not share with. Sets `shared_bytes`. Adds barriers only if the buffers
/// do not fit into `most_bytes` without them, and do with them. `copied_later` are the buffers that
/// copies outside of pipelines write, which are waited for by AwaitCopies. Cost: the square of the
/// number of buffers.
void plan_memory(ThreadProgram& program, std::int64_t most_bytes,
                 const std::set<std::string>& copied_later);

}  // namespace heddle::kernel
