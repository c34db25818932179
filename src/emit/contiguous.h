#pragma once

// Where a layout leaves elements side by side, as vector instructions want them.
//
//   (4,8):(8,1)     along the second coordinate 4 at a time: 8*i + j at j = 4*q + r is r further on
//                   than at j = 4*q, and 8 is a multiple of 4

#include <cstddef>
#include <cstdint>
#include <optional>

#include "heddle/emit/map_function.h"

namespace heddle::emit {

struct ContiguousCoordinate {
  std::size_t coordinate = 0;
  /// From multiples of it on, so many elements follow one another; all of them are points.
  std::int64_t width = 1;
};

/// The coordinate with the widest such runs, 4 or 2 elements; of several the last. Nothing where
/// there is no proof. Asks functions with one place; cost: some proofs for each coordinate, and
/// where those fail the map at each point of a small domain.
[[nodiscard]] std::optional<ContiguousCoordinate> contiguous_coordinate(
    const MapFunction& function);

}  // namespace heddle::emit
