#include "move/nest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "move/transpose.h"

namespace heddle::move {
namespace {

constexpr std::int64_t kLine = 64;
/// What both sides should be read and written in.
constexpr std::int64_t kReadRun = 2048;
constexpr std::int64_t kWrittenRun = 2048;
/// Pieces that are only copied are written in longer runs: nothing else needs the cache.
constexpr std::int64_t kPiecesRun = std::int64_t{16} << 10;
/// The buffer of a block; larger than what a second-level cache keeps, because each run is in a
/// page of its own, and finding a page costs more than the third-level cache.
constexpr std::int64_t kBlock = std::int64_t{2} << 20;
/// Tiles are transposed out of the first-level cache: so many bytes of each row are copied there.
constexpr std::int64_t kStrip = 128;
/// What is copied in one go beyond this many bytes has left the caches when it is read again.
constexpr std::int64_t kCached = std::int64_t{16} << 20;
/// So many blocks follow one another along the destination.
constexpr std::int64_t kGroup = 4;
/// So many bytes ahead are fetched where pieces are read.
constexpr std::int64_t kFetched = 4096;
/// Pieces of this length are streamed as they are.
constexpr std::int64_t kLongPiece = 2048;

// ---- Planning ----

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

std::int64_t steps_for(std::int64_t bytes, std::int64_t run, std::int64_t extent) {
  return std::min(extent, (bytes + run - 1) / run);
}

/// Widens the block until runs of one side, taken along these loops, have so many bytes.
void widen(Nest& nest, std::span<const std::size_t> order, std::int64_t bytes) {
  std::int64_t run = nest.unit;
  for (const std::size_t i : order) {
    if (run >= bytes) return;
    const std::int64_t extent = nest.loops[i].extent;
    nest.block[i] = std::max(nest.block[i], steps_for(bytes, run, extent));
    run *= extent;
  }
}

std::int64_t block_bytes(const Nest& nest) {
  return std::accumulate(nest.block.begin(), nest.block.end(), nest.unit, std::multiplies());
}

std::vector<std::size_t> order_by(const Nest& nest, std::int64_t Loop::* step) {
  std::vector<std::size_t> order(nest.loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(nest.loops[i].*step); });
  // A loop that stays where it is makes no run longer.
  std::erase_if(order, [&](std::size_t i) { return nest.loops[i].*step == 0; });
  return order;
}

void choose_blocks(Nest& nest) {
  const std::vector<std::size_t> from = order_by(nest, &Loop::from);
  const std::vector<std::size_t> to = order_by(nest, &Loop::to);
  for (std::int64_t parts = 1;; parts *= 2) {
    nest.block.assign(nest.loops.size(), 1);
    widen(nest, from, kReadRun / parts);
    widen(nest, to, (nest.across ? kWrittenRun : kPiecesRun) / parts);
    if (block_bytes(nest) <= kBlock || kWrittenRun / parts <= kLine) return;
  }
}

/// The loops along which a block is contiguous on one side, from `first` on, until a run has so
/// many bytes; without those of `others`.
std::vector<std::size_t> contiguous_loops(const Nest& nest, std::size_t first,
                                          std::int64_t Loop::* step,
                                          std::span<const std::size_t> others, std::int64_t bytes) {
  std::vector<std::size_t> loops = {first};
  std::int64_t run = nest.unit * nest.loops[first].extent;
  while (run < bytes && nest.block[loops.back()] == nest.loops[loops.back()].extent) {
    const auto next = std::ranges::find(nest.loops, run, step);
    const auto at = static_cast<std::size_t>(next - nest.loops.begin());
    if (next == nest.loops.end() || std::ranges::find(others, at) != others.end()) break;
    loops.push_back(at);
    run *= next->extent;
  }
  return loops;
}

/// Which loops are the rows and the columns of a transpose: enough of them for whole tiles.
void choose_tiles(Nest& nest) {
  if (!nest.across) return;
  nest.rows = {0};
  nest.columns = {*nest.across};
  if (!nest.streams) return;
  nest.columns = contiguous_loops(nest, *nest.across, &Loop::from, nest.rows, kStrip);
  nest.rows = contiguous_loops(nest, 0, &Loop::to, nest.columns, kStrip);
}

// ---- Running ----

/// Two moves of `Half` bytes, which overlap.
template <std::int64_t Half>
void copy_overlapping(const std::byte* src, std::byte* dst, std::int64_t bytes) {
  std::array<std::byte, static_cast<std::size_t>(Half)> first;
  std::array<std::byte, static_cast<std::size_t>(Half)> last;
  std::memcpy(first.data(), src, first.size());
  std::memcpy(last.data(), src + bytes - Half, last.size());
  std::memcpy(dst, first.data(), first.size());
  std::memcpy(dst + bytes - Half, last.data(), last.size());
}

/// Without a call for what is short.
void copy_short(const std::byte* src, std::byte* dst, std::int64_t bytes) {
  if (bytes > 128) {
    std::memcpy(dst, src, static_cast<std::size_t>(bytes));
  } else if (bytes > 64) {
    copy_overlapping<64>(src, dst, bytes);
  } else if (bytes > 32) {
    copy_overlapping<32>(src, dst, bytes);
  } else if (bytes > 16) {
    copy_overlapping<16>(src, dst, bytes);
  } else if (bytes >= 8) {
    copy_overlapping<8>(src, dst, bytes);
  } else if (bytes >= 4) {
    copy_overlapping<4>(src, dst, bytes);
  } else {
    for (std::int64_t i = 0; i < bytes; ++i) dst[i] = src[i];
  }
}

/// A block of a nest: how many steps of each loop, and where it begins.
struct Block {
  std::vector<std::int64_t> steps;
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
};

/// The steps of some loops of a block, first loop fastest, on one side.
std::vector<std::int64_t> offsets_of(std::span<const std::size_t> loops,
                                     std::span<const std::int64_t> steps,
                                     std::span<const std::int64_t> step) {
  std::vector<std::int64_t> offsets = {0};
  for (const std::size_t i : loops) {
    const std::size_t count = offsets.size();
    for (std::int64_t k = 1; k < steps[i]; ++k) {
      for (std::size_t at = 0; at < count; ++at) offsets.push_back(offsets[at] + k * step[i]);
    }
  }
  return offsets;
}

/// A matrix whose rows lie anywhere in the source and whose columns lie anywhere in the buffer.
struct Tiling {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  /// The columns are so far apart in the buffer; 0 if not evenly.
  std::int64_t pitch = 0;
};

/// Transposes by way of the first-level cache: strips of some rows are copied close together,
/// because rows a power of two apart meet in the same set of a cache, and because that reads the
/// lines of a row in order. The strips of the next rows are fetched meanwhile.
void transpose_far_rows(std::int64_t unit, const std::byte* src, std::byte* out,
                        const Tiling& tiling) {
  constexpr std::int64_t kPitch = kStrip + kLine;
  // As many as the widest vector has of the narrowest tiles.
  constexpr std::int64_t kMaxRows = 64;
  alignas(kLine) std::byte strip[kMaxRows * kPitch];
  alignas(kLine) std::byte tile[kStrip * kLine];
  const TransposeKernel transpose = transpose_kernel(unit);
  const std::int64_t group = kLine / unit;
  const std::int64_t width = kStrip / unit;
  const std::int64_t rows = std::ssize(tiling.rows);
  const std::int64_t columns = std::ssize(tiling.columns);
  for (std::int64_t row = 0; row < rows; row += group) {
    const std::int64_t count = std::min(group, rows - row);
    const std::int64_t* begins = tiling.rows.data() + row;
    // The last rows fetch themselves.
    const std::int64_t* next = row + 2 * group <= rows ? begins + group : begins;
    for (std::int64_t column = 0; column < columns; column += width) {
      const std::int64_t taken = std::min(width, columns - column);
      const std::int64_t bytes = taken * unit;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::byte* begin = src + column * unit;
        for (std::int64_t at = 0; at < bytes; at += kLine) {
          __builtin_prefetch(begin + next[i] + at, 0, 2);
        }
        std::memcpy(strip + i * kPitch, begin + begins[i], static_cast<std::size_t>(bytes));
      }
      std::byte* there = out + row * unit;
      if (tiling.pitch != 0) {
        transpose(strip, kPitch, there + column * tiling.pitch, tiling.pitch, count, taken);
        continue;
      }
      transpose(strip, kPitch, tile, kLine, count, taken);
      const std::int64_t* ends = tiling.columns.data() + column;
      for (std::int64_t i = 0; i < taken; ++i) {
        if (count == group) {
          std::memcpy(there + ends[i], tile + i * kLine, kLine);
        } else {
          std::memcpy(there + ends[i], tile + i * kLine, static_cast<std::size_t>(count * unit));
        }
      }
    }
  }
}

