#include "heddle/draw/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "draw/markup.h"
#include "draw/ruler.h"
#include "draw/sheet.h"
#include "heddle/draw/palette.h"

namespace heddle::draw {
namespace {

/// Tenths of a pixel as text.
std::string tenths(std::size_t length) {
  return length % 10 == 0 ? fmt::format("{}", length / 10)
                          : fmt::format("{}.{}", length / 10, length % 10);
}

/// The `svg` element of a picture. Browsers show the title of a cell under the pointer:
///
///   <rect …><title>(1,3) → 11</title></rect>
///
/// All elements have the colours of a light page; a style sheet may change those of the classes
/// `page`, `plain`, `ink`, `label`, `digit` and `lines`.
class Svg {
 public:
  explicit Svg(const Picture& picture) : picture_(picture), sheet_(picture) {}

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
      const Swatch look = swatch(color, picture_.colors, picture_.scale);
      const std::size_t x = sheet_.legend_x() + color % sheet_.swatches_in_line() * kSwatchWidth;
      const std::size_t y = sheet_.legend_y() + color / sheet_.swatches_in_line() * kSwatchHeight;
      write("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#888\"/>", x,
            y, kSwatchWidth - 4, kSwatchHeight - 4, hex(look.background));
      write(
          "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\" "
          "pointer-events=\"none\">{}</text>\n",
          x + kSwatchWidth / 2 - 2, y + 16, hex(look.ink), color);
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

  // A panel. Its own origin is the corner of the grid, which keeps coordinates within it short.

  void write_panel(const PlacedPanel& placed) {
    write("<g class=\"slice\" transform=\"translate({},{})\">\n", placed.x, placed.y);
    if (!placed.label.empty()) {
      write("<text y=\"-{}\" x=\"-{}\" font-weight=\"bold\">{}</text>\n",
            sheet_.header(placed) - 15, Sheet::gutter(*placed.panel), escape_xml(placed.label));
    }
    for (const SideLine& line : sheet_.labels(placed, true)) write_labels(line);
    for (const SideLine& line : sheet_.labels(placed, false)) write_labels(line);
    write_cells(placed);
    write_lines(placed);
    write_texts(placed);
    write_gaps(placed);
    text_ += "</g>\n";
  }

  static std::string_view anchor_of(const SideLine& line) {
    if (line.kind == SideLine::Kind::kDigits) return " text-anchor=\"middle\"";
    if (!line.is_of_columns) return " text-anchor=\"end\"";
    return line.kind == SideLine::Kind::kGroups ? "" : " text-anchor=\"middle\"";
  }

  void write_labels(const SideLine& line) {
    using enum SideLine::Kind;
    const bool are_numbers = line.kind == kNumbers || line.kind == kSmallNumbers;
    const std::size_t type = line.kind == kNumbers        ? kCellType
                             : line.kind == kSmallNumbers ? kSmallType
                                                          : kDigitType;
    // The stride of rows is among their digits.
    const bool has_stride = !line.stride.text.empty();
    const bool is_inside = !line.is_of_columns && !line.texts.empty();
    if (!line.texts.empty()) {
      write("<g class=\"{} {}\" fill=\"{}\" font-size=\"{}\"{}>",
            line.is_of_columns ? "columns" : "rows", are_numbers ? "digit" : "label",
            are_numbers ? "#666" : "#222", tenths(type), anchor_of(line));
      for (const SideText& text : line.texts)
        write("<text x=\"{}\" y=\"{}\">{}</text>", line.x(text), line.y(text),
              escape_xml(text.text));
      if (has_stride && is_inside) {
        write("<text x=\"{}\" y=\"{}\" font-size=\"{}\">{}</text>", line.x(line.stride),
              line.y(line.stride), tenths(kSmallType), escape_xml(line.stride.text));
      }
      text_ += "</g>\n";
    }
    write_brackets(line);
    if (!has_stride || is_inside) return;
    write("<text class=\"label\" x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"#444\"{}>{}</text>\n",
          line.x(line.stride), line.y(line.stride), tenths(kSmallType),
          line.is_of_columns ? "" : " text-anchor=\"end\"", escape_xml(line.stride.text));
  }

