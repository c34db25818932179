// What kernels call of CUDA C++, as the checker has it: the results are those of CUDA's manual.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checker/arguments.h"
#include "heddle/checker/checker.h"
#include "support/refusal.h"

namespace heddle::checker {
namespace {

class Models : public testing::Test {
 protected:
  struct Result {
    std::vector<int> x;
    std::vector<unsigned> a;
    Report report;
  };

  static void SetUpTestSuite() {
    program_ = new Program(Program::compile(text_of("models.cu"), "models").value());
  }
  static void TearDownTestSuite() { delete program_; }

  static Result run(int which, bool is_backwards = false) {
    std::vector<int> x;
    for (int t = 0; t != 64; ++t) x.push_back(t);
    const std::vector<unsigned> a = {0, 100, 0, 99, ~0U, 0, 0, 0, 0, 0, 1000};
    std::vector<Argument> arguments = {number("which", which), memory("X", x), memory("A", a),
                                       number("n", 64)};
    const auto report =
        program_->run({{1, 1, 1}, {64, 1, 1}}, arguments, {.is_backwards = is_backwards});
    EXPECT_TRUE(report) << test::refusal(report);
    return {elements<int>(arguments[1]), elements<unsigned>(arguments[2]), *report};
  }
  /// What each thread finds.
  template <class Value>
  static void expect_each(int which, const Value& value) {
    const Result result = run(which);
    EXPECT_EQ(to_string(result.report.findings), "") << which;
    for (int t = 0; t != 64; ++t) {
      EXPECT_EQ(result.x[static_cast<std::size_t>(t)], static_cast<int>(value(t)))
          << which << ", thread " << t;
    }
  }
  static std::string found(int which, bool is_backwards = false) {
    const std::string text = to_string(run(which, is_backwards).report.findings);
    return text.substr(0, text.find('\n'));
  }

 private:
  static inline Program* program_ = nullptr;
};

TEST_F(Models, OfBarriersCountTheThreadsForWhichSomethingHolds) {
  expect_each(0, [](int) { return 4 * 5 + 2 + 1; });
  expect_each(1, [](int) { return 0; });
}

TEST_F(Models, OfVotesAreThoseOfTheWarp) {
  expect_each(2, [](int t) { return t < 32 ? 8 : 8 | 1 << 8; });
  expect_each(3, [](int t) { return t < 32 ? 1 : 2; });
  expect_each(4, [](int t) { return t % 2 == 0 ? 0x55555555U : 0xaaaaaaaaU; });
  expect_each(5, [](int t) { return t < 32 ? 1 : -1; });
}

TEST_F(Models, OfReductionsAreThoseOfTheWarp) {
  expect_each(6, [](int t) { return 10000 * 496 + 3100 + (t < 32 ? 0 : 32); });
  expect_each(7, [](int t) { return t < 32 ? 0 : 32; });
}

TEST_F(Models, OfShufflesStayInTheirParts) {
  expect_each(8, [](int t) {
    const int lane = t % 32;
    const int up = lane == 0 ? 0 : lane - 1;
    const int down = lane % 16 < 14 ? lane + 2 : lane;
    return t / 32 * 32 + 5 + 100 * up + 10000 * down;
  });
}

TEST_F(Models, OfAtomicsDoEachThreadsUpdateOnce) {
  const Result result = run(9);
  EXPECT_EQ(to_string(result.report.findings), "");
  // 64 threads count 0 to 9, and from 0 down from 9, over and over; 0 is compared with 0, 1, …
  EXPECT_EQ(result.a, (std::vector<unsigned>{64, 36, 63, 0, 0, ~0U, 0, 64 % 10, 6, 64, 63}));
  EXPECT_EQ(result.x[0], 1000);
  for (int t = 1; t != 64; ++t) EXPECT_EQ(result.x[static_cast<std::size_t>(t)], t - 1);
}

TEST_F(Models, OfAtomicsAreInARaceWithPlainReads) {
  EXPECT_EQ(found(19),
            "race: thread 1 updates A[0] at kernel.cu:102, which thread 0 reads at kernel.cu:103: "
            "there is no barrier between them");
}

TEST_F(Models, OfVectorsAndLoadsAreThoseOfCuda) {
  // 12 bytes of a float3, 4 of a uchar4 and 2 of a short3.
  expect_each(10, [](int t) { return t % 4 * 8 + 5 + 12 + 4 + 2; });
}

TEST_F(Models, OfPrintfAreInTheReport) {
  EXPECT_EQ(run(11).report.printed, "thread 0 of models\nthread 1 of models\n");
  EXPECT_EQ(run(11, true).report.printed, "thread 1 of models\nthread 0 of models\n");
}

TEST_F(Models, OfNamedBarriersOrderTheWarpsThatComeToThem) {
  for (const bool is_backwards : {false, true}) {
    EXPECT_EQ(found(12, is_backwards), "");
    EXPECT_EQ(found(13, is_backwards), "");
    EXPECT_EQ(found(15, is_backwards), "");
    EXPECT_NE(found(14, is_backwards).find("race: thread "), std::string::npos);
  }
  EXPECT_EQ(run(12).x[40], 8);
}

TEST_F(Models, OfNamedBarriersAreForWholeWarps) {
  EXPECT_EQ(found(16),
            "divergent: thread 0 waits at kernel.cu:93 (__barrier_sync_count) for barrier 1 of 40 "
            "threads: there are barriers 0 to 15, and they are for whole warps");
  EXPECT_EQ(found(17).substr(0, 17), "divergent: thread");
  EXPECT_EQ(found(18),
            "stuck: no thread can go on: threads 0 to 31 wait at kernel.cu:99 "
            "(__barrier_sync_count)");
  EXPECT_EQ(found(20).substr(0, 43), "divergent: 16 lanes of warp 0 pass a barrie");
}

TEST(CheckedRings, KnowWhatWarpsBeforeThemHaveHeard) {
  const Program program = Program::compile(text_of("models.cu"), "ring").value();
  const auto found = [&](int last) {
    std::vector<Argument> arguments = {memory("X", std::vector<int>(128, 0)), number("last", last)};
    return to_string(program.run({{1, 1, 1}, {128, 1, 1}}, arguments).value().findings);
  };
  EXPECT_EQ(found(3), "");
  // The last warp has waited for nobody; two wait in vain.
  EXPECT_NE(found(2), "");
}

}  // namespace
}  // namespace heddle::checker
