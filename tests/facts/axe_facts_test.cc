// Axe layouts against facts of the paper, of TVM and of PTX, and numbers worked out point by point:
// tests/facts/axe.jsonl. Every row goes through `heddle batch`.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "heddle/notation/axe.h"
#include "heddle/notation/batch.h"
#include "support/facts.h"

namespace heddle {
namespace {

using Json = nlohmann::json;

/// All but those of `scope_split`: which threads are active after filters is a question about
/// execution, not about layouts.
std::vector<Json> axe_rows() {
  std::vector<Json> rows = test::fact_rows("axe.jsonl");
  std::erase_if(rows, [](const Json& row) { return row.at("op") == "scope_split"; });
  return rows;
}

Json answer(const std::string& op, const Json& args, const Json& kwargs = Json::object()) {
  const Json request = {{"op", op}, {"args", args}, {"kwargs", kwargs}};
  return Json::parse(notation::answer(request.dump()));
}

Json answer(const Json& row) {
  Json kwargs = Json::object();
  for (const char* key : {"shape", "region", "axis", "points", "scope", "n", "perm"}) {
    if (row.contains(key) && !row.at(key).is_null()) kwargs[key] = row.at(key);
  }
  return answer(row.at("op"), row.at("args"), kwargs);
}

/// A place for each point, without its zeros, each set sorted.
Json without_zeros(Json answers) {
  for (Json& places : answers) {
    for (Json& place : places) {
      for (auto entry = place.begin(); entry != place.end();) {
        entry = *entry == 0 ? place.erase(entry) : std::next(entry);
      }
    }
    std::sort(places.begin(), places.end());
  }
  return answers;
}

Json normal_form(const Json& layout) { return answer("canonicalize", Json::array({layout})); }

void expect_same_map(const Json& got, const Json& wanted) {
  const Json verdict = answer("equal", Json::array({got, wanted}));
  EXPECT_EQ(verdict["result"]["verdict"], "yes") << got << " and " << wanted << ": " << verdict;
  EXPECT_EQ(answer("size", Json::array({got})), answer("size", Json::array({wanted})));
}

/// The product of each block of the grouping.
std::vector<std::int64_t> block_products(const Json& grouping) {
  const auto layout = notation::parse_axe(grouping.at("layout").get<std::string>()).value();
  std::vector<std::int64_t> products;
  const Json& seps = grouping.at("seps");
  for (std::size_t i = 0; i + 1 < seps.size(); ++i) {
    std::int64_t product = 1;
    for (auto j = seps[i].get<std::size_t>(); j < seps[i + 1].get<std::size_t>(); ++j) {
      product *= layout.shard()[j].extent.value();
    }
    products.push_back(product);
  }
  return products;
}

void check_refusal(const Json& row, const Json& answered) {
  ASSERT_EQ(answered["ok"], false) << answered;
  const std::string code = answered["error"]["code"];
  // A proof that there is none, and no misuse or giving up.
  EXPECT_TRUE(code.starts_with("axe.") && code != "axe.undecided") << row["id"] << ": " << answered;
}

void check(const Json& row) {
  const Json answered = answer(row);
  const Json& expected = row.at("expect");
  if (expected.is_null() && row.contains("null_kind")) return check_refusal(row, answered);
  ASSERT_EQ(answered["ok"], true) << answered;
  const Json& got = answered["result"];
  const std::string compare = row.value("compare", "value");
  if (row["op"] == "eval") {
    EXPECT_EQ(without_zeros(got), without_zeros(expected));
  } else if (row["op"] == "equal") {
    EXPECT_EQ(got["verdict"], expected == true ? "yes" : "no");
  } else if (compare == "exact" && expected.is_string()) {
    EXPECT_EQ(normal_form(got), normal_form(expected)) << got;
    if (row["op"] == "canonicalize") {
      EXPECT_EQ(got, normal_form(expected)["result"]);
    }
  } else if (compare == "exact") {
    // A unit iter's stride says nothing.
    EXPECT_EQ(normal_form(got["layout"]), normal_form(expected["layout"])) << got;
    EXPECT_EQ(got["seps"], expected["seps"]);
  } else if (compare == "semantic") {
    expect_same_map(got, expected);
  } else if (compare == "group") {
    expect_same_map(got["layout"], expected["layout"]);
    EXPECT_EQ(block_products(got), row["shape"].get<std::vector<std::int64_t>>());
  } else {
    EXPECT_EQ(got, expected);
  }
}

class AxeFacts : public testing::TestWithParam<Json> {};

TEST_P(AxeFacts, Agree) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Row, AxeFacts, testing::ValuesIn(axe_rows()), test::fact_name);

}  // namespace
}  // namespace heddle
