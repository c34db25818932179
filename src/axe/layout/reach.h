#pragma once

// The range of a layout's coordinates on an axis, before the swizzle.

#include "axe/layout/iters.h"
#include "core/trace.h"
#include "heddle/axe/layout.h"

namespace heddle::axe {

/// The lowest and the highest coordinate on one axis.
struct Reach {
  Int low = 0;
  Int high = 0;
};

/// The reach over all indices and replicas, with the offset.
[[nodiscard]] Reach reach(const Layout& layout, const Axis& axis);

/// Extends the reach by that of the iters on the axis.
void extend(Reach& reach, std::span<const Iter> iters, const Axis& axis);

/// span(), whose steps are written down.
[[nodiscard]] Result<Int> span(const Layout& layout, const Axis& axis, const Trace& trace);

/// Whether the swizzle is known to change no address of the layout: the bits it reads are 0 in all
/// of them. Decided for all constant layouts if the lowest of these bits is bit 20 or lower.
[[nodiscard]] bool is_idle(const Swizzle& swizzle, const Layout& layout);

}  // namespace heddle::axe
