#include "draw/sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/printable.h"
#include "draw/ruler.h"

namespace heddle::draw {
namespace {

constexpr std::size_t kMinCellWidth = 30;
constexpr std::size_t kCellHeight = 26;
constexpr std::size_t kTwoLineHeight = 38;
constexpr std::size_t kPanelGap = 28;
constexpr std::size_t kLabelGap = 8;
/// Panels are placed side by side, and long rows are split, to keep within these widths.
constexpr std::size_t kFlowWidth = 1400;
constexpr std::size_t kBandWidth = 8000;

std::size_t number_width(const Ruler& ruler) {
  return type_width(kCellType, position_width(ruler)) + kLabelGap;
}

bool is_nested(const Ruler& ruler) { return ruler.digits.size() > 1; }

/// The width of the extents and strides beside a ruler's digits.
std::size_t digit_label_width(const Ruler& ruler) {
  std::size_t width = 0;
  for (const Digit& digit : ruler.digits)
    width = std::max(width, type_width(kSmallType, code_points(digit.label)) + kLabelGap);
  return width;
}

/// The distance from the grid to the middle of each digit of nested rows, to the left.
std::vector<std::size_t> digit_distances(const Ruler& rows) {
  std::vector<std::size_t> distances;
  std::size_t distance = number_width(rows) + kLabelGap;
  for (const Digit& digit : rows.digits) {
    const std::size_t width =
        std::max(type_width(kSmallType, code_points(digit.label)) + kLabelGap,
                 type_width(kDigitType, std::to_string(digit.extent - 1).size()) + 16);
    distances.push_back(distance + width / 2);
    distance += width;
  }
  return distances;
}

/// The distance from the grid to the end of the names of groups of rows, to the left.
std::size_t group_distance(const Ruler& rows) { return number_width(rows) + 12; }

Offset offset(std::size_t length) { return static_cast<Offset>(length); }

}  // namespace

Sheet::Sheet(const Picture& picture) : picture_(picture) {
  measure_cells();
  split_panels();
  place_title();
  place_panels();
  place_legend();
  place_notes();
}

void Sheet::measure_cells() {
  cell_width_ = kMinCellWidth;
  cell_height_ = kCellHeight;
  for (const Panel& panel : picture_.panels) {
    cell_width_ = std::max(cell_width_, number_width(panel.columns));
    for (const Cell& cell : panel.cells) {
      const std::size_t text = type_width(kCellType, code_points(cell.text)) + 12;
      const std::size_t note = type_width(kSmallType, code_points(cell.note)) + 10;
      cell_width_ = std::max({cell_width_, text, note});
      if (!cell.note.empty()) cell_height_ = kTwoLineHeight;
    }
  }
}

void Sheet::split_panels() {
  for (const Panel& panel : picture_.panels) {
    const std::vector<Span> bands = split_columns(panel.columns, kBandWidth, cell_width_, 0);
    for (const Span& band : bands) {
      std::string label = panel.label;
      if (bands.size() > 1) {
        label += fmt::format("{}columns {} to {} of {}", label.empty() ? "" : ", ",
                             shown_position(panel.columns, band.begin),
                             shown_position(panel.columns, band.end - 1), panel.columns.length);
      }
      panels_.push_back({&panel, band, std::move(label)});
    }
  }
}

// Within a panel.

std::size_t Sheet::column_x(const PlacedPanel& placed, std::size_t shown) const {
  const auto& gap = placed.panel->columns.gap;
  const bool is_behind = gap && shown >= gap->begin && placed.band.begin < gap->begin;
  return (shown - placed.band.begin) * cell_width_ + (is_behind ? kGapWidth : 0);
}

std::size_t Sheet::row_y(const Panel& panel, std::size_t shown) const {
  const bool is_behind = panel.rows.gap && shown >= panel.rows.gap->begin;
  return shown * cell_height_ + (is_behind ? kGapWidth : 0);
}

std::size_t Sheet::grid_width(const PlacedPanel& placed) const {
  return column_x(placed, placed.band.end - 1) + cell_width_;
}

std::size_t Sheet::grid_height(const Panel& panel) const {
  return row_y(panel, shown_count(panel.rows) - 1) + cell_height_;
}

std::size_t Sheet::gutter(const Panel& panel) {
  const Ruler& rows = panel.rows;
  if (!rows.is_mode) return 0;
  if (!rows.groups.empty()) return group_distance(rows) + type_width(kDigitType, group_width(rows));
  if (!is_nested(rows)) return std::max(number_width(rows), digit_label_width(rows));
  const std::size_t half =
      type_width(kSmallType, code_points(rows.digits.back().label)) / 2 + kLabelGap;
  return digit_distances(rows).back() + std::max(half, std::size_t{14});
}

std::vector<std::size_t> Sheet::group_lines(const PlacedPanel& placed) const {
  std::vector<Stretch> names;
  for (const Group& group : groups_in(placed.panel->columns, placed.band.begin, placed.band.end))
    names.push_back({column_x(placed, group.begin),
                     type_width(kDigitType, code_points(group.name)) + kLabelGap});
  return stagger(names);
}

std::size_t Sheet::header(const PlacedPanel& placed) const {
  const Ruler& columns = placed.panel->columns;
  std::size_t lines = is_nested(columns) ? columns.digits.size() : 0;
  if (!columns.groups.empty()) lines = std::ranges::max(group_lines(placed)) + 1;
  return kLine * (1 + lines) + (placed.label.empty() ? 0 : kTitleLine);
}

// Labels.

std::vector<SideLine> Sheet::labels(const PlacedPanel& placed, bool is_of_columns) const {
  using enum SideLine::Kind;
  const Panel& panel = *placed.panel;
  const Ruler& ruler = is_of_columns ? panel.columns : panel.rows;
  std::vector<SideLine> lines;
  if (!ruler.is_mode) return lines;
  const Span all = is_of_columns ? placed.band : Span{0, shown_count(ruler)};
  const auto begin = [&](std::size_t shown) {
    return offset(is_of_columns ? column_x(placed, shown) : row_y(panel, shown));
  };
  const auto end = [&](std::size_t shown) {
    return begin(shown - 1) + offset(is_of_columns ? cell_width_ : cell_height_);
  };
  // The baseline of a text in the middle of rows is below that middle.
  const auto middle_of = [&](std::size_t first, std::size_t last) {
    return (begin(first) + end(last)) / 2 + (is_of_columns ? 0 : 4);
  };

  SideLine& numbers =
      lines.emplace_back(is_nested(ruler) ? kSmallNumbers : kNumbers, is_of_columns);
  for (std::size_t i = all.begin; i < all.end; ++i) {
    numbers.texts.push_back({middle_of(i, i + 1) + (is_of_columns ? 0 : 1), is_of_columns ? -6 : -7,
                             position_text(ruler, i)});
  }

  if (!ruler.groups.empty()) {
    SideLine& groups = lines.emplace_back(kGroups, is_of_columns);
    const std::vector<std::size_t> above = group_lines(placed);
    const Offset distance = offset(group_distance(ruler));
    for (const Group& group : groups_in(ruler, all.begin, all.end)) {
      const Offset first = begin(group.begin) + 3;
      const auto lift = [&] { return offset(7 + kLine * (1 + above[groups.texts.size()])); };
      groups.texts.push_back({is_of_columns ? first : middle_of(group.begin, group.end),
                              is_of_columns ? -lift() : -distance, group.name});
      groups.brackets.push_back(
          {first, end(group.end) - 3, is_of_columns ? 1 - offset(kLine) : 8 - distance});
    }
  }

  // Digits are written over the middle of their runs, those of outer parts with a bracket. One
  // digit alone would repeat the numbers.
  const std::vector<std::size_t> distances = digit_distances(ruler);
  const Offset length =
      is_of_columns ? offset(grid_width(placed)) + 7 : offset(grid_height(panel)) + 15;
  for (std::size_t i = 0; i < ruler.digits.size(); ++i) {
    const Digit& digit = ruler.digits[i];
    Offset distance = is_of_columns ? 6 : 7;
    if (is_nested(ruler)) distance = offset(is_of_columns ? 6 + kLine * (i + 1) : distances[i]);
    SideLine& line = lines.emplace_back(kDigits, is_of_columns);
    line.stride = {length, -distance, digit.label};
    if (!is_nested(ruler)) continue;
    const std::size_t width = type_width(kDigitType, std::to_string(digit.extent - 1).size());
    for (const Run& run : runs_of(ruler, digit, all.begin, all.end)) {
      line.texts.push_back({middle_of(run.begin, run.end), -distance - (is_of_columns ? 1 : 0),
                            std::to_string(run.digit)});
      if (digit.block == 1) continue;
      line.brackets.push_back({begin(run.begin) + 3, end(run.end) - 3,
                               (is_of_columns ? 7 : 8 + offset(width / 2)) - distance});
    }
  }
  return lines;
}

// Cells and lines.

std::vector<PlacedCell> Sheet::cells(const PlacedPanel& placed) const {
  const Panel& panel = *placed.panel;
  std::vector<PlacedCell> cells;
  for (std::size_t row = 0; row < shown_count(panel.rows); ++row) {
    const Cell* line = panel.cells.data() + row * shown_count(panel.columns);
    for (std::size_t column = placed.band.begin; column < placed.band.end; ++column) {
      cells.push_back({line + column, row, column, column_x(placed, column), row_y(panel, row)});
    }
  }
  return cells;
}

std::vector<GridLine> Sheet::lines(const PlacedPanel& placed) const {
  const Ruler& rows = placed.panel->rows;
  const Ruler& columns = placed.panel->columns;
  std::vector<GridLine> lines;
  for (std::size_t row = 1; row < shown_count(rows); ++row) {
    lines.push_back(
        {boundary_level(rows, shown_position(rows, row)), false, row_y(*placed.panel, row)});
  }
  for (std::size_t column = placed.band.begin + 1; column < placed.band.end; ++column) {
    lines.push_back(
        {boundary_level(columns, shown_position(columns, column)), true, column_x(placed, column)});
  }
  return lines;
}

std::vector<GapStrip> Sheet::gaps(const PlacedPanel& placed) const {
  const Panel& panel = *placed.panel;
  std::vector<GapStrip> gaps;
  const auto& columns = panel.columns.gap;
  if (columns && placed.band.begin < columns->begin && columns->begin < placed.band.end) {
    gaps.push_back(
        {true, column_x(placed, columns->begin) - kGapWidth, 0, kGapWidth, grid_height(panel)});
  }
  if (const auto& rows = panel.rows.gap) {
    gaps.push_back(
        {false, 0, row_y(panel, rows->begin) - kGapWidth, grid_width(placed), kGapWidth});
  }
  return gaps;
}

// On the page.

Sheet::Room Sheet::horizontal_room(const PlacedPanel& placed) const {
  const Panel& panel = *placed.panel;
  const std::size_t before = gutter(panel);
  const std::size_t grid = grid_width(placed) + digit_label_width(panel.columns);
  const std::size_t label = type_width(kCellType, code_points(placed.label));
  return {before, std::max(grid, label - std::min(label, before))};
}

Sheet::Room Sheet::vertical_room(const PlacedPanel& placed) const {
  const std::size_t below = placed.panel->rows.digits.empty() ? 0 : kLine;
  return {header(placed), grid_height(*placed.panel) + below};
}

bool Sheet::has_places() const {
  return panels_.size() == picture_.panels.size() &&
         std::ranges::all_of(picture_.panels,
                             [](const Panel& panel) { return panel.place.has_value(); });
}

/// The number of panels of one width that fit into a line, or somewhat fewer if that makes all
/// lines equally long.
std::size_t Sheet::panels_in_line(std::size_t width, std::size_t room) const {
  const std::size_t most = std::max<std::size_t>(1, (room + kPanelGap) / (width + kPanelGap));
  for (std::size_t fewer = most; fewer > most / 2; --fewer) {
    if (panels_.size() % fewer == 0) return fewer;
  }
  return most;
}

/// Places panels in lines, one after the other as long as there is room.
std::vector<Place> Sheet::flow() const {
  std::vector<std::size_t> widths;
  for (const PlacedPanel& placed : panels_) {
    const Room room = horizontal_room(placed);
    widths.push_back(room.before + room.after);
  }
  const std::size_t widest = std::ranges::max(widths);
  const std::size_t room = std::max(kFlowWidth - 2 * kMargin, widest);
  const bool are_alike = std::ranges::min(widths) == widest;
  const std::size_t most = are_alike ? panels_in_line(widest, room) : panels_.size();
  std::vector<Place> places;
  Place next;
  std::size_t used = 0;
  for (const std::size_t width : widths) {
    if (next.column == most || (next.column > 0 && used + width > room)) {
      next = {next.row + 1, 0};
      used = 0;
    }
    places.push_back(next);
    used += width + kPanelGap;
    ++next.column;
  }
  return places;
}

/// The room of each row of panels, or of each column.
std::vector<Sheet::Room> Sheet::rooms(const std::vector<std::size_t>& indices,
                                      Room (Sheet::*room_of)(const PlacedPanel&) const) const {
  std::vector<Room> rooms(std::ranges::max(indices) + 1);
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    Room& room = rooms[indices[i]];
    const Room needed = (this->*room_of)(panels_[i]);
    room = {std::max(room.before, needed.before), std::max(room.after, needed.after)};
  }
  return rooms;
}

