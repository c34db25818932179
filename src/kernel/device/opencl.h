#pragma once

// The functions of OpenCL 1.2 that kernels are run with, found when they are needed: nothing links
// to OpenCL, and a machine without it is told so.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "heddle/core/result.h"

namespace heddle::kernel {

/// Handles and numbers as OpenCL's C interface has them.
namespace cl {
using Handle = void*;
using Int = std::int32_t;
using UInt = std::uint32_t;
using Bits = std::uint64_t;

inline constexpr Bits kGpu = 1U << 2;
inline constexpr Bits kAnyDevice = 0xFFFFFFFF;
inline constexpr Bits kReadWrite = 1U << 0;
inline constexpr Bits kCopyHostMemory = 1U << 5;
inline constexpr UInt kBuildLog = 0x1183;
inline constexpr UInt kDeviceName = 0x102B;
inline constexpr UInt kBinarySizes = 0x1165;
inline constexpr UInt kBinaries = 0x1166;
inline constexpr UInt kTrue = 1;
}  // namespace cl

struct OpenCl {
  cl::Int (*clGetPlatformIDs)(cl::UInt, cl::Handle*, cl::UInt*) = nullptr;
  cl::Int (*clGetDeviceIDs)(cl::Handle, cl::Bits, cl::UInt, cl::Handle*, cl::UInt*) = nullptr;
  cl::Int (*clGetDeviceInfo)(cl::Handle, cl::UInt, std::size_t, void*, std::size_t*) = nullptr;
  cl::Handle (*clCreateContext)(const std::intptr_t*, cl::UInt, const cl::Handle*, void*, void*,
                                cl::Int*) = nullptr;
  cl::Handle (*clCreateCommandQueue)(cl::Handle, cl::Handle, cl::Bits, cl::Int*) = nullptr;
  cl::Handle (*clCreateProgramWithSource)(cl::Handle, cl::UInt, const char**, const std::size_t*,
                                          cl::Int*) = nullptr;
  cl::Int (*clBuildProgram)(cl::Handle, cl::UInt, const cl::Handle*, const char*, void*,
                            void*) = nullptr;
  cl::Int (*clGetProgramBuildInfo)(cl::Handle, cl::Handle, cl::UInt, std::size_t, void*,
                                   std::size_t*) = nullptr;
  cl::Int (*clGetProgramInfo)(cl::Handle, cl::UInt, std::size_t, void*, std::size_t*) = nullptr;
  cl::Handle (*clCreateKernel)(cl::Handle, const char*, cl::Int*) = nullptr;
  cl::Int (*clSetKernelArg)(cl::Handle, cl::UInt, std::size_t, const void*) = nullptr;
  cl::Handle (*clCreateBuffer)(cl::Handle, cl::Bits, std::size_t, void*, cl::Int*) = nullptr;
  cl::Int (*clEnqueueNDRangeKernel)(cl::Handle, cl::Handle, cl::UInt, const std::size_t*,
                                    const std::size_t*, const std::size_t*, cl::UInt,
                                    const cl::Handle*, cl::Handle*) = nullptr;
  cl::Int (*clEnqueueReadBuffer)(cl::Handle, cl::Handle, cl::UInt, std::size_t, std::size_t, void*,
                                 cl::UInt, const cl::Handle*, cl::Handle*) = nullptr;
  cl::Int (*clFinish)(cl::Handle) = nullptr;
  cl::Int (*clReleaseMemObject)(cl::Handle) = nullptr;
  cl::Int (*clReleaseKernel)(cl::Handle) = nullptr;
  cl::Int (*clReleaseProgram)(cl::Handle) = nullptr;
  cl::Int (*clReleaseCommandQueue)(cl::Handle) = nullptr;
  cl::Int (*clReleaseContext)(cl::Handle) = nullptr;
};

/// A handle of OpenCL that is released at the end.
class OwnedHandle {
 public:
  OwnedHandle() = default;
  OwnedHandle(cl::Handle handle, cl::Int (*release)(cl::Handle))
      : handle_(handle), release_(release) {}
  OwnedHandle(OwnedHandle&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}
  OwnedHandle& operator=(OwnedHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;
  ~OwnedHandle() {
    if (handle_ != nullptr) release_(handle_);
  }
  [[nodiscard]] cl::Handle get() const { return handle_; }

 private:
  cl::Handle handle_ = nullptr;
  cl::Int (*release_)(cl::Handle) = nullptr;
};

/// That OpenCL is not installed, or has no device.
[[nodiscard]] Refusal refuse_no_device();
/// Refuses `kernel.no_device`.
[[nodiscard]] Result<OpenCl> load_opencl();

}  // namespace heddle::kernel
