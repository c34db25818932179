#pragma once

// Tiles of a relayout as permutations of 16-byte pieces, done by shuffles in registers.
//
// Number the bits of a tile by where they lie: a row of 16 bytes, a byte of the row and, where
// elements are smaller than bytes, a part of the byte. If both sides are combined of powers of two,
// the move is a matrix over GF(2) on (row | byte | part), as in Triton's linear layouts (seed 000):
//
//   byte' = A byte + B row        row' = C byte + D row
//
// Rows are read from anywhere and written to anywhere, so what row' is called is free. Let m be the
// rank of C, at most 4. By row operations on (C D), row' is (u, y) where u = c byte + d row are m
// bits, c has a pivot in m bits of the byte, and y depends on the row alone. Then
//
//   1. shuffle the bytes of each row so that the pivots hold u           not if they do already
//   2. m times, exchange a bit of the byte with one of the row: from      x completes y to the row
//      (x, y | u, other) to (u, y | x, other)
//   3. shuffle the bytes of each row: byte' is a function of the byte, one to one, and of the row
//
// A part first changes places with the row's bit of two tiles, moves as any other bit of the row,
// and changes back at the end. For VNNI2, which interleaves two rows of 16 bits:
//
//   row 0  a b c d e f g h      exchange of 8 bytes     a b c d A B C D
//   row 1  A B C D E F G H      with the row            e f g h E F G H
//                               shuffle                 a A b B c C d D
//                                                       e E f F g G h H
//
// Several tiles are done at once: each row has so many lanes of 16 bytes, one a tile, and a vector
// holds as many lanes as the machine has.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/form/bit_matrix.h"
#include "heddle/move/shuffle_step.h"
#include "move/nest.h"
#include "move/places.h"
#include "move/transpose.h"

namespace heddle::move {

/// A move within a tile: the place `part | byte << parts | row << (parts + 4)` goes to
/// `places(place) ^ constant`. The lowest bits of the rows are those of so many tiles as a byte has
/// parts, on both sides.
struct TileMove {
  int parts = 0;
  form::BitMatrix places;
  std::uint64_t constant = 0;
};

/// The steps that do it, up to the numbers of the rows.
struct TileSteps {
  std::vector<ShuffleStep> steps;
  /// The row of the tile move that each row ends as.
  std::vector<std::int64_t> rows;
};

/// The matrix must have an inverse and at most 2^9 rows of bytes.
[[nodiscard]] TileSteps steps_of(const TileMove& move);

/// Bytes that lie together on both sides.
struct Run {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t bytes = 0;
};

/// A move tile after tile; in bytes.
struct ShuffledTiles {
  std::vector<ShuffleStep> steps = {};
  /// Where each row of a tile is read, and where what the steps make of it is written.
  std::vector<Place> rows = {};
  /// Around a tile, within the places: the shortest step in the source first.
  std::vector<Loop> loops = {};
};

/// `permutes 2 x 16 bytes in registers: exchanges 8 bytes, shuffles`
[[nodiscard]] std::string to_string(const ShuffledTiles& tiles);

/// A move in blocks of tiles.
struct Shuffle {
  ShuffledTiles tiles = {};
  std::int64_t lanes = 1;
  /// From the source to the rows, in the order of the source.
  std::vector<Run> reads = {};
  /// A place in each line of the source that is read.
  std::vector<std::int64_t> lines = {};
  /// Where each 16 bytes of the destination lie in the rows; from these places to it.
  std::vector<std::int32_t> places = {};
  std::vector<Run> writes = {};
  /// Around the blocks: the loops within the places, in bytes.
  std::vector<Loop> loops = {};
  std::vector<Place> table = {};
  /// Writes past the caches.
  bool streams = false;

  [[nodiscard]] std::int64_t block_bytes() const {
    return static_cast<std::int64_t>(places.size()) * kLaneBytes;
  }
  /// The bytes between rows: whole lines.
  [[nodiscard]] std::int64_t pitch() const;
  [[nodiscard]] std::int64_t buffer_bytes() const {
    return pitch() * rows() + block_bytes() + kLine;
  }
  [[nodiscard]] std::int64_t rows() const { return std::ssize(places) / lanes; }
  [[nodiscard]] std::int64_t blocks() const { return count_of(loops) * std::ssize(table); }
  /// Moves the blocks [begin, end), by way of a buffer that no other thread uses meanwhile.
  void run(const std::byte* source, std::byte* destination, std::int64_t begin, std::int64_t end,
           const Buffer& buffer) const;
};

/// A move that shuffles do, and what is left of it.
struct Shuffled {
  Shuffle shuffle;
  /// Boxes of the loops beside what the shuffles move, in bits: each with its begin.
  struct Rest {
    std::vector<Loop> loops;
    Place begin;
  };
  std::vector<Rest> rests = {};
};

/// Of a larger table, which is copied here, tiles would have too many rows.
inline constexpr std::int64_t kMaxShuffledPlaces = std::int64_t{1} << 16;

/// How shuffles move units of so many bits along loops around a table, in bits; nullopt where 16
/// bytes that lie together on one side are not combined of powers of two on the other, and for an
/// empty table or too large a one.
[[nodiscard]] std::optional<Shuffled> find_shuffle(std::int64_t unit, std::span<const Loop> loops,
                                                   std::span<const Place> table);

}  // namespace heddle::move
