// Products by matrix instructions, copies that are done later, and pipelines of stages: what is
// taken, what it becomes, and what is refused.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>

#include "heddle/form/machine.h"
#include "heddle/kernel/lower.h"
#include "heddle/kernel/meaning.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"
#include "kernel/lower/matrix_instruction.h"
#include "kernel/source/intrinsics.h"
#include "lowered.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

using test::refusal;

Result<ThreadProgram> on_sm_80(std::string_view text) {
  HEDDLE_TRY(const std::vector<Kernel> kernels, notation::parse_kernels(text));
  HEDDLE_TRY(const TargetMachine target, parse_target("cuda:sm_80"));
  return lower(kernels.front(), options_for(target));
}

std::string source_on_sm_80(std::string_view text) {
  const auto program = on_sm_80(text);
  if (!program) return refusal(program);
  const auto source = to_source(*program, Target::kCuda);
  return source ? *source : refusal(source);
}

std::string choices_on_sm_80(std::string_view text) {
  const auto program = on_sm_80(text);
  return program ? explanation(*program) : refusal(program);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

std::string gemm(std::string_view a, std::string_view b, std::string_view c, int k = 32,
                 std::string_view stages = "3") {
  const std::string step = std::to_string(k);
  return "kernel f(A: " + std::string(a) + "[M,K], B: " + std::string(b) +
         "[N,K], C: " + std::string(c) + "[M,N])\n  assume M % 64 == 0, N % 64 == 0, K % " + step +
         " == 0\n  launch cta (M // 64, N // 64), threads 128\n{\n  shared As: " + std::string(a) +
         "[" + std::string(stages) + ",64," + step + "]\n  shared Bs: " + std::string(b) + "[" +
         std::string(stages) + ",64," + step + "]\n  reg acc: " + std::string(c) +
         "[64,64]\n  fill(acc, 0)\n  pipeline k in K // " + step + ", stages " +
         std::string(stages) + " {\n    load {\n      copy(As[stage], A[64*bx : +64, " + step +
         "*k : +" + step + "])\n      copy(Bs[stage], B[64*by : +64, " + step + "*k : +" + step +
         "])\n    }\n    compute {\n      gemm(acc, As[stage], Bs[stage].T)\n    }\n  }\n"
         "  copy(C[64*bx : +64, 64*by : +64], acc)\n}\n";
}

TEST(TensorCores, OfEachTypeDoProductsByTheLargestInstruction) {
  const auto instruction_of = [](std::string_view text) {
    const std::string all = choices_on_sm_80(text);
    const std::size_t at = all.find("  instruction  ");
    return at == std::string::npos ? all : all.substr(at + 15, all.find(',', at) - at - 15);
  };
  EXPECT_EQ(instruction_of(gemm("f16", "f16", "f32")), "SM80_16x8x16_F32F16F16F32_TN");
  EXPECT_EQ(instruction_of(gemm("bf16", "bf16", "f32")), "SM80_16x8x16_F32BF16BF16F32_TN");
  EXPECT_EQ(instruction_of(gemm("tf32", "tf32", "f32")), "SM80_16x8x8_F32TF32TF32F32_TN");
  EXPECT_EQ(instruction_of(gemm("i8", "i8", "i32")), "SM80_16x8x32_S32S8S8S32_TN");
  EXPECT_EQ(instruction_of(gemm("i8", "u8", "i32")), "SM80_16x8x32_S32S8U8S32_TN");
  EXPECT_EQ(instruction_of(gemm("f64", "f64", "f64", 16, "2")), "SM80_8x8x4_F64F64F64F64_TN");
  EXPECT_EQ(instruction_of(gemm("i4", "i4", "i32", 64)), "SM80_16x8x64_S32S4S4S32_TN");
  EXPECT_EQ(instruction_of(gemm("u4", "i4", "i32", 64)), "SM80_16x8x64_S32U4S4S32_TN");
  // A larger one would multiply zeros.
  EXPECT_EQ(instruction_of(gemm("i4", "u4", "i32", 32)), "SM80_16x8x32_S32S4U4S32_TN");
  EXPECT_EQ(instruction_of(gemm("f16", "f16", "f32", 8)), "SM80_16x8x8_F32F16F16F32_TN");
}

TEST(TensorCores, LoadBytesOfFourBitsAsTheyLie) {
  std::string text = gemm("u8", "u8", "i32", 64);
  for (const char* name : {"As", "Bs"}) {
    const std::string used = std::string(name) + "[stage]";
    const std::size_t at = text.find(used, text.find("compute"));
    text.replace(at, used.size(), std::string(name) + ".bits(u4)[stage]");
  }
  const std::string all = choices_on_sm_80(text);
  EXPECT_NE(all.find("SM80_16x8x64_S32U4U4S32_TN"), std::string::npos) << all;
  EXPECT_NE(all.find("  loads of A  ldmatrix_x4\n  loads of B  ldmatrix_x4\n"), std::string::npos)
      << all;
  EXPECT_EQ(count(all, "352 wavefronts, no bank conflicts\n"), 2U) << all;
}

TEST(Explanations, ShowTheFragmentsOfAnInstructionOnce) {
  std::string text = gemm("f16", "f16", "f32");
  const std::string product = "gemm(acc, As[stage], Bs[stage].T)\n";
  text.insert(text.find(product), product);
  const std::string all = choices_on_sm_80(text);
  EXPECT_EQ(count(all, "SM80_16x8x16_F32F16F16F32_TN"), 2U) << all;
  for (const char* title : {"  A, 16 x 16 of f16: T1:0 is register 0 of lane 1, with 2 elements\n",
                            "  B, 16 x 8 of f16: ", "  C, 16 x 8 of f32: "}) {
    EXPECT_EQ(count(all, title), 1U) << title << all;
  }
  // PTX: a2 and a3 of lane 4 are of row 9.
  EXPECT_NE(all.find("   9 ┃  T4:1   T5:1   T6:1   T7:1 │  T4:3   T5:3   T6:3   T7:3 ┃\n"),
            std::string::npos)
      << all;
}

TEST(TensorCores, AreNotTakenForTypesThatTheyDoNotHave) {
  const std::string all = choices_on_sm_80(gemm("f32", "f32", "f32", 16));
  EXPECT_NE(all.find("taken      fma"), std::string::npos) << all;
  EXPECT_NE(all.find("not taken  mma: sm_80 has no instruction for f32 times f32 with sums of f32"),
            std::string::npos)
      << all;
}

TEST(TensorCores, LoadTheirOperandsByLdmatrixOnceForEachWarp) {
  const std::string source = source_on_sm_80(gemm("f16", "f16", "f32"));
  // A loop for A and one for B, for each 16 of K; the second before the first product.
  EXPECT_EQ(count(source, " ldmatrix_x4(&"), 4U) << source;
  EXPECT_EQ(count(source, " mma_m16n8k16_f32_f16_f16_f32(&acc"), 2U) << source;
  EXPECT_LT(source.rfind(" ldmatrix_x4(&"), source.find(" mma_m16n8k16_f32_f16_f16_f32(&acc"));
  EXPECT_NE(source.find("cp_async_wait<1>();"), std::string::npos);
}

TEST(TensorCores, ReadSharedMemoryWithoutBankConflicts) {
  for (const char* type : {"f16", "bf16", "tf32", "i8"}) {
    const std::string all =
        choices_on_sm_80(gemm(type, type, std::string_view(type) == "i8" ? "i32" : "f32", 64, "2"));
    EXPECT_EQ(count(all, "shared As"), 1U);
    EXPECT_EQ(count(all, "wavefronts, no bank conflicts\n"), 2U) << all;
  }
}

TEST(MatrixInstructions, HoldEachOperandOnceInAWarp) {
  const form::Machine* machine = form::find_machine("sm_80");
  for (const auto& [type, sum, is_sparse] : {std::tuple{DType::kF16, DType::kF32, false},
                                             {DType::kBf16, DType::kF32, false},
                                             {DType::kTf32, DType::kF32, false},
                                             {DType::kI8, DType::kI32, false},
                                             {DType::kU4, DType::kI32, false},
                                             {DType::kF64, DType::kF64, false},
                                             {DType::kF16, DType::kF32, true},
                                             {DType::kTf32, DType::kF32, true},
                                             {DType::kI8, DType::kI32, true},
                                             {DType::kI4, DType::kI32, true}}) {
    const auto found = matrix_instructions(*machine, type, type, sum, is_sparse);
    ASSERT_FALSE(found.empty()) << name_of(type);
    for (const MatrixInstruction& each : found) {
      EXPECT_EQ(each.a.registers * 32, each.m * each.k / (is_sparse ? 2 : 1)) << each.name;
      EXPECT_NE(find_intrinsic(each.intrinsic), nullptr) << each.intrinsic;
      EXPECT_EQ(each.index.has_value(), is_sparse);
      // Eight codes of 4 bits.
      if (is_sparse) {
        EXPECT_EQ(each.index->registers, 8) << each.name;
      }
      EXPECT_EQ(each.b.registers * 32, each.k * each.n) << each.name;
      EXPECT_EQ(each.c.registers * 32, each.m * each.n) << each.name;
    }
  }
}

TEST(Pipelines, AreReadAndPrinted) {
  const auto kernels = notation::parse_kernels(gemm("f16", "f16", "f32"));
  ASSERT_TRUE(kernels) << kernels.error();
  const std::string text = to_string(kernels->front());
  EXPECT_NE(text.find("  pipeline k in K//32, stages 3 {\n    load {\n"), std::string::npos)
      << text;
  const auto again = notation::parse_kernels(text);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->front(), kernels->front());
}

