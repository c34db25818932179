// LEGO layouts against the values that LEGO's own artifact computes:
// tests/facts/lego_vectors.jsonl. Every row goes through the library and through `heddle batch`, in
// the paper's notation and as LEGO's Python writes it.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "heddle/lego/equality.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/lego.h"
#include "support/facts.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

lego::Layout layout_of(const std::string& text) {
  const Result<lego::Layout> layout = notation::parse_lego(text);
  EXPECT_TRUE(layout) << text << "\n" << layout.error();
  return layout.value();
}

std::vector<Int> integers(const Json& numbers) {
  std::vector<Int> result;
  for (const Json& number : numbers) result.emplace_back(number.get<std::int64_t>());
  return result;
}

Json reply(const Json& request) { return Json::parse(notation::answer(request.dump())); }

class LegoFacts : public testing::TestWithParam<Json> {};

/// `apply` rows are index…, flat.
TEST_P(LegoFacts, Apply) {
  const lego::Layout layout = layout_of(GetParam().at("layout"));
  for (const Json& row : GetParam().at("apply")) {
    std::vector<Int> point = integers(row);
    const Int position = point.back();
    point.pop_back();
    EXPECT_EQ(layout.apply(point).value(), position) << row;
  }
}

/// `inv` rows are flat, index….
TEST_P(LegoFacts, Inv) {
  const lego::Layout layout = layout_of(GetParam().at("layout"));
  for (const Json& row : GetParam().at("inv")) {
    std::vector<Int> point = integers(row);
    const Int position = point.front();
    point.erase(point.begin());
    EXPECT_EQ(layout.inv(position).value(), point) << row;
  }
}

TEST_P(LegoFacts, ApplyInBatch) {
  for (Json point : GetParam().at("apply")) {
    const Json position = point.back();
    point.erase(point.size() - 1);
    const Json answered = reply({{"op", "apply"}, {"args", {GetParam().at("layout"), point}}});
    ASSERT_EQ(answered["result"], position) << point << answered;
  }
}

TEST_P(LegoFacts, InvInBatch) {
  for (Json point : GetParam().at("inv")) {
    const Json position = point.front();
    point.erase(0);
    const Json answered = reply({{"op", "inv"}, {"args", {GetParam().at("layout"), position}}});
    ASSERT_EQ(answered["result"], point) << position << answered;
  }
}

TEST_P(LegoFacts, TheTableHasThePositionsInRowMajorOrder) {
  Json positions = Json::array();
  for (const Json& row : GetParam().at("apply")) positions.push_back(row.back());
  EXPECT_EQ(reply({{"op", "table"}, {"args", {GetParam().at("layout")}}})["result"], positions);
}

TEST_P(LegoFacts, IsPrintedAsItIsWritten) {
  const std::string text = GetParam().at("layout");
  const std::string printed = to_string(layout_of(text));
  EXPECT_EQ(printed, text);
  EXPECT_EQ(layout_of(printed), layout_of(text));
}

/// ExpandBy is left out where sugar is dissolved, and the artifact does not have it.
std::vector<Json> plain_rows() {
  std::vector<Json> result = test::fact_rows("lego_vectors.jsonl");
  std::erase_if(result, [](const Json& row) { return row.at("spec").contains("expand"); });
  return result;
}

class PlainLegoFacts : public LegoFacts {};

TEST_P(PlainLegoFacts, MeansTheSameWithoutSugar) {
  const lego::Layout layout = layout_of(GetParam().at("layout"));
  const lego::Layout desugared = layout_of(GetParam().at("desugared"));
  EXPECT_TRUE(lego::equal(layout, desugared).is_yes());
  EXPECT_EQ(layout.dims(), desugared.dims());
}

TEST_P(PlainLegoFacts, MeansTheSameAsLegosPython) {
  const lego::Layout layout = layout_of(GetParam().at("layout"));
  const lego::Layout python = layout_of(GetParam().at("artifact"));
  EXPECT_TRUE(lego::equal(layout, python).is_yes()) << lego::to_string(python);
  EXPECT_EQ(layout.dims(), python.dims());
}

INSTANTIATE_TEST_SUITE_P(Row, LegoFacts, testing::ValuesIn(test::fact_rows("lego_vectors.jsonl")),
                         test::fact_name);
INSTANTIATE_TEST_SUITE_P(Row, PlainLegoFacts, testing::ValuesIn(plain_rows()), test::fact_name);

}  // namespace
}  // namespace heddle
