#include "move/shuffle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "core/bits.h"
#include "heddle/form/subspace.h"
#include "move/transpose.h"

namespace heddle::move {
namespace {

using form::BitMatrix;

constexpr int kByteBits = 4;

std::uint64_t bit(int number) { return std::uint64_t{1} << number; }
bool has_bit(std::uint64_t word, int number) { return (word >> number & 1) != 0; }

// ---- Steps of a tile ----

/// The rows of a matrix, as words of its columns; and a matrix of such rows.
std::vector<std::uint64_t> rows_of(const BitMatrix& matrix) {
  const BitMatrix turned = form::transpose(matrix).value();
  return {turned.columns().begin(), turned.columns().end()};
}

BitMatrix matrix_of(std::size_t columns, std::vector<std::uint64_t> rows) {
  return form::transpose(BitMatrix(columns, std::move(rows))).value();
}

/// The steps so far, and where they have brought each place: `at(place) ^ constant`.
class Stepper {
 public:
  explicit Stepper(const TileMove& move)
      : move_(move),
        bits_(move.places.rows()),
        low_(move.parts + kByteBits),
        at_(BitMatrix::identity(bits_)) {}

  TileSteps steps() {
    const int rows = static_cast<int>(bits_) - low_;
    // Each part first changes places with a row, along with another tile.
    for (int i = 0; i < move_.parts; ++i) exchange(i, bit(i), bit(i), false);
    // The rows that places go to, in the fewest bits of bytes.
    std::vector<std::uint64_t> wanted = rows_of(from_here());
    std::vector<std::uint64_t> targets(wanted.begin(), wanted.begin() + move_.parts);
    targets.insert(targets.end(), wanted.begin() + low_ + move_.parts, wanted.end());
    targets = rows_of(form::row_reduced(matrix_of(bits_, std::move(targets))));
    const auto is_of_rows = [&](std::uint64_t row) { return std::countr_zero(row) >= low_; };
    const auto row_only = std::ranges::find_if(targets, is_of_rows);
    const std::vector<std::uint64_t> mixed(targets.begin(), row_only);
    std::vector<std::uint64_t> bytes = rows_of(BitMatrix::identity(bits_));
    for (const std::uint64_t row : mixed) {
      bytes[static_cast<std::size_t>(std::countr_zero(row))] = row;
    }
    shuffle(bytes, 0);
    // What completes the targets of rows to all rows, and along which rows it goes.
    std::vector<std::pair<int, std::uint64_t>> free;
    std::uint64_t pivots = 0;
    for (auto at = row_only; at != targets.end(); ++at) pivots |= *at & -*at;
    for (int i = 0; i < rows; ++i) {
      if (has_bit(pivots, low_ + i)) continue;
      std::uint64_t direction = bit(i);
      for (auto at = row_only; at != targets.end(); ++at) {
        if (has_bit(*at, low_ + i)) direction |= (*at & -*at) >> low_;
      }
      free.emplace_back(i, direction);
    }
    for (std::size_t i = 0; i < mixed.size(); ++i) {
      exchange(std::countr_zero(mixed[i]), bit(free[i].first), free[i].second, false);
    }
    bytes = rows_of(from_here());
    for (std::size_t i = 0; i < bits_; ++i) {
      const int at = static_cast<int>(i);
      if (at < move_.parts || at >= low_) bytes[i] = bit(at);
    }
    shuffle(bytes, move_.constant >> move_.parts);
    for (int i = 0; i < move_.parts; ++i) {
      const BitMatrix here = from_here();
      const std::uint64_t along = (*form::inverse(here))(bit(i)) >> low_;
      exchange(i, rows_of(here)[static_cast<std::size_t>(i)] >> low_, along,
               has_bit(move_.constant, i));
    }
    TileSteps done{std::move(steps_), {}};
    const BitMatrix back = *form::inverse(at_);
    for (std::uint64_t row = 0; row < bit(rows); ++row) {
      done.rows.push_back(static_cast<std::int64_t>(back((row << low_) ^ constant_)));
    }
    return done;
  }

 private:
  /// Where the move takes what is at each place now.
  BitMatrix from_here() const { return move_.places * *form::inverse(at_); }

