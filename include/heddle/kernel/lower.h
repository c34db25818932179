#pragma once

// From whole tensors to what each thread does: loops, loads, stores and barriers, with addresses.
//
//   copy(As, A[16*k : +16])    by 128 threads, As: f32[16,64] in shared memory
//
//     for (i0 = 0; i0 < 2; ++i0)
//       apply a copy of 4 elements: As[512*i0 + 4*tx] = A[512*i0 + 1024*k + 4*tx]
//     barrier
//
// Each operator is done by one of its schedules. A schedule chooses how elements are spread over
// threads and registers (spread.h) and the instruction that moves them (instruction.h), which is
// applied only where it is proved to do what the operator means; the rest follows from the layouts.
// Where threads need elements that others hold, they are exchanged through shared memory, and where
// one thread reads what another wrote, a barrier stands between.
//
// A shared tensor that is declared without a layout gets the swizzle, or the padding of its rows,
// under which these accesses meet the fewest bank conflicts; explanation() lists what was
// considered. Buffers of shared memory that a barrier keeps apart in time may have the same bytes.

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/form/machine.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/thread_program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// A target by its name, and the shared memory that a block has there.
struct SharedOf {
  std::string target;
  std::int64_t bytes = 0;
};

/// What a back end can do.
struct LowerOptions {
  /// Whether one worker, as the core of a CPU, does what the threads of a block do together. Those
  /// that do something each on its own, as in `thread { … }`, are loops then, which end where a
  /// barrier would stand.
  bool has_one_worker = false;
  /// The bits of the widest access.
  std::int64_t vector_bits = 128;
  /// Whether lanes of a warp can exchange values.
  bool has_shuffles = false;
  /// Whether blocks may be launched in clusters.
  bool has_clusters = false;
  /// Whether copies from global to shared memory can be done later, as by cp.async of sm_80.
  bool has_async_copies = false;
  /// Whether warps load matrices from shared memory, as by ldmatrix of sm_75.
  bool has_matrix_loads = false;
  std::int64_t shared_bytes = 48 * 1024;
  /// Machines of the target's family that have more of it, ascending, for hints.
  std::vector<SharedOf> larger = {};
  /// The target whose texts of instructions there are; empty for none.
  std::string target = {};
  /// The CPU whose registers and caches blocks of matrix products are chosen for, nullptr for
  /// blocks that suit most; or the GPU whose matrix instructions do them, nullptr for none.
  const form::Machine* machine = nullptr;
};

/// Refuses what check() and check_one_device() refuse, `kernel.schedule` (`using` a schedule that
/// there is not, or that does not hold, with the reason), `kernel.launch` (clusters where there are
/// none), `kernel.register_layout` (a layout of
/// registers that is no digits of the thread's index), `kernel.barrier` (threads that need what
/// others wrote, under a condition that they do not have in common), `kernel.shared` (more shared
/// memory than there is), `kernel.not_lowered` (what no schedule does yet, with the reason).
[[nodiscard]] Result<ThreadProgram> lower(const Kernel& kernel, const LowerOptions& options = {});

/// How each operator is done and what was not taken, with the reasons:
///
///   copy(x, X[bx, 128*k : +128])
///     taken      vector of 128 bits
///     spread     dimension 0: 4 in turn, 32 threads
///
/// Behind the first operator that uses a matrix instruction is a picture of each of its operands:
/// which lane and register holds which element.
[[nodiscard]] std::string explanation(const ThreadProgram& program);

}  // namespace heddle::kernel
#pragma GCC visibility pop
