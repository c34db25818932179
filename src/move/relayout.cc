#include "heddle/move/relayout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>
#include <new>
#include <thread>
#include <utility>

#include "core/bits.h"
#include "core/format.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "expr/format.h"
#include "heddle/core/exact.h"
#include "heddle/map/decide.h"
#include "heddle/map/instantiate.h"
#include "map/reading/read_as.h"
#include "map/view/flat_map.h"
#include "map/view/shown_digits.h"
#include "move/program.h"

namespace heddle::move {
namespace {

using map::AnyLayout;
using map::FlatMap;

constexpr std::int64_t kMaxElementBits = std::int64_t{1} << 20;
/// Places in bits are below this.
constexpr std::int64_t kMaxReach = std::int64_t{1} << 62;

constexpr std::int64_t kMaxThreads = 256;

Refusal out_of_memory() {
  return refuse(diagnose("move.too_large", "there is not enough memory to plan or move this")
                    .with_hint("move a part at a time, in fewer threads"));
}

Refusal stopped(std::string_view what_is_there) {
  return refuse("move.stopped", "the move was stopped; {}", what_is_there);
}

// ---- Both sides on one axis ----

Result<FlatMap> on_one_axis(FlatMap map, const AnyLayout& layout) {
  if (map.axes.size() > 1 && has_bounds(map)) flatten_axes(map, Axis::memory());
  if (map.axes.size() != 1) map = without_zero_axes(map);
  if (map.axes.empty()) {
    pick_axes(map, std::vector<std::optional<std::size_t>>(1), {Axis::memory()});
  }
  if (map.axes.size() > 1) {
    return refuse(diagnose("move.axes",
                           "the places of {} have {}, ({}), and a buffer "
                           "has one",
                           map::to_string(layout), counted(map.axes.size(), "coordinate"),
                           fmt::join(map::names_of(map.axes), ","))
                      .with_hint("a layout of memory is needed: convert it, or give its axes "
                                 "strides in one buffer"));
  }
  return map;
}

struct Sides {
  FlatMap from;
  FlatMap to;
  /// How points of different shapes are matched.
  std::string matched;
};

/// Whether the layout leads from who holds an element to the element's coordinates, and not to
/// places of a buffer.
bool leads_to_elements(const map::View& view) {
  return map::names_places(view) || view.system == map::System::kCuteTv;
}

/// The reading if none is said. Refuses layouts that lead to elements and are not read backwards.
Result<map::Reading> reading_by_default(const map::View& from, const map::View& to) {
  map::Reading reading = map::Reading::kLiteral;
  for (const map::View* view : {&from, &to}) {
    const bool is_linear = view->system == map::System::kLinear;
    if (leads_to_elements(*view) && !is_linear) {
      const bool has_names = map::names_places(*view);
      return refuse(
          diagnose("move.axes",
                   "the layout goes from ({}) to coordinates, not to places of a buffer",
                   has_names ? fmt::format("{}", fmt::join(view->names, ",")) : "thread,value")
              .with_hint(
                  "convert(…, \"linear\") gives a layout of registers, which is moved as each "
                  "thread's registers one after the other; --as literal takes coordinates as "
                  "places"));
    }
    if (is_linear && (leads_to_elements(*view) || map::names_offset(*view))) {
      reading = map::Reading::kMemory;
    }
  }
  return reading;
}

/// Both sides as they are read. Two linear layouts are both read backwards, as memory.
Result<map::ReadPair> read_pair(map::Reading reading, const map::Side& from, const map::Side& to,
                                const map::DecideOptions& options) {
  const bool are_linear =
      from.view.system == map::System::kLinear && to.view.system == map::System::kLinear;
  if (reading != map::Reading::kMemory || !are_linear || !leads_to_elements(from.view) ||
      !leads_to_elements(to.view)) {
    return map::read_as(reading, from, to, options);
  }
  HEDDLE_TRY(map::View a, map::read_as(reading, from, options));
  HEDDLE_TRY(map::View b, map::read_as(reading, to, options));
  return map::ReadPair{std::move(a), std::move(b), {}, {}};
}

Result<Sides> sides_of(const AnyLayout& from, const map::View& view_from, const AnyLayout& to,
                       const map::View& view_to, map::Reading reading,
                       const map::DecideOptions& options) {
  HEDDLE_TRY(const map::ReadPair read,
             read_pair(reading, {from, view_from}, {to, view_to}, options));
  map::Pair pair = map::matched_points(read.a, read.b);
  if (!known_equal(pair.left.points, pair.right.points)) {
    return refuse("move.sizes", "{} has {} and {} has {}; each moves to one place",
                  map::to_string(from), counted(to_string(pair.left.points), "element"),
                  map::to_string(to), to_string(pair.right.points));
  }
  std::string matched;
  if (!pair.same_points) {
    const auto fastest = [](const FlatMap& map) {
      return map.order == form::FlatOrder::kFirstFastest ? "first" : "last";
    };
    const std::string_view first = fastest(pair.left);
    const std::string_view second = fastest(pair.right);
    matched = fmt::format("by flat index, {} mode fastest{}: ({}) and ({})", first,
                          first == second ? "" : fmt::format(" and {}", second),
                          fmt::join(pair.left.extents, ","), fmt::join(pair.right.extents, ","));
  }
  HEDDLE_TRY(FlatMap left, on_one_axis(std::move(pair.left), from));
  HEDDLE_TRY(FlatMap right, on_one_axis(std::move(pair.right), to));
  for (const auto& [side, layout] : {std::pair(&left, &from), std::pair(&right, &to)}) {
    if (side->is_constant()) continue;
    return refuse(
        diagnose("move.symbolic", "{} has sizes that are not known", map::to_string(*layout))
            .with_hint(value_hint(side->extents) + "; heddle relayout takes --size M=256"));
  }
  return Sides{std::move(left), std::move(right), std::move(matched)};
}

// ---- Reach ----

/// The least and the greatest place, both included.
struct Reach {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Refuses places whose bits are past kMaxReach, before anything is computed with them.
Result<void> check_reach(const FlatMap& map, std::int64_t bits, const AnyLayout& layout) {
  const auto refusal = [&] {
    return refuse("move.too_large", "the places of {} reach past 2^62 bits",
                  map::to_string(layout));
  };
  exact::Value reach = 1;
  const auto add = [&](std::int64_t steps, std::int64_t step) {
    const auto size = exact::absolute(step);
    const auto far = size ? exact::multiply(steps, *size) : std::nullopt;
    reach = reach && far ? exact::add(*reach, *far) : std::nullopt;
  };
  const auto points = exact::multiply(map.points.value(), map.copies.value());
  if (!points || *points > kMaxReach / bits) return refusal();
  if (map.strided) {
    for (const auto& digits : {map::one_mode(*map.strided), map.strided->copies}) {
      for (const form::Digit& digit : digits) {
        add(digit.extent.value() - 1, digit.stride.front().value());
      }
    }
    add(1, map.strided->offset.front().value());
    // A swizzle may set every bit that it knows.
    if (map.strided->swizzle) {
      const std::int64_t source = map.strided->swizzle->source;
      add(map.strided->swizzle->shift < 0 ? std::int64_t{1} << -map.strided->swizzle->shift : 1,
          source);
    }
  } else if (map.bits) {
    std::uint64_t all = map.bits->offset;
    for (const std::uint64_t column : map.bits->matrix.columns()) all |= column;
    if (all >= static_cast<std::uint64_t>(kMaxReach)) return refusal();
    add(1, static_cast<std::int64_t>(all));
  }
  const auto far = reach ? exact::multiply(*reach, bits) : std::nullopt;
  if (!far || *far >= kMaxReach) return refusal();
  return {};
}

Reach reach_of(const Places& places, std::int64_t Loop::* step, std::int64_t Place::* place) {
  const auto [low, high] = std::ranges::minmax_element(places.table, {}, place);
  Reach reach{(*low).*place, (*high).*place};
  for (const Loop& loop : places.loops) {
    const std::int64_t last = (loop.extent - 1) * (loop.*step);
    (last < 0 ? reach.low : reach.high) += last;
  }
  return reach;
}

/// Refuses a negative place, with a coordinate if one is found among the first.
Result<void> check_not_negative(const Reach& reach, const FlatMap& map, const AnyLayout& layout) {
  if (reach.low >= 0) return {};
  constexpr std::int64_t kSearched = std::int64_t{1} << 16;
  Diagnostic diagnostic = diagnose("move.negative", "{} has the place {}, and a buffer begins at 0",
                                   map::to_string(layout), reach.low)
                              .with_hint("add an offset, as in S[(6):(-1@m)] + 5@m");
  for (std::int64_t flat = 0; flat < std::min(kSearched, map.points.value()); ++flat) {
    const auto place = map.numbers_at(flat, 0);
    if (!place || place->front() >= 0) continue;
    return refuse(
        std::move(diagnostic)
            .with_witness({map.point_text(flat), map.image_text(flat), "at least 0", "a buffer"}));
  }
  return refuse(std::move(diagnostic));
}

/// Refuses two points with one place, found by trying all of them.
Result<void> check_every_place(const FlatMap& map, const AnyLayout& layout,
                               const std::string& why) {
  constexpr std::int64_t kTried = std::int64_t{1} << 22;
  if (map.points.value() > kTried / map.copies.value()) {
    return refuse("move.too_large",
                  "it is not known whether {} writes a place twice ({}), and its {} places are too "
                  "many to try; at most {} are",
                  map::to_string(layout), why, to_string(map.points * map.copies), kTried);
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (std::int64_t flat = 0; flat < map.points.value(); ++flat) {
    for (std::int64_t copy = 0; copy < map.copies.value(); ++copy) {
      if (const auto place = map.numbers_at(flat, copy)) places.emplace_back(place->front(), flat);
    }
  }
  std::ranges::sort(places);
  const auto meet = std::ranges::adjacent_find(places, [](const auto& a, const auto& b) {
    return a.first == b.first && a.second != b.second;
  });
  if (meet == places.end()) return {};
  return refuse("move.overlap", "{} has the coordinates {} and {} at place {}",
                map::to_string(layout), map.point_text(meet->second),
                map.point_text((meet + 1)->second), meet->first);
}

/// Whether the destination has every place once. Points that are evaluated are checked there.
Result<void> check_overlap(const AnyLayout& to, const FlatMap& map, map::Reading reading,
                           const map::DecideOptions& options) {
  map::DecideOptions read = options;
  read.reading = reading;
  const Verdict verdict = map::injective(to, read);
  if (verdict.is_yes()) return {};
  if (verdict.is_unknown()) return check_every_place(map, to, verdict.method());
  Diagnostic diagnostic =
      diagnose("move.overlap", "{} has two coordinates at one place, which would be written twice",
               map::to_string(to));
  std::optional<Witness> witness = verdict.counterexample();
  if (!witness) return refuse(std::move(diagnostic));
  if (witness->numbers && witness->numbers->other && witness->numbers->other->flat) {
    witness->wanted_by = "a move";
    witness->wanted =
        "another place than " + map.point_text(*witness->numbers->other->flat) + " has";
  }
  return refuse(std::move(diagnostic).with_witness(*std::move(witness)));
}

// ---- Programs ----

Program program_of_places(Places places, std::int64_t elements, std::int64_t bits, Reach from,
                          Reach to) {
  const auto bytes_up_to = [&](const Reach& reach) { return ((reach.high + 1) * bits + 7) / 8; };
  for (Loop& loop : places.loops) {
    loop.from *= bits;
    loop.to *= bits;
  }
  for (Place& place : places.table) {
    place.from *= bits;
    place.to *= bits;
  }
  Program program = program_of({bits, std::move(places.loops), std::move(places.table)},
                               {.bits = elements * bits});
  program.elements = elements;
  program.element_bits = bits;
  program.origin = std::move(places.origin);
  program.source_bytes = bytes_up_to(from);
  program.destination_bytes = bytes_up_to(to);
  return program;
}

// ---- Running ----

/// Moves [begin, end) of the items of a program, by way of a buffer that no other thread uses.
using Work = std::function<void(std::int64_t begin, std::int64_t end, const Buffer& buffer)>;

/// The bytes of the first items: all are `bytes` together.
std::int64_t bytes_before(std::int64_t item, std::int64_t count, std::int64_t bytes) {
  if (item == count) return bytes;
  return static_cast<std::int64_t>(static_cast<double>(bytes) / static_cast<double>(count) *
                                   static_cast<double>(item));
}

/// Calls `work` with all of the items [0, count), which are `bytes` together, in up to so many
/// threads and a few megabytes at a time. The caller does what no thread can be started for.
Result<void> in_threads(std::int64_t count, std::int64_t bytes, std::int64_t buffer_bytes,
                        const RunOptions& options, const Work& work) {
  constexpr std::int64_t kAtATime = std::int64_t{4} << 20;
  const auto parts =
      std::max<std::int64_t>(1, std::min({count, std::int64_t{options.threads}, kMaxThreads}));
  const std::int64_t step =
      std::clamp(kAtATime / std::max(bytes / count, std::int64_t{1}), std::int64_t{1},
                 std::max<std::int64_t>(1, count / (4 * parts)));
  std::vector<Buffer> buffers;
  for (std::int64_t i = 0; i < parts; ++i) buffers.emplace_back(buffer_bytes);
  std::atomic<std::int64_t> next = 0;
  std::atomic<bool> is_out_of_memory = false;
  std::atomic<bool> is_stopped = false;
  const auto run_part = [&](std::int64_t i) {
    try {
      for (std::int64_t begin = next.fetch_add(step); begin < count; begin = next.fetch_add(step)) {
        if (options.stop.stop_requested()) {
          is_stopped = true;
          return;
        }
        const std::int64_t end = begin + std::min(step, count - begin);
        work(begin, end, buffers[static_cast<std::size_t>(i)]);
        if (options.progress == nullptr) continue;
        options.progress->moved +=
            bytes_before(end, count, bytes) - bytes_before(begin, count, bytes);
      }
    } catch (const std::bad_alloc&) {
      is_out_of_memory = true;
    }
  };
  std::int64_t started = 0;
  {
    std::vector<std::jthread> running;
    running.reserve(static_cast<std::size_t>(parts));
    try {
      for (; started < parts - 1; ++started) running.emplace_back(run_part, started);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the caller does the rest
      // Slower, and all the same done.
    }
    for (std::int64_t i = started; i < parts; ++i) run_part(i);
  }
  if (is_out_of_memory) return out_of_memory();
  if (is_stopped) return stopped("the destination holds some of the elements");
  return {};
}

/// Calls visit(from, to) for the pieces [begin, end) of a program, counted place by place.
template <class Visit>
void for_each_piece(const Program& program, std::int64_t begin, std::int64_t end,
                    const Visit& visit) {
  const Nest& nest = program.nest;
  const std::int64_t pieces = count_of(nest.loops);
  const std::int64_t places = std::ssize(program.table);
  const std::int64_t last = (end + pieces - 1) / pieces;
  std::int64_t at = begin / pieces;
  for_each(program.outer, at / places, (last + places - 1) / places,
           [&](std::int64_t from, std::int64_t to) {
             const std::int64_t end_of_table = std::min(last, (at / places + 1) * places);
             for (; at < end_of_table; ++at) {
               const Place place = program.table[static_cast<std::size_t>(at % places)];
               for_each(nest.loops, std::max<std::int64_t>(0, begin - at * pieces),
                        std::min(pieces, end - at * pieces), visit, from + place.from + nest.from,
                        to + place.to + nest.to);
             }
           });
}

std::int64_t pieces_of(const Program& program) {
  return count_of(program.outer) * std::ssize(program.table) * count_of(program.nest.loops);
}

/// The bytes that a program without shuffles moves.
std::int64_t bytes_of(const Program& program) {
  const std::int64_t pieces = pieces_of(program);
  if (!program.counts_bits) return pieces * program.nest.unit;
  return std::max<std::int64_t>(1, pieces / 8 * program.nest.unit);
}

Result<void> run_bits(const Program& program, const std::byte* source, std::byte* destination,
                      const RunOptions& options) {
  RunOptions alone = options;
  alone.threads = 1;
  const std::int64_t unit = program.nest.unit;
  return in_threads(pieces_of(program), bytes_of(program), 0, alone,
                    [&](std::int64_t begin, std::int64_t end, const Buffer&) {
                      for_each_piece(program, begin, end, [&](std::int64_t from, std::int64_t to) {
                        move_bits(source, from, destination, to, unit);
                      });
                    });
}

/// The pieces of a table, where the nest is a single one.
void copy_places(const Nest& nest, std::span<const Place> table, const std::byte* source,
                 std::byte* destination) {
  const bool is_done = with_fixed_unit(nest.unit, [&](auto fixed) {
    for (const Place& place : table) {
      __builtin_memcpy(destination + place.to, source + place.from, fixed);
    }
  });
  if (is_done) return;
  for (const Place& place : table) {
    copy_pieces(source + place.from, 0, destination + place.to, 0, 1, nest.unit);
  }
}

Result<void> run_bytes(const Program& program, const std::byte* source, std::byte* destination,
                       const RunOptions& options) {
  const Nest& nest = program.nest;
  const std::int64_t outer = count_of(program.outer);
  const std::int64_t places = std::ssize(program.table);
  const std::int64_t bytes = bytes_of(program);
  if (outer == 1 && places == 1) {
    const Place place = program.table.front();
    const NestRun run(nest, source + place.from, destination + place.to);
    return in_threads(run.blocks(), bytes, nest.buffer_bytes(), options,
                      [&](std::int64_t begin, std::int64_t end, const Buffer& buffer) {
                        run.run(begin, end, buffer);
                      });
  }
  const bool splits_table = outer < options.threads;
  const auto work = [&](std::int64_t begin, std::int64_t end, const Buffer& buffer) {
    const auto table = splits_table ? std::span(program.table)
                                          .subspan(static_cast<std::size_t>(begin),
                                                   static_cast<std::size_t>(end - begin))
                                    : std::span(program.table);
    for_each(program.outer, splits_table ? 0 : begin, splits_table ? outer : end,
             [&](std::int64_t from, std::int64_t to) {
               if (nest.loops.empty()) {
                 return copy_places(nest, table, source + from, destination + to);
               }
               for (const Place& place : table) {
                 const NestRun run(nest, source + from + place.from, destination + to + place.to);
                 run.run(0, run.blocks(), buffer);
               }
             });
  };
  return in_threads(splits_table ? places : outer, bytes, nest.buffer_bytes(), options, work);
}

Result<void> run_program(const Program& program, const std::byte* source, std::byte* destination,
                         const RunOptions& options) {
  if (!program.shuffle) {
    return (program.counts_bits ? run_bits : run_bytes)(program, source, destination, options);
  }
  const Shuffle& shuffle = *program.shuffle;
  HEDDLE_CHECK(in_threads(shuffle.blocks(), shuffle.blocks() * shuffle.block_bytes(),
                          shuffle.buffer_bytes(), options,
                          [&](std::int64_t begin, std::int64_t end, const Buffer& buffer) {
                            shuffle.run(source, destination, begin, end, buffer);
                          }));
  for (const Program& rest : program.rests) {
    HEDDLE_CHECK(run_program(rest, source, destination, options));
  }
  return {};
}

/// The bytes that are written, as progress counts them.
std::int64_t moved_bytes(const Program& program) {
  if (!program.shuffle) return bytes_of(program);
  std::int64_t bytes = program.shuffle->blocks() * program.shuffle->block_bytes();
  for (const Program& rest : program.rests) bytes += bytes_of(rest);
  return bytes;
}

/// Refuses a buffer that is too short.
Result<void> check_buffer(std::string_view side, std::size_t bytes, std::int64_t needed) {
  if (static_cast<std::int64_t>(bytes) >= needed) return {};
  return refuse("move.buffer", "the {} has {} bytes, and the layout reaches {}", side, bytes,
                needed);
}

// ---- In place ----

constexpr std::int64_t kMaxPieces = std::int64_t{1} << 26;

Refusal not_in_place(std::string_view why) {
  return refuse(diagnose("move.in_place", "the elements cannot move within one buffer: {}", why)
                    .with_hint("move them to another buffer or file"));
}

/// For each piece of the destination the piece of the source that goes there; -1 for none.
Result<std::vector<std::int64_t>> sources_of(const Program& program) {
  const Nest& nest = program.nest;
  if (program.counts_bits) return not_in_place("they share bytes with others");
  const std::int64_t pieces = program.destination_bytes / nest.unit + 1;
  if (pieces > kMaxPieces) {
    return refuse("move.too_large", "{} pieces of {} bytes; at most {} are moved in place", pieces,
                  nest.unit, kMaxPieces);
  }
  std::vector<std::int64_t> sources(static_cast<std::size_t>(pieces), -1);
  bool is_aligned = true;
  const std::int64_t begin = (program.table.front().to + nest.to) % nest.unit;
  for_each_piece(program, 0, pieces_of(program), [&](std::int64_t there, std::int64_t here) {
    const std::int64_t from = there - begin;
    const std::int64_t to = here - begin;
    is_aligned = is_aligned && from >= 0 && to >= 0 && from % nest.unit == 0 && to % nest.unit == 0;
    if (is_aligned) sources[static_cast<std::size_t>(to / nest.unit)] = from / nest.unit;
  });
  if (!is_aligned) return not_in_place("pieces of the source overlap those of the destination");
  // A permutation reads each piece that it writes, and no other.
  std::vector<bool> is_read(sources.size());
  for (const std::int64_t source : sources) {
    if (source < 0) continue;
    const auto at = static_cast<std::size_t>(source);
    if (at >= sources.size() || sources[at] < 0) {
      return not_in_place(
          fmt::format("the piece at byte {} is read and not written", source * nest.unit + begin));
    }
    if (is_read[at]) {
      return not_in_place(fmt::format("the piece at byte {} is written to several places",
                                      source * nest.unit + begin));
    }
    is_read[at] = true;
  }
  return sources;
}

Result<Plan> plan_of(const AnyLayout& from, const AnyLayout& to, std::int64_t element_bits,
                     const PlanOptions& options) {
  if (element_bits < 1 || element_bits > kMaxElementBits) {
    return refuse("move.bits", "elements of {} bits; they have 1 to {}", element_bits,
                  kMaxElementBits);
  }
  if (!options.sizes.empty()) {
    PlanOptions bound = options;
    bound.sizes.clear();
    HEDDLE_TRY(const AnyLayout bound_from, map::instantiate(from, options.sizes));
    HEDDLE_TRY(const AnyLayout bound_to, map::instantiate(to, options.sizes));
    return plan_of(bound_from, bound_to, element_bits, bound);
  }
  map::DecideOptions decide;
  decide.limits = options.limits;
  HEDDLE_TRY(const map::View view_from, map::view(from, options.limits));
  HEDDLE_TRY(const map::View view_to, map::view(to, options.limits));
  map::Reading reading = map::Reading::kLiteral;
  if (options.reading) {
    reading = *options.reading;
  } else {
    HEDDLE_TRY(reading, reading_by_default(view_from, view_to));
  }
  HEDDLE_TRY(const Sides sides, sides_of(from, view_from, to, view_to, reading, decide));
  HEDDLE_CHECK(check_reach(sides.from, element_bits, from));
  HEDDLE_CHECK(check_reach(sides.to, element_bits, to));
  if (!sides.to.leaves_out) {
    HEDDLE_CHECK(check_overlap(to, sides.to, reading, decide));
  }
  HEDDLE_TRY(Places places, places_of(sides.from, sides.to));
  if (places.table.empty()) {
    return Plan(std::make_shared<const Program>(Program{.element_bits = element_bits}));
  }
  const Reach reach_from = reach_of(places, &Loop::from, &Place::from);
  const Reach reach_to = reach_of(places, &Loop::to, &Place::to);
  // What was evaluated point by point has not been held against the limit before.
  for (const auto& [reach, layout] : {std::pair(reach_from, &from), std::pair(reach_to, &to)}) {
    if (reach.high < kMaxReach / element_bits) continue;
    return refuse("move.too_large", "the places of {} reach past 2^62 bits",
                  map::to_string(*layout));
  }
  HEDDLE_CHECK(check_not_negative(reach_from, sides.from, from));
  HEDDLE_CHECK(check_not_negative(reach_to, sides.to, to));
  Program program = program_of_places(std::move(places), sides.from.points.value(), element_bits,
                                      reach_from, reach_to);
  program.matched = sides.matched;
  return Plan(std::make_shared<const Program>(std::move(program)));
}

/// Moves along the cycles of the permutation.
Result<void> run_cycles(const Program& program, std::byte* buffer, const RunOptions& options) {
  HEDDLE_TRY(std::vector<std::int64_t> sources, sources_of(program));
  if (options.stop.stop_requested()) return stopped("the buffer is as it was");
  if (options.progress != nullptr) {
    options.progress->moved = 0;
    options.progress->of = pieces_of(program) * program.nest.unit;
  }
  const std::int64_t unit = program.nest.unit;
  std::byte* begin = buffer + (program.table.front().to + program.nest.to) % unit;
  const auto move = [&](std::byte* to, const std::byte* from) {
    copy_pieces(from, 0, to, 0, 1, unit);
  };
  std::vector<std::byte> first(static_cast<std::size_t>(unit));
  for (std::int64_t start = 0; start < std::ssize(sources); ++start) {
    if (sources[static_cast<std::size_t>(start)] < 0) continue;
    move(first.data(), begin + start * unit);
    std::int64_t moved = 0;
    for (std::int64_t at = start;;) {
      const std::int64_t next = std::exchange(sources[static_cast<std::size_t>(at)], -1);
      move(begin + at * unit, next == start ? first.data() : begin + next * unit);
      moved += unit;
      if (next == start) break;
      at = next;
    }
    if (options.progress != nullptr) options.progress->moved += moved;
  }
  return {};
}

/// Refuses where `work` runs out of memory.
template <class Work>
auto in_memory(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace

Result<Plan> make_plan(const AnyLayout& from, const AnyLayout& to, std::int64_t element_bits,
                       const PlanOptions& options) {
  return in_memory([&] { return plan_of(from, to, element_bits, options); });
}

std::int64_t Plan::elements() const { return program_->elements; }
std::int64_t Plan::element_bits() const { return program_->element_bits; }
std::int64_t Plan::source_bytes() const { return program_->source_bytes; }
std::int64_t Plan::destination_bytes() const { return program_->destination_bytes; }
const std::string& Plan::matched() const { return program_->matched; }

Result<void> Plan::run(std::span<const std::byte> source, std::span<std::byte> destination,
                       const RunOptions& options) const {
  HEDDLE_CHECK(check_buffer("source", source.size(), source_bytes()));
  HEDDLE_CHECK(check_buffer("destination", destination.size(), destination_bytes()));
  const std::byte* from = source.data();
  const std::byte* to = destination.data();
  if (std::less<>()(from, to + destination_bytes()) && std::less<>()(to, from + source_bytes())) {
    return refuse(Diagnostic("move.buffer", "source and destination overlap")
                      .with_hint("a move in place takes one buffer"));
  }
  if (program_->table.empty()) return {};
  if (options.progress != nullptr) {
    options.progress->moved = 0;
    options.progress->of = moved_bytes(*program_);
  }
  return in_memory([&] { return run_program(*program_, from, destination.data(), options); });
}

Result<void> Plan::run_in_place(std::span<std::byte> buffer, const RunOptions& options) const {
  HEDDLE_CHECK(
      check_buffer("buffer", buffer.size(), std::max(source_bytes(), destination_bytes())));
  if (program_->table.empty()) return {};
  return in_memory([&] { return run_cycles(*program_, buffer.data(), options); });
}

namespace {

std::string loops_text(std::span<const Loop> loops) {
  std::vector<std::string> texts;
  for (const Loop& loop : loops) {
    texts.push_back(fmt::format("{} ({} to {})", loop.extent, loop.from, loop.to));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// The bytes of the longest run on one side; runs that follow one another there are one.
std::int64_t longest(std::span<const Run> runs, std::int64_t Run::* side) {
  std::int64_t longest = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  for (const Run& run : runs) {
    if (run.*side != end) begin = run.*side;
    end = run.*side + run.bytes;
    longest = std::max(longest, end - begin);
  }
  return longest;
}

void add_steps(const Shuffle& shuffle, std::vector<std::pair<std::string, std::string>>& steps) {
  steps.emplace_back("kernel", to_string(shuffle.tiles));
  steps.emplace_back(
      "blocks", fmt::format("{} bytes, in runs of {} to runs of {}", shuffle.block_bytes(),
                            longest(shuffle.reads, &Run::from), longest(shuffle.writes, &Run::to)));
  steps.emplace_back("stores",
                     shuffle.streams ? "past the caches, from a buffer" : "through the caches");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> Plan::steps() const {
  const Program& program = *program_;
  std::vector<std::pair<std::string, std::string>> steps;
  steps.emplace_back(
      "moves",
      fmt::format("{} of {} bits, {} bytes to {} bytes", counted(program.elements, "element"),
                  program.element_bits, program.source_bytes, program.destination_bytes));
  if (!program.matched.empty()) steps.emplace_back("points", program.matched);
  if (program.table.empty()) return steps;
  const std::string_view measure = program.counts_bits ? "bits" : "bytes";
  if (!program.outer.empty()) {
    steps.emplace_back("outer", fmt::format("{} {}", loops_text(program.outer), measure));
  }
  if (program.table.size() > 1) {
    steps.emplace_back("table", fmt::format("{} places: {}", program.table.size(), program.origin));
  }
  if (!program.nest.loops.empty()) {
    steps.emplace_back("loops", fmt::format("{} {}", loops_text(program.nest.loops), measure));
  }
  if (program.shuffle) {
    add_steps(*program.shuffle, steps);
    for (const Program& rest : program.rests) {
      steps.emplace_back("rest",
                         fmt::format("{} {}, {}", loops_text(rest.nest.loops),
                                     rest.counts_bits ? "bits" : "bytes", kernel_text(rest)));
    }
    return steps;
  }
  steps.emplace_back("kernel", kernel_text(program));
  if (program.counts_bits || program.nest.loops.empty()) return steps;
  steps.emplace_back("blocks",
                     fmt::format("{} steps of the loops", fmt::join(program.nest.block, " x ")));
  steps.emplace_back(
      "stores", program.nest.streams ? "past the caches, from a buffer" : "through the caches");
  return steps;
}

std::string to_string(const Plan& plan) {
  std::string text;
  for (const auto& [name, step] : plan.steps()) {
    text += fmt::format("{}{:<7} {}", text.empty() ? "" : "\n", name, step);
  }
  return text;
}

}  // namespace heddle::move