  void apply(const BitMatrix& step, std::uint64_t constant) {
    at_ = step * at_;
    constant_ = step(constant_) ^ constant;
  }

  /// Exchanges the bit at `slot` of a place with the parity of the bits `which` of its row, which
  /// is odd for one of two rows that differ by `along`. If `flips`, with its opposite.
  void exchange(int slot, std::uint64_t which, std::uint64_t along, bool flips) {
    std::vector<std::uint64_t> columns;
    const std::uint64_t moved = along << low_;
    for (int i = 0; i < static_cast<int>(bits_); ++i) {
      const bool is_read = i >= low_ && has_bit(which, i - low_);
      const std::uint64_t column = i == slot ? 0 : bit(i);
      columns.push_back(column ^ (is_read ? moved ^ bit(slot) : i == slot ? moved : 0));
    }
    apply(BitMatrix(bits_, std::move(columns)), flips ? moved ^ bit(slot) : 0);
    const bool is_part = slot < move_.parts;
    ShuffleStep step{.bits = is_part ? 8 >> (move_.parts - slot) : 8 << (slot - move_.parts)};
    for (std::uint64_t row = 0; row < bit(static_cast<int>(bits_) - low_); ++row) {
      if (std::popcount(row & which) % 2 != 0) continue;
      std::pair pair(static_cast<int>(row), static_cast<int>(row ^ along));
      if (flips) std::swap(pair.first, pair.second);
      step.pairs.push_back(pair);
    }
    steps_.push_back(std::move(step));
  }

  /// Moves bytes within their rows, to where these rows of a matrix say.
  void shuffle(std::vector<std::uint64_t> rows, std::uint64_t flips) {
    const BitMatrix step = matrix_of(bits_, std::move(rows));
    if (flips == 0 && step == BitMatrix::identity(bits_)) return;
    apply(step, flips << move_.parts);
    if (steps_.empty() || !steps_.back().masks.empty()) steps_.emplace_back();
    ShuffleStep& done = steps_.back();
    for (std::uint64_t row = 0; row < bit(static_cast<int>(bits_) - low_); ++row) {
      auto& mask = done.masks.emplace_back();
      for (std::uint64_t byte = 0; byte < mask.size(); ++byte) {
        const std::uint64_t to = step(row << low_ | byte << move_.parts) >> move_.parts ^ flips;
        mask[to % mask.size()] = static_cast<std::uint8_t>(byte);
      }
    }
  }

  const TileMove& move_;
  std::size_t bits_;
  int low_;
  BitMatrix at_;
  std::uint64_t constant_ = 0;
  std::vector<ShuffleStep> steps_;
};

// ---- Places combined by XOR ----

/// A step of two of a tile, in bits: added to the others, or combined with others of the table.
struct Element {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool is_added = true;
};

/// The places of a table as XORs of some of its places with the first one.
struct XorTable {
  std::vector<Element> basis = {};
  /// What is combined: the others of the bits of all places are added.
  Place first = {};
  Place base = {};
  Place mask = {};
};

/// nullopt for a table that is none, or in another order.
std::optional<XorTable> xor_table_of(std::span<const Place> table) {
  const auto count = std::ssize(table);
  if (!is_power_of_two(count)) return std::nullopt;
  XorTable all;
  const Place first = table.front();
  for (std::size_t i = 1; i < table.size(); i *= 2) {
    all.basis.push_back({table[i].from ^ first.from, table[i].to ^ first.to, false});
    all.mask.from |= all.basis.back().from;
    all.mask.to |= all.basis.back().to;
  }
  for (std::size_t i = 1; i < table.size(); ++i) {
    const std::size_t rest = i & (i - 1);
    const Element& last = all.basis[static_cast<std::size_t>(std::countr_zero(i))];
    if (table[i].from != (table[rest].from ^ last.from) ||
        table[i].to != (table[rest].to ^ last.to)) {
      return std::nullopt;
    }
  }
  all.first = {first.from & all.mask.from, first.to & all.mask.to};
  all.base = {first.from & ~all.mask.from, first.to & ~all.mask.to};
  return all;
}

// ---- Tiles ----

constexpr std::int64_t kRowBits = 8 * kLaneBytes;
constexpr int kMaxRows = 512;

std::int64_t low_part(std::int64_t place) { return place & (kRowBits - 1); }
bool is_in_row(std::int64_t step) { return is_power_of_two(step) && step < kRowBits; }

/// A loop whose first steps belong to tiles.
struct SplitLoop {
  Loop loop;
  /// The bits of its steps that tell elements of a row apart on one side, and those that tell tiles
  /// apart which exchange parts.
  int bits = 0;
  int parts = 0;

