// Shuffles against plain loops: the kernels of every vector, and moves of any shape, whose places
// are combined by sums and by XOR. What lies around what is moved stays as it is.

#include "move/shuffle.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "move/transpose.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using move::Loop;
using move::Place;
using Buffer = std::vector<std::byte>;

bool has_bit(const Buffer& bytes, std::int64_t place) {
  return (bytes[static_cast<std::size_t>(place / 8)] >> (place % 8) & std::byte{1}) != std::byte{0};
}

void put_bit(Buffer& bytes, std::int64_t place, bool value) {
  const std::byte mask = std::byte{1} << (place % 8);
  std::byte& byte = bytes[static_cast<std::size_t>(place / 8)];
  byte = value ? byte | mask : byte & ~mask;
}

Buffer any_bytes(Random& random, std::int64_t count) {
  Buffer bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.between(0, 255));
  return bytes;
}

TEST(Shuffle, KernelsOfEveryVectorDoWhatBitsSay) {
  for_all_seeds([](Random& random) {
    const auto* kernels = move::shuffle_kernels(random.one_of<std::int64_t>({16, 32, 64}));
    if (kernels == nullptr) return Finding(kSaysNothing);
    const std::int64_t bytes = move::kLine * random.between(1, 3);
    const std::size_t number = static_cast<std::size_t>(random.between(0, 6));
    const std::int64_t bits = std::int64_t{1} << number;
    const Buffer row = any_bytes(random, bytes);
    const Buffer other = any_bytes(random, bytes);
    Buffer first = row;
    Buffer second = other;
    kernels->exchange[number](first.data(), second.data(), bytes, nullptr, nullptr);
    for (std::int64_t i = 0; i < 8 * bytes; ++i) {
      const bool is_upper = (i & bits) != 0;
      if (has_bit(first, i) != has_bit(is_upper ? other : row, i & ~bits) ||
          has_bit(second, i) != has_bit(is_upper ? other : row, i | bits)) {
        return found("exchange of ", bits, " bits: bit ", i);
      }
    }
    std::uint8_t mask[16];
    for (auto& byte : mask) byte = static_cast<std::uint8_t>(random.between(0, 15));
    first = row;
    kernels->shuffle(first.data(), bytes, mask);
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] != row[i / 16 * 16 + mask[i % 16]]) return found("shuffle: byte ", i);
    }
    return Finding(kHolds);
  });
}

struct Move {
  std::int64_t unit = 8;
  std::vector<Loop> loops = {};
  std::vector<Place> table = {Place{}};
};

std::ostream& operator<<(std::ostream& stream, const Move& move) {
  stream << move.unit << " bits";
  for (const Loop& loop : move.loops) {
    stream << ", " << loop.extent << " (" << loop.from << " to " << loop.to << ")";
  }
  for (const Place& place : move.table) stream << " " << place.from << "->" << place.to;
  return stream;
}

/// Calls visit(from, to) for every unit.
template <class Visit>
void for_each_unit(std::span<const Loop> loops, std::span<const Place> table, const Visit& visit) {
  for (const Place& place : table)
    move::for_each(loops, 0, move::count_of(loops), visit, place.from, place.to);
}

/// The steps of digits in some order; from 16 bytes on sometimes with gaps of whole bytes.
std::vector<std::int64_t> steps_of_digits(Random& random, const std::vector<Loop>& digits,
                                          const std::vector<std::size_t>& order,
                                          std::int64_t unit) {
  std::vector<std::int64_t> steps(digits.size());
  std::int64_t step = unit;
  for (const std::size_t i : order) {
    if (step >= 128 && random.chance(20)) step += 8 * random.between(1, 40);
    steps[i] = step;
    step *= digits[i].extent;
  }
  return steps;
}

