#pragma once

// Fragments of machines (form/fragment.h) as Axe layouts, from the element to its place:
//
//   A of v_mfma_f32_32x32x8f16      S[(32,2,4):(1@laneid,32@laneid,1@m)]
//
// The axes are those of Axe: `laneid` for lanes, `m` for the elements of a lane, `warpid`.

#include <string_view>

#include "heddle/axe/layout.h"
#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/form/fragment.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// Axe's name for a kind of place: `laneid` for lanes, `TLane` for the data paths of tensor memory.
[[nodiscard]] Axis axis_of(std::string_view place);

/// The element, dimensions in their order, to its places; copies are replicas. Unused places are
/// left out. Refuses what Layout::make() refuses.
[[nodiscard]] Result<Layout> axe_layout(const form::Fragment& fragment);

}  // namespace heddle::axe
#pragma GCC visibility pop
