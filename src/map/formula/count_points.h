#pragma once

// How many points meet the constraints of pieces.
//
//   0 <= j <= i < 100                         i and j share a constraint: i is enumerated, and for
//                                             each i there are i + 1 of j
//   0 <= i < 2^40 and 0 <= j < 2^20           they share none: the product of both
//   0 <= i < 2^40 and i mod 3 = 1             of each remainder by 3, an interval

#include <cstdint>
#include <span>

#include "map/formula/piecewise.h"

namespace heddle::map {

/// The ends of an input over a piece, both included.
struct InputEnds {
  std::int64_t low = 0;
  std::int64_t high = -1;
};

struct PointCount {
  enum class State { kDone, kTooManySteps, kOverflow };
  State state = State::kDone;
  std::int64_t value = 0;
};

/// The number of points of the piece, whose inputs are within these ends. Takes at most `steps`
/// steps, and subtracts those that it took.
[[nodiscard]] PointCount count_points(const AffinePiece& piece, std::span<const InputEnds> ends,
                                      std::int64_t& steps);

}  // namespace heddle::map
