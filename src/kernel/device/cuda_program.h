#pragma once

// A kernel for the first of NVIDIA's GPUs.

#include <cstdint>
#include <memory>
#include <string>

#include "heddle/core/result.h"
#include "kernel/device/device_program.h"

namespace heddle::kernel {

/// Compiles the source by nvcc for the architecture of the first GPU, and loads it there. Its
/// launches ask for `shared_bytes` beside what it declares (launched_shared_bytes()). Refuses
/// `kernel.no_device`, and what compile_cuda() refuses.
[[nodiscard]] Result<std::shared_ptr<const DeviceProgram>> load_cuda_program(
    const std::string& source, const std::string& kernel, std::int64_t shared_bytes);

}  // namespace heddle::kernel
