// What conversions write, case by case.

#include "heddle/map/convert.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/map/recover.h"
#include "support/any_layout.h"
#include "support/random.h"

namespace heddle::map {
namespace {

using test::layout_of_text;

/// The layout in the system's notation, or the whole refusal.
std::string written(const AnyLayout& layout, System to, const ConvertOptions& options = {}) {
  const auto converted = convert(layout, to, options);
  return converted ? to_string(converted->layout) : converted.error().to_string();
}

std::string written(std::string_view text, System to, const ConvertOptions& options = {}) {
  return written(layout_of_text(text), to, options);
}

TEST(Convert, StridedChainsOfLegoAreCute) {
  EXPECT_EQ(written("GroupBy([4,8]).OrderBy(Col(4,8))", System::kCute), "(4,8):(1,4)");
  EXPECT_EQ(written("TileBy([2,2],[2,2]).OrderBy(Row(4,4))", System::kCute), "(2,2,2,2):(8,2,4,1)");
  EXPECT_EQ(written("GroupBy([4,4]).OrderBy(GenP([4,4],reverse))", System::kCute),
            "Sw<0,4,3> o 15 o (4,4):(-4,-1)");
}

TEST(Convert, CuteToAll) {
  EXPECT_EQ(written("(4,8):(8,1)", System::kAxe), "S[(4,8):(8@m,1@m)]");
  EXPECT_EQ(written("((2,2),8):((1,2),4)", System::kAxe), "S[(2,2,8):(2@m,1@m,4@m)]");
  EXPECT_EQ(written("(4,8):(8,1)", System::kLego), "GroupBy([4,8]).OrderBy(Row(4,8))");
  EXPECT_EQ(written("(4,8):(1,4)", System::kLego), "GroupBy([4,8]).OrderBy(Col(4,8))");
  EXPECT_EQ(written("(4,8):(1,0)", System::kLego),
            "GroupBy([4,8]).OrderBy(GenP([4,8],(i,j) -> i))");
  EXPECT_EQ(written("(2,2):(2,1)", System::kTable), "[[0,1],[2,3]]");
  EXPECT_EQ(written("(4,8):(8,1)", System::kLinear),
            " - dim0=1 -> (8)\n   dim0=2 -> (16)\n - dim1=1 -> (1)\n   dim1=2 -> (2)\n   dim1=4 -> "
            "(4)\nwhere out dims are: [offset (size 32)]");
  EXPECT_EQ(written("Sw<2,0,3> o 0 o (4,8):(8,1)", System::kAxe), "SW(0,2,3) o S[(4,8):(8@m,1@m)]");
  EXPECT_EQ(written("(4,8):(1@0,1@1)", System::kAxe), "S[(4,8):(1@dim0,1@dim1)]");
}

TEST(Convert, SymbolicSizesStay) {
  EXPECT_EQ(written("(M,N):(N,1)", System::kAxe), "S[(M,N):(N@m,1@m)]");
  EXPECT_EQ(written("(M,N):(N,1)", System::kLego), "GroupBy([M,N]).OrderBy(Row(M,N))");
  EXPECT_EQ(written("GroupBy([M,N]).OrderBy(Row(M,N))", System::kCute), "(M,N):(N,1)");
  EXPECT_EQ(written("GroupBy([M,N]).OrderBy(Col(M,N))", System::kAxe), "S[(M,N):(1@m,M@m)]");
}

/// The antidiagonal is none of them, and GenP knows it by name.
TEST(Convert, AntidiagonalIsATableAndAGenP) {
  const AnyLayout antidiagonal = layout_of_text("GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))");
  for (const System to : {System::kCute, System::kCuteTv, System::kLinear, System::kAxe}) {
    const auto refused = convert(antidiagonal, to);
    ASSERT_FALSE(refused) << name(to);
    EXPECT_EQ(refused.error().code(), "convert.no_layout");
    ASSERT_TRUE(refused.error().witness());
    EXPECT_EQ(refused.error().witness()->coordinate, "(3,0)");
  }
  const auto table = convert(antidiagonal, System::kTable);
  ASSERT_TRUE(table);
  EXPECT_EQ(to_string(table->layout), "[[0,1,3,6],[2,4,7,10],[5,8,11,13],[9,12,14,15]]");
  EXPECT_EQ(written(table->layout, System::kLego), to_string(antidiagonal));
}

/// LEGO's GenP is any function: there is no map on a box that LEGO could not write.
TEST(Convert, EveryFunctionOnABoxIsALegoLayout) {
  EXPECT_EQ(written(test::table({8}, {0, 1, 2, 3, 5, 4, 6, 7}), System::kLego),
            "GroupBy([8]).OrderBy(GenP([8],[0,1,2,3,5,4,6,7]))");
  EXPECT_EQ(written(test::table({2, 2}, {3, 1, 7, 9}), System::kLego),
            "GroupBy([2,2]).OrderBy(GenP([2,2],[[3,1],[7,9]]))");
  // One that broadcasts too, as 4:0 is one.
  EXPECT_EQ(written(test::table({3}, {3, 1, 3}), System::kLego),
            "GroupBy([3]).OrderBy(GenP([3],[3,1,3]))");
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    test::Random random(seed);
    std::vector<std::int64_t> values(12);
    for (std::int64_t& value : values) value = random.between(-3, 20);
    const form::Table map = test::table({3, 4}, values);
    const auto layout = convert(map, System::kLego);
    ASSERT_TRUE(layout) << to_string(map) << ": " << layout.error();
    EXPECT_EQ(written(layout->layout, System::kTable), to_string(map));
  }
}

/// What LEGO marks by -1 is no address.
TEST(Convert, PointsWithoutAPlaceAreNoAddresses) {
  const AnyLayout clipped = layout_of_text("ExpandBy([1],[2],GroupBy([2]))");
  for (const System to : {System::kCute, System::kLinear, System::kAxe, System::kCuteTv}) {
    const auto refused = convert(clipped, to);
    ASSERT_FALSE(refused) << name(to);
    EXPECT_EQ(refused.error().code(), "convert.no_layout");
    EXPECT_TRUE(refused.error().notes().front().starts_with("(1) has no place"));
  }
  EXPECT_EQ(written(clipped, System::kTable), "[0,-1]");
  EXPECT_EQ(written("ExpandBy([2],[2],GroupBy([2]))", System::kCute), "2:1");
  EXPECT_EQ(recover_strided(clipped).error().code(), "recover.no_layout");
}

/// A map turned round by its values: place -> element becomes element -> place.
TEST(Convert, WhatIsOneToOneIsTurnedRound) {
  const ConvertOptions owned = {Reading::kOwnership, {}, {}};
  // Downwards, with a swizzle of sizes that are no powers of two, and both ways round.
  EXPECT_EQ(written(test::table({3}, {2, 1, 0}), System::kAxe, owned), "S[(3):(-1@c0)] + 2@c0");
  EXPECT_EQ(written("Sw<1,0,1> o 0 o 12:1", System::kAxe, owned), "SW(0,1,1)@c0 o S[(12):(1@c0)]");
  EXPECT_EQ(written("Sw<1,0,1> o 0 o (3,4):(4,1)", System::kAxe, owned),
            "SW(0,1,1)@reg o S[(3,4):(1@laneid,1@reg)]");
  // It does not begin at 0, and says so only where it is so.
  EXPECT_EQ(convert(test::table({2}, {1, 2}), System::kAxe, owned).error().code(), "convert.holes");
  EXPECT_EQ(convert(test::table({3}, {0, 0, 1}), System::kAxe, owned).error().code(),
            "convert.undecided");
}

/// Elements may be coordinates, of a tile that is as large as they need.
TEST(Convert, ThreadValuesOfSeveralAxesKeepThem) {
  EXPECT_EQ(written("(4,8):(1@0,1@1)", System::kCuteTv), "(4,8):(1@0,1@1) tile (4,8)");
  EXPECT_EQ(written("((2,2),3):((1@1,1@0),2@1)", System::kCuteTv),
            "((2,2),3):((1@1,1@0),2@1) tile (2,6)");
}

/// Of memory an Axe layout has offsets, as a CuTe layout has.
TEST(Convert, MemoryHasOffsetsInEverySystem) {
  const ConvertOptions memory = {Reading::kMemory, {}, {}};
  EXPECT_EQ(written("S[(4,8):(8@m,1@m)]", System::kLinear, memory),
            written("(4,8):(8,1)", System::kLinear, memory));
}

/// The XOR of two lanes' bits is held by two lanes each: copies under a swizzle.
TEST(Convert, CopiesAreFoundUnderASwizzle) {
  const AnyLayout folded = layout_of_text(R"({"ins":[["lane",[[1],[1]]]],"outs":[["dim0",2]]})");
  const auto axe = convert(folded, System::kAxe);
  ASSERT_TRUE(axe) << axe.error();
  EXPECT_EQ(to_string(axe->layout), "SW(0,1,1)@laneid o S[(2):(1@laneid)] + R[(2):(2@laneid)]");
  const AnyLayout spread =
      layout_of_text(R"({"ins":[["lane",[[1],[3]]],["warp",[[0]]]],"outs":[["dim0",4]]})");
  EXPECT_EQ(written(spread, System::kAxe),
            "SW(0,1,1)@laneid o S[(4):(1@laneid)] + R[(2):(1@warpid)]");
  // The swizzle stays on the lanes where there are no registers.
  const AnyLayout alone = layout_of_text(
      R"({"ins":[["register",[]],["lane",[[0],[1],[1]]],["warp",[[0]]]],"outs":[["dim0",2]]})");
  EXPECT_EQ(written(alone, System::kAxe),
            "SW(1,1,1)@laneid o S[(2):(2@laneid)] + R[(2,2,2):(1@laneid,4@laneid,1@warpid)]");
}

TEST(Convert, SwizzlesAreFoundInLinearLayouts) {
  const AnyLayout swizzled = layout_of_text("Sw<2,1,3> o 0 o (8,16):(16,1)");
  const auto linear = convert(swizzled, System::kLinear);
  ASSERT_TRUE(linear);
  EXPECT_EQ(written(linear->layout, System::kCute), "Sw<2,1,3> o 0 o (8,16):(16,1)");
  EXPECT_EQ(written(linear->layout, System::kAxe), "SW(1,2,3) o S[(8,16):(16@m,1@m)]");
}

/// A box of 2^40 points: digits and bits show what it is.
TEST(Convert, LargeLayoutsAreNotEvaluated) {
  const char* large = "(1048576,1048576):(1048576,1)";
  EXPECT_EQ(written(large, System::kAxe), "S[(1048576,1048576):(1048576@m,1@m)]");
  EXPECT_EQ(written(large, System::kLego),
            "GroupBy([1048576,1048576]).OrderBy(Row(1048576,1048576))");
  const auto linear = convert(layout_of_text(large), System::kLinear);
  ASSERT_TRUE(linear);
  EXPECT_EQ(written(linear->layout, System::kCute), large);
}

TEST(Convert, ReadingsDecideWhichWayAMapGoes) {
  const AnyLayout shared =
      layout_of_text(R"({"ins":[["offset",[[0,1],[1,0]]]],"outs":[["dim0",2],["dim1",2]]})");
  EXPECT_EQ(written(shared, System::kCute), "(2,2):(2,1)");
  EXPECT_EQ(written(shared, System::kCute, {Reading::kLiteral, {}, {}}), "((2,2)):((1@1,1@0))");
  const AnyLayout places = layout_of_text("S[(2,4):(4@laneid,1@laneid)]");
  EXPECT_EQ(written(places, System::kCuteTv), "((4,2),1):((2,1),0) tile (2,4)");
  EXPECT_EQ(written(places, System::kCute), "(2,4):(4,1)");
  EXPECT_EQ(written(places, System::kCute, {Reading::kOwnership, {}, {}}), "((4,2),1):((2,1),0)");
}

/// An Axe layout has no shape; the one that is given regroups its index, row-major.
TEST(Convert, ShapesOfAxe) {
  EXPECT_EQ(written("S[(4,8):(8@m,1@m)]", System::kCute, {{}, std::vector<Int>{2, 16}, {}}),
            "(2,16):(16,1)");
  EXPECT_EQ(written("S[(4,8):(1@m,4@m)]", System::kCute, {{}, std::vector<Int>{32}, {}}),
            "((8,4)):((4,1))");
}

}  // namespace
}  // namespace heddle::map
