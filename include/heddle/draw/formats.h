#pragma once

// Pictures in three text formats; as pages and as data see heddle/notation/picture.h. As
// characters, for a terminal:
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
// are split into bands of columns, at block boundaries if possible. Panels are placed one below the
// other. A cell's note follows its text.
//
// In files, colours are tints of the Okabe-Ito palette under dark text, or 32 colours that readers
// of every colour vision can tell apart. Rulers show the digits of nested modes with their extents
// and strides, the outer ones as brackets over their blocks. Outlines of blocks get wider from
// inner to outer ones. Panels are placed side by side as long as there is room.

#include <cstddef>
#include <string>

#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

struct TerminalStyle {
  /// Coloured backgrounds with black or white text: readable on any terminal.
  bool color = false;
  /// Colours as 8-bit red, green and blue; otherwise as numbers in the 256-colour table.
  bool true_color = false;
  /// The number of characters in a line, which the grid does not exceed if one column fits; 0 for
  /// no limit.
  std::size_t width = 0;
};

/// The picture in UTF-8, ending with a newline. Control characters in the title are escaped.
[[nodiscard]] std::string to_terminal(const Picture& picture, const TerminalStyle& style = {});

/// The picture as one self-contained SVG document in UTF-8, without style sheets or scripts; each
/// cell shows `(1,(0,1)) → 11` under the pointer. Characters that XML does not allow are replaced.
/// A cell takes about 150 bytes: 128 x 128 cells make 2.5 MB.
[[nodiscard]] std::string to_svg(const Picture& picture);

/// The picture for papers: a LaTeX document in ASCII with one TikZ picture, of the size of the
/// picture. It needs only the packages `standalone` and `tikz`; its `tikzpicture` may also be
/// copied into another document, together with the colours above it. Non-ASCII characters other
/// than `·` in title and labels become `?`. TeX takes about a second for a thousand cells.
[[nodiscard]] std::string to_latex(const Picture& picture);

}  // namespace heddle::draw
#pragma GCC visibility pop
