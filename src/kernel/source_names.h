#pragma once

// Names that sources of kernels give a meaning of their own, on any target, because a kernel that
// is written for one of them is read beside that for another.

#include <string>
#include <string_view>

namespace heddle::kernel {

/// Whether a tensor, an integer or a kernel of this name would hide what sources use, or be
/// replaced: words of CUDA C++ and OpenCL C, functions and constants that are called, the functions
/// in front of kernels, names of compilers, and macros of the headers that sources include.
[[nodiscard]] bool is_used_in_sources(std::string_view name);

/// Whether a function of this name would meet one that a target has: `dot`, `exp`.
[[nodiscard]] bool is_function_of_targets(std::string_view name);

/// The name of a tensor or an integer as sources have it: `heddle_own_M_PI` for `M_PI`, which
/// would mean something else there. No two names have one source name.
[[nodiscard]] std::string source_name(const std::string& name);

}  // namespace heddle::kernel
