#pragma once

// The memory of an array of XLA, padding included.
//
//   u32[12582912,1]{1,0:T(8,128)}     each row of one element takes 128: 6 GiB

#include <span>

#include "heddle/core/result.h"
#include "heddle/map/xla_layout.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// How many elements there is memory for: those of whole tiles. Refuses `xla.layout`,
/// `layout.extent` and `overflow` as offsets().
[[nodiscard]] Result<Int> allocated_elements(const XlaLayout& layout, std::span<const Int> shape);

}  // namespace heddle::map
#pragma GCC visibility pop
