#pragma once

// Kernels on a device that is here: a GPU of NVIDIA's by nvcc, one of OpenCL's, or this CPU by its
// C compiler.
//
//   DeviceKernel scale = DeviceKernel::compile(kernel, Target::kCpu).value();
//   scale.run({x, y, alpha})           the arguments after the kernel has run
//   compare(kernel, scale, {x, y, alpha})       beside what the kernel means

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/meaning.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/source.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

class CpuProgram;

/// How many threads work, at most as many as there are cores (0: as OpenMP is set), and the core
/// that the first of them is kept on, the others on those behind it; -1 for any.
struct Workers {
  int threads = 0;
  int first_core = -1;
};

/// Where memory lies that a kernel may run on as it is: nowhere, if it is copied to the device and
/// back, in this process, or on the GPU.
enum class InPlace : std::uint8_t { kNowhere, kInProcess, kOnGpu };

/// A kernel that is compiled for a device. A value that is cheap to copy; one thread at a time runs
/// it.
class DeviceKernel {
 public:
  /// Compiles for the first device of the target: CUDA's first GPU, OpenCL's first device, a GPU if
  /// there is one, or this CPU. Refuses what lower() and to_source() refuse, `kernel.no_device`
  /// (the target's driver is not installed, or has no device), what compile_cuda() and
  /// compile_for_cpu() refuse, and `kernel.compile` (the device's compiler does not take the
  /// source, with what it says).
  [[nodiscard]] static Result<DeviceKernel> compile(const Kernel& kernel,
                                                    TargetMachine destination = Target::kOpenCl);

  /// A kernel in a shared object that compile_for_cpu() made of kernels, which text_in() tells.
  /// Refuses `file.unreadable` (it cannot be loaded), and `kernel.unknown` where it has no kernel
  /// of this name, or another one. The object's code is run as it is, so it must be one that is
  /// trusted.
  [[nodiscard]] static Result<DeviceKernel> load(const Kernel& kernel, const std::string& path);
  /// The text of the kernel in such an object (kernel/program.h), of the only one if the name is
  /// empty. Refuses the same.
  [[nodiscard]] static Result<std::string> text_in(const std::string& path,
                                                   const std::string& name);

  /// The device's own name.
  [[nodiscard]] const std::string& device() const;

  /// The program as the device's compiler made it: for clCreateProgramWithBinary(), a cubin, or of
  /// a CPU the shared object. Refuses `kernel.no_device` (the device does
  /// not give it, with its error).
  [[nodiscard]] Result<std::string> binary() const;

  /// The arguments after the kernel has run. Refuses what sizes_of() refuses, `kernel.launch` (a
  /// size, an argument or a grid of 2^31 or more, which the kernel's integers do not count),
  /// `kernel.no_device` (the device refuses to run it, with its error; a CPU has not enough memory
  /// for the workers, or no such threads or cores). Devices of OpenCL choose workers themselves.
  [[nodiscard]] Result<std::vector<Array>> run(std::vector<Array> arguments,
                                               const Sizes& given = {},
                                               const Workers& workers = {}) const;

  [[nodiscard]] InPlace in_place() const;
  /// Runs on memory that the caller has where in_place() says: one pointer for each argument, to
  /// the first place of a tensor in its parameter's layout, or to a value in this process. The
  /// arguments' elements are not looked at. Refuses what run() refuses, and `kernel.no_device` for
  /// devices of OpenCL.
  [[nodiscard]] Result<void> run_in(const std::vector<Array>& arguments,
                                    std::span<void* const> memory, const Sizes& given = {},
                                    const Workers& workers = {}) const;
  /// The same run, checked once, for any number of times: each call of the result runs it on what
  /// the memory holds then. The memory must outlive it.
  [[nodiscard]] Result<std::function<Result<void>()>> bound_to(const std::vector<Array>& arguments,
                                                               std::span<void* const> memory,
                                                               const Sizes& given = {},
                                                               const Workers& workers = {}) const;

 private:
  [[nodiscard]] Result<std::vector<Array>> run_on_cpu(std::vector<Array> arguments,
                                                      const Sizes& given,
                                                      const Workers& workers) const;
  [[nodiscard]] static DeviceKernel of_cpu(const Kernel& kernel, CpuProgram program);

  struct State;
  explicit DeviceKernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// How far a back end's result is from what the kernel means.
struct Deviation {
  std::string parameter;
  /// Elements that are not the same bits, of how many. All NaNs are the same.
  std::int64_t different = 0;
  std::int64_t elements = 0;
  /// The greatest difference, and the greatest relative to the largest element; NaN if one side is.
  double greatest = 0;
  double relative = 0;
};
/// What is different in parameters that the kernel writes, of two results of the same arguments.
[[nodiscard]] std::vector<Deviation> deviations(const Kernel& kernel,
                                                const std::vector<Array>& wanted,
                                                const std::vector<Array>& found);
/// How far floats of a type may be from what the kernel means, relative to the largest: sums may be
/// added in another order. 0 for integers.
[[nodiscard]] double usual_tolerance(DType type);
/// Whether all of them are within the usual tolerance of their parameters.
[[nodiscard]] bool are_close(const Kernel& kernel, const std::vector<Deviation>& deviations);
/// Runs the kernel by its meaning and on the device, on the same arguments. Refuses what both
/// refuse.
[[nodiscard]] Result<std::vector<Deviation>> compare(const Kernel& kernel,
                                                     const DeviceKernel& device,
                                                     const std::vector<Array>& arguments,
                                                     const Sizes& given = {});

}  // namespace heddle::kernel
#pragma GCC visibility pop