TEST(Pipelines, AreLoopsWhereNothingIsDoneLater) {
  const auto program = lowered(gemm("f16", "f16", "f32"));
  ASSERT_TRUE(program) << program.error();
  const auto source = to_source(*program, Target::kCuda);
  ASSERT_TRUE(source) << source.error();
  EXPECT_EQ(count(*source, "cp_async"), 0U);
  EXPECT_EQ(count(*source, "for (int k = 0;"), 1U) << *source;
}

std::string pipeline(std::string_view load, std::string_view compute = "Y[32*k : +32] = S[stage]",
                     std::string_view declared = "shared S: f32[2,32]") {
  return "kernel f(X: f32[N], Y: f32[N])\n  assume N % 32 == 0\n  launch cta 1, threads 32\n{\n  " +
         std::string(declared) + "\n  pipeline k in N // 32, stages 2 {\n    load { " +
         std::string(load) + " }\n    compute { " + std::string(compute) + " }\n  }\n}\n";
}

std::string refused(const std::string& text) {
  const auto kernels = notation::parse_kernels(text);
  if (kernels) return "taken";
  return std::string(kernels.error().code()) + ": " + kernels.error().message();
}

TEST(Pipelines, RefuseWhatMayNotBeDoneEarly) {
  EXPECT_EQ(refused(pipeline("copy(S[stage], X[32*k : +32])")), "taken");
  EXPECT_EQ(refused(pipeline("copy(S[stage], Y[32*k : +32])")),
            "kernel.pipeline: `load` reads Y[32*k : +32], which the kernel writes, and `load` may "
            "run before that");
  EXPECT_EQ(refused(pipeline("S[stage] = X[32*k : +32]")),
            "kernel.pipeline: `load` does S[k%2] = X[32*k : +32], which may not run early");
  EXPECT_EQ(refused(pipeline("copy(S, X[32*k : +32])", "Y[32*k : +32] = S", "shared S: f32[32]")),
            "kernel.pipeline: `load` writes S, which is not a shared tensor of 2 stages");
  EXPECT_EQ(refused(pipeline("copy(S[stage], X[32*k : +32])", "Y[32*k : +32] = S[0]")),
            "kernel.pipeline: S[0] is not of the stage of this iteration");
}

