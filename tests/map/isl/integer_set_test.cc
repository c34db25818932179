// Sets against plain enumeration of their points.

#include "heddle/map/integer_set.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

#include "heddle/expr/proof.h"
#include "heddle/map/relations.h"
#include "map/view/shown_digits.h"
#include "support/law.h"
#include "support/random_linear.h"
#include "support/random_set.h"
#include "support/text.h"

namespace heddle::map {
namespace {

using test::drawn_set;
using test::DrawnSet;
using test::Finding;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;
using Points = std::vector<test::Coordinates>;

IntegerSet set_of_text(const std::string& text) {
  const Result<IntegerSet> set = IntegerSet::parse(text);
  if (!set) throw std::invalid_argument(set.error().to_string(text));
  return *set;
}

Points numbers_of(const std::vector<std::vector<Int>>& points) {
  Points result;
  for (const std::vector<Int>& point : points) result.push_back(*constants(point));
  return result;
}

Points points_of(const IntegerSet& set) { return numbers_of(points(set).value()); }

Points sorted(Points points) {
  std::ranges::sort(points);
  const auto rest = std::ranges::unique(points);
  points.erase(rest.begin(), rest.end());
  return points;
}

/// The two sets of a law, of the same number of dimensions, and their points.
struct Two {
  DrawnSet a;
  DrawnSet b;
  IntegerSet first = set_of_text(a.text());
  IntegerSet second = set_of_text(b.text());
  Points in_first = a.points();
  Points in_second = b.points();
};

Two drawn_two(Random& random) {
  const auto dimensions = static_cast<std::size_t>(random.between(1, 3));
  const std::int64_t extent = dimensions == 3 ? 4 : 7;
  DrawnSet a = drawn_set(random, dimensions, extent);
  DrawnSet b = drawn_set(random, dimensions, extent);
  // Sets of which one holds the other, or that are equal, are rare otherwise.
  if (random.chance(30)) b = a;
  if (random.chance(30)) b.parts.push_back(a.parts.front());
  return {std::move(a), std::move(b)};
}

Points only_first(const Two& two) {
  Points rest;
  std::ranges::set_difference(two.in_first, two.in_second, std::back_inserter(rest));
  return rest;
}
Points common(const Two& two) {
  Points both;
  std::ranges::set_intersection(two.in_first, two.in_second, std::back_inserter(both));
  return both;
}
Points all_of(const Two& two) {
  Points all;
  std::ranges::set_union(two.in_first, two.in_second, std::back_inserter(all));
  return all;
}

TEST(IntegerSetLaw, HasThePointsThatMeetItsConstraints) {
  test::for_all_seeds({.one_in = 8}, [](Random& random) -> Finding {
    const DrawnSet drawn = drawn_set(random);
    const IntegerSet set = set_of_text(drawn.text());
    if (points_of(set) != drawn.points()) return found(drawn.text(), " was read as ", set);
    if (points_of(set_of_text(set.text())) != drawn.points())
      return found(set, " is not read back");
    return kHolds;
  });
}

TEST(IntegerSetLaw, CountIsTheNumberOfPoints) {
  test::for_all_seeds({.one_in = 4}, [](Random& random) -> Finding {
    const DrawnSet drawn = drawn_set(random);
    const Result<Int> number = count(set_of_text(drawn.text()));
    if (!number) return found(drawn.text(), ": ", number.error());
    const std::size_t wanted = drawn.points().size();
    if (*number != Int(wanted)) return found(drawn.text(), ": ", *number, " for ", wanted);
    return kHolds;
  });
}

TEST(IntegerSetLaw, CombinationsAreThoseOfTheirPoints) {
  test::for_all_seeds({.one_in = 8}, [](Random& random) -> Finding {
    const Two two = drawn_two(random);
    const auto differs = [&](const Result<IntegerSet>& got, const Points& wanted) {
      return !got || points_of(*got) != wanted;
    };
    if (differs(intersect(two.first, two.second), common(two)) ||
        differs(unite(two.first, two.second), all_of(two)) ||
        differs(subtract(two.first, two.second), only_first(two))) {
      return found(two.first, " and ", two.second);
    }
    return kHolds;
  });
}

/// A no names one of these points; a yes is said if there are none.
Finding shows(const Verdict& verdict, const Points& points, const Two& two) {
  const auto wrong = [&] { return found(two.first, " and ", two.second, ": ", verdict); };
  if (points.empty()) return verdict.is_yes() ? Finding(kHolds) : wrong();
  if (!verdict.is_no()) return wrong();
  const auto& numbers = verdict.counterexample()->numbers;
  const bool is_one = numbers && numbers->point &&
                      std::ranges::find(points, numbers->point->coordinate.numbers) != points.end();
  return is_one ? Finding(kHolds) : wrong();
}

TEST(IntegerSetLaw, VerdictsHoldAndNamePointsThatShowThem) {
  test::Tally equal_ones;
  test::Tally subsets;
  test::for_all_seeds({.one_in = 8}, [&](Random& random) -> Finding {
    const Two two = drawn_two(random);
    Points differing = all_of(two);
    std::erase_if(differing, [&](const test::Coordinates& point) {
      return two.a.holds(point) && two.b.holds(point);
    });
    if (differing.empty()) equal_ones.count();
    if (only_first(two).empty()) subsets.count();
    for (const Finding& each : {shows(equal(two.first, two.second), differing, two),
                                shows(is_subset(two.first, two.second), only_first(two), two),
                                shows(is_disjoint(two.first, two.second), common(two), two),
                                shows(is_empty(two.first), two.in_first, two)}) {
      if (each) return each;
    }
    return kHolds;
  });
  equal_ones.expect_at_least(2);
  subsets.expect_at_least(5);
}

TEST(IntegerSetLaw, ExtremesAreTheFirstAndLastPoint) {
  test::for_all_seeds({.one_in = 8}, [](Random& random) -> Finding {
    const DrawnSet drawn = drawn_set(random);
    const IntegerSet set = set_of_text(drawn.text());
    const Points all = drawn.points();
    const Points first = points_of(lexmin(set).value());
    const Points last = points_of(lexmax(set).value());
    const auto one = sample(set).value();
    if (all.empty()) {
      return first.empty() && last.empty() && !one ? Finding(kHolds) : found(set);
    }
    if (first != Points{all.front()} || last != Points{all.back()}) return found(set);
    if (!one || *constants(*one) != all.front()) return found(set, " has another least point");
    return kHolds;
  });
}

TEST(IntegerSetLaw, GapsFillTheLeastBox) {
  test::for_all_seeds({.one_in = 8}, [](Random& random) -> Finding {
    const DrawnSet drawn = drawn_set(random);
    const IntegerSet set = set_of_text(drawn.text());
    const Points all = drawn.points();
    const Points holes = points_of(gaps(set).value());
    if (all.empty()) return holes.empty() ? Finding(kHolds) : found(set);
    DrawnSet box{drawn.dimensions, {{all.front(), all.front(), {}}}};
    for (const test::Coordinates& point : all) {
      for (std::size_t i = 0; i < point.size(); ++i) {
        box.parts[0].lows[i] = std::min(box.parts[0].lows[i], point[i]);
        box.parts[0].highs[i] = std::max(box.parts[0].highs[i], point[i]);
      }
    }
    Points wanted;
    std::ranges::set_difference(box.points(), all, std::back_inserter(wanted));
    return holes == wanted ? Finding(kHolds) : found(set, " has other gaps");
  });
}

TEST(IntegerSetLaw, ContainsItsPointsAlone) {
  test::for_all_seeds({.one_in = 8}, [](Random& random) -> Finding {
    const DrawnSet drawn = drawn_set(random);
    const IntegerSet set = set_of_text(drawn.text());
    test::Coordinates point;
    for (std::size_t i = 0; i < drawn.dimensions; ++i) point.push_back(random.between(-6, 12));
    const Points all = drawn.points();
    if (!all.empty() && random.chance(50)) point = random.one_of(all);
    const Result<bool> is_in = contains(set, std::vector<Int>(point.begin(), point.end()));
    if (!is_in || *is_in != drawn.holds(point)) return found(set);
    return kHolds;
  });
}

// Layouts and their sets.

struct Mapped {
  View view;
  IntegerRelation relation;
};

std::optional<Mapped> drawn_layout(Random& random) {
  const AnyLayout layout = random.chance(60)
                               ? AnyLayout(test::to_layout(test::any_layout(random, 48)))
                               : AnyLayout(test::any_linear(random));
  auto seen = view(layout);
  if (!seen || !known_at_most(seen->size(), 64)) return std::nullopt;
  auto as_relation = relation(layout);
  if (!as_relation) return std::nullopt;
  return Mapped{*std::move(seen), *std::move(as_relation)};
}

TEST(IntegerSetLaw, SetsOfLayoutsAreThoseOfTheirValues) {
  test::for_all_seeds({.one_in = 40}, [](Random& random) -> Finding {
    const auto drawn = drawn_layout(random);
    if (!drawn) return kSaysNothing;
    const auto& [seen, as_relation] = *drawn;
    const auto dimensions = seen.extents.size();
    // Constraints on points, and those on images, of which there are more kinds of numbers.
    const DrawnSet at = drawn_set(random, dimensions, 3);
    const DrawnSet onto = drawn_set(random, seen.axes.size(), 12);
    Points every;
    Points images_of_all;
    Points images_of_some;
    Points leading;
    for (std::int64_t flat = 0; flat < seen.size().value(); ++flat) {
      const std::vector<Int> point = point_of(seen.extents, seen.order, flat);
      const test::Coordinates here = *constants(point);
      every.push_back(here);
      const auto all = images(seen, point).value();
      for (const std::vector<Int>& image : all) {
        const test::Coordinates there = *constants(image);
        images_of_all.push_back(there);
        if (at.holds(here)) images_of_some.push_back(there);
        if (onto.holds(there)) leading.push_back(here);
      }
    }
    const IntegerSet at_set = set_of_text(at.text());
    const IntegerSet onto_set = set_of_text(onto.text());
    const auto differs = [&](const Result<IntegerSet>& got, const Points& wanted) {
      return !got || points_of(*got) != sorted(wanted);
    };
    if (differs(domain(as_relation), every)) return found(as_relation, ": its domain");
    if (differs(range(as_relation), images_of_all)) return found(as_relation, ": its range");
    if (differs(image(as_relation, at_set), images_of_some) ||
        differs(range(intersect_domain(as_relation, at_set).value()), images_of_some)) {
      return found(as_relation, " at ", at_set);
    }
    if (differs(preimage(as_relation, onto_set), leading) ||
        differs(domain(intersect_range(as_relation, onto_set).value()), leading)) {
      return found(as_relation, " onto ", onto_set);
    }
    return kHolds;
  });
}

TEST(IntegerSetLaw, LeastImagesAreThoseOfEachPoint) {
  test::for_all_seeds({.one_in = 10}, [](Random& random) -> Finding {
    // The first dimension is the point, the rest are its images.
    const DrawnSet pairs = drawn_set(random, static_cast<std::size_t>(random.between(2, 3)), 5);
    std::string text = pairs.text();
    for (std::size_t at = 0; (at = text.find("[x0, ", at)) != std::string::npos; at += 5) {
      text.replace(at, 5, "[x0] -> [");
    }
    const IntegerRelation relation = IntegerRelation::parse(text).value();
    const IntegerRelation least = lexmin(relation).value();
    const IntegerRelation greatest = lexmax(relation).value();
    for (std::int64_t x = -5; x < 12; ++x) {
      Points here;
      for (const test::Coordinates& pair : pairs.points()) {
        if (pair.front() == x) here.emplace_back(pair.begin() + 1, pair.end());
      }
      const std::vector<Int> point = {Int(x)};
      const Points first = numbers_of(images(least, point).value());
      const Points last = numbers_of(images(greatest, point).value());
      if (here.empty() ? !first.empty() || !last.empty()
                       : first != Points{here.front()} || last != Points{here.back()}) {
        return found(relation, " at ", x);
      }
    }
    return kHolds;
  });
}

// Symbolic counts.

TEST(IntegerSetLaw, SymbolicCountsAreRightForEveryValue) {
  test::for_all_seeds({.one_in = 20}, [](Random& random) -> Finding {
    const std::int64_t step = random.between(1, 3);
    const std::int64_t low = random.between(-3, 3);
    const std::int64_t factor = random.between(1, 3);
    const std::string text = fmt::format(
        "[N, M] -> {{ [i, j] : {} <= i < {}N and (i + {}) mod {} = 0 and -M <= j <= {} }}", low,
        factor, random.between(0, 2), step, random.between(-2, 4));
    const IntegerSet set = set_of_text(text);
    const Result<Int> number = count(set);
    if (!number) return found(text, ": ", number.error());
    for (int trial = 0; trial < 6; ++trial) {
      const std::int64_t n = random.between(-3, 6);
      const std::int64_t m = random.between(-4, 5);
      const Bindings values = {{"N", Int(n)}, {"M", Int(m)}};
      const std::string fixed = fmt::format("{{ [i, j] : exists (N, M : N = {} and M = {} and {}",
                                            n, m, text.substr(text.find(':') + 1));
      std::string closed = fixed;
      closed.insert(closed.rfind('}'), ")");
      const Int wanted = count(set_of_text(closed)).value();
      const Result<Int> got = instantiate(*number, values);
      if (!got || *got != wanted) return found(text, " at N=", n, ", M=", m, ": ", *number);
    }
    return kHolds;
  });
}

// isl 0.25 joins these parts to { 0, …, 9 } and the like.
TEST(IntegerSet, PartsAreJoinedWithoutPointsOfNeither) {
  const auto even = set_of_text("{ [i] : 0 <= i <= 8 and i mod 2 = 0 }");
  const auto first = set_of_text("{ [i] : 0 <= i <= 1 }");
  EXPECT_EQ(count(unite(even, first).value()).value(), 6);
  EXPECT_EQ(count(unite(first, even).value()).value(), 6);
  EXPECT_TRUE(is_subset(set_of_text("{ [i] : i = 9 }"), unite(even, first).value()).is_no());
  const auto parts = set_of_text("{ [i] : 0 <= i <= 3 ; [i] : -2 <= i <= 7 and i mod 3 = 2 }");
  EXPECT_EQ(count(intersect(parts, set_of_text("{ [i] : 2 <= i <= 7 }")).value()).value(), 3);
  const IntegerRelation pairs =
      IntegerRelation::parse("{ [i] -> [4 + i] : 0 <= i <= 1; [i] -> [2i + 2] : 1 <= i <= 5 }")
          .value();
  EXPECT_EQ(count(range(pairs).value()).value(), 6);
}

TEST(IntegerSetLaw, ParametersThatAreKnownAsNumbersAreNone) {
  test::for_all_seeds({.one_in = 20}, [](Random& random) -> Finding {
    const IntegerSet set =
        set_of_text(fmt::format("[N, M] -> {{ [i, j] : {} <= j <= i < N and i + j < {}M }}",
                                random.between(-2, 2), random.between(1, 3)));
    const std::int64_t n = random.between(-3, 8);
    const std::int64_t m = random.between(-3, 8);
    const IntegerSet known = assuming(set, {{"N", Int(n)}, {"M", Int(m)}}).value();
    if (!known.parameters().empty()) return found(known);
    std::size_t number = 0;
    for (std::int64_t i = -3; i < 9; ++i) {
      for (std::int64_t j = -3; j < 9; ++j) {
        const bool is_in = contains(known, std::vector<Int>{i, j}).value();
        number += is_in ? 1 : 0;
        const IntegerSet only =
            set_of_text(fmt::format("[N, M] -> {{ [i, j] : N = {} and M = {} and i = {} and j = {} "
                                    "}}",
                                    n, m, i, j));
        if (is_in != is_subset(only, set).is_yes()) return found(set, " at ", i, ",", j);
      }
    }
    if (count(known).value() != Int(number)) return found(set, ": ", count(known).value());
    return kHolds;
  });
}

TEST(IntegerSet, ACountOverParametersIsAProductOfExtents) {
  const auto number = [](const std::string& text) {
    return to_string(count(set_of_text(text)).value());
  };
  EXPECT_EQ(number("[N, M] -> { [i, j] : 0 <= i < N and 0 <= j < M }"), "max(0,M)*max(0,N)");
  EXPECT_EQ(number("[N] -> { [i, j] : 0 <= i < N and 0 <= j < 8 }"), "8*max(0,N)");
}

TEST(IntegerSet, CountsWithoutEnumeratingWhatItNeedNot) {
  const auto number = [](const std::string& text) { return count(set_of_text(text)).value(); };
  EXPECT_EQ(number("{ [i, j] : 0 <= i < 1048576 and 0 <= j < 1099511627776 }"),
            Int(std::int64_t{1} << 60));
  EXPECT_EQ(number("{ [i] : 0 <= i < 1000000000000 and i mod 7 = 3 }"), Int(142857142857));
  EXPECT_EQ(number("{ [i, j] : 0 <= j <= i < 100000 }"), Int(5000050000));
  EXPECT_EQ(number("{ [i, j] : 0 <= i < 100000 and 0 <= j < 1000000 and (i + j) mod 2 = 0 }"),
            Int(50000000000));
}

// The runs of a swizzle that moves parts of padded rows; isl alone does not find them.
TEST(IntegerSet, RangesOfLargeSwizzlesAreRunsOfTheirValues) {
  const AnyLayout layout = test::layout_of_text("Sw<3,4,3> o 0 o (64,64):(72,1)");
  const auto images = range(relation(layout).value());
  ASSERT_TRUE(images) << images.error();
  EXPECT_EQ(count(*images).value(), 4096);
  const Points all = points_of(*images);
  const std::int64_t reach = all.back().front() - all.front().front() + 1;
  EXPECT_EQ(count(gaps(*images).value()).value(), reach - 4096);
}

TEST(IntegerSet, ASetOfOnePointWithoutCoordinates) {
  const IntegerSet set = set_of_text("{ [] }");
  EXPECT_EQ(points_of(set), Points{test::Coordinates{}});
  EXPECT_EQ(count(set).value(), Int(1));
}

TEST(IntegerSet, NamesStayThoseOfTheText) {
  const IntegerRelation relation =
      IntegerRelation::parse(
          "[N] -> { A[row, col] -> B[lane = row, m = col + N] : 0 <= row < 4 and "
          "0 <= col < 4 }")
          .value();
  EXPECT_EQ(domain(relation)->text(), "[N] -> { [row, col] : 0 <= row <= 3 and 0 <= col <= 3 }");
  EXPECT_EQ(range(relation)->names()[0], "lane");
  EXPECT_EQ(range(relation)->names()[1], "m");
}

}  // namespace
}  // namespace heddle::map