/// Moves a block to `out`, where loop i takes steps of `to[i]` bytes.
void fill(const Nest& nest, const Block& block, std::byte* out, std::span<const std::int64_t> to) {
  std::vector<Loop> loops;
  const auto is_in = [](std::span<const std::size_t> some, std::size_t i) {
    return std::ranges::find(some, i) != some.end();
  };
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    if (is_in(nest.rows, i) || is_in(nest.columns, i)) continue;
    loops.push_back({block.steps[i], nest.loops[i].from, to[i]});
  }
  if (!nest.across) {
    const Loop inner = loops.empty() ? Loop{} : loops.front();
    if (!loops.empty()) loops.erase(loops.begin());
    for_each(loops, [&](std::int64_t at, std::int64_t there) {
      copy_pieces(block.source + at, inner.from, out + there, inner.to, inner.extent, nest.unit);
    });
    return;
  }
  const std::size_t across = *nest.across;
  if (!nest.streams) {
    const TransposeKernel transpose = transpose_kernel(nest.unit);
    for_each(loops, [&](std::int64_t at, std::int64_t there) {
      transpose(block.source + at, nest.loops.front().from, out + there, to[across],
                block.steps.front(), block.steps[across]);
    });
    return;
  }
  std::vector<std::int64_t> from;
  for (const Loop& loop : nest.loops) from.push_back(loop.from);
  const Tiling tiling{offsets_of(nest.rows, block.steps, from),
                      offsets_of(nest.columns, block.steps, to),
                      nest.columns.size() == 1 ? to[across] : 0};
  for_each(loops, [&](std::int64_t at, std::int64_t there) {
    transpose_far_rows(nest.unit, block.source + at, out + there, tiling);
  });
}

