#pragma once

// What the actions of `heddle kernel` have in common.

#include <string>
#include <string_view>

#include "heddle/commands.h"
#include "heddle/kernel/device.h"
#include "heddle/kernel/source.h"
#include "heddle/kernel_arrays.h"

namespace heddle::app {

/// The target that is said, or the usual one. Refuses what kernel::parse_target() refuses.
[[nodiscard]] Result<kernel::TargetMachine> target_of(const Call& call,
                                                      std::string_view usual = "cuda");
/// For a kernel that is checked: the files or the sizes that are said, or small numbers.
[[nodiscard]] Result<KernelArguments> checked_arguments(const Call& call,
                                                        const kernel::Kernel& kernel);
/// `  C: all 1000 elements are the same`
[[nodiscard]] std::string deviation_line(const kernel::Kernel& kernel,
                                         const kernel::Deviation& each);

/// Runs the kernel's CUDA, emitted or that of a file, under the checker beside its meaning.
[[nodiscard]] Outcome check_under_checker(const Call& call, const kernel::Kernel& kernel,
                                          const Source& source);

}  // namespace heddle::app
