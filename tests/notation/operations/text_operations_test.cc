// The operations whose answers are texts of programs: index.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string text_of_call(std::string_view text, const Environment& environment = {}) {
  const auto value = evaluate(text, environment);
  return value ? to_string(*value) : value.error().to_string();
}

/// Where a call is refused, as the text there.
std::string place_in(std::string_view text) {
  const auto value = evaluate(text);
  if (value || !value.error().span()) return {};
  const Span span = *value.error().span();
  return std::string(text.substr(span.begin, span.end - span.begin));
}

nlohmann::json answered(std::string_view request) {
  return nlohmann::json::parse(answer(request, Environment()));
}

// ---- index ----

TEST(IndexOperation, TakesALayoutOrItsText) {
  EXPECT_EQ(text_of_call("index((4,8):(8,1), ['i','j'])"), "8*i+j");
  EXPECT_EQ(text_of_call("index('(4,8):(8,1)', ['i','j'])"), "8*i+j");
  EXPECT_EQ(text_of_call("index('((4,8):(8,1))[3, j]')"), "j+24");
  EXPECT_EQ(text_of_call("index((4,8):(8,1))"), "8*i+j");
}

TEST(IndexOperation, KnowsTheNamesAroundTheCall) {
  Environment environment;
  ASSERT_TRUE(environment.assume("n in [2,4]"));
  environment.bind("A", *evaluate("(4,8):(8,1)"));
  environment.bind("last", Value(Int(7)));
  EXPECT_EQ(text_of_call("index('A', ['i','last'])", environment), "8*i+7");
  EXPECT_EQ(text_of_call("index('A[n-1, last]')", environment), "8*n-1");
}

TEST(IndexOperation, GivesNamesToResultsAsData) {
  const auto result =
      answered(R"j({"op":"index","args":["GroupBy([6,4])",["p"],"c"],"kwargs":{"inverse":true}})j")
          ["result"];
  EXPECT_EQ(result["results"], nlohmann::json::parse(
                                   R"j([{"axis":"i","expression":"p >> 2","name":"i"},
                                        {"axis":"j","expression":"p & 3","name":"j"}])j"));
  EXPECT_EQ(result["operations"], 2);
  EXPECT_FALSE(result.contains("steps"));
  EXPECT_FALSE(result.contains("check"));
}

TEST(IndexOperation, RefusesWithThePlaceInTheText) {
  EXPECT_EQ(place_in("index('(4,8):(8,1')"), "(");
  EXPECT_EQ(place_in("index('(4,8):(9,q)(1)')"), "q");
  // Of several texts nobody knows in which.
  EXPECT_EQ(place_in("index((4,8):(8,1), ['i','j+'])"), "(4,8):(8,1), ['i','j+']");
  EXPECT_EQ(place_in("1 + index((4,8):(8,1), ['i','j'], cost='little')"),
            "index((4,8):(8,1), ['i','j'], cost='little')");
}

TEST(IndexOperation, EndsWhereATextSpeaksOfItself) {
  Environment environment;
  environment.bind("s", Value(std::string("index(s)")));
  const std::string refused = text_of_call("index(s)", environment);
  EXPECT_TRUE(refused.starts_with("error syntax.too_deep: a text within more than 2 texts"))
      << refused;
}

}  // namespace
}  // namespace heddle::notation
