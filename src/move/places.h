#pragma once

// Where the elements of one layout go in another, as loops and a table:
//
//   (64,64):(64,1) to Sw<3,3,3> o 0 o (64,64):(64,1)
//
//     loops  8 (1 to 1), 8 (512 to 512)            steps in the source and in the destination
//     table  64 places                             what the swizzle permutes, added to the loops
//
// Every element is a combination of one step of each loop with one place of the table. Numbers are
// in elements.

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/map/limits.h"
#include "map/view/flat_map.h"
#include "move/nest.h"

namespace heddle::move {

struct Place {
  std::int64_t from = 0;
  std::int64_t to = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

struct Places {
  std::vector<Loop> loops = {};
  /// At least one, in the order of the destination; includes the offsets of the layouts.
  std::vector<Place> table = {};
  /// How the table was found; empty if there is only one place.
  std::string origin = {};
};

/// Tables hold up to this many places.
inline constexpr std::int64_t kMaxPlaces = std::int64_t{1} << 24;

/// Both maps have one axis, the same points and numbers only. Refuses `move.too_large`,
/// `move.negative`, `move.overlap` (both only of maps that are evaluated), `overflow`.
[[nodiscard]] Result<Places> places_of(const map::FlatMap& from, const map::FlatMap& to);

/// The same places with fewer in the table, which is that of a box of these extents, its first one
/// fastest: what is evenly apart becomes loops.
[[nodiscard]] Places in_loops(Places places, std::vector<std::int64_t> extents);

}  // namespace heddle::move
