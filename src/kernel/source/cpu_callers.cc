#include "kernel/source/cpu_callers.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/source/launcher_texts.h"
#include "kernel/source/usage.h"
#include "kernel/source_names.h"

namespace heddle::kernel {

namespace {

/// `M >= 1, N % 4 == 0`.
std::string assumed_text(const ThreadProgram& program) {
  std::string text;
  for (const Condition& each : program.assumed) {
    text += fmt::format(" *   assumes {}\n", heddle::to_string(each));
  }
  return text;
}

/// ` *   const float* X   X: f32[M,N], read`, or what else a parameter is.
std::string parameter_text(const CParameter& parameter, const ThreadProgram& program,
                           const Usage& usage) {
  const auto tensor = std::ranges::find(program.parameters, parameter.name,
                                        [](const Tensor& each) { return source_name(each.name); });
  if (tensor == program.parameters.end()) return fmt::format("{}: a size", parameter.name);
  if (tensor->space == Space::kValue) return fmt::format("{}: a value", to_string(*tensor));
  const bool is_loaded = usage.loaded.contains(tensor->name);
  const bool is_written = usage.written.contains(tensor->name);
  return fmt::format("{}: {}", to_string(*tensor),
                     !is_written ? "read"
                     : is_loaded ? "read and written"
                                 : "written");
}

}  // namespace

std::string declaration_text(const CpuFunction& function, const ThreadProgram& program) {
  std::string described;
  std::string declared;
  Usage usage;
  usage.read(program.body);
  for (const CParameter& each : function.parameters) {
    described += fmt::format(" *   {}\n", parameter_text(each, program, usage));
    declared += fmt::format("{} {}, ", each.type, each.name);
  }
  return fmt::format(R"(/* {0}, a kernel for CPUs, written by heddle. */
#ifndef HEDDLE_DECLARED_{0}
#define HEDDLE_DECLARED_{0}

#ifdef __cplusplus
extern "C" {{
#endif

/**
 * {0}:
 *
{1}{2} *
 * Tensors are row-major if no layout is written, and no memory that is written is that of another
 * tensor. Types that C does not have are held as unsigned integers of their bits. Nothing is checked;
 * sizes are at least 1.
 *
 * heddle_threads work, at most as many as there are cores (0: as OpenMP is set), the first of them
 * on heddle_core, the others on the cores after it (-1: on any). Returns 0; 1 where there is no
 * memory for the threads, 2 where there are no such threads or cores, and then nothing is done.
 */
int {0}({3}int heddle_threads, int heddle_core);

/** The same, with a pointer to each argument: a tensor's first element, a size or a value. */
int heddle_run_{0}(void* const* heddle_arguments, int heddle_threads, int heddle_core);

#ifdef __cplusplus
}}
#endif
#endif
)",
                     function.name, described, assumed_text(program), declared);
}

std::string symbols_text(std::span<const Kernel> kernels) {
  std::string names;
  std::string texts;
  for (const Kernel& kernel : kernels) {
    names += kernel.name + "\n";
    texts += fmt::format("const char {}{}[] = {};\n", kKernelText, kernel.name,
                         literal_of_c(to_string(kernel)));
  }
  return fmt::format("\nconst char {}[] = {};\n{}", kKernelNames, literal_of_c(names), texts);
}

}  // namespace heddle::kernel
