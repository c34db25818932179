#pragma once

// A kernel over devices taken apart: what a device does on its own is a kernel on its parts, and
// what devices do together is an operator on whole tensors.
//
//   kernel f(X: f32[4,64] = S[(4,64):(1@gpuid,1@m)], Y: f32[64] = …) launch devices 4, cta 1, …
//   {
//     device { X = 2*X }             kernel f_1(X: f32[1,64], Y: …) launch cta 1, … { X = 2*X }
//     reduce(Y, X, …)                kernel f(X: f32[4,64], Y: f32[64]) { reduce(Y, X, …) }
//   }

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "kernel/parts/part.h"

namespace heddle::kernel {

/// A tensor of a kernel over devices, and what each device has of it.
struct HeldTensor {
  Tensor whole;
  Part part;
  /// Whether it is a parameter; else the body declares it.
  bool is_parameter = true;
};

/// The tensors of the kernel, in order; with `sizes`, of known extents. Refuses what part_of() and
/// with_sizes() refuse, at the place of each.
[[nodiscard]] Result<std::vector<HeldTensor>> held_tensors(const Kernel& kernel);
[[nodiscard]] Result<std::vector<HeldTensor>> held_tensors(const Kernel& kernel,
                                                           const Sizes& sizes);

/// What each device does in a `device` scope. The parameters are its parts of the tensors that all
/// devices have, then the values, then the number of the device if it is asked for.
struct LocalKernel {
  Kernel kernel;
  /// The numbers of the tensors that the first parameters are parts of.
  std::vector<std::size_t> tensors;
  /// Whether the last parameter is the number of the device.
  bool takes_device = false;
};
/// Refuses `kernel.devices` for a tensor in it that some devices have no part of.
[[nodiscard]] Result<LocalKernel> local_kernel(const Kernel& kernel,
                                               const std::vector<HeldTensor>& tensors,
                                               const Statement& statement, std::string name);

/// The statement alone, on whole tensors without layouts, which is what it means.
[[nodiscard]] Kernel logical_kernel(const Kernel& kernel, const std::vector<HeldTensor>& tensors,
                                    const Statement& statement);

/// `f_1`: the name of the function of the number-th statement.
[[nodiscard]] std::string local_name(const Kernel& kernel, std::size_t number);

}  // namespace heddle::kernel
