#pragma once

// Ladders: strided maps of one dimension by their levels and steps, without strides.
//
//   (4,3):(12,1)        level 1 step +1,  level 3 step +10:   0 1 2 12 13 14 24 …
//   shifted by 1, cut to 6 places:                              0 1 11 12 13 23
//   a step begins at place 2, and place 3 needs another: 3 is not a multiple of 2, so that no
//   strided map continues there
//
// The step onto index y, f(y) - f(y - 1), is that of the coarsest level that divides y (theorem
// A.8). So a part [b, b + count) of a map is a map again exactly if its steps are those of levels
// that divide count, and the least place where they are not is found by congruences: the places t
// with p | b + t and q | t are a residue class.

#include <cstdint>
#include <optional>

#include "heddle/core/inline_vector.h"

namespace heddle::axe {

struct Ladder {
  struct Rung {
    std::int64_t level = 1;
    /// Names the step; equal steps have equal names.
    int step = 0;
  };
  /// Levels rise strictly from 1, each dividing the next; the last one continues without end.
  InlineVector<Rung, 8> rungs;

  /// The step onto index y > 0.
  [[nodiscard]] int step_onto(std::int64_t y) const;
};

/// A place at which no ladder can continue: the step onto it is `found`, though its level must be
/// that of `wanted`.
struct LadderObstacle {
  std::int64_t place = 0;
  int found = 0;
  int wanted = 0;
  /// The level of which the place is no multiple; nullopt if instead the place does not divide the
  /// count.
  std::optional<std::int64_t> no_multiple_of;
};

/// The shortest ladder with the steps of `map` onto begin + 1, …, begin + count - 1, written to
/// `part`; otherwise returns the first place at which there is none, a proof. Needs 0 <= begin, 2
/// <= count and begin + count below 2^63. Cost: rungs of the map times rungs of the part, whatever
/// the count.
[[nodiscard]] std::optional<LadderObstacle> cut(const Ladder& map, std::int64_t begin,
                                                std::int64_t count, Ladder& part);

}  // namespace heddle::axe
