#pragma once

// oneDNN's format tags, which say in which order a tensor's dimensions are in memory, and in which
// blocks:
//
//   nChw16c      n, blocks of 16 c, h, w, then the 16 c of a block, which are neighbours
//   OIhw4i16o4i  blocks of 16 i: 4 of them are neighbours, 16 o further come the next 4
//   aBcd16b      the same with letters for dimensions by their number
//
// Source: oneDNN, include/oneapi/dnnl/dnnl_types.h, dnnl_format_tag_t.

#include <string>

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"

namespace heddle::notation {

/// The layout (dimension, …) -> place of a tensor of these extents. A blocked dimension is a mode
/// of its blocks, innermost first; where the block does not divide it, it is padded, as oneDNN
/// does. Refuses `call.type` for a text that is not a tag, and for a tag of another rank.
[[nodiscard]] Result<cute::Layout> layout_of_tag(const std::string& text, const IntTuple& extents);

}  // namespace heddle::notation
