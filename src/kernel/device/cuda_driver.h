#pragma once

// The functions of CUDA's driver that kernels are run with, found when they are needed: nothing
// links to CUDA, and a machine without it is told so.

#include <cstddef>
#include <cstdint>

#include "heddle/core/result.h"

namespace heddle::kernel {

/// Handles and numbers as the driver's C interface has them.
namespace cu {
using Status = int;
using Device = int;
using Pointer = std::uint64_t;
using Handle = void*;

inline constexpr int kMajorVersion = 75;
inline constexpr int kMinorVersion = 76;
/// CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
inline constexpr int kMostSharedBytes = 8;
}  // namespace cu

struct CudaDriver {
  cu::Status (*cuInit)(unsigned) = nullptr;
  cu::Status (*cuGetErrorString)(cu::Status, const char**) = nullptr;
  cu::Status (*cuDeviceGet)(cu::Device*, int) = nullptr;
  cu::Status (*cuDeviceGetName)(char*, int, cu::Device) = nullptr;
  cu::Status (*cuDeviceGetAttribute)(int*, int, cu::Device) = nullptr;
  cu::Status (*cuDevicePrimaryCtxRetain)(cu::Handle*, cu::Device) = nullptr;
  cu::Status (*cuDevicePrimaryCtxRelease_v2)(cu::Device) = nullptr;
  cu::Status (*cuCtxPushCurrent_v2)(cu::Handle) = nullptr;
  cu::Status (*cuCtxPopCurrent_v2)(cu::Handle*) = nullptr;
  cu::Status (*cuCtxSynchronize)() = nullptr;
  cu::Status (*cuModuleLoadData)(cu::Handle*, const void*) = nullptr;
  cu::Status (*cuModuleUnload)(cu::Handle) = nullptr;
  cu::Status (*cuModuleGetFunction)(cu::Handle*, cu::Handle, const char*) = nullptr;
  cu::Status (*cuFuncSetAttribute)(cu::Handle, int, int) = nullptr;
  cu::Status (*cuMemAlloc_v2)(cu::Pointer*, std::size_t) = nullptr;
  cu::Status (*cuMemFree_v2)(cu::Pointer) = nullptr;
  cu::Status (*cuMemcpyHtoD_v2)(cu::Pointer, const void*, std::size_t) = nullptr;
  cu::Status (*cuMemcpyDtoH_v2)(void*, cu::Pointer, std::size_t) = nullptr;
  cu::Status (*cuLaunchKernel)(cu::Handle, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, unsigned, cu::Handle, void**, void**) = nullptr;
};

/// Refuses `kernel.no_device`: no driver is installed, it is too old, or it finds no GPU.
[[nodiscard]] Result<CudaDriver> load_cuda_driver();

}  // namespace heddle::kernel
