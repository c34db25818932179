#pragma once

// What a value denotes, for those who read layouts of every system alike.

#include "heddle/core/result.h"
#include "heddle/form/index_map.h"
#include "heddle/notation/value.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The index map of a layout: CuTe's, plain or composed or with a tile, a linear one, one of Axe
/// (on the shape of its iters, without replicas) or of LEGO, a relation or a table; a tuple is the
/// column-major layout of that shape. Refuses `call.type` for what is no layout, and what making
/// the map refuses.
[[nodiscard]] Result<form::IndexMap> index_map_of(const Value& value);

}  // namespace heddle::notation
#pragma GCC visibility pop
