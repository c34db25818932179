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

/// Moves `bits` bits between any places of two buffers; the other bits of their bytes are kept.
void move_bits(const std::byte* source, std::int64_t from, std::byte* destination, std::int64_t to,
               std::int64_t bits);

}  // namespace heddle::move
