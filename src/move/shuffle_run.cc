#include <algorithm>
#include <bit>
#include <cstring>

#include "move/shuffle.h"
#include "move/transpose.h"

namespace heddle::move {
namespace {

/// Brings a block to its rows, and fetches another one.
void read_block(std::span<const Run> reads, const std::byte* source, const std::byte* next,
                std::byte* rows) {
  const std::int64_t bytes = reads.front().bytes;
  const bool is_done = with_fixed_unit(bytes, [&](auto fixed) {
    for (const Run& run : reads) {
      __builtin_prefetch(next + run.from, 0, 2);
      std::memcpy(rows + run.to, source + run.from, fixed);
    }
  });
  if (is_done) return;
  const CopyKernel copy = copy_kernel();
  for (const Run& run : reads) copy(source + run.from, rows + run.to, bytes, next + run.from);
}

void do_step(const ShuffleStep& step, std::byte* rows, std::int64_t pitch) {
  const ShuffleKernels& kernels = shuffle_kernels();
  if (step.bits > 0) {
    const auto exchange = kernels.exchange[std::countr_zero(static_cast<unsigned>(step.bits))];
    for (const auto& [row, other] : step.pairs) {
      exchange(rows + row * pitch, rows + other * pitch, pitch);
    }
    return;
  }
  for (std::size_t row = 0; row < step.masks.size(); ++row) {
    kernels.shuffle(rows + static_cast<std::int64_t>(row) * pitch, pitch, step.masks[row].data());
  }
}

}  // namespace

void Shuffle::run(const std::byte* source, std::byte* destination, std::int64_t begin,
                  std::int64_t end, const Buffer& buffer) const {
  std::byte* const out = buffer.begin();
  std::byte* const lines = out + (block_bytes() + kLine - 1) / kLine * kLine;
  const StreamKernel stream = stream_kernel();
  const auto move_block = [&](const Place& place, const std::byte* next) {
    read_block(reads, source + place.from, next, lines);
    for (const ShuffleStep& step : steps) do_step(step, lines, pitch());
    const std::int32_t* there = places.data();
    for (std::int64_t row = 0; row < rows(); ++row) {
      const std::byte* lane = lines + row * pitch();
      for (std::int64_t i = 0; i < lanes; ++i, ++there, lane += kLaneBytes) {
        std::memcpy(out + *there, lane, kLaneBytes);
      }
    }
    for (const Run& run : writes) {
      std::byte* to = destination + place.to + run.to;
      if (streams && run.bytes >= 2 * kLine) {
        stream(out + run.from, 0, to, 0, {1, run.bytes});
      } else {
        std::memcpy(to, out + run.from, static_cast<std::size_t>(run.bytes));
      }
    }
  };
  const std::int64_t count = count_of(loops);
  std::optional<Place> last;
  for (std::int64_t at = begin; at < end;) {
    const Place& base = table[static_cast<std::size_t>(at / count)];
    const std::int64_t until = std::min(end, (at / count + 1) * count);
    const std::int64_t first = at / count * count;
    for_each(
        loops, at - first, until - first,
        [&](std::int64_t from, std::int64_t to) {
          if (last) move_block(*last, source + from);
          last = Place{from, to};
        },
        base.from, base.to);
    at = until;
  }
  if (last) move_block(*last, source + last->from);
  if (streams) finish_streams();
}

}  // namespace heddle::move
