#pragma once

// For operations on linear layouts: the layout of their examples, and arguments that must be
// constants.

#include <cstdint>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/linear/encoding.h"

namespace heddle::notation {

/// `call` with its `{}` replaced by a small layout of register and lane.
[[nodiscard]] std::string on_example(std::string_view call);

/// The value of a constant; refuses `call.type` for a symbolic number.
[[nodiscard]] Result<std::int64_t> constant(const Int& number);
/// A count of bits, clamped to 1000: users refuse all larger counts anyway. Refuses as constant().
[[nodiscard]] Result<int> small_constant(const Int& number);
/// Dimension numbers; impossible values are clamped, and refused where they are used.
[[nodiscard]] linear::Order order_of(const linear::Sizes& sizes);

}  // namespace heddle::notation
