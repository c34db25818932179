#pragma once

// Tables of values, and tuples of them: integers make a tuple of integers, with strides
// along modes among them a stride, with `_` a coordinate, with layouts a tiler.

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// How many values a table has at most.
inline constexpr std::int64_t kMaxListed = std::int64_t{1} << 18;

/// How long a table is: `limit` values of `size`, or all of them. Refuses `table.limit` for a
/// negative limit, `table.symbolic`, `table.too_large`.
[[nodiscard]] Result<std::size_t> table_length(const Int& size, const std::optional<Int>& limit);

}  // namespace heddle::notation
