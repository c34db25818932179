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

namespace heddle::notation {
namespace {

namespace fs = std::filesystem;

const fs::path kLogs = fs::path(HEDDLE_SOURCE_DIR) / "tests/notation/diagnose/logs";
const std::vector<std::string> kCompilers = {"gcc", "clang", "nvcc"};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

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
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace heddle::notation
