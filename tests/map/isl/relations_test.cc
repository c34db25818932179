// Relations of layouts against what the layouts say at every point, and what is printed against
// what is read.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <stop_token>
#include <string>

#include "heddle/cute/swizzle.h"
#include "heddle/map/decide.h"
#include "heddle/map/relations.h"
#include "heddle/notation/cute.h"
#include "map/view/shown_digits.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/random_lego.h"
#include "support/random_linear.h"
#include "support/text.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::found;
using test::kHolds;
using test::Random;

/// isl is slow beside the rest: a hundredth of the usual number of cases.
void for_some_seeds(const std::function<Finding(Random&)>& law) {
  test::for_all_seeds({.one_in = 100}, law);
}

IntegerRelation parsed(const std::string& text) {
  const Result<IntegerRelation> relation = IntegerRelation::parse(text);
  if (!relation) throw std::invalid_argument(relation.error().to_string(text));
  return *relation;
}

/// The relation has at every point of the box the images that the layout has, by pieces and by isl,
/// and none outside.
Finding differs_from(const IntegerRelation& relation, const View& view) {
  for (std::int64_t flat = 0; flat < view.size().value(); ++flat) {
    const std::vector<Int> point = point_of(view.extents, view.order, flat);
    const auto wanted = images(view, point);
    const auto got = images(relation, point);
    if (!got) return found(relation, ": ", got.error());
    if (*got != *wanted) return found(relation, " at ", flat);
  }
  for (std::size_t i = 0; i < view.extents.size(); ++i) {
    for (const Int& outside : {Int(-1), view.extents[i]}) {
      std::vector<Int> point(view.extents.size(), Int(0));
      point[i] = outside;
      const auto got = images(relation, point);
      if (!got || !got->empty()) return found(relation, " has an image outside");
    }
  }
  return kHolds;
}

/// The relation of a layout is the layout, and so is what is read of its text.
Finding misses(const AnyLayout& layout) {
  const Result<View> viewed = view(layout);
  if (!viewed) return found(to_string(layout), ": ", viewed.error());
  const Result<IntegerRelation> made = relation(*viewed);
  if (!made) return found(to_string(layout), ": ", made.error());
  if (Finding finding = differs_from(*made, *viewed)) return finding;
  const Result<IntegerRelation> read = IntegerRelation::parse(made->text());
  if (!read) return found(made->text(), ": ", read.error());
  if (!std::ranges::equal(read->axes(), made->axes()) && made->axes().front().name() != "0") {
    return found(made->text(), ": other axes");
  }
  return differs_from(*read, *viewed);
}

TEST(Relation, CuteLayoutsAtEveryPoint) {
  for_some_seeds([](Random& random) { return misses(to_layout(test::any_layout(random, 64))); });
}

TEST(Relation, SwizzledLayoutsAtEveryPoint) {
  for_some_seeds([](Random& random) -> Finding {
    const int bits = static_cast<int>(random.between(1, 2));
    const int base = static_cast<int>(random.between(0, 2));
    const int shift = static_cast<int>(random.between(bits, 3));
    const auto swizzle =
        cute::Swizzle::make(bits, base, random.between(0, 1) != 0 ? shift : -shift);
    const auto layout = cute::ComposedLayout::make(*swizzle, random.between(0, 40),
                                                   to_layout(test::any_layout(random, 32)));
    return misses(*layout);
  });
}

TEST(Relation, LinearLayoutsAtEveryPoint) {
  for_some_seeds([](Random& random) { return misses(test::any_linear(random, 6)); });
}

TEST(Relation, AxeLayoutsAtEveryPoint) {
  for_some_seeds([](Random& random) {
    test::AxeKind kind;
    kind.max_size = 32;
    return misses(test::any_axe(random, kind));
  });
}

TEST(Relation, LegoLayoutsAtEveryPoint) {
  for_some_seeds([](Random& random) {
    test::LegoKind kind;
    kind.max_size = 36;
    kind.general = false;
    return misses(to_layout(test::any_lego(random, kind)));
  });
}

TEST(Relation, TablesAtEveryPoint) {
  for_some_seeds([](Random& random) {
    const std::vector<std::int64_t> extents{random.between(1, 5), random.between(1, 6)};
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < extents[0] * extents[1]; ++i) {
      values.push_back(random.between(-9, 9));
    }
    return misses(form::make_table(extents, {Axis::memory()}, values).value());
  });
}

