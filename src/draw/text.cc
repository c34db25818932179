#include "heddle/draw/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "core/printable.h"
#include "draw/ruler.h"
#include "heddle/draw/palette.h"

namespace heddle::draw {
namespace {

/// The weight of a line. Dashed lines meet others like light ones.
enum class Weight : unsigned char { kNone, kLight, kHeavy, kDashed };

/// The weight of a line of `level` among `levels`, the last of which is the outermost. With up to
/// two levels all are lighter than the frame.
Weight weight_of(std::size_t level, std::size_t levels) {
  if (level == 0) return Weight::kNone;
  if (levels >= 2 && level == 1) return Weight::kDashed;
  return levels >= 3 && level >= 3 ? Weight::kHeavy : Weight::kLight;
}

std::size_t arm(Weight weight) {
  return weight == Weight::kDashed ? 1 : static_cast<std::size_t>(weight);
}

/// The box-drawing character in which four lines meet.
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

/// The escape sequence for the look of a colour.
std::string color_escape(std::size_t color, const Picture& picture, const TerminalStyle& style) {
  const Swatch look = swatch(color, picture.colors, picture.scale);
  const unsigned ink = look.has_white_ink() ? 231 : 16;
  if (!style.true_color) return fmt::format("\x1b[48;5;{};38;5;{}m", look.terminal, ink);
  return fmt::format("\x1b[48;2;{};{};{};38;5;{}m", look.background.red, look.background.green,
                     look.background.blue, ink);
}

/// The widths of texts and notes of cells, the same in all panels.
struct Widths {
  std::size_t text = 0;
  std::size_t note = 0;
};

Widths widths_of(const Picture& picture) {
  Widths widths;
  for (const Panel& panel : picture.panels) {
    for (const Cell& cell : panel.cells) {
      widths.text = std::max(widths.text, code_points(cell.text));
      widths.note = std::max(widths.note, code_points(cell.note));
    }
  }
  return widths;
}

/// Writes one panel, band by band.
class TerminalGrid {
 public:
  TerminalGrid(const Picture& picture, const Panel& panel, const Widths& widths,
               const TerminalStyle& style, std::string& text)
      : picture_(picture), panel_(panel), widths_(widths), style_(style), text_(text) {
    frame_ = level_count() == 0 ? Weight::kLight : Weight::kHeavy;
    measure_gutter();
    measure_columns();
  }

  void draw() {
    if (!panel_.label.empty()) text_ += '\n' + printable(panel_.label) + '\n';
    for (const Span& band : bands_) write_band(band);
  }

 private:
  // Widths, in characters.

  [[nodiscard]] std::size_t level_count() const {
    return std::max(draw::level_count(panel_.rows), draw::level_count(panel_.columns));
  }

  void measure_gutter() {
    if (!panel_.rows.is_mode) return;
    row_number_width_ = position_width(panel_.rows);
    row_coordinate_width_ = widest(panel_.rows.coordinates);
    row_group_width_ = group_width(panel_.rows);
    gutter_ = row_number_width_ + 1;
    if (row_group_width_ > 0) gutter_ += row_group_width_ + 1;
    if (row_coordinate_width_ > 0) gutter_ += row_coordinate_width_ + 1;
  }

  /// Chooses the width of a column and the bands. Coordinates are written above the columns if they
  /// do not lengthen the picture.
  void measure_columns() {
    const std::size_t narrow = std::max(position_width(panel_.columns), widths_.text + note_room());
    cell_width_ = narrow;
    bands_ = bands_of(narrow);
    const std::size_t wide = std::max(narrow, widest(panel_.columns.coordinates));
    std::vector<Span> wide_bands = bands_of(wide);
    constexpr std::size_t kWidest = 9;
    column_coordinates_ = !panel_.columns.coordinates.empty() &&
                          wide <= std::max(narrow, kWidest) && wide_bands.size() == bands_.size();
    if (!column_coordinates_) return;
    cell_width_ = wide;
    bands_ = std::move(wide_bands);
  }

  [[nodiscard]] std::size_t note_room() const { return widths_.note > 0 ? widths_.note + 1 : 0; }

