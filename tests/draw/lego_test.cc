#include "heddle/draw/view.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/draw/formats.h"
#include "heddle/notation/lego.h"
#include "support/panels.h"

namespace heddle::draw {
namespace {

using test::texts;

lego::Layout lego_layout(std::string_view text) { return notation::parse_lego(text).value(); }

TEST(LegoPicture, NestsTheTilesOfTwoDimensions) {
  const auto drawn = picture(lego_layout("TileBy([2,1],[1,2]).OrderBy(Col(2,2))"));
  ASSERT_TRUE(drawn) << drawn.error();
  ASSERT_EQ(drawn->panels.size(), 1U);
  EXPECT_EQ(drawn->panels[0].rows.length, 2U);
  EXPECT_EQ(texts(drawn->panels[0]), (std::vector<std::string>{"0", "2", "1", "3"}));
  EXPECT_EQ(drawn->legend, "index mod 8");
  EXPECT_EQ(drawn->title, "TileBy([2,1],[1,2]).OrderBy(Col(2,2))");
}

TEST(LegoPicture, NamesCoordinatesFromTheOutermostDimension) {
  const auto drawn = picture(lego_layout("TileBy([2,2],[3,2])"));
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_EQ(drawn->panels[0].rows.coordinates,
            (std::vector<std::string>{"(0,0)", "(0,1)", "(0,2)", "(1,0)", "(1,1)", "(1,2)"}));
  EXPECT_EQ(drawn->panels[0].rows.blocks, (std::vector<std::size_t>{3}));
}

TEST(LegoPicture, HasAPanelForEachFurtherCoordinate) {
  const auto drawn = picture(lego_layout("GroupBy([2,2,3])"));
  ASSERT_TRUE(drawn) << drawn.error();
  ASSERT_EQ(drawn->panels.size(), 2U);
  EXPECT_EQ(drawn->panels[1].label, "(1,_,_)");
  EXPECT_EQ(texts(drawn->panels[1]), (std::vector<std::string>{"6", "7", "8", "9", "10", "11"}));
}

TEST(LegoPicture, IsOneRowOfOneDimension) {
  const auto drawn = picture(lego_layout("GroupBy([3]).OrderBy(GenP([3],reverse))"));
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_FALSE(drawn->panels[0].rows.is_mode);
  EXPECT_EQ(texts(drawn->panels[0]), (std::vector<std::string>{"2", "1", "0"}));
}

TEST(LegoPicture, HatchesWhatAnExpandByLeavesOut) {
  const auto drawn = picture(lego_layout("ExpandBy([1,2],[2,2],GroupBy([2,2]))"));
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_TRUE(has_hatched(*drawn));
  EXPECT_EQ(drawn->panels[0].cells[3].color, kHatched);
  EXPECT_EQ(drawn->panels[0].cells[1].color, 1U);
}

TEST(LegoPicture, ColoursMemoryBanks) {
  PictureOptions options;
  options.banks = 32;
  options.element_bits = 16;
  const auto drawn = picture(lego_layout("GroupBy([2,64])"), options);
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_EQ(drawn->panels[0].cells[3].note, "b1");
  EXPECT_EQ(drawn->panels[0].cells[64].note, "b0");
}

TEST(LegoPicture, Refusals) {
  EXPECT_EQ(picture(lego_layout("GroupBy([n,n])")).error().code(), "draw.symbolic");
  PictureOptions options;
  options.max_cells = kMaxCells + 1;
  EXPECT_EQ(picture(lego_layout("GroupBy([1024,2048])"), options).error().code(), "draw.too_large");
  options.modulus = 99;
  EXPECT_EQ(picture(lego_layout("GroupBy([4,4])"), options).error().code(), "draw.color");
}

}  // namespace
}  // namespace heddle::draw