  std::int64_t tile_steps() const { return std::int64_t{1} << (bits + parts); }
};

/// Finds the tile of a move, and its blocks.
class Finder {
 public:
  Finder(std::int64_t unit, std::span<const Loop> loops, std::span<const Place> table)
      : unit_(unit), table_(table.begin(), table.end()) {
    for (const Loop& loop : loops) loops_.push_back({loop});
    if (unit > 8) loops_.push_back({{unit / 8, 8, 8}});
  }

  std::optional<Shuffled> find() {
    if (unit_ < 8 ? !is_power_of_two(unit_) : unit_ % 8 != 0) return std::nullopt;
    parts_ = unit_ < 8 ? 3 - log2_exact(unit_) : 0;
    if (table_.empty() || std::ssize(table_) > kMaxShuffledPlaces) return std::nullopt;
    if (std::optional<XorTable> found = xor_table_of(table_)) {
      xors_ = *std::move(found);
      table_ = {xors_.base};
    }
    if (!split_loops()) return std::nullopt;
    cut_rests();
    if (!find_elements()) return std::nullopt;
    const std::optional<TileMove> move = tile_move();
    if (!move || !is_in_bytes()) return std::nullopt;
    choose_lanes();
    fill_tiles(steps_of(*move));
    fill_blocks();
    return std::move(done_);
  }

 private:
  int shift() const { return 3 - parts_; }
  int low() const { return parts_ + kByteBits; }
  std::uint64_t low_word(std::int64_t place) const {
    return static_cast<std::uint64_t>(low_part(place) >> shift());
  }

  /// Divides loops into steps of tiles and the rest.
  bool split_loops() {
    for (SplitLoop& split : loops_) {
      const Loop& loop = split.loop;
      const auto is_low = [&](std::int64_t step) {
        return is_in_row(std::abs(step) << split.bits);
      };
      while ((is_low(loop.from) || is_low(loop.to)) && split.tile_steps() * 2 <= loop.extent) {
        ++split.bits;
      }
      if (split.bits > 0 && (loop.from == 0 || loop.to <= 0)) return false;
    }
    if (parts_ == 0) return true;
    const auto left = [](const SplitLoop& split) {
      return split.loop.from == 0 || split.loop.to == 0 ? 0 : split.loop.extent >> split.bits;
    };
    const auto longest = std::ranges::max_element(loops_, {}, left);
    if (longest == loops_.end() || left(*longest) >> parts_ == 0) return false;
    longest->parts = parts_;
    return true;
  }

  /// Leaves the steps of loops that are too few for a tile to others.
  void cut_rests() {
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      Loop& loop = loops_[i].loop;
      const std::int64_t rest = loop.extent % loops_[i].tile_steps();
      if (rest == 0) continue;
      loop.extent -= rest;
      Shuffled::Rest box{{}, {loop.extent * loop.from, loop.extent * loop.to}};
      for (std::size_t k = 0; k < loops_.size(); ++k) {
        box.loops.push_back(loops_[k].loop);
        if (k == i) box.loops.back().extent = rest;
      }
      done_.rests.push_back(std::move(box));
    }
  }

