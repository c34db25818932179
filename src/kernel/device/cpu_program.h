#pragma once

// A kernel for this CPU, compiled and loaded.

#include <string>
#include <vector>

#include "heddle/core/result.h"

namespace heddle::kernel {

class CpuProgram {
 public:
  /// Compiles the source and loads the function of the kernel. Refuses what compile_for_cpu()
  /// refuses, and `kernel.compile` for an object that cannot be loaded.
  static Result<CpuProgram> load(const std::string& source, const std::string& kernel);

  /// Whether there was enough memory. Pointers to what the function takes: tensors, sizes, values.
  [[nodiscard]] bool run(const std::vector<void*>& arguments, int threads, int first_core) const;
  [[nodiscard]] const std::string& binary() const { return binary_; }

 private:
  using Run = int (*)(void* const* arguments, int threads, int first_core);
  Run run_ = nullptr;
  std::string binary_;
};

}  // namespace heddle::kernel
