#pragma once

// For operations on linear layouts: the layout that their examples use, and arguments that must be
// constants.

#include <cstdint>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/linear/encoding.h"

namespace heddle::notation {

/// `call` with a small layout of register and lane in place of its `{}`.
[[nodiscard]] std::string on_example(std::string_view call);

/// Refuses `call.type` for a symbolic number.
[[nodiscard]] Result<std::int64_t> constant(const Int& number);
/// A count of bits; beyond 1000 every one is refused alike where it is used, so that it is cut off
/// there. Refuses as constant().
[[nodiscard]] Result<int> small_constant(const Int& number);
/// Dimensions; what none can be is cut off, and refused where it is used.
[[nodiscard]] linear::Order order_of(const linear::Sizes& sizes);

}  // namespace heddle::notation
