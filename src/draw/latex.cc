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

/// The text as TeX reads it in a typewriter font of TeX's oldest encoding.
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
      const Rgb rgb = swatch(color, picture_.colors, picture_.scale).background;
      write("\\definecolor{{cell{}}}{{RGB}}{{{},{},{}}}\n", color, rgb.red, rgb.green, rgb.blue);
    }
    for (const auto& [name, type] : {std::pair{"title", kTitleType},
                                     {"cell", kCellType},
                                     {"digit", kDigitType},
                                     {"small", kSmallType}}) {
      // Converts tenths of a pixel to hundredths of a bp.
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

  template <class Number>
  void write_node(Number x, Number y, std::string_view style, std::string_view text) {
    if (text.empty()) return;
    write("\\node[{}] at ({},{}) {{{}}};\n", style, x, y, escape_tex(text));
  }

  void write_title() {
    std::size_t y = kMargin + 14;
    for (const std::string& line : sheet_.title()) {
      write_node(kMargin, y, "anchor=base west,font=\\ttfamily\\bfseries\\typetitle", line);
      y += kTitleLine;
    }
  }

  void write_legend() {
    if (picture_.colors == 0) return;
    write_node(kMargin, sheet_.legend_y() + 17, "anchor=base west", picture_.legend);
    for (std::size_t color = 0; color < picture_.colors; ++color) {
      const std::size_t x = sheet_.legend_x() + color % sheet_.swatches_in_line() * kSwatchWidth;
      const std::size_t y = sheet_.legend_y() + color / sheet_.swatches_in_line() * kSwatchHeight;
      write("\\draw[fill=cell{},draw=gray] ({},{}) rectangle +({},{});\n", color, x, y,
            kSwatchWidth - 4, kSwatchHeight - 4);
      write_node(x + kSwatchWidth / 2 - 2, y + 16, ink(color), std::to_string(color));
    }
  }

  void write_notes() {
    std::size_t y = sheet_.notes_y();
    for (const std::string& line : sheet_.notes()) {
      write_node(kMargin, y, "anchor=base west,font=\\ttfamily\\typedigit", line);
      y += kLine;
    }
  }

  [[nodiscard]] std::string ink(std::size_t color) const {
    return swatch(color, picture_.colors, picture_.scale).has_white_ink() ? "anchor=base,white"
                                                                          : "anchor=base";
  }

  // A panel, from the corner of its grid.

  void write_panel(const PlacedPanel& placed) {
    const Panel& panel = *placed.panel;
    write("\\begin{{scope}}[shift={{({},{})}}]\n", placed.x, placed.y);
    write_node(-static_cast<Offset>(Sheet::gutter(panel)),
               15 - static_cast<Offset>(sheet_.header(placed)),
               "anchor=base west,font=\\ttfamily\\bfseries\\typecell", placed.label);
    for (const SideLine& line : sheet_.labels(placed, true)) write_labels(line);
    for (const SideLine& line : sheet_.labels(placed, false)) write_labels(line);
    for (const PlacedCell& cell : sheet_.cells(placed)) write_cell(cell);
    write_lines(placed);
    for (const auto& [is_of_columns, x, y, width, height] : sheet_.gaps(placed)) {
      write("\\fill[white] ({},{}) rectangle +({},{});\n\\node at ({},{}) {{{}}};\n", x, y, width,
            height, x + width / 2, y + height / 2, is_of_columns ? "$\\cdots$" : "$\\vdots$");
    }
    text_ += "\\end{scope}\n";
  }

  static std::string_view style_of(const SideLine& line) {
    switch (line.kind) {
      case SideLine::Kind::kNumbers:
        return line.is_of_columns ? "anchor=base,gray" : "anchor=base east,gray";
      case SideLine::Kind::kSmallNumbers:
        return line.is_of_columns ? "anchor=base,gray,font=\\ttfamily\\typesmall"
                                  : "anchor=base east,gray,font=\\ttfamily\\typesmall";
      case SideLine::Kind::kGroups:
        return line.is_of_columns ? "anchor=base west,font=\\ttfamily\\typedigit"
                                  : "anchor=base east,font=\\ttfamily\\typedigit";
      case SideLine::Kind::kDigits:
        break;
    }
    return "anchor=base,font=\\ttfamily\\typedigit";
  }

  void write_labels(const SideLine& line) {
    for (std::size_t i = 0; i < line.texts.size(); ++i) {
      const SideText& text = line.texts[i];
      write_node(line.x(text), line.y(text), style_of(line), text.text);
      if (line.brackets.empty()) continue;
      const auto& [begin, end, at] = line.brackets[i];
      if (line.is_of_columns) {
        write("\\draw[gray] ({0},{2}) -- ++(0,-4) -- ({1},{3}) -- ++(0,4);\n", begin, end, at,
              at - 4);
      } else {
        write("\\draw[gray] ({0},{2}) -- ({1},{2}) -- ({1},{3}) -- ({0},{3});\n", at, at - 4, begin,
              end);
      }
    }
    const std::string_view anchor = line.is_of_columns   ? "anchor=base west"
                                    : line.texts.empty() ? "anchor=base east"
                                                         : "anchor=base";
    write_node(line.x(line.stride), line.y(line.stride),
               fmt::format("{},font=\\ttfamily\\typesmall", anchor), line.stride.text);
  }

  void write_cell(const PlacedCell& at) {
    const Cell& cell = *at.cell;
    std::string style = "anchor=base";
    const bool is_colored = picture_.colors > 0 && is_a_color(cell.color);
    if (cell.color == kHatched || is_colored) {
      write("{} ({},{}) rectangle +({},{});\n",
            is_colored ? fmt::format("\\fill[cell{}]", cell.color) : "\\path[hatched]", at.x, at.y,
            sheet_.cell_width(), sheet_.cell_height());
    }
    if (is_colored) style = ink(cell.color);
    const std::size_t x = sheet_.middle(at.x);
    const std::size_t y = sheet_.baseline(at.y);
    write_node(x, cell.note.empty() ? y : y - 6, style, cell.text);
    write_node(x, y + 9, style + ",font=\\ttfamily\\typesmall", cell.note);
  }

  void write_lines(const PlacedPanel& placed) {
    const std::size_t width = sheet_.grid_width(placed);
    const std::size_t height = sheet_.grid_height(*placed.panel);
    for (const auto& [level, is_of_columns, at] : sheet_.lines(placed)) {
      write("\\draw[line width={}{}] ", stroke_text(level), level == 0 ? ",black!35" : "");
      if (is_of_columns) write("({},0) -- +(0,{});\n", at, height);
      if (!is_of_columns) write("(0,{}) -- +({},0);\n", at, width);
    }
    write("\\draw[line width={}] (0,0) rectangle ({},{});\n",
          stroke_text(level_count(*placed.panel) + 1), width, height);
  }

  /// Tenths of a pixel as bp.
  static std::string stroke_text(std::size_t level) {
    const std::size_t hundredths = stroke_of(level) * 75 / 10;
    return fmt::format("{}.{:02}bp", hundredths / 100, hundredths % 100);
  }

  const Picture& picture_;
  Sheet sheet_;
  std::string text_;
};

}  // namespace

std::string to_latex(const Picture& picture) { return Latex(picture).draw(); }

}  // namespace heddle::draw
