#pragma once

// The arguments of kernels, read from files of tensors, and their results.

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/kernel/meaning.h"

namespace heddle::app {

struct KernelArguments {
  /// One for each parameter.
  std::vector<kernel::Array> arrays;
  kernel::Sizes sizes;
  /// The parameters that are written to files, in order.
  std::vector<std::size_t> results;
};

/// The arguments of a kernel: a file or a number for each parameter, in order, or of the one that
/// it names, `eps=1e-5`. If there are fewer by `outputs`, the last parameters that the kernel
/// writes begin as zeros. Refuses `kernel.arguments`, `kernel.argument`, and what files refuse.
[[nodiscard]] Result<KernelArguments> arguments_of(const kernel::Kernel& kernel,
                                                   const std::vector<std::string>& given,
                                                   std::size_t outputs,
                                                   const std::vector<std::string>& sizes);

/// Arguments for parameters of these sizes: small numbers, the same ones each time, but for what
/// the rules say. Refuses what kernel::made_arguments() refuses.
[[nodiscard]] Result<KernelArguments> made_arguments(const kernel::Kernel& kernel,
                                                     const std::vector<std::string>& sizes,
                                                     const kernel::DataRules& rules);

/// `--value eps=1e-5` and `--range table=0:P`, whose ends may be sizes, of the parameters of one
/// kernel. Refuses `usage.option` for other texts.
[[nodiscard]] Result<kernel::DataRules> data_rules(const kernel::Kernel& kernel,
                                                   const std::vector<std::string>& values,
                                                   const std::vector<std::string>& ranges,
                                                   const kernel::Sizes& sizes);

/// Writes each result to its file.
[[nodiscard]] Result<void> write_results(const kernel::Kernel& kernel,
                                         const KernelArguments& arguments,
                                         const std::vector<kernel::Array>& results,
                                         const std::vector<std::string>& paths);

}  // namespace heddle::app
