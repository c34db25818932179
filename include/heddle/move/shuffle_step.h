#pragma once

// One step of a permutation of rows of 16 bytes in registers (src/move/shuffle.h derives them):
//
//   row 0  a b c d e f g h      exchange of 8 bytes     a b c d A B C D      {.bits = 64,
//   row 1  A B C D E F G H      with the row            e f g h E F G H       .pairs = {{0, 1}}}

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace heddle::move {

/// The bytes of a row.
inline constexpr std::int64_t kLaneBytes = 16;

/// Exchanges, in the rows of each pair, the upper halves of pieces of twice so many bits of the
/// first row with the lower halves of those of the second one, if there are pairs; then shuffles
/// the bytes of each row, if there are masks: byte i comes from byte mask[i].
struct ShuffleStep {
  int bits = 0;
  std::vector<std::pair<int, int>> pairs = {};
  std::vector<std::array<std::uint8_t, kLaneBytes>> masks = {};

  friend bool operator==(const ShuffleStep&, const ShuffleStep&) = default;
};

}  // namespace heddle::move
#pragma GCC visibility pop
