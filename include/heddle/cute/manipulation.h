#pragma once

// Building and rearranging layouts without changing what their leaves mean: CuTe's layout.hpp up to
// its algebra. Modes are numbered from 0; a path such as {1, 0} is mode 0 of mode 1.
//
//   make_layout_right((4,8))                                  (4,8):(8,1)
//   make_ordered_layout((2,2,2,2), (0,2,3,1))                 (2,2,2,2):(1,4,8,2)
//   coalesce((2,(1,6)):(1,(6,2)))                             12:1
//   filter((9,4,2,2):(0,0,2,1))                               (2,2):(2,1)
//   group((2,3,5,7):(1,2,6,30), 0, 2)                         ((2,3),5,7):((1,2),6,30)
//
// Mode numbers out of range are refused with `layout.mode`, nesting that does not match with
// `tuple.incongruent`, and results past 64 bits with `overflow`. Functions that need an order of
// the strides (make_layout_like, make_fragment_like, sort, get_hier_coord and related ones) refuse
// strides in several axes with `layout.not_integral`.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/coordinate.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

// Making.

/// Compact, first mode fastest (column-major).
[[nodiscard]] Result<Layout> make_layout_left(const IntTuple& shape);
/// Compact, last mode fastest (row-major).
[[nodiscard]] Result<Layout> make_layout_right(const IntTuple& shape);
/// Compact, modes of lesser order faster, of equal order the first. (CuTe lets equal ones overlap.)
[[nodiscard]] Result<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order);
/// Compact, in the order of the strides of `layout`; modes of stride 0 keep stride 0.
[[nodiscard]] Result<Layout> make_layout_like(const Layout& layout);
/// As make_layout_like, but mode 0 (the atom's values) comes first and column-major. Its shape is
/// compatible with that of `layout`.
[[nodiscard]] Result<Layout> make_fragment_like(const Layout& layout);
/// Maps every coordinate of the shape to itself: strides 1@0, 1@1, ….
[[nodiscard]] Result<Layout> make_identity_layout(const IntTuple& shape);

// Measuring.

/// The least number above every index: 1 + the sum of (extent-1)*|stride|, as in CuTe; for strides
/// in several axes the product of coshape(). With negative strides see span().
[[nodiscard]] Result<Int> cosize(const Layout& layout);
/// The box of the index space: cosize on every axis.
[[nodiscard]] Result<IntTuple> coshape(const Layout& layout);
/// 1 + greatest - least index; for strides in several axes the product over the axes.
[[nodiscard]] Result<Int> span(const Layout& layout);

// Modes.

/// The mode at a path.
[[nodiscard]] Result<Layout> get(const Layout& layout, std::span<const std::size_t> path);
/// Modes [begin, end).
[[nodiscard]] Result<Layout> take(const Layout& layout, std::size_t begin, std::size_t end);
/// The named modes, in the order named; ():() for none.
[[nodiscard]] Result<Layout> select(const Layout& layout, std::span<const std::size_t> modes);
/// Modes [begin, end) become one mode.
[[nodiscard]] Result<Layout> group(const Layout& layout, std::size_t begin, std::size_t end);
/// Adds a mode at the end or the front; with `rank`, as many as are needed to reach that rank: none
/// if the layout has as many modes or more. Refuses `layout.mode` past kMaxRank.
[[nodiscard]] Result<Layout> append(const Layout& layout, const Layout& mode = Layout());
[[nodiscard]] Result<Layout> append(const Layout& layout, std::size_t rank,
                                    const Layout& mode = Layout());
[[nodiscard]] Result<Layout> prepend(const Layout& layout, const Layout& mode = Layout());
[[nodiscard]] Result<Layout> prepend(const Layout& layout, std::size_t rank,
                                     const Layout& mode = Layout());
/// Mode `index` replaced.
[[nodiscard]] Result<Layout> replace(const Layout& layout, std::size_t index, const Layout& mode);

// Nesting.

