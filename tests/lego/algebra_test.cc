// Composition and inverse of layouts, against plain evaluation of figures 4 and 5.

#include "heddle/lego/algebra.h"

#include <gtest/gtest.h>

#include "heddle/expr/index_variable.h"
#include "heddle/lego/equality.h"
#include "heddle/lego/instantiate.h"
#include "support/law.h"
#include "support/lego.h"
#include "support/random_lego.h"

namespace heddle::lego {
namespace {

using test::any_lego;
using test::col;
using test::count;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::group;
using test::ints;
using test::kHolds;
using test::kSaysNothing;
using test::made;
using test::named;
using test::Numbers;
using test::order;
using test::plain_apply;
using test::plain_dims;
using test::plain_inv;
using test::plain_point;
using test::PlainLego;
using test::Random;
using test::reg;
using test::row;
using test::symbolic_lego;
using test::SymbolicLego;
using test::to_layout;
using test::Trials;

/// A layout of as many points as the other one.
PlainLego of_the_same_size(Random& random, const PlainLego& other) {
  const std::int64_t size = count(plain_dims(other));
  for (int i = 0; i < 200; ++i) {
    PlainLego candidate = any_lego(random, {.max_size = 24});
    if (count(plain_dims(candidate)) == size) return candidate;
  }
  PlainLego plain;
  plain.tiles = {{size}};
  return plain;
}

Finding is_composition(const Layout& got, const PlainLego& outer, const PlainLego& inner) {
  const Numbers dims = plain_dims(inner);
  if (got.dims() != ints(dims)) return found("the view of ", got);
  for (std::int64_t flat = 0; flat < count(dims); ++flat) {
    const Numbers point = plain_point(dims, flat);
    const Numbers middle = plain_point(plain_dims(outer), plain_apply(inner, point));
    const auto position = got.apply(ints(point));
    if (!position) return found(got, ": ", position.error());
    if (*position != Int(plain_apply(outer, middle)))
      return found(got, " at ", flat, ": ", *position);
  }
  return kHolds;
}

TEST(LegoAlgebraLaw, ACompositionIsTheOuterLayoutAtThePositionsOfTheInner) {
  test::Tally chains;
  for_all_seeds([&](Random& random) -> Finding {
    const PlainLego inner = any_lego(random, {.max_size = 24});
    const PlainLego outer = of_the_same_size(random, inner);
    const auto got = composition(to_layout(outer), to_layout(inner));
    if (!got) return found(got.error());
    if (!got->is_injective_only()) chains.count();
    return is_composition(*got, outer, inner);
  });
  chains.expect_at_least(90);
}

TEST(LegoAlgebraLaw, AnInnerLayoutMayBeSmaller) {
  for_all_seeds({.percent = 30}, [](Random& random) -> Finding {
    const PlainLego inner = any_lego(random, {.max_size = 16});
    const PlainLego outer = any_lego(random, {.max_size = 32});
    const auto got = composition(to_layout(outer), to_layout(inner));
    const bool fits = count(plain_dims(inner)) <= count(plain_dims(outer));
    if (fits) return got ? is_composition(*got, outer, inner) : found(got.error());
    if (got) return found("gave ", *got);
    if (got.error().code() != "lego.composition") return found(got.error());
    return got.error().witness() ? kHolds : found("no witness");
  });
}

TEST(LegoAlgebraLaw, AnInverseLeadsFromPositionsToPoints) {
  for_all_seeds([](Random& random) -> Finding {
    const PlainLego plain = any_lego(random, {.expanded = random.chance(20)});
    const Layout layout = to_layout(plain);
    const auto back = inverse(layout);
    if (!back) return found(layout, ": ", back.error());
    const Int positions = layout.physical_size();
    if (back->size() != positions) return found(*back, " has ", back->size(), " points");
    for (std::int64_t p = 0; p < positions.value(); ++p) {
      const auto number = back->apply(unflatten(back->dims(), Int(p)));
      const std::int64_t wanted = test::plain_flat(plain_dims(plain), plain_inv(plain, p));
      if (!number || *number != Int(wanted)) return found(layout, ", ", *back, " at ", p);
    }
    return kHolds;
  });
}

TEST(LegoAlgebraLaw, AnInverseUndoesAndIsUndone) {
  for_all_seeds(Trials{.one_in = 4}, [](Random& random) -> Finding {
    const Layout layout = to_layout(any_lego(random, {.max_size = 36}));
    const Layout back = inverse(layout).value();
    const Layout flat = group({{layout.size()}});
    for (const auto& [a, b] : {std::pair(layout, back), std::pair(back, layout)}) {
      const auto both = composition(a, b);
      if (!both || !equal(*both, flat).is_yes()) return found(a, " after ", b);
    }
    return equal(inverse(back).value(), layout).is_yes() ? kHolds : found(layout);
  });
}

TEST(LegoAlgebraLaw, TheInverseOfACompositionIsThatOfTheInverses) {
  for_all_seeds(Trials{.one_in = 4}, [](Random& random) -> Finding {
    const PlainLego first = any_lego(random, {.max_size = 24});
    const Layout inner = to_layout(first);
    const Layout outer = to_layout(of_the_same_size(random, first));
    const Layout one = inverse(composition(outer, inner).value()).value();
    const Layout other = composition(inverse(inner).value(), inverse(outer).value()).value();
    return equal(one, other).is_yes() ? kHolds : found(one, " and ", other);
  });
}

TEST(LegoAlgebraLaw, SymbolicSizesGiveTheLayoutsOfTheirValues) {
  for_all_seeds(Trials{.one_in = 8, .percent = 50}, [](Random& random) -> Finding {
    const SymbolicLego symbolic = symbolic_lego(random);
    const auto at_values = instantiate(symbolic.layout, symbolic.values);
    if (!at_values || !at_values->size().is_constant() || !known_at_most(at_values->size(), 4096))
      return kSaysNothing;
    const auto back = inverse(symbolic.layout);
    if (!back) return back.error().code() == "lego.no_inverse" ? kSaysNothing : found(back.error());
    const auto here = instantiate(*back, symbolic.values);
    if (!here) return found(here.error());
    if (!equal(*here, inverse(*at_values).value()).is_yes()) return found(*back);
    const auto twice = composition(symbolic.layout, *back);
    if (!twice) return found(twice.error());
    const auto there = instantiate(*twice, symbolic.values);
    return there && equal(*there, group({{at_values->size()}})).is_yes() ? kHolds : found(*twice);
  });
}

TEST(LegoAlgebra, LinksOfTheInnerLayoutComeFirst) {
  const Layout a = group({{4, 8}}, {order({col({4, 8})})});
  const Layout b = group({{2, 16}}, {order({reg({2, 16}, {2, 1})})});
  EXPECT_EQ(to_string(composition(a, b).value()),
            "GroupBy([2,16]).OrderBy(RegP([2,16],[2,1])).OrderBy(Col(4,8))");
  EXPECT_EQ(to_string(composition(group({{32}}), b).value()), to_string(b));
  EXPECT_EQ(to_string(composition(a, group({{32}})).value()), "GroupBy([32]).OrderBy(Col(4,8))");
  const Layout tiled = test::tile({{3, 3}, {2, 2}}, {test::tile_order({row({3, 3}), col({2, 2})})});
  EXPECT_EQ(to_string(composition(tiled, group({{6, 6}})).value()),
            "GroupBy([6,6]).OrderBy(RegP([3,3,2,2],[1,3,2,4])).TileOrderBy(Row(3,3),Col(2,2))");
  const Layout expanded = Layout::expand_by({3, 7}, {4, 9}, group({{4, 9}})).value();
  EXPECT_EQ(
      to_string(composition(expanded, group({{36}}, {order({named({36}, "reverse")})})).value()),
      "ExpandBy([3,7],[4,9],GroupBy([36]).OrderBy(GenP([36],reverse)))");
}

TEST(LegoAlgebra, AnInverseIsWrittenWithTheInversesInReverse) {
  EXPECT_EQ(to_string(inverse(group({{4, 8}}, {order({col({4, 8})})})).value()),
            "GroupBy([8,4]).OrderBy(Col(8,4))");
  EXPECT_EQ(
      to_string(inverse(group({{6, 4}}, {order({reg({2, 2}, {2, 1}), named({3, 2}, "reverse")})}))
                    .value()),
      "GroupBy([2,2],[6]).OrderBy(RegP([2,2],[2,1]),GenP([6],reverse))");
  EXPECT_EQ(to_string(inverse(group({{2, 3}})).value()), "GroupBy([2,3])");
  const Int m = Int::variable("M", 1, 4096);
  EXPECT_EQ(to_string(inverse(group({{m, 8}}, {order({col({m, 8})})})).value()),
            "GroupBy([8,M]).OrderBy(Col(8,M))");
}

TEST(LegoAlgebra, AnInverseIsKnownByTheSameEvidence) {
  const Int n = Int::variable("N", 1, 64);
  const Layout square = group({{n, n}}, {order({named({n, n}, "antidiag")})});
  const auto back = inverse(square);
  ASSERT_TRUE(back) << back.error();
  EXPECT_EQ(evidence(*back), evidence(square));
  const auto three = instantiate(*back, {{"N", 3}});
  ASSERT_TRUE(three);
  for (std::int64_t p = 0; p < 9; ++p) {
    const auto at = instantiate(square, {{"N", 3}})->inv(p).value();
    EXPECT_EQ(three->apply(unflatten(three->dims(), Int(p))).value(), at[0] * 3 + at[1]);
  }
}

TEST(LegoAlgebra, AParameterTakesNoNameOfASize) {
  const Int x = Int::variable("x", 1, 16);
  const Layout layout = group({{x, 4}}, {order({named({x, 4}, "cyclic", {1})})});
  const auto back = inverse(layout);
  ASSERT_TRUE(back) << back.error();
  const Layout five = instantiate(*back, {{"x", 5}}).value();
  const Layout wanted = inverse(instantiate(layout, {{"x", 5}}).value()).value();
  EXPECT_TRUE(equal(five, wanted).is_yes()) << *back;
}

TEST(LegoAlgebra, RefusesWhatHasNoPlace) {
  const Layout twice = made(
      group({{4}}).order_by({made(GenP::make({4}, Formula{{"i"}, {2 * Int::variable("i")}}))}));
  EXPECT_EQ(composition(group({{4}}), twice).error().code(), "lego.composition");
  EXPECT_EQ(to_string(composition(group({{7}}, {order({named({7}, "reverse")})}), twice).value()),
            "GroupBy([4]).OrderBy(GenP([4],x -> -2*x+6))");
  EXPECT_EQ(inverse(twice).error().code(), "lego.no_inverse");
  const Layout expanded = Layout::expand_by({3, 7}, {4, 9}, group({{4, 9}})).value();
  EXPECT_EQ(composition(group({{21}}, {order({named({21}, "reverse")})}), expanded).error().code(),
            "lego.expand");
  const Int m = Int::variable("M", 1, 64);
  EXPECT_EQ(composition(group({{m}}), group({{16}})).error().code(), "assume.needed");
}

}  // namespace
}  // namespace heddle::lego