  void write_brackets(const SideLine& line) {
    if (line.brackets.empty()) return;
    text_ += "<path class=\"brackets\" fill=\"none\" stroke=\"#888\" d=\"";
    for (const auto& [begin, end, at] : line.brackets) {
      if (line.is_of_columns) write("M{} {}v-4H{}v4", begin, at, end);
      if (!line.is_of_columns) write("M{} {}h-4V{}h4", at, begin, end);
    }
    text_ += "\"/>\n";
  }

  [[nodiscard]] bool is_colored(const Cell& cell) const {
    return picture_.colors > 0 && is_a_color(cell.color);
  }

  void write_cells(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    text_ += "<g class=\"cells\" fill=\"#fff\">\n";
    for (const PlacedCell& at : sheet_.cells(placed)) {
      const Cell& cell = *at.cell;
      write("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", at.x, at.y, sheet_.cell_width(),
            sheet_.cell_height());
      if (is_colored(cell)) {
        write(" fill=\"{}\"", hex(swatch(cell.color, picture_.colors, picture_.scale).background));
      } else {
        text_ +=
            cell.color == kHatched ? " class=\"hatched\" fill=\"url(#hatch)\"" : " class=\"plain\"";
      }
      write("><title>{} → {}{}{}</title></rect>\n",
            escape_xml(coordinate_text(panel, at.row, at.column)), escape_xml(cell.text),
            cell.note.empty() ? "" : " ", escape_xml(cell.note));
    }
    text_ += "</g>\n";
  }

  void write_texts(const PlacedPanel& placed) {
    text_ += "<g class=\"values\" fill=\"#000\" text-anchor=\"middle\" pointer-events=\"none\">\n";
    for (const PlacedCell& at : sheet_.cells(placed)) {
      const Cell& cell = *at.cell;
      const std::size_t x = sheet_.middle(at.x);
      std::size_t y = sheet_.baseline(at.y);
      if (!cell.note.empty()) {
        write_text(x, y + 9, cell, cell.note, fmt::format(" font-size=\"{}\"", tenths(kSmallType)));
        y -= 6;
      }
      if (!cell.text.empty()) write_text(x, y, cell, cell.text, "");
    }
    text_ += "</g>\n";
  }

  void write_text(std::size_t x, std::size_t y, const Cell& cell, std::string_view text,
                  std::string_view attributes) {
    std::string look = " class=\"ink\"";
    if (is_colored(cell)) {
      look = swatch(cell.color, picture_.colors, picture_.scale).has_white_ink() ? " fill=\"#fff\""
                                                                                 : "";
    }
    write("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", x, y, look, attributes, escape_xml(text));
  }

  // Lines between cells, then around blocks from the inner to the outer ones, then the frame.

  void write_lines(const PlacedPanel& placed) {
    text_ +=
        "<g class=\"lines\" fill=\"none\" stroke=\"#222\" stroke-linecap=\"square\" "
        "pointer-events=\"none\">\n";
    const std::size_t width = sheet_.grid_width(placed);
    const std::size_t height = sheet_.grid_height(*placed.panel);
    const std::size_t levels = level_count(*placed.panel);
    std::vector<std::string> paths(levels + 1);
    for (const auto& [level, is_of_columns, at] : sheet_.lines(placed)) {
      paths[level] +=
          is_of_columns ? fmt::format("M{} 0v{}", at, height) : fmt::format("M0 {}h{}", at, width);
    }
    for (std::size_t level = 0; level <= levels; ++level) {
      if (paths[level].empty()) continue;
      write("<path class=\"level{}\" stroke-width=\"{}\"{} d=\"{}\"/>\n", level,
            tenths(stroke_of(level)), level == 0 ? " stroke-opacity=\"0.35\"" : "", paths[level]);
    }
    write("<rect class=\"frame\" width=\"{}\" height=\"{}\" stroke-width=\"{}\"/>\n</g>\n", width,
          height, tenths(stroke_of(levels + 1)));
  }

  void write_gaps(const PlacedPanel& placed) {
    for (const auto& [is_of_columns, x, y, width, height] : sheet_.gaps(placed)) {
      write("<rect class=\"page\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#fff\"/>", x,
            y, width, height);
      write("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x + width / 2,
            y + height / 2 + 5, is_of_columns ? "⋯" : "⋮");
    }
  }

  const Picture& picture_;
  Sheet sheet_;
  std::string text_;
};

}  // namespace

std::string to_svg(const Picture& picture) { return Svg(picture).draw(); }

}  // namespace heddle::draw
