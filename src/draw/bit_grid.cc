#include "draw/bit_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace heddle::draw {
namespace {

/// log2 of the greatest power of two that is at most `count`, at least 0.
int floor_log2(std::size_t count) {
  return std::max(static_cast<int>(std::bit_width(count)) - 1, 0);
}

std::string names_text(std::span<const BitAxis> axes) {
  std::vector<std::string> names;
  for (const BitAxis& axis : axes)
    names.push_back(fmt::format("{} (size {})", axis.name, std::uint64_t{1} << axis.bits));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

/// `lane=_, register=_, warp=1`, with `_` for row and column.
std::string bit_pattern(const BitGrid& grid, Positions further) {
  std::vector<std::string> parts;
  // A row or a column fills the next `_`, so names must not contain one.
  const auto add = [&](const BitAxis& axis, const std::string& coordinate) {
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
std::string label_of(const BitGrid& grid, Positions further) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < further.size(); ++i) {
    if (grid.further[i].bits > 0)
      parts.push_back(fmt::format("{}={}", grid.further[i].name, further[i]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<BitAxis> axes_of(std::span<const linear::Dimension> dims) {
  std::vector<BitAxis> axes;
  std::size_t begin = 0;
  for (const linear::Dimension& dim : dims) {
    axes.push_back({dim.name, begin, dim.bits, dim.bits});
    begin += static_cast<std::size_t>(dim.bits);
  }
  return axes;
}

Result<Sliced> sliced(std::vector<BitAxis> axes, const linear::NamedSizes& slice) {
  Sliced result{std::move(axes), 0};
  const std::vector<BitAxis> all = result.axes;
  for (const auto& [name, coordinate] : slice) {
    const auto found = std::ranges::find(result.axes, name, &BitAxis::name);
    if (found == result.axes.end()) {
      const bool is_repeated = std::ranges::find(all, name, &BitAxis::name) != all.end();
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
  for (const BitAxis& axis : further) bits += axis.shown;
  return bits;
}

std::vector<std::uint64_t> BitGrid::cut(std::size_t max_cells,
                                        const std::function<int(std::uint64_t bit)>& reluctance) {
  std::vector<BitAxis*> axes;
  for (BitAxis& axis : further) axes.push_back(&axis);
  if (rows) axes.push_back(&*rows);
  if (columns) axes.push_back(&*columns);
  const auto top = [](const BitAxis& axis) { return axis.word(axis.shown_size() / 2); };
  const auto rank = [&](const BitAxis* axis) {
    const bool is_side = (rows && axis == &*rows) || (columns && axis == &*columns);
    return std::tuple(axis->shown == 0, axis->shown == 0 ? 0 : reluctance(top(*axis)), is_side,
                      -axis->shown);
  };
  std::vector<std::uint64_t> taken;
  if (max_cells > kMaxCells) return taken;
  for (const int most = floor_log2(max_cells); bits() > most;) {
    BitAxis& axis = **std::ranges::min_element(axes, {}, rank);
    taken.push_back(top(axis));
    --axis.shown;
  }
  std::ranges::sort(taken);
  return taken;
}

Result<void> BitGrid::add_to(Picture& picture, std::vector<std::string> fact_names,
                             const std::function<Cell(std::uint64_t word)>& cell,
                             const std::function<std::vector<Digit>(const BitAxis& axis)>& digits,
                             const map::Limits& limits) const {
  std::vector<BitAxis> axes = further;
  Grid grid;
  for (const BitAxis& axis : further) grid.further.push_back({axis.shown_size(), {}});
  const auto add = [&](const std::optional<BitAxis>& axis, std::optional<Side>& side) {
    if (!axis) return;
    side = Side{axis->shown_size(), digits(*axis)};
    axes.push_back(*axis);
  };
  add(rows, grid.rows);
  add(columns, grid.columns);
  grid.pattern = [this](Positions at) { return bit_pattern(*this, at); };
  grid.label = [this](Positions at) { return label_of(*this, at); };
  grid.fact_names = std::move(fact_names);
  grid.cell = [&](Positions at) {
    std::uint64_t word = fixed;
    for (std::size_t i = 0; i < at.size(); ++i) word |= axes[i].word(at[i]);
    return cell(word);
  };
  return add_panels(picture, grid, kMaxCells, limits);
}

Result<void> check_room(const BitGrid& grid, const std::string& title) {
  int panel_bits = 0;
  for (const BitAxis& axis : grid.further) panel_bits += axis.shown;
  const auto count = [](int log2) {
    return log2 < 40 ? std::to_string(std::uint64_t{1} << log2) : fmt::format("2^{}", log2);
  };
  const auto refuse_hinted = [](Diagnostic diagnostic) {
    return refuse(std::move(diagnostic)
                      .with_hint("leave --all out: a part is shown then, and how it goes on; "
                                 "--slice NAME=COORDINATE picks one"));
  };
  if (grid.bits() > floor_log2(kMaxCells))
    return refuse_hinted(too_many_cells(title, count(grid.bits()), "elements"));
  if (panel_bits <= floor_log2(kMaxPanels)) return {};
  return refuse_hinted(
      Diagnostic("draw.too_large", fmt::format("{} has {} slices, and a picture at most {} panels",
                                               title, count(panel_bits), kMaxPanels)));
}

}  // namespace heddle::draw
