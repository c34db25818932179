#pragma once

// The places of all parts of a picture on a page, in pixels, for backends that draw: SVG and TikZ.
//
//            label
//                        0           1            outer digits, each over its block
//                     0     1     0     1   2:1   digits; beside them extent and stride
//                     0     1     2     3         positions
//      0   0   0   +-----------------------+
//          1   1   |  a panel's grid       |
//      1   0   2   |                       |
//          1   3   +-----------------------+
//     2:4 2:1

#include <cstddef>
#include <string>
#include <vector>

#include "draw/ruler.h"
#include "heddle/draw/picture.h"

namespace heddle::draw {

// Sizes of type, in tenths of a pixel, and the width of its monospaced characters.
inline constexpr std::size_t kTitleType = 160;
inline constexpr std::size_t kCellType = 140;
inline constexpr std::size_t kDigitType = 120;
inline constexpr std::size_t kSmallType = 105;

/// The width of `characters` characters of a type, in pixels.
[[nodiscard]] constexpr std::size_t type_width(std::size_t type, std::size_t characters) {
  return (characters * type * 6 + 99) / 100;
}

inline constexpr std::size_t kMargin = 16;
inline constexpr std::size_t kLine = 20;
inline constexpr std::size_t kTitleLine = 24;
inline constexpr std::size_t kGapWidth = 24;
inline constexpr std::size_t kSwatchWidth = 34;
inline constexpr std::size_t kSwatchHeight = 26;

/// A panel, or a band of its columns, and the corner of its grid.
struct PlacedPanel {
  const Panel* panel = nullptr;
  Span band;
  std::string label;
  std::size_t x = 0;
  std::size_t y = 0;
};

/// A length or a place within a panel, from the corner of its grid; labels are before it.
using Offset = std::ptrdiff_t;

/// A text beside a grid, by its baseline: its position along the side, and its distance from it.
struct SideText {
  Offset along = 0;
  Offset beside = 0;
  std::string text;
};

/// A bracket over positions of a side, from `begin` to `end` along it; its tips point to the grid.
struct Bracket {
  Offset begin = 0;
  Offset end = 0;
  Offset beside = 0;
};

/// A line of labels along the columns or the rows of a grid.
struct SideLine {
  /// The numbers of positions (small beside a nested mode), names of groups, or digits.
  enum class Kind { kNumbers, kSmallNumbers, kGroups, kDigits };
  Kind kind = Kind::kNumbers;
  bool is_of_columns = true;
  std::vector<SideText> texts = {};
  /// One for each text, or empty.
  std::vector<Bracket> brackets = {};
  /// The extent and stride of a digit; an empty text for none.
  SideText stride = {};

  [[nodiscard]] Offset x(const SideText& at) const { return is_of_columns ? at.along : at.beside; }
  [[nodiscard]] Offset y(const SideText& at) const { return is_of_columns ? at.beside : at.along; }
};

/// A cell by its upper left corner.
struct PlacedCell {
  const Cell* cell = nullptr;
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t x = 0;
  std::size_t y = 0;
};

/// A line through the whole grid, before a row or a column.
struct GridLine {
  std::size_t level = 0;
  bool is_of_columns = true;
  std::size_t at = 0;
};

/// A strip over the cells where positions are left out.
struct GapStrip {
  bool is_of_columns = true;
  std::size_t x = 0;
  std::size_t y = 0;
  std::size_t width = 0;
  std::size_t height = 0;
};

class Sheet {
 public:
  explicit Sheet(const Picture& picture);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t height() const { return height_; }
  [[nodiscard]] std::size_t cell_width() const { return cell_width_; }
  [[nodiscard]] std::size_t cell_height() const { return cell_height_; }
  [[nodiscard]] const std::vector<PlacedPanel>& panels() const { return panels_; }

