// The index expressions of the layouts that the tests of this repository speak of: simplified,
// they compute what the layouts compute, by evaluation and by Z3.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "heddle/expr/index_variable.h"
#include "heddle/expr/simplify.h"
#include "heddle/expr/solver.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/evaluator.h"
#include "support/law.h"

namespace heddle::notation {
namespace {

/// A layout at named coordinates, and at coordinates of which only `given` is known.
struct Indexed {
  std::vector<Int> values;
  std::vector<Int> raw_values;
  std::vector<Condition> given;
};

bool all_defined(const std::vector<Int>& values) {
  return std::ranges::all_of(values, [](const Int& value) { return value.is_defined(); });
}

/// Nothing where the text is no layout, or one without plain coordinates.
std::optional<Indexed> indexed(const std::string& text) {
  const auto value = evaluate(text);
  const auto map = value ? index_map_of(*value) : refuse("call.type", "");
  if (!map || map->extents().empty()) return std::nullopt;
  std::vector<Int> point;
  std::vector<Int> bare;
  Indexed made;
  for (const Int& extent : map->extents()) {
    const std::string name = fmt::format("i{}", point.size());
    point.push_back(index_variable(name, extent));
    bare.push_back(Int::variable(name));
    if (!point.back().is_defined()) return std::nullopt;
    made.given.push_back({0, Predicate::kAtMost, bare.back()});
    made.given.push_back({bare.back(), Predicate::kLess, extent});
  }
  made.values = (*map)(point);
  made.raw_values = (*map)(bare);
  if (!all_defined(made.values)) return std::nullopt;
  if (!all_defined(made.raw_values)) made.raw_values = made.values;
  return made;
}

std::vector<std::string> texts_in(const std::string& file) {
  std::vector<std::string> texts;
  std::ifstream lines(std::string(HEDDLE_SOURCE_DIR) + "/tests/facts/" + file);
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line);
    std::vector<nlohmann::json> candidates;
    if (row.contains("args")) candidates.assign(row["args"].begin(), row["args"].end());
    if (row.contains("expect")) candidates.push_back(row["expect"]);
    if (row.contains("layout")) candidates.push_back(row["layout"]);
    for (const nlohmann::json& candidate : candidates) {
      if (candidate.is_string()) texts.push_back(candidate.get<std::string>());
    }
  }
  return texts;
}

std::vector<std::string> all_texts() {
  std::set<std::string> texts{
      "tensor<4x4xf16, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA "
      "= [2, 1], order = [1, 0]}>>",
      "tensor<64x32xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], "
      "warpsPerCTA = [4, 1], order = [1, 0]}>>"};
  for (const char* file :
       {"lego_vectors.jsonl", "axe.jsonl", "cute.jsonl", "cute_tiled.jsonl", "encodings.jsonl"}) {
    for (std::string& text : texts_in(file)) texts.insert(std::move(text));
  }
  return {texts.begin(), texts.end()};
}

/// Values that the kernel computes otherwise than the layout.
test::Finding differs(const Indexed& index, const Kernel& kernel) {
  for (const Bindings& point : samples(index.values, 60)) {
    const std::vector<Int> computed = evaluate(kernel, point);
    for (std::size_t i = 0; i < computed.size(); ++i) {
      const Result<Int> wanted = instantiate(index.values[i], point);
      if (wanted && wanted->is_constant() && *wanted != computed[i]) {
        return test::found(kernel, "is ", computed[i], ", not ", *wanted);
      }
    }
  }
  return test::kHolds;
}

TEST(IndexCheck, ZThreeConfirmsTheLayoutsOfTheRepository) {
  const std::vector<std::string> texts = all_texts();
  // All of them, and 40 of them where time is short.
  const auto wanted = static_cast<std::size_t>(std::max(1, test::property_count() / 125));
  const std::size_t step =
      test::property_count() > 5000 ? 1 : std::max<std::size_t>(1, texts.size() / wanted);
  const Solver solver({.steps = 100'000});
  int checked = 0;
  int confirmed = 0;
  for (std::size_t i = 0; i < texts.size(); i += step) {
    const std::optional<Indexed> index = indexed(texts[i]);
    if (!index) continue;
    const auto simplified = simplify(index->values);
    ASSERT_TRUE(simplified) << texts[i] << "\n" << simplified.error();
    EXPECT_EQ(differs(*index, simplified->kernel), test::kHolds) << texts[i];
    const Verdict verdict =
        solver.prove_computes(simplified->kernel, index->raw_values, {}, index->given);
    EXPECT_FALSE(verdict.is_no()) << texts[i] << "\n" << simplified->kernel << verdict;
    ++checked;
    confirmed += verdict.is_yes() ? 1 : 0;
  }
  EXPECT_GE(2 * static_cast<std::size_t>(checked), std::min<std::size_t>(wanted, 20));
  if (Solver::is_available()) {
    EXPECT_GE(confirmed * 10, checked * 9);
  }
}

}  // namespace
}  // namespace heddle::notation
