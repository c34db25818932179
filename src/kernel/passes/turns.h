#pragma once

// Where one worker does what threads do each on its own: loops over the threads, which end where a
// barrier stands.
//
//   thread { reg a: f32[2]; a = f(tx);  barrier;  g(tx, a) }
//
//     float a[2*T];
//     for (tx = 0; tx < T; ++tx) a[2*tx + …] = f(tx)
//     for (tx = 0; tx < T; ++tx) g(tx, a + 2*tx)
//
// A loop of the kernel with a barrier in it stays around such loops. What a thread keeps beyond a
// barrier gets a place for each thread.

#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/thread_program.h"
#include "kernel/passes/loops.h"

namespace heddle::kernel {

/// The parts of a scope (its threads, or its warps) and what all of them do.
struct Turns {
  /// Counts the parts.
  std::string counter;
  Int count = 1;
  /// What the body calls its thread, in terms of the counter.
  std::vector<Define> names;
  /// Which parts there are; empty for all.
  std::vector<Condition> members;
};

/// The body, done by one part after the other. `fresh` makes names that are not taken. Refuses
/// `kernel.barrier`: parts that need what others wrote, where they may have left the loop.
[[nodiscard]] Result<ThreadBlock> in_turns(const Turns& turns, ThreadBlock body,
                                           const Fresh& fresh);

}  // namespace heddle::kernel
