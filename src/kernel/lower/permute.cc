#include "kernel/lower/permute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/bits.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/variables.h"
#include "heddle/form/index_map.h"
#include "kernel/passes/bounds.h"
#include "move/program.h"

namespace heddle::kernel {

namespace {

/// The places that are evaluated one by one.
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 14;
/// Loops of more steps are cut, so that sums of their steps stay small.
constexpr std::int64_t kLongLoop = 512;
constexpr std::int64_t kPiece = 64;
/// What is written out in a source.
constexpr std::size_t kMostRows = 64;
constexpr std::size_t kMostTables = 8;
constexpr std::int64_t kRowBits = 8 * move::kLaneBytes;
constexpr std::int64_t kRowsOfLine = 4;
constexpr std::int64_t kLineBits = kRowsOfLine * kRowBits;

Refusal refuse_tiles(std::string reason) { return refuse("kernel.schedule", std::move(reason)); }

/// Numbers for the steps of one side, also for those that are not known: so far apart that the sum
/// of any steps tells how often each was taken.
class StepNumbers {
 public:
  /// Of elements of so many bits, which steps that are not known move by whole bytes.
  explicit StepNumbers(std::int64_t bits) : whole_(std::max<std::int64_t>(1, 8 / bits)) {
    units_ = {{1, 1, kMostKnown}};
    most_of_last_ = kMostBits / bits / kUnknown.back();
  }

  /// The number of a step that is taken up to `count` times.
  Result<std::int64_t> number(const Int& step, std::int64_t count) {
    const bool is_known = step.is_constant();
    const std::int64_t factor = is_known ? step.value() : known_divisor(step);
    const Int atom = is_known ? Int(1) : floor_div(step, factor);
    if (!is_known && !known_divides(whole_, step)) {
      return refuse_tiles(
          fmt::format("the step {} is not known to be a multiple of {}", to_string(step), whole_));
    }
    auto unit = std::ranges::find(units_, atom, &Unit::step);
    if (unit == units_.end()) {
      const std::size_t next = units_.size() - 1;
      if (next == kUnknown.size()) return refuse_tiles("too many steps are not known");
      const std::int64_t most = next == 0 ? kMostOfFirst : most_of_last_;
      unit = units_.insert(units_.end(), {atom, kUnknown[next], most});
    }
    const bool is_short = std::abs(factor) <= unit->left && count <= unit->left;
    if (!is_short || std::abs(factor) * count > unit->left) {
      return refuse_tiles(fmt::format("{} steps of {} reach too far", count, to_string(step)));
    }
    unit->left -= std::abs(factor) * count;
    return factor * unit->number;
  }

  /// The sum of steps that a number is.
  [[nodiscard]] Int step(std::int64_t number) const {
    Int sum = 0;
    for (const Unit& unit : units_ | std::views::reverse) {
      const std::int64_t above = number + unit.number / 2;
      const std::int64_t count = above / unit.number - (above % unit.number < 0 ? 1 : 0);
      sum += count * unit.step;
      number -= count * unit.number;
    }
    return sum;
  }

 private:
  struct Unit {
    Int step;
    std::int64_t number = 1;
    /// How many more of it can be told apart.
    std::int64_t left = 0;
  };
  static constexpr std::int64_t kMostBits = std::int64_t{1} << 61;
  static constexpr std::int64_t kMostKnown = std::int64_t{1} << 24;
  static constexpr std::int64_t kMostOfFirst = std::int64_t{1} << 16;
  static constexpr std::array<std::int64_t, 2> kUnknown = {std::int64_t{1} << 26,
                                                           std::int64_t{1} << 44};

  std::int64_t whole_;
  std::int64_t most_of_last_;
  std::vector<Unit> units_;
};

/// One side of a copy.
struct Side {
  Location place;
  StepNumbers numbers;
  /// The step along each coordinate; nullopt where it is not the same everywhere.
  std::vector<std::optional<Int>> steps = {};
  /// Where the places of the table are counted from.
  Int base = 0;
};

class Permuter {
 public:
  Permuter(const BoxCopy& copy, const Fresh& fresh)
      : copy_(copy),
        fresh_(fresh),
        to_{copy.to, StepNumbers(copy.bits)},
        from_{copy.from, to_.numbers} {}

