#pragma once

// How long a table is: all of a layout, or as much as is asked for.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "heddle/core/result.h"
#include "heddle/expr/int.h"

namespace heddle::notation {

/// How many values a table has at most.
inline constexpr std::int64_t kMaxListed = std::int64_t{1} << 18;

/// `limit` values of `size`, or all of them. Refuses `table.limit` for a negative limit,
/// `table.symbolic`, `table.too_large`.
[[nodiscard]] Result<std::size_t> table_length(const Int& size, const std::optional<Int>& limit);

}  // namespace heddle::notation
