#pragma once

// What coordinates and axes are called in each system.
//
//   Triton   register  lane    warp    block  offset       dim0, dim1, …
//   Axe      reg       laneid  warpid  cta    m            (none: a flat index of any shape)
//   CuTe     (thread, value)                  (one axis)   0, 1, …

#include "heddle/map/any_layout.h"

namespace heddle::map {

/// The view of an Axe layout on the axes register, lane, warp, block for a linear layout: its
/// thread axes as lane and warp, or all on one axis `thread` (tx = 32*warpid + laneid) where there
/// are others than laneid and warpid, and for all other systems.
[[nodiscard]] View with_place_names(View view, System to);

/// A view of a box of register, lane, warp, …, in Triton's order.
[[nodiscard]] View in_order_of_places(View view);

/// The view with the names of the system; `turned` where it goes the other way than it came.
[[nodiscard]] View with_names_of(System to, View view, bool turned);

}  // namespace heddle::map
