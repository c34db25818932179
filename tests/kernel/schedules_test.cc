// Schedules: which are considered, what they cost, and why they are not taken.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

using test::refusal;

/// The explanation without its first line; the refusal where there is one.
std::string schedules_of(const std::string& text) {
  const auto program = lowered(text);
  if (!program) return refusal(program);
  const std::string all = explanation(*program);
  return all.substr(all.find("\n\n") + 2);
}

std::string sum(std::string_view assumed, std::string_view value = "A[256*bx : +256] + 1") {
  return "kernel f(A: f32[N], B: f16[N], C: f32[N])\n" + std::string(assumed) +
         "  launch cta (N + 255) // 256, threads 32\n{\n  C[256*bx : +256] = " +
         std::string(value) + "\n}\n";
}

TEST(Schedules, OfAssignmentsAreVectorsWhereRowsAreWholeVectors) {
  // Two vectors of A and of C each, and 8 additions.
  EXPECT_EQ(schedules_of(sum("  assume N % 4 == 0\n")),
            "C[256*bx : +256] = A[256*bx : +256] + 1\n"
            "  taken      vector of 128 bits   cost 12\n"
            "  spread     dimension 0: 4 in turn, 32 threads, 2 in turn\n");
  EXPECT_EQ(
      schedules_of(sum("")),
      "C[256*bx : +256] = A[256*bx : +256] + 1\n"
      "  taken      element   cost 24\n"
      "  not taken  vector of 128 bits: C[256*bx : +256]: a vector of 4 elements may straddle "
      "the edge of the tensor; `assume N % 4 == 0` would do\n"
      "  not taken  vector of 64 bits: C[256*bx : +256]: a vector of 2 elements may straddle "
      "the edge of the tensor; `assume N % 2 == 0` would do\n");
}

TEST(Schedules, OfAssignmentsLoadOtherTypesByVectorsOfAsManyElements) {
  // Two vectors of four halves, two of four floats.
  EXPECT_EQ(schedules_of(sum("  assume N % 4 == 0\n", "B[256*bx : +256]")),
            "C[256*bx : +256] = B[256*bx : +256]\n"
            "  taken      vector of 128 bits   cost 4\n"
            "  spread     dimension 0: 4 in turn, 32 threads, 2 in turn\n");
}

TEST(Schedules, OfAssignmentsReadWhatIsNotAlignedOneByOne) {
  // 2 vectors of C, 8 single elements of A.
  EXPECT_EQ(schedules_of(sum("  assume N % 4 == 0\n", "A[256*bx+1 : +256]")),
            "C[256*bx : +256] = A[256*bx+1 : +256]\n"
            "  taken      vector of 128 bits   cost 10\n"
            "  spread     dimension 0: 4 in turn, 32 threads, 2 in turn\n");
}

TEST(Schedules, OfAssignmentsAreElementsWhereTheSourceIsOverwritten) {
  // Two loads and an addition into a register; when all threads are done, a store.
  EXPECT_EQ(schedules_of("kernel f(C: f32[64]) launch cta 1, threads 32 {\n"
                         "  C[0 : +32] = C[16 : +32] + C[0 : +32]\n}\n"),
            "C[0 : +32] = C[16 : +32] + C[0 : +32]\n"
            "  taken      element   cost 5\n"
            "  not taken  vector: the source is overwritten while it is read\n");
}

TEST(Schedules, OfRegistersLoadOperandsByVectors) {
  EXPECT_EQ(schedules_of("kernel f(A: f32[256], B: f32[256]) launch cta 1, threads 32 {\n"
                         "  reg x: f32[256]\n  copy(x, A)\n  x = x + B\n}\n"),
            "copy(x, A)\n"
            "  taken      vector of 128 bits   cost 2\n"
            "  spread     dimension 0: 4 in turn, 32 threads, 2 in turn\n"
            "\n"
            "x = x + B\n"
            "  taken      element, operands by vectors   cost 10\n");
}

TEST(Schedules, ThatAreForcedHoldOrAreRefused) {
  const auto filled = [](std::string_view schedule) {
    return "kernel f(A: f32[6]) launch cta 1, threads 32 {\n  fill(A, 1) using " +
           std::string(schedule) + "\n}\n";
  };
  EXPECT_EQ(schedules_of(filled("vector")),
            "fill(A, 1) using vector\n  taken      vector of 64 bits   cost 1\n  not taken  vector "
            "of 128 bits: A: a vector of 4 elements may straddle the edge of the tensor\n  spread  "
            "   dimension 0: 2 in turn, 4 threads; other threads hold copies\n");
  EXPECT_EQ(schedules_of(filled("element")),
            "fill(A, 1) using element\n"
            "  taken      element   cost 1\n"
            "  not taken  vector of 128 bits: `using element` is forced\n"
            "  not taken  vector of 64 bits: `using element` is forced\n");
  EXPECT_EQ(schedules_of(filled("lines")),
            "error kernel.schedule: fill has no schedule 'lines'; it has vector, element");
  EXPECT_EQ(schedules_of("kernel f() launch cta 1, threads 32 {\n  reg x: f32[64]\n"
                         "  fill(x, 1) using vector\n}\n"),
            "error kernel.schedule: fill(x, 1) using vector cannot be done by vectors: registers "
            "are assigned one by one");
}

