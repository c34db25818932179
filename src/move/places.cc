#include "move/places.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "core/bits.h"
#include "core/format.h"
#include "form/divisors.h"
#include "heddle/core/exact.h"
#include "map/view/shown_digits.h"

namespace heddle::move {
namespace {

using map::FlatMap;
using map::SwizzleStep;

Refusal too_large(std::int64_t places) {
  return refuse(
      diagnose("move.too_large",
               "{} places are neither digits nor bits of both layouts, and a table has at most {}",
               places, kMaxPlaces)
          .with_hint("move parts of it: a tile at a time"));
}

// ---- Digits ----

/// A digit of one side.
struct Part {
  std::int64_t extent = 1;
  std::int64_t step = 0;
};

std::vector<Part> parts_of(std::span<const form::Digit> digits) {
  std::vector<Part> parts;
  for (const form::Digit& digit : form::coalesced(digits)) {
    if (digit.extent.value() == 1) continue;
    parts.push_back({digit.extent.value(), digit.stride.front().value()});
  }
  return parts;
}

/// Takes the fastest `extent` steps off the digits.
void take(std::vector<Part>& parts, std::size_t& at, std::int64_t extent) {
  parts[at].extent /= extent;
  parts[at].step *= extent;
  if (parts[at].extent == 1) ++at;
}

/// The sums of the digits of an index below `count`.
std::vector<std::int64_t> sums_below(std::int64_t count, std::span<const Part> parts) {
  std::vector<std::int64_t> sums;
  sums.reserve(static_cast<std::size_t>(count));
  for (std::int64_t index = 0; index < count; ++index) {
    std::int64_t rest = index;
    std::int64_t sum = 0;
    for (const Part& part : parts) {
      sum += rest % part.extent * part.step;
      rest /= part.extent;
    }
    sums.push_back(sum);
  }
  return sums;
}

/// Combines every place of the table with every one of `more`.
Result<void> combine(std::vector<Place>& table, std::span<const Place> more) {
  const auto count = exact::multiply(std::ssize(table), std::ssize(more));
  if (!count || *count > kMaxPlaces) return too_large(count.value_or(INT64_MAX));
  std::vector<Place> all;
  all.reserve(static_cast<std::size_t>(*count));
  for (const Place& outer : table) {
    for (const Place& inner : more) {
      all.push_back({outer.from + inner.from, outer.to + inner.to});
    }
  }
  table = std::move(all);
  return {};
}

/// As combine(), with every step of a loop.
Result<void> unroll(std::vector<Place>& table, const Loop& loop) {
  if (loop.extent > kMaxPlaces) return too_large(loop.extent);
  std::vector<Place> steps;
  for (std::int64_t i = 0; i < loop.extent; ++i) steps.push_back({i * loop.from, i * loop.to});
  return combine(table, steps);
}

/// The digits of both sides cut at common boundaries; where they have none, a table.
Result<Places> refined(std::vector<Part> from, std::vector<Part> to) {
  Places places{.table = {Place{}}};
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() && j < to.size()) {
    const std::int64_t extent = std::gcd(from[i].extent, to[j].extent);
    if (extent > 1) {
      places.loops.push_back({extent, from[i].step, to[j].step});
      take(from, i, extent);
      take(to, j, extent);
      continue;
    }
    // The least index at which both sides begin a new digit.
    std::size_t next_i = i + 1;
    std::size_t next_j = j + 1;
    std::int64_t size_from = from[i].extent;
    std::int64_t size_to = to[j].extent;
    while (size_from != size_to) {
      auto& smaller = size_from < size_to ? size_from : size_to;
      const Part& next = size_from < size_to ? from[next_i++] : to[next_j++];
      smaller *= next.extent;
    }
    if (size_from > kMaxPlaces) return too_large(size_from);
    const auto sums_from = sums_below(size_from, std::span(from).subspan(i, next_i - i));
    const auto sums_to = sums_below(size_from, std::span(to).subspan(j, next_j - j));
    std::vector<Place> segment;
    for (std::size_t k = 0; k < sums_from.size(); ++k) {
      segment.push_back({sums_from[k], sums_to[k]});
    }
    HEDDLE_CHECK(combine(places.table, segment));
    places.origin = "boundaries of digits that the layouts do not share";
    i = next_i;
    j = next_j;
  }
  return places;
}

/// A swizzle leaves bits below `low` and from `high` on as they are.
struct Window {
  std::int64_t low = 1;
  std::int64_t high = 1;
};

Window window_of(const SwizzleStep& swizzle) {
  const auto source = static_cast<std::uint64_t>(swizzle.source);
  const std::uint64_t target =
      swizzle.shift >= 0 ? source >> swizzle.shift : source << -swizzle.shift;
  const std::uint64_t touched = source | target;
  // No place reaches 2^62.
  constexpr int kMaxBits = 62;
  return {std::int64_t{1} << std::min(kMaxBits, std::countr_zero(touched)),
          std::int64_t{1} << std::min(kMaxBits, static_cast<int>(std::bit_width(touched)))};
}

/// Cuts a loop where its steps on one side reach the window's ends.
void cut_at(std::vector<Loop>& loops, std::int64_t Loop::* step, std::int64_t boundary) {
  std::vector<Loop> cut;
  for (const Loop& loop : loops) {
    const std::int64_t size = std::abs(loop.*step);
    const std::int64_t steps = size == 0 ? 0 : boundary / std::gcd(boundary, size);
    if (steps <= 1 || steps >= loop.extent || loop.extent % steps != 0) {
      cut.push_back(loop);
      continue;
    }
    cut.push_back({steps, loop.from, loop.to});
    cut.push_back({loop.extent / steps, loop.from * steps, loop.to * steps});
  }
  loops = std::move(cut);
}

/// Whether each loop commutes with a swizzle of the places on one side.
std::vector<bool> untouched(const std::vector<Loop>& loops, std::span<const Place> table,
                            std::int64_t Loop::* step, std::int64_t Place::* place,
                            const Window& window) {
  const auto is_whole = [&](std::int64_t number) { return number % window.low == 0; };
  std::vector<bool> is_low(loops.size());
  std::int64_t reach = 0;
  bool are_whole = std::ranges::all_of(table, is_whole, place);
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const Loop& loop = loops[i];
    const std::int64_t last = (loop.extent - 1) * (loop.*step);
    is_low[i] = loop.*step > 0 && !is_whole(loop.*step) && last < window.low;
    if (is_low[i]) reach += last;
    are_whole = are_whole && (is_low[i] || is_whole(loop.*step));
  }
  const bool low_is_free = are_whole && reach < window.low;
  std::vector<bool> result;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const bool is_high = loops[i].*step % window.high == 0;
    result.push_back(is_high || (is_low[i] && low_is_free));
  }
  return result;
}

