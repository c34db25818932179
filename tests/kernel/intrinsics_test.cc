// The functions that emitted CUDA calls, as nvcc takes them.

#include "kernel/source/intrinsics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/kernel/cuda_compiler.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

/// A kernel that calls it, so that it is assembled.
std::string kernel_with(const Intrinsic& intrinsic) {
  const std::string& name = intrinsic.name;
  std::string call = fmt::format("{}(p, p + 64, p + 128, p + 192)", name);
  if (name.starts_with("cp_async_")) call = fmt::format("{}(memory, p, p[0])", name);
  if (name == "cp_async_commit") call = "cp_async_commit()";
  if (name == "cp_async_wait") call = "cp_async_wait<1>()";
  if (name.starts_with("ldmatrix")) call = fmt::format("{}(p, memory)", name);
  if (name.starts_with("mma_sp")) {
    call = fmt::format("{}<0>(p, p + 64, p + 128, p + 192, p[256])", name);
  }
  return fmt::format(
      "{}\nextern \"C\" __global__ void use_{}(unsigned* p) {{\n"
      "  __shared__ __align__(16) unsigned memory[64];\n  {};\n  p[0] += memory[1];\n}}\n",
      intrinsic.definition, name, call);
}

TEST(Intrinsics, AreAssembledForEveryArchitectureThatHasThem) {
  for (const int sm : {75, 80, 86, 89, 90}) {
    std::string source;
    for (const Intrinsic& each : intrinsics()) {
      if (each.least_sm <= sm) source += kernel_with(each);
    }
    const std::vector<std::string> architectures = {fmt::format("sm_{}", sm)};
    const auto compiled = compile_cuda(source, architectures);
    if (!compiled && compiled.error().code() == "kernel.no_compiler") {
      GTEST_SKIP() << "there is no nvcc";
    }
    EXPECT_TRUE(compiled) << "sm_" << sm << ": " << test::refusal(compiled);
  }
}

TEST(Intrinsics, HaveTheMatrixInstructionsOfTheCatalogue) {
  const Intrinsic* mma = find_intrinsic("mma_m16n8k16_f32_f16_f16_f32");
  ASSERT_NE(mma, nullptr);
  EXPECT_EQ(mma->least_sm, 80);
  EXPECT_EQ(
      mma->definition,
      "static __device__ __forceinline__ void mma_m16n8k16_f32_f16_f16_f32(void* d, const void* "
      "a, const void* b, const void* c) {\n"
      "  asm(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
      "%7}, {%8, %9}, {%10, %11, %12, %13};\"\n"
      "      : \"=f\"(((float*)d)[0]), \"=f\"(((float*)d)[1]), \"=f\"(((float*)d)[2]), "
      "\"=f\"(((float*)d)[3])\n"
      "      : \"r\"(((const unsigned*)a)[0]), \"r\"(((const unsigned*)a)[1]), \"r\"(((const "
      "unsigned*)a)[2]), \"r\"(((const unsigned*)a)[3]), \"r\"(((const unsigned*)b)[0]), "
      "\"r\"(((const unsigned*)b)[1]), \"f\"(((const float*)c)[0]), \"f\"(((const float*)c)[1]), "
      "\"f\"(((const float*)c)[2]), \"f\"(((const float*)c)[3]));\n"
      "}\n");
  for (const char* name : {"mma_m8n8k4_f64_f64_f64_f64", "mma_m16n8k8_f32_tf32_tf32_f32",
                           "mma_m16n8k32_satfinite_s32_s8_u8_s32", "mma_m16n8k64_s32_u4_s4_s32",
                           "mma_m16n8k32_f32_e4m3_e5m2_f32", "mma_m16n8k256_s32_b1_b1_s32_and_popc",
                           "mma_sp_m16n8k32_f32_bf16_bf16_f32"}) {
    EXPECT_NE(find_intrinsic(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace heddle::kernel