/// How a block lies in its buffer: as in the destination, runs that are contiguous there one after
/// the other.
struct Packing {
  /// The first loops, along which the destination is contiguous, and the bytes of such a run.
  std::size_t contiguous = 0;
  std::int64_t run = 0;
  std::int64_t bytes = 0;
  std::vector<std::int64_t> to;
};

Packing packing_of(const Nest& nest, std::span<const std::int64_t> steps) {
  Packing packing;
  packing.run = nest.unit;
  bool goes_on = true;
  std::int64_t pitch = 0;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    goes_on = goes_on && nest.loops[i].to == packing.run;
    if (goes_on) {
      packing.to.push_back(packing.run);
      packing.run *= steps[i];
      ++packing.contiguous;
      goes_on = steps[i] == nest.loops[i].extent;
      continue;
    }
    // Runs an odd number of lines apart do not meet in the same set of the cache; short ones share
    // lines.
    if (pitch == 0) {
      pitch = packing.run < kLine ? packing.run : (packing.run + kLine - 1) / kLine * kLine + kLine;
    }
    packing.to.push_back(pitch);
    pitch *= steps[i];
  }
  packing.bytes = std::max(packing.run, pitch);
  return packing;
}

void run_block(const Nest& nest, const Block& block, std::byte* buffer) {
  std::vector<Loop> loops;
  if (nest.streams && nest.unit >= kLongPiece) {
    for (std::size_t i = 0; i < nest.loops.size(); ++i) {
      loops.push_back({block.steps[i], nest.loops[i].from, nest.loops[i].to});
    }
    for_each(loops, [&](std::int64_t at, std::int64_t there) {
      stream(block.destination + there, block.source + at, nest.unit);
    });
    return;
  }
  if (!nest.streams) {
    std::vector<std::int64_t> to;
    for (const Loop& loop : nest.loops) to.push_back(loop.to);
    return fill(nest, block, block.destination, to);
  }
  const Packing packing = packing_of(nest, block.steps);
  fill(nest, block, buffer, packing.to);
  for (std::size_t i = packing.contiguous; i < nest.loops.size(); ++i) {
    loops.push_back({block.steps[i], packing.to[i], nest.loops[i].to});
  }
  for_each(loops, [&](std::int64_t at, std::int64_t there) {
    stream(block.destination + there, buffer + at, packing.run);
  });
}

}  // namespace

