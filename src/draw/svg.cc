#include "heddle/draw/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/printable.h"
#include "draw/ruler.h"
#include "draw/sheet.h"
#include "draw/svg_element.h"
#include "heddle/draw/palette.h"

namespace heddle::draw {
namespace {

constexpr std::string_view kFont =
    "font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\"";

std::string hex(Rgb color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

/// Tenths of a pixel.
std::string tenths(std::size_t length) {
  return length % 10 == 0 ? fmt::format("{}", length / 10)
                          : fmt::format("{}.{}", length / 10, length % 10);
}

class Svg {
 public:
  Svg(const Picture& picture, CellData data) : picture_(picture), sheet_(picture), data_(data) {}

  std::string draw() && {
    open();
    write_title();
    for (const PlacedPanel& placed : sheet_.panels()) write_panel(placed);
    write_legend();
    write_notes();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  // The document.

  void open() {
    write(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" {2} font-size=\"{3}\" fill=\"#1a1a1a\" class=\"ink\">\n",
        sheet_.width(), sheet_.height(), kFont, tenths(kCellType));
    if (!picture_.title.empty()) write("<title>{}</title>\n", escape_xml(picture_.title));
    text_ += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\" class=\"page\"/>\n";
    if (!has_hatched(picture_)) return;
    text_ +=
        "<defs><pattern id=\"hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#fff\" "
        "class=\"page\"/><path d=\"M0 0v5\" stroke=\"#888\" stroke-opacity=\"0.6\"/></pattern>"
        "</defs>\n";
  }

  void write_title() {
    std::size_t y = kMargin + 14;
    for (const std::string& line : sheet_.title()) {
      write("<text x=\"{}\" y=\"{}\" font-size=\"{}\" font-weight=\"bold\">{}</text>\n", kMargin, y,
            tenths(kTitleType), escape_xml(line));
      y += kTitleLine;
    }
  }

  void write_legend() {
    if (picture_.colors == 0) return;
    write("<g class=\"legend\">\n<text x=\"{}\" y=\"{}\">{}</text>\n", kMargin,
          sheet_.legend_y() + 18, escape_xml(picture_.legend));
    for (std::size_t color = 0; color < picture_.colors; ++color) {
      const Swatch look = swatch(color, picture_.colors);
      const std::size_t x = sheet_.legend_x() + color % sheet_.swatches_in_line() * kSwatchWidth;
      const std::size_t y = sheet_.legend_y() + color / sheet_.swatches_in_line() * kSwatchHeight;
      write("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#888\"{}/>", x,
            y, kSwatchWidth - 4, kSwatchHeight - 4, hex(look.background), color_data(color));
      write(
          "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\" "
          "pointer-events=\"none\"{}>{}</text>\n",
          x + kSwatchWidth / 2 - 2, y + 16, hex(look.ink), color_data(color), color);
    }
    text_ += "</g>\n";
  }

  void write_notes() {
    std::size_t y = sheet_.notes_y();
    for (const std::string& line : sheet_.notes()) {
      write("<text class=\"label\" x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"#444\">{}</text>\n",
            kMargin, y, tenths(kDigitType), escape_xml(line));
      y += kLine;
    }
  }

  // A panel. Its own origin is the corner of the grid, so that coordinates within it stay short.

  void write_panel(const PlacedPanel& placed) {
    write("<g class=\"slice\" transform=\"translate({},{})\">\n", placed.x, placed.y);
    if (!placed.label.empty()) {
      write("<text y=\"-{}\" x=\"-{}\" font-weight=\"bold\">{}</text>\n",
            sheet_.header(placed) - 15, Sheet::gutter(*placed.panel), escape_xml(placed.label));
    }
    write_column_ruler(placed);
    write_row_ruler(*placed.panel);
    write_cells(placed);
    write_lines(placed);
    write_texts(placed);
    write_gaps(placed);
    text_ += "</g>\n";
  }

  [[nodiscard]] std::size_t middle(const PlacedPanel& placed, std::size_t column) const {
    return sheet_.column_x(placed, column) + sheet_.cell_width() / 2;
  }

  void write_column_ruler(const PlacedPanel& placed) {
    const Ruler& columns = placed.panel->columns;
    if (!columns.is_mode) return;
    const bool is_nested = columns.digits.size() > 1;
    write("<g class=\"columns digit\" fill=\"#666\" font-size=\"{}\" text-anchor=\"middle\">",
          tenths(is_nested ? kSmallType : kCellType));
    for (std::size_t column = placed.band.begin; column < placed.band.end; ++column) {
      write("<text x=\"{}\" y=\"-6\">{}</text>", middle(placed, column),
            escape_xml(position_text(columns, column)));
    }
    text_ += "</g>\n";
    write_column_groups(placed);
    std::size_t above = 6;
    for (const Digit& digit : columns.digits) {
      if (is_nested) above += kLine;
      if (is_nested) write_column_digits(placed, digit, above);
      write("<text class=\"label\" x=\"{}\" y=\"-{}\" font-size=\"{}\" fill=\"#444\">{}</text>\n",
            sheet_.grid_width(placed) + 7, above, tenths(kSmallType), escape_xml(digit.label));
    }
  }

  /// The digits of one part of the columns' mode; those of outer parts with a bracket over their
  /// block.
  void write_column_digits(const PlacedPanel& placed, const Digit& digit, std::size_t above) {
    write("<g class=\"columns label\" fill=\"#222\" font-size=\"{}\" text-anchor=\"middle\">",
          tenths(kDigitType));
    std::string brackets;
    const Ruler& columns = placed.panel->columns;
    for (const Run& run : runs_of(columns, digit, placed.band.begin, placed.band.end)) {
      const std::size_t left = sheet_.column_x(placed, run.begin);
      const std::size_t right = sheet_.column_x(placed, run.end - 1) + sheet_.cell_width();
      write("<text x=\"{}\" y=\"-{}\">{}</text>", (left + right) / 2, above + 1, run.digit);
      if (digit.block > 1)
        brackets += fmt::format("M{} -{}v-4H{}v4", left + 3, above - 7, right - 3);
    }
    text_ += "</g>\n";
    write_brackets(brackets);
  }

  void write_column_groups(const PlacedPanel& placed) {
    const std::vector<Group> groups = Sheet::groups_of(placed);
    if (groups.empty()) return;
    write("<g class=\"columns label\" fill=\"#222\" font-size=\"{}\">", tenths(kDigitType));
    const std::vector<std::size_t> lines = sheet_.group_lines(placed);
    std::string brackets;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::size_t left = sheet_.column_x(placed, groups[i].begin);
      const std::size_t right = sheet_.column_x(placed, groups[i].end - 1) + sheet_.cell_width();
      write("<text x=\"{}\" y=\"-{}\">{}</text>", left + 3, 7 + kLine * (1 + lines[i]),
            escape_xml(groups[i].name));
      brackets += fmt::format("M{} -{}v-4H{}v4", left + 3, kLine - 1, right - 3);
    }
    text_ += "</g>\n";
    write_brackets(brackets);
  }

  void write_row_groups(const Panel& panel) {
    if (panel.rows.groups.empty()) return;
    write("<g class=\"rows label\" fill=\"#222\" font-size=\"{}\" text-anchor=\"end\">",
          tenths(kDigitType));
    const std::size_t distance = Sheet::group_distance(panel.rows);
    std::string brackets;
    for (const Group& group : panel.rows.groups) {
      const std::size_t top = sheet_.row_y(panel, group.begin);
      const std::size_t bottom = sheet_.row_y(panel, group.end - 1) + sheet_.cell_height();
      write("<text x=\"-{}\" y=\"{}\">{}</text>", distance, (top + bottom) / 2 + 4,
            escape_xml(group.name));
      brackets += fmt::format("M-{} {}h-4V{}h4", distance - 8, top + 3, bottom - 3);
    }
    text_ += "</g>\n";
    write_brackets(brackets);
  }

  void write_brackets(std::string_view path) {
    if (path.empty()) return;
    write("<path class=\"brackets\" fill=\"none\" stroke=\"#888\" d=\"{}\"/>\n", path);
  }

  [[nodiscard]] std::size_t baseline(const Panel& panel, std::size_t row) const {
    return sheet_.row_y(panel, row) + sheet_.cell_height() / 2 + 5;
  }

  void write_row_ruler(const Panel& panel) {
    const Ruler& rows = panel.rows;
    if (!rows.is_mode) return;
    const bool is_nested = rows.digits.size() > 1;
    write("<g class=\"rows digit\" fill=\"#666\" font-size=\"{}\" text-anchor=\"end\">",
          tenths(is_nested ? kSmallType : kCellType));
    for (std::size_t row = 0; row < shown_count(rows); ++row) {
      write("<text x=\"-7\" y=\"{}\">{}</text>", baseline(panel, row),
            escape_xml(position_text(rows, row)));
    }
    text_ += "</g>\n";
    write_row_groups(panel);
    const std::size_t below = sheet_.grid_height(panel) + 15;
    for (const DigitColumn& column : Sheet::digit_columns(rows))
      write_row_digits(panel, column, below);
    if (is_nested || rows.digits.empty()) return;
    write(
        "<text class=\"label\" x=\"-7\" y=\"{}\" font-size=\"{}\" fill=\"#444\" "
        "text-anchor=\"end\">{}</text>\n",
        below, tenths(kSmallType), escape_xml(rows.digits.front().label));
  }

  void write_row_digits(const Panel& panel, const DigitColumn& column, std::size_t below) {
    write("<g class=\"rows label\" fill=\"#222\" font-size=\"{}\" text-anchor=\"middle\">",
          tenths(kDigitType));
    std::string brackets;
    for (const Run& run : runs_of(panel.rows, *column.digit, 0, shown_count(panel.rows))) {
      const std::size_t top = sheet_.row_y(panel, run.begin);
      const std::size_t bottom = sheet_.row_y(panel, run.end - 1) + sheet_.cell_height();
      write("<text x=\"-{}\" y=\"{}\">{}</text>", column.distance, (top + bottom) / 2 + 4,
            run.digit);
      if (column.digit->block > 1)
        brackets +=
            fmt::format("M-{} {}h-4V{}h4", column.distance - 8 - digits_width(*column.digit) / 2,
                        top + 3, bottom - 3);
    }
    write("<text x=\"-{}\" y=\"{}\" font-size=\"{}\">{}</text></g>\n", column.distance, below,
          tenths(kSmallType), escape_xml(column.digit->label));
    write_brackets(brackets);
  }

  static std::size_t digits_width(const Digit& digit) {
    return type_width(kDigitType, std::to_string(digit.extent - 1).size());
  }

  [[nodiscard]] const Cell& cell_at(const Panel& panel, std::size_t row, std::size_t column) const {
    return panel.cells[row * shown_count(panel.columns) + column];
  }

  [[nodiscard]] bool is_colored(const Cell& cell) const {
    return picture_.colors > 0 && is_a_color(cell.color);
  }

  /// For the script of a page: the colour of what can be pointed at.
  [[nodiscard]] std::string color_data(std::size_t color) const {
    return data_ == CellData::kFacts ? fmt::format(" data-c=\"{}\"", color) : std::string();
  }

  void write_cells(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    text_ += "<g class=\"cells\" fill=\"#fff\"";
    if (data_ == CellData::kFacts)
      write(" data-n=\"{}\"", escape_xml(fmt::format("{}", fmt::join(panel.fact_names, "|"))));
    text_ += ">\n";
    for (std::size_t row = 0; row < shown_count(panel.rows); ++row) {
      for (std::size_t column = placed.band.begin; column < placed.band.end; ++column) {
        const Cell& cell = cell_at(panel, row, column);
        write("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", sheet_.column_x(placed, column),
              sheet_.row_y(panel, row), sheet_.cell_width(), sheet_.cell_height());
        if (is_colored(cell)) {
          write(" fill=\"{}\"{}", hex(swatch(cell.color, picture_.colors).background),
                color_data(cell.color));
        } else {
          text_ += cell.color == kHatched ? " class=\"hatched\" fill=\"url(#hatch)\""
                                          : " class=\"plain\"";
        }
        if (data_ == CellData::kFacts) {
          write(" data-f=\"{}\"/>\n", escape_xml(fmt::format("{}", fmt::join(cell.facts, "|"))));
        } else {
          write("><title>{} → {}{}{}</title></rect>\n",
                escape_xml(coordinate_text(panel, row, column)), escape_xml(cell.text),
                cell.note.empty() ? "" : " ", escape_xml(cell.note));
        }
      }
    }
    text_ += "</g>\n";
  }

  void write_texts(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    text_ += "<g class=\"values\" fill=\"#000\" text-anchor=\"middle\" pointer-events=\"none\">\n";
    for (std::size_t row = 0; row < shown_count(panel.rows); ++row) {
      for (std::size_t column = placed.band.begin; column < placed.band.end; ++column) {
        const Cell& cell = cell_at(panel, row, column);
        const std::size_t x = middle(placed, column);
        std::size_t y = baseline(panel, row);
        if (!cell.note.empty()) {
          write_text(x, y + 9, cell, cell.note,
                     fmt::format(" font-size=\"{}\"", tenths(kSmallType)));
          y -= 6;
        }
        if (!cell.text.empty()) write_text(x, y, cell, cell.text, "");
      }
    }
    text_ += "</g>\n";
  }

  void write_text(std::size_t x, std::size_t y, const Cell& cell, std::string_view text,
                  std::string_view attributes) {
    std::string look = " class=\"ink\"";
    if (is_colored(cell)) {
      look = swatch(cell.color, picture_.colors).has_white_ink() ? " fill=\"#fff\"" : "";
      look += color_data(cell.color);
    }
    write("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y, look, attributes, escape_xml(text));
  }

  // Lines between cells, then around blocks from the inner to the outer ones, then the frame.

  void write_lines(const PlacedPanel& placed) {
    text_ +=
        "<g class=\"lines\" fill=\"none\" stroke=\"#222\" stroke-linecap=\"square\" "
        "pointer-events=\"none\">\n";
    const std::size_t levels = level_count(*placed.panel);
    for (std::size_t level = 0; level <= levels; ++level) {
      const std::string path = lines_of(placed, level);
      if (path.empty()) continue;
      write("<path class=\"level{}\" stroke-width=\"{}\"{} d=\"{}\"/>\n", level,
            tenths(stroke_of(level)), level == 0 ? " stroke-opacity=\"0.35\"" : "", path);
    }
    write("<rect class=\"frame\" width=\"{}\" height=\"{}\" stroke-width=\"{}\"/>\n</g>\n",
          sheet_.grid_width(placed), sheet_.grid_height(*placed.panel),
          tenths(stroke_of(levels + 1)));
  }

  [[nodiscard]] std::string lines_of(const PlacedPanel& placed, std::size_t level) const {
    const Panel& panel = *placed.panel;
    const std::size_t width = sheet_.grid_width(placed);
    const std::size_t height = sheet_.grid_height(panel);
    std::string path;
    for (std::size_t row = 1; row < shown_count(panel.rows); ++row) {
      if (boundary_level(panel.rows, shown_position(panel.rows, row)) == level)
        path += fmt::format("M0 {}h{}", sheet_.row_y(panel, row), width);
    }
    for (std::size_t column = placed.band.begin + 1; column < placed.band.end; ++column) {
      if (boundary_level(panel.columns, shown_position(panel.columns, column)) == level)
        path += fmt::format("M{} 0v{}", sheet_.column_x(placed, column), height);
    }
    return path;
  }

  /// A strip over the cells where positions are left out.
  void write_gaps(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    const std::size_t width = sheet_.grid_width(placed);
    const std::size_t height = sheet_.grid_height(panel);
    const auto& columns = panel.columns.gap;
    if (columns && placed.band.begin < columns->begin && columns->begin < placed.band.end)
      write_gap(sheet_.column_x(placed, columns->begin) - kGapWidth, 0, kGapWidth, height, "⋯");
    if (panel.rows.gap)
      write_gap(0, sheet_.row_y(panel, panel.rows.gap->begin) - kGapWidth, width, kGapWidth, "⋮");
  }

  void write_gap(std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                 std::string_view dots) {
    write("<rect class=\"page\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#fff\"/>", x, y,
          width, height);
    write("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x + width / 2,
          y + height / 2 + 5, dots);
  }

  const Picture& picture_;
  Sheet sheet_;
  CellData data_;
  std::string text_;
};

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string svg_element(const Picture& picture, CellData data) { return Svg(picture, data).draw(); }

std::string to_svg(const Picture& picture) { return svg_element(picture, CellData::kTitle); }

}  // namespace heddle::draw
