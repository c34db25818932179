#include "heddle/draw/view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/draw/formats.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/cute.h"
#include "heddle/notation/evaluator.h"
#include "support/panels.h"

namespace heddle::draw {
namespace {

using test::texts;

map::IntegerRelation relation(std::string_view text) {
  return map::IntegerRelation::parse(text).value();
}

map::View view(std::string_view text) {
  return map::view(notation::to_any_layout(notation::evaluate(text).value()).value()).value();
}

TEST(ViewPicture, HatchesWhatLiesOutsideTheDomain) {
  const auto drawn = picture(relation("{ [i, j] -> [3i + j] : 0 <= j <= i < 3 }"));
  ASSERT_TRUE(drawn) << drawn.error();
  ASSERT_EQ(drawn->panels.size(), 1U);
  EXPECT_EQ(texts(drawn->panels[0]),
            (std::vector<std::string>{"0", "", "", "3", "4", "", "6", "7", "8"}));
  EXPECT_TRUE(has_hatched(*drawn));
  EXPECT_EQ(drawn->panels[0].cells[1].color, kHatched);
}

TEST(ViewPicture, ADomainThatBeginsElsewhereHasItsOwnNumbers) {
  const auto drawn = picture(relation("{ [i] -> [2i] : 5 <= i <= 7 }"));
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_EQ(drawn->panels[0].columns.names, (std::vector<std::string>{"5", "6", "7"}));
  EXPECT_EQ(texts(drawn->panels[0]), (std::vector<std::string>{"10", "12", "14"}));
}

TEST(ViewPicture, ShowsAllImagesOfAPoint) {
  const auto drawn = picture(view("S[2:1@lane] + R[2:4@lane]"));
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_EQ(texts(drawn->panels[0]), (std::vector<std::string>{"0|4", "1|5"}));
}

TEST(ViewPicture, MarksWhereTwoLayoutsDiffer) {
  const auto drawn = difference_picture(view("(2,2):(2,1)"), view("(2,2):(1,2)"));
  ASSERT_TRUE(drawn) << drawn.error();
  EXPECT_EQ(texts(drawn->panels[0]), (std::vector<std::string>{"0", "1 / 2", "2 / 1", "3"}));
}

TEST(ViewPicture, RefusesWhatHasNoEnd) {
  const auto drawn = picture(relation("{ [i] -> [i] }"));
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().code(), "relation.unbounded");
}

}  // namespace
}  // namespace heddle::draw
