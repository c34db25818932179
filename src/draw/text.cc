#include "heddle/draw/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "core/printable.h"
#include "draw/bands.h"
#include "draw/palette.h"

namespace heddle::draw {
namespace {

/// How heavily a line is drawn. Dashed lines meet others like light ones.
enum class Weight : unsigned char { kNone, kLight, kHeavy, kDashed };

/// The weight of a line of `level` among `levels`, of which the last is the outermost. Up to two
/// levels keep below the frame.
Weight weight_of(std::size_t level, std::size_t levels) {
  if (level == 0) return Weight::kNone;
  if (levels >= 2 && level == 1) return Weight::kDashed;
  return levels >= 3 && level >= 3 ? Weight::kHeavy : Weight::kLight;
}

std::size_t arm(Weight weight) {
  return weight == Weight::kDashed ? 1 : static_cast<std::size_t>(weight);
}

/// The character in which four lines meet.
std::string_view junction(Weight up, Weight right, Weight down, Weight left) {
  // Indexed by up, right, down, left; each 0 for none, 1 for light, 2 for heavy.
  constexpr std::string_view kJunctions[81] = {
      " ", "╴", "╸", "╷", "┐", "┑", "╻", "┒", "┓", "╶", "─", "╾", "┌", "┬", "┭", "┎", "┰",
      "┱", "╺", "╼", "━", "┍", "┮", "┯", "┏", "┲", "┳", "╵", "┘", "┙", "│", "┤", "┥", "╽",
      "┧", "┪", "└", "┴", "┵", "├", "┼", "┽", "┟", "╁", "╅", "┕", "┶", "┷", "┝", "┾", "┿",
      "┢", "╆", "╈", "╹", "┚", "┛", "╿", "┦", "┩", "┃", "┨", "┫", "┖", "┸", "┹", "┞", "╀",
      "╃", "┠", "╂", "╉", "┗", "┺", "┻", "┡", "╄", "╇", "┣", "╊", "╋"};
  return kJunctions[arm(up) * 27 + arm(right) * 9 + arm(down) * 3 + arm(left)];
}

std::string_view horizontal(Weight weight) {
  constexpr std::array<std::string_view, 4> kLines = {" ", "─", "━", "┄"};
  return kLines[static_cast<std::size_t>(weight)];
}

std::string_view vertical(Weight weight) {
  constexpr std::array<std::string_view, 4> kLines = {" ", "│", "┃", "┆"};
  return kLines[static_cast<std::size_t>(weight)];
}

std::size_t widest(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, code_points(text));
  return width;
}

class Terminal {
 public:
  Terminal(const Picture& picture, const TerminalStyle& style) : picture_(picture), style_(style) {
    const std::size_t levels = std::max(picture.rows.blocks.size(), picture.columns.blocks.size());
    frame_ = levels == 0 ? Weight::kLight : Weight::kHeavy;
    measure_gutter();
    measure_columns();
  }

  std::string draw() && {
    write_title();
    for (const Slice& slice : picture_.slices) {
      if (picture_.slices.size() > 1) text_ += '\n' + slice.label + '\n';
      for (const Band& band : bands_) write_band(slice, band);
    }
    write_legend();
    return std::move(text_);
  }

 private:
  // Measures, in characters.

  void measure_gutter() {
    if (!picture_.rows.is_mode) return;
    row_number_width_ = std::to_string(picture_.rows.length - 1).size();
    row_coordinate_width_ = widest(picture_.rows.coordinates);
    gutter_ = row_number_width_ + 1;
    if (row_coordinate_width_ > 0) gutter_ += row_coordinate_width_ + 1;
  }

  /// Chooses the width of a column and the bands. Coordinates stand above the columns where they do
  /// not lengthen the picture.
  void measure_columns() {
    std::size_t narrow = std::to_string(picture_.columns.length - 1).size();
    for (const Slice& slice : picture_.slices) {
      for (const Cell& cell : slice.cells) narrow = std::max(narrow, code_points(cell.text));
    }
    cell_width_ = narrow;
    bands_ = bands_of(narrow);
    const std::size_t wide = std::max(narrow, widest(picture_.columns.coordinates));
    std::vector<Band> wide_bands = bands_of(wide);
    constexpr std::size_t kWidest = 9;
    column_coordinates_ = !picture_.columns.coordinates.empty() &&
                          wide <= std::max(narrow, kWidest) && wide_bands.size() == bands_.size();
    if (!column_coordinates_) return;
    cell_width_ = wide;
    bands_ = std::move(wide_bands);
  }

  [[nodiscard]] std::vector<Band> bands_of(std::size_t width) const {
    const std::size_t sides = gutter_ + 2;
    if (style_.width == 0) return {{0, picture_.columns.length}};
    return split_columns(picture_.columns, style_.width - std::min(style_.width, sides), width + 2,
                         1);
  }

  // Pieces.

  void repeat(std::string_view piece, std::size_t times) {
    for (; times > 0; --times) text_ += piece;
  }

  void write_right(std::string_view text, std::size_t width) {
    repeat(" ", width - std::min(width, code_points(text)));
    text_ += text;
  }

  void end_line() {
    while (text_.ends_with(' ')) text_.pop_back();
    text_ += '\n';
  }

