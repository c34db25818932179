#pragma once

// Sums and products of the pieces of an Axe layout: what `+`, `-`, `*` and `o` mean where one of
// them stands.

#include <optional>
#include <string_view>

#include "heddle/axe/axes.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The value of an arithmetic operation one side of which is Axe's; nothing where it has none.
/// Refuses `axe.sum`, `arithmetic.zero_divisor`, and what making a layout refuses.
[[nodiscard]] Result<std::optional<Value>> combine_axe(TokenKind sign, const Value& left,
                                                       const Value& right);

/// swizzle o layout. Refuses `axe.sum` for a layout that is swizzled already.
[[nodiscard]] Result<axe::Layout> swizzled(const axe::Swizzle& swizzle, const axe::Layout& layout);

/// The iters of these extents and strides, on memory where no axis is named, row-major where no
/// stride is given. Refuses `axe.iters` where their numbers differ, `overflow`.
[[nodiscard]] Result<std::vector<axe::Iter>> make_iters(const std::vector<Int>& extents,
                                                        const std::vector<AxisStep>* strides);

/// A number is a step along memory, a name one step along its axis, (4,"laneid") a pair of these.
[[nodiscard]] std::optional<AxisStep> as_step(const Value& value);

/// Integer arithmetic of the language. Refuses `arithmetic.zero_divisor`, `overflow`.
[[nodiscard]] Result<Int> calculate(TokenKind sign, const Int& a, const Int& b);

/// Refuses `axe.unknown_axis` where the value uses an axis that is not in the table, the hint with
/// the nearest ones.
[[nodiscard]] Result<void> check_axes(const Value& value, const axe::AxisTable& table);

}  // namespace heddle::notation
