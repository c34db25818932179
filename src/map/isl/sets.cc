// Sets of relations, and the algebra of sets.

#include "heddle/map/integer_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "core/text.h"
#include "map/isl/door.h"
#include "map/isl/pieces.h"
#include "map/view/shown_digits.h"

namespace heddle::map {
namespace {

std::string dimensions(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "dimension");
}

Result<void> check_same_size(std::size_t a, std::size_t b, std::string_view what) {
  if (a == b) return {};
  return refuse("relation.dims_differ",
                fmt::format("{}: {} and {}", what, dimensions(a), dimensions(b)));
}

std::vector<std::string> own_names(const IntegerSet& set) {
  return {set.names().begin(), set.names().end()};
}
std::vector<std::string> own_names(const IntegerRelation& relation) {
  return {relation.inputs().begin(), relation.inputs().end()};
}

/// The set as a box where it is one, which isl does not always show.
isl::set plainly(const isl::set& set) {
  const isl::set points = coalesced(set);
  if (dimension(points, isl_dim_param) > 0 || points.is_empty()) return points;
  const std::optional<isl::set> box = box_around(points);
  return box && box->is_equal(points) ? *box : points;
}

/// Applies `operation` to both sets as isl's.
template <class Operation>
Result<IntegerSet> combined_sets(const IntegerSet& a, const IntegerSet& b, std::string_view what,
                                 const Limits& limits, Operation operation) {
  HEDDLE_CHECK(check_same_size(a.names().size(), b.names().size(), what));
  IslSession session(limits);
  return session.ask(what, [&] {
    return write(plainly(operation(read(session, a), read(session, b))), own_names(a));
  });
}

/// The relation with `operation` applied to it as isl's map and to the set.
template <class Operation>
Result<IntegerRelation> restricted(const IntegerRelation& relation, const IntegerSet& set,
                                   const Limits& limits, Operation operation) {
  IslSession session(limits);
  return session.ask("restricting a relation to a set", [&] {
    return write(coalesced(operation(read(session, relation), read(session, set))),
                 {relation.axes().begin(), relation.axes().end()});
  });
}

Refusal no_extreme(std::string_view text, std::string_view what) {
  return refuse(Diagnostic("relation.unbounded", fmt::format("there is no {}: it has no end", what))
                    .with_note(std::string(text)));
}

/// isl would search for an extreme point without end.
bool is_bounded(const isl::set& set) { return isl_set_is_bounded(set.get()) == isl_bool_true; }

/// Whether the images of each point are bounded.
bool has_bounded_images(const isl::map& map) {
  const auto inputs = static_cast<unsigned>(dimension(map, isl_dim_in));
  isl_map* as_parameters = isl_map_move_dims(map.copy(), isl_dim_param, 0, isl_dim_in, 0, inputs);
  return is_bounded(isl::manage(isl_map_range(as_parameters)));
}

template <class Extreme>
Result<IntegerSet> extreme(const IntegerSet& set, std::string_view what, const Limits& limits,
                           Extreme find) {
  IslSession session(limits);
  return session.ask(what, [&]() -> Result<IntegerSet> {
    const isl::set points = read(session, set);
    if (!is_bounded(points)) return no_extreme(set.text(), what);
    return write(find(points), own_names(set));
  });
}

template <class Extreme>
Result<IntegerRelation> extreme(const IntegerRelation& relation, std::string_view what,
                                const Limits& limits, Extreme find) {
  IslSession session(limits);
  return session.ask(what, [&]() -> Result<IntegerRelation> {
    const isl::map map = read(session, relation);
    if (!has_bounded_images(map)) return no_extreme(relation.text(), what);
    return write(find(map), {relation.axes().begin(), relation.axes().end()});
  });
}

/// The next point of the box, whose last coordinate is the fastest; false behind the last point.
bool advance(std::vector<std::int64_t>& point, const std::vector<std::int64_t>& extents) {
  for (std::size_t i = point.size(); i-- > 0;) {
    if (++point[i] < extents[i]) return true;
    point[i] = 0;
  }
  return false;
}

/// The images of a layout with a swizzle or other formulas than sums of digits, of which isl would
/// have to find the runs; nullopt for other relations and for more points than are soon evaluated.
std::optional<std::vector<std::int64_t>> images_in_order(const IntegerRelation& relation) {
  constexpr std::int64_t kMostPoints = 1 << 16;
  const auto box = box_function_of(relation);
  if (box == nullptr || relation.axes().size() != 1) return std::nullopt;
  if (box->strided && !box->strided->swizzle) return std::nullopt;
  Int size = box->copy_count();
  for (const Int& extent : box->extents) size *= extent;
  const auto extents = constants(box->extents);
  if (!extents || !known_at_most(size, kMostPoints) || !known_at_most(1, size)) return std::nullopt;
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> point(extents->size(), 0);
  do {
    const auto images = box->images(point);
    if (!images) return std::nullopt;
    for (const std::vector<std::int64_t>& image : *images) all.push_back(image.front());
  } while (advance(point, *extents));
  std::ranges::sort(all);
  const auto repeated = std::ranges::unique(all);
  all.erase(repeated.begin(), repeated.end());
  return all;
}

/// Runs of numbers of one length, each `period` behind the one before.
struct RepeatedRun {
  std::int64_t first = 0;
  std::int64_t length = 1;
  std::int64_t period = 0;
  std::int64_t last = 0;