  [[nodiscard]] std::vector<Span> bands_of(std::size_t width) const {
    const std::size_t sides = gutter_ + 2 + (panel_.columns.gap ? kGapWidth : 0);
    if (style_.width == 0) return {{0, shown_count(panel_.columns)}};
    return split_columns(panel_.columns, style_.width - std::min(style_.width, sides), width + 2,
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

  [[nodiscard]] bool is_colored() const { return style_.color && picture_.colors > 0; }

  void set_color(std::size_t color) {
    text_ += !is_a_color(color) ? "\x1b[0m" : color_escape(color, picture_, style_);
  }

  [[nodiscard]] Weight row_line(std::size_t row) const {
    if (row == 0 || row == shown_count(panel_.rows)) return frame_;
    return weight_of(boundary_level(panel_.rows, shown_position(panel_.rows, row)),
                     draw::level_count(panel_.rows));
  }

  /// The line before a column, which may be the end of the band.
  [[nodiscard]] Weight column_line(const Span& band, std::size_t column) const {
    if (column == band.begin || column == band.end) return frame_;
    return weight_of(boundary_level(panel_.columns, shown_position(panel_.columns, column)),
                     draw::level_count(panel_.columns));
  }

  /// The mark before a column where others are left out.
  void write_gap(const Span& band, std::size_t column, std::string_view piece) {
    if (!follows_gap(panel_.columns, column) || column == band.begin || column == band.end) return;
    text_ += ' ';
    text_ += piece;
    text_ += ' ';
  }

  // Lines.

  void write_band(const Span& band) {
    if (bands_.size() > 1) {
      text_ += fmt::format("\ncolumns {} to {} of {}\n", shown_position(panel_.columns, band.begin),
                           shown_position(panel_.columns, band.end - 1), panel_.columns.length);
    }
    write_header(band);
    for (std::size_t row = 0; row < shown_count(panel_.rows); ++row) {
      if (follows_gap(panel_.rows, row)) write_row_gap(band);
      write_rule(band, row);
      write_row(band, row);
    }
    write_rule(band, shown_count(panel_.rows));
  }

  void write_header(const Span& band) {
    if (!panel_.columns.is_mode) return;
    write_group_names(band);
    repeat(" ", gutter_);
    write_labels(band, [&](std::size_t column) { return position_text(panel_.columns, column); });
    if (!column_coordinates_) return;
    repeat(" ", gutter_);
    write_labels(band, [&](std::size_t column) { return panel_.columns.coordinates[column]; });
  }

  /// Writes the names of groups, each starting at its first column.
  void write_group_names(const Span& band) {
    std::vector<Stretch> stretches;
    std::vector<std::string> names;
    const std::vector<Group> groups = groups_in(panel_.columns, band.begin, band.end);
    std::size_t x = 0;
    for (std::size_t column = band.begin; column < band.end; ++column) {
      if (column_line(band, column) != Weight::kNone) ++x;
      const auto group = std::ranges::find(groups, column, &Group::begin);
      if (group != groups.end()) {
        names.push_back(printable(group->name));
        stretches.push_back({x + 1, code_points(names.back()) + 1});
      }
      x += cell_width_ + 2;
    }
    const std::vector<std::size_t> lines = stagger(stretches);
    const std::size_t count = lines.empty() ? 0 : std::ranges::max(lines) + 1;
    for (std::size_t line = count; line > 0; --line) {
      repeat(" ", gutter_);
      std::size_t used = 0;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (lines[i] != line - 1) continue;
        repeat(" ", stretches[i].begin - used);
        text_ += names[i];
        used = stretches[i].begin + code_points(names[i]);
      }
      end_line();
    }
  }

  /// A line with a label at each column.
  template <class Label>
  void write_labels(const Span& band, Label label) {
    for (std::size_t column = band.begin; column < band.end; ++column) {
      write_gap(band, column, " ");
      if (column_line(band, column) != Weight::kNone) text_ += ' ';
      write_right(label(column), cell_width_ + 1);
      text_ += ' ';
    }
    end_line();
  }

  /// The line above `row`, if there is one.
  void write_rule(const Span& band, std::size_t row) {
    const Weight line = row_line(row);
    if (line == Weight::kNone) return;
    repeat(" ", gutter_);
    const std::size_t rows = shown_count(panel_.rows);
    for (std::size_t column = band.begin; column <= band.end; ++column) {
      write_gap(band, column, "⋯");
      const Weight crossing = column_line(band, column);
      if (crossing != Weight::kNone) {
        text_ += junction(
            row == 0 ? Weight::kNone : crossing, column == band.end ? Weight::kNone : line,
            row == rows ? Weight::kNone : crossing, column == band.begin ? Weight::kNone : line);
      }
      if (column < band.end) repeat(horizontal(line), cell_width_ + 2);
    }
    text_ += '\n';
  }

  /// A line of dots for rows that are left out.
  void write_row_gap(const Span& band) {
    repeat(" ", gutter_ - std::min<std::size_t>(gutter_, 2));
    text_ += "⋮";
    if (gutter_ > 1) text_ += ' ';
    write_labels(band, [](std::size_t) { return "⋮"; });
  }

  void write_row_label(std::size_t row) {
    if (!panel_.rows.is_mode) return;
    if (row_group_width_ > 0) {
      const auto group = std::ranges::find(panel_.rows.groups, row, &Group::begin);
      const bool begins = group != panel_.rows.groups.end();
      const std::string name = begins ? printable(group->name) : std::string();
      text_ += name;
      repeat(" ", row_group_width_ + 1 - code_points(name));
    }
    write_right(position_text(panel_.rows, row), row_number_width_);
    text_ += ' ';
    if (row_coordinate_width_ == 0) return;
    write_right(panel_.rows.coordinates[row], row_coordinate_width_);
    text_ += ' ';
  }

  void write_row(const Span& band, std::size_t row) {
    write_row_label(row);
    const Cell* cells = panel_.cells.data() + row * shown_count(panel_.columns);
    const Cell* previous = nullptr;
    for (std::size_t column = band.begin; column < band.end; ++column) {
      const Weight line = column_line(band, column);
      const bool is_interrupted = follows_gap(panel_.columns, column) || line != Weight::kNone;
      if (is_interrupted) {
        if (is_colored() && previous != nullptr) text_ += "\x1b[0m";
        write_gap(band, column, "⋯");
        text_ += line != Weight::kNone ? vertical(line) : "";
        previous = nullptr;
      }
      const Cell& cell = cells[column];
      if (is_colored() && (previous == nullptr || previous->color != cell.color))
        set_color(cell.color);
      write_cell(cell);
      previous = &cell;
    }
    if (is_colored()) text_ += "\x1b[0m";
    text_ += vertical(frame_);
    text_ += '\n';
  }

  void write_cell(const Cell& cell) {
    write_right(cell.text, cell_width_ + 1 - note_room());
    if (note_room() > 0) write_right(cell.note, note_room());
    text_ += ' ';
  }

  static constexpr std::size_t kGapWidth = 3;

  const Picture& picture_;
  const Panel& panel_;
  const Widths& widths_;
  const TerminalStyle& style_;
  std::string& text_;
  Weight frame_ = Weight::kLight;
  std::size_t gutter_ = 0;
  std::size_t row_number_width_ = 0;
  std::size_t row_group_width_ = 0;
  std::size_t row_coordinate_width_ = 0;
  std::size_t cell_width_ = 1;
  bool column_coordinates_ = false;
  std::vector<Span> bands_;
};

std::string title_of(const Picture& picture, const TerminalStyle& style) {
  if (picture.title.empty()) return {};
  const std::string title = printable(picture.title);
  return style.color ? "\x1b[1m" + title + "\x1b[0m\n" : title + '\n';
}

std::string legend_of(const Picture& picture, const TerminalStyle& style) {
  if (!style.color || picture.colors == 0) return {};
  std::string text = printable(picture.legend) + ':';
  const std::size_t width = std::to_string(picture.colors - 1).size();
  std::size_t used = code_points(text);
  for (std::size_t color = 0; color < picture.colors; ++color, used += width + 3) {
    if (style.width > 0 && used + width + 3 > style.width && used > 0) {
      text += '\n';
      used = 0;
    }
    text += fmt::format(" {} {:>{}} \x1b[0m", color_escape(color, picture, style), color, width);
  }
  return text + '\n';
}

std::string notes_of(const Picture& picture, const TerminalStyle& style) {
  std::string text;
  for (const std::string& note : picture.notes) {
    const std::string line = printable(note);
    if (style.width == 0) {
      text += line + '\n';
      continue;
    }
    for (const std::string& part : wrap(line, style.width)) text += part + '\n';
  }
  return text;
}

}  // namespace

std::string to_terminal(const Picture& picture, const TerminalStyle& style) {
  std::string text = title_of(picture, style);
  const Widths widths = widths_of(picture);
  for (const Panel& panel : picture.panels)
    TerminalGrid(picture, panel, widths, style, text).draw();
  return text + legend_of(picture, style) + notes_of(picture, style);
}

}  // namespace heddle::draw
