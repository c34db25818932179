#pragma once

// Tuples of values that an expression has computed: integers make a tuple of integers, with strides
// along modes among them a stride, with `_` a coordinate, with layouts a tiler.

#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The tuple with these modes. Refuses `call.type` where one is no part of a tuple.
[[nodiscard]] Result<Value> tuple_of(const std::vector<Value>& modes);

/// Integers, or a tuple of them, as strides; nothing for other values.
[[nodiscard]] cute::StrideTuple strides_of(const Value& value);

}  // namespace heddle::notation
