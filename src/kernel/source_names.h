#pragma once

// Names that sources of kernels give a meaning of their own, on any target, because a kernel that
// is written for one of them is read beside that for another.

#include <string_view>

namespace heddle::kernel {

/// Whether a tensor, an integer or a kernel of this name would hide what sources use: words of
/// CUDA C++ and OpenCL C, functions and constants that are called, and the functions in front of
/// kernels.
[[nodiscard]] bool is_used_in_sources(std::string_view name);

/// Whether a function of this name would meet one that a target has: `dot`, `exp`.
[[nodiscard]] bool is_function_of_targets(std::string_view name);

}  // namespace heddle::kernel