  void set_color(std::size_t color) {
    fmt::format_to(std::back_inserter(text_), "\x1b[48;5;{};38;5;16m", terminal_background(color));
  }

  void reset_color() { text_ += "\x1b[0m"; }

  [[nodiscard]] bool is_colored() const { return style_.color && picture_.colors > 0; }

  [[nodiscard]] Weight row_line(std::size_t row) const {
    if (row == 0 || row == picture_.rows.length) return frame_;
    return weight_of(boundary_level(picture_.rows, row), picture_.rows.blocks.size());
  }

  /// The line before a column, which may be the end of the band.
  [[nodiscard]] Weight column_line(const Band& band, std::size_t column) const {
    if (column == band.begin || column == band.end) return frame_;
    return weight_of(boundary_level(picture_.columns, column), picture_.columns.blocks.size());
  }

  // Lines.

  void write_title() {
    if (picture_.title.empty()) return;
    if (style_.color) text_ += "\x1b[1m";
    text_ += printable(picture_.title);
    if (style_.color) reset_color();
    text_ += '\n';
  }

  void write_legend() {
    if (!is_colored()) return;
    const std::string legend = printable(picture_.legend) + ':';
    const std::size_t width = std::to_string(picture_.colors - 1).size();
    std::size_t used = code_points(legend);
    text_ += legend;
    for (std::size_t color = 0; color < picture_.colors; ++color, used += width + 3) {
      if (style_.width > 0 && used + width + 3 > style_.width && used > 0) {
        text_ += '\n';
        used = 0;
      }
      text_ += ' ';
      set_color(color);
      text_ += ' ';
      write_right(std::to_string(color), width);
      text_ += ' ';
      reset_color();
    }
    text_ += '\n';
  }

  void write_band(const Slice& slice, const Band& band) {
    if (bands_.size() > 1) {
      text_ += fmt::format("\ncolumns {} to {} of {}\n", band.begin, band.end - 1,
                           picture_.columns.length);
    }
    write_header(band);
    for (std::size_t row = 0; row < picture_.rows.length; ++row) {
      write_rule(band, row);
      write_row(slice, band, row);
    }
    write_rule(band, picture_.rows.length);
  }

  void write_header(const Band& band) {
    write_header_line(band, [](std::size_t column) { return std::to_string(column); });
    if (!column_coordinates_) return;
    write_header_line(band,
                      [&](std::size_t column) { return picture_.columns.coordinates[column]; });
  }

  template <class Label>
  void write_header_line(const Band& band, Label label) {
    repeat(" ", gutter_);
    for (std::size_t column = band.begin; column < band.end; ++column) {
      if (column_line(band, column) != Weight::kNone) text_ += ' ';
      write_right(label(column), cell_width_ + 1);
      text_ += ' ';
    }
    end_line();
  }

  /// The line above `row`, if there is one.
  void write_rule(const Band& band, std::size_t row) {
    const Weight line = row_line(row);
    if (line == Weight::kNone) return;
    repeat(" ", gutter_);
    for (std::size_t column = band.begin; column <= band.end; ++column) {
      const Weight crossing = column_line(band, column);
      if (crossing != Weight::kNone) {
        text_ +=
            junction(row == 0 ? Weight::kNone : crossing, column == band.end ? Weight::kNone : line,
                     row == picture_.rows.length ? Weight::kNone : crossing,
                     column == band.begin ? Weight::kNone : line);
      }
      if (column < band.end) repeat(horizontal(line), cell_width_ + 2);
    }
    text_ += '\n';
  }

  void write_row_label(std::size_t row) {
    if (!picture_.rows.is_mode) return;
    write_right(std::to_string(row), row_number_width_);
    text_ += ' ';
    if (row_coordinate_width_ == 0) return;
    write_right(picture_.rows.coordinates[row], row_coordinate_width_);
    text_ += ' ';
  }

  void write_row(const Slice& slice, const Band& band, std::size_t row) {
    write_row_label(row);
    const Cell* cells = slice.cells.data() + row * picture_.columns.length;
    const Cell* previous = nullptr;
    for (std::size_t column = band.begin; column < band.end; ++column) {
      const Weight line = column_line(band, column);
      if (line != Weight::kNone) {
        if (is_colored() && previous != nullptr) reset_color();
        text_ += vertical(line);
        previous = nullptr;
      }
      const Cell& cell = cells[column];
      if (is_colored() && (previous == nullptr || previous->color != cell.color))
        set_color(cell.color);
      write_right(cell.text, cell_width_ + 1);
      text_ += ' ';
      previous = &cell;
    }
    if (is_colored()) reset_color();
    text_ += vertical(frame_);
    text_ += '\n';
  }

  const Picture& picture_;
  TerminalStyle style_;
  std::string text_;
  Weight frame_ = Weight::kLight;
  std::size_t gutter_ = 0;
  std::size_t row_number_width_ = 0;
  std::size_t row_coordinate_width_ = 0;
  std::size_t cell_width_ = 1;
  bool column_coordinates_ = false;
  std::vector<Band> bands_;
};

}  // namespace

std::string to_terminal(const Picture& picture, const TerminalStyle& style) {
  return Terminal(picture, style).draw();
}

}  // namespace heddle::draw
