#include "move/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace heddle::move {
namespace {

/// Divides loops into those around the table and those within it.
void split_at_table(Program& program, std::vector<Loop> loops, std::int64_t unit,
                    std::int64_t total) {
  std::vector<Loop> inner;
  if (program.table.size() == 1) {
    inner = std::move(loops);
  } else {
    std::int64_t gap = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 1; i < program.table.size(); ++i) {
      gap = std::min(gap, program.table[i].to - program.table[i - 1].to);
    }
    for (const Loop& loop : loops) {
      (std::abs(loop.to) < gap ? inner : program.outer).push_back(loop);
    }
  }
  program.nest = make_nest(unit, std::move(inner), total);
  std::ranges::stable_sort(program.outer, {}, [](const Loop& loop) { return std::abs(loop.to); });
}

/// Whether all of it consists of whole bytes.
bool is_in_bytes(const Nest& nest, std::span<const Place> table) {
  const auto is_whole = [](std::int64_t bits) { return bits % 8 == 0; };
  return is_whole(nest.unit) && is_whole(nest.from) && is_whole(nest.to) &&
         std::ranges::all_of(
             nest.loops,
             [&](const Loop& loop) { return is_whole(loop.from) && is_whole(loop.to); }) &&
         std::ranges::all_of(
             table, [&](const Place& place) { return is_whole(place.from) && is_whole(place.to); });
}

/// Makes a nest of the loops, with steps in bytes if all are whole; `bits` are those of everything
/// that the copy moves. Returns the loops as they have merged, in bits, without a table that is too
/// large for shuffles.
BitLoops add_loops(Program& program, BitLoops all, std::int64_t bits) {
  // Loops merge in bits, where elements may join to whole bytes.
  Nest nest = make_nest(all.unit, std::move(all.loops), 0);
  for (Place& place : all.table) {
    place.from += nest.from;
    place.to += nest.to;
  }
  all.unit = nest.unit;
  all.loops = nest.loops;
  program.counts_bits = !is_in_bytes(nest, all.table);
  const std::int64_t scale = program.counts_bits ? 1 : 8;
  for (Loop& loop : nest.loops) {
    loop.from /= scale;
    loop.to /= scale;
  }
  program.table = std::ssize(all.table) > kMaxShuffledPlaces ? std::move(all.table) : all.table;
  for (Place& place : program.table) {
    place.from /= scale;
    place.to /= scale;
  }
  split_at_table(program, std::move(nest.loops), nest.unit / scale, bits / 8);
  return all;
}

/// About how many instructions move 16 bytes by the loops of a program.
std::int64_t cost_of_loops(const Program& program) {
  const Nest& nest = program.nest;
  constexpr std::int64_t kBitPiece = 16;
  if (program.counts_bits) return kBitPiece * 16 * 8 / std::min<std::int64_t>(nest.unit, 56);
  const std::int64_t pieces = std::max<std::int64_t>(1, 16 / nest.unit);
  // A table is not moved in blocks.
  if (program.table.size() > 1) return 4 + 2 * pieces;
  // Large copies of short pieces wait for memory, of which blocks in the first-level cache hide
  // more.
  constexpr std::int64_t kShortPiece = 128;
  if (!nest.across) return 2 * pieces + (nest.streams && nest.unit <= kShortPiece ? 4 : 0);
  const std::int64_t smaller = std::min(nest.loops.front().extent, nest.loops[*nest.across].extent);
  return smaller >= pieces
             ? 1 + static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(pieces)))
             : 2 * pieces;
}

/// Has shuffles do what they do with fewer instructions.
void add_shuffle(Program& program, const BitLoops& all, const Weights& weights) {
  constexpr std::int64_t kReadAndWritten = 3;
  constexpr std::int64_t kRest = 4;
  const std::int64_t most =
      weights.takes_shuffles ? std::numeric_limits<std::int64_t>::max() : cost_of_loops(program);
  if (most <= kReadAndWritten) return;
  std::optional<Shuffled> found = find_shuffle(all.unit, all.loops, all.table);
  if (!found) return;
  Shuffle& shuffle = found->shuffle;
  const std::int64_t cost = kReadAndWritten + std::ssize(shuffle.tiles.steps) +
                            kRest * std::ssize(found->rests) +
                            weights.block * kLaneBytes / shuffle.block_bytes();
  if (cost >= most) return;
  shuffle.streams = weights.bits / 8 >= kCached;
  for (Shuffled::Rest& rest : found->rests) {
    BitLoops loops{std::min<std::int64_t>(all.unit, 8), std::move(rest.loops), all.table};
    for (Place& place : loops.table) {
      place.from += rest.begin.from;
      place.to += rest.begin.to;
    }
    add_loops(program.rests.emplace_back(), std::move(loops), weights.bits);
  }
  program.shuffle = std::move(shuffle);
}

}  // namespace

Program program_of(BitLoops loops, const Weights& weights) {
  Program program;
  const BitLoops all = add_loops(program, std::move(loops), weights.bits);
  add_shuffle(program, all, weights);
  return program;
}

std::string kernel_text(const Program& program) {
  const Nest& nest = program.nest;
  const std::string_view measure = program.counts_bits ? "bits" : "bytes";
  if (!nest.across || program.counts_bits) {
    return fmt::format("copies {} {} at a time", nest.unit, measure);
  }
  return fmt::format("transposes {} x {} elements of {} bytes in registers",
                     nest.loops.front().extent, nest.loops[*nest.across].extent, nest.unit);
}

}  // namespace heddle::move
