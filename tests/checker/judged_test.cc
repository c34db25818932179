// Kernels that are right, and others that are nearly right: nothing is found in the ones, by either
// compiler of the host, and the mistake of each of the others is.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "checker/arguments.h"
#include "heddle/checker/checker.h"
#include "support/refusal.h"

namespace heddle::checker {
namespace {

class Judged : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    program_ = new Program(Program::compile(text_of("judged.cu"), "judged").value());
  }
  static void TearDownTestSuite() { delete program_; }

  struct Outcome {
    std::string found;
    std::string suspected;
    bool is_right = true;
  };
  static Outcome run(int which) {
    Outcome outcome;
    for (const bool is_backwards : {false, true}) {
      std::vector<float> x;
      for (int t = 0; t != 64; ++t) x.push_back(static_cast<float>(t + 1));
      std::vector<Argument> arguments = {number("which", which), memory("X", x),
                                         memory("Y", std::vector<float>(64, -1)), number("n", 64)};
      arguments[1].is_read_only = true;
      const auto report =
          program_->run({{1, 1, 1}, {64, 1, 1}}, arguments, {.is_backwards = is_backwards});
      EXPECT_TRUE(report) << test::refusal(report);
      outcome.found += to_string(report->findings);
      outcome.suspected += to_string(report->suspicions);
      for (float& each : x) each *= 2;
      outcome.is_right = outcome.is_right && elements<float>(arguments[2]) == x;
    }
    return outcome;
  }

 private:
  static inline Program* program_ = nullptr;
};

TEST_F(Judged, FindsNothingInWhatIsRight) {
  for (const int which : {0, 1, 2, 3, 4, 5, 6}) {
    const Outcome outcome = run(which);
    EXPECT_EQ(outcome.found, "") << which;
    EXPECT_TRUE(outcome.is_right) << which;
  }
}

TEST_F(Judged, FindsWhatIsWrong) {
  const std::vector<std::pair<int, std::string>> wanted = {
      {7,
       "race: thread 0 reads byte 64 of S at kernel.cu:51, which thread 16 writes at kernel.cu:48: "
       "there is no barrier between them"},
      {8,
       "unaligned: thread 1 reads 16 bytes from byte 4 of X on at kernel.cu:55, which is not "
       "a multiple of 16"},
      {9, "outside: thread 0 uses the index 4 of an array that is 'float"},
      {11, "read-only: thread 0 writes X[0] at kernel.cu:71, which the kernel only reads"},
      {13,
       "divergent: the threads of a block are at several barriers: threads 0 to 31 wait at "
       "kernel.cu:78 (__syncthreads); threads 32 to 63 wait at kernel.cu:78 (__syncthreads)"},
      {14,
       "divergent: the lanes of a warp do different things: threads 0 to 15 wait at kernel.cu:81 "
       "(__shfl_sync); threads 16 to 31 wait at kernel.cu:82 (__syncwarp)"}};
  // Clang copies what a vector of floats has without asking for the alignment of the vector.
  const char* const compiler = std::getenv("CXX");
  const bool is_clang =
      compiler != nullptr && std::string(compiler).find("clang") != std::string::npos;
  for (const auto& [which, text] : wanted) {
    if (which == 8 && is_clang) continue;
    EXPECT_NE(run(which).found.find(text), std::string::npos) << which << ": " << run(which).found;
  }
}

TEST_F(Judged, SeesInTheResultsWhatNothingHasWritten) {
  EXPECT_FALSE(run(10).is_right);
  const Outcome outcome = run(12);
  EXPECT_FALSE(outcome.is_right);
  EXPECT_EQ(outcome.found, "");
  EXPECT_NE(outcome.suspected.find("undefined: thread 8 takes by __shfl_down_sync at kernel.cu:74 "
                                   "what lane 16 has, which is not in the mask 0xffff"),
            std::string::npos)
      << outcome.suspected;
}

TEST(CheckedFences, OrderBlocksThatUpdateOneCounter) {
  const Program program = Program::compile(text_of("judged.cu"), "last_block").value();
  const auto found = [&](int fences) {
    std::vector<Argument> arguments = {
        number("fences", fences), memory("X", std::vector<float>{1, 2, 3}),
        memory("Y", std::vector<float>(1)), memory("count", std::vector<unsigned>(1)),
        memory("parts", std::vector<float>(3))};
    const Report report = program.run({{3, 1, 1}, {64, 1, 1}}, arguments).value();
    EXPECT_EQ(elements<float>(arguments[2]).front(), 6);
    return to_string(report.findings);
  };
  EXPECT_EQ(found(1), "");
  EXPECT_EQ(found(0).substr(0, 60), "race: thread 32 of block (2,0,0) reads parts[0] at kernel.cu");
}

}  // namespace
}  // namespace heddle::checker
