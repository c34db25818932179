#pragma once

// Thread programs as source for people and compilers to read: CUDA C++, OpenCL C, and C for CPUs.
//
//   to_source(*lower(kernel), Target::kCuda)
//
//     extern "C" __global__ void __launch_bounds__(128)
//     scale(const float* X, float* Y, int M, int N, float alpha) { … }
//
// The function takes a pointer for each tensor, then the sizes, then the values, each in the order
// of the parameters. Elements of 8 and 16 bits are held as unsigned integers and converted by small
// functions in front of the kernel. Integers have 32 bits: the launcher refuses tensors of 2^31
// elements.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/lower.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

enum class Target : std::uint8_t { kCuda, kOpenCl, kCpu };
/// `cuda`, `opencl`, `cpu`.
[[nodiscard]] std::string_view name_of(Target target);
[[nodiscard]] std::optional<Target> find_target(std::string_view name);

/// A target, and the machine (machine.h): of CPUs the one whose registers and caches blocks are
/// chosen for, without which they suit most CPUs, and the source runs on any of them in each case;
/// of NVIDIA's GPUs the one whose matrix instructions and copies are used, on which the source runs
/// and on later ones.
struct TargetMachine {
  Target target = Target::kCuda;
  const form::Machine* machine = nullptr;

  TargetMachine(Target what, const form::Machine* on = nullptr)  // NOLINT: a target is one
      : target(what), machine(on) {}
};
/// `cuda`, `cuda:sm_80`, `opencl`, `cpu`, `cpu:zen4`, `cpu:host`. Refuses `emit.target` (no target
/// has the name, or the machine is none of it) and `machine.unknown`.
[[nodiscard]] Result<TargetMachine> parse_target(std::string_view name);
/// All machines of a target that may have more than it has without one, the least one first: of
/// CUDA NVIDIA's GPUs from sm_80 on.
[[nodiscard]] std::vector<TargetMachine> family_of(Target target);
/// What schedules may use there.
[[nodiscard]] LowerOptions options_for(TargetMachine destination);

/// lower() for the target, where each choice also names what other machines of its family would
/// take that cost less: each operator the least machine that has it. It costs a few times as much.
[[nodiscard]] Result<ThreadProgram> lower_beside_family(const Kernel& kernel,
                                                        TargetMachine destination);

struct SourceOptions {
  /// The file and its text: if they are given, `#line` says where statements come from.
  std::string file;
  std::string_view text;
  /// Whether kernels of CUDA are known in their file only, by the rules of C++.
  bool is_static = false;
};

/// The kernel's function, with the functions that it calls. Refuses `kernel.not_lowered` for types
/// that the target does not have, what emit::inline_text() refuses (`print.name`),
/// `kernel.launch` for numbers that are known not to fit into 32 bits, and `kernel.unchecked` for
/// the text of another target. Cost: that of simplifying each index.
[[nodiscard]] Result<std::string> to_source(const ThreadProgram& program, Target target,
                                            const SourceOptions& options = {});
/// Several kernels as one text. Refuses the same.
[[nodiscard]] Result<std::string> to_source(std::span<const ThreadProgram> programs, Target target,
                                            const SourceOptions& options = {});

}  // namespace heddle::kernel
#pragma GCC visibility pop
