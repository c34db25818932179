// heddle index, as a user runs it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "heddle/expr/solver.h"

namespace heddle {
namespace {

struct Ran {
  int code = -1;
  std::string output;
};

Ran index_of(const std::string& arguments) {
  Ran ran;
  std::FILE* pipe = popen(fmt::format("'{}' index {} 2>&1", HEDDLE_BINARY, arguments).c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  while (const std::size_t count = fread(buffer, 1, sizeof buffer, pipe)) {
    ran.output.append(buffer, count);
  }
  ran.code = WEXITSTATUS(pclose(pipe));
  return ran;
}

std::string line_of(const std::string& arguments) {
  std::string output = index_of(arguments).output;
  if (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

constexpr const char* kMiddleOfFigure6 = "'GroupBy([6,6]).OrderBy(RegP([2,3,2,3],[1,3,2,4]))'";

TEST(Index, TakesLayoutsOfEverySystem) {
  EXPECT_EQ(line_of("'(4,8):(8,1)' i j"), "8*i+j");
  EXPECT_EQ(line_of("'(4,8):(8,1)' 3 j"), "j+24");
  EXPECT_EQ(line_of("'(4,8):(8,1)' x"), "x//4+8*(x%4)");
  EXPECT_EQ(line_of("'TileBy([8,4],[2,4]).OrderBy(Row(16,16))' I J : :"), "32*I+4*J+16*r0+r1");
  EXPECT_EQ(line_of("--inverse 'GroupBy([6,4]).OrderBy(Row(6,4))' p"), "i0 = p//4\ni1 = p%4");
}

TEST(Index, CountsNoMoreThanNeeded) {
  const std::string output =
      index_of(fmt::format("--count --json {} i j", kMiddleOfFigure6)).output;
  const auto answer = nlohmann::json::parse(output);
  EXPECT_LE(answer["result"]["operations"], 8) << output;
}

TEST(Index, IsConfirmed) {
  const Ran ran = index_of(fmt::format("--check {} i j", kMiddleOfFigure6));
  EXPECT_EQ(ran.code, Solver::is_available() ? 0 : 3) << ran.output;
}

TEST(Index, RefusesWithAHint) {
  EXPECT_EQ(index_of("").code, 2);
  EXPECT_EQ(index_of("'(4,8):(8,1)' i j k").code, 2);
  EXPECT_NE(index_of("'(4,8):(8,1)' i j k").output.find("takes 2 coordinates, not 3"),
            std::string::npos);
  EXPECT_EQ(index_of("--target cobol '(4,8):(8,1)'").code, 2);
  EXPECT_EQ(index_of("--cost money '(4,8):(8,1)'").code, 2);
  EXPECT_EQ(index_of("--inverse '(4,8):(8,1)'").code, 2);
  EXPECT_EQ(index_of("--target c '(4,8):(8,1)' int j").code, 4);
  EXPECT_EQ(index_of("'(4,8):(8,1)' i zzz+1").code, 2);
}

}  // namespace
}  // namespace heddle
