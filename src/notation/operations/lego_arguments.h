#pragma once

// Pieces of LEGO layouts as values of the expression language: what a tile, a point and a function
// may be given as.

#include <optional>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// A flat list of integers: `6`, `(6,4)`, `[6,4]`, the coordinates that inv() gives. As a tuple.
[[nodiscard]] std::optional<Value> as_sizes(const Value& value);

/// The tiles that an argument of GroupBy or TileBy is: `[6,4]`, or as LEGO's Python writes them
/// `[(2,3),(2,3)]`. Nothing for other values.
[[nodiscard]] std::optional<std::vector<lego::Sizes>> tiles_of(const Value& value);

/// The layout of a permutation's tile: Row(4,8) as GroupBy([4,8]).OrderBy(Row(4,8)).
[[nodiscard]] Result<lego::Layout> layout_of_tile(const LegoPermutation& tile);

/// The permutation that GenP knows by this name, or of which this is the inverse's name:
/// `antidiag`, `antidiag_inv`, `antidiag^{inv}`. Nothing for other names.
[[nodiscard]] std::optional<LegoFunction> named_permutation(std::string_view name,
                                                            std::vector<Int> parameters = {});

/// The names that the inverse of a function may be bound to, of `p^{inv}`: p_inv, pinv. Empty for a
/// name without the mark of an inverse.
[[nodiscard]] std::vector<std::string> inverse_names(std::string_view name);

}  // namespace heddle::notation
