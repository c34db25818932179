#pragma once

// Arguments that are made for a kernel, to run it on something.

#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/array.h"
#include "heddle/kernel/program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The array of a parameter, all of it 0. Refuses `kernel.arguments` (a size that is not known),
/// `kernel.assumption` (sizes that break one), `kernel.argument` (more than 2^28 elements).
[[nodiscard]] Result<Array> zeros(const Tensor& parameter, const Sizes& sizes);

/// An argument for each parameter: small numbers, the same ones each time; for the index of a
/// sparse operand its codes. Refuses what zeros() refuses.
[[nodiscard]] Result<std::vector<Array>> made_arguments(const Kernel& kernel, const Sizes& sizes);

}  // namespace heddle::kernel
#pragma GCC visibility pop
