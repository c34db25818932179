// Runs the C compiler on a source.

#include "heddle/kernel/cpu_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "core/text.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "kernel/device/host_compiler.h"
#include "kernel/device/programs.h"
#include "kernel/source/cpu_callers.h"

namespace heddle::kernel {

namespace {

/// How the compiler is run; the head of sources says the same.
std::vector<std::string> words_for(std::vector<std::string> words, bool has_openmp, bool is_clang) {
  words.insert(words.end(), {"-std=gnu17", "-O3", "-march=native", "-fno-math-errno",
                             "-fno-trapping-math", "-ffp-contract=off", "-fPIC", "-shared"});
  words.emplace_back(has_openmp ? "-fopenmp" : "-fopenmp-simd");
  // clang 19 makes wrong vectors of some loops that it was not asked to make vectors of.
  if (is_clang) words.emplace_back("-fno-vectorize");
  return words;
}

}  // namespace

Result<CpuObject> compile_for_cpu(std::string_view source) {
  HEDDLE_TRY(const std::vector<std::string> compiler, find_compiler(kCCompilers));
  HEDDLE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string input = folder.file("source");
  HEDDLE_CHECK(write_text(input, source));
  const std::string output = folder.file("binary");
  const std::string log = folder.file("log");
  std::vector<std::string> asked = compiler;
  asked.emplace_back("--version");
  const bool is_clang = run_program(std::move(asked), log).value_or(false) &&
                        contents(log).find("clang") != std::string::npos;
  for (const bool has_openmp : {true, false}) {
    std::vector<std::string> words = words_for(compiler, has_openmp, is_clang);
    words.insert(words.end(), {"-o", output, "-x", "c", input, "-lm"});
    const auto has_succeeded = run_program(std::move(words), log);
    if (!has_succeeded) return refuse_compiler(kCCompilers, has_succeeded.error());
    std::string binary = *has_succeeded ? contents(output) : std::string();
    if (!binary.empty()) return CpuObject{std::move(binary), compiler.front(), has_openmp};
  }
  return refuse(Diagnostic("kernel.compile", "the C compiler rejects the source of the kernel")
                    .with_note(fmt::format("{} says: {}", fmt::join(compiler, " "),
                                           shortened(contents(log), 2000))));
}

namespace {

/// Refuses names of functions that the libraries beside the object call: they would call it.
Result<void> check_exported(const Kernel& kernel) {
  for (const char* library : {"libc.so.6", "libm.so.6", "libgomp.so.1"}) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr || dlsym(handle, kernel.name.c_str()) == nullptr) continue;
    return refuse(
        Diagnostic(
            "print.name",
            fmt::format("'{}' is a function of {}, which a kernel in a shared object would replace",
                        kernel.name, library))
            .with_span(kernel.place.span)
            .with_hint("choose another name"));
  }
  return {};
}

}  // namespace

Result<CpuObject> compile_for_cpu(std::span<const Kernel> kernels, TargetMachine target) {
  std::vector<ThreadProgram> programs;
  for (const Kernel& kernel : kernels) {
    HEDDLE_CHECK(check_exported(kernel));
    HEDDLE_TRY(programs.emplace_back(), lower(kernel, options_for(target)));
  }
  HEDDLE_TRY(const std::string source, to_source(programs, Target::kCpu));
  return compile_for_cpu(source + symbols_text(kernels));
}

}  // namespace heddle::kernel