  /// The lines of the title; the baseline of the first one is at kMargin + 14.
  [[nodiscard]] const std::vector<std::string>& title() const { return title_; }
  [[nodiscard]] std::size_t legend_x() const { return legend_x_; }
  [[nodiscard]] std::size_t legend_y() const { return legend_y_; }
  [[nodiscard]] std::size_t swatches_in_line() const { return swatches_in_line_; }
  /// The lines of the notes, and the baseline of the first.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] std::size_t notes_y() const { return notes_y_; }

  // Within a panel, from the corner of its grid.

  [[nodiscard]] std::size_t grid_width(const PlacedPanel& placed) const;
  [[nodiscard]] std::size_t grid_height(const Panel& panel) const;
  /// The width of its labels to the left of the grid, and the height from its top to the grid.
  [[nodiscard]] static std::size_t gutter(const Panel& panel);
  [[nodiscard]] std::size_t header(const PlacedPanel& placed) const;
  /// The labels above the columns, or beside the rows, from the nearest line to the farthest.
  [[nodiscard]] std::vector<SideLine> labels(const PlacedPanel& placed, bool is_of_columns) const;
  [[nodiscard]] std::vector<PlacedCell> cells(const PlacedPanel& placed) const;
  /// The lines between rows, then those between columns.
  [[nodiscard]] std::vector<GridLine> lines(const PlacedPanel& placed) const;
  [[nodiscard]] std::vector<GapStrip> gaps(const PlacedPanel& placed) const;
  /// The place of the text of a cell: its middle, its baseline.
  [[nodiscard]] std::size_t middle(std::size_t x) const { return x + cell_width_ / 2; }
  [[nodiscard]] std::size_t baseline(std::size_t y) const { return y + cell_height_ / 2 + 5; }

 private:
  /// The room of a row or a column of panels on either side of the start of its grids.
  struct Room {
    std::size_t before = 0;
    std::size_t after = 0;
  };

  /// The left edge of the column with the number `shown`, the upper one of the row.
  [[nodiscard]] std::size_t column_x(const PlacedPanel& placed, std::size_t shown) const;
  [[nodiscard]] std::size_t row_y(const Panel& panel, std::size_t shown) const;
  /// The line over the grid in which the name of each group of columns is written.
  [[nodiscard]] std::vector<std::size_t> group_lines(const PlacedPanel& placed) const;

  void measure_cells();
  void split_panels();
  void place_panels();
  void place_title();
  void place_legend();
  void place_notes();
  void place_columns(const std::vector<Place>& places);
  void place_lines(const std::vector<Place>& places);
  [[nodiscard]] bool has_places() const;
  [[nodiscard]] std::vector<Place> flow() const;
  [[nodiscard]] std::size_t panels_in_line(std::size_t width, std::size_t room) const;
  [[nodiscard]] std::vector<Room> rooms(const std::vector<std::size_t>& indices,
                                        Room (Sheet::*room_of)(const PlacedPanel&) const) const;
  [[nodiscard]] static std::vector<std::size_t> corners(const std::vector<Room>& rooms,
                                                        std::size_t& next);
  [[nodiscard]] Room horizontal_room(const PlacedPanel& placed) const;
  [[nodiscard]] Room vertical_room(const PlacedPanel& placed) const;

  const Picture& picture_;
  std::vector<PlacedPanel> panels_;
  std::vector<std::string> title_;
  std::vector<std::string> notes_;
  std::size_t cell_width_ = 0;
  std::size_t cell_height_ = 0;
  std::size_t width_ = 0;
  std::size_t height_ = 0;
  std::size_t legend_x_ = 0;
  std::size_t legend_y_ = 0;
  std::size_t swatches_in_line_ = 1;
  std::size_t notes_y_ = 0;
};

/// The width of a line of `level` among the lines of a grid, in tenths of a pixel; the frame's
/// level is one above the highest.
[[nodiscard]] std::size_t stroke_of(std::size_t level);
/// The number of levels of a panel.
[[nodiscard]] std::size_t level_count(const Panel& panel);

}  // namespace heddle::draw
