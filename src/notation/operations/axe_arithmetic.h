#pragma once

// Sums and products of pieces of an Axe layout: `+`, `-`, `*` and `o` with one of them as an
// operand.

#include <optional>
#include <string_view>

#include "heddle/axe/axes.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The value of an arithmetic operation with an Axe operand; nullopt if it has none. Refuses
/// `axe.sum`, `arithmetic.zero_divisor`, and what making a layout refuses.
[[nodiscard]] Result<std::optional<Value>> combine_axe(TokenKind sign, const Value& left,
                                                       const Value& right);

/// swizzle o layout. Refuses `axe.sum` for a layout that is swizzled already.
[[nodiscard]] Result<axe::Layout> swizzled(const axe::Swizzle& swizzle, const axe::Layout& layout);

/// The iters of these extents and strides, on memory if no axis is named, row-major if no stride is
/// given. Refuses `axe.iters` if their numbers differ, `overflow`.
[[nodiscard]] Result<std::vector<axe::Iter>> make_iters(const std::vector<Int>& extents,
                                                        const std::vector<AxisStep>* strides);

/// A value as a step: a number along memory, a name as step 1 along its axis, a pair as
/// (4,"laneid").
[[nodiscard]] std::optional<AxisStep> as_step(const Value& value);

/// Integer arithmetic of the language. Refuses `arithmetic.zero_divisor`, `overflow`.
[[nodiscard]] Result<Int> calculate(TokenKind sign, const Int& a, const Int& b);

/// Refuses `axe.unknown_axis` if the value uses an axis that is not in the table, with the nearest
/// ones as a hint.
[[nodiscard]] Result<void> check_axes(const Value& value, const axe::AxisTable& table);

}  // namespace heddle::notation
