#pragma once

// Many indices at once, as machine integers: the loops that an interpreter, a copy or a check of
// addresses runs.
//
//   std::vector<std::int64_t> indices(8);
//   tabulate(layout, indices)                    // indices[c] = layout(c) for c = 0, …, 7
//
//   evaluate(layout, coordinates, indices)       // indices[i] = layout(coordinates[i])
//
// Both compute layout(c) for each coordinate, exactly; after a refusal the output holds unspecified
// numbers. Tabulation adds where evaluation divides; evaluation divides by multiplying with a
// reciprocal that is computed once.

#include <cstdint>
#include <span>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The indices of the flat coordinates 0, 1, 2, …, one for each element of `indices`; past the end
/// the layout continues. Refuses `layout.not_integral`, `table.symbolic`, `overflow`. Cost: linear
/// in the number of indices, about that of writing them.
[[nodiscard]] Result<void> tabulate(const Layout& layout, std::span<std::int64_t> indices);
[[nodiscard]] Result<void> tabulate(const ComposedLayout& layout, std::span<std::int64_t> indices);

/// The indices of flat coordinates, one output element each; `indices` may be the same memory as
/// the coordinates. Refuses `tuple.incongruent` if the lengths differ, `coordinate.negative`, and
/// what tabulate() refuses. Cost: linear in the coordinates times the modes that do not coalesce.
[[nodiscard]] Result<void> evaluate(const Layout& layout, std::span<const std::int64_t> coordinates,
                                    std::span<std::int64_t> indices);
[[nodiscard]] Result<void> evaluate(const ComposedLayout& layout,
                                    std::span<const std::int64_t> coordinates,
                                    std::span<std::int64_t> indices);

}  // namespace heddle::cute
#pragma GCC visibility pop
