#pragma once

// What a kernel over devices means: each `device` scope is run by one device after the other on its
// parts, and what devices do together is run on whole tensors. All copies of an element are
// written, and are the same: it is refused that two devices leave different ones.

#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/meaning.h"

namespace heddle::kernel {

/// As run(), for a kernel that passes check() and is launched over devices. Refuses the same, and
/// `kernel.replicas`, with the element and both devices.
[[nodiscard]] Result<std::vector<Array>> run_over_devices(const Kernel& kernel,
                                                          std::vector<Array> arguments,
                                                          const RunOptions& options);

}  // namespace heddle::kernel
