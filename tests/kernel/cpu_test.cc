// Kernels for CPUs: what one worker does for a block, and the C that says so.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/kernel/lower.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"

namespace heddle {
namespace {

using kernel::Target;

Result<kernel::ThreadProgram> lowered_for_cpu(std::string_view text) {
  HEDDLE_TRY(const kernel::Kernel kernel, notation::parse_kernel(text, ""));
  return lower(kernel, options_for(Target::kCpu));
}

// The statements of a block, without the functions around it.
std::string body_of(std::string_view text) {
  const auto program = lowered_for_cpu(text);
  if (!program) return program.error().to_string();
  const std::string source = to_source(*program, Target::kCpu).value();
  const std::string_view opening = "(void)heddle_memory;\n";
  const std::size_t begin = source.find(opening) + opening.size();
  return source.substr(begin, source.find("\n}\n", begin) + 1 - begin);
}

TEST(OneWorker, LoopsOverThreadsAndEndsTheLoopWhereABarrierStands) {
  EXPECT_EQ(body_of("kernel f(A: i32[64], B: i32[64]) launch cta 1, threads 64 {\n"
                    "  shared s: i32[64]\n"
                    "  thread { reg x: i32[]; x = A[tx]; s[tx] = x; B[tx] = s[63 - tx] + x }\n"
                    "}\n"),
            "  int* const s = (int*)(heddle_memory + 0);\n"
            "  _Alignas(64) int x[64];\n"
            "  #pragma omp simd\n"
            "  for (int tx = 0; tx < 64; ++tx) {\n"
            "    // x = A[tx]\n"
            "    x[tx] = A[tx];\n"
            "    // s[tx] = x\n"
            "    s[tx] = x[tx];\n"
            "  }\n"
            "  #pragma omp simd\n"
            "  for (int tx = 0; tx < 64; ++tx) {\n"
            "    // B[tx] = s[-tx+63] + x\n"
            "    B[tx] = (int)((unsigned)(s[63 - tx]) + (unsigned)(x[tx]));\n"
            "  }\n");
}

TEST(OneWorker, KeepsALoopOfTheKernelAroundTheLoopsOverThreads) {
  const std::string text = body_of(
      "kernel f(A: i32[64]) launch cta 1, threads 64 {\n"
      "  shared s: i32[64]\n"
      "  thread { s[tx] = tx; for k in 6 { s[tx] = s[(tx + 1) % 64] }; A[tx] = s[tx] }\n"
      "}\n");
  EXPECT_EQ(text,
            "  int* const s = (int*)(heddle_memory + 0);\n"
            "  #pragma omp simd\n"
            "  for (int tx = 0; tx < 64; ++tx) {\n"
            "    // s[tx] = tx\n"
            "    s[tx] = tx;\n"
            "  }\n"
            "  for (int k = 0; k < 6; ++k) {\n"
            "    _Alignas(64) int s_new[64];\n"
            "    #pragma omp simd\n"
            "    for (int tx = 0; tx < 64; ++tx) {\n"
            "      // s[tx] = s[(tx+1)%64]\n"
            "      s_new[tx] = s[(tx + 1) & 63];\n"
            "    }\n"
            "    #pragma omp simd\n"
            "    for (int tx = 0; tx < 64; ++tx) {\n"
            "      s[tx] = s_new[tx];\n"
            "    }\n"
            "  }\n"
            "  #pragma omp simd\n"
            "  for (int tx = 0; tx < 64; ++tx) {\n"
            "    // A[tx] = s[tx]\n"
            "    A[tx] = s[tx];\n"
            "  }\n");
}

TEST(OneWorker, RefusesABarrierInALoopThatThreadsMayHaveLeft) {
  const auto program = lowered_for_cpu(
      "kernel f(A: i32[64]) launch cta 1, threads 64 {\n"
      "  shared s: i32[64]\n"
      "  thread { s[tx] = tx; for k in 6 { if s[tx] > 9 { break }; s[63 - tx] = k }; A[tx] = s[tx] "
      "}\n"
      "}\n");
  ASSERT_FALSE(program.has_value());
  EXPECT_EQ(program.error().code(), "kernel.barrier");
}

TEST(LoopsForCpus, HaveConditionsAsBounds) {
  EXPECT_EQ(body_of("kernel f(A: f32[N], B: f32[N]) launch cta (N + 511) // 512, threads 64 {\n"
                    "  B[512*bx : +512] = 2*A[512*bx : +512]\n"
                    "}\n"),
            "  // B[512*bx : +512] = 2 * A[512*bx : +512]\n"
            "  #pragma omp simd\n"
            "  for (int i0 = 0; i0 < heddle_min(512, N - (bx << 9)); ++i0) {\n"
            "    B[(bx << 9) + i0] = (2.0f * A[(bx << 9) + i0]);\n"
            "  }\n");
}

TEST(LoopsForCpus, AreSplitWhereLoadsAreOutside) {
  EXPECT_EQ(body_of("kernel f(A: f32[N], B: f32[N]) launch cta 1, threads 64 {\n"
                    "  B = A[-1 : +N] + A[1 : +N]\n"
                    "}\n"),
            "  // B = A[-1 : +N] + A[1 : +N]\n"
            "  const int first = 1;\n"
            "  const int end = heddle_max(first, N - 1);\n"
            "  #pragma omp simd\n"
            "  for (int i0 = 0; i0 < first; ++i0) {\n"
            "    B[i0] = ((1 <= i0 ? A[i0 - 1] : 0.0f) + (i0 + 1 < N ? A[i0 + 1] : 0.0f));\n"
            "  }\n"
            "  #pragma omp simd\n"
            "  for (int i0 = first; i0 < end; ++i0) {\n"
            "    B[i0] = (A[i0 - 1] + A[i0 + 1]);\n"
            "  }\n"
            "  #pragma omp simd\n"
            "  for (int i0 = end; i0 < N; ++i0) {\n"
            "    B[i0] = ((1 <= i0 ? A[i0 - 1] : 0.0f) + (i0 + 1 < N ? A[i0 + 1] : 0.0f));\n"
            "  }\n");
}

TEST(LoopsForCpus, TransposeInBlocksWhereRowsCannotOverlap) {
  const auto copied_into = [](const std::string& layout) {
    return body_of("kernel f(A: f32[64,64], B: f32[64,64]" + layout +
                   ") launch cta 1, threads 64 {\n  copy(B, A.permute(1,0))\n}\n");
  };
  EXPECT_NE(copied_into("").find("heddle_pack_f32_of_f32(16, &B["), std::string::npos);
  EXPECT_NE(copied_into(" = (64,64):(65,1)").find("heddle_pack"), std::string::npos);
  EXPECT_EQ(copied_into(" = (64,64):(1,1)").find("heddle_pack"), std::string::npos);
}

TEST(LoopsForCpus, AddUpInAnyOrderOnlyWhatOneOperatorAddsUp) {
  const std::string reduced = body_of(
      "kernel f(A: f32[512], s: f32[1]) launch cta 1, threads 64 {\n"
      "  reduce(s, A[None, :], op=\"sum\", axis=1)\n}\n");
  EXPECT_NE(reduced.find("lanes[lane] = (lanes[lane] + "), std::string::npos) << reduced;
  const std::string in_order = body_of(
      "kernel f(A: f32[512], s: f32[]) launch cta 1, threads 1 {\n"
      "  reg x: f32[]\n  x = 0\n  for k in 512 { x = x + A[k] }\n  s[] = x\n}\n");
  EXPECT_EQ(in_order.find("reduction"), std::string::npos) << in_order;
  EXPECT_EQ(in_order.find("lanes"), std::string::npos) << in_order;
}

std::string explained(std::string_view text) {
  const auto program = lowered_for_cpu(text);
  return program ? explanation(*program) : program.error().to_string();
}

// `A` is copied to `B` in pairs of rows, with what is said of the sizes and of how.
std::string pairs(const std::string& assumed, const std::string& how = "") {
  return "kernel f(A: bf16[K,N], B: bf16[K//2,N,2]) assume " + assumed +
         " launch cta K // 2, threads 64 {\n  copy(B[bx], A[2*bx : +2].T)" + how + "\n}\n";
}

TEST(RowsForCpus, ArePermutedByTheShufflesOfRelayouts) {
  const std::string text = explained(pairs("K % 2 == 0, N % 64 == 0"));
  EXPECT_NE(text.find("taken      rows"), std::string::npos) << text;
  EXPECT_NE(text.find("tiles      permutes 2 x 16 bytes in registers: exchanges 8 bytes, shuffles"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("stores     past the caches if 8388608 <= K*N"), std::string::npos) << text;
  const std::string body = body_of(pairs("K % 2 == 0, N % 64 == 0"));
  EXPECT_NE(body.find("heddle_permute_f_0(&B["), std::string::npos) << body;
  EXPECT_EQ(body.find("for ("), std::string::npos) << body;
}

TEST(RowsForCpus, StandBesideALoopWhereTilesMayNotFitOrElementsBeOutside) {
  const std::string odd = body_of(pairs("K % 2 == 0"));
  EXPECT_NE(odd.find("heddle_permute_f_0"), std::string::npos) << odd;
  EXPECT_NE(odd.find("for ("), std::string::npos) << odd;
  const std::string cut = body_of(
      "kernel f(A: u8[M,N], B: u8[M,N]) launch cta ((M + 15) // 16), threads 64 {\n"
      "  shared S: u8[16,64] = Sw<2,2,4> o 0 o (16,64):(64,1)\n"
      "  copy(S, A[16*bx : +16, 0 : +64])\n  copy(B[16*bx : +16, 0 : +64], S)\n}\n");
  EXPECT_NE(cut.find("heddle_permute_f_1"), std::string::npos) << cut;
  EXPECT_NE(cut.find("} else {"), std::string::npos) << cut;
}

TEST(RowsForCpus, SayWhyTheyAreNotTaken) {
  const auto reason = [](const std::string& text) {
    const std::string all = explained(text);
    const std::size_t begin = all.find("not taken  rows: ");
    return begin == std::string::npos ? all
                                      : all.substr(begin + 17, all.find('\n', begin) - begin - 17);
  };
  EXPECT_EQ(
      reason("kernel f(A: f32[64,64], B: f32[64,64]) launch cta 1, threads 64 {\n"
             "  copy(B, A.T)\n}\n"),
      "tiles take no fewer steps: a loop transposes 64 x 64 elements of 4 bytes in registers");
  EXPECT_EQ(reason("kernel f(A: u8[64,3], B: u8[192]) launch cta 1, threads 64 {\n"
                   "  copy(B.relayout((64,3):(1,64)), A)\n}\n"),
            "B is written through a relayout");
  EXPECT_EQ(reason("kernel f(A: u8[2,64]) launch cta 1, threads 64 {\n  copy(A[1], A[0])\n}\n"),
            "the source is overwritten while it is read");
  EXPECT_EQ(reason("kernel f(A: u8[64], B: u8[64]) launch cta 1, threads 64 {\n"
                   "  reg x: u8[64]\n  copy(x, A)\n  B = x\n}\n"),
            "registers are not rows of bytes");
  EXPECT_EQ(reason("kernel f(A: u8[3,64], B: u8[64,3]) launch cta 1, threads 64 {\n"
                   "  copy(B, A.T)\n}\n"),
            "no 16 bytes are composed of powers of two: a loop transposes 3 x 64 elements of 1 "
            "bytes in registers");
  const std::string forced = explained(pairs("K % 2 == 0, N % 64 == 0", " using element"));
  EXPECT_EQ(forced.find("rows"), std::string::npos) << forced;
  const std::string taken = explained(
      "kernel f(A: f32[64,64], B: f32[64,64]) launch cta 1, threads 64 {\n"
      "  copy(B, A.T) using rows\n}\n");
  EXPECT_NE(taken.find("taken      rows"), std::string::npos) << taken;
}

TEST(RowsForCpus, MovePackedElementsThatLoopsDoNot) {
  const auto words = [](const std::string& assumed) {
    return explained(
        "kernel f(A: i4[K,N], B: i4[K,N//8,8]) assume " + assumed +
        " launch cta K, threads 64 {\n"
        "  copy(B[bx].reshape(N//8,2,4).permute(0,2,1), A[bx].reshape(N//8,4,2))\n}\n");
  };
  EXPECT_NE(words("N % 64 == 0").find("taken      rows"), std::string::npos)
      << words("N % 64 == 0");
  // A part of a tile could only be done half a byte at a time.
  EXPECT_NE(words("N % 8 == 0").find("error kernel.not_lowered"), std::string::npos);
}

TEST(TilesForCpus, AreTakenForProductsAndSayWhatTheyCopy) {
  const auto program = lowered_for_cpu(
      "kernel f(A: f32[M,K], B: f32[K,N], C: f32[M,N]) launch cta (M + 95) // 96, threads 64 {\n"
      "  gemm(C[96*bx : +96], A[96*bx : +96], B)\n}\n");
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_TRUE(explanation(*program).starts_with(
      "f: 64 threads a block, 622592 bytes of shared memory\n"
      "\n"
      "gemm(C[96*bx : +96], A[96*bx : +96], B)\n"
      "  taken      tiles\n"
      "  tiles      12 x 16; A is copied in blocks of 96 x 256, B is copied in blocks of 256 x "
      "512\n"
      "  machine    most CPUs\n"
      "  weighed    12 x 16, kc 256, mc 252, nc 512: "))
      << explanation(*program);
}

TEST(TilesForCpus, GoThroughRegistersForColumnsThatAreApart) {
  const auto program = lowered_for_cpu(
      "kernel f(A: f32[12,8], B: f32[8,16], C: f32[16,12]) launch cta 1, threads 64 {\n"
      "  gemm(C.T, A, B)\n}\n");
  ASSERT_TRUE(program.has_value()) << program.error();
  EXPECT_TRUE(explanation(*program).starts_with(
      "f: 64 threads a block, 0 bytes of shared memory\n\ngemm(C.T, A, B)\n  taken      tiles   "
      "cost 2112\n  not taken  tiles of C itself: the columns of C.T are not contiguous\n  tiles   "
      "   12 x 16; A is read in place, B is read in place\n"))
      << explanation(*program);
}

}  // namespace
}  // namespace heddle
