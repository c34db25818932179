// Where barriers are put in, and where not, in small kernels; kernels/programs compares random ones
// with a race check that goes through all threads.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel/thread_walk.h"
#include "lowered.h"

namespace heddle::kernel {
namespace {

int count_in(const ThreadBlock& block) {
  int count = 0;
  for (const ThreadStatement& statement : block) {
    count += std::holds_alternative<Barrier>(statement.node) ? 1 : 0;
    for_each_block(statement, [&](const ThreadBlock& inner) { count += count_in(inner); });
  }
  return count;
}

/// A kernel of 64 threads with these statements.
Result<ThreadProgram> program_of(const std::string& body) {
  return lowered(
      "kernel k(A: i32[256], B: i32[256], M: i32[64,256], W: i32[R,C], I: i32[256])\n"
      "  launch cta R, threads 64\n{\n  shared S: i32[256]\n  shared T: i32[8,256]\n" +
      body + "}\n");
}

/// The barriers of the kernel; -1 if it is refused.
int barriers_of(const std::string& body) {
  const auto program = program_of(body);
  EXPECT_TRUE(program.has_value()) << program.error() << body;
  return program ? count_in(program->body) : -1;
}

TEST(Barriers, StandNotBetweenAccessesOfTheSameThread) {
  EXPECT_EQ(barriers_of("copy(S, A)\ncopy(B, S)\n"), 0);
  EXPECT_EQ(barriers_of("copy(S, A)\nS = S + 1\ncopy(B, S)\n"), 0);
  EXPECT_EQ(barriers_of("thread { S[tx] = A[tx] }\nthread { B[tx] = S[tx] }\n"), 0);
  EXPECT_EQ(barriers_of("thread { S[63 - tx] = 1 }\nthread { B[tx] = S[63 - tx] }\n"), 0);
  EXPECT_EQ(barriers_of("copy(T[2], A)\ncopy(B, T[2])\ncopy(T[3], B)\n"), 0);
  EXPECT_EQ(barriers_of("elect { S[5] = 1 }\nelect { S[5] = S[5] + 1 }\n"), 0);
  EXPECT_EQ(barriers_of("warp { elect { S[32*warpid] = 1 } }\nthread { S[tx] = S[tx] + 1 }\n"), 0);
  // In global memory with rows of any length.
  EXPECT_EQ(barriers_of("W[bx] = 1\nW[bx] = W[bx] + 1\n"), 0);
  EXPECT_EQ(barriers_of("W[8*bx : +8, 0 : +64] = 1\n"
                        "W[8*bx : +8, 0 : +64] = W[8*bx : +8, 0 : +64] + 1\n"),
            0);
}

TEST(Barriers, StandNotBetweenAccessesOfDifferentElements) {
  EXPECT_EQ(barriers_of("copy(T[1], A)\nthread { B[tx] = T[2, 63 - tx] }\n"), 0);
  EXPECT_EQ(barriers_of("S[0 : +8] = A[0 : +8]\nS[8 : +8] = A[8 : +8]\n"), 0);
  EXPECT_EQ(barriers_of("for k in 8 { T[k] = A }\n"), 0);
  EXPECT_EQ(barriers_of("for k in C // 64 { W[bx, 64*k : +64] = A[0 : +64] }\n"), 0);
  EXPECT_EQ(barriers_of("for k in 8 { T[k] = A }\nfor k in 8 { T[k] = T[k] + 1 }\n"), 0);
  EXPECT_EQ(barriers_of("atomic_add(S[0 : +32], I[0 : +32])\natomic_add(S[1 : +32], I[0 : +32])\n"),
            0);
}

TEST(Barriers, StandWhereAnotherThreadWrote) {
  EXPECT_EQ(barriers_of("copy(S, A)\nthread { B[tx] = S[63 - tx] }\n"), 1);
  EXPECT_EQ(barriers_of("thread { B[tx] = S[63 - tx] }\ncopy(S, A)\n"), 1);
  EXPECT_EQ(barriers_of("elect { S[5] = 1 }\nthread { S[tx] = S[tx] + 1 }\n"), 1);
  EXPECT_EQ(barriers_of("copy(S, A)\natomic_add(S[1 : +32], I[0 : +32])\n"), 1);
  EXPECT_EQ(barriers_of("copy(S, A)\nlet n = S[3]\nB = n\n"), 1);
  // Once behind what is written, once before it is written again.
  EXPECT_EQ(barriers_of("for k in 3 {\n copy(S, M[k])\n thread { B[tx] = S[63 - tx] }\n}\n"), 2);
  EXPECT_EQ(barriers_of("for k in 8 { T[k] = A }\nthread { B[tx] = T[3, 63 - tx] }\n"), 1);
  // Each iteration reads what the one before wrote.
  EXPECT_EQ(barriers_of("for k in 7 { thread { T[k + 1, tx] = T[k, 63 - tx] } }\n"), 1);
  EXPECT_EQ(barriers_of("gather(B, A, I, axis=0)\ngather(A, B, I, axis=0)\n"), 1);
}

// What is forgotten of a number from memory is when an access is made, not where.
TEST(Barriers, AreKnownOfAccessesUnderConditionsOnNumbersThatAreForgotten) {
  EXPECT_EQ(barriers_of("for k in 8 {\n let p = I[k]\n if p < 3 { T[k] = A }\n}\n"), 0);
  EXPECT_EQ(barriers_of("for k in 8 {\n let p = I[k]\n copy(T[k], M[p])\n}\n"), 0);
  EXPECT_EQ(barriers_of("for k in 7 {\n let p = I[k]\n"
                        " if p < 3 { thread { T[k + 1, tx] = T[k, 63 - tx] } }\n}\n"),
            1);
  EXPECT_EQ(barriers_of("for k in 8 {\n let p = I[k]\n thread { T[0, p + tx] = 1 }\n}\n"), 1);
  EXPECT_EQ(barriers_of("for k in 2 {\n let p = I[k]\n thread { if tx == p { S[5] = k } }\n}\n"),
            1);
}

// What a loop's body has behind a branch with a barrier is not forgotten at its end.
TEST(Barriers, StandBehindABranchThatHasOne) {
  EXPECT_EQ(barriers_of("copy(S, A)\nfor k in 3 {\n  if I[k] < 3 {\n    copy(T[1], A)\n"
                        "    thread { B[tx] = T[1, 63 - tx] }\n  }\n}\n"),
            2);
}

/// In each iteration, one antidiagonal of a tensor that has them side by side.
std::string wavefront(const std::string& value) {
  return "shared D: i32[9,9] = GroupBy([9,9]).OrderBy(GenP([9,9], antidiag))\n"
         "fill(D, 1)\nfor d in 15 {\n  barrier()\n"
         "  thread { if tx <= d and d < tx + 8 { D[tx + 1, d - tx + 1] = " +
         value + " } }\n}\n";
}

// Where addresses are no sums of what threads and iterations add, each iteration is looked at.
TEST(Barriers, StandNotInIterationsWhoseElementsAreApart) {
  EXPECT_EQ(barriers_of(wavefront("D[tx, d - tx] + D[tx + 1, d - tx] + D[tx, d - tx + 1]")), 1);
  const auto same_diagonal = program_of(wavefront("D[tx, d - tx + 2]"));
  ASSERT_FALSE(same_diagonal.has_value());
  EXPECT_EQ(same_diagonal.error().code(), "kernel.barrier");
}

// What one loop writes in all iterations is read by another one, in whatever order: it does not
// matter that both count with one name.
TEST(Barriers, StandBetweenLoopsWhoseCountersHaveOneName) {
  const auto two_loops = [](const std::string& second) {
    return "shared D: i32[4,64] = S[(4,64):(64@m,1@m)]\nfor k in 4 { thread { D[k, tx] = k } }\n"
           "for " +
           second + " in 4 { thread { B[tx] = D[3 - " + second + ", 63 - tx] } }\n";
  };
  EXPECT_GE(barriers_of(two_loops("k")), 1);
  EXPECT_EQ(barriers_of(two_loops("k")), barriers_of(two_loops("m")));
}

/// The code of the refusal of a kernel whose threads do this, on each target.
std::vector<std::string> refused_in_threads(const std::string& body) {
  std::vector<std::string> codes;
  for (const Target target : {Target::kCuda, Target::kOpenCl, Target::kCpu}) {
    const auto program = lowered(
        "kernel k(A: i32[64], B: i32[64]) launch cta 1, threads 64 {\n"
        "  shared S: i32[64]\n  thread {\n" +
            body + "\n}\n}\n",
        target);
    codes.emplace_back(program ? "" : program.error().code());
  }
  return codes;
}

TEST(Barriers, AreRefusedInLoopsThatSomeThreadsHaveLeft) {
  const std::vector<std::string> taken(3);
  const std::vector<std::string> refused(3, "kernel.barrier");
  const std::string exchange = "S[tx] = A[tx] + k; B[tx] = S[63 - tx]";
  EXPECT_EQ(refused_in_threads("for k in 8 { if A[0] < k { break }; " + exchange + " }"), taken);
  EXPECT_EQ(refused_in_threads("for k in 8 { if A[tx] < k { break }; " + exchange + " }"), refused);
  EXPECT_EQ(refused_in_threads("for k in 8 { if A[tx] < k { continue }; " + exchange + " }"),
            refused);
  EXPECT_EQ(refused_in_threads("for k in 8 { " + exchange + "; if A[tx] < k { break } }"), refused);
  EXPECT_EQ(refused_in_threads("for k in 8 { barrier(); S[tx] = k; if A[tx] < k { break } }"),
            refused);
  // A loop without barriers is left by each thread as it likes.
  EXPECT_EQ(refused_in_threads("for k in 8 { S[tx] = k; if A[tx] < k { break } }; "
                               "B[tx] = S[63 - tx]"),
            taken);
}

}  // namespace
}  // namespace heddle::kernel
