#include "move/nest.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "move/transpose.h"

namespace heddle::move {
namespace {

/// What both sides of a block are read and written in, and how large it may be.
struct Sizes {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t block = 0;
};

/// Within the caches, blocks only keep both sides in long runs.
constexpr Sizes kThroughCaches = {2048, 2048, std::int64_t{2} << 20};
/// Past them, a block and what becomes of it lie in the second-level cache, with the next block
/// that is fetched meanwhile.
constexpr Sizes kTransposed = {512, 512, std::int64_t{320} << 10};
/// Runs that do not begin with a line share lines, or overlap: longer ones do so less.
constexpr Sizes kTransposedAcrossLines = {512, 1024, std::int64_t{320} << 10};
/// Of a few rows, long runs are read.
constexpr Sizes kWoven = {std::int64_t{16} << 10, 0, std::int64_t{512} << 10};
constexpr Sizes kCopied = {2048, std::int64_t{16} << 10, std::int64_t{512} << 10};

void reverse_backward_loops(Nest& nest) {
  for (Loop& loop : nest.loops) {
    if (loop.to > 0 || (loop.to == 0 && loop.from >= 0)) continue;
    nest.from += (loop.extent - 1) * loop.from;
    nest.to += (loop.extent - 1) * loop.to;
    loop.from = -loop.from;
    loop.to = -loop.to;
  }
}

/// Makes one loop of two where one continues the other on both sides; false if there are none.
bool merge_two(std::vector<Loop>& loops) {
  for (std::size_t i = 0; i < loops.size(); ++i) {
    for (std::size_t j = 0; j < loops.size(); ++j) {
      if (i == j || loops[j].from != loops[i].from * loops[i].extent ||
          loops[j].to != loops[i].to * loops[i].extent) {
        continue;
      }
      loops[i].extent *= loops[j].extent;
      loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(j));
      return true;
    }
  }
  return false;
}

void merge_units(Nest& nest) {
  const auto is_contiguous = [&](const Loop& loop) {
    return loop.from == nest.unit && loop.to == nest.unit;
  };
  for (auto found = nest.loops.begin();
       (found = std::ranges::find_if(nest.loops, is_contiguous)) != nest.loops.end();) {
    nest.unit *= found->extent;
    nest.loops.erase(found);
  }
}

/// About so many steps of a loop that some blocks of one size take together. A run up to twice as
/// long as wanted is not cut; where blocks end within a run, they end after whole lines if they
/// can.
std::int64_t steps_for(const Loop& loop, std::int64_t wanted, std::int64_t unit) {
  if (loop.extent <= 2 * wanted) return loop.extent;
  const std::int64_t parts = (loop.extent + wanted / 2) / wanted;
  const std::int64_t steps = (loop.extent + parts - 1) / parts;
  const bool is_in_run = loop.to == unit || loop.from == unit;
  const std::int64_t line = is_in_run && unit < kLine ? kLine / unit : 1;
  return std::max<std::int64_t>(1, (steps + line / 2) / line) * line;
}

/// Widens the block until runs of one side, taken along these loops, have so many bytes.
void widen(Nest& nest, std::span<const std::size_t> order, std::int64_t bytes) {
  std::int64_t run = nest.unit;
  for (const std::size_t i : order) {
    if (run >= bytes) return;
    const std::int64_t extent = nest.loops[i].extent;
    const std::int64_t steps = steps_for(nest.loops[i], (bytes + run - 1) / run, nest.unit);
    nest.block[i] = std::max(nest.block[i], steps);
    run *= extent;
  }
}

std::int64_t block_bytes(const Nest& nest) {
  return std::accumulate(nest.block.begin(), nest.block.end(), nest.unit, std::multiplies());
}

/// The loops by the length of their steps on one side. One that stays where it is makes no run
/// longer, and is left out.
std::vector<std::size_t> order_by(const Nest& nest, std::int64_t Loop::* step) {
  std::vector<std::size_t> order(nest.loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(nest.loops[i].*step); });
  std::erase_if(order, [&](std::size_t i) { return nest.loops[i].*step == 0; });
  return order;
}

/// Whether the runs along the first loop begin with lines if one of them does.
bool begins_with_lines(const Nest& nest) {
  return std::all_of(nest.loops.begin() + 1, nest.loops.end(),
                     [](const Loop& loop) { return loop.to % kLine == 0; });
}

