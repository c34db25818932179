#include "kernel/device/opencl_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"
#include "kernel/device/opencl.h"

namespace heddle::kernel {

namespace {

Refusal refuse_opencl(std::string_view what, cl::Int error) {
  return refuse("kernel.no_device", fmt::format("OpenCL's {} fails with error {}", what, error));
}

Result<cl::Handle> find_opencl_device(const OpenCl& opencl) {
  constexpr std::size_t kMostPlatforms = 16;
  std::array<cl::Handle, kMostPlatforms> platforms{};
  cl::UInt count = 0;
  const cl::Int error = opencl.clGetPlatformIDs(kMostPlatforms, platforms.data(), &count);
  for (const cl::Bits kind : {cl::kGpu, cl::kAnyDevice}) {
    for (std::size_t i = 0; error == 0 && i != std::min<std::size_t>(count, kMostPlatforms); ++i) {
      cl::Handle device = nullptr;
      if (opencl.clGetDeviceIDs(platforms[i], kind, 1, &device, nullptr) == 0) return device;
    }
  }
  return refuse_no_device();
}

class OpenClProgram final : public DeviceProgram {
 public:
  /// Finds the device and opens it.
  Result<void> open() {
    HEDDLE_TRY(opencl_, load_opencl());
    HEDDLE_TRY(device_, find_opencl_device(opencl_));
    std::array<char, 256> name{};
    opencl_.clGetDeviceInfo(device_, cl::kDeviceName, name.size() - 1, name.data(), nullptr);
    name_ = name.data();
    cl::Int error = 0;
    context_ = {opencl_.clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &error),
                opencl_.clReleaseContext};
    if (error != 0) return refuse_opencl("clCreateContext", error);
    queue_ = {opencl_.clCreateCommandQueue(context_.get(), device_, 0, &error),
              opencl_.clReleaseCommandQueue};
    if (error != 0) return refuse_opencl("clCreateCommandQueue", error);
    return {};
  }

  Result<void> compile(const std::string& source, const std::string& kernel) {
    const char* text = source.c_str();
    cl::Int error = 0;
    program_ = {opencl_.clCreateProgramWithSource(context_.get(), 1, &text, nullptr, &error),
                opencl_.clReleaseProgram};
    if (error != 0) return refuse_opencl("clCreateProgramWithSource", error);
    error = opencl_.clBuildProgram(program_.get(), 1, &device_, "-cl-std=CL1.2", nullptr, nullptr);
    if (error != 0) return refuse_source(kernel);
    function_ = {opencl_.clCreateKernel(program_.get(), kernel.c_str(), &error),
                 opencl_.clReleaseKernel};
    if (error != 0) return refuse_opencl("clCreateKernel", error);
    return {};
  }

  [[nodiscard]] const std::string& device() const override { return name_; }

  [[nodiscard]] Result<std::string> binary() const override {
    // The program is for one device, so there is one size and one binary.
    const cl::Handle program = program_.get();
    std::size_t size = 0;
    cl::Int error =
        opencl_.clGetProgramInfo(program, cl::kBinarySizes, sizeof size, &size, nullptr);
    std::string bytes(error == 0 ? size : 0, '\0');
    char* begin = bytes.data();
    if (error == 0) {
      error = opencl_.clGetProgramInfo(program, cl::kBinaries, sizeof begin,
                                       static_cast<void*>(&begin), nullptr);
    }
    if (error != 0 || bytes.empty()) return refuse_opencl("clGetProgramInfo", error);
    return bytes;
  }

  [[nodiscard]] Result<void> run(const LaunchShape& shape,
                                 std::span<LaunchArgument> arguments) const override {
    std::vector<OwnedHandle> buffers;
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      HEDDLE_CHECK(set(static_cast<cl::UInt>(i), arguments[i], buffers));
    }
    const std::array<std::size_t, 3> block = {shape.threads, 1, 1};
    const std::array<std::size_t, 3> all = {shape.grid[0] * shape.threads, shape.grid[1],
                                            shape.grid[2]};
    cl::Int error = opencl_.clEnqueueNDRangeKernel(queue_.get(), function_.get(), 3, nullptr,
                                                   all.data(), block.data(), 0, nullptr, nullptr);
    if (error != 0) return refuse_opencl("clEnqueueNDRangeKernel", error);
    std::size_t next = 0;
    for (LaunchArgument& argument : arguments) {
      if (!argument.is_memory || argument.bytes.empty()) continue;
      error = opencl_.clEnqueueReadBuffer(queue_.get(), buffers[next++].get(), cl::kTrue, 0,
                                          argument.bytes.size(), argument.bytes.data(), 0, nullptr,
                                          nullptr);
      if (error != 0) return refuse_opencl("clEnqueueReadBuffer", error);
    }
    return {};
  }

 private:
  [[nodiscard]] Result<void> set(cl::UInt position, LaunchArgument& argument,
                                 std::vector<OwnedHandle>& buffers) const {
    cl::Int error = 0;
    if (argument.is_memory && argument.bytes.empty()) {
      error = opencl_.clSetKernelArg(function_.get(), position, sizeof(cl::Handle), nullptr);
    } else if (argument.is_memory) {
      buffers.emplace_back(
          opencl_.clCreateBuffer(context_.get(), cl::kReadWrite | cl::kCopyHostMemory,
                                 argument.bytes.size(), argument.bytes.data(), &error),
          opencl_.clReleaseMemObject);
      if (error != 0) return refuse_opencl("clCreateBuffer", error);
      const cl::Handle buffer = buffers.back().get();
      error = opencl_.clSetKernelArg(function_.get(), position, sizeof buffer,
                                     static_cast<const void*>(&buffer));
    } else {
      error = opencl_.clSetKernelArg(function_.get(), position, argument.bytes.size(),
                                     argument.bytes.data());
    }
    if (error != 0) return refuse_opencl("clSetKernelArg", error);
    return {};
  }

  [[nodiscard]] Refusal refuse_source(const std::string& kernel) const {
    std::string log(std::size_t{1} << 14, '\0');
    std::size_t length = 0;
    opencl_.clGetProgramBuildInfo(program_.get(), device_, cl::kBuildLog, log.size(), log.data(),
                                  &length);
    log.resize(std::min(log.size(), length));
    log.erase(log.find_last_not_of(std::string_view("\0\n", 2)) + 1);
    return refuse(Diagnostic("kernel.compile",
                             fmt::format("the OpenCL device rejects the source of {}", kernel))
                      .with_note(fmt::format("{} says: {}", name_, shortened(log, 2000))));
  }

  std::string name_;
  OpenCl opencl_;
  cl::Handle device_ = nullptr;
  OwnedHandle context_;
  OwnedHandle queue_;
  OwnedHandle program_;
  OwnedHandle function_;
};

}  // namespace

Result<std::shared_ptr<const DeviceProgram>> load_opencl_program(const std::string& source,
                                                                 const std::string& kernel) {
  auto program = std::make_shared<OpenClProgram>();
  HEDDLE_CHECK(program->open());
  HEDDLE_CHECK(program->compile(source, kernel));
  return program;
}

}  // namespace heddle::kernel
