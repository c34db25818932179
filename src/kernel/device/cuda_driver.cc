#include "kernel/device/cuda_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernel/device/shared_library.h"

namespace heddle::kernel {

namespace {

Refusal refuse_no_gpu() {
  return refuse(Diagnostic("kernel.no_device", "there is no GPU for CUDA here")
                    .with_hint("--target opencl and --target cpu run on other devices, and "
                               "`heddle kernel run` without any"));
}

}  // namespace

Result<CudaDriver> load_cuda_driver() {
  // Never closed: its threads may outlive what uses it.
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse_no_gpu();
  CudaDriver driver;
#define HEDDLE_FIND(name)                                                                         \
  if (!load_function(library, #name, driver.name)) {                                              \
    return refuse("kernel.no_device", fmt::format("the installed CUDA driver has no {}", #name)); \
  }
  HEDDLE_FIND(cuInit)
  HEDDLE_FIND(cuGetErrorString)
  HEDDLE_FIND(cuDeviceGet)
  HEDDLE_FIND(cuDeviceGetName)
  HEDDLE_FIND(cuDeviceGetAttribute)
  HEDDLE_FIND(cuDevicePrimaryCtxRetain)
  HEDDLE_FIND(cuDevicePrimaryCtxRelease_v2)
  HEDDLE_FIND(cuCtxPushCurrent_v2)
  HEDDLE_FIND(cuCtxPopCurrent_v2)
  HEDDLE_FIND(cuCtxSynchronize)
  HEDDLE_FIND(cuModuleLoadData)
  HEDDLE_FIND(cuModuleUnload)
  HEDDLE_FIND(cuModuleGetFunction)
  HEDDLE_FIND(cuFuncSetAttribute)
  HEDDLE_FIND(cuMemAlloc_v2)
  HEDDLE_FIND(cuMemFree_v2)
  HEDDLE_FIND(cuMemcpyHtoD_v2)
  HEDDLE_FIND(cuMemcpyDtoH_v2)
  HEDDLE_FIND(cuLaunchKernel)
#undef HEDDLE_FIND
  cu::Device first = 0;
  if (driver.cuInit(0) != 0 || driver.cuDeviceGet(&first, 0) != 0) return refuse_no_gpu();
  return driver;
}

}  // namespace heddle::kernel
