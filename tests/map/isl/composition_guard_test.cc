// Where compositions leave the domain of their left side.

#include "heddle/map/composition_guard.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/cute/composition.h"
#include "heddle/expr/proof.h"
#include "map/view/shown_digits.h"
#include "support/any_layout.h"
#include "support/law.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;
using test::strided;
using test::Tally;

/// Seed 000, section 3.6: CuTe goes on past the end of G.
TEST(CompositionGuard, OfTheSeedsExample) {
  const auto guard = composition_guard(strided({2, 1}, {1, 80}), strided({2, 2}, {2, 1})).value();
  ASSERT_EQ(guard.conditions.size(), 1U);
  EXPECT_EQ(to_string(guard.conditions.front()), "2*c0+c1 < 2");
  const auto images_of = [&](std::int64_t i, std::int64_t j) {
    return images(*guard.leaving, std::vector<Int>{i, j}).value().size();
  };
  EXPECT_EQ(images_of(0, 0), 0U);
  EXPECT_EQ(images_of(0, 1), 0U);
  EXPECT_EQ(images_of(1, 0), 1U);
  EXPECT_EQ(images_of(1, 1), 1U);
}

TEST(CompositionGuard, IsNoneWhereNothingLeaves) {
  const auto guard = composition_guard(strided({8, 8}, {8, 1}), strided({4, 4}, {1, 16})).value();
  EXPECT_TRUE(guard.is_always_inside());
  EXPECT_EQ(to_string(guard), "guard none: no point leaves");
}

TEST(CompositionGuard, HoldsForSymbolicSizes) {
  const Int n = Int::variable("N", 1, 1 << 20);
  const auto guard = composition_guard(strided(n, 1), strided(128, 1)).value();
  ASSERT_EQ(guard.conditions.size(), 1U);
  EXPECT_EQ(to_string(guard.conditions.front()), "c0 < N");
}

TEST(CompositionGuard, OfStridesAlongModes) {
  const auto basis = [](std::size_t mode) {
    return cute::Stride(1, cute::Basis::make(std::vector<std::size_t>{mode}).value());
  };
  const cute::Layout right =
      cute::make_layout({4, 4}, cute::StrideTuple{basis(0), basis(1)}).value();
  const auto guard = composition_guard(strided({3, 8}, {8, 1}), right).value();
  ASSERT_EQ(guard.conditions.size(), 1U);
  EXPECT_EQ(to_string(guard.conditions.front()), "c0 < 3");
}

/// Guard, set and the list of domain_overflow() say the same.
TEST(CompositionGuard, AgreesWithTheListOfCoordinates) {
  Tally tally;
  test::for_all_seeds({.one_in = 25}, [&](Random& random) -> Finding {
    const cute::Layout left = test::to_layout(test::positive_layout(random, 24));
    const cute::Layout right = test::to_layout(test::any_layout(random, 24));
    const auto guard = composition_guard(left, right).value();
    const View it = view(right).value();
    bool leaves_somewhere = false;
    for (std::int64_t flat = 0; flat < it.size().value(); ++flat) {
      const std::vector<Int> point = point_of(it.extents, it.order, flat);
      const Int there = it.evaluate(point, 0).front();
      const bool is_inside = there.value() >= 0 && there.value() < left.size().value();
      leaves_somewhere |= !is_inside;
      Bindings values;
      for (std::size_t i = 0; i < point.size(); ++i) values[it.names[i]] = point[i];
      const bool holds = std::ranges::all_of(guard.conditions, [&](const Condition& condition) {
        return known({instantiate(condition.left, values).value(), condition.predicate,
                      instantiate(condition.right, values).value()});
      });
      if (holds != is_inside) return found(right, " into ", left, ": guard at ", flat);
      if (images(*guard.leaving, point).value().empty() != is_inside) {
        return found(right, " into ", left, ": set at ", flat);
      }
    }
    const auto listed = cute::domain_overflow(left, right, 1);
    if (listed && listed->empty() == leaves_somewhere) return found("the list differs");
    if (leaves_somewhere) tally.count();
    return kHolds;
  });
  tally.expect_at_least(0.5);
}

}  // namespace
}  // namespace heddle::map
