// Kernels as text: every form is read as what it says, and printed so that it reads as that again.

#include "heddle/notation/kernel.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/expr/assumptions.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/symbol.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using kernel::Kernel;

Result<Kernel> only_kernel(std::string_view text) {
  HEDDLE_TRY(std::vector<Kernel> kernels, parse_kernels(text));
  if (kernels.size() != 1) return refuse("test", "one kernel is expected");
  return std::move(kernels.front());
}

/// The kernel of a text as it is printed; it must read as itself.
std::string printed(std::string_view text) {
  const Result<Kernel> read = only_kernel(text);
  if (!read) return read.error().to_string(text);
  std::string again = to_string(*read);
  const Result<Kernel> same = only_kernel(again);
  if (!same) return again + same.error().to_string(again);
  return *same == *read ? again : again + "reads as\n" + to_string(*same);
}

/// What statements become in a kernel with the tensors that they use; without the kernel around.
std::string body(std::string_view statements, std::string_view in_front = "") {
  const std::string head =
      std::string(in_front) +
      "\nkernel f(A: f32[M,N], B: f32[M,N], x: f32[N], y: f32[N], I: i32[M], U: u8[M], "
      "alpha: f32)\n  launch cta M, threads 128\n{\n";
  const std::string text = printed(head + std::string(statements) + "\n}");
  const std::size_t begin = text.find("\n{\n");
  if (begin == std::string::npos) return text;
  return text.substr(begin + 3, text.rfind("}\n") - begin - 3);
}

std::string statement(std::string_view text) {
  std::string line = body(text);
  while (line.starts_with(' ')) line.erase(0, 1);
  while (line.ends_with('\n')) line.pop_back();
  return line;
}

TEST(KernelText, OfAWholeKernel) {
  constexpr std::string_view kText =
      "kernel scale(X: f32[M,N], Y: f32[M,N], alpha: f32)\n"
      "  assume M%128 == 0, N%32 == 0\n"
      "  launch cta (M,N//32), threads 128\n"
      "{\n"
      "  for k in N//128 {\n"
      "    reg x: f32[128]\n"
      "    copy(x, X[bx, 128*k : +128])\n"
      "    Y[bx, 128*k : +128] = alpha * x\n"
      "  }\n"
      "}\n";
  EXPECT_EQ(printed(kText), kText);
}

TEST(KernelText, OnOneLine) {
  EXPECT_EQ(printed("kernel f(A: f32[M]) assume M % 8 == 0 launch cta M // 8, threads 8 { "
                    "thread { A[8*bx + tx] = 0 }; barrier() }"),
            "kernel f(A: f32[M])\n  assume M%8 == 0\n  launch cta M//8, threads 8\n{\n"
            "  thread {\n    A[8*bx+tx] = 0\n  }\n  barrier()\n}\n");
}

TEST(KernelText, HasTheIntegersOfItsAssumptions) {
  const Kernel read = only_kernel(
                          "assume N % 32 == 0\nkernel f(A: f32[M,N]) assume M % 128 == 0\n"
                          "launch cta M // 128, threads 64 { for k in N // 32 { A[bx, k] = 0 } }")
                          .value();
  const Symbol m("M"), n("N");
  const Assumptions world = Assumptions::make({n % 32 == 0, m % 128 == 0}).value();
  EXPECT_EQ(read.parameters.front().shape,
            (std::vector<Int>{world.variable("M"), world.variable("N")}));
  EXPECT_EQ(read.launch.grid.front(), floor_div(world.variable("M"), 128));
  EXPECT_EQ(read.launch.threads, 64);
  EXPECT_EQ(read.assumed.size(), 2U);
  const auto& loop = std::get<kernel::For>(read.body.front().node);
  const auto& assign = std::get<kernel::Assign>(loop.body.front().node);
  const auto& sliced = std::get<kernel::Sliced>(assign.destination.steps.front());
  EXPECT_EQ(sliced.subscripts[0].begin, index_variable("bx", read.launch.grid.front()));
  EXPECT_EQ(sliced.subscripts[1].begin, index_variable("k", loop.extent));
}

TEST(KernelText, LeavesOutWhatIsAssumedOfOthers) {
  EXPECT_EQ(printed("assume Q % 3 == 0, K <= M\nkernel f(A: f32[M]) launch cta M, threads 1 {}"),
            "kernel f(A: f32[M])\n  assume K <= M\n  launch cta M, threads 1\n{\n}\n");
}