/// Moves the loops that a swizzle permutes into the table, and applies it there.
Result<void> apply_swizzles(Places& places, const std::optional<SwizzleStep>& from,
                            const std::optional<SwizzleStep>& to) {
  if (!from && !to) return {};
  std::vector<bool> stays;
  const auto restrict_to = [&](const std::vector<bool>& free) {
    for (std::size_t i = 0; i < free.size(); ++i) stays[i] = stays[i] && free[i];
  };
  for (const auto& [swizzle, step] : {std::pair(from, &Loop::from), std::pair(to, &Loop::to)}) {
    if (!swizzle) continue;
    cut_at(places.loops, step, window_of(*swizzle).low);
    cut_at(places.loops, step, window_of(*swizzle).high);
  }
  stays.assign(places.loops.size(), true);
  if (from) {
    restrict_to(untouched(places.loops, places.table, &Loop::from, &Place::from, window_of(*from)));
  }
  if (to) restrict_to(untouched(places.loops, places.table, &Loop::to, &Place::to, window_of(*to)));
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < places.loops.size(); ++i) {
    if (stays[i]) {
      loops.push_back(places.loops[i]);
      continue;
    }
    HEDDLE_CHECK(unroll(places.table, places.loops[i]));
    places.origin = "what a swizzle permutes";
  }
  places.loops = std::move(loops);
  for (Place& place : places.table) {
    if (from) place.from = map::swizzled(*from, place.from);
    if (to) place.to = map::swizzled(*to, place.to);
  }
  return {};
}

/// The different sums of the copies: the same place may be reached twice.
Result<void> add_copies(Places& places, std::span<const form::Digit> copies) {
  std::vector<Loop> loops;
  std::vector<Place> sums = {Place{}};
  for (const Part& part : parts_of(copies)) {
    loops.push_back({part.extent, 0, part.step});
    HEDDLE_CHECK(unroll(sums, loops.back()));
  }
  const std::int64_t count = std::ssize(sums);
  std::ranges::sort(sums, {}, &Place::to);
  const auto repeated = std::ranges::unique(sums);
  sums.erase(repeated.begin(), repeated.end());
  if (std::ssize(sums) == count) {
    places.loops.insert(places.loops.end(), loops.begin(), loops.end());
    return {};
  }
  places.origin = "replicas that meet";
  return combine(places.table, sums);
}

Result<Places> places_of_digits(const map::StridedView& from, const map::StridedView& to) {
  HEDDLE_TRY(Places places, refined(parts_of(map::one_mode(from)), parts_of(map::one_mode(to))));
  const Place offset{from.offset.front().value(), to.offset.front().value()};
  HEDDLE_CHECK(combine(places.table, std::span(&offset, 1)));
  HEDDLE_CHECK(add_copies(places, to.copies));
  HEDDLE_CHECK(apply_swizzles(places, from.swizzle, to.swizzle));
  return places;
}