/// Depth at most 1, the same leaves.
[[nodiscard]] Layout flatten(const Layout& layout);
/// The leaves of a flat layout nested as `profile`.
[[nodiscard]] Result<Layout> unflatten(const Layout& layout, ProfileView profile);
/// Turns rank-2 modes into a rank-2 layout of all first and all second parts: ((a,b),(c,d)) ->
/// ((a,c),(b,d)).
[[nodiscard]] Result<Layout> zip(const Layout& layout);
/// The modes of two layouts of one rank in pairs: ((a0,b0),(a1,b1),…).
[[nodiscard]] Result<Layout> zip(const Layout& a, const Layout& b);
/// Gathers the pairs that a divide or product by `tiler` made: ((tiles…),(rests…)). A mode that `_`
/// kept is the rest of a tile 1:0. Refuses `tiler.rank` for more tiles than modes.
[[nodiscard]] Result<Layout> tile_unzip(const Layout& layout, const Tiler& tiler);
/// The layout seen through another shape of the same size (`with_shape.size`): composition with
/// that shape, refused where composition() refuses.
[[nodiscard]] Result<Layout> with_shape(const Layout& layout, const IntTuple& shape);

// Simplifying.

/// The shortest layout with the same function on the domain: drops modes of extent 1 and joins
/// neighbours s0:d0, s1:d1 with d1 = s0*d0. Depth at most 1. (Seed 004, coalescence rules.)
[[nodiscard]] Layout coalesce(const Layout& layout);
/// Coalesces at each leaf of `profile`, a nesting that the layout refines; modes that the profile
/// does not name are kept.
[[nodiscard]] Result<Layout> coalesce(const Layout& layout, ProfileView profile);
/// Modes of stride 0 get extent 1. Refuses `assume.needed` for a stride that may be 0.
[[nodiscard]] Result<Layout> filter_zeros(const Layout& layout);
/// The layout without stride-0 and extent-1 modes, coalesced; as a whole or at each leaf of
/// `profile`. Refuses as filter_zeros does.
[[nodiscard]] Result<Layout> filter(const Layout& layout);
[[nodiscard]] Result<Layout> filter(const Layout& layout, ProfileView profile);
/// The flat layout with modes ordered by stride, then extent (seed 004, definition 2.4). This
/// changes the function.
[[nodiscard]] Result<Layout> sort(const Layout& layout);

// Slicing and coordinates.

/// The layout of the modes that `_` leaves free; ():() if there are none.
[[nodiscard]] Result<Layout> slice(const Coordinate& coordinate, const Layout& layout);
/// The layout of the modes that the coordinate fixes.
[[nodiscard]] Result<Layout> dice(const Coordinate& coordinate, const Layout& layout);
/// The index at which the slice begins: the coordinate with 0 for each `_`.
[[nodiscard]] Result<IntTuple> slice_offset(const Coordinate& coordinate, const Layout& layout);
/// A layout and the index at which it begins: of the slice, or with domain_offset() of
/// `coordinate`. A layout alone begins at 0.
struct OffsetLayout {
  OffsetLayout(Layout all, IntTuple first = Int(0))  // NOLINT: a layout is one that begins at 0
      : layout(std::move(all)), offset(std::move(first)) {}

  Layout layout;
  IntTuple offset;

  friend bool operator==(const OffsetLayout&, const OffsetLayout&) = default;
};
[[nodiscard]] Result<OffsetLayout> slice_and_offset(const Coordinate& coordinate,
                                                    const Layout& layout);
[[nodiscard]] Result<OffsetLayout> domain_offset(const Coordinate& coordinate,
                                                 const Layout& layout);

/// The coordinate of an index of a compact layout: hierarchical, by mode, flat. Refuses
/// `coordinate.not_found` where the layout does not map the answer back to `index`.
[[nodiscard]] Result<IntTuple> get_hier_coord(const Layout& layout, const Int& index);
[[nodiscard]] Result<IntTuple> get_flat_coord(const Layout& layout, const Int& index);
[[nodiscard]] Result<Int> get_1d_coord(const Layout& layout, const Int& index);

/// The first `limit` indices in flat order, or all. Refuses `table.too_large` past 2^24 numbers.
[[nodiscard]] Result<std::vector<IntTuple>> table(const Layout& layout,
                                                  std::optional<std::size_t> limit = {});

}  // namespace heddle::cute
#pragma GCC visibility pop
