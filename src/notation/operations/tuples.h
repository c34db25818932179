#pragma once

// Tuples of values that an expression has computed: integers make a tuple of integers, with strides
// along modes among them a stride, with `_` a coordinate, with layouts a tiler.

#include <span>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// Refuses to make `what`, "the tuple", of parts that have more than kMaxLeaves leaves together
/// (`call.too_large`) or already nest kMaxDepth deep (`tuple.too_deep`): a name may stand for a
/// large value, so the length of a text does not limit what it makes.
[[nodiscard]] Result<void> check_parts(std::string_view what, std::span<const Value> parts);

/// The tuple with these modes. Refuses `call.type` where one is no part of a tuple, and what
/// check_parts() refuses.
[[nodiscard]] Result<Value> tuple_of(const std::vector<Value>& modes);

/// Integers, or a tuple of them, as strides; nothing for other values.
[[nodiscard]] cute::StrideTuple strides_of(const Value& value);

}  // namespace heddle::notation
