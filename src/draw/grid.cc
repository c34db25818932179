#include "draw/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "heddle/expr/int.h"

namespace heddle::draw {
namespace {

/// Shows some `most` positions at the beginning of a long side and a quarter of that at its end, in
/// whole blocks if blocks are short.
void leave_out_middle(Ruler& ruler, std::size_t most) {
  if (ruler.length <= most + most / 2) return;
  std::size_t block = 1;
  for (const std::size_t length : ruler.blocks) {
    if (length <= most / 2) block = length;
  }
  const std::size_t head = most / block * block;
  const std::size_t tail = (most / 4 + block - 1) / block * block;
  ruler.gap = Span{head, ruler.length - tail};
}

/// `most` is 0 for all positions, else that of leave_out_middle.
Ruler ruler_of(const std::optional<Side>& side, std::size_t most) {
  Ruler ruler;
  ruler.is_mode = side.has_value();
  if (!side) return ruler;
  ruler.length = side->length;
  ruler.digits = side->digits;
  ruler.groups = side->groups;
  for (const Digit& digit : ruler.digits) {
    if (digit.block > 1) ruler.blocks.push_back(digit.block);
  }
  if (most > 0) leave_out_middle(ruler, most);
  for (std::size_t i = 0; i < shown_count(ruler); ++i) {
    const std::size_t position = shown_position(ruler, i);
    if (side->text) ruler.names.push_back(side->text(position));
    if (side->coordinate) ruler.coordinates.push_back(side->coordinate(position));
  }
  return ruler;
}

/// The positions of these sides in turn, the last one fastest.
std::vector<std::size_t> positions_at(std::span<const Side> sides, std::size_t index) {
  std::vector<std::size_t> positions(sides.size());
  for (std::size_t i = sides.size(); i-- > 0;) {
    positions[i] = index % sides[i].length;
    index /= sides[i].length;
  }
  return positions;
}

/// The positions left out of a panel, `rows 32 to 503`; empty if there are none.
std::string gap_text(const Grid& grid, const Panel& panel) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view name, const std::optional<Side>& side, const Ruler& ruler) {
    if (!ruler.gap) return;
    parts.push_back(fmt::format("{} {} to {}", name, side->position_text(ruler.gap->begin),
                                side->position_text(ruler.gap->end - 1)));
  };
  add("rows", grid.rows, panel.rows);
  add("columns", grid.columns, panel.columns);
  return fmt::format("{}", fmt::join(parts, " and "));
}

/// Fills the panel at these positions of `further`.
Result<void> fill(Panel& panel, const Grid& grid, std::vector<std::size_t> at,
                  const map::Limits& limits) {
  panel.pattern = grid.pattern ? grid.pattern(at) : "(_,_)";
  if (!grid.further.empty()) panel.label = grid.label ? grid.label(at) : panel.pattern;
  panel.fact_names = grid.fact_names;
  const std::size_t further = at.size();
  at.resize(further + (grid.rows ? 1 : 0) + (grid.columns ? 1 : 0));
  panel.cells.reserve(shown_count(panel.rows) * shown_count(panel.columns));
  for (std::size_t row = 0; row < shown_count(panel.rows); ++row) {
    if (grid.rows) at[further] = shown_position(panel.rows, row);
    for (std::size_t column = 0; column < shown_count(panel.columns); ++column) {
      if (grid.columns) at.back() = shown_position(panel.columns, column);
      HEDDLE_CHECK(check_time(limits));
      HEDDLE_TRY(Cell cell, grid.cell(at));
      panel.cells.push_back(std::move(cell));
    }
  }
  return {};
}

}  // namespace

Int Grid::panel_count() const {
  Int count = 1;
  for (const Side& side : further) count *= static_cast<std::int64_t>(side.length);
  return count;
}

Int Grid::cell_count() const {
  Int count = panel_count();
  for (const std::optional<Side>* side : {&rows, &columns})
    count *= static_cast<std::int64_t>(*side ? (*side)->length : 1);
  return count;
}

Result<void> check_time(const map::Limits& limits) {
  if (!limits.are_over()) return {};
  return refuse(Diagnostic("draw.gave_up", "the picture was given up")
                    .with_note(limits.over_text())
                    .with_hint("draw a part of it, as a slice"));
}

Result<void> add_panels(Picture& picture, const Grid& grid, std::size_t max_cells,
                        const map::Limits& limits) {
  constexpr std::size_t kFewPanels = 8;
  const bool is_elided = !known_at_most(grid.cell_count(), std::min(max_cells, kMaxCells));
  const Int all = grid.panel_count();
  const bool is_few = known_at_most(all, is_elided ? kFewPanels : kMaxPanels);
  const std::size_t shown = is_few ? static_cast<std::size_t>(all.value()) : kFewPanels;
  Panel blank;
  constexpr std::size_t kSmall = std::size_t{1} << 10;
  const std::size_t most = !is_elided ? 0 : max_cells < kSmall ? 16 : 32;
  blank.rows = ruler_of(grid.rows, most);
  blank.columns = ruler_of(grid.columns, most);
  std::vector<std::string> empty;
  for (std::size_t index = 0; index < shown; ++index) {
    std::vector<std::size_t> at = positions_at(grid.further, index);
    if (grid.is_empty && index > 0) {
      HEDDLE_TRY(const bool has_nothing, grid.is_empty(at));
      if (has_nothing) empty.push_back(grid.label(at));
      if (has_nothing) continue;
    }
    Panel& panel = picture.panels.emplace_back(blank);
    HEDDLE_CHECK(fill(panel, grid, std::move(at), limits));
  }
  constexpr std::size_t kMostEmpty = 8;
  if (!empty.empty()) picture.notes.push_back("nothing at " + first_few(empty, kMostEmpty, "; "));
  if (const std::string gaps = gap_text(grid, blank); !gaps.empty())
    picture.notes.push_back("left out: " + gaps);
  if (!is_few) {
    picture.notes.push_back(
        fmt::format("left out: {} of {} slices", to_string(all - Int(shown)), to_string(all)));
  }
  return {};
}

Diagnostic too_many_cells(std::string_view whole, std::string_view count, std::string_view noun) {
  return Diagnostic("draw.too_large", fmt::format("{} has {} {}, and a picture at most {} cells",
                                                  whole, count, noun, kMaxCells));
}

Result<void> check_room(const Grid& grid, std::size_t max_cells, std::string_view whole,
                        std::string_view noun) {
  if (max_cells <= kMaxCells) return {};
  const Int cells = grid.cell_count();
  if (!known_at_most(cells, kMaxCells))
    return refuse(too_many_cells(whole, to_string(cells), noun));
  const Int panels = grid.panel_count();
  if (known_at_most(panels, kMaxPanels)) return {};
  return refuse("draw.too_large", fmt::format("{} makes {} panels, and a picture has at most {}",
                                              whole, to_string(panels), kMaxPanels));
}

std::vector<Digit> whole_side(std::size_t length, std::string label) {
  return {{length, 1, std::move(label)}};
}

}  // namespace heddle::draw