  /// The elements of a tile: those that are contiguous in the source, and the others.
  bool find_elements() {
    std::vector<std::optional<Element>> contiguous(static_cast<std::size_t>(low()));
    const auto place = [&](const Element& element, std::int64_t from) {
      if (!is_in_row(from) || from >> shift() == 0) return false;
      auto& there = contiguous[static_cast<std::size_t>(log2_exact(from) - shift())];
      if (there) return false;
      there = element;
      return true;
    };
    // What is added to places that are combined by XOR must not carry into them.
    const auto meets = [](std::int64_t step, std::int64_t mask) {
      return is_in_row(std::abs(step)) && (std::abs(step) & mask) != 0;
    };
    std::vector<Element> tiles;
    for (const SplitLoop& split : loops_) {
      for (int i = 0; i < split.bits + split.parts; ++i) {
        const Element element{split.loop.from << i, split.loop.to << i};
        if (i >= split.bits) {
          tiles.push_back(element);
        } else if (!place(element, std::abs(element.from))) {
          rows_.push_back(element);
        } else if (element.from < 0) {
          // Backwards: its second step is the first one.
          constant_ ^= low_word(-element.from);
          begin_ += element.from;
        }
        if (meets(element.from, xors_.mask.from) || meets(element.to, xors_.mask.to)) return false;
      }
    }
    form::Subspace sources;
    for (const Element& element : xors_.basis) {
      if (!sources.insert(static_cast<std::uint64_t>(element.from))) return false;
    }
    for (const std::uint64_t from : sources.basis()) {
      Element element{static_cast<std::int64_t>(from), 0, false};
      const std::uint64_t parts = *sources.express(from);
      for (std::size_t i = 0; i < xors_.basis.size(); ++i) {
        if (has_bit(parts, static_cast<int>(i))) element.to ^= xors_.basis[i].to;
      }
      if (!place(element, element.from)) rows_.push_back(element);
    }
    constant_ ^= low_word(xors_.first.from);
    rows_.insert(rows_.begin(), tiles.begin(), tiles.end());
    for (const auto& element : contiguous) {
      if (!element) return false;
      low_elements_.push_back(*element);
    }
    return std::ssize(rows_) <= log2_exact(kMaxRows);
  }

  const Element& element(int number) const {
    return number < low() ? low_elements_[static_cast<std::size_t>(number)]
                          : rows_[static_cast<std::size_t>(number - low())];
  }

  /// Where a place of a tile lies in one side.
  std::int64_t place_of(std::uint64_t elements, std::int64_t Element::* step,
                        std::int64_t first) const {
    std::int64_t sum = 0;
    for (int i = 0; elements >> i != 0; ++i) {
      if (!has_bit(elements, i)) continue;
      (element(i).is_added ? sum += element(i).*step : first ^= element(i).*step);
    }
    return sum + first;
  }

  std::optional<TileMove> tile_move() const {
    const int bits = low() + static_cast<int>(rows_.size());
    form::Subspace targets;
    const auto high_part = [](std::int64_t place) {
      return static_cast<std::uint64_t>(place & ~(kRowBits - 1));
    };
    for (int i = 0; i < bits; ++i) {
      if (!element(i).is_added) targets.insert(high_part(element(i).to));
    }
    std::vector<int> target_bits(64, -1);
    // The tiles that exchange parts come first.
    const int first_target = low() + parts_;
    int next = first_target;
    for (int i = 0; i < 64; ++i) {
      if (has_bit(targets.leading_bits(), i)) target_bits[static_cast<std::size_t>(i)] = next++;
    }
    std::vector<std::uint64_t> columns;
    for (int i = 0; i < bits; ++i) {
      const std::int64_t to = element(i).to;
      if (!element(i).is_added) {
        std::uint64_t column = low_word(to);
        for (int k = 0; k < 64; ++k) {
          const int target = target_bits[static_cast<std::size_t>(k)];
          if (target >= 0 && has_bit(high_part(to), k)) column |= bit(target);
        }
        columns.push_back(column);
      } else if (i >= low() && i < first_target) {
        columns.push_back(bit(i));
      } else {
        columns.push_back(is_in_row(to) ? low_word(to) : bit(next++));
      }
    }
    if (next != bits) return std::nullopt;
    TileMove move{parts_, BitMatrix(static_cast<std::size_t>(bits), std::move(columns))};
    if (!form::inverse(move.places)) return std::nullopt;
    move.constant = (move.places(constant_) ^ low_word(xors_.first.to)) & low_bits(low());
    return move;
  }

