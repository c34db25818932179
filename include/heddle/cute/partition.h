#pragma once

// Partitions pick the part of a tensor that one block or one thread works on. Both divide the
// tensor by a tiler and slice: a tile is what lies inside the tiler, what a thread gets is one
// element of every tile.
//
//   A = (8,6):(1,8)
//
//   local_tile(A, (4,2), (1,2))            (4,2):(1,8) offset 36       the tile in row 1, column 2
//   local_partition(A, (4,2):(2,1), 5)     (2,3):(4,16) offset 10      thread 5 = (2,1) of 4 x 2
//
// A tensor is a layout, a layout that begins at an offset (OffsetLayout), or a composed layout,
// whose offset lies before its swizzle; so that partitions of partitions count from where the
// tensor begins. A tiler that does not divide the tensor over-covers it, as in divide.h; which
// elements lie past the end can be read off a partition of make_identity_layout(shape), which gives
// the coordinates themselves.
//
// A projection names the modes that matter with an index and the others with `_`: for a tiler
// (BM,BN,BK) and a coordinate (m,n,_), the tile of A is that of the projection (1,_,1), CuTe's
// Step<_1,X,_1>.
//
// Source: CuTe's tensor_impl.hpp.

#include <optional>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// A layout divided into parts, and the coordinate that picks one of them: `_` at what stays.
struct Part {
  Layout divided;
  Coordinate coordinate;
};

/// The part of a tensor, and where it begins. Refuses `partition.coordinate` for a coordinate past
/// the end of its mode, and what slicing refuses.
[[nodiscard]] Result<OffsetLayout> pick(const OffsetLayout& tensor, const Part& part);
[[nodiscard]] Result<ComposedLayout> pick(const ComposedLayout& tensor, const Part& part);

/// zipped_divide(tensor, tiler)((_,…), coordinate): what lies inside the tiler, at a tile's flat
/// coordinate or its coordinate by mode; modes that a tuple does not name stay. Refuses what
/// zipped_divide() refuses, `partition.coordinate`, `coordinate.incongruent`.
[[nodiscard]] Result<OffsetLayout> inner_partition(const OffsetLayout& tensor, const Tiler& tiler,
                                                   const Coordinate& coordinate);
[[nodiscard]] Result<ComposedLayout> inner_partition(const ComposedLayout& tensor,
                                                     const Tiler& tiler,
                                                     const Coordinate& coordinate);

/// zipped_divide(tensor, tiler)(coordinate, (_,…)): the element of that coordinate in every tile.
[[nodiscard]] Result<OffsetLayout> outer_partition(const OffsetLayout& tensor, const Tiler& tiler,
                                                   const Coordinate& coordinate);
[[nodiscard]] Result<ComposedLayout> outer_partition(const ComposedLayout& tensor,
                                                     const Tiler& tiler,
                                                     const Coordinate& coordinate);

/// inner_partition, of the modes of the tiler and of the coordinate that the projection names.
[[nodiscard]] Result<OffsetLayout> local_tile(const OffsetLayout& tensor, const Tiler& tiler,
                                              const Coordinate& coordinate,
                                              const std::optional<Coordinate>& projection = {});
[[nodiscard]] Result<ComposedLayout> local_tile(const ComposedLayout& tensor, const Tiler& tiler,
                                                const Coordinate& coordinate,
                                                const std::optional<Coordinate>& projection = {});

/// outer_partition by the sizes of the thread layout, at the coordinate of thread `index`, which is
/// found as get_flat_coord(threads, index). Refuses `coordinate.not_found` for an index that is no
/// thread's, where CuTe takes some thread's part, and `assume.needed` where that is not known.
[[nodiscard]] Result<OffsetLayout> local_partition(
    const OffsetLayout& tensor, const Layout& threads, const Int& index,
    const std::optional<Coordinate>& projection = {});
[[nodiscard]] Result<ComposedLayout> local_partition(
    const ComposedLayout& tensor, const Layout& threads, const Int& index,
    const std::optional<Coordinate>& projection = {});

}  // namespace heddle::cute
#pragma GCC visibility pop
