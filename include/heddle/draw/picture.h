#pragma once

// A picture is a layout on a grid, independent of the output format:
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
// their coordinates; a layout of rank 1 is one row. If a mode is nested, the ruler beside the grid
// has one line of digits for each of its parts, with extent and stride, and its blocks are
// outlined: a line of level 1 wherever the second digit changes, of level 2 wherever the third
// does, and so on. Cells of one colour hold indices that are equal modulo 8, or are in one memory
// bank, as the options say.
//
//   std::cout << to_terminal(*picture(layout));       draw/formats.h
//   file << to_svg(*picture(layout));
//
// For a large layout the picture shows the corners and says what it leaves out.

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
#include "heddle/draw/palette.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// No picture has more cells, or more panels, or shows a layout whose shape takes more nodes to
/// write: it would not be readable.
inline constexpr std::size_t kMaxCells = std::size_t{1} << 20;
inline constexpr std::size_t kMaxPanels = std::size_t{1} << 12;
inline constexpr std::size_t kMaxShapeNodes = 128;
/// Layouts of more elements are shown in part unless the options ask for all; the limit for those
/// on named axes, whose cells have longer texts, is kUsualNamedCells.
inline constexpr std::size_t kUsualCells = std::size_t{1} << 14;
inline constexpr std::size_t kUsualNamedCells = std::size_t{1} << 12;
/// The number of colours.
inline constexpr std::int64_t kMaxColors = 32;
/// The colour of a cell that has none.
inline constexpr std::size_t kPlain = std::numeric_limits<std::size_t>::max();
/// The colour of a place that holds nothing: no colour either, and hatched in files.
inline constexpr std::size_t kHatched = kPlain - 1;
/// Whether it is neither of these two.
[[nodiscard]] constexpr bool is_a_color(std::size_t color) { return color < kHatched; }

/// One cell of the grid.
struct Cell {
  std::string text;
  /// A second, smaller text: the bank `b5`, the value `V3`. May be empty.
  std::string note;
  /// A number below Picture::colors, or kPlain or kHatched.
  std::size_t color = kPlain;
  /// Further facts, one text for each of Panel::fact_names; empty unless the options ask for them.
  std::vector<std::string> facts;
  /// The flat numbers of the logical points that the cell shows, ascending: one in the view of a
  /// tensor, in the view of a memory all that the place holds. Cells of one picture that share a
  /// number belong together. Empty unless the options ask for them, and
  /// where places hold millions of elements.
  std::vector<std::int64_t> elements = {};

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// One part of a nested mode: its digit runs from 0 to extent - 1 and stays the same for `block`
/// positions.
struct Digit {
  std::size_t extent = 1;
  std::size_t block = 1;
  /// Its extent and stride, `2:8`; along a side that is no mode of a layout, the axis, `K`.
  std::string label;

  friend bool operator==(const Digit&, const Digit&) = default;
};

/// Positions [begin, end) of a side with a common name: the bits of one dimension.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string name;

  friend bool operator==(const Group&, const Group&) = default;
};

/// The labels along one side of the grid.
struct Ruler {
  /// The number of positions, at least 1, shown or not.
  std::size_t length = 1;
  /// The positions that are left out, neither at the beginning nor at the end.
  std::optional<Span> gap;
  /// The lengths of the nested blocks, innermost first; each divides the next and the last one the
  /// length.
  std::vector<std::size_t> blocks;
  /// The parts of the mode, innermost first; those of extent 1 are left out.
  std::vector<Digit> digits;
  /// The coordinate of each position shown in a nested mode, `(1,0)`; empty if the position
  /// suffices.
  std::vector<std::string> coordinates;
  /// The label of each position shown instead of its number; empty for the numbers.
  std::vector<std::string> names;
  /// Named runs of positions instead of blocks and digits, one after the other, separated by lines
  /// of level 1.
  std::vector<Group> groups;
  /// False if positions have no coordinate: for the rows of a layout of rank 1, and for a box that
  /// represents a whole tile.
  bool is_mode = true;

  friend bool operator==(const Ruler&, const Ruler&) = default;
};

/// The number of positions shown.
[[nodiscard]] std::size_t shown_count(const Ruler& ruler);
/// The position with the number `shown` among those shown.
[[nodiscard]] std::size_t shown_position(const Ruler& ruler, std::size_t shown);
/// Whether the gap is just before the position with the number `shown`.
[[nodiscard]] bool follows_gap(const Ruler& ruler, std::size_t shown);
/// The name of the position with the number `shown`, or its number.
[[nodiscard]] std::string position_text(const Ruler& ruler, std::size_t shown);
/// The level of the line before `position`: the number of block lengths that divide it, or 1 if a
/// group begins there.
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
  /// The title above the grid: the slice `(_,_,1)`, an operand `A = (4,8):(8,1)`. May be empty.
  std::string label;
  /// The coordinates of its cells, with `_` for the row and for the column: `(_,_,1)`.
  std::string pattern = "(_,_)";
  Ruler rows;
  Ruler columns;
  /// The cells shown, row after row.
  std::vector<Cell> cells;
  /// The names of Cell::facts: "flat coordinate", "bank".
  std::vector<std::string> fact_names;
  /// Its place on a page. Panels without a place follow one another.
  std::optional<Place> place;

  friend bool operator==(const Panel&, const Panel&) = default;
};