  Result<PermutedBox> permuted() {
    HEDDLE_CHECK(check_types());
    HEDDLE_CHECK(add_conditions());
    find_steps(to_);
    find_steps(from_);
    HEDDLE_CHECK(add_loops());
    HEDDLE_CHECK(add_table());
    const move::BitLoops loops = loops_in_bits();
    const move::Weights wherever_there_are_some = {.block = 0, .takes_shuffles = true};
    const bool is_forced = copy_.is_forced || copy_.bits < 8;
    move::Program program =
        move::program_of(loops, is_forced ? wherever_there_are_some : move::Weights{.block = 0});
    // Rows that lie together on both sides gain only where they are streamed.
    const bool has_rows = !program.counts_bits && program.nest.unit * 8 % kRowBits == 0;
    const bool only_streams = !program.shuffle && has_rows && copy_.streams;
    if (only_streams) {
      program = move::program_of(loops, wherever_there_are_some);
      if (!known(*copy_.streams)) done_.conditions.push_back(*copy_.streams);
    }
    if (!program.shuffle) {
      const bool has_tiles = move::program_of(loops, wherever_there_are_some).shuffle.has_value();
      return refuse_tiles(fmt::format(
          "{}: a loop {}",
          has_tiles ? "tiles take no fewer steps" : "no 16 bytes are composed of powers of two",
          move::kernel_text(program)));
    }
    HEDDLE_CHECK(add_tiles(*program.shuffle, only_streams));
    for (const move::Program& rest : program.rests) HEDDLE_CHECK(add_rest(rest));
    return std::move(done_);
  }

 private:
  Result<void> check_types() const {
    if (copy_.to.seen || copy_.from.seen) return refuse_tiles("bits are seen as another type");
    return {};
  }

  /// The conditions on all points, as those on the last ones.
  Result<void> add_conditions() {
    for (const Condition& each : copy_.inside) {
      Bindings last;
      for (std::size_t d = 0; d != copy_.names.size(); ++d) {
        const auto step = stride_along(each.right - each.left, copy_.names[d]);
        const bool is_ordered =
            each.predicate == Predicate::kLess || each.predicate == Predicate::kAtMost;
        if (!step || !step->is_constant() || (step->value() != 0 && !is_ordered)) {
          return refuse_tiles(fmt::format("elements are there only if {}", to_string(each)));
        }
        last[copy_.names[d]] = step->value() < 0 ? copy_.extents[d] - 1 : Int(0);
      }
      HEDDLE_TRY(Condition everywhere, instantiate(each, last));
      if (!known(everywhere)) done_.conditions.push_back(std::move(everywhere));
    }
    return {};
  }

  void find_steps(Side& side) const {
    for (const std::string& name : copy_.names) {
      std::optional<Int> step = stride_along(side.place.address, name);
      const auto depends = [&](const std::string& other) { return depends_on(*step, other); };
      if (step && std::ranges::any_of(copy_.names, depends)) step.reset();
      side.steps.push_back(std::move(step));
    }
  }

  [[nodiscard]] bool is_even(std::size_t d) const { return to_.steps[d] && from_.steps[d]; }

  // --- loops and a table ---

  Result<void> add_loops() {
    for (std::size_t d = 0; d != copy_.names.size(); ++d) {
      if (!is_even(d)) continue;
      const Int& extent = copy_.extents[d];
      const std::int64_t piece = piece_of(d);
      HEDDLE_TRY(const std::int64_t from, from_.numbers.number(*from_.steps[d], piece - 1));
      HEDDLE_TRY(const std::int64_t to, to_.numbers.number(*to_.steps[d], piece - 1));
      places_.loops.push_back({piece, from, to});
      if (known_equal(extent, piece)) continue;
      around_.push_back({floor_div(extent, piece), *from_.steps[d] * piece, *to_.steps[d] * piece});
    }
    return {};
  }

