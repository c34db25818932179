#pragma once

// Gives a variable of a program a value.
//
//   bind(block, "k", 3*round + stage)      As[512*(k%3) + tx]  becomes  As[512*stage + tx]

#include <string>

#include "heddle/core/result.h"
#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// Replaces the variable in all integers of the block; texts of a target keep it. Refuses what
/// instantiate() refuses.
[[nodiscard]] Result<void> bind(ThreadBlock& block, const std::string& name, const Int& value);

}  // namespace heddle::kernel
