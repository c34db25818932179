#pragma once

// Slices read off the places of all points.

#include <cstdint>

#include "axe/slice/block.h"
#include "heddle/axe/layout.h"
#include "heddle/core/result.h"

namespace heddle::axe {

/// Which places a layout is sought for.
enum class Places : std::uint8_t {
  kPlain,     // those before the swizzle: the layout keeps the swizzle
  kSwizzled,  // those after it: a layout without a swizzle
};

/// The slice, whatever the shape. Refuses `axe.no_slice`, a proof for these places; `axe.undecided`
/// for more than kMaxPlaces points, for symbolic sizes, and for swizzled places of replicas that
/// move on the swizzle's axis; `overflow`. Cost: two evaluations a point.
[[nodiscard]] Result<Layout> slice_by_table(const Layout& canonical, const SliceCall& call,
                                            Places places);

}  // namespace heddle::axe
