// The ways in which operators are done: one table, from which everything that names them follows,
// and what other machines of a target's family would take.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "heddle/kernel/lower.h"
#include "heddle/kernel/operators.h"
#include "heddle/kernel/schedule.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

using test::refusal;

TEST(Ways, LendTheirNamesToNoScheduleAndNoInstruction) {
  int count = 0;
  for (const OperatorRule& rule : operators()) {
    for (const WayRule& way : rule.ways) {
      ++count;
      const std::string name(way.name);
      EXPECT_EQ(refusal(check_schedule_name(name)),
                "error kernel.name_taken: the library has a schedule '" + name +
                    "'\n  hint: choose another name");
      // Some are words of the language too, which nothing has as its name.
      const std::string launched = "kernel k() launch cta 1, threads 1 {}";
      for (const std::string& added :
           {"schedule " + name + " for copy(D: f32[4], S: f32[4]) { copy(D, S) }\n",
            "instruction " + name + "(D: f32[4] reg, S: f32[4] global) for copy\n"}) {
        EXPECT_FALSE(notation::parse_kernels(added + launched).has_value()) << added;
      }
      EXPECT_TRUE(is_way(name));
    }
  }
  EXPECT_GE(count, 25);
  EXPECT_FALSE(is_way("mine"));
}

constexpr std::string_view kCalls[] = {"copy(Y, X)",
                                       "fill(Y, 0)",
                                       "cast(Y, X)",
                                       "reduce(s, X, op=\"sum\", axis=0)",
                                       "scan(Y, X, op=\"sum\", axis=0)",
                                       "gemm(C, A, B)",
                                       "gather(Y, X, I, axis=0)",
                                       "scatter(Y, X, I, axis=0)",
                                       "atomic_add(Y, X)"};

// A way is refused because of what it cannot do there, or because the target lacks it, and never
// because a list lacks it that the table has.
TEST(Ways, AreKnownToTheOperatorsThatHaveThem) {
  for (const std::string_view call : kCalls) {
    const OperatorRule& rule = *find_operator(call.substr(0, call.find('(')));
    for (const WayRule& way : rule.ways) {
      const bool is_of_cpu = way.needs == WayRule::Needs::kOneWorker;
      const bool is_of_gpu = way.needs != WayRule::Needs::kNothing && !is_of_cpu;
      const auto kernel = notation::parse_kernels(
          "kernel k(X: f32[64], Y: f32[64], I: i32[64], A: f16[64,64], B: f16[64,64], C: "
          "f32[64,64]) launch cta 1, threads 64 {\n  reg s: f32[]\n  " +
          std::string(call) + " using " + std::string(way.name) + "\n}");
      ASSERT_TRUE(kernel.has_value()) << kernel.error();
      const auto target = parse_target(is_of_cpu   ? "cpu"
                                       : is_of_gpu ? "cuda:sm_80"
                                                   : "cuda")
                              .value();
      const std::string done = refusal(lower(kernel->front(), options_for(target)));
      EXPECT_EQ(done.find("has no schedule"), std::string::npos) << done;
    }
  }
}

TEST(Ways, ThatAnotherMachineHasAreNamedWithTheirCost) {
  const auto kernels = notation::parse_kernels(
      "kernel product(A: f16[128,64], B: f16[64,128], C: f32[128,128]) launch cta 1, threads 128 "
      "{\n  shared As: f16[128,64]\n  shared Bs: f16[64,128]\n  copy(As, A)\n  copy(Bs, B)\n"
      "  reg acc: f32[128,128]\n  fill(acc, 0)\n  gemm(acc, As, Bs)\n  copy(C, acc)\n}");
  ASSERT_TRUE(kernels.has_value()) << kernels.error();
  const auto program = lower_beside_family(kernels->front(), Target::kCuda);
  ASSERT_TRUE(program.has_value()) << program.error();
  const std::string text = explanation(*program);
  EXPECT_NE(text.find("gemm(acc, As, Bs)\n  taken      fma   cost "), std::string::npos) << text;
  EXPECT_NE(text.find("  not taken  mma: --target cuda:sm_80 has it   "
                      "cost "),
            std::string::npos)
      << text;
  // There it is taken, and nothing says that another one has it.
  const auto there =
      lower_beside_family(kernels->front(), parse_target("cuda:sm_80").value()).value();
  EXPECT_EQ(explanation(there).find("has it"), std::string::npos) << explanation(there);
}

