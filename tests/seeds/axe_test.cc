// Seed 002, "Axe": every example and figure of it that has numbers, and what the errata say of it.

#include <gtest/gtest.h>

#include <set>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/iter_intersect.h"
#include "heddle/axe/slice.h"
#include "heddle/axe/tile.h"
#include "heddle/notation/axe.h"
#include "heddle/notation/evaluator.h"
#include "support/random_axe.h"

namespace heddle::test {
namespace {

using axe::Coordinate;
using axe::Interval;
using Shape = std::vector<Int>;
using Region = std::vector<Interval>;

axe::Layout axe_layout(std::string_view text) {
  const Result<axe::Layout> layout = notation::parse_axe(text);
  EXPECT_TRUE(layout) << layout.error();
  return layout.value_or(axe::Layout());
}

/// The normal form as text.
std::string canonical(const axe::Layout& layout) { return to_string(*axe::canonicalize(layout)); }

std::string canonical(const Result<axe::Layout>& layout) {
  return layout ? canonical(*layout) : layout.error().code();
}

std::string code_of(const Result<axe::Layout>& layout) {
  return layout ? "none: " + to_string(*layout) : layout.error().code();
}

std::set<std::int64_t> coordinates(const axe::Layout& layout, const std::string& axis) {
  std::set<std::int64_t> result;
  for (const PlainPlaces& places : plain_map(layout)) {
    for (const PlainPlace& place : places) {
      const auto entry = place.find(axis);
      result.insert(entry == place.end() ? 0 : entry->second);
    }
  }
  return result;
}

using Places = std::set<std::int64_t>;

TEST(Seed002, Section2_2_A_TensorCoreTile) {
  const std::string shard = "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)]";
  EXPECT_EQ(coordinates(axe_layout(shard), "warp"), (Places{0, 1}));
  EXPECT_EQ(coordinates(axe_layout(shard + " + R[2:4@warp]"), "warp"), (Places{0, 1, 4, 5}));
  const axe::Layout tile = axe_layout(shard + " + R[2:4@warp] + 5@warp");
  EXPECT_EQ(coordinates(tile, "warp"), (Places{5, 6, 9, 10}));
  // Every lane of each warp holds two registers.
  std::set<PlainPlace> all;
  for (const PlainPlaces& places : plain_map(tile)) {
    EXPECT_EQ(places.size(), 2U);
    all.insert(places.begin(), places.end());
  }
  EXPECT_EQ(all.size(), 4U * 32U * 2U);
}

TEST(Seed002, Section2_2_B_FullySharded) {
  const axe::Layout layout = axe_layout("S[(2,32,2,64):(1@gpuid,128@m,2@gpuid,1@m)]");
  const Shape shape = {64, 128};
  const auto at = [&](int row, int column) {
    return places(layout, shape, Shape{row, column}).value();
  };
  const Axis gpu("gpuid");
  const Axis m = Axis::memory();
  EXPECT_EQ(at(0, 0), (std::vector<Coordinate>{{}}));
  EXPECT_EQ(at(0, 64), (std::vector<Coordinate>{{{gpu, 2}}}));
  EXPECT_EQ(at(32, 0), (std::vector<Coordinate>{{{gpu, 1}}}));
  // The pitch in memory is 128, that of the whole matrix.
  EXPECT_EQ(at(33, 65), (std::vector<Coordinate>{{{gpu, 3}, {m, 129}}}));
}

TEST(Seed002, Section2_2_B_ShardedWithReplication) {
  const axe::Layout layout = axe_layout("S[(2,32,128):(1@gpuid,128@m,1@m)] + R[2:2@gpuid]");
  const Axis gpu("gpuid");
  EXPECT_EQ(places(layout, 0).value(), (std::vector<Coordinate>{{}, {{gpu, 2}}}));
  EXPECT_EQ(places(layout, 32 * 128).value(), (std::vector<Coordinate>{{{gpu, 1}}, {{gpu, 3}}}));
}

TEST(Seed002, Section2_2_C_MemoriesOfTwoDimensions) {
  const axe::Layout scratchpad = axe_layout("S[(2,128,512):(512@F,1@P,1@F)]");
  EXPECT_EQ(span(scratchpad, Axis("P")).value(), Int(128));
  EXPECT_EQ(span(scratchpad, Axis("F")).value(), Int(1024));
  const axe::Layout tensor_memory = axe_layout("S[(2,128,112):(112@TCol,1@TLane,1@TCol)]");
  EXPECT_EQ(span(tensor_memory, Axis("TLane")).value(), Int(128));
  EXPECT_EQ(span(tensor_memory, Axis("TCol")).value(), Int(224));  // not 256 and 256
}

TEST(Seed002, Section2_3_ReplicasThatAliasAreASet) {
  const axe::Layout layout = axe_layout("S[1:1] + R[(2,2):(1,1)]");
  EXPECT_EQ(replication(layout), Int(4));
  EXPECT_EQ(places(layout, 0)->size(), 3U);
}

TEST(Seed002, Section3_1_TheRegionThatThreadsLoad) {
  // Rows 16 to 32 and columns 64 to 128 of a row-major 32 x 128 matrix.
  const Result<axe::Layout> region =
      slice(axe_layout("S[(32,128):(128,1)]"), Shape{32, 128}, Region{{16, 32}, {64, 128}});
  const axe::Layout loops = axe_layout("S[(16,8,2,4):(128@m,8@m,4@m,1@m)] + 2112@m");
  ASSERT_TRUE(region) << region.error();
  EXPECT_TRUE(equal(*region, loops).is_yes());
}

TEST(Seed002, Section3_1_TheLoopsOfOneThread) {
  // The first two loops bound to tx//8 and tx%8.
  const axe::Layout loops = axe_layout("S[(16,8,2,4):(128,8,4,1)] + 2112");
  for (const int tx : {0, 7, 8, 77, 127}) {
    const Region bound = {{tx / 8, tx / 8 + 1}, {tx % 8, tx % 8 + 1}, {0, 2}, {0, 4}};
    const Result<axe::Layout> own = slice(loops, Shape{16, 8, 2, 4}, bound);
    ASSERT_TRUE(own) << own.error();
    const Int offset = tx / 8 * 128 + tx % 8 * 8 + 2112;
    EXPECT_EQ(canonical(*own), "S[(8):(1@m)] + " + to_string(offset) + "@m");
  }
}

TEST(Seed002, Section3_1_TheCollectiveView) {
  const axe::Layout local = axe_layout("S[(16,8,8):(8@tx,1@tx,1@reg)]");
  EXPECT_EQ(canonical(local), "S[(128,8):(1@tx,1@reg)]");
  EXPECT_EQ(span(local, Axis("tx")).value(), Int(128));
}

const char* const kBlocked = "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]";

TEST(Seed002, Section3_3_TileIsAGridOfTiles) {
  // A 2 x 3 grid of 8 x 8 tiles.
  const Result<axe::Layout> tiled =
      tile(axe_layout("S[(2,3):(3,1)]"), Shape{2, 3}, axe_layout("S[(8,8):(8,1)]"), Shape{8, 8});
  ASSERT_TRUE(tiled) << tiled.error();
  EXPECT_EQ(to_string(*tiled), kBlocked);
}

TEST(Seed002, Section3_3_TileOfFindsTheGrid) {
  const Result<axe::Layout> grid =
      tile_of(axe_layout(kBlocked), Shape{16, 24}, axe_layout("S[(8,8):(8,1)]"), Shape{8, 8});
  EXPECT_EQ(canonical(grid), "S[(6):(1@m)]");
}

TEST(Seed002, Section3_3_Slice) {
  const Result<axe::Layout> part =
      slice(axe_layout(kBlocked), Shape{16, 24}, Region{{0, 8}, {8, 24}});
  ASSERT_TRUE(part) << part.error();
  EXPECT_TRUE(equal(*part, axe_layout("S[(1,8,2,8):(192,8,64,1)] + 64")).is_yes());
}

TEST(Seed002, Section3_4_IterIntersection) {
  const Axis p("P");
  EXPECT_EQ(axe::iter_intersect({128, 1, p}, {64, 2, p}).value(), (axe::Iter{64, 2, p}));
  EXPECT_EQ(axe::iter_intersect({4, 2, p}, {3, 3, p}).value(), (axe::Iter{2, 6, p}));
}

TEST(Seed002, AppendixA_Rules) {
  EXPECT_EQ(canonical(axe_layout("S[(1,1):(5,7)]")), "S[(1):(1@m)]");  // D0 keeps one iter
  EXPECT_EQ(canonical(axe_layout("S[(2,3,6):(18,6,1)]")), "S[(36):(1@m)]");
  EXPECT_EQ(canonical(axe_layout("S[4:1] + R[3:-2@warpid]")),
            "S[(4):(1@m)] + R[(3):(2@warpid)] + -4@warpid");
  // C2 with q = e: the proof of A.2 says so, the rule in A.1 stops one short.
  EXPECT_EQ(canonical(axe_layout("S[4:1] + R[(2,2):(1@warpid,2@warpid)]")),
            "S[(4):(1@m)] + R[(4):(1@warpid)]");
}

TEST(Seed002, AppendixA_TwoNormalFormsWithoutTheGapCondition) {
  const axe::Layout first = *axe::canonicalize(axe_layout("S[1:1] + R[(3,2,2):(2,3,6)]"));
  EXPECT_FALSE(satisfies_gap_condition(first));
  // 6 absorbed by 2 ({0, 2, …, 10} and 3) or by 3 ({0, 3, 6, 9} and {0, 2, 4}).
  const axe::Layout by_two = axe_layout("S[1:1] + R[(6,2):(2,3)]");
  const axe::Layout by_three = axe_layout("S[1:1] + R[(4,3):(3,2)]");
  EXPECT_NE(*axe::canonicalize(by_two), *axe::canonicalize(by_three));
  EXPECT_TRUE(equal(first, by_two).is_yes());
  EXPECT_TRUE(equal(first, by_three).is_yes());
}

TEST(Seed002, Algorithm1_TheListIsMadeCanonicalFirst) {
  const Result<axe::Grouping> grouping = group(axe_layout("S[(4,6):(6,1)]"), Shape{6, 4});
  ASSERT_TRUE(grouping) << grouping.error();
  EXPECT_EQ(to_string(grouping->layout), "S[(6,4):(4@m,1@m)]");
}

TEST(Seed002, Algorithm3_AnInterleavingIsNotATile) {
  EXPECT_EQ(
      code_of(tile_of(axe_layout("S[(2,2):(1,2)]"), Shape{4}, axe_layout("S[2:1]"), Shape{2})),
      "axe.not_a_tile");
  // …and one iter may hold both.
  EXPECT_EQ(canonical(tile_of(axe_layout("S[16:1]"), Shape{16}, axe_layout("S[4:1]"), Shape{4})),
            "S[(4):(1@m)]");
}

TEST(Seed002, Algorithm4_AllDigitsPeeledIsTheWhole) {
  const axe::Layout layout = axe_layout("S[(4,3):(5,1)]");
  EXPECT_EQ(canonical(slice(layout, Shape{4, 3}, Region{{0, 4}, {0, 3}})), canonical(layout));
}

TEST(Seed002, Algorithm4_OneWrapNeedsRoomForItsCarry) {
  // 2 to 6 of (3,4): the carry goes from digit 0 to 1, one below the last.
  EXPECT_EQ(canonical(slice(axe_layout("S[(3,4):(7,1)]"), Shape{12}, Region{{2, 6}})),
            "S[(2,2):(5@m,1@m)] + 2@m");
  // 10 to 12 has no wrap, and there is nothing beyond it.
  EXPECT_EQ(canonical(slice(axe_layout("S[(3,4):(7,1)]"), Shape{12}, Region{{10, 12}})),
            "S[(2):(1@m)] + 16@m");
}

TEST(Seed002, Algorithm4_AStepOnTwoAxesIsNoIter) {
  EXPECT_EQ(code_of(slice(axe_layout("S[(2,4):(1@warpid,1@laneid)]"), Shape{8}, Region{{2, 6}})),
            "axe.no_slice");
}

TEST(Seed002, Algorithm4_AStepOfZeroAndTheOffsetCountedOnce) {
  // At the wrap 3@m falls back to 0 and the outer digit brings 3: the step from one half to the
  // other is 1@m again.
  EXPECT_EQ(canonical(slice(axe_layout("S[(2,4):(2,1)] + 100"), Shape{8}, Region{{2, 6}})),
            "S[(2,2):(0@m,1@m)] + 102@m");
}

TEST(Seed002, AppendixF_3_TileScalesReplicaAndOffset) {
  const Result<axe::Layout> tiled =
      tile(axe_layout("S[2:1] + R[2:2] + 3"), Shape{2}, axe_layout("S[4:1] + 1"), Shape{4});
  ASSERT_TRUE(tiled) << tiled.error();
  EXPECT_TRUE(equal(*tiled, axe_layout("S[8:1] + R[2:8] + 13")).is_yes());
}

TEST(Seed002, AppendixF_4_ADirectSumWhereNoTileIs) {
  const axe::Layout a = axe_layout("S[(2,2):(8,2)]");
  const axe::Layout b = axe_layout("S[(2,2):(4,1)]");
  const Shape two = {2, 2};
  const Result<axe::Layout> sum = direct_sum(a, two, b, two);
  ASSERT_TRUE(sum) << sum.error();
  EXPECT_EQ(to_string(*sum), "S[(2,2,2,2):(8@m,4@m,2@m,1@m)]");  // not 8, 2, 4, 1
  EXPECT_EQ(canonical(*sum), "S[(16):(1@m)]");
  EXPECT_EQ(span(b, Axis::memory()).value(), Int(6));
  EXPECT_EQ(code_of(tile_of(axe_layout("S[16:1]"), Shape{4, 4}, b, two)), "axe.not_a_tile");
}

TEST(Seed002, AppendixG_ColumnMajorIsNotBitLinear) {
  const axe::Layout layout = axe_layout("S[(24,24):(1,24)]");
  const auto f = [&](int index) { return shard_at(layout, index)[Axis::memory()].value(); };
  EXPECT_EQ(f(1), 24);
  EXPECT_EQ(f(2), 48);
  EXPECT_EQ(f(1 ^ 2), 72);
  EXPECT_EQ(f(1) ^ f(2), 40);
}

// Section 2.3: sums and products of sets of places, axis by axis.
TEST(Seed002, Section2_3_MinkowskiSumsAndHadamardProducts) {
  const auto value = [](std::string_view text) { return to_string(*notation::evaluate(text)); };
  EXPECT_EQ(to_string(axe::hadamard({{Axis("m"), 2}, {kLane, 3}}, {{Axis("m"), 5}, {kLane, -1}})),
            "-3@laneid + 10@m");
  EXPECT_EQ(value("hadamard(2@m + 3@laneid, 5@m - 1@laneid)"), "{-3@laneid + 10@m}");
  // The replicas of a layout are a Minkowski sum.
  EXPECT_EQ(value("minkowski_sum(apply(S[1:1] + R[2:1], 0), apply(S[1:1] + R[2:2], 0))"),
            value("apply(S[1:1] + R[(2,2):(1,2)], 0)"));
  // f_T(x || y) = f_A(x) * span(f_B) + f_B(y) at x = 1, y = 3 of the tile of section 3.3.
  EXPECT_EQ(value("minkowski_sum(hadamard(apply(S[(2,3)], (1,2)), 64@m), apply(S[(8,8)], (3,4)))"),
            value("apply(S[(2,8,3,8):(192,8,64,1)], (1,3,2,4))"));
}

TEST(Seed002, AppendixA_GapCondition) {
  EXPECT_TRUE(axe::gap_condition(axe_layout("S[1:1] + R[(2,3):(7,2)]")).value().is_yes());
  EXPECT_TRUE(axe::gap_condition(axe_layout("S[1:1] + R[(3,2,2):(2,3,6)]")).value().is_no());
  // Of the normal form: 4 is within reach of 1 and 2, and all three are 8:1.
  EXPECT_TRUE(axe::gap_condition(axe_layout("S[1:1] + R[(2,2,2):(4,1,2)]")).value().is_yes());
}

// (A * W) + B = A (x) B, where W scales R and O too.
TEST(Seed002, AppendixF_3_TheTileIsTheSumWithTheScaledGrid) {
  const axe::Layout a = axe_layout("S[(2,3):(3,1)] + R[2:6] + 2");
  const axe::Layout b = axe_layout("S[(8,8):(8,1)] + R[2:1@laneid] + 1");
  const Shape outer = {2, 3};
  const Shape inner = {8, 8};
  const axe::Layout scaled = axe::scale(a, std::vector<Coordinate::Entry>{{kM, 64}}).value();
  EXPECT_EQ(to_string(scaled), "S[(2,3):(192@m,64@m)] + R[(2):(384@m)] + 128@m");
  EXPECT_EQ(direct_sum(scaled, outer, b, inner).value(), tile(a, outer, b, inner).value());
}

// Section 3.4, step 2: the common iter of each pair on P.
TEST(Seed002, Section3_4_KIntersectionOfTwoLists) {
  const Axis p("P");
  const std::vector<axe::Iter> a = {{4, 2, p}, {128, 1, p}};
  const std::vector<axe::Iter> b = {{3, 3, p}, {64, 2, p}};
  std::vector<std::string> common;
  for (std::size_t i = 0; i < a.size(); ++i) {
    common.push_back(to_string(axe::iter_intersect(a[i], b[i]).value()));
  }
  EXPECT_EQ(common, (std::vector<std::string>{"(2, 6@P)", "(64, 2@P)"}));
}

}  // namespace
}  // namespace heddle::test
