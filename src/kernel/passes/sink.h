#pragma once

// What is computed only to be stored under a condition is computed under that condition.
//
//   if (i < N) { a = A[i]; } else { a = 0; }      if (i < N) {
//   b = 2 * a;                                      if (i < N) { a = A[i]; } else { a = 0; }
//   if (i < N) { B[i] = b; }                        b = 2 * a;
//                                                   B[i] = b;
//                                                 }

#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// Moves into each guard without another branch the statements in front of it that do nothing but
/// write registers of its block that nobody reads behind it. Statements in which threads work
/// together stay where they are. Cost: a walk over the block for each statement that is moved.
void sink_into_guards(ThreadBlock& block);

}  // namespace heddle::kernel
