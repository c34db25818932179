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

/// Refuses to make `what`, "the tuple", of parts with more than kMaxLeaves leaves in total
/// (`call.too_large`) or already nested kMaxDepth deep (`tuple.too_deep`): a name may be bound to a
/// large value, so the length of a text does not limit the size of its value.
[[nodiscard]] Result<void> check_parts(std::string_view what, std::span<const Value> parts);

/// The tuple with these modes. Refuses `call.type` if one cannot be part of a tuple, and what
/// check_parts() refuses.
[[nodiscard]] Result<Value> tuple_of(const std::vector<Value>& modes);

/// A tuple of integers or of strides as strides; the value must be one of these.
[[nodiscard]] cute::StrideTuple strides_of(const Value& value);

/// The maximum number of values in a table.
inline constexpr std::int64_t kMaxListed = std::int64_t{1} << 18;

/// The length of a table: `limit` values of `size`, or all of them. Refuses `table.limit` for a
/// negative limit, `table.symbolic`, `table.too_large`.
[[nodiscard]] Result<std::size_t> table_length(const Int& size, const std::optional<Int>& limit);

}  // namespace heddle::notation
