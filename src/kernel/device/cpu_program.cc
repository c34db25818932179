#include "kernel/device/cpu_program.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "core/text.h"
#include "heddle/kernel/cpu_compiler.h"
#include "kernel/device/programs.h"
#include "kernel/device/shared_library.h"
#include "kernel/source/cpu_callers.h"

namespace heddle::kernel {

namespace {

/// Never closed: threads of OpenMP may outlive what uses it. A copy is opened, for a path that is
/// open is not opened again where another object stands there by now.
Result<void*> open_object(const std::string& bytes, const std::string& path) {
  HEDDLE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string place = folder.file("binary");
  HEDDLE_CHECK(write_text(place, bytes));
  void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* reason = dlerror();
  return refuse("file.unreadable", fmt::format("{} cannot be loaded: {}", path,
                                               reason == nullptr ? "no reason is given" : reason));
}

const char* symbol_text(void* library, const std::string& name) {
  return static_cast<const char*>(dlsym(library, name.c_str()));
}

Refusal refuse_unknown(void* library, const std::string& path, const std::string& name) {
  const char* names = symbol_text(library, std::string(kKernelNames));
  if (names == nullptr) {
    return refuse(Diagnostic("kernel.unknown", fmt::format("{} has no kernels of heddle", path))
                      .with_hint("heddle kernel compile FILE --target cpu --emit binary -o "
                                 "libkernels.so makes an object of kernels"));
  }
  std::istringstream lines(names);
  std::vector<std::string> list;
  for (std::string line; std::getline(lines, line);) list.push_back(line);
  const std::string what =
      name.empty() ? fmt::format("{} has {} kernels, and none is named", path, list.size())
                   : fmt::format("{} has no kernel '{}'", path, name);
  return refuse(Diagnostic("kernel.unknown", what).with_hint(its_names("kernel", list)));
}

}  // namespace

Result<CpuProgram> CpuProgram::load(const std::string& path, const std::string& kernel) {
  std::string bytes = contents(path);
  if (bytes.empty()) return refuse("file.unreadable", fmt::format("{} cannot be read", path));
  return open(std::move(bytes), path, kernel);
}

Result<CpuProgram> CpuProgram::open(std::string bytes, const std::string& path,
                                    const std::string& kernel) {
  HEDDLE_TRY(void* library, open_object(bytes, path));
  CpuProgram program;
  program.binary_ = std::move(bytes);
  const std::string name = "heddle_run_" + kernel;
  if (!load_function(library, name.c_str(), program.run_)) {
    return refuse_unknown(library, path, kernel);
  }
  return program;
}

Result<CpuProgram> CpuProgram::compile(const Kernel& kernel, TargetMachine target) {
  HEDDLE_TRY(CpuObject object, compile_for_cpu(std::span(&kernel, 1), target));
  auto program = open(std::move(object.bytes), "the object", kernel.name);
  if (!program) {
    return refuse(Diagnostic("kernel.compile", "what the C compiler made cannot be loaded")
                      .with_note(program.error().message()));
  }
  return program;
}

int CpuProgram::run(const std::vector<void*>& arguments, int threads, int first_core) const {
  return run_(arguments.data(), threads, first_core);
}

Result<std::string> text_in_object(const std::string& path, const std::string& name) {
  HEDDLE_TRY(void* library, open_object(contents(path), path));
  std::string chosen = name;
  if (const char* names = symbol_text(library, std::string(kKernelNames)); names && name.empty()) {
    const std::string list = names;
    if (list.find('\n') + 1 == list.size()) chosen = list.substr(0, list.size() - 1);
  }
  const char* text = symbol_text(library, std::string(kKernelText) + chosen);
  if (text == nullptr) return refuse_unknown(library, path, name);
  return std::string(text);
}

}  // namespace heddle::kernel
