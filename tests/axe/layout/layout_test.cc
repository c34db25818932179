#include "heddle/axe/layout.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "support/random_axe.h"

namespace heddle::axe {
namespace {

using test::kLane;
using test::kM;
using test::kWarp;

Layout tensor_core_tile() {
  return *Layout::make({{8, 4, kLane}, {2, 1, kWarp}, {4, 1, kLane}, {2, 1, kM}}, {{2, 4, kWarp}},
                       {{kWarp, 5}});
}

TEST(AxeLayout, PrintsAsTvm) {
  EXPECT_EQ(to_string(tensor_core_tile()),
            "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[(2):(4@warpid)] + 5@warpid");
}

TEST(AxeLayout, AnIndexHasOnePlaceForEachReplica) {
  const std::vector<Coordinate> found = *places(tensor_core_tile(), 21);
  EXPECT_EQ(found, (std::vector<Coordinate>{{{kLane, 6}, {kM, 1}, {kWarp, 5}},
                                            {{kLane, 6}, {kM, 1}, {kWarp, 9}}}));
}

TEST(AxeLayout, ASpanCountsFromTheLowestToTheHighestPlace) {
  EXPECT_EQ(*span(tensor_core_tile(), kWarp), Int(6));
  EXPECT_EQ(*span(tensor_core_tile(), kLane), Int(32));
  EXPECT_EQ(*span(tensor_core_tile(), Axis("tx")), Int(1));
}

TEST(AxeCanonical, ChainsAreOneIter) {
  const Layout layout = *Layout::make({{2, 18, kM}, {3, 6, kM}, {6, 1, kM}});
  EXPECT_EQ(to_string(*canonicalize(layout)), "S[(36):(1@m)]");
}

TEST(AxeCanonical, AReplicaThatCannotBeTurnedAroundIsRefused) {
  const Int lowest = std::numeric_limits<std::int64_t>::min();
  const Result<Layout> canonical = canonicalize(*Layout::make({{8, 1, kM}}, {{2, lowest, kM}}));
  ASSERT_FALSE(canonical);
  EXPECT_EQ(canonical.error().code(), "overflow");
}

TEST(AxeLayout, AnOffsetDoesNotBringBackWhatIsOutOfReach) {
  const Int half = std::int64_t{1} << 62;
  const Result<Layout> layout = Layout::make({{2, half, kM}, {3, half, kM}}, {}, {{kM, -half}});
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().code(), "overflow");
}

TEST(AxeGroup, AListThatIsNotCanonicalIsMadeSoFirst) {
  const std::vector<Int> shape = {6, 4};
  const Grouping grouping = *group(*Layout::make({{4, 6, kM}, {6, 1, kM}}), shape);
  EXPECT_EQ(to_string(grouping.layout), "S[(6,4):(4@m,1@m)]");
  EXPECT_EQ(grouping.seps, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(AxeGroup, ABoundaryThatARepeatedExtentSetsHasAUnitIter) {
  const Layout layout = *Layout::make({{6, 5, kM}, {1, 97, kM}, {5, 1, kM}});
  const std::vector<std::vector<Int>> shapes = {{6, 1, 5}, {30}};
  const CommonGrouping common = *group_many(layout, shapes);
  EXPECT_EQ(common.seps, (std::vector<std::vector<std::size_t>>{{0, 1, 2, 3}, {0, 3}}));
}

TEST(AxeCoordinate, TheHadamardProductGoesAxisByAxis) {
  const Axis m = Axis::memory();
  const Axis lane("laneid");
  const Coordinate product = hadamard({{m, 2}, {lane, 3}}, {{m, -4}, {Axis("warpid"), 5}});
  EXPECT_EQ(to_string(product), "-8@m");
  EXPECT_TRUE(hadamard({}, {{m, 1}}).is_zero());
}

TEST(AxeGapCondition, NamesTheReplicasThatStandTooClose) {
  const Axis m = Axis::memory();
  const auto asked = [&](std::vector<Iter> replica) {
    const auto verdict = gap_condition(Layout::make({}, std::move(replica)).value());
    return verdict ? verdict->to_string() : verdict.error().code();
  };
  // Its points 0, 2, 3, 4, 5 and 7 have two normal forms (errata on appendix A).
  EXPECT_EQ(asked({{3, 2, m}, {2, 3, m}}),
            "no  (the replicas (2, 3@m) and (3, 2@m): the stride 3 is not above 3*2 = 6)");
  EXPECT_EQ(asked({{3, 2, m}, {2, 7, m}}),
            "yes  (each stride is above extent times stride of the one below it)");
  EXPECT_EQ(asked({{3, 2, m}, {2, 6, m}}),
            "yes  (each stride is above extent times stride of the one below it)");
  EXPECT_EQ(asked({{Int::variable("N", 2, 64), 1, m}, {2, 65, Axis("laneid")}}),
            "yes  (each stride is above extent times stride of the one below it)");
  EXPECT_EQ(asked({{Int::variable("N", 2, 64), 2, m}, {2, 9, m}}), "assume.needed");
  EXPECT_EQ(asked({}), "yes  (the normal form has no replicas)");
}

}  // namespace
}  // namespace heddle::axe
