#pragma once

// The labels along a side of a grid: the digits of a nested mode, and named groups.
//
//   (2,4):(1,8)     digits 2:1, the same for 1 position, and 4:8, for 2; blocks of 2
//   runs_of(…, the digit 4:8, 0, 8)      [0,2) is 0, [2,4) is 1, [4,6) is 2, [6,8) is 3
//
// A grid too wide for the terminal or the page is drawn in bands of columns, one below the other,
// cut where blocks end if that wastes less than half of the room:
//
//   (2,(4,3)) with room for 6 columns      [0,4)   [4,8)   [8,12)
//   (2,12) with room for 10                [0,8)   [8,12)      no blocks: a round length

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/draw/picture.h"

namespace heddle::draw {

/// Neighbouring positions [begin, end), among those shown, with the same value of one digit and of
/// all outer ones.
struct Run {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t digit = 0;

  friend bool operator==(const Run&, const Run&) = default;
};

/// The runs of one digit among the positions shown as [begin, end).
[[nodiscard]] std::vector<Run> runs_of(const Ruler& ruler, const Digit& digit, std::size_t begin,
                                       std::size_t end);

/// The width of the longest of the texts, in characters.
[[nodiscard]] std::size_t widest(const std::vector<std::string>& texts);
/// The width of the longest text of a position.
[[nodiscard]] std::size_t position_width(const Ruler& ruler);
/// The width of the longest name of a group, in characters; 0 without groups.
[[nodiscard]] std::size_t group_width(const Ruler& ruler);

/// The groups with positions in [begin, end), cut off there.
[[nodiscard]] std::vector<Group> groups_in(const Ruler& ruler, std::size_t begin, std::size_t end);

/// The beginning of a name along a side, and its width.
struct Stretch {
  std::size_t begin = 0;
  std::size_t width = 0;
};
/// The line over its side in which each of these names is written, 0 being the nearest, so that no
/// two overlap. Names come in order, from the left.
[[nodiscard]] std::vector<std::size_t> stagger(const std::vector<Stretch>& names);

/// Splits the columns into runs, each drawn as one grid, that fit into `room`, where a column takes
/// `cell` and a line between blocks `line`. A band holds at least one column. It ends at the
/// outermost block boundary of its second half; without blocks, bands are equally long.
[[nodiscard]] std::vector<Span> split_columns(const Ruler& columns, std::size_t room,
                                              std::size_t cell, std::size_t line);

}  // namespace heddle::draw
