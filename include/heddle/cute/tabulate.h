#pragma once

// Many indices at once, as machine integers: the loops that an interpreter, a copy or a check of
// addresses runs.
//
//   std::vector<std::int64_t> indices(8);
//   tabulate(layout, indices)                    // indices[c] = layout(c) for c = 0, …, 7
//
//   evaluate(layout, coordinates, indices)       // indices[i] = layout(coordinates[i])
//
// Both do what layout(c) does, coordinate by coordinate, and are exact like it: a refusal leaves
// the places with unspecified numbers. Tabulation adds where evaluation divides; evaluation divides
// by multiplying with a reciprocal that is worked out once.

#include <cstdint>
#include <span>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The indices of the flat coordinates 0, 1, 2, …, as many as there are places; past the end the
/// layout runs on. Refuses `layout.not_integral`, `table.symbolic`, `overflow`. Cost: linear in the
/// places, about that of writing them.
[[nodiscard]] Result<void> tabulate(const Layout& layout, std::span<std::int64_t> indices);
[[nodiscard]] Result<void> tabulate(const ComposedLayout& layout, std::span<std::int64_t> indices);

/// The indices of flat coordinates, one place for each; the places may be the coordinates
/// themselves. Refuses `tuple.incongruent` for another number of places, `coordinate.negative`, and
/// what tabulate() refuses. Cost: linear in the coordinates times the modes that do not coalesce.
[[nodiscard]] Result<void> evaluate(const Layout& layout, std::span<const std::int64_t> coordinates,
                                    std::span<std::int64_t> indices);
[[nodiscard]] Result<void> evaluate(const ComposedLayout& layout,
                                    std::span<const std::int64_t> coordinates,
                                    std::span<std::int64_t> indices);

}  // namespace heddle::cute
#pragma GCC visibility pop