std::string reduction(std::string_view schedule) {
  return "kernel f(A: f32[32], B: f32[]) launch cta 1, threads 32 {\n  reg x: f32[32]\n"
         "  copy(x, A)\n  reg s: f32[]\n  reduce(s, x, op=\"sum\", axis=0)" +
         std::string(schedule) + "\n}\n";
}

TEST(Schedules, OfReductionsHaveCostsInOneUnit) {
  const auto shuffles = lowered(reduction(""));
  const auto shared = lowered(reduction(" using shared"));
  ASSERT_TRUE(shuffles.has_value() && shared.has_value());
  const auto& taken = shuffles->choices.back().candidates;
  const auto& forced = shared->choices.back().candidates;
  ASSERT_EQ(taken.size(), 3U);
  ASSERT_EQ(forced.size(), 3U);
  EXPECT_EQ(taken[0].schedule, "shuffle");
  EXPECT_EQ(taken[1].schedule, "shared");
  EXPECT_EQ(taken[1].reason, "more steps");
  EXPECT_EQ(forced[1].schedule, "shuffle");
  EXPECT_EQ(forced[1].reason, "`using shared` is forced");
  // One addition; five shuffles with an addition each; 32 loads with one, a store and a barrier.
  EXPECT_EQ(taken[0].cost, 11);
  EXPECT_EQ(forced[0].cost, 67);
  // What is not taken costs what it costs where it is.
  EXPECT_EQ(taken[1].cost, forced[0].cost);
  EXPECT_EQ(forced[1].cost, taken[0].cost);
  EXPECT_EQ(taken[2].schedule, "registers");
  EXPECT_EQ(taken[2].cost, std::nullopt);
}

TEST(Schedules, OfReductionsOfSeveralWarpsShuffleFirst) {
  const auto explained = [](const std::string& forced) {
    return schedules_of(
        "kernel f(A: f32[128]) launch cta 1, threads 128 {\n  reg s: f32[]\n"
        "  reduce(s, A, op=\"sum\", axis=0)" +
        forced + "\n}\n");
  };
  // A load and an addition; five shuffles with an addition each; a store, a barrier, and a load
  // with an addition for each of four warps.
  EXPECT_EQ(explained(""),
            "reduce(s, A, axis=0, op=\"sum\")\n"
            "  taken      warps   cost 22\n"
            "  not taken  shared: more steps   cost 260\n"
            "  not taken  shuffle: the threads of one result are in several warps\n"
            "  not taken  registers: threads need what others have\n"
            "  spread     dimension 0: 128 threads\n");
  EXPECT_EQ(explained(" using shared"),
            "reduce(s, A, axis=0, op=\"sum\") using shared\n"
            "  taken      shared   cost 260\n"
            "  not taken  warps: `using shared` is forced   cost 22\n"
            "  not taken  shuffle: the threads of one result are in several warps\n"
            "  not taken  registers: threads need what others have\n"
            "  spread     dimension 0: 128 threads\n");
}

TEST(Schedules, OfUnknownLengthHaveNoCost) {
  EXPECT_EQ(
      schedules_of("kernel f(A: f32[N]) launch cta 1, threads 32 {\n  A[:] = 1\n}\n"),
      "A[:] = 1\n"
      "  taken      element\n"
      "  not taken  vector of 128 bits: N is not known to be a multiple of 4: assume N%4==0 "
      "before the launch\n"
      "  not taken  vector of 64 bits: N is not known to be a multiple of 2: assume N%2==0 before "
      "the launch\n");
}

TEST(Schedules, CostWhatTheirStatementsDo) {
  const auto program = lowered(
      "schedule twice for copy(D: f32[64], S: f32[64]) {\n  copy(D, S)\n  barrier()\n"
      "  copy(D, S)\n}\n"
      "kernel k(A: f32[64], B: f32[64]) launch cta 1, threads 64 {\n  copy(B, A) using twice\n}\n");
  ASSERT_TRUE(program.has_value()) << program.error();
  ASSERT_EQ(program->choices.size(), 3U);
  const auto cost = [&](std::size_t i) { return program->choices[i].candidates.front().cost; };
  EXPECT_EQ(cost(0), *cost(1) + *cost(2) + 1) << explanation(*program);
}

TEST(Schedules, OfTheLibraryLendTheirNamesToNone) {
  EXPECT_EQ(refusal(lowered("instruction element(D: f32[4] reg, S: f32[4] global) for copy\n"
                            "kernel k() launch cta 1, threads 1 {}"))
                .substr(0, 74),
            "error kernel.name_taken: the library has a schedule 'element'\n  hint: choo");
}

}  // namespace
}  // namespace heddle::kernel