/// Whether all rows lie side by side in the destination, and are so few and so long that they are
/// read at once.
bool can_weave(const Nest& nest) {
  constexpr std::int64_t kFewRows = 32;
  constexpr std::int64_t kLongRun = 4096;
  if (!nest.streams || !nest.across) return false;
  const std::int64_t rows = nest.loops.front().extent;
  const Loop& columns = nest.loops[*nest.across];
  return rows <= kFewRows && columns.to == rows * nest.unit &&
         columns.extent * columns.to >= kLongRun;
}

const Sizes& sizes_for(const Nest& nest) {
  if (!nest.streams) return kThroughCaches;
  if (nest.weaves) return kWoven;
  if (!nest.across) return kCopied;
  return begins_with_lines(nest) ? kTransposed : kTransposedAcrossLines;
}

void choose_blocks(Nest& nest) {
  const Sizes& sizes = sizes_for(nest);
  const std::vector<std::size_t> from = order_by(nest, &Loop::from);
  const std::vector<std::size_t> to = order_by(nest, &Loop::to);
  // Halves what is read and what is written in turns until the block is small enough.
  for (int halves = 0;; ++halves) {
    nest.block.assign(nest.loops.size(), 1);
    if (nest.weaves) nest.block.front() = nest.loops.front().extent;
    const std::int64_t written = sizes.written >> halves / 2;
    widen(nest, from, sizes.read >> (halves + 1) / 2);
    widen(nest, to, written);
    if (block_bytes(nest) <= sizes.block || written <= kLine) return;
  }
}

/// The loops along which a block is contiguous on one side, from `first` on; without those of
/// `others`.
std::vector<std::size_t> contiguous_loops(const Nest& nest, std::size_t first,
                                          std::int64_t Loop::* step,
                                          std::span<const std::size_t> others) {
  std::vector<std::size_t> loops = {first};
  std::int64_t run = nest.unit * nest.loops[first].extent;
  while (nest.block[loops.back()] == nest.loops[loops.back()].extent) {
    const auto next = std::ranges::find(nest.loops, run, step);
    const auto at = static_cast<std::size_t>(next - nest.loops.begin());
    if (next == nest.loops.end() || std::ranges::find(others, at) != others.end()) break;
    loops.push_back(at);
    run *= next->extent;
  }
  return loops;
}

/// Which loops are the rows and the columns of a transpose: as many as are contiguous.
void choose_tiles(Nest& nest) {
  if (!nest.across) return;
  nest.rows = {0};
  nest.columns = {*nest.across};
  if (!nest.streams) return;
  nest.columns = contiguous_loops(nest, *nest.across, &Loop::from, nest.rows);
  nest.rows = contiguous_loops(nest, 0, &Loop::to, nest.columns);
}

/// Where runs of the destination begin within lines, at different places of them, neighbouring
/// blocks overlap by a line, so that each run can be cut where a line begins.
void choose_overlap(Nest& nest) {
  if (!nest.streams || nest.loops.empty() || nest.loops.front().to != nest.unit) return;
  const std::int64_t steps = nest.block.front();
  if (steps == nest.loops.front().extent || steps * nest.unit < 4 * kLine) return;
  if (begins_with_lines(nest)) return;
  // Of single bytes, a line more is a whole tile more, which costs more than it saves.
  if (nest.across && nest.unit == 1) return;
  nest.overlap = (kLine + nest.unit - 1) / nest.unit;
}

}  // namespace

std::int64_t Nest::bytes() const { return unit * count_of(loops); }

Nest make_nest(std::int64_t unit, std::vector<Loop> loops, std::int64_t total) {
  Nest nest;
  nest.unit = unit;
  nest.loops = std::move(loops);
  std::erase_if(nest.loops, [](const Loop& loop) { return loop.extent == 1; });
  reverse_backward_loops(nest);
  merge_units(nest);
  while (merge_two(nest.loops)) merge_units(nest);
  std::ranges::stable_sort(nest.loops, {}, &Loop::to);
  const auto across = std::ranges::find(nest.loops, nest.unit, &Loop::from);
  if (can_transpose(nest.unit) && across != nest.loops.end() && across != nest.loops.begin() &&
      nest.loops.front().to == nest.unit) {
    nest.across = static_cast<std::size_t>(across - nest.loops.begin());
  }
  nest.streams = total >= kCached && nest.bytes() >= kCached / 2;
  nest.weaves = can_weave(nest);
  choose_blocks(nest);
  choose_tiles(nest);
  choose_overlap(nest);
  return nest;
}

}  // namespace heddle::move
