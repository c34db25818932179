#pragma once

// How XLA places an array in memory: the order of its dimensions, and tiles.
//
//   f32[8,128]{1,0}                dimension 1 is fastest: (8,128):(128,1)
//   f32[16,256]{1,0:T(8,128)}      tiles of 8 x 128, one after the other:
//                                  ((8,2),(128,2)):((128,2048),(1,1024))
//   f32[10,128]{1,0:T(8,128)}      the second tile is padded: no layout, but a relation
//     { [c0, c1] -> [m = 1024*floor(c0/8) + 128*(c0 mod 8) + c1] : 0 <= c0 < 10 and … }
//
// A tile applies to the fastest dimensions, of which it makes two each: tiles and elements within
// a tile. The next tile applies to what the one before it made, as (2,1) in T(8,128)(2,1) does to
// the 8 x 128 elements of a tile. A dimension at a `*` is combined with the next faster one before
// the tile applies: T(*,4) cuts f32[2,6] into tiles of 4 of its 12 elements. Offsets count
// elements.
//
// Source: XLA, "Shapes and layout" and "Tiled layout".

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// `{1,0:T(8,128)(2,1)S(1)}`.
struct XlaLayout {
  /// The extent `*` of a tile.
  static constexpr std::int64_t kCombined = -1;

  /// The dimensions, the fastest first.
  std::vector<std::int64_t> minor_to_major;
  std::vector<std::vector<std::int64_t>> tiles = {};
  /// What does not change where elements are, as written: `S(1)`, the memory space, and `E(4)`, the
  /// bits of an element.
  std::string notes = {};

  friend bool operator==(const XlaLayout&, const XlaLayout&) = default;
};

[[nodiscard]] std::string to_string(const XlaLayout& layout);
std::ostream& operator<<(std::ostream& stream, const XlaLayout& layout);

/// The offset of each element of an array of this shape: a CuTe layout of the shape's modes, or a
/// relation if a padded tile makes that impossible. Refuses `xla.layout` unless every dimension is
/// named once and tiles are positive, have no more extents than the array and do not end in `*`;
/// `layout.extent`, `overflow`, `relation.gave_up`.
[[nodiscard]] Result<AnyLayout> offsets(const XlaLayout& layout, std::span<const Int> shape,
                                        const Limits& limits = {});

}  // namespace heddle::map
#pragma GCC visibility pop
