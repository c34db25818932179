#pragma once

// Guards that hold because of the guards around them are left out.
//
//   if (i < M) C[i] = (i < M ? A[i] : 0) + (i - 1 < M ? A[i - 1] : 0)
//   if (i < M) C[i] = A[i] + A[i - 1]

#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// Leaves out of guards and loads the conditions that follow from those of the guards around them.
/// Cost: for each condition at most one proof for each of those.
void drop_known_guards(ThreadBlock& block);

}  // namespace heddle::kernel