std::int64_t Nest::bytes() const { return unit * count_of(loops); }

std::int64_t Nest::buffer_bytes() const {
  return streams && unit < kLongPiece ? packing_of(*this, block).bytes : 0;
}

Buffer::Buffer(std::int64_t bytes)
    : memory_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes + kLine))),
      begin_(memory_.get() +
             -reinterpret_cast<std::uintptr_t>(memory_.get()) % std::uintptr_t{kLine}) {}

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
  choose_blocks(nest);
  nest.streams = total >= kCached && nest.bytes() >= kCached / 2;
  choose_tiles(nest);
  return nest;
}

NestRun::NestRun(const Nest& nest, const std::byte* source, std::byte* destination)
    : nest_(nest), source_(source + nest.from), destination_(destination + nest.to) {
  const auto& loops = nest.loops;
  counts_.resize(loops.size(), 1);
  const auto is_aligned = [](const Loop& loop) { return loop.to % kLine == 0; };
  if (nest.streams && !loops.empty() && loops.front().to == nest.unit && kLine % nest.unit == 0 &&
      nest.block.front() < loops.front().extent &&
      std::all_of(loops.begin() + 1, loops.end(), is_aligned)) {
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(destination_) %
                                                std::uintptr_t{kLine});
    if (past % nest.unit == 0) phase_ = past / nest.unit;
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::int64_t extent = loops[i].extent + (i == 0 ? phase_ : 0);
    counts_[i] = (extent + nest.block[i] - 1) / nest.block[i];
  }
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(loops[i].from); });
  // Some blocks along the destination first: then its pages are used up while they are at hand.
  const std::int64_t group = nest.across ? std::min(counts_.front(), kGroup) : 1;
  if (group > 1) steps_.push_back({0, 1, group});
  for (const std::size_t i : order) {
    const std::int64_t weight = i == 0 ? group : 1;
    steps_.push_back({i, weight, (counts_[i] + weight - 1) / weight});
  }
  for (const Step& step : steps_) blocks_ *= step.count;
}

void NestRun::run(std::int64_t begin, std::int64_t end, const Buffer& buffer) const {
  Block block;
  block.steps.resize(nest_.loops.size());
  std::vector<std::int64_t> numbers(nest_.loops.size());
  for (std::int64_t index = begin; index < end; ++index) {
    std::int64_t rest = index;
    std::ranges::fill(numbers, 0);
    for (const Step& step : steps_) {
      numbers[step.loop] += rest % step.count * step.weight;
      rest /= step.count;
    }
    // The last group may be cut off.
    if (!numbers.empty() && numbers.front() >= counts_.front()) continue;
    block.source = source_;
    block.destination = destination_;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t shift = i == 0 ? phase_ : 0;
      const std::int64_t first = std::max<std::int64_t>(0, numbers[i] * nest_.block[i] - shift);
      const std::int64_t last =
          std::min(nest_.loops[i].extent, (numbers[i] + 1) * nest_.block[i] - shift);
      block.steps[i] = last - first;
      block.source += first * nest_.loops[i].from;
      block.destination += first * nest_.loops[i].to;
    }
    run_block(nest_, block, buffer.begin());
  }
  if (nest_.streams) finish_streams();
}

void copy_pieces(const std::byte* src, std::int64_t from, std::byte* dst, std::int64_t to,
                 std::int64_t count, std::int64_t unit) {
  const bool is_done = with_fixed_unit(unit, [&](auto fixed) {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(dst + i * to, src + i * from, fixed);
  });
  if (is_done) return;
  // Pieces ahead are fetched, because they lie where no prefetcher looks.
  const std::int64_t ahead = unit < kFetched ? kFetched / unit : 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::byte* next = src + std::min(i + ahead, count - 1) * from;
    for (std::int64_t at = 0; at < unit; at += kLine) __builtin_prefetch(next + at, 0, 2);
    copy_short(src + i * from, dst + i * to, unit);
  }
}

}  // namespace heddle::move