// ---- Bits ----

/// A basis of the points: where each of its vectors leads on both sides.
struct BitPair {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

/// A basis whose places in the destination are reduced: each has a bit that no other one has.
std::vector<BitPair> reduced(std::vector<BitPair> basis) {
  std::size_t done = 0;
  for (int bit = 0; bit < 64 && done < basis.size(); ++bit) {
    const auto has_bit = [&](const BitPair& pair) { return (pair.to >> bit & 1) != 0; };
    const auto pivot =
        std::find_if(basis.begin() + static_cast<std::ptrdiff_t>(done), basis.end(), has_bit);
    if (pivot == basis.end()) continue;
    std::iter_swap(basis.begin() + static_cast<std::ptrdiff_t>(done), pivot);
    for (std::size_t i = 0; i < basis.size(); ++i) {
      if (i == done || !has_bit(basis[i])) continue;
      basis[i].from ^= basis[done].from;
      basis[i].to ^= basis[done].to;
    }
    ++done;
  }
  return basis;
}

/// Vectors whose bits no other one touches are loops of two steps; the others make a table.
Result<Places> places_of_bits(const map::BitView& from, const map::BitView& to) {
  std::vector<BitPair> basis;
  for (std::size_t i = 0; i < from.matrix.columns().size(); ++i) {
    basis.push_back({from.matrix.columns()[i], to.matrix.columns()[i]});
  }
  basis = reduced(std::move(basis));
  Places places{
      .table = {{static_cast<std::int64_t>(from.offset), static_cast<std::int64_t>(to.offset)}}};
  std::vector<Place> mixed = {Place{}};
  for (std::size_t i = 0; i < basis.size(); ++i) {
    BitPair others{from.offset, to.offset};
    for (std::size_t j = 0; j < basis.size(); ++j) {
      if (i == j) continue;
      others.from |= basis[j].from;
      others.to |= basis[j].to;
    }
    const auto a = static_cast<std::int64_t>(basis[i].from);
    const auto b = static_cast<std::int64_t>(basis[i].to);
    if ((basis[i].from & others.from) == 0 && (basis[i].to & others.to) == 0) {
      places.loops.push_back({2, a, b});
      continue;
    }
    if (2 * std::ssize(places.table) > kMaxPlaces) return too_large(2 * std::ssize(places.table));
    const std::size_t count = places.table.size();
    for (std::size_t k = 0; k < count; ++k) {
      places.table.push_back({places.table[k].from ^ a, places.table[k].to ^ b});
    }
    places.origin = "bits that are combined by XOR";
  }
  return places;
}

// ---- Evaluation ----

/// Whether places at all steps of a digit lie a fixed distance apart; the distance.
std::optional<Place> step_along(std::span<const Place> table, std::int64_t inner,
                                std::int64_t extent) {
  const auto at = [&](std::int64_t i) { return table[static_cast<std::size_t>(i)]; };
  const Place step{at(inner).from - at(0).from, at(inner).to - at(0).to};
  const std::int64_t round = inner * extent;
  for (std::int64_t i = 0; i < std::ssize(table); ++i) {
    if (i % round < inner) continue;
    if (at(i).from - at(i - inner).from != step.from || at(i).to - at(i - inner).to != step.to) {
      return std::nullopt;
    }
  }
  return step;
}

/// Turns the digits of the index along which the places are evenly spaced into loops.
void factor(Places& places, std::vector<std::int64_t> extents) {
  std::int64_t inner = 1;
  for (std::size_t i = 0; i < extents.size();) {
    const std::int64_t extent = extents[i];
    if (extent == 1) {
      ++i;
      continue;
    }
    if (const auto step = step_along(places.table, inner, extent)) {
      places.loops.push_back({extent, step->from, step->to});
      std::vector<Place> rest;
      for (std::int64_t k = 0; k < std::ssize(places.table); ++k) {
        if (k % (inner * extent) < inner) rest.push_back(places.table[static_cast<std::size_t>(k)]);
      }
      places.table = std::move(rest);
      ++i;
      continue;
    }
    const std::vector<std::int64_t> primes = form::primes_of(extent);
    if (primes.size() > 1) {
      extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(i));
      extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(i), primes.begin(),
                     primes.end());
      continue;
    }
    inner *= extent;
    ++i;
  }
}

