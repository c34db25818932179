// Real logs of nvcc 13, clang 19 and g++ 12 for the programs in logs/, and texts that are none.
// HEDDLE_UPDATE_LOGS=1 writes the expected texts anew.

#include "heddle/notation/diagnose.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "support/shell.h"

namespace heddle::notation {
namespace {

namespace fs = std::filesystem;
using test::contents;

const fs::path kLogs = fs::path(HEDDLE_SOURCE_DIR) / "tests/notation/diagnose/logs";
const std::vector<std::string> kCompilers = {"gcc", "clang", "nvcc"};

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kLogs)) {
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string explained(const std::string& log) {
  const auto diagnosis = diagnose(log);
  return diagnosis ? to_string(*diagnosis) : diagnosis.error().to_string() + "\n";
}

TEST(Diagnose, ExplainsTheLogsOfThreeCompilers) {
  const bool updates = std::getenv("HEDDLE_UPDATE_LOGS") != nullptr;
  int logs = 0;
  for (const std::string& program : programs()) {
    for (const std::string& compiler : kCompilers) {
      const fs::path expected = kLogs / (program + "." + compiler + ".txt");
      const std::string text = explained(contents(kLogs / (program + "." + compiler + ".log")));
      if (updates) std::ofstream(expected, std::ios::binary) << text;
      EXPECT_EQ(text, contents(expected)) << program << ' ' << compiler;
      ++logs;
    }
  }
  EXPECT_GE(logs, 60);
}

/// A tiled copy made for an MMA fails as one that is made from threads and values.
TEST(Diagnose, TiledCopiesOfOperandsHaveTheirNumbers) {
  const std::string explanation = explained(
      "include/cute/atom/copy_atom.hpp:206:3: error: static assertion failed due to requirement "
      "'C<false>::value': TiledCopy uses too few vals for selected CopyAtom\n"
      "gemm.cu:9:13: note: in instantiation of function template specialization "
      "'cute::make_tiled_copy_C<cute::UniversalCopy<cutlass::uint128_t>, cutlass::half_t, "
      "cute::MMA_Atom<cute::SM80_16x8x16_F32F16F16F32_TN>, "
      "cute::Layout<cute::tuple<cute::C<1>, cute::C<1>, cute::C<1>>>, "
      "cute::tuple<cute::Underscore, cute::Underscore, cute::Underscore>>' requested here\n"
      "    9 |   auto copy = make_tiled_copy_C(Copy_Atom<UniversalCopy<uint128_t>, float>{}, "
      "mma);\n");
  EXPECT_NE(explanation.find("make_tiled_copy_C(copy_atom(universal_copy(128,1),16), "),
            std::string::npos)
      << explanation;
  EXPECT_NE(explanation.find("is not made of atoms of 1 threads with 8 values each"),
            std::string::npos)
      << explanation;
}

// What is found does not depend on who compiled.
TEST(Diagnose, GivesOneAnswerForAllCompilers) {
  for (const std::string& program : programs()) {
    std::vector<std::string> answers;
    for (const std::string& compiler : kCompilers) {
      const auto diagnosis = diagnose(contents(kLogs / (program + "." + compiler + ".log")));
      ASSERT_TRUE(diagnosis) << program << ' ' << compiler;
      const Finding& first = diagnosis->findings.front();
      if (!first.answer) continue;
      answers.push_back(first.assertion + (first.answer->has_value()
                                               ? to_string(first.answer->value())
                                               : first.answer->error().to_string()));
    }
    for (const std::string& answer : answers) EXPECT_EQ(answer, answers.front()) << program;
  }
}

TEST(Diagnose, ReadsColouredOutputAndPrefixesOfBuilds) {
  const std::string log = contents(kLogs / "composition_shape.nvcc.log");
  std::string changed;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    changed += "\x1b[1m\x1b[31m" + line + "\x1b[0m\x1b[K\r\n";
  }
  EXPECT_EQ(explained(changed), explained(log));
}

TEST(Diagnose, ReadsTimesInFrontOfLines) {
  for (const char* compiler : {"gcc", "clang", "nvcc"}) {
    const std::string log =
        contents(kLogs / ("composition_shape." + std::string(compiler) + ".log"));
    std::string changed;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);)
      changed += "12:03:44.123  ERROR  " + line + "\n";
    const auto diagnosis = diagnose(changed);
    ASSERT_TRUE(diagnosis) << compiler;
    EXPECT_EQ(diagnosis->findings.front().place, "composition_shape.cu:8") << compiler;
    EXPECT_EQ(diagnosis->findings.front().expression, "composition((8,8):(8,1), 12:1)") << compiler;
  }
}

TEST(Diagnose, SaysWhatItLookedFor) {
  const auto nothing = diagnose("make: *** [all] Error 2\ntile.cu(3): error: expected a ';'\n");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code(), "diagnose.no_assertion");
  EXPECT_EQ(nothing.error().message(),
            "no failed static assertion of CuTe in 2 lines; 0 of others, 1 other errors");

  const auto bare = diagnose(
      "include/cute/layout.hpp:1101:24: error: static assertion failed: Shape Divisibility "
      "Condition\n");
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->findings.front().answer);
  EXPECT_NE(bare->findings.front().missing.find("shows no instantiation"), std::string::npos);

  const auto foreign = diagnose("main.cc:4:1: error: static assertion failed: sizes differ\n");
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().message(),
            "no failed static assertion of CuTe in 1 lines; 1 of others, 0 other errors");
}

