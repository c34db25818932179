// What conversions write, case by case.

#include "heddle/map/convert.h"

#include <gtest/gtest.h>

#include <string>

#include "support/hub.h"

namespace heddle::map {
namespace {

using test::hub;

/// The layout in the system's notation, or the whole refusal.
std::string written(const AnyLayout& layout, System to, const ConvertOptions& options = {}) {
  const auto converted = convert(layout, to, options);
  return converted ? to_string(converted->layout) : converted.error().to_string();
}

std::string written(std::string_view text, System to, const ConvertOptions& options = {}) {
  return written(hub(text), to, options);
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
  const AnyLayout antidiagonal = hub("GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))");
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

TEST(Convert, SwizzlesAreFoundInLinearLayouts) {
  const AnyLayout swizzled = hub("Sw<2,1,3> o 0 o (8,16):(16,1)");
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
  const auto linear = convert(hub(large), System::kLinear);
  ASSERT_TRUE(linear);
  EXPECT_EQ(written(linear->layout, System::kCute), large);
}

TEST(Convert, ReadingsDecideWhichWayAMapGoes) {
  const AnyLayout shared =
      hub(R"({"ins":[["offset",[[0,1],[1,0]]]],"outs":[["dim0",2],["dim1",2]]})");
  EXPECT_EQ(written(shared, System::kCute), "(2,2):(2,1)");
  EXPECT_EQ(written(shared, System::kCute, {Reading::kLiteral, {}, {}}), "((2,2)):((1@1,1@0))");
  const AnyLayout places = hub("S[(2,4):(4@laneid,1@laneid)]");
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
