#pragma once

// Splits one axis into two, t into t div n and t mod n: threads into warps and lanes, columns into
// banks and columns.

#include <cstdint>
#include <string>

#include "heddle/axe/layout.h"

namespace heddle::axe {

struct AxisSplit {
  std::string code;  // of the refusal
  std::string call;  // the operation, as messages name it
  Axis from;
  std::int64_t unit = 1;  // n, a power of two
  Axis high;
  Axis low;
};

/// The layout with the split axis, from one in normal form on which no coordinate of `from` is
/// negative. Complete if `from` is not swizzled: a split that is no layout is refused with the
/// split's code. Also refuses `axe.undecided`, `assume.needed`.
///
/// Why it is complete: let g be the split map and suppose it is a layout. t = n*high + low maps g's
/// normal form to the map on `from`, so each iter there is a chain of iters of g, on one axis each.
/// Those steps k*s of an iter e:s that n divides are steps on `high`, for on `low` they would leave
/// [0,n); the others are steps on `low`, for on `high` they would be no whole number. So the chain
/// is one iter on one of the two, or is cut at k = n/|s|, which must divide e. It remains to check
/// that the sum of all on `low` stays within [0,n).
/// e. What is left to ask is whether the sum of all on `low` stays within [0,n).
[[nodiscard]] Result<Layout> split_axis(const Layout& canonical, const AxisSplit& split);

}  // namespace heddle::axe
