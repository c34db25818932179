#include "kernel/device/cpu_program.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "heddle/kernel/cpu_compiler.h"
#include "kernel/device/programs.h"
#include "kernel/device/shared_library.h"

namespace heddle::kernel {

Result<CpuProgram> CpuProgram::load(const std::string& source, const std::string& kernel) {
  CpuProgram program;
  HEDDLE_TRY(program.binary_, compile_for_cpu(source));
  HEDDLE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string path = folder.file("binary");
  HEDDLE_CHECK(write_text(path, program.binary_));
  // Never closed: threads of OpenMP may outlive what uses it.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return refuse("kernel.compile",
                  fmt::format("the kernel cannot be loaded: {}", reason == nullptr ? "" : reason));
  }
  const std::string name = "heddle_run_" + kernel;
  if (!load_function(library, name.c_str(), program.run_)) {
    return refuse("kernel.compile", fmt::format("the object has no {}", name));
  }
  return program;
}

bool CpuProgram::run(const std::vector<void*>& arguments, int threads, int first_core) const {
  return run_(arguments.data(), threads, first_core) == 0;
}

}  // namespace heddle::kernel
