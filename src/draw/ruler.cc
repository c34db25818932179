#include "draw/ruler.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/printable.h"
#include "cute/layout/format.h"
#include "heddle/cute/int_tuple.h"

namespace heddle::draw {
namespace {

std::size_t size_of(const Int& extent) { return static_cast<std::size_t>(extent.value()); }

void add_blocks(Ruler& ruler, const IntTuple& shape) {
  std::size_t block = 1;
  for (const Int& extent : shape.leaves()) {
    if (block > 1 && block < ruler.length &&
        (ruler.blocks.empty() || ruler.blocks.back() != block)) {
      ruler.blocks.push_back(block);
    }
    block *= size_of(extent);
  }
}

void add_digits(Ruler& ruler, const cute::Layout& mode) {
  std::size_t block = 1;
  for (std::size_t leaf = 0; leaf < mode.extents().size(); ++leaf) {
    const Int& extent = mode.extents()[leaf];
    if (known_equal(extent, 1)) continue;
    ruler.digits.push_back(
        {size_of(extent), block, fmt::format("{}:{}", extent, mode.strides()[leaf])});
    block *= size_of(extent);
  }
}

void add_coordinates(Ruler& ruler, const IntTuple& shape) {
  if (shape.is_leaf()) return;
  for (std::size_t i = 0; i < shown_count(ruler); ++i) {
    ruler.coordinates.push_back(coordinate_in(shape, shown_position(ruler, i)));
  }
}

}  // namespace

/// Of a long side some 32 positions at the begin and 8 at the end are shown, in whole blocks where
/// blocks are short.
void leave_out_middle(Ruler& ruler) {
  constexpr std::size_t kLong = 48;
  constexpr std::size_t kHead = 32;
  constexpr std::size_t kTail = 8;
  if (ruler.length <= kLong) return;
  std::size_t block = 1;
  for (const std::size_t length : ruler.blocks) {
    if (length <= kHead / 2) block = length;
  }
  const std::size_t head = kHead / block * block;
  const std::size_t tail = (kTail + block - 1) / block * block;
  ruler.gap = Gap{head, ruler.length - tail};
}

Ruler make_ruler(const cute::Layout& mode, bool is_elided) {
  const IntTuple shape = mode.shape();
  Ruler ruler;
  ruler.length = size_of(mode.size());
  add_blocks(ruler, shape);
  add_digits(ruler, mode);
  if (is_elided) leave_out_middle(ruler);
  add_coordinates(ruler, shape);
  return ruler;
}

Ruler plain_ruler(std::size_t length, bool is_elided) {
  Ruler ruler;
  ruler.length = length;
  if (is_elided) leave_out_middle(ruler);
  return ruler;
}

std::string digits_text(const cute::Layout& mode, std::size_t position) {
  std::string text;
  for (std::size_t leaf = 0; leaf < mode.extents().size(); ++leaf) {
    const std::size_t extent = size_of(mode.extents()[leaf]);
    if (extent == 1) continue;
    text +=
        fmt::format("{}{}·{}", text.empty() ? "" : " + ", position % extent, mode.strides()[leaf]);
    position /= extent;
  }
  return text.empty() ? "0" : text;
}

std::string coordinate_in(const IntTuple& shape, std::size_t position) {
  const Result<IntTuple> coordinate = cute::idx2crd(IntTuple(Int(position)), shape);
  if (!coordinate) return {};
  std::ostringstream stream;
  stream << *coordinate;
  return stream.str();
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

std::size_t position_width(const Ruler& ruler) {
  if (ruler.names.empty()) return std::to_string(ruler.length - 1).size();
  std::size_t width = 0;
  for (const std::string& name : ruler.names) width = std::max(width, code_points(name));
  return width;
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
  // From the right, where each line is free up to what stands in it already.
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

std::string gap_text(const Ruler& rows, const Ruler& columns) {
  const auto part = [](std::string_view name, const Ruler& ruler) {
    return ruler.gap ? fmt::format("{} {} to {}", name, ruler.gap->begin, ruler.gap->end - 1)
                     : std::string();
  };
  const std::string above = part("rows", rows);
  const std::string beside = part("columns", columns);
  return above + (above.empty() || beside.empty() ? "" : " and ") + beside;
}

}  // namespace heddle::draw