/// Runs of places that follow one another on both sides, of one length, become a loop.
void find_runs(Places& places) {
  std::int64_t length = std::ssize(places.table);
  std::int64_t begin = 0;
  for (std::int64_t i = 1; i <= std::ssize(places.table); ++i) {
    if (i < std::ssize(places.table)) {
      const Place& last = places.table[static_cast<std::size_t>(i - 1)];
      const Place& here = places.table[static_cast<std::size_t>(i)];
      if (here.from == last.from + 1 && here.to == last.to + 1) continue;
    }
    length = std::gcd(length, i - begin);
    begin = i;
  }
  if (length == 1) return;
  places.loops.push_back({length, 1, 1});
  std::vector<Place> rest;
  for (std::size_t i = 0; i < places.table.size(); i += static_cast<std::size_t>(length)) {
    rest.push_back(places.table[i]);
  }
  places.table = std::move(rest);
}

std::vector<std::int64_t> flat_extents(const FlatMap& map) {
  std::vector<std::int64_t> extents;
  for (const Int& extent : map.extents) extents.push_back(extent.value());
  if (map.order == form::FlatOrder::kLastFastest) std::ranges::reverse(extents);
  return extents;
}

Result<std::int64_t> place_at(const FlatMap& map, std::int64_t flat, std::int64_t copy) {
  const auto image = map.numbers_at(flat, copy);
  if (image) return image->front();
  return refuse("overflow", "the place of coordinate {} is not a 64-bit number",
                map.point_text(flat));
}

Result<Places> places_of_points(const FlatMap& from, const FlatMap& to) {
  const std::int64_t points = from.points.value();
  const auto count = exact::multiply(points, to.copies.value());
  if (!count || *count > kMaxPlaces) return too_large(points);
  struct Write {
    Place place;
    std::int64_t point = 0;
  };
  std::vector<Write> writes;
  bool is_whole = true;
  for (std::int64_t copy = 0; copy < to.copies.value(); ++copy) {
    for (std::int64_t point = 0; point < points; ++point) {
      HEDDLE_TRY(const std::int64_t read, place_at(from, point, 0));
      HEDDLE_TRY(const std::int64_t written, place_at(to, point, copy));
      if ((from.leaves_out && read == -1) || (to.leaves_out && written == -1)) {
        is_whole = false;
        continue;
      }
      if (read < 0 || written < 0) {
        const FlatMap& side = read < 0 ? from : to;
        return refuse("move.negative", "coordinate {} is at place {}", side.point_text(point),
                      std::min(read, written));
      }
      writes.push_back({{read, written}, point});
    }
  }
  Places places;
  for (const Write& write : writes) places.table.push_back(write.place);
  places.origin = "evaluated point by point";
  const auto place_of = [](const Write& write) { return write.place.to; };
  std::ranges::stable_sort(writes, {}, place_of);
  bool repeats = false;
  for (std::size_t i = 1; i < writes.size(); ++i) {
    if (place_of(writes[i]) != place_of(writes[i - 1])) continue;
    if (writes[i].point == writes[i - 1].point) {
      repeats = true;
      continue;
    }
    return refuse("move.overlap", "coordinates {} and {} are both written to place {}",
                  to.point_text(writes[i - 1].point), to.point_text(writes[i].point),
                  place_of(writes[i]));
  }
  if (is_whole && !repeats && !places.table.empty()) {
    std::vector<std::int64_t> extents = flat_extents(from);
    if (extents.size() < to.extents.size()) extents = flat_extents(to);
    extents.push_back(to.copies.value());
    factor(places, std::move(extents));
  }
  std::ranges::sort(places.table, {}, &Place::to);
  const auto repeated = std::ranges::unique(places.table);
  places.table.erase(repeated.begin(), repeated.end());
  return places;
}

/// What could not be described in one way is tried in the next.
std::optional<Places> value_of(Result<Places> places) {
  return places ? std::optional(*std::move(places)) : std::nullopt;
}

bool has_digits(const FlatMap& map) { return map.strided.has_value() && is_number(*map.strided); }

/// Runs of a table become a loop.
Places with_runs(Places places) {
  if (places.table.size() < 2) return places;
  std::ranges::sort(places.table, {}, &Place::to);
  find_runs(places);
  return places;
}

}  // namespace

Places in_loops(Places places, std::vector<std::int64_t> extents) {
  factor(places, std::move(extents));
  return with_runs(std::move(places));
}

Result<Places> places_of(const FlatMap& from, const FlatMap& to) {
  const bool leaves_out = from.leaves_out || to.leaves_out;
  const bool has_one_copy = known_equal(to.copies, 1);
  std::optional<Places> places;
  if (!leaves_out && has_digits(from) && has_digits(to)) {
    places = value_of(places_of_digits(*from.strided, *to.strided));
  }
  if (!places && !leaves_out && has_one_copy && from.bits && to.bits) {
    places = value_of(places_of_bits(*from.bits, *to.bits));
  }
  if (!places) {
    HEDDLE_TRY(places, places_of_points(from, to));
  }
  return with_runs(*std::move(places));
}

}  // namespace heddle::move
