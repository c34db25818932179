#pragma once

// A nest of loops that moves bytes, and how it is blocked.
//
//   for i < 4096, for j < 4096: dst[4*(4096*j + i)] = src[4*(4096*i + j)]
//
//     unit 4 bytes, loops {4096, from 16384, to 4} and {4096, from 4, to 16384}
//     blocks of 128 x 128: read rows of 512 bytes and lay them close together, transpose in
//     registers into a buffer, and stream rows of 512 bytes out of it; fetch the next block
//     meanwhile
//
// Streamed stores are fast in any order, while reads are so only in long runs along a page: blocks
// follow one another along the source. nest.cc gives their sizes and the reasons.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::move {

/// `extent` steps, so many bytes each in the source and in the destination.
struct Loop {
  std::int64_t extent = 1;
  std::int64_t from = 0;
  std::int64_t to = 0;

  friend bool operator==(const Loop&, const Loop&) = default;
};

[[nodiscard]] inline std::int64_t count_of(std::span<const Loop> loops) {
  std::int64_t count = 1;
  for (const Loop& loop : loops) count *= loop.extent;
  return count;
}

/// Calls visit(from, to) for the steps [begin, end) through the box of the loops, first loop
/// fastest.
template <class Visit>
void for_each(std::span<const Loop> loops, std::int64_t begin, std::int64_t end, const Visit& visit,
              std::int64_t from = 0, std::int64_t to = 0) {
  if (begin >= end) return;
  if (loops.empty()) return visit(from, to);
  const Loop& last = loops.back();
  const std::span<const Loop> inner = loops.first(loops.size() - 1);
  const std::int64_t count = count_of(inner);
  for (std::int64_t i = begin / count; i * count < end; ++i) {
    for_each(inner, std::max<std::int64_t>(0, begin - i * count), std::min(count, end - i * count),
             visit, from + i * last.from, to + i * last.to);
  }
}

template <class Visit>
void for_each(std::span<const Loop> loops, const Visit& visit) {
  for_each(loops, 0, count_of(loops), visit);
}

/// What is copied in one go beyond this many bytes has left the caches when it is read again.
inline constexpr std::int64_t kCached = std::int64_t{16} << 20;

/// Room that begins at a cache line.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes);

  [[nodiscard]] std::byte* begin() const { return begin_; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::byte* begin_;
};

struct Nest {
  /// The bytes that are contiguous on both sides and moved as one.
  std::int64_t unit = 1;
  /// Shortest step in the destination first; no step there is negative.
  std::vector<Loop> loops = {};
  /// For each loop how many of its steps a block takes.
  std::vector<std::int64_t> block = {};
  /// The loop along the contiguous elements of the source, if the first loop is along those of the
  /// destination: then tiles of both are transposed in registers.
  std::optional<std::size_t> across = {};
  /// The loops along the rows and the columns of what is transposed.
  std::vector<std::size_t> rows = {};
  std::vector<std::size_t> columns = {};
  /// Blocks are collected in a buffer, which is streamed past the caches.
  bool streams = false;
  /// A few rows become one run of the destination, some columns at a time:
  ///
  ///   a b c d …  ->  a e i b f j c g k …
  ///   e f g h …
  ///   i j k l …
  bool weaves = false;
  /// Blocks along the first loop begin so many steps before their own.
  std::int64_t overlap = 0;
  /// What reversing loops has added to the addresses.
  std::int64_t from = 0;
  std::int64_t to = 0;

  [[nodiscard]] std::int64_t bytes() const;
  /// How large a buffer a thread needs; 0 for none.
  [[nodiscard]] std::int64_t buffer_bytes() const;
};

/// The same moves in the fewest loops, with blocks for this machine. `total` is how many bytes the
/// whole copy moves, of which the nest may be a part that is repeated.
[[nodiscard]] Nest make_nest(std::int64_t unit, std::vector<Loop> loops, std::int64_t total);

/// A nest at work on two buffers; blocks may be done in any order and by several threads.
class NestRun {
 public:
  NestRun(const Nest& nest, const std::byte* source, std::byte* destination);

  [[nodiscard]] std::int64_t blocks() const { return blocks_; }
  /// Moves the blocks [begin, end), by way of a buffer that no other thread uses meanwhile.
  void run(std::int64_t begin, std::int64_t end, const Buffer& buffer) const;

 private:
  [[nodiscard]] bool locate(std::int64_t index, std::span<std::int64_t> numbers) const;

  const Nest& nest_;
  const std::byte* source_;
  std::byte* destination_;
  /// So many steps of the first loop are missing in the first block, which makes the others begin
  /// at a cache line.
  std::int64_t phase_ = 0;
  /// The blocks along each loop.
  std::vector<std::int64_t> counts_;
  /// The order in which blocks follow one another, fastest first: steps of `weight` blocks.
  struct Step {
    std::size_t loop = 0;
    std::int64_t weight = 1;
    std::int64_t count = 1;
  };
  std::vector<Step> steps_;
  std::int64_t blocks_ = 1;
};

/// Calls `work` with the unit as a constant if it is a power of two up to 64, so that each move is
/// compiled for it; false for any other unit.
template <class Work>
bool with_fixed_unit(std::int64_t unit, const Work& work) {
  return [&]<std::size_t... Units>(std::index_sequence<Units...>) {
    const auto bytes = static_cast<std::size_t>(unit);
    return ((bytes == Units && (work(std::integral_constant<std::size_t, Units>()), true)) || ...);
  }(std::index_sequence<1, 2, 4, 8, 16, 32, 64>());
}

/// dst[i] = src[i] for `count` pieces of `unit` bytes, so many bytes apart on each side.
void copy_pieces(const std::byte* src, std::int64_t from, std::byte* dst, std::int64_t to,
                 std::int64_t count, std::int64_t unit);

}  // namespace heddle::move