/// The content of a picture. A plain value, which callers may also build themselves.
struct Picture {
  std::string title;
  /// The meaning of the colours, as in "index mod 8"; empty without colours.
  std::string legend;
  /// The number of colours; 0 draws all cells plain. At most kMaxColors.
  std::size_t colors = 0;
  /// How the colours look: as names, or as steps of an order.
  Scale scale = Scale::kDistinct;
  std::vector<Panel> panels;
  /// Lines below the picture: what is left out, and answers to the options.
  std::vector<std::string> notes;

  friend bool operator==(const Picture&, const Picture&) = default;
};

/// Whether some cell is hatched.
[[nodiscard]] bool has_hatched(const Picture& picture);

/// The coordinate of a cell in the shape of the layout, `(1,(0,1),2)`; row and column are numbers
/// among those shown.
[[nodiscard]] std::string coordinate_text(const Panel& panel, std::size_t row, std::size_t column);

/// Options of pictures. Each kind of picture reads those that apply to it.
struct PictureOptions {
  /// The dimension of a linear layout, or the axis of an Axe layout, whose coordinate decides the
  /// colours: for tensors one of the hardware, for hardware `dim0`, `dim1`, …. By default a linear
  /// layout's `lane`, or for Axe layouts the devices if there are several, otherwise the threads,
  /// otherwise the place in memory; for hardware the first dimension.
  std::optional<std::string> color_by = {};
  /// Cells with equal floor(number / run) mod modulus share a colour; 0: no colours, at most
  /// kMaxColors. The number is the index, the thread or the coordinate. The index of a
  /// coordinate-valued layout is the number of the coordinate within its box, first mode fastest.
  /// Of several axes the last one counts fastest, each over its span. By default 8 and 1; the index
  /// of a swizzle Sw<B,M,S> by default 2^B and 2^M: the chunks that the swizzle permutes.
  std::optional<std::int64_t> modulus = {};
  std::optional<std::int64_t> run = {};
  /// Colours are those of this many memory banks of 32 bits in which elements begin, and the cell
  /// names the bank: if this or element_bits is given.
  std::optional<std::int64_t> banks = {};
  /// The width of an element in bits, 1 to 1024; by default 32, or that of the pointer.
  std::optional<std::int64_t> element_bits = {};
  /// The address in bytes of index 0, if colours are banks; without it, index 0 begins bank 0.
  std::optional<std::uint64_t> address = {};
  /// The dimensions of a linear layout that are held at one coordinate.
  std::vector<std::pair<std::string, std::int64_t>> slice = {};
  /// How many owners of an element, or elements of a place, a cell lists, at least 1.
  std::size_t owners = 4;
  /// If given, only elements of this thread have a colour, and the notes list them.
  std::optional<std::int64_t> thread = {};
  /// If given, only this element has a colour, one coordinate for each dimension, and the notes
  /// name its owners. For a thread-value layout it may be a number, and for an MMA it is one of C.
  std::optional<std::vector<std::int64_t>> element = {};
  /// The shape of the tensor of an Axe layout; empty for all its elements in a row.
  std::vector<std::int64_t> shape = {};
  /// Replaces the layout's own text.
  std::optional<std::string> title = {};
  /// Layouts of more elements are shown in part; by default kUsualCells, or kUsualNamedCells.
  std::optional<std::size_t> max_cells = {};
  /// Whether Cell::facts are filled.
  bool facts = false;
  /// Whether Cell::elements are filled.
  bool elements = false;
  /// When the picture is given up, with `draw.gave_up`: at their end, or when a stop is requested.
  map::Limits limits = {};
};

/// The picture of a layout, each cell with the index (or, for strides in several axes, the
/// coordinate) that its coordinate maps to. Refuses `draw.too_large` for a layout of more than
/// kMaxCells elements if max_cells asks for all of them and for a shape of more than
/// kMaxShapeNodes, `draw.symbolic` for extents and strides that are not constants, and `draw.color`
/// for a modulus, a run or a width out of range and for banks of coordinates. Cost: linear in the
/// cells shown.
[[nodiscard]] Result<Picture> picture(const cute::AnyLayout& layout,
                                      const PictureOptions& options = {});

/// The picture of a tensor's element indices. Its banks are those of the pointer's address, and its
/// elements have the width that it points to: `smem_ptr[16b](0x404) o (4,8):(8,1)` begins in bank
/// 1. A note says so if the address is not known. Refuses as picture(layout) and
/// as_position_independent_swizzle_layout(), and `draw.color` for element_bits that are not the
/// pointer's.
[[nodiscard]] Result<Picture> picture(const cute::Tensor& tensor,
                                      const PictureOptions& options = {});

}  // namespace heddle::draw
#pragma GCC visibility pop
