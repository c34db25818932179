// One test an error code of Triton's text, its encodings and its dumps: the whole text that the
// terminal shows.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/evaluator.h"
#include "heddle/notation/ttgir.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::refusal;

std::string refusal_of_dump(std::string_view text) {
  const Result<TtgirDump> dump = read_ttgir(text);
  return dump ? "not refused" : dump.error().to_string();
}

TEST(ErrorText, syntax_linear_layout) {
  EXPECT_EQ(refusal("- lane=1 -> (1)\n  lane=4 -> (2)\nwhere out dims are: [dim0 (size 4)]"),
            "error syntax.linear_layout: the image of lane=4 follows where that of lane=2 is "
            "expected");
  EXPECT_EQ(refusal(R"({"ins":3,"outs":[]})"),
            "error syntax.linear_layout: \"ins\" of a linear layout is '3'; a list of [name, "
            "bases] is needed\n"
            R"(  hint: {"ins":[["register",[[0,1]]],["lane",[]]],"outs":[["dim0",1],["dim1",2]]})");
}

TEST(ErrorText, syntax_attribute) {
  EXPECT_EQ(refusal("#ttg.blocked<{order = }>"),
            "error syntax.attribute: there is '}>' where a value is expected");
}

TEST(ErrorText, syntax_type) {
  EXPECT_EQ(refusal("tensor<128x64, #ttg.shared_memory>"),
            "error syntax.type: 'tensor<128x64, #ttg.shared_memory>' names no element type\n"
            "  hint: tensor<128x64xf16, #blocked> or !ttg.memdesc<128x64xf16, #shared, #smem>");
}

TEST(ErrorText, encoding_field) {
  EXPECT_EQ(refusal("#ttg.blocked<{sizePerThread = [1]}>"),
            "error encoding.field: blocked has no threadsPerWarp");
  EXPECT_EQ(refusal("#ttg.swizzled_shared<{vec = true}>"),
            "error encoding.field: vec of swizzled_shared is 'true'; an integer is needed");
}

TEST(ErrorText, encoding_unknown) {
  EXPECT_EQ(refusal("#ttg.cluster<{sizePerCore = [1, 4]}>"),
            "error encoding.unknown: no encoding is called 'cluster'\n"
            "  hint: encodings that are read: blocked, slice, linear, generic_linear, nvidia_mma, "
            "amd_mfma, amd_wmma, dot_op, swizzled_shared, amd_rotating_shared, nvmma_shared, "
            "shared_linear, padded_shared, partitioned_shared, tensor_memory_encoding, "
            "tensor_memory_scales_encoding, dpas, subgroup_2d_block, "
            "auto_encoding, coalesced_encoding");
}

TEST(ErrorText, encoding_missing) {
  EXPECT_EQ(refusal("tensor<128x64xf16>"), "error encoding.missing: the type has no encoding");
}

TEST(ErrorText, encoding_padded) {
  EXPECT_EQ(
      refusal("!ttg.memdesc<4x4xf16, #ttg.padded_shared<[4:+2] {order = [1, 0], shape = [4, 4]}>>"),
      "error encoding.padded: padded_shared spreads offsets in a way that is not linear\n"
      "  hint: to_linear(ENCODING, SHAPE) is the layout before the padding");
}

TEST(ErrorText, ttgir_no_layout) {
  EXPECT_EQ(refusal_of_dump("tensor<4xf16>"),
            "error ttgir.no_layout: the text has no tensor with an encoding\n"
            "  hint: a dump of TTGIR is needed: TRITON_KERNEL_DUMP=1, or compiled.asm[\"ttgir\"]");
}

TEST(ErrorText, ttgir_too_many_types) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxListedTypes; ++i) {
    text += "a.b : tensor<" + std::to_string(i) + "xf16, #a>\n";
  }
  EXPECT_EQ(refusal_of_dump(text),
            "error ttgir.too_many_types: the text has more than 4096 different types");
}

TEST(ErrorText, ttgir_element_type) {
  constexpr std::string_view kType =
      "tensor<2xcomplex<f32>, #ttg.linear<{register = [[1]], lane = [], warp = [], block = []}>>";
  const auto dump = read_ttgir("%1 = ttg.convert_layout %0 : " + std::string(kType) + " -> " +
                               std::string(kType));
  ASSERT_TRUE(dump.has_value());
  const auto move = conversion_of(*dump, dump->conversions.front());
  ASSERT_FALSE(move.has_value());
  EXPECT_EQ(move.error().to_string(),
            "error ttgir.element_type: the width of an element of type complex<f32> is not known");
}

}  // namespace
}  // namespace heddle::notation
