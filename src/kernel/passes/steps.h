#pragma once

// The cost of a schedule: the steps of one thread.
//
//   for (i0 = 0; i0 < 4; ++i0) tile[…] = A[…]      4 loads and 4 stores: 8
//   a vector of four loaded and stored             2
//
// A load, a store or an atomic addition is a step, of a vector too; so is an operation on values, a
// shuffle and a barrier. Registers and integers of addresses cost nothing, conditions hold, and of
// two branches the longer one counts. So costs compare ways to do one operator, no more.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "heddle/kernel/thread_program.h"

namespace heddle::kernel {

/// The steps of these statements; nullopt if a loop runs an unknown number of times, or the number
/// does not fit into 64 bits. `is_memory` says which buffers are not registers.
[[nodiscard]] std::optional<std::int64_t> steps(
    std::span<const ThreadStatement> statements,
    const std::function<bool(const std::string& buffer)>& is_memory);

}  // namespace heddle::kernel
