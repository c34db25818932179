#pragma once

// Kernels for callers: one header with the kernel and the function that checks arguments and
// launches it, for C11 and C++17.
//
//   to_header(*lower(kernel, options_for(Target::kCuda)), Target::kCuda)
//
//     int heddle_launch_scale(heddle_tensor X, heddle_tensor Y, float alpha,
//                             struct CUstream_st *stream, heddle_error *error);
//
// A heddle_tensor says where the elements are, of which type, and in which shape and strides; the
// function refuses what the kernel is not for, with a text: types, ranks, extents that contradict
// each other, sizes that break an assumption or do not fit into 32 bits, strides that are not those
// of the parameter's layout, memory that is too small (OpenCL), null or not aligned for vectors
// (CUDA), and grids that no device has. Nothing is launched then.
//
// The header declares. Where HEDDLE_SCALE_IMPLEMENTATION is defined before it is included, it also
// holds the kernel and the function: in one .cu file for CUDA; for OpenCL in one file of C or C++,
// where the kernel is a text that heddle_build_scale() compiles once for each context.
//
// For CPUs the header declares the functions that the kernel's source has (source.h), with what
// each argument is; there is no launcher, and nothing is checked.
//
// Names that begin with heddle_ are no names of kernels, so nothing collides.

#include <string>

#include "heddle/core/result.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

/// The most dimensions of a tensor that a header describes.
inline constexpr std::size_t kMaxLauncherRank = 8;

/// The header. Refuses what to_source() refuses, and for launchers `kernel.not_lowered` for a
/// parameter of more than kMaxLauncherRank dimensions or with a layout whose reach in memory is not
/// known, and `kernel.assumption` for an assumption about a name that is no size. Cost: that of
/// to_source().
[[nodiscard]] Result<std::string> to_header(const ThreadProgram& program, Target target);

}  // namespace heddle::kernel
#pragma GCC visibility pop
