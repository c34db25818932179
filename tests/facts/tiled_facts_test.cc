// Every row of cute_atoms.jsonl and cute_tiled.jsonl, what CuTe C++ prints for its atoms, for
// partitions, tiled copies and tiled MMAs, asked of the expression language. Our answers have the
// same text, character by character; where CuTe is wrong ("post" false) they have not, and a wrong
// atom's layouts are refused.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "heddle/cute/atoms.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"
#include "support/facts.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

/// The call as it is written: `local_tile((8,6):(1,8), (4,2), (1,2))`.
std::string call_of(const Json& row) {
  std::string text = row.at("op").get<std::string>() + "(";
  bool first = true;
  for (const Json& argument : row.at("args")) {
    if (!first) text += ", ";
    first = false;
    text += argument.get<std::string>();
  }
  return text + ")";
}

/// CuTe's thread-value layouts of tiled copies and MMAs come without their tile.
std::string text_of(const Json& row, const notation::Value& value) {
  const auto* tv = value.get_if<cute::TvLayout>();
  if (tv == nullptr || row.at("op") == "make_layout_tv") return notation::to_string(value);
  return cute::to_string(tv->layout);
}

TEST(CuteFacts, PartitionsAndTiledLayoutsHaveCutesText) {
  const std::vector<Json> rows = fact_rows("cute_tiled.jsonl");
  ASSERT_GE(rows.size(), 700U);
  std::size_t wrong = 0;
  for (const Json& row : rows) {
    const std::string text = call_of(row);
    const Result<notation::Value> value = notation::evaluate(text);
    ASSERT_TRUE(value) << text << "\n" << value.error();
    const bool alike = text_of(row, *value) == row.at("expect").get<std::string>();
    wrong += row.value("post", true) ? 0 : 1;
    EXPECT_EQ(alike, row.value("post", true))
        << text << "\nCuTe " << row.at("expect") << "\nours " << text_of(row, *value);
  }
  // With atoms along N and along K, CuTe's layoutC_TV leaves the tile.
  EXPECT_EQ(wrong, 1U);
}

TEST(CuteFacts, AtomsHaveCutesLayouts) {
  std::size_t wrong = 0;
  const std::vector<Json> rows = fact_rows("cute_atoms.jsonl");
  ASSERT_GE(rows.size(), 400U);
  for (const Json& row : rows) {
    const std::string name = row.at("name");
    const bool is_wrong = !row.value("post", true);
    wrong += is_wrong ? 1 : 0;
    const Json answer =
        Json::parse(notation::answer(Json{{"op", "eval"}, {"args", {name}}}.dump()));
    ASSERT_TRUE(answer.at("ok").get<bool>()) << answer;
    bool all_alike = true;
    for (const auto& [key, text] : row.items()) {
      if (key == "name" || key == "post") continue;
      const bool alike = answer.at("result").at(key) == text;
      all_alike = all_alike && alike;
      EXPECT_TRUE(alike || is_wrong)
          << name << ": " << key << " is " << answer.at("result").at(key);
    }
    EXPECT_NE(all_alike, is_wrong) << name;
  }
  EXPECT_EQ(wrong, 10U);
}

// A peer's atom that does not share out its operand is refused when it is written down.
TEST(CuteFacts, WrongAtomsAreRefused) {
  for (const Json& row : fact_rows("cute_atoms.jsonl")) {
    if (row.value("post", true)) continue;
    const std::string text = "mma_atom_of(" + row.at("shape_mnk").get<std::string>() + ", " +
                             row.at("thr_id").get<std::string>() + ", " +
                             row.at("layoutA_TV").get<std::string>() + ", " +
                             row.at("layoutB_TV").get<std::string>() + ", " +
                             row.at("layoutC_TV").get<std::string>() + ")";
    const Result<notation::Value> value = notation::evaluate(text);
    ASSERT_FALSE(value) << text;
    EXPECT_TRUE(value.error().code() == "mma_atom.operand" ||
                value.error().code() == "layout.incongruent")
        << value.error();
  }
}

// Every name is that of an atom, once.
TEST(Atoms, AreFoundByTheirNames) {
  std::set<std::string> names;
  for (const std::string& name : cute::mma_atom_names()) {
    EXPECT_TRUE(cute::find_mma_atom(name)) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  for (const std::string& name : cute::copy_atom_names()) {
    EXPECT_TRUE(cute::find_copy_atom(name)) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_GE(names.size(), 1000U);
  EXPECT_FALSE(cute::find_mma_atom("SM80_16x8x16"));
  EXPECT_FALSE(cute::find_copy_atom("SM90_64x8x16_F16F16F16_SS"));
}

}  // namespace
}  // namespace heddle::test