  /// The steps along a coordinate that belong to tiles or to short loops around them, as far as it
  /// is known that they divide all of them; where rows lie along it, those of a row.
  std::int64_t piece_of(std::size_t d) {
    const Int& extent = copy_.extents[d];
    if (extent.is_constant() && extent.value() <= kLongLoop) return extent.value();
    std::int64_t piece = kPiece;
    while (!known_divides(piece, extent)) piece /= 2;
    std::int64_t wanted = 1;
    for (const Side* side : {&to_, &from_}) {
      const Int& step = *side->steps[d];
      if (!step.is_constant() || step.value() == 0) continue;
      wanted = std::max(wanted, kRowBits / copy_.bits / std::abs(step.value()));
    }
    if (piece >= wanted || !is_power_of_two(wanted)) return piece;
    if (extent.is_constant()) return extent.value();
    done_.conditions.push_back({wanted, Predicate::kDivides, extent});
    return wanted;
  }

  /// The places along the coordinates along which one side is not even.
  Result<void> add_table() {
    std::vector<std::size_t> uneven;
    std::int64_t count = 1;
    for (std::size_t d = 0; d != copy_.names.size(); ++d) {
      if (is_even(d)) continue;
      const Int& extent = copy_.extents[d];
      if (!extent.is_constant() || extent.value() > kMostPlaces / count) {
        return refuse_tiles(
            fmt::format("more than {} places are not known to be evenly spaced", kMostPlaces));
      }
      uneven.push_back(d);
      table_extents_.push_back(extent.value());
      count *= extent.value();
    }
    HEDDLE_TRY(const std::vector<std::int64_t> from, places_along(from_, uneven, count));
    HEDDLE_TRY(const std::vector<std::int64_t> to, places_along(to_, uneven, count));
    for (std::size_t i = 0; i != from.size(); ++i) places_.table.push_back({from[i], to[i]});
    const std::int64_t whole = std::max<std::int64_t>(1, 8 / copy_.bits);
    for (const Side* side : {&to_, &from_}) {
      if (known_divides(whole, side->base)) continue;
      return refuse_tiles(
          fmt::format("the address {} is not known to begin a byte", to_string(side->base)));
    }
    return {};
  }

  /// The places of one side at the points of these coordinates, the first one fastest: sums of even
  /// steps, and what is evaluated along the others.
  Result<std::vector<std::int64_t>> places_along(Side& side, const std::vector<std::size_t>& along,
                                                 std::int64_t count) const {
    Bindings point;
    for (const std::string& name : copy_.names) point[name] = 0;
    HEDDLE_TRY(side.base, instantiate(side.place.address, point));
    std::vector<std::int64_t> steps;
    bool is_evaluated = false;
    for (const std::size_t d : along) {
      const std::optional<Int>& step = side.steps[d];
      is_evaluated = is_evaluated || !step;
      HEDDLE_TRY(steps.emplace_back(),
                 side.numbers.number(step.value_or(0), copy_.extents[d].value() - 1));
    }
    const std::int64_t first = is_evaluated ? first_place(side.base) : 0;
    side.base -= first;
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i != count; ++i) {
      std::int64_t rest = i;
      std::int64_t sum = first;
      for (std::size_t k = 0; k != along.size(); ++k) {
        const std::size_t d = along[k];
        const std::int64_t index = rest % copy_.extents[d].value();
        rest /= copy_.extents[d].value();
        sum += index * steps[k];
        if (!side.steps[d]) point[copy_.names[d]] = index;
      }
      if (is_evaluated) {
        HEDDLE_TRY(const std::int64_t place, place_at(side, point));
        sum += place - first;
      }
      places.push_back(sum);
    }
    return places;
  }

  /// What bits are combined with: the address of the first element without what blocks add to it.
  static std::int64_t first_place(const Int& base) {
    Int first = base;
    for (const std::string& name : variables(base)) {
      if (auto without = instantiate(first, {{name, 0}})) first = *std::move(without);
    }
    return first.is_constant() ? first.value() : 0;
  }

  static Result<std::int64_t> place_at(const Side& side, const Bindings& point) {
    HEDDLE_TRY(const Int address, instantiate(side.place.address, point));
    const Int place = address - side.base;
    constexpr std::int64_t kMost = std::int64_t{1} << 24;
    if (place.is_constant() && place.value() >= 0 && place.value() < kMost) return place.value();
    return refuse_tiles(fmt::format("the address {} is not known to be a number after {}",
                                    to_string(address), to_string(side.base)));
  }

