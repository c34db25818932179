#pragma once

// A kernel that is compiled for a device with memory of its own: OpenCL's or CUDA's.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/array.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

/// What a function takes: the value itself, or memory of the device that holds these bytes before
/// the kernel runs, and after it what the kernel left there.
struct LaunchArgument {
  std::vector<std::byte> bytes;
  bool is_memory = false;
};

/// Blocks of the grid, and threads of a block.
struct LaunchShape {
  std::array<std::size_t, 3> grid = {1, 1, 1};
  std::size_t threads = 1;
  [[nodiscard]] bool is_empty() const { return std::ranges::find(grid, 0U) != grid.end(); }
};

/// Runs a kernel's function to its end: the memory of each tensor, then the sizes, then the values.
using RunLaunch = std::function<Result<void>(const LaunchShape&, std::span<LaunchArgument>)>;
/// The arguments after a kernel has run so. Refuses what DeviceKernel::run() refuses of arguments,
/// and what `run` refuses.
[[nodiscard]] Result<std::vector<Array>> run_launch(const Kernel& kernel,
                                                    std::vector<Array> arguments,
                                                    const Sizes& given, const RunLaunch& run);

class DeviceProgram {
 public:
  DeviceProgram() = default;
  DeviceProgram(const DeviceProgram&) = delete;
  DeviceProgram& operator=(const DeviceProgram&) = delete;
  virtual ~DeviceProgram() = default;

  /// The device's own name.
  [[nodiscard]] virtual const std::string& device() const = 0;
  /// What the device's compiler made. Refuses `kernel.no_device`.
  [[nodiscard]] virtual Result<std::string> binary() const = 0;
  /// Runs the kernel to its end. Refuses `kernel.no_device` with the device's error.
  [[nodiscard]] virtual Result<void> run(const LaunchShape& shape,
                                         std::span<LaunchArgument> arguments) const = 0;
  /// Whether run_in() runs it on the device's memory.
  [[nodiscard]] virtual bool runs_in_place() const { return false; }
  /// The same of tensors that lie in the device's memory, and the addresses of sizes and values.
  /// What was given to the device before is finished first. Refuses `kernel.no_device`.
  [[nodiscard]] virtual Result<void> run_in(const LaunchShape& /*shape*/,
                                            std::span<void* const> /*tensors*/,
                                            std::span<void* const> /*values*/) const {
    return refuse("kernel.no_device", device() + " runs on memory of its own");
  }
};

}  // namespace heddle::kernel
