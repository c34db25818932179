// C: a kernel is a function that goes through all of its grid by itself, with as many threads as
// OpenMP gives it.

#include "support/cpu.h"
#include "support/devices.h"

#include <dlfcn.h>

#include <chrono>

namespace heddle::kernels {
namespace {

class CDevice final : public CpuDevice {
 public:
  explicit CDevice(const std::string& program) : program_(open_library(program)) {}

  std::string name() const override { return "CPU (C)"; }

  double seconds(const std::function<void()>& work) override {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 protected:
  void launch_with(const std::string& kernel, Extent /*grid*/, Extent /*block*/,
                   std::span<Argument> arguments) override {
    Call(kernel, dlsym(program_, kernel.c_str()), arguments)();
  }

 private:
  void* program_;
};

}  // namespace

std::unique_ptr<Device> open_c(const std::string& program) {
  return std::make_unique<CDevice>(program);
}

}  // namespace heddle::kernels
