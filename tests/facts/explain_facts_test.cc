// Every row of cute.jsonl explained: each explanation ends where the operation ends, and every
// equation in it holds.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/explain.h"
#include "heddle/notation/operations.h"
#include "support/equations.h"
#include "support/facts.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

/// The call of a row; nothing where an operand is no expression.
std::vector<notation::Argument> arguments_of(const Json& row) {
  std::vector<notation::Argument> arguments;
  for (const std::string text : row.at("args")) {
    const auto value = notation::evaluate(text);
    if (!value) return {};
    arguments.push_back({*value, {}, {}});
  }
  return arguments;
}

TEST(ExplainFacts, EndWhereTheOperationsEnd) {
  int explained = 0;
  for (const Json& row : fact_rows("cute.jsonl")) {
    const notation::Operation* operation =
        notation::find_operation(row.at("op").get<std::string>());
    const std::vector<notation::Argument> arguments = arguments_of(row);
    if (operation == nullptr || arguments.empty()) continue;
    ++explained;
    const auto value = notation::call(*operation, arguments);
    const Explanation explanation = notation::explain(*operation, arguments);
    EXPECT_EQ(explanation.result.text, value ? notation::to_string(*value) : "") << row;
    EXPECT_EQ(explanation.refusal.has_value(), !value) << row;
    const Equations equations = equations_in(explanation);
    EXPECT_FALSE(equations.wrong) << equations.wrong << "\n" << row;
    const std::string text = notation::to_text(explanation);
    EXPECT_FALSE(text.empty()) << row;
  }
  EXPECT_GT(explained, 4000);
}

}  // namespace
}  // namespace heddle::test