void Sheet::place_panels() {
  height_ = kMargin + title_.size() * kTitleLine + (title_.empty() ? 0 : 4);
  if (panels_.empty()) return;
  std::vector<Place> places = has_places() ? std::vector<Place>() : flow();
  if (has_places()) {
    for (const Panel& panel : picture_.panels) places.push_back(*panel.place);
  }
  std::vector<std::size_t> rows;
  for (const Place& place : places) rows.push_back(place.row);
  const std::vector<std::size_t> ys = corners(rooms(rows, &Sheet::vertical_room), height_);
  for (std::size_t i = 0; i < panels_.size(); ++i) panels_[i].y = ys[places[i].row];
  height_ += kMargin;
  if (has_places()) {
    place_columns(places);
  } else {
    place_lines(places);
  }
}

void Sheet::place_columns(const std::vector<Place>& places) {
  std::vector<std::size_t> columns;
  for (const Place& place : places) columns.push_back(place.column);
  std::size_t right = kMargin;
  const std::vector<std::size_t> xs = corners(rooms(columns, &Sheet::horizontal_room), right);
  for (std::size_t i = 0; i < panels_.size(); ++i) panels_[i].x = xs[places[i].column];
  width_ = std::max(width_, right + kMargin);
}

void Sheet::place_lines(const std::vector<Place>& places) {
  std::size_t next = kMargin;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    if (places[i].column == 0) next = kMargin;
    const Room room = horizontal_room(panels_[i]);
    panels_[i].x = next + room.before;
    next += room.before + room.after + kPanelGap;
    width_ = std::max(width_, next - kPanelGap + kMargin);
  }
}

