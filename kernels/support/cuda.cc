// CUDA, by its driver interface. The library is looked up when a program is opened, so that nothing
// has to be installed to build this: the few functions in use are declared here as cuda.h has them.

#include "support/devices.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <map>

namespace heddle::kernels {
namespace {

using Status = int;
using CuDevice = int;
using CuPointer = unsigned long long;
using CuContext = struct CuContextTag*;
using CuModule = struct CuModuleTag*;
using CuFunction = struct CuFunctionTag*;
using CuStream = struct CuStreamTag*;
using CuEvent = struct CuEventTag*;

struct Library {
  Library() : handle(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) throw DeviceMissing("no CUDA driver is installed (libcuda.so.1)");
    find(init, "cuInit");
    find(error_string, "cuGetErrorString");
    find(device_get, "cuDeviceGet");
    find(device_name, "cuDeviceGetName");
    find(context_retain, "cuDevicePrimaryCtxRetain");
    find(context_release, "cuDevicePrimaryCtxRelease_v2");
    find(context_set, "cuCtxSetCurrent");
    find(synchronize, "cuCtxSynchronize");
    find(module_load, "cuModuleLoadData");
    find(module_unload, "cuModuleUnload");
    find(module_function, "cuModuleGetFunction");
    find(allocate, "cuMemAlloc_v2");
    find(release, "cuMemFree_v2");
    find(to_device, "cuMemcpyHtoD_v2");
    find(to_host, "cuMemcpyDtoH_v2");
    find(launch, "cuLaunchKernel");
    find(event_create, "cuEventCreate");
    find(event_destroy, "cuEventDestroy_v2");
    find(event_record, "cuEventRecord");
    find(event_wait, "cuEventSynchronize");
    find(event_elapsed, "cuEventElapsedTime");
  }

  template <class Function>
  void find(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr) throw DeviceMissing(std::string("the CUDA driver has no ") + name);
  }

  void check(Status status, const std::string& what) const {
    if (status == 0) return;
    const char* text = nullptr;
    error_string(status, &text);
    throw std::runtime_error("CUDA: " + what + ": " + (text != nullptr ? text : "unknown error"));
  }

  void* handle;
  Status (*init)(unsigned);
  Status (*error_string)(Status, const char**);
  Status (*device_get)(CuDevice*, int);
  Status (*device_name)(char*, int, CuDevice);
  Status (*context_retain)(CuContext*, CuDevice);
  Status (*context_release)(CuDevice);
  Status (*context_set)(CuContext);
  Status (*synchronize)();
  Status (*module_load)(CuModule*, const void*);
  Status (*module_unload)(CuModule);
  Status (*module_function)(CuFunction*, CuModule, const char*);
  Status (*allocate)(CuPointer*, std::size_t);
  Status (*release)(CuPointer);
  Status (*to_device)(CuPointer, const void*, std::size_t);
  Status (*to_host)(void*, CuPointer, std::size_t);
  Status (*launch)(CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   CuStream, void**, void**);
  Status (*event_create)(CuEvent*, unsigned);
  Status (*event_destroy)(CuEvent);
  Status (*event_record)(CuEvent, CuStream);
  Status (*event_wait)(CuEvent);
  Status (*event_elapsed)(float*, CuEvent, CuEvent);
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const std::string& program, const std::string& twin)
      : variant_(variant_of(program)) {
    if (cuda_.init(0) != 0 || cuda_.device_get(&device_, 0) != 0) {
      throw DeviceMissing("no CUDA device is there");
    }
    cuda_.check(cuda_.context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    cuda_.check(cuda_.context_set(context_), "cuCtxSetCurrent");
    module_ = load(program);
    if (!twin.empty()) twin_ = load(twin);
    cuda_.check(cuda_.event_create(&begin_, 0), "cuEventCreate");
    cuda_.check(cuda_.event_create(&end_, 0), "cuEventCreate");
  }

  ~CudaDevice() override {
    cuda_.event_destroy(begin_);
    cuda_.event_destroy(end_);
    if (twin_ != nullptr) cuda_.module_unload(twin_);
    cuda_.module_unload(module_);
    cuda_.context_release(device_);
  }

  std::string name() const override {
    std::array<char, 256> text{};
    cuda_.check(cuda_.device_name(text.data(), static_cast<int>(text.size()) - 1, device_),
                "cuDeviceGetName");
    return std::string(text.data()) + " (CUDA)";
  }

  bool is_gpu() const override { return true; }

  void finish() override { cuda_.check(cuda_.synchronize(), "cuCtxSynchronize"); }

  double seconds(const std::function<void()>& work) override {
    cuda_.check(cuda_.event_record(begin_, nullptr), "cuEventRecord");
    work();
    cuda_.check(cuda_.event_record(end_, nullptr), "cuEventRecord");
    cuda_.check(cuda_.event_wait(end_), "cuEventSynchronize");
    float milliseconds = 0;
    cuda_.check(cuda_.event_elapsed(&milliseconds, begin_, end_), "cuEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  Memory allocate(std::size_t bytes) override {
    CuPointer pointer = 0;
    cuda_.check(cuda_.allocate(&pointer, std::max<std::size_t>(bytes, 1)),
                "cuMemAlloc of " + std::to_string(bytes) + " bytes");
    return pointer;
  }

  void release(Memory memory) override { cuda_.release(memory); }

  void write(Memory memory, const void* from, std::size_t bytes) override {
    if (bytes != 0) cuda_.check(cuda_.to_device(memory, from, bytes), "cuMemcpyHtoD");
  }

  void read(Memory memory, void* to, std::size_t bytes) override {
    if (bytes != 0) cuda_.check(cuda_.to_host(to, memory, bytes), "cuMemcpyDtoH");
  }

 protected:
  void launch_with(const std::string& kernel, Extent grid, Extent block,
                   std::span<Argument> arguments) override {
    std::vector<void*> addresses;
    for (Argument& argument : arguments) addresses.push_back(argument.data());
    const auto count = [](std::int64_t n) { return static_cast<unsigned>(n); };
    cuda_.check(cuda_.launch(find_kernel(kernel), count(grid.x), count(grid.y), count(grid.z),
                             count(block.x), count(block.y), count(block.z), 0, nullptr,
                             addresses.data(), nullptr),
                "launch of " + kernel);
  }

 private:
  CuModule load(const std::string& path) {
    CuModule module = nullptr;
    const std::string image = read_file(path);
    cuda_.check(cuda_.module_load(&module, image.c_str()), path);
    return module;
  }

  CuFunction find_kernel(const std::string& name) {
    CuFunction& function = kernels_[name];
    if (function != nullptr) return function;
    if (twin_ != nullptr) {
      const std::string in_variant = name + "_" + variant_;
      if (cuda_.module_function(&function, twin_, in_variant.c_str()) == 0) return function;
      if (cuda_.module_function(&function, twin_, name.c_str()) == 0) return function;
    }
    cuda_.check(cuda_.module_function(&function, module_, name.c_str()),
                "no kernel is called " + name);
    return function;
  }

  Library cuda_;
  CuDevice device_ = 0;
  CuContext context_ = nullptr;
  std::string variant_;
  CuModule module_ = nullptr;
  CuModule twin_ = nullptr;
  CuEvent begin_ = nullptr;
  CuEvent end_ = nullptr;
  std::map<std::string, CuFunction> kernels_;
};

}  // namespace

std::unique_ptr<Device> open_cuda(const std::string& program, const std::string& twin) {
  return std::make_unique<CudaDevice>(program, twin);
}

}  // namespace heddle::kernels
