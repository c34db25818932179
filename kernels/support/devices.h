// The kinds of devices; drivers use device.h.

#pragma once

#include "support/device.h"

#include <memory>
#include <string>

namespace heddle::kernels {

std::unique_ptr<Device> open_opencl(const std::string& program);
std::unique_ptr<Device> open_c(const std::string& program);
std::unique_ptr<Device> open_cuda(const std::string& program, const std::string& twin);
std::unique_ptr<Device> open_cuda_on_cpu(const std::string& program, const std::string& twin);

std::string read_file(const std::string& path);

}  // namespace heddle::kernels
