#pragma once

// What others than the compiler need of kernels for CPUs: a header for callers, sources that stand
// in one file with others, and the kernels' own texts in a shared object, from which they are
// loaded with all that is known of their parameters.

#include <span>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "heddle/kernel/thread_program.h"
#include "kernel/source/cpu_texts.h"

namespace heddle::kernel {

/// What the functions of a program are made of. Refuses what to_source() refuses.
[[nodiscard]] Result<CpuFunction> cpu_function(const ThreadProgram& program);

/// A header for C and C++ that declares the functions of a kernel.
[[nodiscard]] std::string declaration_text(const CpuFunction& function,
                                           const ThreadProgram& program);

/// The symbol that holds the names of the kernels of a shared object, one a line.
inline constexpr std::string_view kKernelNames = "heddle_kernels";
/// The symbol that holds the text of a kernel: this and its name.
inline constexpr std::string_view kKernelText = "heddle_text_";
/// Definitions of these symbols in C.
[[nodiscard]] std::string symbols_text(std::span<const Kernel> kernels);

}  // namespace heddle::kernel