TEST(Ways, MoreSharedMemoryIsNamedWhereItIs) {
  const auto filled = [](std::string_view count, Target target) {
    return refusal(lowered("kernel k() launch cta 1, threads 32 {\n  shared s: f32[" +
                               std::string(count) + "]\n  fill(s, 0)\n}",
                           target));
  };
  EXPECT_EQ(filled("20000", Target::kCuda),
            "error kernel.shared: s: f32[20000] needs 80000 bytes, and a block has 49152\n"
            "  hint: --target cuda:sm_80 has 166912; or declare smaller tiles");
  EXPECT_EQ(filled("100000", Target::kCuda),
            "error kernel.shared: s: f32[100000] needs 400000 bytes, and a block has 49152\n"
            "  hint: declare smaller tiles; --target cuda:sm_90 has 232448, and none has more");
  EXPECT_EQ(filled("100000", Target::kOpenCl),
            "error kernel.shared: s: f32[100000] needs 400000 bytes, and a block has 32768\n"
            "  hint: declare smaller tiles");
}

// The counters of a proof are not those of the kernel, whatever these are called.
TEST(Ways, DoNotDependOnTheNamesOfCounters) {
  for (const std::string name : {"c0", "c1", "j", "j0", "index", "k"}) {
    const auto program =
        lowered("kernel f(X: f16[8,36], Y: f16[8,8,8]) launch cta 1, threads 1 {\n  for " + name +
                " in 8 { copy(Y[" + name + "], X[:, 4*" + name + " : +8]) }\n}\n");
    ASSERT_TRUE(program.has_value()) << program.error();
    const auto& candidates = program->choices.front().candidates;
    const auto taken = std::ranges::find(candidates, "", &Candidate::reason);
    ASSERT_NE(taken, candidates.end());
    EXPECT_EQ(taken->schedule, "vector of 64 bits") << name;
  }
}

// Along the last axis each element has an index of its own.
TEST(Ways, OfAGatherAreTheWidestVectorsThatAreProvedToDoIt) {
  const auto taken = [](const std::string& call) {
    const auto kernel = notation::parse_kernels(
        "kernel k(X: f16[V,64], Y: f16[32,64], Z: f16[32,60], E: f16[V,32], I: i32[32], J: "
        "i64[32]) launch cta 1, threads 64 { " +
        call + " }");
    EXPECT_TRUE(kernel.has_value()) << kernel.error();
    const auto program = lower(kernel->front(), options_for(parse_target("cuda").value()));
    EXPECT_TRUE(program.has_value()) << program.error();
    const auto& candidates = program->choices.front().candidates;
    const auto found = std::ranges::find(candidates, "", &Candidate::reason);
    return found == candidates.end() ? "" : found->schedule;
  };
  EXPECT_EQ(taken("gather(Y, X, I, axis=0)"), "vector of 128 bits");
  EXPECT_EQ(taken("gather(Y, X, J, axis=0)"), "vector of 128 bits");
  EXPECT_EQ(taken("gather(Z, X[:, 0:60], I, axis=0)"), "vector of 64 bits");
  EXPECT_EQ(taken("gather(Z, X[:, 2:62], I, axis=0)"), "vector of 32 bits");
  EXPECT_EQ(taken("gather(Z, X[:, 1:61], I, axis=0)"), "element");
  EXPECT_EQ(taken("gather(Y, X, I, axis=0) using element"), "element");
  EXPECT_EQ(taken("gather(E, X, I, axis=1)"), "element");
}

}  // namespace
}  // namespace heddle::kernel
