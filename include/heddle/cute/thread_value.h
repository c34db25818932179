#pragma once

// A thread-value layout says which element of a tile each value of each thread is: a layout of two
// modes, (thread, value) -> the flat coordinate of an element in its column-major tile.
//
//   make_layout_tv((4,8):(8,1), (2,1))         ((8,4),2):((8,2),1) tile (8,8)
//
//        T0  T1  …  T7          thread 0 holds (0,0) and (1,0) of the 8 x 8 tile,
//        T0  T1  …  T7          thread 1 (0,1) and (1,1), …, thread 8 (2,0) and (3,0)
//        T8  T9  … T15
//        …
//
//   owners(TV, 9)                              [(1,1)]: element (1,1) is value 1 of thread 1
//   composition(zipped_divide(A, (8,8)), <TV,_>)    (thread, value), tiles: A by threads and values
//
// Sources: CuTe's copy_atom.hpp (make_tiled_copy) and CuTe DSL's make_layout_tv.

#include <string>
#include <vector>

#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// A thread-value layout and the tiler that cuts its tile out of a tensor.
struct TvLayout {
  Layout layout;
  Tiler tiler;

  friend bool operator==(const TvLayout&, const TvLayout&) = default;
};

/// `((8,4),2):((8,2),1) tile (8,8)`; a tiler that holds layouts is written as a tiler.
[[nodiscard]] std::string to_string(const TvLayout& tv);

/// The sizes of the tile of `tv`, mode by mode.
[[nodiscard]] IntTuple tile_shape(const TvLayout& tv);

/// The thread-value layout (thread, value) -> element of the tile that the tiler cuts out. Refuses
/// `tv.rank` for a layout without two modes, `layout.extent` for a tile without elements.
[[nodiscard]] Result<TvLayout> on_tile(const Layout& layout, const Tiler& tiler);

/// The thread-value layout in which every thread of `threads` (coordinate -> thread) holds a block
/// `values` (coordinate -> value), the blocks side by side as the threads are: the inverse of
/// raked_product(threads, values). Refuses `tv.not_bijective` where that does not number threads
/// and values from 0 on without gaps, and what raked_product() refuses.
[[nodiscard]] Result<TvLayout> make_layout_tv(const Layout& threads, const Layout& values);

/// The coordinates (thread, value) that a thread-value layout maps to `element`, with the thread
/// index running fastest; empty if nobody holds it. Cost: linear in the size. Refuses `tv.rank` for
/// a layout without two modes, `layout.not_integral`, `table.symbolic` for a symbolic layout or
/// element, `tv.too_large` past 2^20 coordinates.
[[nodiscard]] Result<std::vector<IntTuple>> owners(const Layout& tv, const Int& element);
/// The owners of the element at a coordinate of a tile of this shape. Refuses also
/// `partition.coordinate` for one outside the tile, and `assume.needed` if a symbolic tile may end
/// before it.
[[nodiscard]] Result<std::vector<IntTuple>> owners(const Layout& tv, const IntTuple& coordinate,
                                                   const IntTuple& tile);
/// Is every element of a tile of this size held, and equally often? The verdict says how often; a
/// no names an element that is not held as often as the first one, or the first coordinate that
/// maps outside the tile. Refuses what owners() of an element refuses.
[[nodiscard]] Result<Verdict> covers(const Layout& tv, const Int& tile_size);

}  // namespace heddle::cute
#pragma GCC visibility pop

template <>
struct std::hash<heddle::cute::TvLayout> : heddle::HashOfText<heddle::cute::TvLayout> {};