TEST(KernelText, HasLayoutsOfEverySystem) {
  const auto shared = [](std::string_view layout) {
    return statement("shared X: f16[128,64] = " + std::string(layout));
  };
  EXPECT_EQ(shared("(128,64):(64,1)"), "shared X: f16[128,64] = (128,64):(64,1)");
  EXPECT_EQ(shared("Sw<3,4,3> o 0 o (128,64):(64,1)"),
            "shared X: f16[128,64] = Sw<3,4,3> o 0 o (128,64):(64,1)");
  EXPECT_EQ(shared("SW(3,3,3) o S[(128,64):(64,1)]"),
            "shared X: f16[128,64] = SW(3,3,3) o S[(128,64):(64@m,1@m)]");
  EXPECT_EQ(shared("OrderBy(RegP([128,64],[1,0])).GroupBy([128,64])"),
            "shared X: f16[128,64] = GroupBy([128,64]).OrderBy(RegP([128,64],[2,1]))");
  EXPECT_EQ(shared("identity_1d(8192, \"register\", \"dim0\")").substr(0, 58),
            "shared X: f16[128,64] = {\"ins\":[[\"register\",[[1],[2],[4],[");
  EXPECT_EQ(body("shared X: f16[128,64] = L", "L = (128,64):(1,128)"),
            "  shared X: f16[128,64] = (128,64):(1,128)\n");
  EXPECT_EQ(printed("kernel f(A: f32[M,8] = (M,8):(1,M)) launch cta 1, threads 1 {}"),
            "kernel f(A: f32[M,8] = (M,8):(1,M))\n  launch cta 1, threads 1\n{\n}\n");
}

TEST(KernelText, HasTensors) {
  EXPECT_EQ(statement("reg acc: f32[8, 2*4]"), "reg acc: f32[8,8]");
  EXPECT_EQ(statement("reg s: e4m3"), "reg s: e4m3");
  EXPECT_EQ(printed("kernel f(S: f32[], R: f32[M], o: bool) launch cta (1, 2, 3), threads 1 { "
                    "S = R[0] }"),
            "kernel f(S: f32[], R: f32[M], o: bool)\n  launch cta (1,2,3), threads 1\n{\n"
            "  S = R[0]\n}\n");
}

TEST(KernelText, HasViews) {
  EXPECT_EQ(statement("x[0 : +8] = A[bx, 4:12]"), "x[0 : +8] = A[bx, 4 : +8]");
  EXPECT_EQ(statement("B = A[_, :]"), "B = A[:, :]");
  EXPECT_EQ(statement("B = A.T.permute(1, 0)"), "B = A.T.T");
  EXPECT_EQ(statement("B[0][0 : +8] = (x[0:+8])[None][0]"), "B[0][0 : +8] = x[0 : +8][None][0]");
  EXPECT_EQ(statement("copy(x, y.reshape(N // 1, 1)[:, 0])"), "copy(x, y.reshape(N,1)[:, 0])");
  EXPECT_EQ(statement("U.bits(i8)[0] = 1"), "U.bits(i8)[0] = 1");
  EXPECT_EQ(statement("copy(x[0:+8], A.relayout(S[8:1]))"),
            "copy(x[0 : +8], A.relayout(S[(8):(1@m)]))");
}

TEST(KernelText, HasValues) {
  EXPECT_EQ(statement("y = x + 2*bx + 1"), "y = x + (2*bx) + 1");
  EXPECT_EQ(statement("y = 1 + 2*bx + x"), "y = (2*bx+1) + x");
  EXPECT_EQ(statement("y = (2 + 3)*x - -5"), "y = 5 * x - -5");
  EXPECT_EQ(statement("y = x - (y - alpha) - 1"), "y = x - (y - alpha) - 1");
  EXPECT_EQ(statement("y = -x * -(x + 0.5) / 2.0"), "y = -x * -(x + 0.5) / 2.0");
  EXPECT_EQ(statement("y = -(-x)"), "y = -(-x)");
  EXPECT_EQ(statement("y = x*1e-5 + 12.5e3 - 1e300 + -inf"),
            "y = x * 1e-05 + 12500.0 - 1e+300 + -inf");
  EXPECT_EQ(statement("y = exp(x) + fma(x, y, 1) - f32(f16(max(x, 0)))"),
            "y = exp(x) + fma(x, y, 1) - f32(f16(max(x, 0)))");
  EXPECT_EQ(statement("y = x if x > y else (y if x >= 0 else 1)"),
            "y = x if y < x else (y if 0 <= x else 1)");
  EXPECT_EQ(statement("y = if x == y then 1 else 0"), "y = 1 if x == y else 0");
  EXPECT_EQ(statement("y = 1 if not x != y and (x < 1 or x < 2 or true) else 0"),
            "y = 1 if not (x != y) and (x < 1 or x < 2 or bool(1)) else 0");
  EXPECT_EQ(statement("y = x + (min(bx, 3) if bx < 8 else 7)"),
            "y = x + (select(bx<8,min(3,bx),7))");
  EXPECT_EQ(statement("y = x + (1 if bx < M else 0)"), "y = x + 1");
}