/// Digits in one order on one side and in another one on the other, some of them backwards.
Move permuted_digits(Random& random) {
  Move move{.unit = random.one_of<std::int64_t>({1, 2, 4, 4, 8, 8, 16, 32, 64, 128})};
  const std::int64_t most = move.unit << random.between(7, 12);
  for (std::int64_t size = move.unit; size < most;) {
    const auto extent = random.one_of<std::int64_t>({2, 2, 2, 4, 4, 8, 16, 16, 32, 3, 24, 20, 17});
    move.loops.push_back({extent});
    size *= extent;
  }
  std::vector<std::size_t> order(move.loops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const std::vector<std::int64_t> from = steps_of_digits(random, move.loops, order, move.unit);
  // Mostly digits of both rows of 16 bytes change places.
  if (random.chance(60)) {
    const auto some = static_cast<std::ptrdiff_t>(random.between(1, std::ssize(order)));
    std::vector<std::size_t> first(order.begin(), order.begin() + some);
    random.shuffle(first);
    std::ranges::copy(first, order.begin());
  } else {
    random.shuffle(order);
  }
  const std::vector<std::int64_t> to = steps_of_digits(random, move.loops, order, move.unit);
  for (std::size_t i = 0; i < order.size(); ++i) {
    move.loops[i].from = from[i];
    move.loops[i].to = to[i];
    if (!random.chance(15)) continue;
    move.table.front().from += (move.loops[i].extent - 1) * from[i];
    move.loops[i].from = -from[i];
  }
  // What is read several times, or in windows that overlap.
  if (random.chance(20)) {
    const std::int64_t window = std::min<std::int64_t>(4, move.unit) * random.between(0, 20);
    std::int64_t reach = 7 + move.unit;
    for (const Loop& loop : move.loops) reach += (loop.extent - 1) * loop.to;
    move.loops.push_back({random.between(2, 5), window, reach / 8 * 8});
  }
  random.shuffle(move.loops);
  return move;
}

/// Places that are combined by XOR on both sides, with loops around them and within.
Move combined_by_xor(Random& random) {
  Move move{.unit = random.one_of<std::int64_t>({1, 2, 4, 4, 8, 8, 16, 32, 64, 128})};
  const std::int64_t within = std::int64_t{1} << random.between(0, 3);
  if (within > 1) move.loops.push_back({within, move.unit, move.unit});
  const int most = std::countr_zero(static_cast<std::uint64_t>(65536 / within / move.unit));
  const int bits = static_cast<int>(random.between(1, std::min(9, most)));
  const auto columns = [&](bool is_mixed) {
    std::vector<std::int64_t> words;
    for (int i = 0; i < bits; ++i) words.push_back(within * move.unit << i);
    if (is_mixed) {
      if (random.chance(70)) random.shuffle(words);
      const std::int64_t xors = random.chance(20) ? 40 : random.between(0, 4);
      for (std::int64_t i = 0; i < xors; ++i) {
        const auto a = static_cast<std::size_t>(random.between(0, bits - 1));
        const auto b = static_cast<std::size_t>(random.between(0, bits - 1));
        if (a != b) words[a] ^= words[b];
      }
    }
    return words;
  };
  const auto from = columns(random.chance(40));
  const auto to = columns(true);
  const std::int64_t size = within * move.unit << bits;
  const auto first = [&] { return random.chance(50) ? 0 : random.between(0, (1 << bits) - 1); };
  Place place{within * move.unit * first() + size * random.between(0, 2),
              within * move.unit * first() + size * random.between(0, 2)};
  move.table.front() = place;
  for (std::size_t i = 1; i < std::size_t{1} << bits; ++i) {
    place = move.table[i & (i - 1)];
    const auto last = static_cast<std::size_t>(std::countr_zero(i));
    move.table.push_back({place.from ^ from[last], place.to ^ to[last]});
  }
  std::ranges::sort(move.table, {}, &Place::to);
  std::int64_t step_from = 4 * size;
  std::int64_t step_to = 4 * size;
  for (std::int64_t i = random.between(0, 2); i > 0; --i) {
    const std::int64_t extent = random.one_of<std::int64_t>({2, 4, 8, 5, 13});
    move.loops.push_back({extent, step_from, step_to});
    step_from *= extent;
    step_to *= extent;
    if (random.chance(30)) step_from += 8 * random.between(1, 20);
    if (random.chance(30)) step_to += 8 * random.between(1, 20);
  }
  return move;
}

TEST(Shuffle, MovesAsLoopsDo) {
  Tally shuffled;
  Tally parts;
  Tally of_xors;
  Tally rests;
  for_all_seeds([&](Random& random) {
    const bool is_xor = random.chance(50);
    Move move = is_xor ? combined_by_xor(random) : permuted_digits(random);
    Place last{0, 0};
    if (!is_xor) {
      move.table.front().from += 8 * random.between(0, 20);
      move.table.front().to += 8 * random.between(0, 80);
    }
    for_each_unit(move.loops, move.table, [&](std::int64_t from, std::int64_t to) {
      last = {std::max(last.from, from), std::max(last.to, to)};
    });
    const auto done = move::find_shuffle(move.unit, move.loops, move.table);
    if (!done) return Finding(kSaysNothing);
    // As it is read, and with bytes around it that are not to be touched.
    const Buffer source = any_bytes(random, (last.from + move.unit + 7) / 8);
    const Buffer before = any_bytes(random, (last.to + move.unit + 7) / 8 + random.between(0, 70));
    const auto move_units = [&](Buffer& there, std::span<const Loop> loops,
                                std::span<const Place> table, std::int64_t unit) {
      for_each_unit(loops, table, [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = 0; i < unit; ++i) put_bit(there, to + i, has_bit(source, from + i));
      });
    };
    Buffer wanted = before;
    move_units(wanted, move.loops, move.table, move.unit);
    Buffer got = before;
    move::Shuffle shuffle = done->shuffle;
    shuffle.streams = random.chance(50);
    const move::Buffer buffer(shuffle.buffer_bytes());
    const std::int64_t middle = random.between(0, shuffle.blocks());
    shuffle.run(source.data(), got.data(), middle, shuffle.blocks(), buffer);
    shuffle.run(source.data(), got.data(), 0, middle, buffer);
    for (const auto& rest : done->rests) {
      std::vector<Place> table = move.table;
      for (Place& place : table) {
        place.from += rest.begin.from;
        place.to += rest.begin.to;
      }
      move_units(got, rest.loops, table, std::min<std::int64_t>(8, move.unit));
      rests.count();
    }
    if (!shuffle.tiles.steps.empty()) shuffled.count();
    if (move.unit < 8) parts.count();
    if (is_xor) of_xors.count();
    return got == wanted ? Finding(kHolds) : found(move);
  });
  shuffled.expect_at_least(10);
  parts.expect_at_least(3);
  of_xors.expect_at_least(5);
  rests.expect_at_least(1);
}

}  // namespace
}  // namespace heddle::test
