#pragma once

// A picture is a layout laid out on a grid, before anybody decides about characters or pixels:
//
//   (4,(2,2)):(2,(1,8))              2:8  0             1
//                                    2:1  0     1       0     1
//                          4:2
//                            0       |    0     1   |   8     9
//                            1       |    2     3   |  10    11
//                            2       |    4     5   |  12    13
//                            3       |    6     7   |  14    15
//
// Mode 0 runs down the rows and mode 1 along the columns; further modes make one panel for each of
// their coordinates; a layout of rank 1 is one row. Where a mode is nested, the ruler beside the
// grid has one line of digits for each of its parts, with extent and stride, and its blocks are
// outlined: a line of level 1 wherever the second digit changes, of level 2 wherever the third
// does, and so on. Cells of one colour hold indices that are equal modulo 8, or lie in one memory
// bank, or whatever the options say.
//
//   std::cout << to_terminal(*picture(layout));       draw/formats.h
//   file << to_svg(*picture(layout));
//
// Of a large layout the picture shows the corners and says what it leaves out.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"
#include "heddle/cute/tensor.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// No picture has more cells, or more panels, or shows a layout whose shape takes more nodes to
/// write: no reader would find anything in it.
inline constexpr std::size_t kMaxCells = std::size_t{1} << 18;
inline constexpr std::size_t kMaxPanels = std::size_t{1} << 12;
inline constexpr std::size_t kMaxShapeNodes = 128;
/// Layouts of more elements are shown in part unless the options ask for all; those on named axes,
/// whose cells say more, of more than kUsualNamedCells.
inline constexpr std::size_t kUsualCells = std::size_t{1} << 14;
inline constexpr std::size_t kUsualNamedCells = std::size_t{1} << 12;
/// How many colours there are.
inline constexpr std::int64_t kMaxColors = 32;
/// The colour of a cell that has none.
inline constexpr std::size_t kPlain = std::numeric_limits<std::size_t>::max();
/// The colour of a place that nothing has: none either, and files hatch it.
inline constexpr std::size_t kHatched = kPlain - 1;
/// Not one of these two.
[[nodiscard]] constexpr bool is_a_color(std::size_t color) { return color < kHatched; }

/// One cell of the grid.
struct Cell {
  std::string text;
  /// A second, smaller text: the bank `b5`, the value `V3`. May be empty.
  std::string note;
  /// Below Picture::colors, or kPlain or kHatched.
  std::size_t color = kPlain;
  /// What more there is to say, one text for each of Panel::fact_names; empty where the options did
  /// not ask for it.
  std::vector<std::string> facts;

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// One part of a nested mode: its digit runs from 0 to extent - 1 and stays the same for `block`
/// positions.
struct Digit {
  std::size_t extent = 1;
  std::size_t block = 1;
  /// Its extent and stride, `2:8`; along a side that is no mode of a layout the axis, `K`.
  std::string label;

  friend bool operator==(const Digit&, const Digit&) = default;
};

/// Positions [begin, end) of a side that have a name together: the bits of one dimension.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string name;

  friend bool operator==(const Group&, const Group&) = default;
};

/// What stands along one side of the grid.
struct Ruler {
  /// How many positions there are, at least 1, shown or not.
  std::size_t length = 1;
  /// The positions that are left out, neither at the begin nor at the end.
  std::optional<Span> gap;
  /// The lengths of the nested blocks, innermost first; each divides the next and the last one the
  /// length.
  std::vector<std::size_t> blocks;
  /// The parts of the mode, innermost first; those of extent 1 are left out.
  std::vector<Digit> digits;
  /// The coordinate of each position shown in a nested mode, `(1,0)`; empty where the position says
  /// it all.
  std::vector<std::string> coordinates;
  /// What stands at each position shown instead of its number; empty for the numbers.
  std::vector<std::string> names;
  /// Named runs of positions instead of blocks and digits, one after the other; a line of level 1
  /// parts them.
  std::vector<Group> groups;
  /// False where positions have no coordinate: for the rows of a layout of rank 1, and for a box
  /// that stands for a whole tile.
  bool is_mode = true;

  friend bool operator==(const Ruler&, const Ruler&) = default;
};

/// How many positions are shown.
[[nodiscard]] std::size_t shown_count(const Ruler& ruler);
/// The position that is shown as number `shown`.
[[nodiscard]] std::size_t shown_position(const Ruler& ruler, std::size_t shown);
/// The gap lies just before what is shown as number `shown`.
[[nodiscard]] bool follows_gap(const Ruler& ruler, std::size_t shown);
/// The name of the position that is shown as number `shown`, or its number.
[[nodiscard]] std::string position_text(const Ruler& ruler, std::size_t shown);
/// The level of the line before `position`: the number of block lengths that divide it, or 1 where
/// a group begins.
[[nodiscard]] std::size_t boundary_level(const Ruler& ruler, std::size_t position);
/// The highest of these levels.
[[nodiscard]] std::size_t level_count(const Ruler& ruler);