TEST(Relation, PiecesAreTheRelation) {
  // The pieces as Ints, with numbers for the variables.
  for_some_seeds([](Random& random) -> Finding {
    const std::int64_t a = random.between(-9, 9);
    const std::int64_t b = random.between(1, 9);
    const std::int64_t c = random.between(2, 12);
    const std::int64_t d = random.between(-20, 20);
    const std::string text = fmt::format(
        "{{ [x, y] -> [{}x + {}y + {}*floor(({}x + y + {})/{}), (y - {}x) mod {}] : 0 <= x < 6 and "
        "0 "
        "<= y < 5 and (x + y) mod {} != 1 }}",
        a, d, b, a, d, c, b, c, b + 1);
    const IntegerRelation relation = parsed(text);
    const Result<std::vector<Piece>> all = pieces(relation);
    if (!all) return found(text, ": ", all.error());
    for (std::int64_t x = 0; x < 6; ++x) {
      for (std::int64_t y = 0; y < 5; ++y) {
        const std::vector<Int> point{Int(x), Int(y)};
        std::vector<std::vector<Int>> got;
        for (const Piece& piece : *all) {
          const Bindings values{{"x", x}, {"y", y}};
          const auto at = [&](const Int& value) {
            return instantiate(value, values).value_or(Int::undefined());
          };
          const bool inside =
              std::ranges::all_of(piece.conditions, [&](const Condition& condition) {
                return known({at(condition.left), condition.predicate, at(condition.right)});
              });
          if (!inside) continue;
          got.emplace_back();
          for (const Int& output : piece.outputs) got.back().push_back(at(output));
        }
        if (images(relation, point).value() != got) {
          return found(text, " at ", x, ",", y, ": ", to_string(*all));
        }
      }
    }
    return kHolds;
  });
}

TEST(Relation, ComposesAndReverses) {
  for_some_seeds([](Random& random) -> Finding {
    const cute::Layout inner = to_layout(test::compact_layout(random, 24));
    const IntegerRelation f = layout_mapping(inner).value();
    const IntegerRelation g = parsed(fmt::format("{{ [i] -> [({}i) mod 7, i] : i >= {} }}",
                                                 random.between(-5, 5), random.between(-3, 3)));
    const IntegerRelation both = compose(f, g).value();
    const IntegerRelation reversed = reverse(f).value();
    for (std::int64_t i = 0; i < inner.size().value(); ++i) {
      const std::vector<Int> at{Int(i)};
      const std::vector<Int> middle{inner(i)};
      if (images(both, at).value() != images(g, middle).value()) return found(both, " at ", i);
      const auto back = images(reversed, middle);
      if (back.value() != std::vector<std::vector<Int>>{at}) return found(f, " reversed at ", i);
    }
    return kHolds;
  });
}

TEST(Relation, MappingsOfTheSeedComposeToTheLayout) {
  for_some_seeds([](Random& random) -> Finding {
    const linear::LinearLayout layout = test::any_linear(random, 4);
    const auto mappings = linear_mappings(layout);
    if (!mappings) return found(mappings.error());
    const auto whole = layout_mapping(*mappings);
    if (!whole) return found(whole.error());
    return differs_from(*whole, view(layout).value());
  });
}

TEST(Relation, EveryCoordinateSpaceHasItsIndexMapping) {
  for_some_seeds([](Random& random) -> Finding {
    const cute::Layout layout = to_layout(test::any_layout(random, 48));
    const auto spaces = coordinate_spaces(layout.shape());
    const IntegerRelation whole = layout_mapping(layout).value();
    for (const IntTuple& shape : *spaces) {
      const auto mapping = index_mapping(layout, shape);
      if (!mapping) return found(layout, " in ", shape, ": ", mapping.error());
      const auto both = compose(coordinate_mapping(shape).value(), *mapping);
      if (!equal(*both, whole).is_yes()) return found(layout, " in ", shape, ": ", *both);
    }
    return kHolds;
  });
}

TEST(Relation, SymbolicSizesAreParameters) {
  const Int rows = Int::variable("M", 1, 4096);
  const cute::Layout layout =
      cute::make_layout(IntTuple{IntTuple(rows), IntTuple(8)},
                        cute::StrideTuple{cute::StrideTuple(8), cute::StrideTuple(1)})
          .value();
  const IntegerRelation whole = relation(layout).value();
  EXPECT_EQ(whole.text(),
            "[M] -> { [c0, c1] -> [8c0 + c1] : 0 < M <= 4096 and 0 <= c0 < M and 0 <= c1 <= 7 }");
}

TEST(Relation, CopiesAreSeveralImages) {
  const axe::Layout layout =
      axe::Layout::make({{4, 1, Axis("laneid")}}, {{2, 4, Axis("warpid")}}, {}).value();
  const IntegerRelation whole = relation(layout).value();
  EXPECT_EQ(is_single_valued(whole), false);
  EXPECT_EQ(images(whole, std::vector<Int>{3}).value(),
            (std::vector<std::vector<Int>>{{3, 0}, {3, 4}}));
  EXPECT_EQ(whole.axes()[0], Axis("laneid"));
  EXPECT_EQ(whole.axes()[1], Axis("warpid"));
}

