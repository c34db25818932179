#include "draw/axe_grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "draw/ruler.h"
#include "heddle/expr/int.h"

namespace heddle::draw {
namespace {

Int product_of(std::span<const GridSide> sides) {
  Int product = 1;
  for (const GridSide& side : sides) product *= static_cast<std::int64_t>(side.length);
  return product;
}

Ruler ruler_of(const GridSide& side, bool is_elided) {
  Ruler ruler;
  ruler.length = side.length;
  ruler.digits = side.digits;
  if (ruler.digits.empty() && !side.name.empty()) ruler.digits = {{side.length, 1, side.name}};
  for (const Digit& digit : ruler.digits) {
    const std::size_t block = digit.block * digit.extent;
    if (block > 1 && block < side.length) ruler.blocks.push_back(block);
  }
  if (is_elided) leave_out_middle(ruler);
  if (!side.text && side.first == 0) return ruler;
  for (std::size_t i = 0; i < shown_count(ruler); ++i)
    ruler.names.push_back(side.position_text(shown_position(ruler, i)));
  return ruler;
}

/// The positions of these sides in turn, the last one fastest.
std::vector<std::size_t> positions_at(std::span<const GridSide> sides, std::size_t index) {
  std::vector<std::size_t> positions(sides.size());
  for (std::size_t i = sides.size(); i-- > 0;) {
    positions[i] = index % sides[i].length;
    index /= sides[i].length;
  }
  return positions;
}

/// `(0,1,_,_)`
std::string pattern_of(std::span<const GridSide> further, std::span<const std::size_t> positions,
                       bool has_rows) {
  if (!has_rows) return "_";
  std::string pattern = "(";
  for (std::size_t i = 0; i < further.size(); ++i)
    pattern += further[i].position_text(positions[i]) + ',';
  return pattern + "_,_)";
}

/// The first few.
std::string listed(std::span<const std::string> texts) {
  constexpr std::size_t kMost = 8;
  if (texts.size() <= kMost) return fmt::format("{}", fmt::join(texts, "; "));
  return fmt::format("{} and {} more", fmt::join(texts.first(kMost), "; "), texts.size() - kMost);
}

std::string gap_text(std::string_view what, const GridSide& side, const Gap& gap) {
  return fmt::format("{} {} to {}", what, side.position_text(gap.begin),
                     side.position_text(gap.end - 1));
}

}  // namespace

std::string GridSide::position_text(std::size_t position) const {
  if (text) return text(position);
  return std::to_string(first + static_cast<std::int64_t>(position));
}

Result<void> AxeGrid::check_room(std::size_t max_cells, const std::string& title) const {
  if (max_cells <= kMaxCells) return {};
  const Int cells = product_of(sides);
  if (!known_at_most(cells, kMaxCells)) {
    return refuse("draw.too_large", fmt::format("{} has {} cells, and a picture at most {}", title,
                                                to_string(cells), kMaxCells));
  }
  const Int count =
      product_of(std::span(sides).first(sides.size() - std::min<std::size_t>(2, sides.size())));
  if (known_at_most(count, kMaxPanels)) return {};
  return refuse("draw.too_large", fmt::format("{} makes {} panels, and a picture has at most {}",
                                              title, to_string(count), kMaxPanels));
}

Result<std::vector<Panel>> AxeGrid::panels(
    std::size_t max_cells, std::vector<std::string>& notes,
    const std::function<Result<Cell>(std::span<const std::size_t>)>& cell) const {
  constexpr std::size_t kFewPanels = 8;
  const bool is_elided = !known_at_most(product_of(sides), std::min(max_cells, kMaxCells));
  const bool has_rows = sides.size() > 1;
  const std::span<const GridSide> further = std::span(sides).first(has_rows ? sides.size() - 2 : 0);
  const Int all = product_of(further);
  const bool is_few = known_at_most(all, is_elided ? kFewPanels : kMaxPanels);
  const std::size_t shown = is_few ? static_cast<std::size_t>(all.value()) : kFewPanels;

  Ruler rows;
  rows.is_mode = has_rows;
  if (has_rows) rows = ruler_of(sides[sides.size() - 2], is_elided);
  const Ruler columns = ruler_of(sides.back(), is_elided);
  std::vector<Panel> panels;
  std::vector<std::string> empty;
  for (std::size_t index = 0; index < shown; ++index) {
    std::vector<std::size_t> positions = positions_at(further, index);
    if (is_empty && index > 0) {
      HEDDLE_TRY(const bool has_nothing, is_empty(positions));
      if (has_nothing) empty.push_back(label(positions));
      if (has_nothing) continue;
    }
    Panel panel;
    panel.label = further.empty() || !label ? "" : label(positions);
    panel.pattern = pattern_of(further, positions, has_rows);
    panel.rows = rows;
    panel.columns = columns;
    positions.resize(sides.size());
    for (std::size_t row = 0; row < shown_count(rows); ++row) {
      if (has_rows) positions[sides.size() - 2] = shown_position(rows, row);
      for (std::size_t column = 0; column < shown_count(columns); ++column) {
        positions.back() = shown_position(columns, column);
        HEDDLE_TRY(Cell made, cell(positions));
        panel.cells.push_back(std::move(made));
      }
    }
    panels.push_back(std::move(panel));
  }
  if (!empty.empty()) notes.push_back("nothing at " + listed(empty));
  std::vector<std::string> gaps;
  if (rows.gap) gaps.push_back(gap_text("rows", sides[sides.size() - 2], *rows.gap));
  if (columns.gap) gaps.push_back(gap_text("columns", sides.back(), *columns.gap));
  if (!gaps.empty()) notes.push_back(fmt::format("left out: {}", fmt::join(gaps, " and ")));
  if (!is_few) {
    notes.push_back(
        fmt::format("left out: {} of {} panels", to_string(all - Int(shown)), to_string(all)));
  }
  return panels;
}

}  // namespace heddle::draw
