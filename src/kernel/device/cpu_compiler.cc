// Runs the C compiler on a source.

#include "heddle/kernel/cpu_compiler.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "core/text.h"
#include "kernel/device/programs.h"

namespace heddle::kernel {

namespace {

Refusal refuse_c_compiler(std::string what) {
  return refuse(Diagnostic("kernel.no_compiler", std::move(what))
                    .with_hint("install gcc or clang, or set CC to the path of a C compiler; "
                               "--emit source needs none"));
}

Result<std::string> find_c_compiler() {
  const char* named = std::getenv("CC");
  if (named != nullptr && *named != '\0') {
    const bool is_path = std::string_view(named).find('/') != std::string_view::npos;
    if (is_path && is_program(named)) return std::string(named);
    if (auto path = is_path ? std::nullopt : in_search_path(named)) return *std::move(path);
    return refuse_c_compiler(fmt::format("CC is {}, where no program is", named));
  }
  for (const char* name : {"cc", "gcc", "clang"}) {
    if (auto path = in_search_path(name)) return *std::move(path);
  }
  return refuse_c_compiler(
      "there is no C compiler here: CC is not set, and no folder of PATH has cc, gcc or clang");
}

}  // namespace

Result<std::string> compile_for_cpu(std::string_view source) {
  HEDDLE_TRY(const std::string compiler, find_c_compiler());
  HEDDLE_TRY(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string input = folder.file("source");
  HEDDLE_CHECK(write_text(input, source));
  const std::string output = folder.file("binary");
  const std::string log = folder.file("log");
  // clang 19 makes wrong vectors of some loops that it was not asked to make vectors of.
  const bool is_clang = run_program({compiler, "--version"}, log).value_or(false) &&
                        contents(log).find("clang") != std::string::npos;
  for (const bool has_openmp : {true, false}) {
    std::vector<std::string> words = {compiler,
                                      "-std=gnu17",
                                      "-O3",
                                      "-march=native",
                                      "-fno-math-errno",
                                      "-fno-trapping-math",
                                      "-ffp-contract=off",
                                      "-fPIC",
                                      "-shared"};
    words.emplace_back(has_openmp ? "-fopenmp" : "-fopenmp-simd");
    if (is_clang) words.emplace_back("-fno-vectorize");
    words.insert(words.end(), {"-o", output, "-x", "c", input, "-lm"});
    const auto has_succeeded = run_program(std::move(words), log);
    if (!has_succeeded) return refuse_c_compiler(has_succeeded.error());
    std::string binary = *has_succeeded ? contents(output) : std::string();
    if (!binary.empty()) return binary;
  }
  return refuse(
      Diagnostic("kernel.compile", "the C compiler does not take the source of the kernel")
          .with_note(fmt::format("{} says: {}", compiler, shortened(contents(log), 2000))));
}

}  // namespace heddle::kernel
