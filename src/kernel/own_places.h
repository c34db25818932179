#pragma once

// Whether each element of a layout has a place of its own. A tensor that is written needs this:
// two elements at one place would be one value, and which of the two it is would depend on the
// order in which threads write.

#include <string_view>

#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"

namespace heddle::kernel {

/// Refuses (kernel.layout) a layout that puts two elements at one place, with the two and the
/// sizes for which it does, or that is not known not to. `what` is the tensor or view that has it.
[[nodiscard]] Result<void> check_own_places(const map::AnyLayout& layout, std::string_view what);

}  // namespace heddle::kernel
