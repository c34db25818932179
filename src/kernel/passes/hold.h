#pragma once

// What of an address differs between threads and stays as it is in a loop, computed before it.
//
//   for (round …) for (stage …) for (i …)
//     ldmatrix_x4(…, &As[4096*stage + 512*i + 32*(tx%16) + 8*((tx//2%4) ^ (2*k + tx//16%2))])
//
//     at = held(32*(tx%16));  at_1 = held((tx//2%4) ^ (tx//16%2))
//     for (round …) … &As[4096*stage + 512*i + at + 8*(at_1 ^ 2*k)]
//
// What is added to it is a number where loops are unrolled, which instructions have room for. The
// compiler is not shown what a held integer is: it would compute it again in every iteration to
// save a register.

#include "heddle/kernel/thread_program.h"
#include "kernel/passes/loops.h"

namespace heddle::kernel {

/// For the places of the target's own functions in loops that are not unrolled. Cost: linear in the
/// terms of their addresses.
void hold_addresses(ThreadProgram& program, const Fresh& fresh);

}  // namespace heddle::kernel
