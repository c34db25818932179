#pragma once

// Whether a kernel over devices means something: outside of `device` scopes there are only copies
// and reductions of whole tensors, and declarations of tensors over devices.

#include "heddle/core/result.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

/// Refuses `kernel.devices` (a tensor without a layout or of another launch, an operator that
/// devices do not do together, a view that is no whole tensor), `kernel.scope` (other statements
/// outside of `device`), and what check() refuses of each `device` scope and of each operator. The
/// launch and the parameters have been checked.
[[nodiscard]] Result<void> check_over_devices(const Kernel& kernel);

}  // namespace heddle::kernel
