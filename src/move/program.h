#pragma once

// A plan as it is executed: loops around a table around a nest of loops.
//
//   for each step of the outer loops, for each place of the table: run the nest
//
// A map of digits only is one nest. A table whose places lie close together, as those of a swizzle,
// is within the loops that step over it; one whose places lie far apart is around them. Or shuffles
// do it, but for what is too little for them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "move/nest.h"
#include "move/places.h"
#include "move/shuffle.h"

namespace heddle::move {

struct Program {
  std::int64_t elements = 0;
  std::int64_t element_bits = 8;
  std::int64_t source_bytes = 0;
  std::int64_t destination_bytes = 0;
  /// Steps and places are in bytes, or in bits where elements share bytes with others.
  bool counts_bits = false;
  std::vector<Loop> outer = {};
  std::vector<Place> table = {};
  Nest nest = {};
  /// What is done instead by shuffles, and then by other programs.
  std::optional<Shuffle> shuffle = {};
  std::vector<Program> rests = {};
  std::string origin = {};
  /// How points of different shapes are matched; empty for the same shape.
  std::string matched = {};
};

/// Units of so many bits, along loops around a table; all in bits.
struct BitLoops {
  std::int64_t unit = 1;
  std::vector<Loop> loops = {};
  std::vector<Place> table = {};
};
/// What ways to move are weighed by.
struct Weights {
  /// The bits of everything that the copy moves, of which the loops may be a part.
  std::int64_t bits = 0;
  /// The instructions of a block besides those for its rows.
  std::int64_t block = 128;
  /// Whether shuffles are taken wherever there are some.
  bool takes_shuffles = false;
};
/// How they are moved with the fewest instructions: by the loops, or by shuffles.
[[nodiscard]] Program program_of(BitLoops loops, const Weights& weights);

/// How the innermost loops of a program without shuffles move: `copies 16 bytes at a time`.
[[nodiscard]] std::string kernel_text(const Program& program);

/// Moves `bits` bits between any places of two buffers; the other bits of their bytes are kept.
void move_bits(const std::byte* source, std::int64_t from, std::byte* destination, std::int64_t to,
               std::int64_t bits);

}  // namespace heddle::move