  move::BitLoops loops_in_bits() {
    move::Places places = move::in_loops(std::move(places_), table_extents_);
    for (move::Loop& loop : places.loops) {
      loop.from *= copy_.bits;
      loop.to *= copy_.bits;
    }
    for (move::Place& place : places.table) {
      place.from *= copy_.bits;
      place.to *= copy_.bits;
    }
    return {copy_.bits, std::move(places.loops), std::move(places.table)};
  }

  // --- what was found ---

  [[nodiscard]] Int from(std::int64_t bytes) const {
    return from_.numbers.step(bytes * 8 / copy_.bits);
  }
  [[nodiscard]] Int to(std::int64_t bytes) const {
    return to_.numbers.step(bytes * 8 / copy_.bits);
  }

  Result<void> add_tiles(const move::Shuffle& shuffle, bool only_streams) {
    move::ShuffledTiles tiles = shuffle.tiles;
    if (tiles.rows.size() > kMostRows || shuffle.table.size() > kMostTables) {
      return refuse_tiles(
          fmt::format("{} tiles of {} rows of 16 bytes; at most {} of {} are written "
                      "out",
                      shuffle.table.size(), tiles.rows.size(), kMostTables, kMostRows));
    }
    done_.notes.push_back({"tiles", to_string(tiles)});
    const bool streams = copy_.streams && join_lines(tiles);
    if (only_streams && !streams) return refuse_tiles("lines are not known to begin where rows do");
    if (copy_.streams) {
      done_.notes.push_back(
          {"stores", !streams ? "through the caches: rows do not fill lines of 64 bytes"
                     : known(*copy_.streams)
                         ? "past the caches"
                         : fmt::format("past the caches if {}", to_string(*copy_.streams))});
    }
    PermuteRows node;
    node.to = copy_.to;
    node.from = copy_.from;
    node.type = copy_.type;
    node.steps = std::move(tiles.steps);
    if (streams) node.streams = copy_.streams;
    for (const move::Place& row : tiles.rows) node.rows.push_back({from(row.from), to(row.to)});
    node.order.resize(tiles.rows.size());
    std::iota(node.order.begin(), node.order.end(), std::size_t{0});
    std::ranges::sort(node.order, {}, [&](std::size_t row) { return tiles.rows[row].to; });
    // Along the destination, so that lines are written one after the other.
    std::ranges::stable_sort(tiles.loops, std::greater<>(),
                             [](const move::Loop& loop) { return std::abs(loop.to); });
    node.loops = around_;
    for (const move::Loop& loop : tiles.loops) {
      node.loops.push_back({loop.extent, from(loop.from), to(loop.to)});
    }
    for (const move::Place& place : shuffle.table) {
      node.from.address = from_.base + from(place.from);
      node.to.address = to_.base + to(place.to);
      done_.body.push_back({node});
    }
    return {};
  }

  /// Takes tiles together whose rows fill lines of the destination; false if none are known to.
  /// Then also such that lines of the source are read at once, as far as there are not too many
  /// rows.
  bool join_lines(move::ShuffledTiles& tiles) const {
    move::ShuffledTiles joined = tiles;
    if (!join(joined, &move::Place::to, &move::Loop::to)) return false;
    move::ShuffledTiles more = joined;
    if (join(more, &move::Place::from, &move::Loop::from)) joined = std::move(more);
    const auto is_line = [&](const Int& step) {
      return known_divides(kLineBits / copy_.bits, step);
    };
    const auto begins_line = [&](std::int64_t place) { return is_line(to(place)); };
    const bool are_lines =
        std::ranges::all_of(begins_of_runs(joined.rows, &move::Place::to), begins_line) &&
        std::ranges::all_of(joined.loops, begins_line, &move::Loop::to) &&
        std::ranges::all_of(around_, is_line, &PermuteRows::Loop::to);
    if (are_lines) tiles = std::move(joined);
    return are_lines;
  }

  static std::vector<std::int64_t> sorted_places(const std::vector<move::Place>& rows,
                                                 std::int64_t move::Place::* side) {
    std::vector<std::int64_t> places;
    for (const move::Place& row : rows) places.push_back(row.*side);
    std::ranges::sort(places);
    return places;
  }