TEST(KernelText, HasLets) {
  EXPECT_EQ(body("let i = 8*bx\nlet j = i + 1; x[j] = i"), "  x[8*bx+1] = 8*bx\n");
  const Kernel read = only_kernel(
                          "kernel f(U: u8[M], I: i32[M], J: i64[M]) launch cta M, "
                          "threads 1 { let u = U[bx]; let i = I[u]; let j = J[i] ; "
                          "I[j] = 0 }")
                          .value();
  EXPECT_EQ(to_string(read.body[1]), "let i = I[u]");
  const auto index_of = [&](std::size_t number) {
    const auto& step = std::get<kernel::Let>(read.body[number].node).value.steps.front();
    return std::get<kernel::Sliced>(step).subscripts.front().begin;
  };
  EXPECT_EQ(index_of(1), Int::variable("u", 0, 255));
  EXPECT_EQ(index_of(2), Int::variable("i", -2147483648LL, 2147483647));
}

TEST(KernelText, HasLoops) {
  EXPECT_EQ(body("for k in N // 32 { x[k] = 0 }"), "  for k in N//32 {\n    x[k] = 0\n  }\n");
  EXPECT_EQ(body("for k in range(8) { x[k] = 0 }"), "  for k in 8 {\n    x[k] = 0\n  }\n");
  EXPECT_EQ(body("for k in range(2, 8) { x[k] = 0 }"), "  for k in 6 {\n    x[k+2] = 0\n  }\n");
  EXPECT_EQ(body("for k in range(16, 64, 8) { x[k] = k }"),
            "  for k in 6 {\n    x[8*k+16] = 8*k+16\n  }\n");
  EXPECT_EQ(body("for k in 0 { x[k] = 0 }"), "  for k in 0 {\n    x[0] = 0\n  }\n");
  EXPECT_EQ(body("while alpha < 3 { break; continue }"),
            "  while alpha < 3 {\n    break\n    continue\n  }\n");
}

TEST(KernelText, HasBranches) {
  EXPECT_EQ(body("if bx < 3 { x[0] = 0 }\nelse if alpha == 1 { x[0] = 1 } else { x[0] = 2 }"),
            "  if bx < 3 {\n    x[0] = 0\n  } else if alpha == 1 {\n    x[0] = 1\n  } else {\n"
            "    x[0] = 2\n  }\n");
  EXPECT_EQ(body("if bx < 3 { } else { }"), "  if bx < 3 {\n  }\n");
}

TEST(KernelText, HasScopes) {
  EXPECT_EQ(body("cta { warp { thread { x[warpid] = laneid } } }"),
            "  cta {\n    warp {\n      thread {\n        x[warpid] = laneid\n      }\n    }\n"
            "  }\n");
  EXPECT_EQ(body("warp[0:2] { barrier() } else { x[0] = 0 }"),
            "  warp[0:2] {\n    barrier()\n  } else {\n    x[0] = 0\n  }\n");
  EXPECT_EQ(body("warpgroup[0] { thread { x[tx] = 0 } elect { x[laneid] = 1 } }"),
            "  warpgroup[0:1] {\n    thread {\n      x[tx] = 0\n    }\n    elect {\n"
            "      x[laneid] = 1\n    }\n  }\n");
}

