#pragma once

// Whether two layouts are the same map, however they are written.
//
//   equal(GroupBy([4,8]).OrderBy(Row(4,8)), GroupBy([4,8]))      yes

#include "heddle/core/verdict.h"
#include "heddle/lego/layout.h"

#pragma GCC visibility push(default)
namespace heddle::lego {

/// Whether both have the same number of points, and map every flat coordinate of the view to the
/// same position. Yes by structure, by normal forms and ranges of the index expressions or at every
/// point of a small layout; no with a coordinate at which they differ, among the ends and a
/// thousand others of a large layout, or with sizes and a coordinate; unknown if none of these
/// decides.
/// large layout, or with sizes and a coordinate; unknown where none of these tells.
[[nodiscard]] Verdict equal(const Layout& a, const Layout& b);

}  // namespace heddle::lego
#pragma GCC visibility pop
