// Products with a sparse operand: what they mean, by which instructions they are done, and what is
// refused.

#include "kernel/sparse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "heddle/kernel/lower.h"
#include "heddle/kernel/made_arguments.h"
#include "heddle/kernel/meaning.h"
#include "heddle/kernel/source.h"
#include "heddle/notation/kernel.h"
#include "support/refusal.h"

namespace heddle::kernel {
namespace {

/// C = A B of one tile by one warp, K = 128.
std::string product(std::string_view a, std::string_view c, int group, std::string_view by = "") {
  return fmt::format(
      "kernel f(A: {0}[16,64], E: u4[16,{2}], B: {0}[128,16], C: {1}[16,16])\n"
      "  launch cta 1, threads 32\n{{\n  shared As: {0}[16,64]\n  shared Bs: {0}[128,16]\n"
      "  reg acc: {1}[16,16]\n  fill(acc, 0)\n  copy(As, A)\n  copy(Bs, B)\n"
      "  gemm_sparse(acc, As, Bs, E){3}\n  copy(C, acc)\n}}\n",
      a, c, 128 / group, by.empty() ? "" : fmt::format(" using {}", by));
}

Kernel parsed(const std::string& text) { return notation::parse_kernels(text).value().front(); }

std::string instruction_of(const std::string& text, std::string_view target) {
  const auto lowered = lower(parsed(text), options_for(parse_target(target).value()));
  if (!lowered) return test::refusal(lowered);
  const std::string all = explanation(*lowered);
  const std::size_t at = all.find("  instruction  ");
  return at == std::string::npos ? all : all.substr(at + 15, all.find(',', at) - at - 15);
}

double real(const Array& array, std::size_t i) {
  const Number number = decode(array.type, array.elements[i]);
  return number.is_real ? number.real : static_cast<double>(number.integer);
}

TEST(SparseProducts, AreProductsOfWhatTheCodesKeep) {
  for (const auto& [type, sums] : {std::pair{DType::kF16, DType::kF32},
                                   {DType::kTf32, DType::kF32},
                                   {DType::kI8, DType::kI32},
                                   {DType::kI4, DType::kI32}}) {
    const SparseGroup group = sparse_group(type);
    const Kernel kernel = parsed(product(name_of(type), name_of(sums), int(group.elements)));
    const std::vector<Array> given = made_arguments(kernel, {}).value();
    const Array found = run(kernel, given).value()[3];
    for (std::size_t i = 0; i != 16; ++i) {
      for (std::size_t j = 0; j != 16; ++j) {
        double sum = 0;
        for (std::size_t stored = 0; stored != 64; ++stored) {
          const auto kept = static_cast<std::size_t>(group.elements) / 2;
          const auto code =
              static_cast<std::int64_t>(given[1].elements[i * (64 / kept) + stored / kept]);
          const auto nth = static_cast<std::int64_t>(stored % kept);
          const std::size_t k =
              stored / kept * 2 * kept + static_cast<std::size_t>(group.place(code, nth));
          sum += real(given[0], i * 64 + stored) * real(given[2], k * 16 + j);
        }
        ASSERT_EQ(real(found, i * 16 + j), sum) << name_of(type) << ' ' << i << ',' << j;
      }
    }
  }
}

TEST(SparseProducts, OfEachTypeAreDoneByTheLargestInstruction) {
  const auto name = [](std::string_view shape, std::string_view types) {
    return fmt::format("mma.sp.sync.aligned.{}.row.col.{}", shape, types);
  };
  EXPECT_EQ(instruction_of(product("f16", "f32", 4), "cuda:sm_80"),
            name("m16n8k32", "f32.f16.f16.f32"));
  EXPECT_EQ(instruction_of(product("bf16", "f32", 4), "cuda:sm_80"),
            name("m16n8k32", "f32.bf16.bf16.f32"));
  EXPECT_EQ(instruction_of(product("tf32", "f32", 2), "cuda:sm_80"),
            name("m16n8k16", "f32.tf32.tf32.f32"));
  EXPECT_EQ(instruction_of(product("u8", "i32", 4), "cuda:sm_80"),
            name("m16n8k64", "s32.u8.u8.s32"));
  EXPECT_EQ(instruction_of(product("i4", "i32", 8), "cuda:sm_80"),
            name("m16n8k128", "s32.s4.s4.s32"));
  EXPECT_EQ(instruction_of(product("e4m3", "f32", 4), "cuda:sm_89"),
            name("m16n8k64", "f32.e4m3.e4m3.f32"));
}

TEST(SparseProducts, AreDoneByMultiplyAddsElsewhere) {
  for (const std::string_view target : {"cuda", "opencl", "cpu"}) {
    const std::string all = instruction_of(product("f16", "f32", 4), target);
    EXPECT_NE(all.find("taken      fma"), std::string::npos) << all;
  }
  const std::string all = instruction_of(product("e4m3", "f32", 4), "cuda:sm_80");
  EXPECT_NE(all.find("not taken  mma: sm_80 has no instruction for sparse e4m3 times e4m3"),
            std::string::npos)
      << all;
  EXPECT_EQ(instruction_of(product("f32", "f32", 2, "mma"), "cuda:sm_80").substr(0, 21),
            "error kernel.schedule");
}

std::string refused(std::string_view a, std::string_view e, std::string_view b) {
  const auto kernels = notation::parse_kernels(
      fmt::format("kernel f(A: {}, E: {}, B: {}, C: f32[16,16]) launch cta 1, threads 32 {{\n"
                  "  gemm_sparse(C, A, B, E)\n}}\n",
                  a, e, b));
  return kernels ? "taken" : std::string(kernels.error().code()) + ": " + kernels.error().message();
}

TEST(SparseProducts, AreRefusedForOtherShapesAndIndices) {
  EXPECT_EQ(refused("f16[16,16]", "u4[16,8]", "f16[32,16]"), "taken");
  EXPECT_EQ(refused("f32[16,16]", "u4[16,16]", "f32[32,16]"), "taken");
  EXPECT_EQ(refused("f16[16,32]", "u4[16,8]", "f16[32,16]"),
            "kernel.shape: gemm_sparse: C (16,16), A (16,32), B (32,16), E (16,8); C (M,N), A "
            "(M,K//2), B (K,N) and, with A of 16 bits, E (M,K//4) are needed");
  EXPECT_EQ(refused("f16[16,16]", "u4[16,16]", "f16[32,16]").substr(0, 12), "kernel.shape");
  EXPECT_EQ(refused("f16[16,16]", "u8[16,4]", "f16[32,16]"),
            "kernel.type: gemm_sparse: A of f16 with an index of u8");
  EXPECT_EQ(refused("f64[16,16]", "u4[16,8]", "f64[32,16]").substr(0, 11), "kernel.type");
}

TEST(SparseProducts, RefuseCodesThatKeepNoHalf) {
  const Kernel kernel = parsed(product("f16", "f32", 4));
  std::vector<Array> given = made_arguments(kernel, {}).value();
  given[1].elements[32 + 5] = 6;
  EXPECT_EQ(test::refusal(run(kernel, given)),
            "error kernel.index: the index of gemm_sparse has the code 6 at (1,5), which does not "
            "say which half of 4 elements is kept\n  hint: the codes are 4, 8, 9, 12, 13, 14");
}

TEST(SparseCodes, AreThoseOfPtx) {
  const SparseGroup pairs = sparse_group(DType::kI4);
  EXPECT_EQ(pairs.place(0b1101, 0), 2);
  EXPECT_EQ(pairs.place(0b1101, 3), 7);
  const SparseGroup two = sparse_group(DType::kTf32);
  EXPECT_EQ(two.place(0b0100, 0), 0);
  EXPECT_EQ(two.place(0b1110, 0), 1);
  for (const DType type : {DType::kTf32, DType::kF16, DType::kI8, DType::kU4}) {
    const SparseGroup group = sparse_group(type);
    for (const std::int64_t code : group.codes) {
      // Places ascend.
      for (std::int64_t nth = 1; nth < group.elements / 2; ++nth) {
        EXPECT_LT(group.place(code, nth - 1), group.place(code, nth));
      }
      EXPECT_LT(group.place(code, group.elements / 2 - 1), group.elements);
    }
  }
}

}  // namespace
}  // namespace heddle::kernel
