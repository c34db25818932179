#pragma once

#include "core/trace.h"
#include "heddle/axe/iter_intersect.h"

namespace heddle::axe {

/// iter_intersect(), whose steps are written down.
[[nodiscard]] Result<Iter> iter_intersect(const Iter& a, const Iter& b, const Trace& trace);

}  // namespace heddle::axe
