#include "draw/bit_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::draw {
namespace {

/// log2 of the greatest power of two that is no more than `count`, at least 0.
int floor_log2(std::size_t count) {
  int bits = 0;
  while (bits < 62 && (std::size_t{2} << bits) <= count) ++bits;
  return bits;
}

std::string names_text(std::span<const Axis> axes) {
  std::vector<std::string> names;
  for (const Axis& axis : axes)
    names.push_back(fmt::format("{} (size {})", axis.name, std::uint64_t{1} << axis.bits));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

Ruler ruler_of(const std::optional<Axis>& axis, std::vector<Digit> digits) {
  Ruler ruler;
  ruler.is_mode = axis.has_value();
  if (!axis) return ruler;
  ruler.length = axis->shown_size();
  ruler.digits = std::move(digits);
  for (const Digit& digit : ruler.digits) {
    if (digit.block > 1) ruler.blocks.push_back(digit.block);
  }
  return ruler;
}

/// `lane=_, register=_, warp=1`, where the places of row and column are kept free.
std::string pattern_of(const BitGrid& grid, std::span<const std::uint64_t> further) {
  std::vector<std::string> parts;
  // A row or a column fills the next `_`, so that no name may hold one.
  const auto add = [&](const Axis& axis, const std::string& coordinate) {
    std::string name = axis.name;
    std::ranges::replace(name, '_', '-');
    parts.push_back(fmt::format("{}={}", name, coordinate));
  };
  if (grid.rows) add(*grid.rows, "_");
  if (grid.columns) add(*grid.columns, "_");
  for (std::size_t i = 0; i < further.size(); ++i) add(grid.further[i], std::to_string(further[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// `warp=1, block=0`
std::string label_of(const BitGrid& grid, std::span<const std::uint64_t> further) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < further.size(); ++i) {
    if (grid.further[i].bits > 0)
      parts.push_back(fmt::format("{}={}", grid.further[i].name, further[i]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<Axis> axes_of(std::span<const linear::Dimension> dims) {
  std::vector<Axis> axes;
  std::size_t begin = 0;
  for (const linear::Dimension& dim : dims) {
    axes.push_back({dim.name, begin, dim.bits, dim.bits});
    begin += static_cast<std::size_t>(dim.bits);
  }
  return axes;
}

Result<Sliced> sliced(std::vector<Axis> axes, const linear::NamedSizes& slice) {
  Sliced result{std::move(axes), 0};
  const std::vector<Axis> all = result.axes;
  for (const auto& [name, coordinate] : slice) {
    const auto found = std::ranges::find(result.axes, name, &Axis::name);
    if (found == result.axes.end()) {
      const bool is_repeated = std::ranges::find(all, name, &Axis::name) != all.end();
      return refuse("draw.slice",
                    is_repeated ? fmt::format("the slice holds {} twice", name)
                                : fmt::format("this view has no dimension {} to slice: there are "
                                              "{}",
                                              name, names_text(all)));
    }
    if (coordinate < 0 || coordinate >> found->bits != 0) {
      return refuse("draw.slice",
                    fmt::format("{}={} is outside {}: coordinates are 0 to {}", name, coordinate,
                                name, (std::uint64_t{1} << found->bits) - 1));
    }
    result.fixed |= found->word(static_cast<std::uint64_t>(coordinate));
    result.axes.erase(found);
  }
  return result;
}

int BitGrid::bits() const {
  int bits = (rows ? rows->shown : 0) + (columns ? columns->shown : 0);
  for (const Axis& axis : further) bits += axis.shown;
  return bits;
}

std::vector<std::uint64_t> BitGrid::cut(std::size_t max_cells,
                                        const std::function<int(std::uint64_t bit)>& reluctance) {
  std::vector<Axis*> axes;
  for (Axis& axis : further) axes.push_back(&axis);
  if (rows) axes.push_back(&*rows);
  if (columns) axes.push_back(&*columns);
  const auto top = [](const Axis& axis) { return axis.word(axis.shown_size() / 2); };
  const auto rank = [&](const Axis* axis) {
    const bool is_side = (rows && axis == &*rows) || (columns && axis == &*columns);
    return std::tuple(axis->shown == 0, axis->shown == 0 ? 0 : reluctance(top(*axis)), is_side,
                      -axis->shown);
  };
  std::vector<std::uint64_t> taken;
  if (max_cells > kMaxCells) return taken;
  for (const int most = floor_log2(max_cells); bits() > most;) {
    Axis& axis = **std::ranges::min_element(axes, {}, rank);
    taken.push_back(top(axis));
    --axis.shown;
  }
  std::ranges::sort(taken);
  return taken;
}

std::vector<Panel> BitGrid::panels(
    const std::function<Cell(std::uint64_t word)>& cell,
    const std::function<std::vector<Digit>(const Axis& axis)>& digits) const {
  const auto ruler = [&](const std::optional<Axis>& axis) {
    return ruler_of(axis, axis ? digits(*axis) : std::vector<Digit>());
  };
  std::size_t count = 1;
  for (const Axis& axis : further) count *= axis.shown_size();
  std::vector<Panel> panels;
  for (std::size_t index = 0; index < count; ++index) {
    std::vector<std::uint64_t> positions(further.size());
    std::uint64_t word = fixed;
    std::size_t rest = index;
    for (std::size_t i = further.size(); i > 0; --i) {
      positions[i - 1] = rest % further[i - 1].shown_size();
      rest /= further[i - 1].shown_size();
      word |= further[i - 1].word(positions[i - 1]);
    }
    Panel panel;
    panel.label = label_of(*this, positions);
    panel.pattern = pattern_of(*this, positions);
    panel.rows = ruler(rows);
    panel.columns = ruler(columns);
    panel.cells.reserve(panel.rows.length * panel.columns.length);
    for (std::size_t row = 0; row < panel.rows.length; ++row) {
      for (std::size_t column = 0; column < panel.columns.length; ++column) {
        panel.cells.push_back(
            cell(word | (rows ? rows->word(row) : 0) | (columns ? columns->word(column) : 0)));
      }
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

Result<void> check_room(const BitGrid& grid, const std::string& title) {
  const int bits = grid.bits();
  int panel_bits = 0;
  for (const Axis& axis : grid.further) panel_bits += axis.shown;
  const auto count = [](int log2) {
    return log2 < 40 ? std::to_string(std::uint64_t{1} << log2) : fmt::format("2^{}", log2);
  };
  const auto refuse_count = [&](int log2, std::string_view what, std::size_t most,
                                std::string_view unit) {
    return refuse(
        Diagnostic("draw.too_large", fmt::format("{} has {} {}, and a picture at most {} {}", title,
                                                 count(log2), what, most, unit))
            .with_hint("leave --all out: a part is shown then, and how it goes on; "
                       "--slice NAME=COORDINATE picks one"));
  };
  if (bits > floor_log2(kMaxCells)) return refuse_count(bits, "elements", kMaxCells, "cells");
  if (panel_bits > floor_log2(kMaxPanels))
    return refuse_count(panel_bits, "slices", kMaxPanels, "panels");
  return {};
}

}  // namespace heddle::draw
