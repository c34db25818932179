#pragma once

// Partitions pick the part of a tensor that one block or one thread works on. Both divide the
// tensor by a tiler and slice: a tile is the inside of the tiler, a thread gets one element of
// every tile.
//
//   A = (8,6):(1,8)
//
//   local_tile(A, (4,2), (1,2))            (4,2):(1,8) offset 36       the tile in row 1, column 2
//   local_partition(A, (4,2):(2,1), 5)     (2,3):(4,16) offset 10      thread 5 = (2,1) of 4 x 2
//
// A tensor is a layout, a layout that begins at an offset (OffsetLayout), or a composed layout,
// whose offset comes before its swizzle; so partitions of partitions count from the beginning of
// the tensor. A tiler that does not divide the tensor over-covers it, as in divide.h; which
// elements are past the end can be seen from a partition of make_identity_layout(shape), which
// gives the coordinates themselves.
//
// A projection names the modes that matter with an index and the others with `_`: for a tiler
// (BM,BN,BK) and a coordinate (m,n,_), the tile of A is that of the projection (1,_,1), CuTe's
// Step<_1,X,_1>.
//
// Source: CuTe's tensor_impl.hpp.

#include <concepts>
#include <optional>
#include <type_traits>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/manipulation.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// A layout divided into parts, and the coordinate that picks one of them: `_` for modes that stay.
struct Part {
  Layout divided;
  Coordinate coordinate;
};

/// The type of a part: a plain layout, which begins at 0, has parts that are OffsetLayouts.
template <class Tensor>
using PartOf = std::conditional_t<std::same_as<Tensor, Layout>, OffsetLayout, Tensor>;

[[nodiscard]] inline const Layout& layout_of(const Layout& tensor) {
  return tensor;  // NOLINT: as a part of the tensors below
}
[[nodiscard]] inline const Layout& layout_of(const OffsetLayout& tensor) { return tensor.layout; }
[[nodiscard]] inline const Layout& layout_of(const ComposedLayout& tensor) {
  return tensor.layout();
}

/// The part of a tensor, and where it begins. Refuses `partition.coordinate` for a coordinate past
/// the end of its mode, and what slicing refuses.
[[nodiscard]] Result<OffsetLayout> pick(const OffsetLayout& tensor, const Part& part);
[[nodiscard]] Result<ComposedLayout> pick(const ComposedLayout& tensor, const Part& part);
/// pick() for a part that may have been refused.
template <class Tensor>
[[nodiscard]] Result<PartOf<Tensor>> pick(const Tensor& tensor, const Result<Part>& part) {
  return part.and_then(
      [&](const Part& known) { return pick(static_cast<const PartOf<Tensor>&>(tensor), known); });
}

/// zipped_divide(tensor, tiler)((_,…), coordinate): the inside of the tiler at the flat coordinate
/// of a tile or its coordinate by mode; modes that a tuple does not name are kept. Refuses what
/// zipped_divide() refuses, `partition.coordinate`, `coordinate.incongruent`.
[[nodiscard]] Result<Part> inner_part(const Layout& layout, const Tiler& tiler,
                                      const Coordinate& coordinate);
template <class Tensor>
[[nodiscard]] auto inner_partition(const Tensor& tensor, const Tiler& tiler,
                                   const Coordinate& coordinate) {
  return pick(tensor, inner_part(layout_of(tensor), tiler, coordinate));
}

/// zipped_divide(tensor, tiler)(coordinate, (_,…)): the element of that coordinate in every tile.
[[nodiscard]] Result<Part> outer_part(const Layout& layout, const Tiler& tiler,
                                      const Coordinate& coordinate);
template <class Tensor>
[[nodiscard]] auto outer_partition(const Tensor& tensor, const Tiler& tiler,
                                   const Coordinate& coordinate) {
  return pick(tensor, outer_part(layout_of(tensor), tiler, coordinate));
}

/// The inner part for the modes of the tiler and of the coordinate that the projection names.
[[nodiscard]] Result<Part> tile_part(const Layout& layout, const Tiler& tiler,
                                     const Coordinate& coordinate,
                                     const std::optional<Coordinate>& projection);
template <class Tensor>
[[nodiscard]] auto local_tile(const Tensor& tensor, const Tiler& tiler,
                              const Coordinate& coordinate,
                              const std::optional<Coordinate>& projection = {}) {
  return pick(tensor, tile_part(layout_of(tensor), tiler, coordinate, projection));
}

/// The outer part by the sizes of the thread layout, at the coordinate of thread `index`, which is
/// found as get_flat_coord(threads, index). Refuses `coordinate.not_found` for an index that is no
/// thread's, where CuTe takes some thread's part, and `assume.needed` where that is not known.
[[nodiscard]] Result<Part> thread_part(const Layout& layout, const Layout& threads,
                                       const Int& index,
                                       const std::optional<Coordinate>& projection);
template <class Tensor>
[[nodiscard]] auto local_partition(const Tensor& tensor, const Layout& threads, const Int& index,
                                   const std::optional<Coordinate>& projection = {}) {
  return pick(tensor, thread_part(layout_of(tensor), threads, index, projection));
}

}  // namespace heddle::cute
#pragma GCC visibility pop