TEST(KernelText, HasCalls) {
  EXPECT_EQ(statement("copy(x, A[bx], pad=0) using vector"), "copy(x, A[bx], pad=0) using vector");
  EXPECT_EQ(statement("reduce(x, A, op=\"sum\", axis=0, accum=true)"),
            "reduce(x, A, accum=true, axis=0, op=\"sum\")");
  EXPECT_EQ(statement("reduce(x[0], A, op='max', axis=(0, 1))"),
            "reduce(x[0], A, axis=(0,1), op=\"max\")");
  EXPECT_EQ(statement("copy(x, y, pad=-inf)"), "copy(x, y, pad=-inf)");
  EXPECT_EQ(statement("copy(x, y, pad=0.25)"), "copy(x, y, pad=0.25)");
  EXPECT_EQ(statement("unchecked cuda \"asm(\\\"nop;\\\");\\n\""),
            "unchecked cuda \"asm(\\\"nop;\\\");\\u000a\"");
}

TEST(KernelText, ExpandsMacros) {
  EXPECT_EQ(body("def load(d, i) { copy(d, A[i]) }\nload(x, 2*bx); load(y[:], 3)"),
            "  copy(x, A[2*bx])\n  copy(y[:], A[3])\n");
  EXPECT_EQ(body("twice(x[0 : +16], y[0 : +16] + 1); twice(x[1 : +16], 3)",
                 "def twice(d, v) { reg t: f32[T]; t = v; d = t * -v }\nT = 16"),
            "  reg t: f32[16]\n  t = y[0 : +16] + 1\n  x[0 : +16] = t * -(y[0 : +16] + 1)\n"
            "  reg t_1: f32[16]\n  t_1 = 3\n  x[1 : +16] = t_1 * -3\n");
}

TEST(KernelText, KeepsTheNamesOfMacrosApart) {
  EXPECT_EQ(body("for k in 4 { fill_with(x, k); fill_with(x, 2*k) }",
                 "def fill_with(d, v) { for k in 8 { let i = k + 8*v; d[i] = v } }"),
            "  for k in 4 {\n"
            "    for k_1 in 8 {\n      x[8*k+k_1] = k\n    }\n"
            "    for k_2 in 8 {\n      x[16*k+k_2] = 2*k\n    }\n"
            "  }\n");
  EXPECT_EQ(body("reg t: f32; save(t)", "def save(s) { reg t: f32; t = s; fill(t, 0) }"),
            "  reg t: f32\n  reg t_1: f32\n  t_1 = t\n  fill(t_1, 0)\n");
}

TEST(KernelText, MeansWhatIsNearest) {
  EXPECT_EQ(body("for k in 4 { x[k] = 0 } for k in 8 { x[k] = 1 }"),
            "  for k in 4 {\n    x[k] = 0\n  }\n  for k in 8 {\n    x[k] = 1\n  }\n");
  EXPECT_EQ(body("x[size(L)] = x[L(bx)] + n", "L = (4,8):(8,1)\nn = 7"),
            "  x[32] = x[bx//4+8*(bx%4)] + 7\n");
}

TEST(KernelText, OfSeveralKernels) {
  const auto kernels = parse_kernels(
      "T = 8\nkernel f(A: f32[T]) launch cta 1, threads 1 {}\nassert T == 8\n"
      "def g(n, i):\n  return i\nkernel h(A: f32[T,T]) launch cta T, threads 1 {} # the end");
  ASSERT_TRUE(kernels.has_value()) << kernels.error();
  ASSERT_EQ(kernels->size(), 2U);
  EXPECT_EQ(to_string((*kernels)[1].parameters.front()), "A: f32[8,8]");
  EXPECT_EQ(kernels->front(),
            only_kernel("kernel f(A: f32[8]) launch cta 1, threads 1 {}").value());
}

TEST(KernelText, HasPlaces) {
  constexpr std::string_view kText =
      "kernel f(A: f32[M]) launch cta M, threads 1 {\n  for k in 4 {\n    A[k] = 0 }\n}";
  const Kernel read = only_kernel(kText).value();
  const auto text_of = [&](const kernel::Statement& statement) {
    return std::string(
        kText.substr(statement.span.begin, statement.span.end - statement.span.begin));
  };
  EXPECT_EQ(text_of(read.body.front()), "for k in 4");
  EXPECT_EQ(text_of(std::get<kernel::For>(read.body.front().node).body.front()), "A[k] = 0");
}

}  // namespace
}  // namespace heddle::notation
