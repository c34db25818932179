#include "kernel/device/opencl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "kernel/device/shared_library.h"

namespace heddle::kernel {

Refusal refuse_no_device() {
  return refuse(Diagnostic("kernel.no_device", "there is no OpenCL device here")
                    .with_hint("on Debian, for this CPU: apt install pocl-opencl-icd"));
}

Result<OpenCl> load_opencl() {
  // Never closed: its threads may outlive what uses it.
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refuse_no_device();
  OpenCl cl;
#define HEDDLE_FIND(name)                                                                    \
  if (!load_function(library, #name, cl.name)) {                                             \
    return refuse("kernel.no_device", fmt::format("the installed OpenCL has no {}", #name)); \
  }
  HEDDLE_FIND(clGetPlatformIDs)
  HEDDLE_FIND(clGetDeviceIDs)
  HEDDLE_FIND(clGetDeviceInfo)
  HEDDLE_FIND(clCreateContext)
  HEDDLE_FIND(clCreateCommandQueue)
  HEDDLE_FIND(clCreateProgramWithSource)
  HEDDLE_FIND(clBuildProgram)
  HEDDLE_FIND(clGetProgramBuildInfo)
  HEDDLE_FIND(clGetProgramInfo)
  HEDDLE_FIND(clCreateKernel)
  HEDDLE_FIND(clSetKernelArg)
  HEDDLE_FIND(clCreateBuffer)
  HEDDLE_FIND(clEnqueueNDRangeKernel)
  HEDDLE_FIND(clEnqueueReadBuffer)
  HEDDLE_FIND(clFinish)
  HEDDLE_FIND(clReleaseMemObject)
  HEDDLE_FIND(clReleaseKernel)
  HEDDLE_FIND(clReleaseProgram)
  HEDDLE_FIND(clReleaseCommandQueue)
  HEDDLE_FIND(clReleaseContext)
#undef HEDDLE_FIND
  return cl;
}

}  // namespace heddle::kernel
