// Integer sets: of relations and layouts, their algebra, and questions about them.

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/format.h"
#include "core/text.h"
#include "heddle/expr/proof.h"
#include "heddle/map/integer_set.h"
#include "notation/operations/binding.h"
#include "notation/operations/set_reader.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {
namespace {

using map::IntegerRelation;
using map::IntegerSet;
using map::Limits;

constexpr const char* kSets = "sets";

IntTuple point_as_tuple(std::span<const Int> point) {
  return point.size() == 1 ? IntTuple(point.front()) : IntTuple::flat(point);
}

/// The gaps within the set that is given, or within the least box.
Result<IntegerSet> gaps_within(const IntegerSet& set, const std::optional<IntegerSet>& within,
                               const Limits& limits) {
  return within ? map::subtract(*within, set, limits) : map::gaps(set, limits);
}

void add_sets_of_relations(const Rows& add) {
  add({.call = "integer_set(set)",
       .summary = "The set that a text in isl's syntax says; the text itself is an expression too.",
       .example = {"integer_set('{ [i, j] : 0 <= j <= i < 4 }')",
                   "{ [i, j] : i <= 3 and 0 <= j <= i }"}},
      [](const IntegerSet& set) { return set; });
  add({.call = "domain(layout)",
       .summary = "The points that have an image.",
       .example = {"domain((4,8):(8,1))", "{ [c0, c1] : 0 <= c0 <= 3 and 0 <= c1 <= 7 }"}},
      [](const IntegerRelation& relation, const Limits& limits) {
        return map::domain(relation, limits);
      });
  add({.call = "range(layout)",
       .summary = "The images of all points.",
       .example = {"range(4:3)", "{ [m] : (m) mod 3 = 0 and 0 <= m <= 9 }"}},
      [](const IntegerRelation& relation, const Limits& limits) {
        return map::range(relation, limits);
      });
  add({.call = "image(layout, set)",
       .summary = "The images of the points in a set.",
       .example = {"image((4,8):(8,1), { [i, j] : i = 1 })", "{ [m] : 8 <= m <= 15 }"}},
      map::image);
  add({.call = "preimage(layout, set)",
       .summary = "The points that have an image in a set.",
       .example = {"preimage((4,8):(8,1), { [m] : m = 11 })", "{ [c0 = 1, c1 = 3] }"}},
      map::preimage);
  add({.call = "intersect_domain(layout, set)",
       .summary = "The relation at the points in a set only.",
       .example = {"intersect_domain((4,8):(8,1), { [i, j] : j < 2 })",
                   "{ [c0, c1] -> [8c0 + c1] : 0 <= c0 <= 3 and 0 <= c1 <= 1 }"}},
      map::intersect_domain);
  add({.call = "intersect_range(layout, set)",
       .summary = "The pairs whose image is in a set.",
       .example = {"count(domain(intersect_range((4,8):(8,1), { [m] : m < 9 })))", "9"}},
      map::intersect_range);
  add({.call = "gaps(layout, within)",
       .summary = "The points that are not images, within a set or else within the least box of "
                  "all images.",
       .example = {"gaps((4,2):(1,8))", "{ [m] : 4 <= m <= 7 }"}},
      [](const IntegerRelation& relation, const std::optional<IntegerSet>& within,
         const Limits& limits) -> Result<IntegerSet> {
        HEDDLE_TRY(const IntegerSet images, map::range(relation, limits));
        return gaps_within(images, within, limits);
      });
  add({.call = "lexmin(layout)",
       .summary = "Each point with the lexicographically least of its images.",
       .example = {"lexmin({ [i] -> [j] : i <= j <= 3i })(2)", "2"}},
      [](const IntegerRelation& relation, const Limits& limits) {
        return map::lexmin(relation, limits);
      });
  add({.call = "lexmax(layout)",
       .summary = "Each point with the lexicographically greatest of its images.",
       .example = {"lexmax({ [i] -> [j] : i <= j <= 3i })(2)", "6"}},
      [](const IntegerRelation& relation, const Limits& limits) {
        return map::lexmax(relation, limits);
      });
}

template <class Combine>
void add_combination(const Rows& add, Row row, Combine combine) {
  add(std::move(row), [combine](const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
    return combine(a, b, limits);
  });
}

void add_algebra_of_sets(const Rows& add) {
  const auto combination = [&](Row row, auto combine) {
    add_combination(add, std::move(row), combine);
  };
  combination({.call = "intersect(a, b)",
               .summary = "The points of both sets.",
               .example = {"intersect({ [i] : 0 <= i < 9 }, { [i] : i mod 4 = 1 })",
                           "{ [i] : (-1 + i) mod 4 = 0 and 0 <= i <= 8 }"}},
              [](const auto&... all) { return map::intersect(all...); });
  combination({.call = "unite(a, b)",
               .summary = "The points of either set.",
               .example = {"count(unite({ [i] : 0 <= i < 4 }, { [i] : 2 <= i < 6 }))", "6"}},
              [](const auto&... all) { return map::unite(all...); });
  combination(
      {.call = "subtract(a, b)",
       .summary = "The points of the first set alone.",
       .example = {"subtract({ [i] : 0 <= i < 9 }, { [i] : i < 7 })", "{ [i] : 7 <= i <= 8 }"}},
      [](const auto&... all) { return map::subtract(all...); });
  add({.call = "lexmin(set)",
       .summary = "Its lexicographically least point, as a set: one for each value of parameters.",
       .example = {"lexmin({ [i, j] : 2 <= i < 5 and i < j < 9 })", "{ [i = 2, j = 3] }"}},
      [](const IntegerSet& set, const Limits& limits) { return map::lexmin(set, limits); });
  add({.call = "lexmax(set)",
       .summary = "Its lexicographically greatest point, as a set.",
       .example = {"lexmax([N] -> { [i] : 0 <= i < N })", "[N] -> { [i = -1 + N] : N > 0 }"}},
      [](const IntegerSet& set, const Limits& limits) { return map::lexmax(set, limits); });
  add({.call = "gaps(set, within)",
       .summary = "The points that it lacks, of a set or else of the least box that holds it.",
       .example = {"points(gaps({ [i] : 0 <= i < 9 and i mod 4 != 2 }))", "[2,6]"}},
      gaps_within);
}

/// A question about the points of two sets, which have as many dimensions.
template <Verdict (*Question)(const IntegerSet&, const IntegerSet&, const Limits&)>
Result<Verdict> asked_of_both(const IntegerSet& a, const IntegerSet& b, const Limits& limits) {
  if (a.names().size() == b.names().size()) return Question(a, b, limits);
  return refuse(diagnose("relation.dims_differ", "points of {} and of {}", a.names().size(),
                         counted(b.names().size(), "coordinate"))
                    .with_note(a.text())
                    .with_note(b.text()));
}

void add_questions_about_sets(const Rows& add) {
  add({.call = "equal(a, b)",
       .summary = "Whether the two sets have the same points, for all values of parameters. Also: "
                  "A == B.",
       .example = {"equal({ [i] : 0 <= i < 4 }, domain(4:3))", "yes  (isl)"}},
      asked_of_both<map::equal>);
  add({.call = "is_subset(a, b)",
       .summary = "Whether every point of the first set is one of the second.",
       .example = {"is_subset({ [i] : 0 <= i < 4 }, { [i] : i < 3 })",
                   "no  (isl)  counterexample: 3 is in the first set only"}},
      asked_of_both<map::is_subset>);
  add({.call = "is_disjoint(a, b)",
       .summary = "Whether the two sets have no point in common.",
       .example = {"is_disjoint(range(4:1), range(4:3))",
                   "no  (isl)  counterexample: 0 is in both sets"}},
      asked_of_both<map::is_disjoint>);
  add({.call = "is_empty(set)",
       .summary = "Whether it has no point.",
       .example = {"is_empty({ [i] : 2i = 5 })", "yes  (isl)"}},
      map::is_empty);
  add({.call = "contains(set, point)",
       .summary = "Whether the point is in the set.",
       .example = {"contains({ [i, j] : 0 <= j <= i < 4 }, (3,1))", "true"}},
      [](const IntegerSet& set, const IntList& point, const Limits& limits) {
        return map::contains(set, point, limits);
      });
  add({.call = "sample(set)",
       .summary = "A point of the set, the least one if there is one.",
       .example = {"sample({ [i, j] : 5i + 3j = 31 and i >= 0 and j >= 0 })", "(2,7)"}},
      [](const IntegerSet& set, const Limits& limits) -> Result<IntTuple> {
        HEDDLE_TRY(const std::optional<std::vector<Int>> point, map::sample(set, limits));
        if (point) return point_as_tuple(*point);
        return refuse(Diagnostic("relation.empty", "the set has no points").with_note(set.text()));
      });
  add({.call = "count(set)",
       .summary = "How many points it has; for a box with parameters, an expression of them.",
       .example = {"count({ [i, j] : 0 <= j <= i < 100 })", "5050"}},
      [](const IntegerSet& set, const CallContext& context) -> Result<Int> {
        HEDDLE_TRY(const Int number, map::count(set, context.decide.limits));
        return instantiate(number, context.sizes);
      });
  add({.call = "points(set, limit)",
       .summary = "Its points in lexicographic order, or the first `limit` of them.",
       .example = {"points({ [i, j] : 0 <= j <= i < 3 })",
                   "[(0,0),(1,0),(1,1),(2,0),(2,1),(2,2)]"}},
      [](const IntegerSet& set, const std::optional<Int>& limit,
         const Limits& limits) -> Result<TupleList> {
        HEDDLE_TRY(const std::vector<std::vector<Int>> points, map::points(set, limits));
        HEDDLE_TRY(const std::size_t length, table_length(Int(points.size()), limit));
        TupleList list;
        for (std::size_t i = 0; i < length; ++i) list.push_back(point_as_tuple(points[i]));
        return list;
      });
}

}  // namespace

void add_set_operations(std::vector<Operation>& table) {
  add_sets_of_relations({table, kSets});
  add_algebra_of_sets({table, kSets});
  add_questions_about_sets({table, kSets});
}

}  // namespace heddle::notation
