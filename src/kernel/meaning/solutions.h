#pragma once

// The sizes for which an extent is a number.
//
//   solutions(T // 16, 4, 4)     T from 64 to 79; 64 alone if T is known to be a multiple of 16

#include <cstdint>
#include <optional>

#include "heddle/expr/int.h"

namespace heddle::kernel::meaning {

/// From `low` to `high`, both included; none if low is above high.
struct Solutions {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// The least and the greatest value of the one variable of an extent for which it is from `low` to
/// `high`; nullopt if it is not a multiple of the variable, or of a quotient of such a term, with a
/// constant added, or where numbers do not fit into 64 bits.
[[nodiscard]] std::optional<Solutions> solutions(const Int& extent, std::int64_t low,
                                                 std::int64_t high);

}  // namespace heddle::kernel::meaning
