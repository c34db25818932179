#include <gtest/gtest.h>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "support/random_axe.h"

// The laws of the layout, its normal form, its equality and its groupings, against plain
// evaluation.

namespace heddle::axe {
namespace {

using test::any_axe;
using test::AxeKind;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::plain_map;
using test::PlainPlace;
using test::PlainPlaces;
using test::Random;

constexpr AxeKind kSwizzled{.swizzles = true};

PlainPlaces plain(const std::vector<Coordinate>& places) {
  PlainPlaces result;
  for (const Coordinate& place : places) {
    PlainPlace entry;
    for (const auto& [axis, value] : place) entry[axis.name()] = value.value();
    result.insert(entry);
  }
  return result;
}

TEST(AxeLaw, PlacesAreTheInducedMap) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, kSwizzled);
    const std::vector<PlainPlaces> wanted = plain_map(layout);
    for (std::size_t index = 0; index < wanted.size(); ++index) {
      const Result<std::vector<Coordinate>> got = places(layout, static_cast<std::int64_t>(index));
      if (!got) return found(layout, ": ", got.error());
      if (plain(*got) != wanted[index]) return found(layout, " at ", index);
    }
    return kHolds;
  });
}

TEST(AxeLaw, TheSpanIsTheLargestMinusTheSmallestPlusOne) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, kSwizzled);
    for (const char* axis : {"m", "laneid", "tx"}) {
      std::optional<std::int64_t> low;
      std::optional<std::int64_t> high;
      for (const PlainPlaces& places : plain_map(layout)) {
        for (const PlainPlace& place : places) {
          const auto entry = place.find(axis);
          const std::int64_t value = entry == place.end() ? 0 : entry->second;
          low = std::min(low.value_or(value), value);
          high = std::max(high.value_or(value), value);
        }
      }
      const Result<Int> got = span(layout, Axis(axis));
      if (!got) return found(layout, ": ", got.error());
      if (*got != Int(*high - *low + 1)) return found(layout, " on ", axis, ": ", *got);
    }
    return kHolds;
  });
}

TEST(AxeLaw, TheNormalFormHasTheSameMap) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, kSwizzled);
    const Result<Layout> canonical = canonicalize(layout);
    if (!canonical) return found(layout, ": ", canonical.error());
    if (*canonicalize(*canonical) != *canonical) return found(layout, " -> ", *canonical);
    return test::differs_as_axe(*canonical, layout);
  });
}

TEST(AxeLaw, ANormalFormHasNoSwizzleThatChangesNothing) {
  test::Tally dropped;
  for_all_seeds([&](Random& random) -> Finding {
    // Among replicas a swizzle may exchange places and leave the set as it is.
    const Layout layout = any_axe(random, {.replicas = false, .swizzles = true});
    const Layout canonical = *canonicalize(layout);
    if (!layout.swizzle()) return kSaysNothing;
    if (!canonical.swizzle()) dropped.count();
    const Layout plain =
        *Layout::make({layout.shard().begin(), layout.shard().end()},
                      {layout.replica().begin(), layout.replica().end()}, layout.offset());
    const bool is_idle = plain_map(layout) == plain_map(plain);
    if (is_idle == canonical.swizzle().has_value()) return found(layout, " -> ", canonical);
    return kHolds;
  });
  dropped.expect_at_least(5);
}

/// A layout with the map of this one, or almost: one number may be another.
Layout relative(Random& random, const Layout& layout) {
  Result<Layout> other = canonicalize(layout);
  const Result<Grouping> grouping = group(*other, test::grouping_shape(random, *other));
  if (grouping && random.chance(70)) other = grouping->layout;
  std::vector<Iter> shard(other->shard().begin(), other->shard().end());
  std::vector<Iter> replica(other->replica().begin(), other->replica().end());
  Coordinate offset = other->offset();
  if (random.chance(20)) shard[0].stride += 1;
  if (random.chance(10)) offset.add(Axis::memory(), 1);
  if (random.chance(20) && !replica.empty()) replica[0].extent += 1;
  std::optional<Swizzle> swizzle = other->swizzle();
  if (random.chance(10)) swizzle = *Swizzle::make(1, 1, 1);
  return *Layout::make(shard, replica, offset, swizzle);
}

TEST(AxeLaw, EqualDecidesEqualityOfMaps) {
  test::Tally yes;
  test::Tally no;
  for_all_seeds([&](Random& random) -> Finding {
    const Layout a = any_axe(random, kSwizzled);
    const Layout b = relative(random, a);
    const bool wanted = plain_map(a) == plain_map(b);
    const Verdict verdict = equal(a, b);
    (wanted ? yes : no).count();
    if (verdict.is_unknown() || verdict.is_yes() != wanted) {
      return found(a, " and ", b, ": ", verdict);
    }
    if (!verdict.is_no()) return kHolds;
    const std::int64_t index = std::stoll(verdict.counterexample()->coordinate);
    if (test::plain_places(a, index) == test::plain_places(b, index)) {
      return found(a, " and ", b, ": the counterexample ", index, " is none");
    }
    return kHolds;
  });
  yes.expect_at_least(20);
  no.expect_at_least(20);
}

