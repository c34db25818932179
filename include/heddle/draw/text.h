#pragma once

// Pictures for a terminal:
//
//   ((2,2),4):((1,2),4)
//              0   1   2   3
//           ┏━━━━━━━━━━━━━━━━┓
//   0 (0,0) ┃  0   4   8  12 ┃
//   1 (1,0) ┃  1   5   9  13 ┃
//           ┠────────────────┨
//   2 (0,1) ┃  2   6  10  14 ┃
//   3 (1,1) ┃  3   7  11  15 ┃
//           ┗━━━━━━━━━━━━━━━━┛
//
// Blocks of nested modes are outlined, outer ones with heavier lines. Grids wider than the terminal
// are split into bands of columns, at block boundaries where that is possible. Panels stand one
// below the other. A cell's note follows its text.

#include <cstddef>
#include <string>

#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

struct TerminalStyle {
  /// Coloured backgrounds, black or white text on them: readable on any terminal.
  bool color = false;
  /// Colours by their parts of 8 bits; otherwise by their numbers in the table of 256.
  bool true_color = false;
  /// The number of characters in a line, which the grid keeps within as long as one column fits; 0
  /// for no limit.
  std::size_t width = 0;
};

/// The picture in UTF-8, ending with a newline. Control characters in the title are made harmless.
[[nodiscard]] std::string to_terminal(const Picture& picture, const TerminalStyle& style = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