TEST(Diagnose, LimitsItsFindings) {
  std::string log;
  for (int i = 1; i <= 100; ++i) {
    log +=
        "include/cute/layout.hpp(1101): error: static assertion failed with \"Shape Divisibility "
        "Condition\"\n          detected during instantiation of \"auto cute::composition(const "
        "cute::Layout<LShape, LStride> &, const Tiler &) [with LShape=cute::_8, "
        "LStride=cute::_1, Tiler=cute::_3]\" at line " +
        std::to_string(i) + " of tile.cu\n\n";
  }
  const auto diagnosis = diagnose(log);
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(diagnosis->findings.size(), kMaxFindings);
  EXPECT_EQ(diagnosis->more, 100 - kMaxFindings);
  EXPECT_EQ(diagnosis->findings[1].place, "tile.cu:2");
}

TEST(Diagnose, ReadsAnyBytes) {
  std::mt19937 random(5);
  const std::string seed = contents(kLogs / "local_tile.nvcc.log");
  for (int i = 0; i < 300; ++i) {
    std::string log = seed;
    for (int changes = 0; changes < 40; ++changes) {
      log[random() % log.size()] = static_cast<char>(random());
    }
    (void)explained(log);
  }
}

TEST(Diagnose, TakesTimeInProportion) {
  const std::string line(60, '<');
  std::string log;
  while (log.size() < (std::size_t{1} << 24)) log += line + "error: static assertion failed\n";
  const auto begin = std::chrono::steady_clock::now();
  (void)explained(log);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5));
}

// Logs that end before the caller of shape_div, as they are pasted into reports of errors.
TEST(Diagnose, InfersTheCallerOfAShapeDivFromTheFoldsAroundIt) {
  const std::string head =
      "(362): error: static assertion failed with \"Static shape_div failure\"\n"
      "      static_assert(IntTupleA::value % IntTupleB::value == 0, \"Static shape_div "
      "failure\");\n"
      "      ^\n"
      "          detected during:\n"
      "            instantiation of \"auto cute::shape_div(const IntTupleA &, const IntTupleB &) ";
  const auto caller = [](const std::string& log) {
    const auto diagnosis = diagnose(log);
    return diagnosis ? diagnosis->findings.front().inferred_caller : diagnosis.error().code();
  };
  EXPECT_EQ(
      caller("cute/int_tuple.hpp" + head +
             "[with IntTupleA=cute::_96, IntTupleB=cute::C<64>]\" at line 941 of cute/layout.hpp\n"
             "            instantiation of function \"lambda [](const auto &, const auto &)->auto "
             "[with <auto-1>=cute::tuple<cute::tuple<>, cute::_96>, <auto-2>=cute::_64]\" at line "
             "449 of cute/algorithm/tuple_algorithms.hpp\n"
             "            instantiation of \"auto cute::fold(T &&, V &&, F &&) [with "
             "T=cute::tuple<cute::_64> &, V=cute::tuple<cute::tuple<>, cute::_96>, F=lambda "
             "[](const auto &, const auto &)->auto]\" at line 942 of cute/layout.hpp\n"),
      "composition(A, B): a mode of B with the extent 96 runs through the extents (64) of A; 96 of "
      "it is left at 64");
  EXPECT_EQ(
      caller("cute/int_tuple.hpp" + head +
             "[with IntTupleA=cute::_2, IntTupleB=cute::C<3>]\" at line 1063 of cute/layout.hpp\n"
             "            instantiation of function \"lambda [](const auto &, const auto &)->auto "
             "[with <auto-1>=cute::tuple<cute::tuple<cute::_1>, cute::C<3>>, <auto-2>=cute::_2]\" "
             "at line 399 of cute/algorithm/tuple_algorithms.hpp\n"
             "            instantiation of \"auto cute::detail::fold(T &&, const V &, F &&, "
             "cute::seq<Is...>) [with T=cute::tuple<cute::_8, cute::_2, cute::_4, cute::C<2>> &, "
             "V=cute::tuple<cute::tuple<>, cute::C<24>>, F=lambda [](const auto &, const auto "
             "&)->auto &, Is=<0, 1, 2, 3>]\" at line 422 of cute/algorithm/tuple_algorithms.hpp\n"),
      "composition(A, B): a mode of B with the stride 24 steps over the extents (8,2,4,2) of A; 3 "
      "of it is left at 2");
  EXPECT_EQ(
      caller("cute/int_tuple.hpp" + head +
             "[with IntTupleA=cute::_136, IntTupleB=cute::_64]\" at line 391\n"
             "            instantiation of \"auto cute::transform(const T0 &, const T1 &, F &&) "
             "[with T0=cute::tuple<cute::_64, cute::_136>, T1=cute::tuple<cute::C<64>, "
             "cute::C<64>>, F=lambda [](const auto &, const auto &)->auto]\" at line 391 of "
             "cute/int_tuple.hpp\n"),
      "shape_div((64,136), (64,64))");
  EXPECT_EQ(
      caller("include/cute/int_tuple.hpp:405:19: error: static assertion failed due to "
             "requirement 'C<3>::value % C<2>::value == 0 || C<2>::value % C<3>::value == 0': "
             "Static shape_div failure\n"),
      "shape_div(3, 2)");
}

}  // namespace
}  // namespace heddle::notation
