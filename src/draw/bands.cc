#include "draw/bands.h"

#include <algorithm>
#include <bit>

namespace heddle::draw {
namespace {

/// The level of the line before what is shown as number `shown`; a gap counts as the outermost.
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

/// The end of the outermost block that ends in the second half of [begin, furthest], the last such.
std::size_t outermost_end(const Ruler& columns, std::size_t begin, std::size_t furthest) {
  std::size_t best = furthest;
  for (std::size_t end = furthest; end - begin > (furthest - begin) / 2; --end) {
    if (line_level(columns, end) > line_level(columns, best)) best = end;
  }
  return best;
}

/// The roundest number of columns for all bands of a flat mode: without making more bands than
/// necessary where these are few, at least two thirds of what fits where they are many.
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

std::vector<Band> split_columns(const Ruler& columns, std::size_t room, std::size_t cell,
                                std::size_t line) {
  std::vector<Band> bands;
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