/// The starts of the grids of rows or columns of panels, and in `next` the end of the last one.
std::vector<std::size_t> Sheet::corners(const std::vector<Room>& rooms, std::size_t& next) {
  std::vector<std::size_t> corners;
  for (const Room& room : rooms) {
    if (!corners.empty()) next += kPanelGap;
    corners.push_back(next + room.before);
    next += room.before + room.after;
  }
  return corners;
}

void Sheet::place_title() {
  if (picture_.title.empty()) return;
  title_ = wrap(printable(picture_.title), (kFlowWidth - 2 * kMargin) * 100 / (kTitleType * 6));
  for (const std::string& line : title_) {
    width_ = std::max(width_, 2 * kMargin + type_width(kTitleType, code_points(line)));
  }
}

void Sheet::place_legend() {
  if (picture_.colors == 0) return;
  legend_y_ = height_;
  legend_x_ = kMargin + type_width(kCellType, code_points(picture_.legend)) + 12;
  swatches_in_line_ = std::min<std::size_t>(picture_.colors, 16);
  const std::size_t lines = (picture_.colors + swatches_in_line_ - 1) / swatches_in_line_;
  width_ = std::max(width_, legend_x_ + swatches_in_line_ * kSwatchWidth + kMargin);
  height_ += lines * kSwatchHeight + kMargin;
}

void Sheet::place_notes() {
  for (const std::string& note : picture_.notes) {
    for (std::string& line : wrap(printable(note), kFlowWidth * 100 / (kDigitType * 6)))
      notes_.push_back(std::move(line));
  }
  if (notes_.empty()) return;
  notes_y_ = height_ + 12;
  height_ += notes_.size() * kLine + kMargin;
  for (const std::string& line : notes_)
    width_ = std::max(width_, 2 * kMargin + type_width(kDigitType, code_points(line)));
}

std::size_t stroke_of(std::size_t level) { return std::min<std::size_t>(4 + 11 * level, 60); }

std::size_t level_count(const Panel& panel) {
  return std::max(level_count(panel.rows), level_count(panel.columns));
}

}  // namespace heddle::draw
