#pragma once

// Sums of coordinates, as an offset within a composed layout adds them:
//
//   (1,2) + (3,(4,5))     refused: 2 is one number, (4,5) are two
//   (1,2) + (3,4,5)       (4,6,5): a mode that is missing is 0
//   3 + (0,0)             3: zeros fit everywhere

#include "heddle/core/result.h"
#include "heddle/expr/int_tuple.h"

namespace heddle::cute {

/// Whether all leaves are certainly 0.
[[nodiscard]] bool is_zero(const IntTuple& coordinate);

/// The coordinate moved by the offset. Refuses `coordinate.incongruent` for a number beside a
/// tuple, unless one of them is zero, and `overflow`.
[[nodiscard]] Result<IntTuple> moved(const IntTuple& coordinate, const IntTuple& offset);

/// The coordinate with a 0 for each mode of the profile that it lacks.
[[nodiscard]] IntTuple filled(const IntTuple& coordinate, const Profile& profile);

}  // namespace heddle::cute
