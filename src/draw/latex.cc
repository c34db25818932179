#include "heddle/draw/formats.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "core/printable.h"
#include "draw/ruler.h"
#include "draw/sheet.h"
#include "heddle/draw/palette.h"

namespace heddle::draw {
namespace {

/// The text as TeX reads it in a typewriter font of its oldest encoding.
std::string escape_tex(std::string_view text) {
  constexpr std::string_view kDot = "·";
  const std::string safe = printable(text);
  std::string escaped;
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;
    if (std::string_view(safe).substr(i).starts_with(kDot)) {
      escaped += "$\\cdot$";
    } else if (byte >= 0x80) {
      escaped += '?';
    } else if (std::string_view("{}$&#_%").find(c) != std::string_view::npos) {
      escaped += {'\\', c};
    } else if (c == '\\' || c == '^' || c == '~') {
      escaped += fmt::format("\\char`\\{}", c) + "{}";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// A distance in pixels from the corner of the page or of a grid; labels lie before it.
using Offset = std::ptrdiff_t;

Offset offset(std::size_t length) { return static_cast<Offset>(length); }

class Latex {
 public:
  explicit Latex(const Picture& picture) : picture_(picture), sheet_(picture) {}

  std::string draw() && {
    open();
    write_title();
    for (const PlacedPanel& placed : sheet_.panels()) write_panel(placed);
    write_legend();
    write_notes();
    text_ += "\\end{tikzpicture}\n\\end{document}\n";
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  // The document: pixels of 0.75 bp, downwards.

  void open() {
    text_ += "\\documentclass[tikz]{standalone}\n";
    if (has_hatched(picture_)) {
      text_ +=
          "\\usetikzlibrary{patterns}\n"
          "\\tikzset{hatched/.style={pattern=north east lines,pattern color=black!30}}\n";
    }
    for (std::size_t color = 0; color < picture_.colors; ++color) {
      const Rgb rgb = swatch(color, picture_.colors).background;
      write("\\definecolor{{cell{}}}{{RGB}}{{{},{},{}}}\n", color, rgb.red, rgb.green, rgb.blue);
    }
    for (const auto& [name, type] : {std::pair{"title", kTitleType},
                                     {"cell", kCellType},
                                     {"digit", kDigitType},
                                     {"small", kSmallType}}) {
      // Tenths of a pixel in hundredths of a bp.
      const std::size_t size = type * 75 / 10;
      write("\\newcommand\\type{}{{\\fontsize{{{}.{:02}bp}}{{{}.{:02}bp}}\\selectfont}}\n", name,
            size / 100, size % 100, size / 100, size % 100);
    }
    write(
        "\\begin{{document}}\n\\frenchspacing\n\\begin{{tikzpicture}}[x=0.75bp,y=-0.75bp,inner "
        "sep=0pt,"
        "line cap=rect,every node/.style={{text depth=0pt,font=\\ttfamily\\typecell}}]\n"
        "\\path[use as bounding box] (0,0) rectangle ({},{});\n",
        sheet_.width(), sheet_.height());
  }

  void write_node(Offset x, Offset y, std::string_view style, std::string_view text) {
    if (text.empty()) return;
    write("\\node[{}] at ({},{}) {{{}}};\n", style, x, y, escape_tex(text));
  }

  void write_title() {
    std::size_t y = kMargin + 14;
    for (const std::string& line : sheet_.title()) {
      write_node(offset(kMargin), offset(y),
                 "anchor=base west,font=\\ttfamily\\bfseries\\typetitle", line);
      y += kTitleLine;
    }
  }

  void write_legend() {
    if (picture_.colors == 0) return;
    write_node(offset(kMargin), offset(sheet_.legend_y() + 17), "anchor=base west",
               picture_.legend);
    for (std::size_t color = 0; color < picture_.colors; ++color) {
      const std::size_t x = sheet_.legend_x() + color % sheet_.swatches_in_line() * kSwatchWidth;
      const std::size_t y = sheet_.legend_y() + color / sheet_.swatches_in_line() * kSwatchHeight;
      write("\\draw[fill=cell{},draw=gray] ({},{}) rectangle +({},{});\n", color, x, y,
            kSwatchWidth - 4, kSwatchHeight - 4);
      write_node(offset(x + kSwatchWidth / 2 - 2), offset(y + 16), ink(color),
                 std::to_string(color));
    }
  }

  void write_notes() {
    std::size_t y = sheet_.notes_y();
    for (const std::string& line : sheet_.notes()) {
      write_node(offset(kMargin), offset(y), "anchor=base west,font=\\ttfamily\\typedigit", line);
      y += kLine;
    }
  }

  [[nodiscard]] std::string ink(std::size_t color) const {
    return swatch(color, picture_.colors).has_white_ink() ? "anchor=base,white" : "anchor=base";
  }

  // A panel, from the corner of its grid.

  void write_panel(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    write("\\begin{{scope}}[shift={{({},{})}}]\n", placed.x, placed.y);
    write_node(-offset(Sheet::gutter(panel)), -offset(sheet_.header(placed) - 15),
               "anchor=base west,font=\\ttfamily\\bfseries\\typecell", placed.label);
    write_column_ruler(placed);
    if (panel.rows.is_mode) write_row_ruler(panel);
    write_cells(placed);
    write_lines(placed);
    write_gaps(placed);
    text_ += "\\end{scope}\n";
  }

  [[nodiscard]] std::size_t middle(const PlacedPanel& placed, std::size_t column) const {
    return sheet_.column_x(placed, column) + sheet_.cell_width() / 2;
  }

  void write_column_ruler(const PlacedPanel& placed) {
    const Ruler& columns = placed.panel->columns;
    if (!columns.is_mode) return;
    const bool is_nested = columns.digits.size() > 1;
    const std::string style = number_style("anchor=base", is_nested);
    for (std::size_t column = placed.band.begin; column < placed.band.end; ++column)
      write_node(offset(middle(placed, column)), -6, style, position_text(columns, column));
    write_column_groups(placed);
    std::size_t above = 6;
    for (const Digit& digit : columns.digits) {
      if (is_nested) above += kLine;
      if (is_nested) write_column_digits(placed, digit, above);
      write_node(offset(sheet_.grid_width(placed) + 7), -offset(above),
                 "anchor=base west,font=\\ttfamily\\typesmall", digit.label);
    }
  }

  static std::string number_style(std::string_view anchor, bool is_nested) {
    return fmt::format("{},gray{}", anchor, is_nested ? ",font=\\ttfamily\\typesmall" : "");
  }

  void write_column_digits(const PlacedPanel& placed, const Digit& digit, std::size_t above) {
    for (const Run& run :
         runs_of(placed.panel->columns, digit, placed.band.begin, placed.band.end)) {
      const std::size_t left = sheet_.column_x(placed, run.begin);
      const std::size_t right = sheet_.column_x(placed, run.end - 1) + sheet_.cell_width();
      write_node(offset((left + right) / 2), -offset(above + 1),
                 "anchor=base,font=\\ttfamily\\typedigit", std::to_string(run.digit));
      if (digit.block == 1) continue;
      write("\\draw[gray] ({0},-{2}) -- ++(0,-4) -- ({1},-{3}) -- ++(0,4);\n", left + 3, right - 3,
            above - 7, above - 3);
    }
  }

  void write_column_groups(const PlacedPanel& placed) {
    const std::vector<Group> groups = Sheet::groups_of(placed);
    if (groups.empty()) return;
    const std::vector<std::size_t> lines = sheet_.group_lines(placed);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::size_t left = sheet_.column_x(placed, groups[i].begin) + 3;
      const std::size_t right =
          sheet_.column_x(placed, groups[i].end - 1) + sheet_.cell_width() - 3;
      write_node(offset(left), -offset(7 + kLine * (1 + lines[i])),
                 "anchor=base west,font=\\ttfamily\\typedigit", groups[i].name);
      write("\\draw[gray] ({0},-{2}) -- ++(0,-4) -- ({1},-{3}) -- ++(0,4);\n", left, right,
            kLine - 1, kLine + 3);
    }
  }

  void write_row_groups(const Panel& panel) {
    const Offset right = -offset(Sheet::group_distance(panel.rows));
    for (const Group& group : panel.rows.groups) {
      const std::size_t top = sheet_.row_y(panel, group.begin);
      const std::size_t bottom = sheet_.row_y(panel, group.end - 1) + sheet_.cell_height();
      write_node(right, offset((top + bottom) / 2 + 4),
                 "anchor=base east,font=\\ttfamily\\typedigit", group.name);
      write("\\draw[gray] ({0},{2}) -- ({1},{2}) -- ({1},{3}) -- ({0},{3});\n", right + 8,
            right + 4, top + 3, bottom - 3);
    }
  }

  [[nodiscard]] std::size_t baseline(const Panel& panel, std::size_t row) const {
    return sheet_.row_y(panel, row) + sheet_.cell_height() / 2 + 5;
  }

  void write_row_ruler(const Panel& panel) {
    const Ruler& rows = panel.rows;
    const bool is_nested = rows.digits.size() > 1;
    const std::string style = number_style("anchor=base east", is_nested);
    for (std::size_t row = 0; row < shown_count(rows); ++row)
      write_node(-7, offset(baseline(panel, row)), style, position_text(rows, row));
    write_row_groups(panel);
    const Offset below = offset(sheet_.grid_height(panel) + 15);
    for (const DigitColumn& column : Sheet::digit_columns(rows))
      write_row_digits(panel, column, below);
    if (!is_nested && !rows.digits.empty())
      write_node(-7, below, "anchor=base east,font=\\ttfamily\\typesmall",
                 rows.digits.front().label);
  }

  void write_row_digits(const Panel& panel, const DigitColumn& column, Offset below) {
    const std::size_t digits = std::to_string(column.digit->extent - 1).size();
    const Offset x = -offset(column.distance);
    const Offset left = x - 8 - offset(type_width(kDigitType, digits) / 2);
    for (const Run& run : runs_of(panel.rows, *column.digit, 0, shown_count(panel.rows))) {
      const std::size_t top = sheet_.row_y(panel, run.begin);
      const std::size_t bottom = sheet_.row_y(panel, run.end - 1) + sheet_.cell_height();
      write_node(x, offset((top + bottom) / 2 + 4), "anchor=base,font=\\ttfamily\\typedigit",
                 std::to_string(run.digit));
      if (column.digit->block == 1) continue;
      write("\\draw[gray] ({0},{2}) -- ({1},{2}) -- ({1},{3}) -- ({0},{3});\n", left, left - 4,
            top + 3, bottom - 3);
    }
    write_node(x, below, "anchor=base,font=\\ttfamily\\typesmall", column.digit->label);
  }

  void write_cells(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    for (std::size_t row = 0; row < shown_count(panel.rows); ++row) {
      for (std::size_t column = placed.band.begin; column < placed.band.end; ++column)
        write_cell(placed, row, column);
    }
  }

  void write_cell(const PlacedPanel& placed, std::size_t row, std::size_t column) {
    const Panel& panel = *placed.panel;
    const Cell& cell = panel.cells[row * shown_count(panel.columns) + column];
    std::string style = "anchor=base";
    if (cell.color == kHatched) {
      write("\\path[hatched] ({},{}) rectangle +({},{});\n", sheet_.column_x(placed, column),
            sheet_.row_y(panel, row), sheet_.cell_width(), sheet_.cell_height());
    } else if (picture_.colors > 0 && cell.color != kPlain) {
      write("\\fill[cell{}] ({},{}) rectangle +({},{});\n", cell.color,
            sheet_.column_x(placed, column), sheet_.row_y(panel, row), sheet_.cell_width(),
            sheet_.cell_height());
      style = ink(cell.color);
    }
    const Offset x = offset(middle(placed, column));
    const Offset y = offset(baseline(panel, row));
    write_node(x, cell.note.empty() ? y : y - 6, style, cell.text);
    write_node(x, y + 9, style + ",font=\\ttfamily\\typesmall", cell.note);
  }

  void write_lines(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    const std::size_t width = sheet_.grid_width(placed);
    const std::size_t height = sheet_.grid_height(panel);
    for (std::size_t row = 1; row < shown_count(panel.rows); ++row) {
      write_line(boundary_level(panel.rows, shown_position(panel.rows, row)), 0,
                 sheet_.row_y(panel, row), fmt::format("+({},0)", width));
    }
    for (std::size_t column = placed.band.begin + 1; column < placed.band.end; ++column) {
      write_line(boundary_level(panel.columns, shown_position(panel.columns, column)),
                 sheet_.column_x(placed, column), 0, fmt::format("+(0,{})", height));
    }
    write("\\draw[line width={}] (0,0) rectangle ({},{});\n", stroke_text(level_count(panel) + 1),
          width, height);
  }

  /// Tenths of a pixel as bp.
  static std::string stroke_text(std::size_t level) {
    const std::size_t hundredths = stroke_of(level) * 75 / 10;
    return fmt::format("{}.{:02}bp", hundredths / 100, hundredths % 100);
  }

  void write_line(std::size_t level, std::size_t x, std::size_t y, std::string_view end) {
    write("\\draw[line width={}{}] ({},{}) -- {};\n", stroke_text(level),
          level == 0 ? ",black!35" : "", x, y, end);
  }

  void write_gaps(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    const auto& columns = panel.columns.gap;
    if (columns && placed.band.begin < columns->begin && columns->begin < placed.band.end)
      write_gap(sheet_.column_x(placed, columns->begin) - kGapWidth, 0, kGapWidth,
                sheet_.grid_height(panel), "$\\cdots$");
    if (panel.rows.gap)
      write_gap(0, sheet_.row_y(panel, panel.rows.gap->begin) - kGapWidth,
                sheet_.grid_width(placed), kGapWidth, "$\\vdots$");
  }

  void write_gap(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                 std::string_view dots) {
    write("\\fill[white] ({},{}) rectangle +({},{});\n\\node at ({},{}) {{{}}};\n", x, y, width,
          height, x + width / 2, y + height / 2, dots);
  }

  const Picture& picture_;
  Sheet sheet_;
  std::string text_;
};

}  // namespace

std::string to_latex(const Picture& picture) { return Latex(picture).draw(); }

}  // namespace heddle::draw
