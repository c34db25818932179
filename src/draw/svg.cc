#include "heddle/draw/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/printable.h"
#include "draw/bands.h"
#include "draw/palette.h"

namespace heddle::draw {
namespace {

// Lengths in pixels. Monospaced digits of 14 px are 8.4 px wide.
constexpr std::size_t kMargin = 16;
constexpr std::size_t kRowHeight = 26;
constexpr std::size_t kMinCellWidth = 30;
constexpr std::size_t kGap = 28;
constexpr std::size_t kTitleLine = 24;
constexpr std::size_t kNumberLine = 20;
constexpr std::size_t kSwatch = 34;
/// Panels stand side by side, and long rows are split, to keep within these widths.
constexpr std::size_t kFlowWidth = 1400;
constexpr std::size_t kBandWidth = 8000;

constexpr std::string_view kFont =
    "font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\"";

std::size_t cell_text_width(std::size_t characters) { return (characters * 84 + 9) / 10; }
std::size_t small_text_width(std::size_t characters) { return (characters * 66 + 9) / 10; }
std::size_t title_text_width(std::size_t characters) { return (characters * 96 + 9) / 10; }

std::string escape(std::string_view text) {
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

std::string hex(Rgb color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::size_t widest(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, code_points(text));
  return width;
}

/// The width of a line of `level`, in tenths of a pixel.
std::size_t stroke_of(std::size_t level) { return std::min<std::size_t>(4 + 11 * level, 60); }

/// One grid: a slice, or a band of one, and where it stands.
struct Panel {
  const Slice* slice = nullptr;
  Band band;
  std::size_t x = 0;
  std::size_t y = 0;
};

class Svg {
 public:
  explicit Svg(const Picture& picture) : picture_(picture) {
    measure();
    place();
  }

  std::string draw() && {
    open();
    write_title();
    for (const Panel& panel : panels_) write_panel(panel);
    write_legend();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  // Measures.

  void measure() {
    measure_cells();
    bands_ = split_columns(picture_.columns, kBandWidth, cell_width_, 0);
    levels_ = std::max(picture_.rows.blocks.size(), picture_.columns.blocks.size());
    measure_gutter();
    measure_header();
    for (const Band& band : bands_) panel_width_ = std::max(panel_width_, width_of(band));
    panel_height_ = header_ + picture_.rows.length * kRowHeight;
  }

  /// Cells hold their values, and the coordinates above them where these are short.
  void measure_cells() {
    std::size_t characters = 1;
    for (const Slice& slice : picture_.slices) {
      for (const Cell& cell : slice.cells) {
        characters = std::max(characters, code_points(cell.text));
      }
    }
    cell_width_ = std::max(kMinCellWidth, cell_text_width(characters) + 12);
    const std::size_t label = small_text_width(widest(picture_.columns.coordinates)) + 5;
    constexpr std::size_t kWidened = 46;
    column_labels_upright_ = label <= std::max(cell_width_, kWidened);
    if (column_labels_upright_) cell_width_ = std::max(cell_width_, label);
  }

  void measure_gutter() {
    if (!picture_.rows.is_mode) return;
    number_width_ = cell_text_width(std::to_string(picture_.rows.length - 1).size()) + 8;
    gutter_ = number_width_;
    const std::size_t coordinates = widest(picture_.rows.coordinates);
    if (coordinates > 0) gutter_ += small_text_width(coordinates) + 8;
  }

  void measure_header() {
    header_ = kNumberLine;
    const std::size_t coordinates = widest(picture_.columns.coordinates);
    if (coordinates > 0) {
      header_ += column_labels_upright_ ? 15 : small_text_width(coordinates) + 6;
    }
    is_labelled_ = picture_.slices.size() > 1 || bands_.size() > 1;
    if (is_labelled_) header_ += kTitleLine;
  }

  [[nodiscard]] std::size_t width_of(const Band& band) const {
    const std::size_t grid = gutter_ + (band.end - band.begin) * cell_width_;
    if (!is_labelled_ || picture_.slices.empty()) return grid;
    const std::size_t label = code_points(label_of({&picture_.slices.back(), band}));
    return std::max(grid, gutter_ + cell_text_width(label));
  }

  /// Puts the panels side by side from left to right, then in the next line.
  void place() {
    const std::size_t room = std::max(kFlowWidth, kMargin * 2 + panel_width_);
    place_title(room);
    const std::size_t top = kMargin + title_.size() * kTitleLine + (title_.empty() ? 0 : 4);
    const std::size_t in_line = panels_in_line(room);
    std::size_t next = 0;
    for (const Slice& slice : picture_.slices) {
      for (const Band& band : bands_) {
        const std::size_t x = kMargin + next % in_line * (panel_width_ + kGap);
        const std::size_t y = top + next / in_line * (panel_height_ + kGap);
        panels_.push_back({&slice, band, x, y});
        width_ = std::max(width_, x + panel_width_ + kMargin);
        height_ = y + panel_height_ + kMargin;
        ++next;
      }
    }
    place_legend();
  }

  /// As many as fit, or somewhat fewer where that makes all lines equally long.
  [[nodiscard]] std::size_t panels_in_line(std::size_t room) const {
    const std::size_t panels = picture_.slices.size() * bands_.size();
    const std::size_t most =
        std::max<std::size_t>(1, (room - 2 * kMargin + kGap) / (panel_width_ + kGap));
    for (std::size_t fewer = most; fewer > most / 2; --fewer) {
      if (panels % fewer == 0) return fewer;
    }
    return most;
  }

  void place_title(std::size_t room) {
    if (picture_.title.empty()) return;
    title_ = wrap(printable(picture_.title), (std::min(room, kFlowWidth) - 2 * kMargin) * 10 / 96);
    for (const std::string& line : title_) {
      width_ = std::max(width_, 2 * kMargin + title_text_width(code_points(line)));
    }
  }

  void place_legend() {
    if (picture_.colors == 0) return;
    legend_y_ = height_;
    legend_x_ = kMargin + cell_text_width(code_points(picture_.legend)) + 12;
    swatches_in_line_ = std::min<std::size_t>(picture_.colors, 16);
    const std::size_t lines = (picture_.colors + swatches_in_line_ - 1) / swatches_in_line_;
    width_ = std::max(width_, legend_x_ + swatches_in_line_ * kSwatch + kMargin);
    height_ += lines * kRowHeight + kMargin;
  }

  // The document.

  void open() {
    write(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" {2} font-size=\"14\" fill=\"#1a1a1a\">\n",
        width_, height_, kFont);
    if (!picture_.title.empty()) write("<title>{}</title>\n", escape(picture_.title));
    text_ += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  }

  void write_title() {
    std::size_t y = kMargin + 14;
    for (const std::string& line : title_) {
      write("<text x=\"{}\" y=\"{}\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", kMargin, y,
            escape(line));
      y += kTitleLine;
    }
  }

  void write_legend() {
    if (picture_.colors == 0) return;
    write("<g class=\"legend\">\n<text x=\"{}\" y=\"{}\">{}</text>\n", kMargin, legend_y_ + 18,
          escape(picture_.legend));
    for (std::size_t color = 0; color < picture_.colors; ++color) {
      const std::size_t x = legend_x_ + color % swatches_in_line_ * kSwatch;
      const std::size_t y = legend_y_ + color / swatches_in_line_ * kRowHeight;
      write("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#888\"/>", x,
            y, kSwatch - 4, kRowHeight - 4, hex(background(color)));
      write("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x + kSwatch / 2 - 2,
            y + 16, color);
    }
    text_ += "</g>\n";
  }

  [[nodiscard]] std::string label_of(const Panel& panel) const {
    std::string label;
    if (picture_.slices.size() > 1) label = panel.slice->label;
    if (bands_.size() == 1) return label;
    if (!label.empty()) label += ", ";
    return label + fmt::format("columns {} to {} of {}", panel.band.begin, panel.band.end - 1,
                               picture_.columns.length);
  }

  // A panel. Its own origin is the corner of the grid, so that coordinates within it stay short.

  void write_panel(const Panel& panel) {
    write("<g class=\"slice\" transform=\"translate({},{})\">\n", panel.x + gutter_,
          panel.y + header_);
    if (is_labelled_) {
      write("<text y=\"{}\" x=\"0\" font-weight=\"bold\">{}</text>\n",
            static_cast<std::ptrdiff_t>(15) - static_cast<std::ptrdiff_t>(header_),
            escape(label_of(panel)));
    }
    write_column_labels(panel.band);
    write_row_labels();
    write_cells(panel);
    write_lines(panel.band);
    write_texts(panel);
    text_ += "</g>\n";
  }

  [[nodiscard]] std::size_t middle(const Band& band, std::size_t column) const {
    return (column - band.begin) * cell_width_ + cell_width_ / 2;
  }

  void write_column_labels(const Band& band) {
    text_ += "<g class=\"columns\" fill=\"#444\" text-anchor=\"middle\">";
    for (std::size_t column = band.begin; column < band.end; ++column) {
      write("<text x=\"{}\" y=\"-6\">{}</text>", middle(band, column), column);
    }
    text_ += "</g>\n";
    if (picture_.columns.coordinates.empty()) return;
    write("<g class=\"columns\" fill=\"#666\" font-size=\"11\" text-anchor=\"{}\">",
          column_labels_upright_ ? "middle" : "start");
    for (std::size_t column = band.begin; column < band.end; ++column) {
      write_column_coordinate(middle(band, column), picture_.columns.coordinates[column]);
    }
    text_ += "</g>\n";
  }

  void write_column_coordinate(std::size_t x, std::string_view text) {
    if (column_labels_upright_) {
      write("<text x=\"{}\" y=\"-23\">{}</text>", x, escape(text));
    } else {
      write("<text transform=\"translate({},-22) rotate(-90)\">{}</text>", x + 4, escape(text));
    }
  }

  void write_row_labels() {
    if (!picture_.rows.is_mode) return;
    text_ += "<g class=\"rows\" fill=\"#444\" text-anchor=\"end\">";
    for (std::size_t row = 0; row < picture_.rows.length; ++row) {
      write("<text x=\"-7\" y=\"{}\">{}</text>", row * kRowHeight + 18, row);
    }
    text_ += "</g>\n";
    if (picture_.rows.coordinates.empty()) return;
    text_ += "<g class=\"rows\" fill=\"#666\" font-size=\"11\" text-anchor=\"end\">";
    for (std::size_t row = 0; row < picture_.rows.length; ++row) {
      write("<text x=\"-{}\" y=\"{}\">{}</text>", number_width_ + 4, row * kRowHeight + 17,
            escape(picture_.rows.coordinates[row]));
    }
    text_ += "</g>\n";
  }

  void write_cells(const Panel& panel) {
    text_ += "<g class=\"cells\" fill=\"#fff\">\n";
    for (std::size_t row = 0; row < picture_.rows.length; ++row) {
      for (std::size_t column = panel.band.begin; column < panel.band.end; ++column) {
        const Cell& cell = panel.slice->cells[row * picture_.columns.length + column];
        write("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
              (column - panel.band.begin) * cell_width_, row * kRowHeight, cell_width_, kRowHeight);
        if (picture_.colors > 0) write(" fill=\"{}\"", hex(background(cell.color)));
        write("><title>{} → {}</title></rect>\n",
              escape(coordinate_text(picture_, *panel.slice, row, column)), escape(cell.text));
      }
    }
    text_ += "</g>\n";
  }

  void write_texts(const Panel& panel) {
    text_ += "<g class=\"values\" text-anchor=\"middle\" pointer-events=\"none\">\n";
    for (std::size_t row = 0; row < picture_.rows.length; ++row) {
      for (std::size_t column = panel.band.begin; column < panel.band.end; ++column) {
        const Cell& cell = panel.slice->cells[row * picture_.columns.length + column];
        write("<text x=\"{}\" y=\"{}\">{}</text>\n", middle(panel.band, column),
              row * kRowHeight + 18, escape(cell.text));
      }
    }
    text_ += "</g>\n";
  }

  /// Lines between cells, then around blocks from the inner to the outer ones, then the frame.
  void write_lines(const Band& band) {
    const std::size_t width = (band.end - band.begin) * cell_width_;
    const std::size_t height = picture_.rows.length * kRowHeight;
    text_ +=
        "<g class=\"lines\" fill=\"none\" stroke=\"#222\" stroke-linecap=\"square\" "
        "pointer-events=\"none\">\n";
    for (std::size_t level = 0; level <= levels_; ++level) {
      const std::string path = lines_of(band, level, width, height);
      if (path.empty()) continue;
      const std::size_t stroke = stroke_of(level);
      write("<path class=\"level{}\" stroke-width=\"{}.{}\"{} d=\"{}\"/>\n", level, stroke / 10,
            stroke % 10, level == 0 ? " stroke-opacity=\"0.35\"" : "", path);
    }
    const std::size_t stroke = stroke_of(levels_ + 1);
    write("<rect class=\"frame\" width=\"{}\" height=\"{}\" stroke-width=\"{}.{}\"/>\n</g>\n",
          width, height, stroke / 10, stroke % 10);
  }

  [[nodiscard]] std::string lines_of(const Band& band, std::size_t level, std::size_t width,
                                     std::size_t height) const {
    std::string path;
    for (std::size_t row = 1; row < picture_.rows.length; ++row) {
      if (boundary_level(picture_.rows, row) == level)
        path += fmt::format("M0 {}h{}", row * kRowHeight, width);
    }
    for (std::size_t column = band.begin + 1; column < band.end; ++column) {
      if (boundary_level(picture_.columns, column) == level) {
        path += fmt::format("M{} 0v{}", (column - band.begin) * cell_width_, height);
      }
    }
    return path;
  }

  const Picture& picture_;
  std::string text_;
  std::vector<Band> bands_;
  std::vector<Panel> panels_;
  std::vector<std::string> title_;
  bool column_labels_upright_ = true;
  bool is_labelled_ = false;
  std::size_t levels_ = 0;
  std::size_t cell_width_ = 0;
  std::size_t number_width_ = 0;
  std::size_t gutter_ = 0;
  std::size_t header_ = 0;
  std::size_t panel_width_ = 0;
  std::size_t panel_height_ = 0;
  std::size_t width_ = 0;
  std::size_t height_ = 0;
  std::size_t legend_x_ = 0;
  std::size_t legend_y_ = 0;
  std::size_t swatches_in_line_ = 1;
};

}  // namespace

std::string to_svg(const Picture& picture) { return Svg(picture).draw(); }

}  // namespace heddle::draw
