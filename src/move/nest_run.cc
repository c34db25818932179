#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include "move/nest.h"
#include "move/transpose.h"

namespace heddle::move {
namespace {

/// So many bytes ahead are fetched where pieces are read.
constexpr std::int64_t kFetched = 4096;
/// Pieces of this length are streamed as they are.
constexpr std::int64_t kLongPiece = 2048;
/// So many bytes are streamed before the next ones are fetched.
constexpr std::int64_t kStreamed = 4096;
/// So many bytes are woven before they are streamed: they stay in the first-level cache.
constexpr std::int64_t kWovenBytes = 4096;
/// Blocks follow one another along runs of so many bytes of the source.
constexpr std::int64_t kBand = std::int64_t{8} << 10;

std::int64_t whole_lines(std::int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// How far apart rows of so many bytes lie, so that those of one column meet in different sets of a
/// cache: an odd number of lines.
std::int64_t pitch_of(std::int64_t bytes) {
  return whole_lines(bytes) / kLine / 2 * 2 * kLine + kLine;
}

// ---- Copies of single pieces ----

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

// ---- Shapes of blocks ----

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
    // Short runs share lines.
    if (pitch == 0) pitch = packing.run < kLine ? packing.run : pitch_of(packing.run);
    packing.to.push_back(pitch);
    pitch *= steps[i];
  }
  packing.bytes = std::max(packing.run, pitch);
  return packing;
}

/// The runs in which a block is read.
struct Reads {
  std::vector<std::int64_t> begins;
  std::int64_t bytes = 0;
};

Reads reads_of(const Nest& nest, std::span<const std::int64_t> steps) {
  std::vector<std::size_t> order(nest.loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(nest.loops[i].from); });
  Reads reads;
  reads.bytes = nest.unit;
  std::size_t contiguous = 0;
  for (bool goes_on = true; goes_on && contiguous < order.size();) {
    const std::size_t i = order[contiguous];
    if (nest.loops[i].from != reads.bytes) break;
    goes_on = steps[i] == nest.loops[i].extent;
    reads.bytes *= steps[i];
    ++contiguous;
  }
  std::vector<std::int64_t> from;
  for (const Loop& loop : nest.loops) from.push_back(loop.from);
  reads.begins = offsets_of(std::span(order).subspan(contiguous), steps, from);
  return reads;
}

/// A matrix whose rows lie anywhere in the source and whose columns lie anywhere in the buffer.
struct Tiling {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  /// So many columns lie one after the other, `pitch` bytes apart in the buffer.
  std::int64_t together = 1;
  std::int64_t pitch = 0;
};

/// Everything about a block but where it is.
struct Shape {
  std::vector<std::int64_t> steps = {};
  Packing packing = {};
  Reads reads = {};
  Tiling tiling = {};
  /// The loops that are no rows and no columns, as they go to the buffer.
  std::vector<Loop> around = {};
  /// The loops over the runs of the buffer, as they go to the destination.
  std::vector<Loop> runs = {};
};

Shape shape_of(const Nest& nest, std::vector<std::int64_t> steps) {
  Shape shape{.steps = std::move(steps)};
  shape.packing = packing_of(nest, shape.steps);
  shape.reads = reads_of(nest, shape.steps);
  const auto is_in = [](std::span<const std::size_t> some, std::size_t i) {
    return std::ranges::find(some, i) != some.end();
  };
  std::vector<std::int64_t> from;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    from.push_back(nest.loops[i].from);
    const std::int64_t to = shape.packing.to[i];
    if (!is_in(nest.rows, i) && !is_in(nest.columns, i)) {
      shape.around.push_back({shape.steps[i], nest.loops[i].from, to});
    }
    if (i < shape.packing.contiguous) continue;
    shape.runs.push_back({shape.steps[i], to, nest.loops[i].to});
  }
  if (!nest.across) return shape;
  shape.tiling = {offsets_of(nest.rows, shape.steps, from),
                  offsets_of(nest.columns, shape.steps, shape.packing.to),
                  shape.steps[*nest.across], shape.packing.to[*nest.across]};
  return shape;
}

std::int64_t count_in(std::span<const std::size_t> loops, std::span<const std::int64_t> steps) {
  std::int64_t count = 1;
  for (const std::size_t i : loops) count *= steps[i];
  return count;
}

