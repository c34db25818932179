// The whole text of the refusals of encodings; see cute_errors_test.cc.

#include <gtest/gtest.h>

#include "heddle/linear/encoding_choice.h"
#include "heddle/linear/encoding_counts.h"
#include "support/refusal.h"

namespace heddle::linear {
namespace {

using test::refusal;

std::string refusal(const Encoding& encoding, const Sizes& shape) {
  return refusal(to_linear_layout(encoding, shape));
}

BlockedEncoding blocked() {
  return {.size_per_thread = {1, 4},
          .threads_per_warp = {8, 4},
          .warps_per_cta = {4, 1},
          .order = {1, 0}};
}

NvidiaMmaEncoding mma() { return {.warps_per_cta = {2, 2}, .instr_shape = {16, 8}}; }

LinearLayout layout(const Bases& bases, const NamedSizes& outs) {
  return *LinearLayout::make(bases, outs);
}

TEST(ErrorText, encoding_sizes) {
  BlockedEncoding encoding = blocked();
  encoding.threads_per_warp = {8, 6};
  EXPECT_EQ(refusal(encoding, {64, 64}),
            "error encoding.sizes: blocked: threadsPerWarp = [8, 6] has 6 along dim1, which is no "
            "power of two");
  EXPECT_EQ(refusal(SwizzledSharedEncoding{.vec = 3, .order = {1, 0}}, {64, 64}),
            "error encoding.sizes: swizzled_shared: vec = 3 is no power of two");
}

TEST(ErrorText, encoding_rank) {
  BlockedEncoding encoding = blocked();
  encoding.warps_per_cta = {4};
  EXPECT_EQ(
      refusal(encoding, {64, 64}),
      "error encoding.rank: blocked: 2 dimensions need as many entries; warpsPerCTA = [4] has 1");
  EXPECT_EQ(refusal(SwizzledSharedEncoding{.order = {1, 0}}, {3, 64, 64}),
            "error encoding.rank: swizzled_shared: the encoding has 2 dimensions, the tensor [3, "
            "64, 64] has 3\n"
            "  hint: of a buffer with several stages take one: [64, 64]");
  EXPECT_EQ(refusal(slice_of(blocked(), 2), {64}),
            "error encoding.rank: slice: dim = 2 is none of the 2 dimensions of the parent");
  EXPECT_EQ(refusal(slice_of(blocked(), 0), {64, 64}),
            "error encoding.rank: slice: the parent has 2 dimensions, so the tensor must have 1; "
            "[64, 64] has 2");
  EXPECT_EQ(refusal(slice_of(slice_of(blocked(), 0), 0), {}),
            "error encoding.rank: slice: the parent has one dimension; none would be left");
  NvidiaMmaEncoding wgmma = mma();
  wgmma.version_major = 3;
  EXPECT_EQ(refusal(wgmma, {64, 64}),
            "error encoding.rank: nvidia_mma: instrShape = [16, 8] has 2 entries; version 3 with 2 "
            "dimensions needs 3");
  wgmma.warps_per_cta = {4, 1, 1};
  EXPECT_EQ(
      refusal(wgmma, {64, 64, 64}),
      "error encoding.rank: nvidia_mma: warpsPerCTA = [4, 1, 1] has 3 entries; version 3 needs 2");
  EXPECT_EQ(refusal(NvmmaSharedEncoding{.swizzling_byte_width = 64, .rank = 1}, {64}),
            "error encoding.rank: nvmma_shared: rank = 1; a swizzle needs 2 or more");
  encoding = blocked();
  encoding.ctas = {{{1}}};
  EXPECT_EQ(refusal(encoding, {64, 64}),
            "error encoding.rank: CGALayout: 2 dimensions need as many entries; [1] has 1");
}

TEST(ErrorText, encoding_order) {
  BlockedEncoding encoding = blocked();
  encoding.order = {1, 1};
  EXPECT_EQ(refusal(encoding, {64, 64}),
            "error encoding.order: blocked: order = [1, 1] is no permutation of 0 to 1: 1 is there "
            "twice");
  encoding.order = {1, 2};
  EXPECT_EQ(refusal(encoding, {64, 64}),
            "error encoding.order: blocked: order = [1, 2] is no permutation of 0 to 1: 2 is none");
}

TEST(ErrorText, encoding_shape) {
  EXPECT_EQ(refusal(blocked(), {48, 64}),
            "error encoding.shape: blocked: the tensor [48, 64] has size 48 along dim0, which is "
            "no power of two\n"
            "  hint: the next power of two is 64; mask what lies beyond 48");
  EXPECT_EQ(refusal(NvmmaSharedEncoding{.swizzling_byte_width = 128}, {64, 32}),
            "error encoding.shape: nvmma_shared: a CTA has 32 elements along dim1; a row of 128 "
            "bytes has 64");
  EXPECT_EQ(
      refusal(NvmmaSharedEncoding{.swizzling_byte_width = 128}, {4, 64}),
      "error encoding.shape: nvmma_shared: a box of the tensor has 4 rows; a swizzled one needs 8");
  EXPECT_EQ(refusal(TensorMemoryEncoding{}, {64, 128}),
            "error encoding.shape: tensor_memory_encoding: a CTA has 64 elements along dim0, a "
            "block 128");
  EXPECT_EQ(
      refusal(TensorMemoryEncoding{.ctas = {{{0, 1}, {0, 2}}}}, {128, 2}),
      "error encoding.shape: tensor_memory_encoding: 4 CTAs divide the 2 elements along dim1");
  EXPECT_EQ(
      refusal(SharedLinearEncoding{layout({{"offset", {{1}, {2}}}, {"block", {}}}, {{"dim0", 4}})},
              {8}),
      "error encoding.shape: shared_linear: the layout has size 4 along dim0, the tensor 8");
}

TEST(ErrorText, encoding_cta_layout) {
  BlockedEncoding encoding = blocked();
  encoding.ctas = {{{1, 1}}};
  EXPECT_EQ(refusal(encoding, {64, 64}),
            "error encoding.cta_layout: CGALayout: [1, 1] moves along dim0 and dim1; a CTA moves "
            "along one");
  encoding.ctas = {{{0, 3}}};
  EXPECT_EQ(refusal(encoding, {64, 64}),
            "error encoding.cta_layout: CGALayout: [0, 3] moves by 3 along dim1, which is no power "
            "of two");
  encoding.ctas = {{{0, 2}, {0, 4}}};
  EXPECT_EQ(
      refusal(encoding, {64, 64}),
      "error encoding.cta_layout: CGALayout: the 2 steps along dim1 must be 1, 2, 4, …, each once");
  EXPECT_EQ(refusal(CtaLayout::make({2, 1}, {2, 2}, {1, 0})),
            "error encoding.cta_layout: CGALayout: along dim1 CTASplitNum = 2 is more than "
            "CTAsPerCGA = 1");
  EXPECT_EQ(refusal(TensorMemoryEncoding{.two_ctas = true, .ctas = {.block_bases = {{0, 1}}}},
                    {128, 256}),
            "error encoding.cta_layout: tensor_memory_encoding: twoCTAs needs CGALayout = [[1, 0], "
            "…]; it begins with [0, 1]");
}

TEST(ErrorText, encoding_parameter) {
  EXPECT_EQ(refusal(dot_operand_of(mma(), 2, 2), {64, 64}),
            "error encoding.parameter: dot_op: opIdx = 2; it is 0 for A and 1 for B");
  EXPECT_EQ(refusal(dot_operand_of(mma(), 0), {64, 64}),
            "error encoding.parameter: dot_op: an MMA parent needs a kWidth, not 0\n"
            "  hint: max(1, 32 / element bits): 2 for f16, 4 for f8");
  EXPECT_EQ(refusal(dot_operand_of(blocked(), 0, 2), {64, 64}),
            "error encoding.parameter: dot_op: kWidth = 2; a blocked parent has none");
  EXPECT_EQ(
      refusal(NvmmaSharedEncoding{.swizzling_byte_width = 16}, {64, 64}),
      "error encoding.parameter: nvmma_shared: swizzlingByteWidth = 16; it is 0, 32, 64 or 128");
  EXPECT_EQ(refusal(NvmmaSharedEncoding{.fp4_padded = true}, {64, 64}),
            "error encoding.parameter: nvmma_shared: fp4Padded with elementBitWidth = 16; pairs of "
            "4-bit elements are stored as elements of 8 bits");
  EXPECT_EQ(refusal(TensorMemoryEncoding{.block_m = 32}, {128, 128}),
            "error encoding.parameter: tensor_memory_encoding: blockM = 32; it is 64 or 128");
  EXPECT_EQ(refusal(TensorMemoryEncoding{.block_n = 1024}, {128, 128}),
            "error encoding.parameter: tensor_memory_encoding: blockN = 1024; tensor memory has "
            "512 columns");
  EXPECT_EQ(refusal(TensorMemoryEncoding{.col_stride = 8}, {128, 128}),
            "error encoding.parameter: tensor_memory_encoding: colStride = 8; it is 1, 2 or 4");
  NvidiaMmaEncoding volta = mma();
  volta.instr_shape = {32, 8};
  EXPECT_EQ(refusal(volta, {64, 64}),
            "error encoding.parameter: nvidia_mma: instrShape = [32, 8]: m must be 16, or 8 for "
            "64-bit elements");
  EXPECT_EQ(refusal(padded_offset(PaddedSharedEncoding{.paddings = {{4, 1}, {4, 2}}}, 1)),
            "error encoding.parameter: padded_shared: two paddings have the interval 4");
  EXPECT_EQ(refusal(padded_offset(PaddedSharedEncoding{.paddings = {{4, 1}}}, -1)),
            "error encoding.parameter: padded_shared: the offset -1 is negative");
  EXPECT_EQ(refusal(total_elems_per_thread(NvmmaSharedEncoding{}, Sizes{64, 64})),
            "error encoding.parameter: nvmma_shared is not held in registers: no thread owns its "
            "elements");
}

TEST(ErrorText, encoding_parent) {
  EXPECT_EQ(refusal(slice_of(NvmmaSharedEncoding{}, 0), {64}),
            "error encoding.parent: slice: the parent is nvmma_shared, which is not in registers");
  EXPECT_EQ(refusal(SliceEncoding{}, {64}), "error encoding.parent: slice: there is no parent");
  EXPECT_EQ(refusal(dot_operand_of(slice_of(blocked(), 0), 0), {64}),
            "error encoding.parent: dot_op: the parent is slice; a dot has a blocked, nvidia_mma, "
            "amd_mfma, amd_wmma or dpas result");
}

TEST(ErrorText, encoding_linear) {
  const Bases swizzled{{"register", {{1, 0}}}, {"lane", {{1, 1}}}, {"warp", {}}, {"block", {}}};
  EXPECT_EQ(
      refusal(LinearEncoding{layout(swizzled, {{"dim0", 2}, {"dim1", 2}})}, {2, 2}),
      "error encoding.linear: linear: lane=1 -> [1, 1] is more than one step along one dimension");
  const Bases twice{{"register", {{1}}}, {"lane", {{1}}}, {"warp", {}}, {"block", {}}};
  EXPECT_EQ(refusal(LinearEncoding{layout(twice, {{"dim0", 2}})}, {2}),
            "error encoding.linear: linear: 2 bits lead somewhere and reach 1 of the 1 bits of the "
            "tensor; each bit of the tensor must be reached by one");
  const Bases shared{{"offset", {{1}, {1}}}, {"block", {}}};
  EXPECT_EQ(refusal(LinearEncoding{layout(shared, {{"dim0", 2}})}, {2}),
            "error encoding.linear: linear: the inputs are (offset, block), not (register, lane, "
            "warp, block)");
  EXPECT_EQ(
      refusal(PaddedSharedEncoding{{{4, 1}}, layout(shared, {{"dim0", 2}})}, {2}),
      "error encoding.linear: padded_shared: offset=2 -> [1] repeats what other offsets hold");
  EXPECT_EQ(
      refusal(SharedLinearEncoding{layout(shared, {{"x", 2}})}, {2}),
      "error encoding.linear: shared_linear: the outputs are (x); they must be dim0, dim1, …");
}

TEST(ErrorText, encoding_unsupported) {
  NvidiaMmaEncoding blackwell = mma();
  blackwell.version_major = 5;
  EXPECT_EQ(refusal(blackwell, {64, 64}),
            "error encoding.unsupported: nvidia_mma: versionMajor = 5 has no register layout\n"
            "  hint: versions 2 (mma.sync) and 3 (wgmma) have one; version 5 (tcgen05) accumulates "
            "in tensor memory");
  const NvidiaMmaEncoding wgmma{
      .version_major = 3, .warps_per_cta = {4, 1}, .instr_shape = {16, 64, 16}};
  EXPECT_EQ(refusal(dot_operand_of(wgmma, 1, 2), {64, 64}),
            "error encoding.unsupported: dot_op: opIdx = 1 of version 3: wgmma reads B from shared "
            "memory");
  EXPECT_EQ(refusal(NvmmaSharedEncoding{.transposed = true, .rank = 3}, {2, 4, 8}),
            "error encoding.unsupported: nvmma_shared: transposed without a swizzle, in 3 "
            "dimensions: no order of the dimensions is defined");
}

TEST(ErrorText, encoding_not_inferred) {
  EXPECT_EQ(refusal(PlaceholderEncoding{}, {16}),
            "error encoding.not_inferred: #gluon.auto_encoding stands for an encoding that is not "
            "inferred yet\n"
            "  hint: a dump after the pass that infers it has the encoding");
}

TEST(ErrorText, encoding_not_nvmma) {
  const auto swizzled = to_linear_layout(
      SwizzledSharedEncoding{.vec = 8, .max_phase = 2, .order = {1, 0}}, Sizes{8, 64});
  EXPECT_EQ(refusal(recognize_nvmma_shared(*swizzled, 16)),
            "error encoding.not_nvmma: the layout is not made of the matrices of any nvmma_shared "
            "of 16-bit elements\n"
            "  the closest one, 128 bytes, differs: offset=128 -> [2, 0], which must be [2, 16]");
}

}  // namespace
}  // namespace heddle::linear