  /// Whether the run from `next` on goes on with it.
  [[nodiscard]] bool takes(std::int64_t next, std::int64_t next_length) const {
    if (next_length != length) return false;
    const std::int64_t begin = last - length + 1;
    return period == 0 || next - begin == period;
  }
  [[nodiscard]] std::string text() const {
    const std::string box = fmt::format("{} <= x <= {}", first, last);
    if (period == 0) return box;
    return fmt::format("{} and (x - {}) mod {} <= {}", box, first, period, length - 1);
  }
};

/// The set of these numbers, which are sorted.
isl::set set_of(IslSession& session, const std::vector<std::int64_t>& numbers) {
  std::vector<RepeatedRun> runs;
  for (std::size_t begin = 0; begin < numbers.size();) {
    std::size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    const std::int64_t first = numbers[begin];
    const auto length = static_cast<std::int64_t>(end - begin);
    if (!runs.empty() && runs.back().takes(first, length)) {
      RepeatedRun& run = runs.back();
      if (run.period == 0) run.period = first - run.first;
      run.last = numbers[end - 1];
    } else {
      runs.push_back({first, length, 0, numbers[end - 1]});
    }
    begin = end;
  }
  std::vector<std::string> texts;
  for (const RepeatedRun& run : runs) texts.push_back(fmt::format("[x] : {}", run.text()));
  return adopt(session,
               isl_set_read_from_str(session.get(),
                                     fmt::format("{{ {} }}", fmt::join(texts, "; ")).c_str()));
}

}  // namespace

std::string to_string(const IntegerSet& set) { return set.text(); }

std::ostream& operator<<(std::ostream& stream, const IntegerSet& set) {
  return stream << set.text();
}

// ---- Relations and their sets ----

Result<IntegerSet> domain(const IntegerRelation& relation, const Limits& limits) {
  IslSession session(limits);
  return session.ask("the domain of a relation", [&] {
    // A box is known without isl, which takes long for functions over many bits.
    if (const auto box = box_function_of(relation)) {
      if (const auto ends = constants(box->extents)) {
        isl_space* space =
            isl_space_set_alloc(session.get(), 0, static_cast<unsigned>(ends->size()));
        const isl::set all = isl::manage(isl_set_universe(space));
        return write(box_of(all, *ends), own_names(relation));
      }
    }
    return write(plainly(read(session, relation).domain()), own_names(relation));
  });
}