/// What the rows of a transpose need when they lie close together.
std::int64_t staged_bytes(const Nest& nest, std::span<const std::int64_t> steps) {
  if (!nest.across) return 0;
  return count_in(nest.rows, steps) * pitch_of(count_in(nest.columns, steps) * nest.unit);
}

/// What the most columns need that are transposed at a time.
std::int64_t tile_bytes(const Nest& nest, std::span<const std::int64_t> steps) {
  if (!nest.across) return 0;
  return 2 * kLine / nest.unit * pitch_of(count_in(nest.rows, steps) * nest.unit);
}

// ---- Blocks ----

/// A block of a nest.
struct Block {
  Shape shape;
  const std::byte* source = nullptr;
  std::byte* destination = nullptr;
  /// The bytes of each run that the block before has too; whether a block follows along the runs.
  std::int64_t lead = 0;
  bool goes_on = false;
};

/// Fetches the next block while another one is moved.
class Fetcher {
 public:
  explicit Fetcher(const Block* block) : block_(block) { begin_run(); }

  /// So many bytes more.
  void fetch(std::int64_t bytes) {
    for (wanted_ += bytes; wanted_ > 0 && left_ > 0;) {
      const std::int64_t now = std::min(whole_lines(wanted_), left_);
      for (std::int64_t at = 0; at < now; at += kLine) __builtin_prefetch(line_ + at, 0, 2);
      line_ += now;
      left_ -= now;
      wanted_ -= now;
      if (left_ == 0) begin_run();
    }
  }

 private:
  /// The next run that is read, from the begin of its first line.
  void begin_run() {
    if (block_ == nullptr || run_ == block_->shape.reads.begins.size()) return;
    const Reads& reads = block_->shape.reads;
    const std::byte* begin = block_->source + reads.begins[run_++];
    const std::int64_t past = past_line(begin);
    line_ = begin - past;
    left_ = whole_lines(past + reads.bytes);
    wanted_ += past > 0 ? kLine : 0;
  }

  const Block* block_;
  std::size_t run_ = 0;
  const std::byte* line_ = nullptr;
  std::int64_t left_ = 0;
  std::int64_t wanted_ = 0;
};

/// Transposes rows that lie close together, some columns at a time. Columns that are not evenly
/// spaced in the buffer go by way of a tile.
void transpose_columns(std::int64_t unit, const std::byte* src, std::int64_t from,
                       const Tiling& tiling, std::byte* out, std::byte* tile, Fetcher& fetcher) {
  const TransposeKernel transpose = transpose_kernel(unit);
  const std::int64_t rows = std::ssize(tiling.rows);
  const std::int64_t columns = std::ssize(tiling.columns);
  const std::int64_t group = kLine / unit;
  const bool is_regular = tiling.together * unit >= 16;
  const std::int64_t pitch = is_regular ? tiling.pitch : pitch_of(rows * unit);
  for (std::int64_t column = 0; column < columns;) {
    const std::int64_t left =
        (is_regular ? tiling.together - column % tiling.together : columns - column);
    // The last group takes what is too few for one.
    const std::int64_t taken = left < 2 * group ? left : group;
    const std::int64_t* ends = tiling.columns.data() + column;
    std::byte* there = is_regular ? out + *ends : tile;
    transpose(src + column * unit, from, there, pitch, rows, taken);
    fetcher.fetch(taken * rows * unit / 2);
    column += taken;
    if (is_regular) continue;
    for (std::int64_t i = 0; i < taken; ++i) {
      copy_short(tile + i * pitch, out + ends[i], rows * unit);
    }
  }
}

/// Moves a block to its buffer, by way of another one.
void fill(const Nest& nest, const Block& block, std::byte* out, std::byte* staged,
          Fetcher& fetcher) {
  const Shape& shape = block.shape;
  if (!nest.across) {
    std::vector<Loop> loops = shape.around;
    const Loop inner = loops.empty() ? Loop{} : loops.front();
    if (!loops.empty()) loops.erase(loops.begin());
    for_each(loops, [&](std::int64_t at, std::int64_t there) {
      copy_pieces(block.source + at, inner.from, out + there, inner.to, inner.extent, nest.unit);
      fetcher.fetch(inner.extent * nest.unit / 2);
    });
    return;
  }
  const Tiling& tiling = shape.tiling;
  const std::int64_t bytes = std::ssize(tiling.columns) * nest.unit;
  const std::int64_t pitch = pitch_of(bytes);
  const std::size_t rows = tiling.rows.size();
  const CopyKernel copy = copy_kernel();
  for_each(shape.around, [&](std::int64_t at, std::int64_t there) {
    const std::byte* source = block.source + at;
    for (std::size_t i = 0; i < rows; ++i) {
      copy(source + tiling.rows[i], staged + static_cast<std::int64_t>(i) * pitch, bytes,
           source + tiling.rows[std::min(i + 1, rows - 1)]);
    }
    transpose_columns(nest.unit, staged, pitch, tiling, out + there,
                      staged + staged_bytes(nest, shape.steps), fetcher);
  });
}

