// Relations as isl writes them, wherever an expression is read.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string relation_value(std::string_view text) {
  const Result<Value> value = evaluate(text);
  return value ? to_string(*value) : value.error().to_string();
}

TEST(RelationText, IsAnExpression) {
  EXPECT_EQ(relation_value("{ [c] -> [(-3c) mod 16] : 0 <= c <= 15 }(3)"), "7");
  EXPECT_EQ(relation_value("4:2 == {[i] -> [2i] : 0 <= i < 4}").substr(0, 3), "yes");
  EXPECT_EQ(relation_value("{ A[i] -> B[2i] : 0 <= i\n < 4 } == 4:2").substr(0, 3), "yes");
  EXPECT_EQ(relation_value("R = [N] -> { [i] -> [N + i] : 0 <= i < 4 and N = 2 }"),
            relation_value("R = relation('[N] -> { [i] -> [N + i] : 0 <= i < 4 and N = 2 }')"));
}

TEST(RelationText, IsRefusedAtItsPlace) {
  const auto refused = evaluate("{ [i] -> [i +* 2] : 0 <= i < 4 }");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(), "unexpected '*'");
  ASSERT_TRUE(refused.error().span().has_value());
  EXPECT_EQ(refused.error().span()->begin, 13U);
  EXPECT_TRUE(relation_value("{ [i] -> [i]").starts_with("error syntax.unbalanced"));
}

TEST(RelationText, IsNoObjectAndNoList) {
  EXPECT_EQ(relation_value("{\"a\": [1]}"), "{\"a\":[1]}");
  EXPECT_EQ(relation_value("[4,8]"), "<4,8>");
  EXPECT_EQ(relation_value("size([0,1,2,3])"), "4");
}

}  // namespace
}  // namespace heddle::notation
