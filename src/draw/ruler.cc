#include "draw/ruler.h"

#include <algorithm>
#include <bit>

#include "core/printable.h"

namespace heddle::draw {
namespace {

/// The level of the line before the position with the number `shown`; a gap counts as the
/// outermost.
std::size_t line_level(const Ruler& columns, std::size_t shown) {
  if (follows_gap(columns, shown)) return level_count(columns);
  return boundary_level(columns, shown_position(columns, shown));
}

/// The end of the longest run of columns from `begin` that fits.
std::size_t furthest_end(const Ruler& columns, std::size_t begin, std::size_t room,
                         std::size_t cell, std::size_t line) {
  std::size_t end = begin + 1;
  for (std::size_t used = cell; end < shown_count(columns); ++end) {
    used += cell + (line_level(columns, end) > 0 ? line : 0);
    if (used > room) break;
  }
  return end;
}

/// The end of the last outermost block that ends in the second half of [begin, furthest].
std::size_t outermost_end(const Ruler& columns, std::size_t begin, std::size_t furthest) {
  std::size_t best = furthest;
  for (std::size_t end = furthest; end - begin > (furthest - begin) / 2; --end) {
    if (line_level(columns, end) > line_level(columns, best)) best = end;
  }
  return best;
}

/// The roundest number of columns for all bands of a flat mode: without more bands than necessary
/// if these are few, at least two thirds of the room if they are many.
std::size_t even_length(std::size_t columns, std::size_t room, std::size_t cell) {
  const std::size_t most = std::clamp<std::size_t>(room / cell, 1, columns);
  const std::size_t bands = (columns - 1) / most + 1;
  const std::size_t least = bands <= 3 ? (columns - 1) / bands + 1 : (2 * most + 2) / 3;
  std::size_t best = most;
  for (std::size_t length = most; length >= least; --length) {
    if (std::countr_zero(length) > std::countr_zero(best)) best = length;
  }
  return best;
}

}  // namespace

std::size_t shown_count(const Ruler& ruler) {
  return ruler.gap ? ruler.length - (ruler.gap->end - ruler.gap->begin) : ruler.length;
}

std::size_t shown_position(const Ruler& ruler, std::size_t shown) {
  if (!ruler.gap || shown < ruler.gap->begin) return shown;
  return shown + (ruler.gap->end - ruler.gap->begin);
}

bool follows_gap(const Ruler& ruler, std::size_t shown) {
  return ruler.gap && shown == ruler.gap->begin;
}

std::string position_text(const Ruler& ruler, std::size_t shown) {
  return ruler.names.empty() ? std::to_string(shown_position(ruler, shown)) : ruler.names[shown];
}

std::size_t level_count(const Ruler& ruler) {
  return ruler.groups.empty() ? ruler.blocks.size() : 1;
}

std::size_t boundary_level(const Ruler& ruler, std::size_t position) {
  if (!ruler.groups.empty())
    return std::ranges::find(ruler.groups, position, &Group::begin) != ruler.groups.end() ? 1 : 0;
  const auto crosses = [&](std::size_t block) { return position % block == 0; };
  return static_cast<std::size_t>(std::ranges::find_if_not(ruler.blocks, crosses) -
                                  ruler.blocks.begin());
}

bool has_hatched(const Picture& picture) {
  return std::ranges::any_of(picture.panels, [](const Panel& panel) {
    return std::ranges::find(panel.cells, kHatched, &Cell::color) != panel.cells.end();
  });
}

std::string coordinate_text(const Panel& panel, std::size_t row, std::size_t column) {
  const auto text_at = [](const Ruler& ruler, std::size_t shown) {
    return ruler.coordinates.empty() ? position_text(ruler, shown) : ruler.coordinates[shown];
  };
  std::string text;
  bool is_row = panel.rows.is_mode;
  for (const char c : panel.pattern) {
    if (c != '_') {
      text += c;
      continue;
    }
    text += is_row ? text_at(panel.rows, row) : text_at(panel.columns, column);
    is_row = false;
  }
  return text;
}

std::vector<Run> runs_of(const Ruler& ruler, const Digit& digit, std::size_t begin,
                         std::size_t end) {
  std::vector<Run> runs;
  std::optional<std::size_t> last;
  for (std::size_t shown = begin; shown < end; ++shown) {
    const std::size_t block = shown_position(ruler, shown) / digit.block;
    if (last != block) runs.push_back({shown, shown, block % digit.extent});
    runs.back().end = shown + 1;
    last = block;
  }
  return runs;
}

std::size_t widest(const std::vector<std::string>& texts) {
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, code_points(text));
  return width;
}

std::size_t position_width(const Ruler& ruler) {
  return ruler.names.empty() ? std::to_string(ruler.length - 1).size() : widest(ruler.names);
}

std::size_t group_width(const Ruler& ruler) {
  std::size_t width = 0;
  for (const Group& group : ruler.groups) width = std::max(width, code_points(group.name));
  return width;
}

std::vector<Group> groups_in(const Ruler& ruler, std::size_t begin, std::size_t end) {
  std::vector<Group> groups;
  for (const Group& group : ruler.groups) {
    if (group.begin < end && begin < group.end)
      groups.push_back({std::max(group.begin, begin), std::min(group.end, end), group.name});
  }
  return groups;
}

std::vector<std::size_t> stagger(const std::vector<Stretch>& names) {
  std::vector<std::size_t> lines(names.size());
  // Names are placed from the right; a line is free to the left of the name placed in it last.
  std::vector<std::size_t> free_until;
  for (std::size_t i = names.size(); i > 0; --i) {
    const Stretch& name = names[i - 1];
    std::size_t& line = lines[i - 1];
    while (line < free_until.size() && name.begin + name.width > free_until[line]) ++line;
    if (line == free_until.size()) free_until.push_back(0);
    free_until[line] = name.begin;
  }
  return lines;
}

std::vector<Span> split_columns(const Ruler& columns, std::size_t room, std::size_t cell,
                                std::size_t line) {
  std::vector<Span> bands;
  const std::size_t count = shown_count(columns);
  const std::size_t even = even_length(count, room, cell);
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = std::min(begin + even, count);
    if (level_count(columns) > 0) {
      end = furthest_end(columns, begin, room, cell, line);
      if (end < count) end = outermost_end(columns, begin, end);
    }
    bands.push_back({begin, end});
    begin = end;
  }
  return bands;
}

}  // namespace heddle::draw
