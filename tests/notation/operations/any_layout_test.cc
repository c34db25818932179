#include "heddle/notation/any_layout.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"

// Relations, tables and layouts of several systems in the expression language.

namespace heddle::notation {
namespace {

std::string printed(std::string_view text, const Environment& environment = {}) {
  const auto result = evaluate(text, environment);
  return result ? to_string(*result) : result.error().code();
}

/// The verdict, without method and remark.
std::string verdict_on(std::string_view text) {
  const std::string verdict = printed(text);
  return verdict.substr(0, verdict.find(' '));
}

constexpr std::string_view kFan = "relation('{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }')";

TEST(AnyLayout, ARelationIsALayoutLikeAnyOther) {
  const std::string fan(kFan);
  EXPECT_EQ(printed(fan + "(3)"), "7");
  EXPECT_EQ(printed("table(" + fan + ", 4)"), "[0,13,10,7]");
  EXPECT_EQ(printed("size(" + fan + ")"), "16");
  EXPECT_EQ(verdict_on("bijective(" + fan + ")"), "yes");
  EXPECT_EQ(verdict_on(fan + " == " + fan), "yes");
  EXPECT_EQ(verdict_on(fan + " == 16:1"), "no");
}

TEST(AnyLayout, AListOfNumbersIsATable) {
  EXPECT_EQ(verdict_on("equal([0,2,1,3], (2,2):(2,1))"), "yes");
  EXPECT_EQ(verdict_on("equal([[0,1],[2,3]], (2,2):(2,1))"), "yes");
  EXPECT_EQ(verdict_on("equal([[0,1],[2,4]], (2,2):(2,1))"), "no");
  EXPECT_EQ(printed("injective([[0,1],[2]])"), "call.type");
}

TEST(AnyLayout, EqualityIsThatOfMapsAcrossSystems) {
  EXPECT_EQ(verdict_on("(4,8):(8,1) == TileBy([4,8])"), "yes");
  EXPECT_EQ(verdict_on("(4,8):(1,4) == TileBy([4,8])"), "no");
  EXPECT_EQ(verdict_on("(4,8):(8,1) == S[(4,8):(8,1)]"), "yes");
  EXPECT_EQ(verdict_on("S[(4,8):(8,1)] == TileBy([4,8])"), "yes");
  EXPECT_EQ(verdict_on("S[(4,8):(1,4)] != TileBy([4,8])"), "yes");
}

TEST(AnyLayout, SystemsKeepTheirOwnEquality) {
  EXPECT_EQ(printed("(4,8):(8,1) == (4,8):(8,1)"), "yes  (digit form)");
  EXPECT_EQ(printed("TileBy([4]) == TileBy([4])"), "yes  (same text)");
}

TEST(AnyLayout, ClaimsOnTwoLayoutsOfOneSystem) {
  EXPECT_EQ(verdict_on("covers((4,8):(8,1), 4:1)"), "yes");
  EXPECT_EQ(verdict_on("covers(4:1, (4,8):(8,1))"), "no");
  EXPECT_EQ(verdict_on("covers(S[8:1], S[4:1])"), "yes");
  EXPECT_EQ(verdict_on("covers(GroupBy([4,4]), GroupBy([2,2]))"), "yes");
  EXPECT_EQ(verdict_on("equal((4,2):(1,4) tile 8, (4,2):(1,4) tile 8, as='ownership')"), "yes");
}

TEST(AnyLayout, TilesHaveElements) {
  EXPECT_EQ(printed("(4,2):(1,4) tile 0"), "layout.extent");
  EXPECT_EQ(printed("(4,2):(1,4) tile (8,-1)"), "layout.extent");
  EXPECT_EQ(printed("(4,2):(1,4) tile (2,4)"), "(4,2):(1,4) tile (2,4)");
}

TEST(AnyLayout, EverySystemHasATable) {
  EXPECT_EQ(printed("table(S[(2,2):(1,2)])"), "[0,2,1,3]");
  EXPECT_EQ(printed("table(TileBy([2,2]))"), "[0,1,2,3]");
  EXPECT_EQ(printed("table(S[(2):(1@laneid)] + R[(2):(1@warpid)])"), "relation.multi_valued");
}

TEST(AnyLayout, AnswersAtTheEndOf64Bits) {
  const std::string wide =
      "relation('{ [i] -> [i mod 3 + floor(i/7) mod 2] : 0 <= i < 4611686018427387906 }')";
  EXPECT_EQ(verdict_on("injective(" + wide + ")"), "no");
  EXPECT_EQ(verdict_on("within(4:1, 0, -9223372036854775807-1)"), "no");
}

TEST(AnyLayout, ConvertsBetweenSystems) {
  EXPECT_EQ(printed("convert(GroupBy([4,8]).OrderBy(Col(4,8)), 'cute')"), "(4,8):(1,4)");
  EXPECT_EQ(printed("convert((4,8):(8,1), 'fortran')"), "convert.system");
  EXPECT_EQ(printed("convert((4,8):(8,1), 'axe', as='rent')"), "convert.reading");
}

TEST(AnyLayout, WordsOfOneSystemMeanThatSystem) {
  EXPECT_EQ(printed("size(S[8:1])"), "8");
  EXPECT_EQ(printed("apply((4,8):(8,1), (1,2))"), "10");
  EXPECT_EQ(printed("rank((1,2,3))"), "3");
}

TEST(AnyLayout, ATextThatIsNoLayoutIsNone) {
  EXPECT_EQ(printed("injective('hello')"), "call.type");
  EXPECT_EQ(printed("relation('{ [i] -> [i')"), "relation.syntax");
}

TEST(AnyLayout, ReadingsInBatchGoByNameWhateverTheSystems) {
  const std::string line = answer(
      R"j({"id":1,"op":"equal","args":["(4,2):(1,4) tile 8","(4,2):(1,4) tile 8"],"kwargs":{"as":"ownership"}})j");
  EXPECT_NE(line.find(R"("verdict":"yes")"), std::string::npos) << line;
}

TEST(AnyLayout, AVerdictInBatchSaysVerdictMethodAndCounterexample) {
  const std::string line = answer(R"j({"id":1,"op":"injective","args":["(4,2):(1,2)"]})j");
  EXPECT_NE(line.find(R"("verdict":"no")"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("method":)"), std::string::npos) << line;
  EXPECT_NE(line.find(R"("counterexample":)"), std::string::npos) << line;
}

}  // namespace
}  // namespace heddle::notation
