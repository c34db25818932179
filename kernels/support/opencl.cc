// OpenCL 1.2, by its C interface.

#include "support/devices.h"

#ifdef HEDDLE_KERNELS_OPENCL

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <map>

namespace heddle::kernels {
namespace {

void check(cl_int status, const std::string& what) {
  if (status != CL_SUCCESS) {
    throw std::runtime_error("OpenCL: " + what + ": error " + std::to_string(status));
  }
}

template <auto kRelease>
struct Releaser {
  template <class Handle>
  void operator()(Handle handle) const {
    kRelease(handle);
  }
};
template <class Handle, auto kRelease>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Releaser<kRelease>>;

// A GPU if there is one, else whatever there is.
cl_device_id find_device() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    throw DeviceMissing("no OpenCL platform is installed");
  }
  std::vector<cl_platform_id> platforms(count);
  check(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (const cl_device_type type :
       {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}}) {
    for (cl_platform_id platform : platforms) {
      cl_device_id device = nullptr;
      if (clGetDeviceIDs(platform, type, 1, &device, nullptr) == CL_SUCCESS) return device;
    }
  }
  throw DeviceMissing("no OpenCL device is there");
}

class OpenClDevice final : public Device {
 public:
  explicit OpenClDevice(const std::string& path) : device_(find_device()) {
    cl_int status = CL_SUCCESS;
    context_.reset(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status));
    check(status, "clCreateContext");
    queue_.reset(clCreateCommandQueue(context_.get(), device_, CL_QUEUE_PROFILING_ENABLE, &status));
    check(status, "clCreateCommandQueue");
    const std::string text = read_file(path);
    const char* source = text.c_str();
    program_.reset(clCreateProgramWithSource(context_.get(), 1, &source, nullptr, &status));
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(program_.get(), 1, &device_, "-cl-std=CL1.2", nullptr, nullptr);
    if (status != CL_SUCCESS) throw std::runtime_error(path + ": does not compile\n" + build_log());
  }

  std::string name() const override {
    std::array<char, 256> text{};
    clGetDeviceInfo(device_, CL_DEVICE_NAME, text.size() - 1, text.data(), nullptr);
    return std::string(text.data()) + " (OpenCL)";
  }

  bool is_gpu() const override {
    cl_device_type type = 0;
    clGetDeviceInfo(device_, CL_DEVICE_TYPE, sizeof type, &type, nullptr);
    return (type & CL_DEVICE_TYPE_GPU) != 0;
  }

  void finish() override { check(clFinish(queue_.get()), "clFinish"); }

  double seconds(const std::function<void()>& work) override {
    finish();
    first_.reset();
    last_.reset();
    timing_ = true;
    work();
    finish();
    timing_ = false;
    if (!last_) return 0;
    const cl_ulong begin = profile(first_ ? first_.get() : last_.get(), CL_PROFILING_COMMAND_START);
    return 1e-9 * static_cast<double>(profile(last_.get(), CL_PROFILING_COMMAND_END) - begin);
  }

  Memory allocate(std::size_t bytes) override {
    cl_int status = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(context_.get(), CL_MEM_READ_WRITE,
                                   std::max<std::size_t>(bytes, 1), nullptr, &status);
    check(status, "clCreateBuffer of " + std::to_string(bytes) + " bytes");
    return reinterpret_cast<Memory>(memory);
  }

  void release(Memory memory) override { clReleaseMemObject(reinterpret_cast<cl_mem>(memory)); }

  void write(Memory memory, const void* from, std::size_t bytes) override {
    if (bytes == 0) return;
    check(clEnqueueWriteBuffer(queue_.get(), reinterpret_cast<cl_mem>(memory), CL_TRUE, 0, bytes,
                               from, 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }

  void read(Memory memory, void* to, std::size_t bytes) override {
    if (bytes == 0) return;
    check(clEnqueueReadBuffer(queue_.get(), reinterpret_cast<cl_mem>(memory), CL_TRUE, 0, bytes, to,
                              0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }

 protected:
  void launch_with(const std::string& kernel, Extent grid, Extent block,
                   std::span<Argument> arguments) override {
    cl_kernel function = find_kernel(kernel);
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      check(clSetKernelArg(function, i, arguments[i].size(), arguments[i].data()),
            kernel + ", argument " + std::to_string(i));
    }
    const std::array<std::size_t, 3> local{static_cast<std::size_t>(block.x),
                                           static_cast<std::size_t>(block.y),
                                           static_cast<std::size_t>(block.z)};
    const std::array<std::size_t, 3> global{static_cast<std::size_t>(grid.x * block.x),
                                            static_cast<std::size_t>(grid.y * block.y),
                                            static_cast<std::size_t>(grid.z * block.z)};
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue_.get(), function, 3, nullptr, global.data(), local.data(), 0,
                                 nullptr, timing_ ? &event : nullptr),
          "launch of " + kernel);
    if (timing_) {
      if (last_ && !first_) first_ = std::move(last_);
      last_.reset(event);
    }
  }

 private:
  cl_kernel find_kernel(const std::string& name) {
    auto& kernel = kernels_[name];
    if (!kernel) {
      cl_int status = CL_SUCCESS;
      kernel.reset(clCreateKernel(program_.get(), name.c_str(), &status));
      check(status, "no kernel is called " + name);
    }
    return kernel.get();
  }

  static cl_ulong profile(cl_event event, cl_profiling_info what) {
    cl_ulong nanoseconds = 0;
    check(clGetEventProfilingInfo(event, what, sizeof nanoseconds, &nanoseconds, nullptr),
          "clGetEventProfilingInfo");
    return nanoseconds;
  }

  std::string build_log() const {
    std::size_t size = 0;
    clGetProgramBuildInfo(program_.get(), device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    clGetProgramBuildInfo(program_.get(), device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    return log;
  }

  cl_device_id device_;
  Owned<cl_context, clReleaseContext> context_;
  Owned<cl_command_queue, clReleaseCommandQueue> queue_;
  Owned<cl_program, clReleaseProgram> program_;
  std::map<std::string, Owned<cl_kernel, clReleaseKernel>> kernels_;
  // While seconds() runs: its first launch but for the last, and the last.
  bool timing_ = false;
  Owned<cl_event, clReleaseEvent> first_;
  Owned<cl_event, clReleaseEvent> last_;
};

}  // namespace

std::unique_ptr<Device> open_opencl(const std::string& program) {
  return std::make_unique<OpenClDevice>(program);
}

}  // namespace heddle::kernels

#else

namespace heddle::kernels {

std::unique_ptr<Device> open_opencl(const std::string& /*program*/) {
  throw DeviceMissing("built without OpenCL");
}

}  // namespace heddle::kernels

#endif