  /// Whether rows begin with bytes on both sides.
  bool is_in_bytes() const {
    const auto is_whole = [](std::int64_t place) { return place % 8 == 0; };
    const auto is_row = [&](const Element& row) {
      // What is in rows of the destination may be parts, but none smaller than an element.
      const bool is_within = is_in_row(row.to) || !row.is_added;
      return is_whole(row.from) && (is_within ? row.to % (8 >> parts_) == 0 : is_whole(row.to));
    };
    const auto is_low = [&](const Element& low) { return is_row({0, low.to, low.is_added}); };
    const auto is_around = [&](const SplitLoop& split) {
      const std::int64_t steps = split.tile_steps();
      return split.loop.extent == steps ||
             (is_whole(steps * split.loop.from) && is_whole(steps * split.loop.to));
    };
    const auto is_base = [&](const Place& place) {
      return is_whole(place.from + begin_) && is_whole(place.to);
    };
    return std::ranges::all_of(rows_, is_row) && std::ranges::all_of(low_elements_, is_low) &&
           std::ranges::all_of(loops_, is_around) && std::ranges::all_of(table_, is_base);
  }

  // ---- Blocks ----

  /// Widens the lanes until runs of one side have so many bits.
  void widen(std::int64_t Element::* row_step, std::int64_t Loop::* step, std::int64_t wanted) {
    std::int64_t run = kRowBits;
    while (run < wanted) {
      const auto is_next = [&](const Element& row) { return row.*row_step == run; };
      if (std::ranges::any_of(rows_, is_next) || std::ranges::any_of(low_elements_, is_next)) {
        run *= 2;
        continue;
      }
      const auto next = std::ranges::find(around_, run, step);
      if (next == around_.end()) return;
      std::int64_t& taken = taken_[static_cast<std::size_t>(next - around_.begin())];
      taken = std::max(taken, divisor_below(next->extent, (wanted + run - 1) / run));
      run *= taken;
      if (taken < next->extent) return;
    }
  }

  /// The greatest divisor up to a bound.
  static std::int64_t divisor_below(std::int64_t number, std::int64_t bound) {
    std::int64_t divisor = std::min(number, bound);
    while (number % divisor != 0) --divisor;
    return divisor;
  }

  std::int64_t block_bytes() const {
    return std::accumulate(taken_.begin(), taken_.end(), kLaneBytes << rows_.size(),
                           std::multiplies());
  }

  /// Blocks are read and written in long runs, and fit the first-level cache with what becomes of
  /// them.
  void choose_lanes() {
    constexpr std::int64_t kRead = 512;
    constexpr std::int64_t kWritten = 512;
    constexpr std::int64_t kLeast = 8192;
    constexpr std::int64_t kMost = 16384;
    for (const SplitLoop& split : loops_) {
      const std::int64_t steps = split.tile_steps();
      if (split.loop.extent == steps) continue;
      around_.push_back(
          {split.loop.extent / steps, split.loop.from * steps, split.loop.to * steps});
    }
    std::ranges::stable_sort(around_, {}, [](const Loop& loop) { return std::abs(loop.from); });
    for (int halves = 0; kRead >> halves >= kLaneBytes; ++halves) {
      taken_.assign(around_.size(), 1);
      widen(&Element::from, &Loop::from, 8 * kRead >> halves);
      widen(&Element::to, &Loop::to, 8 * kWritten >> halves);
      if (block_bytes() <= kMost) break;
    }
    for (std::size_t i = 0; i < around_.size() && block_bytes() < kLeast; ++i) {
      taken_[i] = divisor_below(around_[i].extent, kLeast / (block_bytes() / taken_[i]));
    }
  }

  /// Where the rows of a tile are read and written, and the loops around it.
  void fill_tiles(TileSteps tile) {
    ShuffledTiles& tiles = done_.shuffle.tiles;
    for (std::size_t row = 0; row != tile.rows.size(); ++row) {
      const auto here = static_cast<std::uint64_t>(row) << low();
      const auto there = static_cast<std::uint64_t>(tile.rows[row]) ^ constant_;
      tiles.rows.push_back({place_of(here, &Element::from, xors_.first.from & ~(kRowBits - 1)) / 8,
                            place_of(there, &Element::to, xors_.first.to) / 8});
    }
    for (const Loop& loop : around_) {
      tiles.loops.push_back({loop.extent, loop.from / 8, loop.to / 8});
    }
    tiles.steps = std::move(tile.steps);
  }