TEST(Relation, ReadsWhatNoOtherSystemSays) {
  const IntegerRelation fan = parsed("{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }");
  EXPECT_EQ(to_string(pieces(fan).value()), "(-3*c)%16");
  EXPECT_EQ(images(fan, std::vector<Int>{2}).value(), (std::vector<std::vector<Int>>{{10}}));
  const IntegerRelation triangle = parsed("{ [i, j] -> [8i + j] : 0 <= j <= i < 8 }");
  EXPECT_EQ(domain_box(triangle).value(), std::nullopt);
  EXPECT_EQ(to_string(pieces(triangle).value()), "8*i+j where j <= i");
  const IntegerRelation holes = parsed("{ [c] -> [2c] : 0 <= c < 10 and c mod 2 = 1 }");
  EXPECT_EQ(to_string(pieces(holes).value()), "2*c where c%2 == 1");
}

TEST(Relation, OverlappingPartsAreSeveralImagesAndNotTheirSum) {
  const IntegerRelation both = parsed("{ [c] -> [c] : 0 <= c < 4; [c] -> [2c] : 2 <= c < 8 }");
  EXPECT_EQ(images(both, std::vector<Int>{3}).value(), (std::vector<std::vector<Int>>{{3}, {6}}));
  EXPECT_EQ(images(both, std::vector<Int>{5}).value(), (std::vector<std::vector<Int>>{{10}}));
}

TEST(Relation, HalvesAreWhereTheyAreWhole) {
  const IntegerRelation half = parsed("{ [c] -> [c/2] : 0 <= c < 16 }");
  EXPECT_TRUE(images(half, std::vector<Int>{3}).value().empty());
  EXPECT_EQ(images(half, std::vector<Int>{6}).value(), (std::vector<std::vector<Int>>{{3}}));
}

TEST(Relation, ComparesWithTheLeastCounterexample) {
  const Verdict verdict =
      equal(parsed("{ [c] -> [c] : 0 <= c < 8 }"),
            parsed("{ [c] -> [c] : 0 <= c < 8 and c != 5; [5] -> [7]; [5] -> [8] }"));
  EXPECT_EQ(verdict.to_string(), "no  (isl)  counterexample: coordinate 5: 5 and {7, 8}");
  const Verdict parametric = equal(parsed("[N] -> { [c] -> [c] : 0 <= c < N }"),
                                   parsed("[N] -> { [c] -> [c] : 0 <= c < N and c < 8 }"));
  EXPECT_EQ(parametric.to_string(),
            "no  (isl)  counterexample: coordinate 8 where N=9: 8 and nothing");
}

TEST(Relation, GivesUpInTime) {
  Limits limits;
  limits.time = std::chrono::milliseconds(50);
  limits.steps = std::numeric_limits<std::uint32_t>::max();
  std::string text = "{ [a, b, c, d, e] -> [a] : exists (x, y, z, w: 3x + 5y - 7z + 2a - b >= 11w";
  for (int i = 2; i < 40; ++i) {
    text += fmt::format(" and ({}a + {}b - {}x + {}y) mod {} <= ({}c - {}z + w + e) mod {}", i,
                        i + 1, i * 3 % 7, i, 17 + i, i, i + 2, 23 + i);
  }
  text += ") }";
  const auto relation = IntegerRelation::parse(text, limits);
  ASSERT_FALSE(relation);
  EXPECT_EQ(relation.error().code(), "relation.gave_up");
  EXPECT_EQ(relation.error().notes(), std::vector<std::string>{"the time limit is 50 ms"});
}

/// The memory that isl may have is what the process takes more than when it was asked.
TEST(Relation, GivesUpItsMemory) {
  Limits limits;
  limits.steps = std::numeric_limits<std::uint32_t>::max();
  limits.memory_bytes = std::size_t{1} << 20;
  std::string text = "{ [a, b, c, d, e] -> [a] : exists (x, y, z, w: 3x + 5y - 7z + 2a - b >= 11w";
  for (int i = 2; i < 40; ++i) {
    text += fmt::format(" and ({}a + {}b - {}x + {}y) mod {} <= ({}c - {}z + w + e) mod {}", i,
                        i + 1, i * 3 % 7, i, 17 + i, i, i + 2, 23 + i);
  }
  // What was freed before would be taken again first.
  malloc_trim(0);
  const auto relation = IntegerRelation::parse(text + ") }", limits);
  ASSERT_FALSE(relation);
  EXPECT_EQ(relation.error().code(), "relation.gave_up");
  EXPECT_EQ(relation.error().notes(),
            std::vector<std::string>{"it took more than 1 MiB of memory"});
}

TEST(Relation, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  Limits limits;
  limits.stop = stop.get_token();
  std::string text = "{ [a, b, c, d] -> [a] : a >= 0";
  for (int i = 2; i < 60; ++i) {
    text += fmt::format(" and ({}a + {}b) mod {} <= ({}c - d) mod {}", i, i + 1, 17 + i, i, 23 + i);
  }
  const auto relation = IntegerRelation::parse(text + " }", limits);
  ASSERT_FALSE(relation);
  EXPECT_EQ(relation.error().code(), "relation.gave_up");
}

}  // namespace
}  // namespace heddle::map