TEST(Pipelines, WithoutAnIterationLoadNothing) {
  const std::string source = source_on_sm_80(
      "kernel f(X: f32[N], Y: f32[N]) launch cta 1, threads 32 {\n  shared S: f32[2,32]\n"
      "  pipeline k in 0, stages 2 {\n    load { copy(S[stage], X[32*k : +32]) }\n"
      "    compute { Y[32*k : +32] = S[stage] }\n  }\n}\n");
  EXPECT_EQ(count(source, "cp_async"), 0U) << source;
  EXPECT_EQ(count(source, "error"), 0U) << source;
}

TEST(Pipelines, LoadAheadAndWaitForOneStage) {
  const std::string source = source_on_sm_80(pipeline("copy(S[stage], X[32*k : +32])"));
  EXPECT_EQ(count(source, "cp_async_16("), 3U) << source;  // defined, one ahead, one in turns
  EXPECT_EQ(count(source, "cp_async_wait<0>();"), 1U) << source;
  EXPECT_EQ(count(source, "__syncthreads();"), 1U) << source;
}

TEST(Pipelines, WaitInALoopForTheIterationBefore) {
  const std::string source = source_on_sm_80(
      "kernel f(X: f32[N], Y: f32[64])\n  assume N % 64 == 0\n  launch cta 1, threads 64\n{\n"
      "  shared S: f32[2,64]\n  reg y: f32[64]\n  fill(y, 0)\n  for r in 4 {\n"
      "    pipeline k in N // 64, stages 2 {\n      load { copy(S[stage], X[64*k : +64]) }\n"
      "      compute { y = y + S[stage] }\n    }\n  }\n  Y = y\n}\n");
  EXPECT_NE(source.find("for (int r = 0; r < 4; ++r) {\n    __syncthreads();\n"), std::string::npos)
      << source;
}

