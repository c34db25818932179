#pragma once

// A kernel for this CPU, compiled and loaded.

#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/source.h"

namespace heddle::kernel {

class CpuProgram {
 public:
  /// Compiles a kernel and loads its function. Refuses what compile_for_cpu() refuses, and
  /// `kernel.compile` for an object that cannot be loaded.
  static Result<CpuProgram> compile(const Kernel& kernel, TargetMachine target);
  /// Loads the function of a kernel from a shared object. Refuses `file.unreadable`, and
  /// `kernel.unknown` where the object has no kernel of the name.
  static Result<CpuProgram> load(const std::string& path, const std::string& kernel);

  /// 0; 1 where there was not enough memory, 2 where there are no such threads or cores. The
  /// arguments are pointers to what the function takes: tensors, sizes, values.
  [[nodiscard]] int run(const std::vector<void*>& arguments, int threads, int first_core) const;
  /// The shared object.
  [[nodiscard]] const std::string& binary() const { return binary_; }

 private:
  static Result<CpuProgram> open(std::string bytes, const std::string& path,
                                 const std::string& kernel);

  using Run = int (*)(void* const* arguments, int threads, int first_core);
  Run run_ = nullptr;
  std::string binary_;
};

/// The text of a kernel in a shared object; of the only one if the name is empty. Refuses
/// `file.unreadable`, and `kernel.unknown` with the names that there are.
[[nodiscard]] Result<std::string> text_in_object(const std::string& path, const std::string& name);

}  // namespace heddle::kernel
