#pragma once

// Running a kernel on memory of which something may not have been written yet.

#include <cstdint>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/meaning.h"
#include "kernel/meaning/code.h"

namespace heddle::kernel::meaning {

/// The elements of a parameter, and the bits of each that have been written; all of them if `known`
/// is empty.
struct Held {
  std::vector<std::uint64_t> elements;
  std::vector<std::uint64_t> known = {};
};

/// Runs a kernel that passes check() and is for one device. Refuses what run() refuses.
[[nodiscard]] Result<void> run_on(const Kernel& kernel, const Sizes& sizes,
                                  std::vector<Held>& parameters, Budget& budget);

}  // namespace heddle::kernel::meaning