TEST(Pipelines, GiveTextsOfTheTargetTheirCounter) {
  const std::string source = source_on_sm_80(pipeline(
      "copy(S[stage], X[32*k : +32])", "unchecked cuda \"use(k);\"\n Y[32*k : +32] = S[stage]"));
  const std::size_t counter = source.find("const int k = ");
  ASSERT_NE(counter, std::string::npos) << source;
  EXPECT_LT(counter, source.find("use(k);")) << source;
}

TEST(Pipelines, GiveWhatInstructionsMeanTheirCounter) {
  const std::string source = source_on_sm_80(
      "instruction add_two(D: f32[2] reg, A: f32[2] shared, B: f32[2] shared) for +\n"
      "  cuda \"{D}[0] = {A}[0] + {B}[0]; {D}[1] = {A}[1] + {B}[1];\"\n"
      "kernel f(X: f32[N], Y: f32[64])\n  assume N % 64 == 0\n  launch cta 1, threads 32\n{\n"
      "  shared S: f32[2,64]\n  reg y: f32[64]\n  pipeline k in N // 64, stages 2 {\n"
      "    load { copy(S[stage], X[64*k : +64]) }\n"
      "    compute { y = S[stage] + S[stage] }\n  }\n  Y = y\n}\n");
  EXPECT_NE(source.find("y[1] = (S[(stage << 6) + "), std::string::npos) << source;
}

TEST(AsynchronousCopies, KeepTheirMemoryUntilTheyAreWaitedFor) {
  const auto text = [](std::string_view wait) {
    return "kernel f(X: f32[256], Y: f32[256]) launch cta 1, threads 64 {\n  shared S: f32[256]\n"
           "  shared T: f32[256]\n  copy_async(S, X, group=\"g\")\n" +
           std::string(wait) + "  barrier()\n  T = X\n  Y[0 : +255] = T[1 : +255]\n}\n";
  };
  const auto awaited = on_sm_80(text("  wait(group=\"g\")\n"));
  const auto late = on_sm_80(text(""));
  ASSERT_TRUE(awaited && late);
  EXPECT_EQ(awaited->shared_bytes, 1024);
  EXPECT_EQ(late->shared_bytes, 2048);
  EXPECT_EQ(count(source_on_sm_80(text("")), "cp_async_wait<0>();"), 1U);
}

TEST(AsynchronousCopies, OfAnIterationAreAwaitedBeforeTheNextOne) {
  const std::string source = source_on_sm_80(
      "kernel f(X: f32[N], Y: f32[64])\n  assume N % 64 == 0\n  launch cta 1, threads 64\n{\n"
      "  shared S: f32[64]\n  reg y: f32[64]\n  fill(y, 0)\n  for k in N // 64 {\n"
      "    wait(group=\"g\")\n    if k > 0 { y = y + S }\n"
      "    copy_async(S, X[64*k : +64], group=\"g\")\n  }\n  Y = y\n}\n");
  EXPECT_EQ(count(source, "cp_async_wait<0>();"), 2U) << source;
  EXPECT_LT(source.find("cp_async_commit();"), source.rfind("cp_async_wait<0>();")) << source;
}

TEST(Pipelines, InALoopWaitForWhatTheIterationBeforeStillReads) {
  const std::string source = source_on_sm_80(
      "kernel f(X: f32[M,N], Y: f32[M,N])\n  assume N % 32 == 0\n  launch cta 1, threads 32\n{\n"
      "  shared S: f32[2,32]\n  for t in M {\n    pipeline k in N // 32, stages 2 {\n"
      "      load { copy(S[stage], X[t, 32*k : +32]) }\n"
      "      compute { Y[t, 32*k : +32] = S[stage] }\n    }\n  }\n}\n");
  EXPECT_NE(source.find("for (int t = 0; t < M; ++t) {\n    __syncthreads();"), std::string::npos)
      << source;
  EXPECT_EQ(count(source, "__syncthreads();"), 2U) << source;
}

TEST(Pipelines, ThatABreakMayLeaveDoNotLoadAhead) {
  const std::string source = source_on_sm_80(
      pipeline("copy(S[stage], X[32*k : +32])", "if k == 1 { break }\n Y[32*k : +32] = S[stage]"));
  EXPECT_EQ(count(source, "cp_async"), 0U) << source;
  EXPECT_EQ(count(source, "for (int k = 0;"), 1U) << source;
}