/// Row and column of a panel among the panels.
struct Place {
  std::size_t row = 0;
  std::size_t column = 0;

  friend bool operator==(const Place&, const Place&) = default;
};

/// One grid of the picture.
struct Panel {
  /// What is shown, above the grid: the slice `(_,_,1)`, an operand `A = (4,8):(8,1)`. May be
  /// empty.
  std::string label;
  /// The coordinates of its cells, with `_` for the row and for the column: `(_,_,1)`.
  std::string pattern = "(_,_)";
  Ruler rows;
  Ruler columns;
  /// Row after row, what is shown of them.
  std::vector<Cell> cells;
  /// What Cell::facts are about: "flat coordinate", "bank".
  std::vector<std::string> fact_names;
  /// Where it stands on a page. Panels without a place follow one another.
  std::optional<Place> place;

  friend bool operator==(const Panel&, const Panel&) = default;
};

/// What is drawn. A plain value: whoever likes may build one of their own.
struct Picture {
  std::string title;
  /// What the colours mean, as in "index mod 8"; empty without colours.
  std::string legend;
  /// The number of colours; 0 draws all cells plain. At most kMaxColors.
  std::size_t colors = 0;
  std::vector<Panel> panels;
  /// Lines below the picture: what is left out, what was asked.
  std::vector<std::string> notes;

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Some cell is hatched.
[[nodiscard]] bool has_hatched(const Picture& picture);

/// The coordinate of a cell in the shape of the layout, `(1,(0,1),2)`; row and column as shown.
[[nodiscard]] std::string coordinate_text(const Panel& panel, std::size_t row, std::size_t column);

/// What is wanted of a picture. Each kind of picture reads what says something about it.
struct PictureOptions {
  /// The dimension of a linear layout, or the axis of an Axe layout, whose coordinate decides about
  /// colours: of tensors one of the hardware, of hardware `dim0`, `dim1`, …. By itself a linear
  /// layout's `lane`, or of Axe layouts the devices where there are several, otherwise the threads,
  /// otherwise the place in memory; of hardware the first dimension.
  std::optional<std::string> color_by = {};
  /// Cells with equal floor(number / run) mod modulus share a colour; 0: no colours, at most
  /// kMaxColors. The number is the index, the thread or the coordinate. The index of a
  /// coordinate-valued layout is the place of the coordinate within its box, first mode fastest. Of
  /// several axes the last one counts fastest, each over its span.
  std::int64_t modulus = 8;
  std::int64_t run = 1;
  /// Colours are those of so many memory banks of 32 bits in which elements begin, and the bank
  /// stands in the cell: where this or element_bits is given.
  std::optional<std::int64_t> banks = {};
  /// The width of an element in bits, 1 to 1024; 32, or that of the pointer, where it is not given.
  std::optional<std::int64_t> element_bits = {};
  /// The address in bytes of index 0, where colours are banks; without it, index 0 begins bank 0.
  std::optional<std::uint64_t> address = {};
  /// The dimensions of a linear layout that are held at one coordinate.
  std::vector<std::pair<std::string, std::int64_t>> slice = {};
  /// How many owners of an element, or elements of a place, a cell lists, at least 1.
  std::size_t owners = 4;
  /// Only what this thread holds has a colour, and the notes list it.
  std::optional<std::int64_t> thread = {};
  /// Only this element has a colour, one coordinate for each dimension, and the notes say who holds
  /// it. Of a thread-value layout it may be a number, and of an MMA it is one of C.
  std::optional<std::vector<std::int64_t>> element = {};
  /// The shape of the tensor of an Axe layout; empty for all its elements in a row.
  std::vector<std::int64_t> shape = {};
  /// Instead of the layout's own text.
  std::optional<std::string> title = {};
  /// Of a layout of more elements a part is shown; kUsualCells, or kUsualNamedCells, where it is
  /// not given.
  std::optional<std::size_t> max_cells = {};
  /// Fill Cell::facts.
  bool facts = false;
};

/// The picture of a layout, each cell with the index (or, for strides in several axes, the
/// coordinate) that its coordinate maps to. Refuses `draw.too_large` for a layout of more than
/// kMaxCells elements where max_cells asks for all of them and for a shape of more than
/// kMaxShapeNodes, `draw.symbolic` for extents and strides that are not constants, and `draw.color`
/// for a modulus, a run or a width out of range and for banks of coordinates. Cost: linear in the
/// cells shown.
[[nodiscard]] Result<Picture> picture(const cute::AnyLayout& layout,
                                      const PictureOptions& options = {});

/// The picture of a tensor's element indices. Its banks are those of the pointer's address, and its
/// elements as wide as what it points to: `smem_ptr[16b](0x404) o (4,8):(8,1)` begins in bank 1. A
/// note says so where the address is not known. Refuses what picture(layout) and
/// as_position_independent_swizzle_layout() refuse, and `draw.color` for element_bits that are not
/// the pointer's.
[[nodiscard]] Result<Picture> picture(const cute::Tensor& tensor,
                                      const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
