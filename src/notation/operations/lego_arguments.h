#pragma once

// Pieces of LEGO layouts as values of the expression language: forms of tiles, points and
// functions.

#include <optional>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// A flat list of integers as a tuple: `6`, `(6,4)`, `[6,4]`, the coordinates that inv() gives.
[[nodiscard]] std::optional<Value> as_sizes(const Value& value);

/// The tiles in an argument of GroupBy or TileBy: `[6,4]`, or in LEGO's Python `[(2,3),(2,3)]`.
/// nullopt for other values.
[[nodiscard]] std::optional<std::vector<lego::Sizes>> tiles_of(const Value& value);

/// The layout of a permutation's tile: Row(4,8) as GroupBy([4,8]).OrderBy(Row(4,8)).
[[nodiscard]] Result<lego::Layout> layout_of_tile(const LegoPermutation& tile);

/// The permutation that GenP knows by this name, or of which this is the inverse's name:
/// `antidiag`, `antidiag_inv`, `antidiag^{inv}`. nullopt for other names.
[[nodiscard]] std::optional<LegoFunction> named_permutation(std::string_view name,
                                                            std::vector<Int> parameters = {});

/// The names that the inverse of a function may be bound to: p_inv and pinv for `p^{inv}`. Empty
/// for a name without the mark of an inverse.
[[nodiscard]] std::vector<std::string> inverse_names(std::string_view name);

}  // namespace heddle::notation