TEST(Pipelines, WaitBetweenTwoLoadsToOnePlaceAndNotBetweenOthers) {
  const std::string first = "copy(S[stage, 0 : +16], X[32*k : +16])\n";
  const std::string twice = source_on_sm_80(pipeline(first + "copy(S[stage], X[32*k : +32])"));
  EXPECT_EQ(count(twice, "cp_async_wait<0>();"), 3U) << twice;
  EXPECT_EQ(count(twice, "__syncthreads();"), 3U) << twice;
  const std::string apart =
      source_on_sm_80(pipeline(first + "copy(S[stage, 16 : +16], X[32*k + 16 : +16])"));
  EXPECT_EQ(count(apart, "__syncthreads();"), 1U) << apart;
}

TEST(AsynchronousCopies, FillWithZerosWhereTheSourceEnds) {
  const std::string source = source_on_sm_80(
      "kernel f(X: f32[N], Y: f32[N])\n  assume N % 4 == 0\n  launch cta (N + 255) // 256, threads "
      "64\n{\n  shared S: f32[256]\n  copy_async(S, X[256*bx : +256], group=\"g\")\n"
      "  wait(group=\"g\")\n  Y[256*bx : +256] = S\n}\n");
  EXPECT_NE(source.find("< N ? 16 : 0);"), std::string::npos) << source;
  EXPECT_NE(source.find("cp_async_commit();\n  cp_async_wait<0>();"), std::string::npos) << source;
}

TEST(AsynchronousCopies, AreForcedOrRefusedWithTheReason) {
  EXPECT_EQ(
      source_on_sm_80("kernel f(X: f16[N], Y: f16[N]) launch cta (N + 63) // 64, threads 64 {\n"
                      "  shared S: f16[64]\n"
                      "  copy_async(S, X[64*bx+1 : +64], group=\"g\") using cp_async\n"
                      "  wait(group=\"g\")\n  Y[64*bx : +64] = S\n}\n")
          .substr(0, 60),
      "error kernel.schedule: copy_async(S, X[64*bx+1 : +64], group");
}

TEST(AsynchronousCopies, OfTheIterationBeforeAreSeenByAllAfterTheWait) {
  const std::string source = source_on_sm_80(
      "kernel f(X: f32[N], Y: f32[N])\n  assume N % 128 == 0\n  launch cta 1, threads 64\n{\n"
      "  shared S: f32[128]\n  for t in N // 128 + 1 {\n    if t > 0 {\n      wait(group=\"g\")\n"
      "      Y[128*t - 128 : +128] = S\n    }\n"
      "    if t < N // 128 { copy_async(S, X[128*t : +128], group=\"g\") }\n  }\n}\n");
  EXPECT_NE(source.find("cp_async_wait<0>();\n      __syncthreads();"), std::string::npos)
      << source;
}

TEST(AsynchronousCopies, AreNotWaitedForUnderAConditionOfSomeThreads) {
  EXPECT_EQ(source_on_sm_80("kernel f(X: f32[128], Y: f32[128]) launch cta 1, threads 64 {\n"
                            "  shared S: f32[128]\n  copy_async(S, X, group=\"g\")\n"
                            "  warp { if warpid == 0 { wait(group=\"g\") } }\n  Y = S\n}\n")
                .substr(0, 20),
            "error kernel.barrier");
}

TEST(AsynchronousCopies, HaveArrivedWhenTheKernelEnds) {
  const std::string source = source_on_sm_80(
      "kernel f(X: f32[128]) launch cta 1, threads 32 {\n  shared S: f32[128]\n"
      "  copy_async(S, X, group=\"g\")\n}\n");
  EXPECT_TRUE(source.ends_with("  cp_async_wait<0>();\n}\n")) << source;
}

TEST(TensorsOfKernels, MayHaveTheNamesOfWhatSourcesCall) {
  for (const std::string name :
       {"held", "ldmatrix_x4", "cp_async_16", "cp_async_wait", "mma_m16n8k16_f32_f16_f16_f32"}) {
    std::string text = gemm("f16", "f16", "f32");
    for (std::size_t at = text.find("As"); at != std::string::npos; at = text.find("As", at + 2)) {
      text.replace(at, 2, name);
    }
    const std::string source = source_on_sm_80(text);
    EXPECT_EQ(count(source, "short " + name + "["), 0U) << source;
    EXPECT_EQ(count(source, "__shared__"), 2U) << source;
  }
}

}  // namespace
}  // namespace heddle::kernel
