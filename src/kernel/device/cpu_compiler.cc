// Runs the C compiler on a source.

#include "heddle/kernel/cpu_compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

#include "core/text.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "kernel/device/programs.h"
#include "kernel/source/cpu_callers.h"

namespace heddle::kernel {

namespace {

Refusal refuse_c_compiler(std::string what) {
  return refuse(Diagnostic("kernel.no_compiler", std::move(what))
                    .with_hint("install gcc or clang, or set CC to the path of a C compiler; "
                               "--emit source needs none"));
}

/// Plain words; what a shell would do to others is not guessed.
Result<std::vector<std::string>> words_of(const std::string& command) {
  const std::size_t special = command.find_first_of("\"'`\\$*?[]{}()<>|&;#~!\n");
  if (special != std::string::npos) {
    return refuse_c_compiler(
        fmt::format("CC is {}, and only plain words are taken apart: no shell sees the {}", command,
                    command[special] == '\n' ? "end of a line" : command.substr(special, 1)));
  }
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

/// The compiler's path, and options that CC has behind it.
Result<std::vector<std::string>> find_c_compiler() {
  const char* named = std::getenv("CC");
  const auto is_path = [](std::string_view name) { return name.find('/') != name.npos; };
  if (named != nullptr && is_path(named) && is_program(named))
    return std::vector{std::string(named)};
  std::vector<std::string> words;
  if (named != nullptr) {
    HEDDLE_TRY(words, words_of(named));
  }
  if (!words.empty()) {
    if (is_path(words.front()) && is_program(words.front())) return words;
    auto path = is_path(words.front()) ? std::nullopt : in_search_path(words.front());
    if (!path) return refuse_c_compiler(fmt::format("CC is {}, where no program is", named));
    words.front() = *std::move(path);
    return words;
  }
  for (const char* name : {"cc", "gcc", "clang"}) {
    if (auto path = in_search_path(name)) return std::vector{*std::move(path)};
  }
  return refuse_c_compiler(
      "there is no C compiler here: CC is not set, and no folder of PATH has cc, gcc or clang");
}

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
  HEDDLE_TRY(const std::vector<std::string> compiler, find_c_compiler());
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
    if (!has_succeeded) return refuse_c_compiler(has_succeeded.error());
    std::string binary = *has_succeeded ? contents(output) : std::string();
    if (!binary.empty()) return CpuObject{std::move(binary), compiler.front(), has_openmp};
  }
  return refuse(
      Diagnostic("kernel.compile", "the C compiler does not take the source of the kernel")
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
        Diagnostic("print.name", fmt::format("'{}' is a function of {}, which a kernel in "
                                             "a shared object would stand in for",
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
