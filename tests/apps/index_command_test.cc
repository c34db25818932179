// heddle index, as a user runs it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "heddle/expr/solver.h"
#include "support/shell.h"

namespace heddle {
namespace {

using test::Ran;

Ran index_of(const std::string& arguments) { return test::heddle("index " + arguments); }

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
  EXPECT_EQ(line_of("--inverse 'GroupBy([6,4]).OrderBy(Row(6,4))' p"), "i = p//4\nj = p%4");
}

TEST(Index, NamesOfItsOwnAreNoOnesElse) {
  // [6,4]: the index is 4*r + c; 4*5 + 3 = 23 is the last one.
  EXPECT_EQ(line_of("'GroupBy([6,4])' r0 :"), "4*r0+r1");
  EXPECT_EQ(line_of("'GroupBy([6,4])' : r0"), "r0+4*r1");
  EXPECT_EQ(line_of("'GroupBy([M,i1])'"), "i*i1+j");
  EXPECT_EQ(line_of("--assume 'r0>=1' 'GroupBy([6,r0])' i :"), "i*r0+r1");
  EXPECT_EQ(line_of("--assume 'r0>=7' 'GroupBy([6,4])' i :"), "4*i+r1");
  EXPECT_EQ(line_of("--inverse 'GroupBy([M,p])'"), "i = p0//p\nj = p0%p");
  // The name of a size is refused as a coordinate; in one it means the size.
  EXPECT_EQ(index_of("'GroupBy([M,N])' N j").code, 2);
  EXPECT_EQ(line_of("--assume 'N>=1' 'GroupBy([M,N])' 0 N-1"), "N-1");
  // A name in two places is in both ranges: below 4.
  EXPECT_EQ(line_of("'GroupBy([4,6])' i i//4"), "6*i");
}

TEST(Index, ResultsOverwriteNothingThatIsReadAfterThem) {
  EXPECT_EQ(line_of("--inverse 'GroupBy([6,4])' i"), "out_i = i//4\nout_j = i%4");
  EXPECT_EQ(line_of("--inverse --target c 'GroupBy([6,4])' p"),
            "const int64_t i = p >> 2;\nconst int64_t j = p & 3;");
}

TEST(Index, RefusesWhatIsNoPoint) {
  const auto is_refused = [](const std::string& arguments, const std::string& code) {
    const Ran ran = index_of(arguments);
    return ran.code != 0 && ran.output.starts_with("error " + code + ":");
  };
  EXPECT_TRUE(is_refused("'GroupBy([6,4])' 24", "lego.coordinate"));
  EXPECT_TRUE(is_refused("'GroupBy([6,4])' 7 3", "lego.coordinate"));
  EXPECT_TRUE(is_refused("'GroupBy([6,4])' -1 j", "lego.coordinate"));
  EXPECT_TRUE(is_refused("--inverse 'GroupBy([6,4])' 24", "lego.coordinate"));
  EXPECT_TRUE(is_refused("'S[(2,8):(8,1)]' 16", "axe.index"));
  EXPECT_TRUE(is_refused("'S[(2,8):(8,1)]' 2 3", "axe.index"));
  EXPECT_EQ(line_of("'GroupBy([6,4])' 23"), "23");
  // CuTe goes on past the end of the last mode: 40 is (0,10), as eval has it.
  EXPECT_EQ(line_of("'(4,8):(8,1)' 40"), "10");
  EXPECT_TRUE(is_refused("'(4,8):(8,1)' -1", "coordinate.negative"));
  EXPECT_TRUE(is_refused("'(4,(2,2)):(2,(1,8))' 3 -1", "coordinate.negative"));
  EXPECT_EQ(line_of("'(4,8):(8,1)' -1 3"), "-5");
}

TEST(Index, ExplainsTheDefinition) {
  const std::string output =
      index_of("--explain 'GroupBy([6,4]).OrderBy(RegP([2,3,2,2],[1,3,2,4]))' i j").output;
  EXPECT_NE(output.find("(4*i+j)//12  ->  i//3\n    range: 0 <= j < 4"), std::string::npos)
      << output;
  EXPECT_NE(output.find("  common factor\n"), std::string::npos) << output;
  const std::string shifts = index_of("--explain --target c '(16,8):(32,1)' t v").output;
  EXPECT_TRUE(shifts.starts_with("  shift for a power of two\n")) << shifts;
}

TEST(Index, WritesProgramsToPaste) {
  // One expression where nothing comes before it, else statements.
  EXPECT_EQ(line_of("--target c '(16,(8,4)):(32,(1,8))' t v"), "(t << 5) + v");
  EXPECT_EQ(line_of("--target cuda '(16,(8,4)):(32,(1,8))' t v"), "(t << 5) + v");
  EXPECT_NE(line_of("--target cuda --assume 'x>=-9, x<9' '6:2' 'x//3'").find("__host__ __device__"),
            std::string::npos);
  const std::string tiles = "'GroupBy([6,6]).OrderBy(RegP([2,2],[2,1]),RegP([3,3],[2,1]))' ";
  EXPECT_NE(line_of("--target c " + tiles + "i j").find("\nconst int64_t index = "),
            std::string::npos);
  EXPECT_NE(line_of("--target c " + tiles + "index j").find("\nconst int64_t out_index = "),
            std::string::npos);
  EXPECT_NE(line_of("--target python " + tiles + "i j").find("\nindex = "), std::string::npos);
}

TEST(Index, WritesRangesOfTriton) {
  const std::string layout = "TileBy([M//BM,K//BK],[BM,BK]).OrderBy(Row(M,K))";
  const std::string ranges =
      "r0 = tl.arange(0, BM)[:, None]\n"
      "r1 = tl.arange(0, BK)[None, :]\n"
      "index = K * (BM * pid_m + r0) + BK * k + r1";
  const std::string options = "--target triton --assume 'M%BM==0, K%BK==0' ";
  EXPECT_EQ(line_of(options + "'" + layout + "' pid_m k : :"), ranges);
  EXPECT_EQ(line_of(options + "'" + layout + "[pid_m, k, :, :]'"), ranges);
  EXPECT_EQ(line_of("'GroupBy([6,4])[i,:]'"), "4*i+r0");
  EXPECT_EQ(line_of("--target triton '8:2' :"), "r0 = tl.arange(0, 8)\nindex = r0 << 1");
  EXPECT_EQ(line_of("--target triton '8:2' i"), "i << 1");
  // Triton rounds towards zero, and chooses between blocks element by element.
  EXPECT_NE(line_of("--target triton --assume 'x>=-9, x<9' '8:1' 'x//3'").find("@triton.jit\ndef "),
            std::string::npos);
  EXPECT_NE(line_of("--target triton 'GroupBy([3,3]).OrderBy(GenP([3,3],antidiag))' i :")
                .find("tl.where("),
            std::string::npos);
  EXPECT_EQ(index_of("--target triton '8:2' tl").code, 4);
}

TEST(Index, HasAHelpTopic) {
  const Ran ran = test::heddle("help index");
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.output.find("--target"), std::string::npos) << ran.output;
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

TEST(Index, CoordinatesOfWhichSomethingIsAssumedBeginAtZero) {
  EXPECT_EQ(line_of("--assume 'i<2' '(4,4):(4,1)' i j"), "4*i+j");
  EXPECT_EQ(line_of("--assume 'x%8==0' '(4,8):(8,1)' x"), "x//4");
  EXPECT_EQ(line_of("--inverse --assume 'p<2' 'GroupBy([4,4])' p"), "i = 0\nj = p");
  const Ran outside = index_of("--assume 'i>=9' 'GroupBy([4,4])' i j");
  EXPECT_NE(outside.output.find("lego.coordinate"), std::string::npos) << outside.output;
}

TEST(Index, WhatIsAssumedOfTheEndsOfACoordinateIsAllThatIsKnown) {
  EXPECT_EQ(line_of("--assume 'j>=3, j<17' '4:2' j"), "2*j");
  EXPECT_EQ(line_of("--assume 'j>=5' '4:2' j"), "2*j");
  EXPECT_EQ(line_of("--assume 'j>=-3' '4:2' j"), "2*j");
  EXPECT_EQ(line_of("--assume 'j>=3, j<17' '4:2' j+0"), "2*j");
  // Elsewhere the mode says where it ends.
  EXPECT_EQ(line_of("--assume 'j%2==0' '(2,4):(9,1)' i j"), "9*i+j");
}

TEST(Index, TakesTablesOnTheShapeTheyAreGivenIn) {
  EXPECT_EQ(line_of("'[0,4,1,5,2,6,3,7]' i"), "i//2+4*(i%2)");
  EXPECT_EQ(line_of("'[0,4,1,5,2,6,3,7]'"), "i//2+4*(i%2)");
  EXPECT_EQ(line_of("'[[0,2],[1,3]]' i j"), "i+2*j");
  EXPECT_EQ(line_of("'[[0,1,2],[3,4,5]]' p"), "p");
  EXPECT_NE(index_of("'[1,3,2,0]' 4").code, 0);
}

TEST(Index, NamesOfTheLayoutThatMeanSomethingElseGetAnUnderscore) {
  const std::string layout = R"('{"ins":[["register",[[1]]],["lane",[[2]]]],"outs":[["dim0",4]]}')";
  EXPECT_EQ(index_of("--target cuda " + layout).output,
            "// register_ is the layout's register\n(lane << 1) + register_\n");
  EXPECT_EQ(line_of(layout), "2*lane+register");
  EXPECT_EQ(index_of("--target cuda " + layout + " register lane").code, 4);
}

TEST(Index, RefusesReplicas) {
  EXPECT_NE(index_of("'S[8:1] + R[2:64]' 3").output.find("several copies"), std::string::npos);
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
  EXPECT_EQ(index_of("--target c '(4,8):(8,1)' bitand j").code, 4);
  EXPECT_EQ(index_of("'(4,8):(8,1)' i zzz+1").code, 2);
}

}  // namespace
}  // namespace heddle