  /// Where rows begin that do not follow another one.
  static std::vector<std::int64_t> begins_of_runs(const std::vector<move::Place>& rows,
                                                  std::int64_t move::Place::* side) {
    std::vector<std::int64_t> begins = sorted_places(rows, side);
    const std::vector<std::int64_t> places = begins;
    std::erase_if(begins, [&](std::int64_t place) {
      return std::ranges::binary_search(places, place - move::kLaneBytes);
    });
    return begins;
  }

  /// Doubles the tiles until the runs of rows of one side fill lines; false if they do not.
  static bool join(move::ShuffledTiles& tiles, std::int64_t move::Place::* side,
                   std::int64_t move::Loop::* step) {
    for (;;) {
      std::int64_t length = kRowsOfLine;
      const std::vector<std::int64_t> places = sorted_places(tiles.rows, side);
      for (const std::int64_t begin : begins_of_runs(tiles.rows, side)) {
        std::int64_t rows = 0;
        while (std::ranges::binary_search(places, begin + rows * move::kLaneBytes)) ++rows;
        length = std::gcd(length, rows);
      }
      if (length == kRowsOfLine) return true;
      const auto next = std::ranges::find_if(tiles.loops, [&](const move::Loop& loop) {
        return loop.*step == length * move::kLaneBytes && loop.extent % 2 == 0;
      });
      if (next == tiles.loops.end() || 2 * tiles.rows.size() > kMostRows) return false;
      for (std::size_t i = 0, count = tiles.rows.size(); i != count; ++i) {
        const move::Place& row = tiles.rows[i];
        tiles.rows.push_back({row.from + next->from, row.to + next->to});
      }
      *next = {next->extent / 2, 2 * next->from, 2 * next->to};
      if (next->extent == 1) tiles.loops.erase(next);
    }
  }

  /// What is too little for tiles, element by element.
  Result<void> add_rest(const move::Program& rest) {
    if (rest.counts_bits || copy_.bits < 8 || rest.table.size() > kMostTables) {
      return refuse_tiles("what is left over of tiles has parts of bytes, or too many places");
    }
    std::vector<PermuteRows::Loop> loops = around_;
    std::vector<move::Loop> steps = rest.outer;
    steps.insert(steps.end(), rest.nest.loops.rbegin(), rest.nest.loops.rend());
    steps.push_back({rest.nest.unit * 8 / copy_.bits, copy_.bits / 8, copy_.bits / 8});
    for (const move::Loop& loop : steps) {
      loops.push_back({loop.extent, from(loop.from), to(loop.to)});
    }
    for (const move::Place& place : rest.table) {
      Location read{copy_.from.buffer, from_.base + from(place.from + rest.nest.from)};
      Location written{copy_.to.buffer, to_.base + to(place.to + rest.nest.to)};
      std::vector<std::string> names;
      for (const PermuteRows::Loop& loop : loops) {
        names.push_back(fresh_("rest"));
        read.address += loop.from * Int::variable(names.back());
        written.address += loop.to * Int::variable(names.back());
      }
      const DType computed = computed_in(copy_.type);
      ThreadBlock body;
      body.push_back({StoreElement{std::move(written),
                                   {Computation::Load{std::move(read), {}, {}}, computed, {}}}});
      for (std::size_t i = loops.size(); i-- != 0;) {
        ThreadLoop loop{names[i], loops[i].extent, std::move(body)};
        loop.is_vector = true;
        body = {};
        body.push_back({std::move(loop)});
      }
      std::ranges::move(body, std::back_inserter(done_.body));
    }
    return {};
  }

  const BoxCopy& copy_;
  const Fresh& fresh_;
  Side to_;
  Side from_;
  move::Places places_;
  std::vector<std::int64_t> table_extents_;
  /// Around the tiles, the steps that are not counted among theirs.
  std::vector<PermuteRows::Loop> around_;
  PermutedBox done_;
};

}  // namespace

Result<PermutedBox> permuted(const BoxCopy& copy, const Fresh& fresh) {
  return Permuter(copy, fresh).permuted();
}

}  // namespace heddle::kernel
