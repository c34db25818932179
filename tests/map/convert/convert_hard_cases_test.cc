// The conversions that are usually done by hand: fragments of matrix instructions between CuTe,
// Triton and Axe, and the swizzled tiles that tensor cores read from shared memory.

#include <gtest/gtest.h>

#include <string>

#include "heddle/linear/encoding.h"
#include "heddle/linear/equality.h"
#include "heddle/map/convert.h"
#include "support/any_layout.h"

namespace heddle::map {
namespace {

using linear::DotOperandEncoding;
using linear::Encoding;
using linear::LinearLayout;
using linear::NvidiaMmaEncoding;
using linear::NvmmaSharedEncoding;
using test::mma_of;
using test::triton;

template <class T>
T as(const AnyLayout& layout) {
  return std::get<T>(layout);
}

/// The layout in the system's notation; fails the test where it has none there.
Converted converted(const AnyLayout& layout, System to, const ConvertOptions& options = {}) {
  auto result = convert(layout, to, options);
  if (result) return *std::move(result);
  ADD_FAILURE() << to_string(layout) << ": " << result.error();
  return {layout, {}, Reading::kLiteral, {}};
}

LinearLayout linear_of(const AnyLayout& layout, const ConvertOptions& options = {}) {
  return as<LinearLayout>(converted(layout, System::kLinear, options).layout);
}

/// Through Axe and back the thread-value layout is the same map.
void expect_through_axe(const cute::TvLayout& tv, const std::string& axe) {
  const Converted there = converted(tv, System::kAxe);
  EXPECT_EQ(there.reading, Reading::kOwnership);
  EXPECT_EQ(to_string(there.layout), axe);
  const Converted back = converted(there.layout, System::kCuteTv, {{}, there.shape, {}});
  const auto again = as<cute::TvLayout>(back.layout);
  EXPECT_EQ(cute::digit_form(again.layout), cute::digit_form(tv.layout));
  EXPECT_EQ(to_string(again.tiler), to_string(tv.tiler));
  EXPECT_TRUE(
      linear::equal(linear_of(tv), linear_of(there.layout, {{}, there.shape, {}})).is_yes());
}

constexpr const char* kMma = "SM80_16x8x16_F32F16F16F32_TN";

Encoding mma16() { return NvidiaMmaEncoding{.warps_per_cta = {1, 1}, .instr_shape = {16, 8}}; }

TEST(ConvertHardCases, AccumulatorOfMma) {
  const cute::TvLayout tv = cute::layoutC_TV(mma_of(kMma)).value();
  EXPECT_TRUE(linear::equal(linear_of(tv), triton(mma16(), {16, 8})).is_yes());
  expect_through_axe(tv, "S[(2,8,4,2):(2@reg,4@laneid,1@laneid,1@reg)]");
}

TEST(ConvertHardCases, OperandAOfMma) {
  const cute::TvLayout tv = cute::layoutA_TV(mma_of(kMma)).value();
  const Encoding operand = linear::dot_operand_of(mma16(), 0, 2);
  EXPECT_TRUE(linear::equal(linear_of(tv), triton(operand, {16, 16})).is_yes());
  expect_through_axe(tv, "S[(2,8,2,4,2):(2@reg,4@laneid,4@reg,1@laneid,1@reg)]");
}

/// CuTe's B is N x K, Triton's K x N.
TEST(ConvertHardCases, OperandBOfMma) {
  const cute::TvLayout tv = cute::layoutB_TV(mma_of(kMma)).value();
  const Encoding operand = linear::dot_operand_of(mma16(), 1, 2);
  const LinearLayout swapped =
      linear::transpose_outs(triton(operand, {16, 8}), {"dim1", "dim0"}).value();
  const LinearLayout ours = linear_of(tv);
  EXPECT_EQ(ours.out_dim_sizes(), (linear::NamedSizes{{"dim0", 8}, {"dim1", 16}}));
  const LinearLayout named =
      linear::rename_out_dim(
          linear::rename_out_dim(linear::rename_out_dim(ours, "dim0", "n").value(), "dim1", "dim0")
              .value(),
          "n", "dim1")
          .value();
  EXPECT_TRUE(linear::equal(named, swapped).is_yes());
  expect_through_axe(tv, "S[(8,2,4,2):(4@laneid,2@reg,1@laneid,1@reg)]");
}

TEST(ConvertHardCases, AccumulatorOfWgmma) {
  const cute::TvLayout tv = cute::layoutC_TV(mma_of("SM90_64x64x16_F32F16F16_SS")).value();
  const Encoding wgmma =
      NvidiaMmaEncoding{.version_major = 3, .warps_per_cta = {4, 1}, .instr_shape = {16, 64, 16}};
  EXPECT_TRUE(linear::equal(linear_of(tv), triton(wgmma, {64, 64})).is_yes());
  expect_through_axe(tv, "S[(4,2,8,8,4,2):(1@warpid,2@reg,4@laneid,4@reg,1@laneid,1@reg)]");
}

/// Every accumulator that CuTe names, and back by way of Axe.
TEST(ConvertHardCases, EveryAccumulatorIsThereInAxe) {
  int count = 0;
  for (const std::string& name : cute::mma_atom_names()) {
    const auto mma = cute::make_tiled_mma(cute::find_mma_atom(name).value());
    const auto tv = mma ? cute::layoutC_TV(*mma) : Result<cute::TvLayout>(refuse(mma.error()));
    if (!tv) continue;
    const auto there = convert(*tv, System::kAxe);
    if (!there) continue;
    const auto back = convert(there->layout, System::kCuteTv, {{}, there->shape, {}});
    ASSERT_TRUE(back) << name << ": " << back.error();
    EXPECT_EQ(cute::digit_form(as<cute::TvLayout>(back->layout).layout),
              cute::digit_form(tv->layout))
        << name;
    ++count;
  }
  EXPECT_GE(count, 50);
}

/// A blocked layout of a tensor that is smaller than its tile: what is held twice is a replica.
TEST(ConvertHardCases, BroadcastsBecomeReplicas) {
  const Encoding blocked = linear::BlockedEncoding{.size_per_thread = {1, 4},
                                                   .threads_per_warp = {4, 8},
                                                   .warps_per_cta = {4, 1},
                                                   .order = {1, 0}};
  const LinearLayout held = triton(blocked, {8, 32});
  const Converted axe = converted(held, System::kAxe);
  EXPECT_EQ(to_string(axe.layout),
            "S[(2,4,8,4):(1@warpid,8@laneid,1@laneid,1@reg)] + R[(2):(2@warpid)]");
  EXPECT_EQ(axe.remark, "turned round: (dim0,dim1) -> (reg,laneid,warpid)");
  EXPECT_TRUE(linear::equal(linear_of(axe.layout, {{}, axe.shape, {}}), held).is_yes());
  const Converted tv = converted(held, System::kCuteTv);
  EXPECT_EQ(to_string(tv.layout), "((8,8,2),4):((32,1,0),8) tile (8,32)");
}

TEST(ConvertHardCases, SwizzledTilesInSharedMemory) {
  struct Case {
    std::int64_t bytes;
    linear::Sizes shape;
    std::string cute;
    std::string axe;
  };
  for (const Case& one :
       {Case{128, {8, 64}, "Sw<3,3,3> o 0 o (8,64):(64,1)", "SW(3,3,3) o S[(8,64):(64@m,1@m)]"},
        Case{64, {8, 32}, "Sw<2,3,3> o 0 o (8,32):(32,1)", "SW(3,2,3) o S[(8,32):(32@m,1@m)]"},
        Case{32, {8, 16}, "Sw<1,3,3> o 0 o (8,16):(16,1)", "SW(3,1,3) o S[(8,16):(16@m,1@m)]"}}) {
    const Encoding nvmma = NvmmaSharedEncoding{.swizzling_byte_width = one.bytes};
    const LinearLayout stored = triton(nvmma, one.shape);
    const Converted cute = converted(stored, System::kCute);
    EXPECT_EQ(cute.reading, Reading::kMemory);
    EXPECT_EQ(to_string(cute.layout), one.cute);
    EXPECT_EQ(to_string(converted(stored, System::kAxe).layout), one.axe);
    const ConvertOptions memory = {Reading::kMemory, {}, {}};
    EXPECT_TRUE(linear::equal(linear_of(cute.layout, memory), stored).is_yes());
    const Converted axe = converted(cute.layout, System::kAxe);
    EXPECT_EQ(to_string(axe.layout), one.axe);
    EXPECT_EQ(to_string(converted(axe.layout, System::kCute, {{}, axe.shape, {}}).layout),
              one.cute);
  }
}

/// A tile of several atoms: the swizzle reads bits that other modes step by too.
TEST(ConvertHardCases, TiledSwizzledAtoms) {
  const LinearLayout stored = triton(NvmmaSharedEncoding{.swizzling_byte_width = 128}, {64, 64});
  EXPECT_EQ(to_string(converted(stored, System::kCute).layout), "Sw<3,3,3> o 0 o (64,64):(64,1)");
}

}  // namespace
}  // namespace heddle::map
