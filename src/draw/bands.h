#pragma once

// A grid too wide for the terminal or the page is drawn in bands of columns, one below the other,
// cut where blocks end if that wastes less than half of the room:
//
//   (2,(4,3)) with room for 6 columns      [0,4)   [4,8)   [8,12)
//   (2,12) with room for 10                [0,8)   [8,12)      no blocks: a round length

#include <cstddef>
#include <vector>

#include "heddle/draw/picture.h"

namespace heddle::draw {

/// A run of columns, shown as [begin, end), that is drawn as one grid.
struct Band {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const Band&, const Band&) = default;
};

/// Splits the columns into bands that fit into `room`, where a column takes `cell` and a line
/// between blocks `line`. A band holds at least one column. It ends at the outermost block boundary
/// of its second half; where there are no blocks, bands are equally long.
[[nodiscard]] std::vector<Band> split_columns(const Ruler& columns, std::size_t room,
                                              std::size_t cell, std::size_t line);

}  // namespace heddle::draw
