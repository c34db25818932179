// Runs CUDA's kernels on the CPU, compiled as C++ with checker/models/cuda_on_cpu.h, by the crew of
// the checker: the first thread first, or the last one.

#include "support/cpu.h"
#include "support/devices.h"

#include <dlfcn.h>

#include <memory>
#include <stdexcept>

#include "checker/crew.h"

namespace heddle::kernels {
namespace {

class CudaOnCpu final : public CpuDevice {
 public:
  explicit CudaOnCpu(const std::string& program, const std::string& twin)
      : variant_(variant_of(program)), program_(open_library(program)) {
    if (!twin.empty()) twin_ = open_library(twin);
  }

  std::string name() const override { return "CPU (CUDA)"; }

  void set_order(ThreadOrder order) override { order_ = order; }

  // Nothing is measured that would mean anything.
  double seconds(const std::function<void()>& work) override {
    work();
    return 0;
  }

 protected:
  void launch_with(const std::string& kernel, Extent grid, Extent block,
                   std::span<Argument> arguments) override {
    const auto extents = [](Extent extent) {
      return checker::Extents{static_cast<unsigned>(extent.x), static_cast<unsigned>(extent.y),
                              static_cast<unsigned>(extent.z)};
    };
    checker::Watcher nobody;
    checker::Crew crew(nobody, order_ == ThreadOrder::kFirstFirst
                                   ? checker::ThreadOrder::kFirstFirst
                                   : checker::ThreadOrder::kLastFirst);
    void* library = program_;
    void* const function = find_kernel(kernel, library);
    crew.join(library);
    if (!crew.run(Call(kernel, function, arguments), extents(grid), extents(block))) {
      throw std::runtime_error("threads wait for others that wait for something else");
    }
  }

 private:
  // And the library that it is in: the twin has the kernels, the program what serves the driver.
  void* find_kernel(const std::string& name, void*& library) {
    if (twin_ == nullptr) return dlsym(program_, name.c_str());
    library = twin_;
    if (void* const found = dlsym(twin_, (name + "_" + variant_).c_str())) return found;
    if (void* const found = dlsym(twin_, name.c_str())) return found;
    library = program_;
    const bool is_servant = name == "geometry" || name == "arrange" || name == "restore";
    return is_servant ? dlsym(program_, name.c_str()) : nullptr;
  }

  std::string variant_;
  ThreadOrder order_ = ThreadOrder::kFirstFirst;
  void* program_;
  void* twin_ = nullptr;
};

}  // namespace

std::unique_ptr<Device> open_cuda_on_cpu(const std::string& program, const std::string& twin) {
  return std::make_unique<CudaOnCpu>(program, twin);
}

}  // namespace heddle::kernels
