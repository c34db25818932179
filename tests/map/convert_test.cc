// What conversions write, case by case.

#include "heddle/map/convert.h"

#include <gtest/gtest.h>

#include <string>

#include "heddle/notation/evaluator.h"
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
            "- dim0=1 -> (8)\n  dim0=2 -> (16)\n- dim1=1 -> (1)\n  dim1=2 -> (2)\n  dim1=4 -> "
            "(4)\nwhere out dims are: [offset (size 32)]");
  EXPECT_EQ(written("Sw<2,0,3> o 0 o (4,8):(8,1)", System::kAxe), "SW(0,2,3) o S[(4,8):(8@m,1@m)]");
  EXPECT_EQ(written("(4,8):(1@0,1@1)", System::kAxe), "S[(4,8):(1@dim0,1@dim1)]");
}

TEST(Convert, SymbolicSizesStay) {
  EXPECT_EQ(written("(M,N):(N,1)", System::kAxe), "S[(M,N):(N@m,1@m)]");
  EXPECT_EQ(written("(M,N):(N,1)", System::kLego), "GroupBy([M,N]).OrderBy(Row(M,N))");
  EXPECT_EQ(written("GroupBy([M,N]).OrderBy(Row(M,N))", System::kCute), "(M,N):(N,1)");
  EXPECT_EQ(written("(M,N):(N,1)", System::kLinear), "");
  EXPECT_EQ(written("(M,N):(N,1)", System::kTable), "");
}

TEST(Convert, Refusals) {
  EXPECT_EQ(written("GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))", System::kCute), "");
  EXPECT_EQ(written("GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))", System::kLinear), "");
  EXPECT_EQ(written("GroupBy([4,4]).OrderBy(GenP([4,4],antidiag))", System::kAxe), "");
  EXPECT_EQ(written("GroupBy([5,5]).OrderBy(GenP([5,5],antidiag))", System::kCuteTv), "");
  EXPECT_EQ(written("(3,2):(1,3)", System::kLinear), "");
  EXPECT_EQ(written("(4,2):(1,2)", System::kLinear), "");
  EXPECT_EQ(written("S[(4):(1@m)]+R[(2):(4@m)]", System::kCute), "");
}

TEST(Convert, Ownership) {
  const char* mma = "SM80_16x8x16_F32F16F16F32_TN";
  const auto atom = cute::find_mma_atom(mma).value();
  const auto tiled = cute::make_tiled_mma(atom).value();
  const auto c = cute::layoutC_TV(tiled).value();
  EXPECT_EQ(written(AnyLayout(c), System::kAxe), "");
  EXPECT_EQ(written(AnyLayout(c), System::kLinear), "");
  const auto back = convert(convert(AnyLayout(c), System::kLinear)->layout, System::kCuteTv);
  EXPECT_EQ(to_string(back->layout), to_string(AnyLayout(c)));
  const auto axe = convert(AnyLayout(c), System::kAxe);
  EXPECT_EQ(written(axe->layout, System::kCuteTv, {{}, axe->shape, {}}), to_string(AnyLayout(c)));
  EXPECT_EQ(written(axe->layout, System::kLinear, {{}, axe->shape, {}}), "");
}

}  // namespace
}  // namespace heddle::map
