#pragma once

// A kernel for the first OpenCL device.

#include <memory>
#include <string>

#include "heddle/core/result.h"
#include "kernel/device/device_program.h"

namespace heddle::kernel {

/// Compiles the source for the first device, a GPU if there is one. Refuses `kernel.no_device`, and
/// `kernel.compile` with what the device's compiler says.
[[nodiscard]] Result<std::shared_ptr<const DeviceProgram>> load_opencl_program(
    const std::string& source, const std::string& kernel);

}  // namespace heddle::kernel
