// Analyses read index maps: a layout of any system is an access, or a memory.

#include "heddle/notation/analyses.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string evaluated(std::string_view text) {
  const Result<Value> value = evaluate(text);
  return value ? to_string(*value) : value.error().to_string();
}

/// The first line of what is found.
std::string verdict(std::string_view text) {
  const std::string all = evaluated(text);
  return all.substr(0, all.find('\n'));
}

TEST(AnalysesOfAnySystem, MemoryIsAnyMap) {
  // A column of 32 words, under one map in several notations: coordinates mean the same in each.
  const std::string column = "relation(\"{ [t] -> [t, 0] : 0 <= t < 32 }\")";
  for (const char* memory :
       {"(32,32):(32,1)", "S[(32,32):(32@m,1@m)]", "GroupBy([32,32])", "relation(GroupBy([32,32]))",
        "relation(\"{ [i, j] -> [32i + j] : 0 <= i < 32 and 0 <= j < 32 }\")"}) {
    EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 32)", column, memory)),
              "32-way bank conflicts: 32 wavefronts, ideally 1")
        << memory;
  }
  // Numbers of elements are in the order of the memory's system.
  EXPECT_EQ(verdict("bank_conflicts(32:32, GroupBy([32,32]), 32)"),
            "32-way bank conflicts: 32 wavefronts, ideally 1");
  EXPECT_EQ(verdict("bank_conflicts(32:32, (32,32):(1,32), 32)"),
            "32-way bank conflicts: 32 wavefronts, ideally 1");
  EXPECT_EQ(verdict("bank_conflicts(4:1, [0,32,64,1], 32)"),
            "3-way bank conflicts: 3 wavefronts, ideally 1");
  EXPECT_EQ(verdict("coalescing(32:1, GroupBy([32]), 32)"),
            "coalesced: 4 sectors of 32 bytes for 128 bytes");
}

TEST(AnalysesOfAnySystem, AccessesAreAnyMap) {
  const std::string memory = "(32,32):(32,1)";
  for (const char* access :
       {"relation(\"{ [t] -> [t, 0] : 0 <= t < 32 }\")", "S[(32):(1@m)]", "GroupBy([32])"}) {
    EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 32)", access, memory)),
              "32-way bank conflicts: 32 wavefronts, ideally 1")
        << access;
  }
}

/// An Axe layout of threads says which element is where; as an access it is turned round.
TEST(AnalysesOfAnySystem, AxeLayoutsOfThreadsAreTurnedRound) {
  const std::string axe = "S[(8,4,2):(4@laneid,1@laneid,1@reg)]";
  const std::string tv = "(32,2):(2,1)";
  const std::string memory = "64:1";
  EXPECT_EQ(evaluated(fmt::format("bank_conflicts({}, {}, 32)", axe, memory)),
            evaluated(fmt::format("bank_conflicts({}, {}, 32)", tv, memory)));
}

/// The buffer of a Needleman–Wunsch block: antidiagonals without conflicts, rows with some.
TEST(AnalysesOfAnySystem, AntidiagonalsOfABuffer) {
  const std::string walk = "relation(\"{ [t] -> [t, 32 - t] : 0 <= t < 32 }\")";
  const std::string row = "relation(\"{ [t] -> [16, t] : 0 <= t < 32 }\")";
  const std::string antidiagonal = "GroupBy([33,33]).OrderBy(GenP([33,33],antidiag))";
  EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, GroupBy([33,33]), 32)", walk)),
            "32-way bank conflicts: 32 wavefronts, ideally 1");
  EXPECT_EQ(verdict(fmt::format("bank_conflicts({}, {}, 32)", walk, antidiagonal)),
            "no bank conflicts: 1 wavefront");
  EXPECT_NE(verdict(fmt::format("bank_conflicts({}, {}, 32)", row, antidiagonal)),
            "no bank conflicts: 1 wavefront");
}

TEST(AnalysesOfAnySystem, SwizzlesAreFoundForAnyMap) {
  const std::string accesses = "(32,1):(1,0), (32,1):(32,0)";
  for (const char* memory : {"S[(32,32):(32@m,1@m)]", "GroupBy([32,32])"}) {
    EXPECT_EQ(verdict(fmt::format("swizzle_search({}, 32, {})", memory, accesses)),
              "Sw<5,0,5>: 2 wavefronts instead of 33");
  }
  EXPECT_EQ(evaluated("find_swizzle(S[(32,32):(32@m,1@m)], 32, (32,1):(32,0))"),
            "SW(0,5,5) o S[(32,32):(32@m,1@m)]");
}

/// A swizzled layout prints as the encoding that Triton has for it.
TEST(AnalysesOfAnySystem, SwizzledLayoutsAreEncodings) {
  const std::string offsets = R"({"ins":[["offset",[[1],[2]]],["block",[]]],"outs":[["dim0",4]]})";
  EXPECT_EQ(evaluated("SharedLinearLayout(" + offsets + ")"),
            "#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>");
  const std::string swizzled = "Sw<1,0,1> o 0 o (2,2):(2,1)";
  EXPECT_EQ(evaluated("SharedLinearLayout(" + swizzled + ")"),
            "#ttg.shared_linear<{offset = [[0, 1], [1, 1]]}, alignment = 16>");
  EXPECT_EQ(evaluated("to_linear(SharedLinearLayout(" + offsets + "), [4])"),
            evaluated("LinearLayout([[\"offset\", [[1],[2]]], [\"block\", []]], [[\"dim0\", 4]])"));
  EXPECT_EQ(evaluate("SharedLinearLayout(identity_1d(4, \"lane\", \"dim0\"))").error().code(),
            "encoding.field");
}

}  // namespace
}  // namespace heddle::notation
