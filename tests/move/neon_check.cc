// What moves bytes in vectors, against plain loops, as a program without any library:
// tests/move/neon compiles it for other processors and runs it in an emulator.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "move/nest.h"
#include "move/transpose.h"

namespace {

using namespace heddle::move;  // NOLINT(google-build-using-namespace): a program about it
using Bytes = std::vector<std::byte>;

std::uint32_t state = 1;

std::int64_t random_below(std::int64_t bound) {
  state = state * 1664525U + 1013904223U;
  return static_cast<std::int64_t>(state >> 8) % bound;
}

Bytes random_bytes(std::int64_t count) {
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_below(256));
  return bytes;
}

/// A transpose of the kernel of 16-byte vectors; what lies between the columns stays as it is.
bool transposes(std::int64_t width) {
  const std::int64_t rows = 1 + random_below(70);
  const std::int64_t columns = 1 + random_below(70);
  const std::int64_t from = width * (columns + random_below(4));
  const std::int64_t to = width * (rows + random_below(4));
  const Bytes source = random_bytes(rows * from);
  Bytes got = random_bytes(columns * to);
  Bytes wanted = got;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      std::memcpy(&wanted[static_cast<std::size_t>(c * to + r * width)],
                  &source[static_cast<std::size_t>(r * from + c * width)],
                  static_cast<std::size_t>(width));
    }
  }
  transpose_kernel(width, 16)(source.data(), from, got.data(), to, rows, columns);
  return got == wanted;
}

/// The kernels of shuffles: an exchange between two rows, and then a shuffle of both.
bool shuffles() {
  const std::int64_t bytes = kLine * (1 + random_below(3));
  const std::int64_t number = random_below(7);
  const std::int64_t width = std::int64_t{1} << number;
  const Bytes rows[2] = {random_bytes(bytes), random_bytes(bytes)};
  Bytes got[2] = {rows[0], rows[1]};
  std::uint8_t masks[2][16];
  for (auto& mask : masks) {
    for (auto& byte : mask) byte = static_cast<std::uint8_t>(random_below(16));
  }
  const ShuffleKernels& kernels = *shuffle_kernels(16);
  kernels.exchange[number](got[0].data(), got[1].data(), bytes, masks[0], masks[1]);
  const auto bit_of = [](const Bytes& row, std::int64_t place) {
    return std::to_integer<int>(row[static_cast<std::size_t>(place / 8)]) >> (place % 8) & 1;
  };
  for (std::int64_t row = 0; row < 2; ++row) {
    for (std::int64_t place = 0; place < 8 * bytes; ++place) {
      const std::int64_t byte = place / 8 % 16;
      const std::int64_t from = place + 8 * (masks[row][byte] - byte);
      const std::int64_t half = (from & width) != 0 ? 1 : 0;
      const std::int64_t there = row == 0 ? from & ~width : from | width;
      if (bit_of(got[row], place) != bit_of(rows[half], there)) return false;
    }
  }
  std::vector<std::int32_t> places;
  for (std::int64_t i = random_below(20); i >= 0; --i) {
    places.push_back(static_cast<std::int32_t>(16 * random_below(bytes / 16)));
  }
  Bytes collected(16 * places.size());
  kernels.collect(rows[0].data(), places.data(), static_cast<std::int64_t>(places.size()),
                  collected.data(), random_below(2) == 0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (std::memcmp(&collected[16 * i], rows[0].data() + places[i], 16) != 0) return false;
  }
  return true;
}

/// A nest of three loops in any order, in blocks; a large one goes by way of a buffer.
bool moves(std::int64_t width, bool is_large) {
  const std::int64_t most = is_large ? 160 : 12;
  const std::int64_t least = is_large ? 64 : 1;
  std::vector<Loop> loops(3);
  for (Loop& loop : loops) loop.extent = least + random_below(most - least);
  std::int64_t from = width;
  std::int64_t to = width;
  for (Loop& loop : loops) {
    loop.from = from;
    from *= loop.extent;
  }
  for (const std::int64_t i : {1, 2, 0}) {
    Loop& loop = loops[static_cast<std::size_t>((i + random_below(2)) % 3)];
    if (loop.to != 0) continue;
    loop.to = to;
    to *= loop.extent;
  }
  for (Loop& loop : loops) {
    if (loop.to != 0) continue;
    loop.to = to;
    to *= loop.extent;
  }
  const Bytes source = random_bytes(from);
  Bytes got = random_bytes(to);
  Bytes wanted = got;
  for_each(loops, [&](std::int64_t here, std::int64_t there) {
    std::memcpy(&wanted[static_cast<std::size_t>(there)], &source[static_cast<std::size_t>(here)],
                static_cast<std::size_t>(width));
  });
  // As a part of a copy that is too large for the caches.
  const Nest nest = make_nest(width, loops, std::int64_t{1} << (is_large ? 40 : 4));
  const NestRun run(nest, source.data(), got.data());
  const Buffer buffer(nest.buffer_bytes());
  run.run(0, run.blocks(), buffer);
  return got == wanted;
}

}  // namespace

int main() {
  int checked = 0;
  for (const std::int64_t width : {1, 2, 4, 8, 16}) {
    for (int i = 0; i < 400; ++i, ++checked) {
      if (transposes(width)) continue;
      std::printf("a transpose of elements of %d bytes is wrong\n", static_cast<int>(width));
      return 1;
    }
  }
  for (int i = 0; i < 2000; ++i, ++checked) {
    if (shuffles()) continue;
    std::printf("a shuffle is wrong\n");
    return 1;
  }
  for (const std::int64_t width : {1, 2, 3, 4, 8, 12, 16, 40, 300}) {
    for (int i = 0; i < 60; ++i, ++checked) {
      const bool is_large = i == 0 && width < 40;
      if (moves(width, is_large)) continue;
      std::printf("a nest of pieces of %d bytes is wrong\n", static_cast<int>(width));
      return 1;
    }
  }
  std::printf("%d moves are right, in vectors of %d bytes\n", checked,
              static_cast<int>(vector_bytes()));
  return 0;
}