Result<IntegerSet> range(const IntegerRelation& relation, const Limits& limits) {
  IslSession session(limits);
  return session.ask("the range of a relation", [&] {
    if (const auto images = images_in_order(relation)) {
      return write(set_of(session, *images), names_of(relation.axes()));
    }
    return write(plainly(read(session, relation).range()), names_of(relation.axes()));
  });
}

Result<IntegerSet> image(const IntegerRelation& relation, const IntegerSet& set,
                         const Limits& limits) {
  HEDDLE_CHECK(check_same_size(relation.inputs().size(), set.names().size(),
                               "the points of a relation and those of a set"));
  IslSession session(limits);
  return session.ask("the image of a set", [&] {
    return write(plainly(read(session, set).apply(read(session, relation))),
                 names_of(relation.axes()));
  });
}

Result<IntegerSet> preimage(const IntegerRelation& relation, const IntegerSet& set,
                            const Limits& limits) {
  HEDDLE_CHECK(check_same_size(relation.axes().size(), set.names().size(),
                               "the images of a relation and the points of a set"));
  IslSession session(limits);
  return session.ask("the preimage of a set", [&] {
    return write(plainly(read(session, set).apply(read(session, relation).reverse())),
                 own_names(relation));
  });
}

Result<IntegerRelation> intersect_domain(const IntegerRelation& relation, const IntegerSet& set,
                                         const Limits& limits) {
  HEDDLE_CHECK(check_same_size(relation.inputs().size(), set.names().size(),
                               "the points of a relation and those of a set"));
  return restricted(relation, set, limits, [](const isl::map& map, const isl::set& points) {
    return map.intersect_domain(points);
  });
}

Result<IntegerRelation> intersect_range(const IntegerRelation& relation, const IntegerSet& set,
                                        const Limits& limits) {
  HEDDLE_CHECK(check_same_size(relation.axes().size(), set.names().size(),
                               "the images of a relation and the points of a set"));
  return restricted(relation, set, limits, [](const isl::map& map, const isl::set& points) {
    return map.intersect_range(points);
  });
}

Result<IntegerRelation> lexmin(const IntegerRelation& relation, const Limits& limits) {
  return extreme(relation, "least image of a point", limits,
                 [](const isl::map& map) { return map.lexmin(); });
}
Result<IntegerRelation> lexmax(const IntegerRelation& relation, const Limits& limits) {
  return extreme(relation, "greatest image of a point", limits,
                 [](const isl::map& map) { return map.lexmax(); });
}

// ---- The algebra ----

Result<IntegerSet> intersect(const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
  return combined_sets(a, b, "the intersection of sets", limits,
                       [](const isl::set& x, const isl::set& y) { return x.intersect(y); });
}
Result<IntegerSet> unite(const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
  return combined_sets(a, b, "the union of sets", limits,
                       [](const isl::set& x, const isl::set& y) { return x.unite(y); });
}
Result<IntegerSet> subtract(const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
  return combined_sets(a, b, "the difference of sets", limits,
                       [](const isl::set& x, const isl::set& y) { return x.subtract(y); });
}

Result<IntegerSet> lexmin(const IntegerSet& set, const Limits& limits) {
  return extreme(set, "least point", limits,
                 [](const isl::set& points) { return points.lexmin(); });
}
Result<IntegerSet> lexmax(const IntegerSet& set, const Limits& limits) {
  return extreme(set, "greatest point", limits,
                 [](const isl::set& points) { return points.lexmax(); });
}

Result<IntegerSet> gaps(const IntegerSet& set, const Limits& limits) {
  IslSession session(limits);
  return session.ask("the gaps of a set", [&]() -> Result<IntegerSet> {
    const isl::set points = read(session, set);
    if (points.is_empty()) return set;
    const std::optional<isl::set> box = box_around(points);
    if (box) return write(plainly(box->subtract(points)), own_names(set));
    return refuse(Diagnostic("relation.unbounded", "no box of numbers holds the set")
                      .with_note(set.text())
                      .with_hint("give the set that the gaps are within"));
  });
}

}  // namespace heddle::map
