#pragma once

// The modes of a layout in the order of their strides, for what reads indices back.

#include <string_view>

#include "heddle/cute/layout.h"

namespace heddle::cute {

/// A mode together with the flat coordinate of one step along it.
struct Step {
  Int extent;
  Int stride;
  Int coordinate;
};

using Steps = InlineVector<Step, kInlineLeaves>;

/// The modes of `layout` by ascending stride; extents of 1 are left out. Refuses, in the name of
/// `operation`, `inverse.two_axes` and `assume.needed` where the order is not known.
[[nodiscard]] Result<Steps> steps_by_stride(std::string_view operation, const Layout& layout);

}  // namespace heddle::cute
