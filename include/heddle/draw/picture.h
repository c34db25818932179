#pragma once

// A picture is a layout laid out on a grid, before anybody decides about characters or pixels:
//
//   (4,(2,2)):(2,(1,8))         column  0     1       2     3
//                                     (0,0) (1,0)   (0,1) (1,1)
//                              row 0    0     1   |   8     9
//                                  1    2     3   |  10    11
//                                  2    4     5   |  12    13
//                                  3    6     7   |  14    15
//
// Mode 0 runs down the rows and mode 1 along the columns; further modes make one slice each of
// their coordinates; a layout of rank 1 is one row. Where a mode is nested, its blocks are
// outlined: a line of level 1 wherever its second digit changes, of level 2 wherever its third
// does, and so on. Cells of one colour hold indices that are equal modulo 8, or whatever the
// options say: memory banks, for example.
//
//   std::cout << to_terminal(*picture(layout));       draw/text.h
//   file << to_svg(*picture(layout));                 draw/svg.h

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"

namespace heddle::draw {

/// No picture has more cells, or more slices, or shows a layout whose shape takes more nodes to
/// write: no reader would find anything in it.
inline constexpr std::size_t kMaxCells = std::size_t{1} << 18;
inline constexpr std::size_t kMaxSlices = std::size_t{1} << 12;
inline constexpr std::size_t kMaxShapeNodes = 128;
/// How many colours there are.
inline constexpr std::int64_t kMaxColors = 32;

/// One cell of the grid: its text and its colour, below Picture::colors.
struct Cell {
  std::string text;
  std::size_t color = 0;

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// What stands along one side of the grid.
struct Ruler {
  /// How many positions there are, at least 1.
  std::size_t length = 1;
  /// The lengths of the nested blocks, innermost first; each divides the next and the last one the
  /// length.
  std::vector<std::size_t> blocks;
  /// The coordinate of each position in a nested mode, `(1,0)`; empty where the position says it
  /// all.
  std::vector<std::string> coordinates;
  /// False for the rows of a layout of rank 1, which have no coordinate.
  bool is_mode = true;

  friend bool operator==(const Ruler&, const Ruler&) = default;
};

/// The level of the line before `position`: the number of block lengths that divide it.
[[nodiscard]] std::size_t boundary_level(const Ruler& ruler, std::size_t position);

/// One grid of the picture.
struct Slice {
  /// The part of the layout that is shown, `(_,_,1)`.
  std::string label;
  /// Row after row, rows.length * columns.length of them.
  std::vector<Cell> cells;

  friend bool operator==(const Slice&, const Slice&) = default;
};

/// What is drawn. A plain value: whoever likes may build one of their own.
struct Picture {
  std::string title;
  /// What the colours mean, as in "index mod 8"; empty without colours.
  std::string legend;
  /// The number of colours; 0 draws all cells plain. At most kMaxColors.
  std::size_t colors = 0;
  Ruler rows;
  Ruler columns;
  std::vector<Slice> slices;

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// The coordinate of a cell in the shape of the layout, `(1,(0,1),2)`.
[[nodiscard]] std::string coordinate_text(const Picture& picture, const Slice& slice,
                                          std::size_t row, std::size_t column);

enum class ColorBy {
  kNone,
  /// Cells with equal floor(index / run) mod modulus share a colour. The index of a
  /// coordinate-valued layout is the place of the coordinate within its box, first mode fastest.
  kIndexModulo,
};

struct PictureOptions {
  ColorBy color_by = ColorBy::kIndexModulo;
  /// The number of colours, 1 to kMaxColors.
  std::int64_t modulus = 8;
  /// How many consecutive indices share a colour, at least 1: the elements of one vector, say.
  std::int64_t run = 1;
  /// Instead of the layout's own text.
  std::optional<std::string> title = {};
};

/// The picture of a layout, each cell with the index (or, for strides in several axes, the
/// coordinate) that its coordinate maps to. Refuses `draw.too_large` above kMaxCells, kMaxSlices or
/// kMaxShapeNodes, `tuple.empty` without modes, and `draw.color` for a modulus or a run out of
/// range. Cost: linear in the cells.
[[nodiscard]] Result<Picture> picture(const cute::AnyLayout& layout,
                                      const PictureOptions& options = {});

}  // namespace heddle::draw