void stream_block(const Nest& nest, const Block& block, const Block* next, std::byte* buffer) {
  const Shape& shape = block.shape;
  Fetcher fetcher(next);
  fill(nest, block, buffer, buffer + whole_lines(shape.packing.bytes), fetcher);
  const StreamKernel stream = stream_kernel();
  const std::int64_t run = shape.packing.run;
  const std::int64_t together = std::max<std::int64_t>(1, kStreamed / run);
  const auto loops = std::span(shape.runs);
  const Loop inner = loops.empty() ? Loop{} : loops.front();
  for_each(loops.empty() ? loops : loops.subspan(1), [&](std::int64_t at, std::int64_t there) {
    for (std::int64_t i = 0; i < inner.extent; i += together) {
      const std::int64_t count = std::min(together, inner.extent - i);
      fetcher.fetch(count * run / 2);
      stream(buffer + at + i * inner.from, inner.from, block.destination + there + i * inner.to,
             inner.to, {count, run, block.lead, block.goes_on});
    }
  });
}

/// Transposes a few rows some columns at a time, which are streamed at once.
void weave(const Nest& nest, const Block& block, std::byte* buffer) {
  const std::size_t across = *nest.across;
  const std::int64_t rows = nest.loops.front().extent;
  const std::int64_t pitch = rows * nest.unit;
  const std::int64_t columns = block.shape.steps[across];
  const std::int64_t group = kWovenBytes / pitch;
  std::vector<Loop> loops;
  for (std::size_t i = 1; i < nest.loops.size(); ++i) {
    if (i != across) loops.push_back({block.shape.steps[i], nest.loops[i].from, nest.loops[i].to});
  }
  const TransposeKernel transpose = transpose_kernel(nest.unit);
  const StreamKernel stream = stream_kernel();
  for_each(loops, [&](std::int64_t at, std::int64_t there) {
    for (std::int64_t column = 0; column < columns;) {
      const std::int64_t left = columns - column;
      const std::int64_t taken = left < 2 * group ? left : group;
      transpose(block.source + at + column * nest.unit, nest.loops.front().from, buffer, pitch,
                rows, taken);
      stream(buffer, 0, block.destination + there + column * pitch, 0, {1, taken * pitch});
      column += taken;
    }
  });
}

/// Pieces that are long enough as they are.
void stream_pieces(const Nest& nest, const Block& block) {
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    loops.push_back({block.shape.steps[i], nest.loops[i].from, nest.loops[i].to});
  }
  const StreamKernel stream = stream_kernel();
  for_each(loops, [&](std::int64_t at, std::int64_t there) {
    stream(block.source + at, 0, block.destination + there, 0, {1, nest.unit});
  });
}

/// Moves a block through the caches.
void move_block(const Nest& nest, const Block& block) {
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    if (nest.across && (i == 0 || i == *nest.across)) continue;
    loops.push_back({block.shape.steps[i], nest.loops[i].from, nest.loops[i].to});
  }
  if (nest.across) {
    const TransposeKernel transpose = transpose_kernel(nest.unit);
    const std::size_t across = *nest.across;
    for_each(loops, [&](std::int64_t at, std::int64_t there) {
      transpose(block.source + at, nest.loops.front().from, block.destination + there,
                nest.loops[across].to, block.shape.steps.front(), block.shape.steps[across]);
    });
    return;
  }
  const Loop inner = loops.empty() ? Loop{} : loops.front();
  if (!loops.empty()) loops.erase(loops.begin());
  for_each(loops, [&](std::int64_t at, std::int64_t there) {
    copy_pieces(block.source + at, inner.from, block.destination + there, inner.to, inner.extent,
                nest.unit);
  });
}

}  // namespace

std::int64_t Nest::buffer_bytes() const {
  if (!streams || unit >= kLongPiece) return 0;
  if (weaves) return 2 * kWovenBytes;
  std::vector<std::int64_t> steps = block;
  if (!steps.empty()) steps.front() = std::min(loops.front().extent, steps.front() + overlap);
  return whole_lines(packing_of(*this, steps).bytes) + staged_bytes(*this, steps) +
         tile_bytes(*this, steps);
}

