#include <algorithm>
#include <bit>
#include <cstring>

#include "move/shuffle.h"
#include "move/transpose.h"

namespace heddle::move {
namespace {

/// So many bytes are worked on before lines are fetched.
constexpr std::int64_t kPart = 1024;

/// Fetches the lines of the next block while another one is moved.
class LineFetcher {
 public:
  /// All of them while so many bytes are worked on.
  LineFetcher(std::span<const std::int64_t> lines, const std::byte* source, std::int64_t bytes)
      : lines_(lines),
        source_(source),
        a_line_(bytes / std::max<std::int64_t>(1, std::ssize(lines))) {}

  /// After so many bytes more.
  void fetch(std::int64_t bytes) {
    for (left_ += bytes; left_ >= a_line_ && at_ < lines_.size(); left_ -= a_line_) {
      __builtin_prefetch(source_ + lines_[at_++], 0, 3);
    }
  }

 private:
  std::span<const std::int64_t> lines_;
  const std::byte* source_;
  std::int64_t a_line_;
  std::int64_t left_ = 0;
  std::size_t at_ = 0;
};

/// Brings a block to its rows.
void read_block(std::span<const Run> reads, const std::byte* source, std::byte* rows) {
  const std::int64_t bytes = reads.front().bytes;
  const bool is_done = with_fixed_unit(bytes, [&](auto fixed) {
    for (const Run& run : reads) std::memcpy(rows + run.to, source + run.from, fixed);
  });
  if (is_done) return;
  for (const Run& run : reads) {
    std::memcpy(rows + run.to, source + run.from, static_cast<std::size_t>(bytes));
  }
}

/// Does a step a part of the rows at a time.
void do_step(const ShuffleStep& step, std::byte* rows, std::int64_t pitch, LineFetcher& fetcher) {
  const ShuffleKernels& kernels = shuffle_kernels();
  const auto mask = [&](int row) {
    return step.masks.empty() ? nullptr : step.masks[static_cast<std::size_t>(row)].data();
  };
  for (std::int64_t at = 0; at < pitch; at += kPart) {
    const std::int64_t bytes = std::min(kPart, pitch - at);
    std::byte* begin = rows + at;
    for (const auto& [row, other] : step.pairs) {
      kernels.exchange[std::countr_zero(static_cast<unsigned>(step.bits))](
          begin + row * pitch, begin + other * pitch, bytes, mask(row), mask(other));
      fetcher.fetch(2 * bytes);
    }
    if (!step.pairs.empty()) continue;
    for (int row = 0; row < std::ssize(step.masks); ++row) {
      kernels.shuffle(begin + row * pitch, bytes, mask(row));
      fetcher.fetch(bytes);
    }
  }
}

}  // namespace

void Shuffle::run(const std::byte* source, std::byte* destination, std::int64_t begin,
                  std::int64_t end, const Buffer& buffer) const {
  std::byte* const in = buffer.begin();
  std::byte* const out = in + pitch() * rows();
  const StreamKernel stream = stream_kernel();
  const auto collect = shuffle_kernels().collect;
  const auto move_block = [&](const Place& place, const std::byte* next) {
    LineFetcher fetcher(lines, next, block_bytes() * (1 + std::ssize(tiles.steps)));
    read_block(reads, source + place.from, in);
    for (const ShuffleStep& step : tiles.steps) do_step(step, in, pitch(), fetcher);
    for (const Run& run : writes) {
      if (run.bytes == kLaneBytes) {
        std::memcpy(destination + place.to + run.to, in + *(places.data() + run.from / kLaneBytes),
                    kLaneBytes);
        fetcher.fetch(kLaneBytes);
        continue;
      }
      const bool is_streamed = streams && run.bytes >= 2 * kLine;
      for (std::int64_t at = 0; at < run.bytes; at += kPart) {
        std::byte* to = destination + place.to + run.to + at;
        const std::int64_t bytes = std::min(kPart, run.bytes - at);
        const std::int32_t* from = places.data() + (run.from + at) / kLaneBytes;
        if (!is_streamed || past_line(to) % kLaneBytes == 0) {
          collect(in, from, bytes / kLaneBytes, to, is_streamed);
        } else {
          collect(in, from, bytes / kLaneBytes, out, false);
          stream(out, 0, to, 0, {1, bytes});
        }
        fetcher.fetch(bytes);
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
