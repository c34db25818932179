#pragma once

// Loops as CPUs like them: conditions become bounds, and what iterations do apart from each other
// is known to be so.
//
//   for (i = 0; i < 512; ++i) if (i + 512*k < N) Y[i] = X[i]
//
//     for (i = 0; i < min(512, N - 512*k); ++i) Y[i] = X[i]         several iterations at a time
//
// A load with conditions splits its loop: in the middle part all of them hold. Sums (and products,
// minima, maxima) of all iterations are found in registers of one element; long ones of little
// work in 64 lanes, so that additions do not wait for each other:
//
//   for (i = 0; i < N; ++i) sum = sum + X[i]
//
//     for (turn = 0; turn < N / 64; ++turn)
//       for (lane = 0; lane < 64; ++lane) lanes[lane] = lanes[lane] + X[lane + 64*turn]
//     …                                              the iterations that are left, then the lanes

#include <functional>
#include <string>
#include <string_view>

#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// Makes names that are not taken.
using Fresh = std::function<std::string(std::string_view)>;

/// Moves conditions on counters into the bounds of their loops, and others out of the loops.
void bound_loops(ThreadBlock& block, const Fresh& fresh);

/// Marks the innermost loops whose iterations may be done several at a time: each writes places of
/// its own, or adds up to one place, and reads nothing that another one writes. Tensors of two
/// names are taken not to overlap.
void find_vectors(ThreadBlock& block, const Fresh& fresh);

}  // namespace heddle::kernel