Buffer::Buffer(std::int64_t bytes)
    : memory_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes + kLine))),
      begin_(memory_.get() + whole_lines(past_line(memory_.get())) - past_line(memory_.get())) {}

NestRun::NestRun(const Nest& nest, const std::byte* source, std::byte* destination)
    : nest_(nest), source_(source + nest.from), destination_(destination + nest.to) {
  const auto& loops = nest.loops;
  const auto is_aligned = [](const Loop& loop) { return loop.to % kLine == 0; };
  if (nest.streams && !loops.empty() && loops.front().to == nest.unit && kLine % nest.unit == 0 &&
      nest.block.front() < loops.front().extent &&
      std::all_of(loops.begin() + 1, loops.end(), is_aligned)) {
    const std::int64_t past = past_line(destination_);
    if (past % nest.unit == 0) phase_ = past / nest.unit;
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const std::int64_t extent = loops[i].extent + (i == 0 ? phase_ : 0);
    counts_.push_back((extent + nest.block[i] - 1) / nest.block[i]);
  }
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::abs(loops[i].from); });
  std::vector<std::int64_t> weights(loops.size(), 1);
  // Runs of the source first: then its pages are used up while they are at hand.
  std::int64_t run = nest.unit;
  for (const std::size_t i : order) {
    const std::int64_t bytes = run * nest.block[i];
    weights[i] = std::clamp<std::int64_t>(kBand / bytes, 1, counts_[i]);
    if (weights[i] > 1) steps_.push_back({i, 1, weights[i]});
    run *= loops[i].extent;
  }
  // Then along the destination.
  for (std::size_t i = 0; i < loops.size(); ++i) {
    steps_.push_back({i, weights[i], (counts_[i] + weights[i] - 1) / weights[i]});
  }
  for (const Step& step : steps_) blocks_ *= step.count;
}

/// The block of a number, if there is one: the last ones along a loop may be cut off.
bool NestRun::locate(std::int64_t index, std::span<std::int64_t> numbers) const {
  std::ranges::fill(numbers, 0);
  for (const Step& step : steps_) {
    numbers[step.loop] += index % step.count * step.weight;
    index /= step.count;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= counts_[i]) return false;
  }
  return true;
}

void NestRun::run(std::int64_t begin, std::int64_t end, const Buffer& buffer) const {
  std::vector<std::int64_t> numbers(nest_.loops.size());
  std::vector<std::int64_t> steps(nest_.loops.size());
  const bool has_shapes = nest_.streams && nest_.unit < kLongPiece && !nest_.weaves;
  // Sets the block at an index or the next one that there is, and returns its index.
  const auto set = [&](Block& block, std::int64_t index) {
    while (index < end && !locate(index, numbers)) ++index;
    if (index >= end) return end;
    block.source = source_;
    block.destination = destination_;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::int64_t shift = i == 0 ? phase_ : 0;
      const std::int64_t lead = i == 0 && numbers[i] > 0 ? nest_.overlap : 0;
      const std::int64_t first =
          std::max<std::int64_t>(0, numbers[i] * nest_.block[i] - shift - lead);
      const std::int64_t last =
          std::min(nest_.loops[i].extent, (numbers[i] + 1) * nest_.block[i] - shift);
      steps[i] = last - first;
      block.source += first * nest_.loops[i].from;
      block.destination += first * nest_.loops[i].to;
    }
    if (nest_.overlap > 0) {
      block.lead = numbers.front() > 0 ? nest_.overlap * nest_.unit : 0;
      block.goes_on = numbers.front() + 1 < counts_.front();
    }
    if (block.shape.steps == steps && !steps.empty()) return index;
    if (has_shapes) {
      block.shape = shape_of(nest_, steps);
    } else {
      block.shape.steps = steps;
    }
    return index;
  };
  Block block;
  Block next;
  for (std::int64_t at = set(block, begin); at < end;) {
    const std::int64_t following = set(next, at + 1);
    if (has_shapes) {
      stream_block(nest_, block, following < end ? &next : nullptr, buffer.begin());
    } else if (nest_.weaves) {
      weave(nest_, block, buffer.begin());
    } else if (nest_.streams) {
      stream_pieces(nest_, block);
    } else {
      move_block(nest_, block);
    }
    std::swap(block, next);
    at = following;
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
