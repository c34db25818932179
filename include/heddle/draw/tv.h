#pragma once

// Pictures of thread-value layouts, which map (thread, value) to an element of a tile:
//
//   ((4,8),2):((16,1),8)              T0 V0   T0 V1   T1 V0   T1 V1  …
//   threads 0 to 31, 2 values each    T4 V0   T4 V1   T5 V0   T5 V1  …
//   of a tile of 8 x 8                …
//
// The layout's indices count the tile's elements first mode fastest; a layout along modes, as
// (…):(1@0,…,1@1), gives row and column. An element may be held several times: the cell names the
// first holder and the number of all, `T0 V0 x2`.
//
// Sources: CuTe's print_latex for TiledCopy and TiledMMA.

#include <cstdint>

#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// The sizes of a tile.
struct TileSize {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

/// The tile that a thread-value layout seems to cover: the box of its coordinates, or for indices
/// the most square tile with cosize elements that is at least as high as wide.
[[nodiscard]] Result<TileSize> inferred_tile(const cute::AnyLayout& layout);

/// The tile as a table of `T<thread> V<value>`. Refuses `draw.tv` for a layout that is not of rank
/// 2, that maps to places outside the tile (with the thread and the value that do), or that maps to
/// anything but elements, and for a thread or an element that does not exist; `draw.too_large` for
/// more than kMaxCells values of all threads, or elements if max_cells asks for all;
/// `draw.symbolic`; `draw.color`. Cost: linear in values and elements.
[[nodiscard]] Result<Picture> tv_picture(const cute::AnyLayout& layout, const TileSize& tile,
                                         const PictureOptions& options = {});

/// The layouts for D = A B^T + C: which element of A (M x K), B (N x K) and C (M x N) a thread
/// holds under each of its values.
struct MmaLayouts {
  cute::AnyLayout a;
  cute::AnyLayout b;
  cute::AnyLayout c;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
};

/// C, with A at its left and B, one row for each k, above it. An operand that all threads hold
/// whole, as for an MMA that reads it from shared memory, is one box. Refuses as tv_picture().
[[nodiscard]] Result<Picture> mma_picture(const MmaLayouts& layouts,
                                          const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
