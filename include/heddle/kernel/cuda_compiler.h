#pragma once

// CUDA C++ compiled by nvcc, where it is installed.
//
//   compile_cuda(source, {"sm_80"})              a cubin
//   compile_cuda(source, {"sm_80", "sm_90"})     a fatbin with the code of both
//
// nvcc is the program that $NVCC names, or else `nvcc` in $PATH, or else that of
// /usr/local/cuda/bin. It is run without a shell, in a folder of its own, which is removed.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The bytes of the binary for one or more architectures. Refuses `kernel.architecture` (one that
/// is not written as sm_80 is, or none), `kernel.no_compiler` (with the places that were looked at,
/// or where it cannot be run), `kernel.compile` (nvcc does not take the source, with what it says),
/// `file.unwritable` (of its temporary folder). NVCC, PATH and TMPDIR are read at each call. Cost:
/// seconds.
[[nodiscard]] Result<std::string> compile_cuda(std::string_view source,
                                               std::span<const std::string> architectures);

/// The architectures that a kernel is compiled for: those that are named, else sm_80, or sm_90 for
/// clusters of blocks. Refuses `kernel.architecture`: a named one that has no clusters.
[[nodiscard]] Result<std::vector<std::string>> architectures_for(const Launch& launch,
                                                                 std::vector<std::string> named);

}  // namespace heddle::kernel
#pragma GCC visibility pop
