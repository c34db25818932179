#pragma once

// Kernels as text, in .heddle files beside layouts, names and assumptions (kernel/program.h).
//
//   parse_kernels("kernel scale(X: f32[M,N], alpha: f32) launch cta M, threads 128 { … }")
//   to_string(kernel)      the text that parses to the kernel (kernel/program.h)

#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/diagnostic.h"
#include "heddle/core/result.h"
#include "heddle/kernel/program.h"
#include "heddle/notation/evaluator.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The kernels of a program, in order. Its other statements bind names, assume and declare axes for
/// those after them; layouts, integers and axes of kernels may use them. Refuses what the parser
/// and the evaluator refuse, and what kernel::check() refuses, with places in the text.
/// Cost: linear, and that of the layouts.
[[nodiscard]] Result<std::vector<kernel::Kernel>> parse_kernels(
    std::string_view text, const Environment& environment = {});

/// The kernels of a program, and what refuses the others.
struct ReadKernels {
  struct Refused {
    std::string name;
    Diagnostic why;
  };
  std::vector<kernel::Kernel> kernels;
  std::vector<Refused> refused;
};
/// As parse_kernels(), but what only one kernel means is refused for this one alone. Refuses what
/// the parser refuses, and the other statements.
[[nodiscard]] Result<ReadKernels> parse_each_kernel(std::string_view text,
                                                    const Environment& environment = {});

/// The kernel of that name; the only one of the text if the name is empty. Refuses the same, but of
/// other kernels only what the parser refuses, and `kernel.unknown` with the names that there are.
[[nodiscard]] Result<kernel::Kernel> parse_kernel(std::string_view text, std::string_view name,
                                                  const Environment& environment = {});

}  // namespace heddle::notation
#pragma GCC visibility pop