/// The products of trailing extents.
std::vector<std::int64_t> trailing(std::span<const Iter> iters) {
  std::vector<std::int64_t> result = {1};
  for (std::size_t i = iters.size(); i-- > 0;) {
    result.push_back(result.back() * iters[i].extent.value());
  }
  return result;
}

TEST(AxeLaw, AGroupingKeepsTheMapAndItsBlocksHaveTheExtents) {
  for_all_seeds({.percent = 40}, [&](Random& random) -> Finding {
    const Layout layout = any_axe(random, kSwizzled);
    const std::vector<Int> shape = random.chance(60)
                                       ? test::grouping_shape(random, layout)
                                       : test::random_shape(random, size(layout).value());
    const Result<Grouping> grouping = group(layout, shape);
    if (!grouping) return kSaysNothing;
    if (grouping->rank() != shape.size()) return found(layout, ": rank");
    for (std::size_t j = 0; j < shape.size(); ++j) {
      if (Int(trailing(grouping->block(j)).back()) != shape[j]) return found(layout, " block ", j);
    }
    return test::differs_as_axe(grouping->layout, layout);
  });
}

TEST(AxeLaw, ARefusedGroupingDoesNotExist) {
  for_all_seeds({.percent = 5}, [&](Random& random) -> Finding {
    const Layout layout = any_axe(random);
    const std::vector<Int> shape = test::random_shape(random, size(layout).value());
    const Result<Grouping> grouping = group(layout, shape);
    if (grouping) return kSaysNothing;
    // A list with blocks for this shape is a layout on each block alone, and their sum.
    const std::vector<PlainPlaces> all =
        plain_map(*Layout::make({layout.shard().begin(), layout.shard().end()}));
    const auto value = [&](std::int64_t index, const std::string& axis) {
      const PlainPlace& place = *all[static_cast<std::size_t>(index)].begin();
      const auto entry = place.find(axis);
      return entry == place.end() ? 0 : entry->second;
    };
    std::int64_t inner = 1;
    for (std::size_t j = shape.size(); j-- > 1;) {
      inner *= shape[j].value();
      for (std::int64_t index = 0; index < static_cast<std::int64_t>(all.size()); ++index) {
        for (const Axis& axis : axes(layout)) {
          const std::int64_t sum =
              value(index / inner * inner, axis.name()) + value(index % inner, axis.name());
          if (sum != value(index, axis.name())) return kHolds;
        }
      }
    }
    return found(layout, " and ", shape.size(), " extents: ", grouping.error());
  });
}

TEST(AxeLaw, ACommonGroupingCutsAtTheBoundariesOfAllShapes) {
  for_all_seeds({.percent = 30}, [&](Random& random) -> Finding {
    const Layout layout = any_axe(random);
    const std::vector<std::vector<Int>> shapes = {
        test::grouping_shape(random, layout), test::grouping_shape(random, layout), {size(layout)}};
    const Result<CommonGrouping> common = group_many(layout, shapes);
    if (!common) return kSaysNothing;
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const Grouping grouping{.layout = common->layout, .seps = common->seps[s]};
      if (grouping.rank() != shapes[s].size()) return found(layout, ": rank");
      for (std::size_t j = 0; j < shapes[s].size(); ++j) {
        if (grouping.block(j).empty()) return found(layout, ": empty block ", j);
        if (Int(trailing(grouping.block(j)).back()) != shapes[s][j]) {
          return found(layout, ": block ", j, " of shape ", s, " in ", common->layout);
        }
      }
    }
    return test::differs_as_axe(common->layout, layout);
  });
}

// Theorem A.2: under the gap condition sets of places that are the same have the same normal form.
TEST(AxeLaw, TheGapConditionMakesNormalFormsUnique) {
  const auto any_replicas = [](Random& random) {
    std::vector<Iter> replica;
    for (std::int64_t i = random.between(1, 3); i > 0; --i) {
      replica.push_back({random.between(1, 4), random.between(-6, 6), Axis::memory()});
    }
    return Layout::make({}, replica).value();
  };
  for_all_seeds({.percent = 1}, [&](Random& random) -> Finding {
    const Layout a = any_replicas(random);
    const Layout b = any_replicas(random);
    const auto has_gaps = gap_condition(a);
    if (!has_gaps || has_gaps->is_yes() != satisfies_gap_condition(*canonicalize(a)))
      return found(a);
    if (!has_gaps->is_yes() || !gap_condition(b)->is_yes()) return kSaysNothing;
    if (plain_map(a) != plain_map(b)) return kSaysNothing;
    return canonicalize(a) == canonicalize(b) ? kHolds : found(a, " and ", b);
  });
}

}  // namespace
}  // namespace heddle::axe
