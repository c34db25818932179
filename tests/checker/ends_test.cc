// Kernels that would end the process, or never come to an end: the checker says which thread did
// what, and goes on.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checker/arguments.h"
#include "checker/child.h"
#include "heddle/checker/checker.h"
#include "support/refusal.h"

namespace heddle::checker {
namespace {

class Ends : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    program_ = new Program(Program::compile(text_of("ends.cu"), "ends").value());
  }
  static void TearDownTestSuite() { delete program_; }

  static std::string found(int which, RunOptions options = {}) {
    std::vector<Argument> arguments = {number("which", which),
                                       memory("X", std::vector<float>(4, 0)), number("n", 2)};
    const auto report = program_->run({{1, 1, 1}, {8, 1, 1}}, arguments, options);
    return report ? to_string(report->findings) : test::refusal(report);
  }

 private:
  static inline Program* program_ = nullptr;
};

TEST_F(Ends, OfThreadsAreFoundWithTheirPlaces) {
  const std::vector<std::pair<int, std::string>> wanted = {
      {0, "fault: thread 3 calls __trap() at kernel.cu:14\n"},
      {1,
       "fault: thread 3 asserts `t < n && \"few threads\"`, which does not hold, at "
       "kernel.cu:17\n"},
      {2, "fault: thread 3 calls exit() at kernel.cu:20\n"},
      {3, "fault: thread 3 calls abort() at kernel.cu:23\n"},
      {4, "fault: thread 3 traps at kernel.cu:26\n"},
      {5, "fault: thread 3 divides an integer by zero at kernel.cu:29\n"},
      {6, "fault: thread 3 calls abort() at kernel.cu:32\n"},
      {7, "fault: thread 3 of block (0,0,0) ends the process with status 5\n"},
      {8, "fault: thread 3 of block (0,0,0) ends the process by the signal 9\n"}};
  for (const auto& [which, text] : wanted) EXPECT_EQ(found(which), text) << which;
  EXPECT_EQ(found(13).substr(0, 26), "outside: thread 3 writes X");
  EXPECT_EQ(found(9), "fault: thread 3 has no stack left at kernel.cu:7\n");
}

TEST_F(Ends, ThatDoNotComeAreNotWaitedFor) {
  EXPECT_EQ(found(10, {.steps = 1000}),
            "too long: thread 3 still runs at kernel.cu:44, and is stopped: the threads have run "
            "1000 pieces of code\n");
#ifdef __x86_64__
  EXPECT_EQ(found(11, {.seconds = 1}),
            "too long: thread 3 still runs at kernel.cu:48, and is stopped: 1 s have gone by\n");
#endif
  // What sleeps is found where it wakes up.
  const std::string sleeper = found(12, {.seconds = 1});
  EXPECT_EQ(sleeper.substr(0, 43), "too long: thread 3 still runs at kernel.cu:");
  EXPECT_NE(sleeper.find(", and is stopped: 1 s have gone by"), std::string::npos) << sleeper;
  EXPECT_EQ(found(14, {.seconds = 1}),
            "too long: thread 3 of block (0,0,0) still runs, and is stopped: 1 s have gone "
            "by\n");
}

TEST(CheckedPrograms, ThatEndWhileTheyAreLoadedAreRefused) {
  EXPECT_EQ(test::refusal(Program::compile("extern \"C\" void _exit(int);\n"
                                           "struct Ends { Ends() { _exit(3); } } ends;\n"
                                           "__global__ void f() {}\n",
                                           "f")),
            "error kernel.compile: the compiled kernel cannot be loaded: it ends the process with "
            "status 3");
}

TEST(Children, GiveWhatTheyWriteHoweverMuch) {
  const auto result = in_child([] { return std::string(1 << 20, 'x'); }, 60).value();
  EXPECT_TRUE(result.is_whole);
  EXPECT_EQ(result.written, std::string(1 << 20, 'x'));
  EXPECT_FALSE(result.is_late);
}

}  // namespace
}  // namespace heddle::checker