  /// Where the lanes of a block and its rows are read and written.
  void fill_blocks() {
    Shuffle& shuffle = done_.shuffle;
    std::vector<Loop> lane_loops;
    std::int64_t together = 1;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < around_.size(); ++i) {
      const Loop& loop = shuffle.tiles.loops[i];
      if (loop.from == together * kLaneBytes && together == shuffle.lanes) together *= taken_[i];
      shuffle.lanes *= taken_[i];
      lane_loops.push_back({taken_[i], loop.from, loop.to});
      if (loop.extent == taken_[i]) continue;
      shuffle.loops.push_back(
          {loop.extent / taken_[i], loop.from * taken_[i], loop.to * taken_[i]});
    }
    std::vector<Place> lanes;
    for_each(lane_loops, [&](std::int64_t from, std::int64_t to) { lanes.push_back({from, to}); });
    std::vector<std::pair<std::int64_t, std::int64_t>> written;
    for (std::int64_t row = 0; row < std::ssize(shuffle.tiles.rows); ++row) {
      const auto& [from, to] = shuffle.tiles.rows[static_cast<std::size_t>(row)];
      for (std::int64_t lane = 0; lane < shuffle.lanes; lane += together) {
        shuffle.reads.push_back({from + lanes[static_cast<std::size_t>(lane)].from,
                                 row * shuffle.pitch() + lane * kLaneBytes, together * kLaneBytes});
      }
      for (std::int64_t lane = 0; lane < shuffle.lanes; ++lane) {
        written.emplace_back(to + lanes[static_cast<std::size_t>(lane)].to,
                             row * shuffle.pitch() + lane * kLaneBytes);
      }
    }
    std::ranges::sort(written);
    for (const auto& [to, at] : written) {
      shuffle.places.push_back(static_cast<std::int32_t>(at));
      if (!shuffle.writes.empty() && shuffle.writes.back().to + shuffle.writes.back().bytes == to) {
        shuffle.writes.back().bytes += kLaneBytes;
      } else {
        shuffle.writes.push_back({bytes, to, kLaneBytes});
      }
      bytes += kLaneBytes;
    }
    std::ranges::sort(shuffle.reads, {}, &Run::from);
    for (const Run& read : shuffle.reads) {
      for (std::int64_t at = read.from; at < read.from + read.bytes; at += kLine) {
        auto& lines = shuffle.lines;
        if (lines.empty() || at >= lines.back() + kLine) lines.push_back(at);
      }
    }
    for (const Place& place : table_) {
      shuffle.table.push_back({(place.from + begin_) / 8, place.to / 8});
    }
  }

  std::int64_t unit_;
  std::vector<SplitLoop> loops_;
  std::vector<Place> table_;
  XorTable xors_;
  int parts_ = 0;
  /// The bits within rows of what is contiguous in the source, and of the rows: first those of
  /// tiles that exchange parts.
  std::vector<Element> low_elements_;
  std::vector<Element> rows_;
  /// Of places in the rows of the source, as bits of them and as an offset.
  std::uint64_t constant_ = 0;
  std::int64_t begin_ = 0;
  /// The loops around the tiles, and how many of their steps a block takes.
  std::vector<Loop> around_;
  std::vector<std::int64_t> taken_;
  Shuffled done_;
};

}  // namespace

TileSteps steps_of(const TileMove& move) { return Stepper(move).steps(); }

std::string to_string(const ShuffledTiles& tiles) {
  std::vector<std::string> texts;
  for (const ShuffleStep& step : tiles.steps) {
    if (!step.pairs.empty()) {
      texts.push_back(step.bits <= 8 ? fmt::format("exchanges {} bits", step.bits)
                                     : fmt::format("exchanges {} bytes", step.bits / 8));
    }
    if (!step.masks.empty()) texts.emplace_back("shuffles");
  }
  const std::string rows = fmt::format("{} x {} bytes", tiles.rows.size(), kLaneBytes);
  return texts.empty() ? fmt::format("moves {} as they are", rows)
                       : fmt::format("permutes {} in registers: {}", rows, fmt::join(texts, ", "));
}

std::int64_t Shuffle::pitch() const { return (lanes * kLaneBytes + kLine - 1) / kLine * kLine; }

std::optional<Shuffled> find_shuffle(std::int64_t unit, std::span<const Loop> loops,
                                     std::span<const Place> table) {
  return Finder(unit, loops, table).find();
}

}  // namespace heddle::move
