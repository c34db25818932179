// Triton's attributes and types, in its spellings of today and before, and Gluon's.

#include "heddle/notation/triton.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/linear.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::refused;
using test::value;

constexpr std::string_view kBlockedText =
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = "
    "[1, 0]}>";

Environment with_aliases() {
  Environment environment;
  environment.bind("#blocked", *evaluate(kBlockedText));
  environment.bind("#mma", *evaluate("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, "
                                     "warpsPerCTA = [4, 1], instrShape = [16, 8]}>"));
  return environment;
}

TEST(TritonAttribute, ADialectMayBeLeftOut) {
  EXPECT_EQ(value("#blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = "
                  "[4, 1], order = [1, 0]}>"),
            value(kBlockedText));
  EXPECT_EQ(value("#padded_shared<[128:+4] {order = [1, 0], shape = [8, 128]}>"),
            value("#ttg.padded_shared<[128:+4] {order = [1, 0], shape = [8, 128]}>"));
}

TEST(TritonAttribute, OlderFormsOfAmdsAttributesAreRead) {
  const auto same = [](std::string_view older, std::string_view current) {
    const auto a = parse_encoding(older);
    const auto b = parse_encoding(current);
    ASSERT_TRUE(a.has_value()) << a.error();
    ASSERT_TRUE(b.has_value()) << b.error();
    EXPECT_EQ(*a, *b) << older;
  };
  same(
      "#triton_gpu.amd_mfma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [2, 2], instrShape "
      "= [32, 32], isTransposed = true}>",
      "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32], isTransposed = "
      "true, tilesPerWarp = [1, 1], elementBitWidth = 32}>");
  same(
      "#ttg.amd_wmma<{version = 2, warpsPerCTA = [2, 4], CTAsPerCGA = [1, 1], CTASplitNum = [1, "
      "1], CTAOrder = [1, 0]}>",
      "#ttg.amd_wmma<{version = 2, ctaLayout = {register = [], warp = [[0, 1], [0, 2], [1, "
      "0]]}}>");
  same(
      "#ttg.amd_wmma<{version = 3, isTranspose = true, warpsPerCTA = [2, 2], tilesPerWarp = [2, "
      "2], instrShape = [16, 16, 32]}>",
      "#ttg.amd_wmma<{version = 3, isTransposed = true, ctaLayout = {register = [[0, 1], [1, 0]], "
      "warp = [[0, 2], [2, 0]]}, instrShape = [16, 16, 32]}>");
}

TEST(TritonAttribute, PrintedAttributesReadBack) {
  for (const std::string_view text :
       {kBlockedText,
        std::string_view("#ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 4], "
                         "threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>}>"),
        std::string_view("#ttg.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0]], warp = [], "
                         "block = []}>"),
        std::string_view("#ttg.generic_linear<{register = [[0, 1]], lane = [[1, 0]], warp = [[0, "
                         "2], [2, 2]], block = []}>"),
        std::string_view("#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, "
                         "1], instrShape = [16, 64, 16]}>"),
        std::string_view("#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, "
                         "8], isTransposed = true}>"),
        std::string_view("#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, "
                         "4], isTransposed = false, CGALayout = [[1, 0]], tilesPerWarp = [2, 1], "
                         "elementBitWidth = 64}>"),
        std::string_view("#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {}}>"),
        std::string_view("#ttg.amd_wmma<{version = 1, isTranspose = false, rank = 3, ctaLayout = "
                         "{}}>"),
        std::string_view("#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {register = "
                         "[[2, 0]], warp = [[2, 1], [1, 0]]}, CGALayout = [[0, 1]], instrShape = "
                         "[16, 16, 32]}>"),
        std::string_view("#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = "
                         "[1, 0]}>"),
        std::string_view("#ttg.partitioned_shared<{numPartitions = 2, numGroups = 4, partitionDim "
                         "= 0, partitionLayout = #ttg.padded_shared<[256:+8] {order = [1, 0], "
                         "shape = [16, 32]}>}>"),
        std::string_view("#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, "
                         "versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = "
                         "2}>"),
        std::string_view("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, "
                         "0]}>"),
        std::string_view("#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                         "elementBitWidth = 16}>"),
        std::string_view("#ttg.shared_linear<{offset = [[0, 1], [1, 0]]}, alignment = 16>"),
        std::string_view("#ttg.padded_shared<[512:+16] {order = [1, 0], shape = [16, 32]}>"),
        std::string_view("#ttg.padded_shared<[64:+8, 128:+4] {offset = [[1, 0], [0, 1]], block = "
                         "[[1, 1]]}>"),
        std::string_view("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>"),
        std::string_view("#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = "
                         "[4], order = [0], CGALayout = [[1], [0]]}>")}) {
    const auto encoding = parse_encoding(text);
    ASSERT_TRUE(encoding.has_value()) << encoding.error().to_string(text);
    EXPECT_EQ(to_string(*encoding), text);
    const auto again = encoding_of(to_datum(*encoding));
    ASSERT_TRUE(again.has_value()) << again.error().to_string();
    EXPECT_EQ(*again, *encoding) << text;
  }
}

TEST(TritonAttribute, FormerSpellingsAreTheSameEncodings) {
  EXPECT_EQ(value("#triton_gpu.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], "
                  "warpsPerCTA = [4, 1], order = [1, 0], CTAsPerCGA = [1, 1], CTASplitNum = [1, "
                  "1], CTAOrder = [1, 0]}>"),
            kBlockedText);
  EXPECT_EQ(value("#triton_gpu.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], "
                  "hasLeadingOffset = false}>"),
            "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>");
  EXPECT_EQ(value("#triton_gpu.shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [0, 1], "
                  "hasLeadingOffset = true}>"),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = "
            "16}>");
  EXPECT_EQ(value("#triton_gpu.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = "
                  "[4], order = [0], CTAsPerCGA = [4], CTASplitNum = [2], CTAOrder = [0]}>"),
            "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = "
            "[0], CGALayout = [[1], [0]]}>");
  EXPECT_EQ(value("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1, "
                  "CTASplitM = 1, CTASplitN = 1>"),
            "#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>");
}

TEST(TritonAttribute, GluonNamesAreTheSameEncodings) {
  for (
      const std::string_view text :
      {"gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])", "BlockedLayout([1,4],[4,8],[4,1],[1,0])",
       "ttgl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[4, 8], warps_per_cta=[4, 1], "
       "order=[1, 0])",
       "gluon.language.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0], ctas_per_cga=[1, 1], "
       "cta_split_num=[1, 1], cta_order=[1, 0])",
       R"({"kind":"blocked","sizePerThread":[1,4],"threadsPerWarp":[4,8],"warpsPerCTA":[4,1],"order":[1,0]})"}) {
    EXPECT_EQ(value(text), kBlockedText) << text;
  }
  EXPECT_EQ(value("ttgl.NVMMASharedLayout(swizzle_byte_width=128, element_bitwidth=16, rank=2, "
                  "transposed=True)"),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = "
            "16}>");
}

TEST(TritonAttribute, AliasesAreBoundAndUsed) {
  const Environment environment = with_aliases();
  EXPECT_EQ(value("#blocked", environment), kBlockedText);
  EXPECT_EQ(value("#ttg.slice<{dim = 0, parent = #blocked}>", environment).substr(0, 44),
            "#ttg.slice<{dim = 0, parent = #ttg.blocked<{");
  EXPECT_EQ(value("to_linear(#blocked, [16, 32]) == tensor<16x32xf16, #blocked>", environment),
            "yes  (basis by basis)");
  EXPECT_EQ(refused("#nothing", environment).code(), "name.unknown");
  EXPECT_EQ(refused("tensor<16x32xf16, #nothing>", environment).span(), (Span{18, 26}));
  EXPECT_EQ(refused("#ttg.slice<{dim = 0, parent = #nothing}>", environment).span(),
            (Span{30, 38}));
}

TEST(TritonAttribute, BadAttributesAreRefused) {
  EXPECT_EQ(refused("#ttg.blocked<{sizePerThread = [1, 4]}>").code(), "encoding.field");
  EXPECT_EQ(refused("#ttg.blocked<{sizePerThread = [1, 4], wings = 2}>").code(), "encoding.field");
  EXPECT_EQ(refused("#ttg.slice<{dim = true, parent = #ttg.x}>").code(), "encoding.field");
  EXPECT_EQ(refused("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], "
                    "wings = 2}>")
                .message(),
            "swizzled_shared has no field 'wings'");
  EXPECT_EQ(refused("#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], "
                    "vec = 4}>")
                .message(),
            "swizzled_shared has 'vec' twice");
  EXPECT_EQ(refused("#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenM>").message(),
            "blockRepOrder of tensor_memory_scales_encoding is 'kThenM'; mnThenK or kThenMn is "
            "needed");
  EXPECT_EQ(refused("#ttg.slice<{dim = -9223372036854775808, parent = #ttg.x}>").code(),
            "encoding.field");
  EXPECT_EQ(refused("#ttg.amd_mfma<{version = 3}>").message(), "amd_mfma has no warpsPerCTA");
  EXPECT_EQ(refused("#ttg.amd_wmma<{version = 1}>").message(), "amd_wmma has no ctaLayout");
  EXPECT_EQ(refused("#ttg.amd_wmma<{version = 1, ctaLayout = {lane = [[0, 1]]}}>").message(),
            "ctaLayout has no field 'lane'");
  EXPECT_EQ(refused("#ttg.amd_wmma<{version = 1, ctaLayout = {warp = [[0, 2]]}}>").code(),
            "linear.not_surjective");
  EXPECT_EQ(refused("#ttg.amd_wmma<{version = 1, rank = 9, ctaLayout = {}}>").code(),
            "encoding.field");
  EXPECT_EQ(refused("#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = "
                    "0}>")
                .message(),
            "partitioned_shared has no partitionLayout");
  EXPECT_EQ(refused("#ttg.cluster<{sizePerCore = [1, 4]}>").code(), "encoding.unknown");
  EXPECT_EQ(refused("#ttg.blocked<{sizePerThread = }>").code(), "syntax.attribute");
  EXPECT_EQ(refused("#ttg.blocked<{sizePerThread = [1").code(), "syntax.unbalanced");
  EXPECT_EQ(refused("#ttg.linear<{register = [], lane = [], warp = [], block = []}>").code(),
            "encoding.field");
  EXPECT_EQ(
      refused("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, unpacked = true>").code(),
      "encoding.field");
}

TEST(TritonAttribute, NestingIsBounded) {
  std::string text = "#ttg.x<{a = 1}>";
  for (int i = 0; i < 40; ++i) text = "#ttg.slice<{dim = 0, parent = " + text + "}>";
  EXPECT_EQ(refused(text).code(), "syntax.too_deep");
  std::string list = "1";
  for (int i = 0; i < 100; ++i) list = "[" + list + "]";
  EXPECT_EQ(refused("#ttg.blocked<{order = " + list + "}>").code(), "syntax.too_deep");
}

TEST(TritonType, HasTheLayoutOfItsShape) {
  const Environment environment = with_aliases();
  const std::string layout = value("to_linear(#blocked, [128, 64])", environment);
  EXPECT_EQ(value("tensor<128x64xf16, #blocked>", environment), layout);
  EXPECT_EQ(value("tensor<128x64x!tt.ptr<f16>, #blocked>", environment), layout);
  EXPECT_EQ(value("to_linear(#blocked, (128, 64))", environment), layout);
  EXPECT_EQ(value("encoding_to_linear_layout(shape=[128, 64], encoding=#blocked)", environment),
            layout);
  EXPECT_EQ(value("tensor<128xf16, #ttg.slice<{dim = 1, parent = #blocked}>>", environment),
            value("to_linear(gl.SliceLayout(1, #blocked), 128)", environment));
}

TEST(TritonType, OfOtherSizesIsDescribedAsFarAsTheEncodingGoes) {
  const std::string encoding =
      "#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>";
  const std::string type = "tensor<96xf16, " + encoding + ">";
  const Result<Value> value = evaluate(type);
  ASSERT_TRUE(value) << value.error();
  const std::string head =
      "no layout has the sizes 96, which are not all powers of two; padded to 128:\n";
  EXPECT_EQ(to_string(*value), head + to_string(*evaluate("tensor<128xf16, " + encoding + ">")));
  // Where a layout is needed there is none.
  const Result<Value> asked = evaluate("size(" + type + ")");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code(), "encoding.shape");
  Environment environment;
  environment.bind("T", *value);
  const Result<Value> bound = evaluate("show(T)", environment);
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code(), "encoding.shape");
}

TEST(TritonType, OfVoltaIsRefusedWithTheReason) {
  const Result<Value> value = evaluate(
      "tensor<32x64xf32, #triton_gpu.nvidia_mma<{versionMajor = 1, versionMinor = 3, warpsPerCTA = "
      "[2, 2], CTAsPerCGA = [1, 1], CTASplitNum = [1, 1], CTAOrder = [0, 1], instrShape = [16, "
      "16]}>>");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code(), "encoding.unsupported");
  EXPECT_NE(value.error().message().find("Volta"), std::string::npos);
}

TEST(TritonType, OfABufferIsTheLayoutOfOneStage) {
  const std::string shared =
      "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
  const std::string layout = value("to_linear(" + shared + ", [64, 64])");
  EXPECT_EQ(value("!ttg.memdesc<64x64xf16, " + shared + ", #ttg.shared_memory>"), layout);
  EXPECT_EQ(value("!ttg.memdesc<3x64x64xf16, " + shared + ", #smem, mutable>"), layout);
  EXPECT_EQ(value("!ttg.memdesc<64x64xf16, " + shared + ", #smem, mutable, 3x64x64>"), layout);
  EXPECT_EQ(value("!tt.tensordesc<64x64xf16, " + shared + ">"), layout);
  EXPECT_EQ(value("!tt.tensordesc<tensor<64x64xf16, " + shared + ">>"), layout);
  EXPECT_EQ(value("!ttng.tensordesc_im2col<64x64xf16, " + shared + ">"), layout);
  EXPECT_EQ(value("!triton_gpu.memdesc<64x64xf16, " + shared + ", #triton_gpu.shared_memory>"),
            layout);
}

TEST(TritonType, OfAPartOfABufferHasTheOffsetsOfTheWhole) {
  const std::string shared =
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>";
  EXPECT_EQ(value("!ttg.memdesc<4x2xf16, " + shared + ", #smem, mutable, 4x4>"),
            " - offset=1 -> (0, 1)\n   offset=2 -> (0, 0)\n   offset=4 -> (1, 1)\n"
            "   offset=8 -> (2, 0)\n - block is a size 1 dimension\n"
            "where out dims are: [dim0 (size 4), dim1 (size 2)]");
  EXPECT_EQ(value("!ttg.memdesc<2x4xf16, " + shared + ", #smem, mutable, 4x4>"),
            value("to_linear(" + shared + ", [2, 4])"));
  EXPECT_EQ(refused("!ttg.memdesc<8x4xf16, " + shared + ", #smem, mutable, 4x4>").code(),
            "encoding.shape");
}

TEST(TritonType, TheFirstAttributeOfABufferIsItsEncodingWhateverItsName) {
  Environment environment;
  environment.bind(
      "#tmem", *evaluate("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>"));
  EXPECT_EQ(value("!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>", environment),
            value("to_linear(#tmem, [128, 64])", environment));
  EXPECT_EQ(refused("!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory>").code(), "name.unknown");
}

TEST(TritonType, EarlierVersionsHaveDefaults) {
  const std::string mma = "#triton_gpu.nvidia_mma<{versionMajor = 2, warpsPerCTA = [4, 1]}>";
  EXPECT_EQ(value(mma),
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape "
            "= [16, 8]}>");
  EXPECT_EQ(refused("#ttg.nvidia_mma<{versionMajor = 3, warpsPerCTA = [4, 1]}>").code(),
            "encoding.field");
  const auto operand = [](std::string_view k_width) {
    return "#ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, "
           "warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>" +
           std::string(k_width) + "}>";
  };
  EXPECT_EQ(value("tensor<64x64xf16, " + operand("") + ">"),
            value("tensor<64x64xf16, " + operand(", kWidth = 2") + ">"));
  EXPECT_EQ(value("tensor<64x64xf8E5M2, " + operand("") + ">"),
            value("tensor<64x64xf16, " + operand(", kWidth = 4") + ">"));
  EXPECT_EQ(value("#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = [], order "
                  "= [1, 0]}>"),
            "#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = []}>");
}

TEST(TritonAttribute, MarkersStandForTheEncodingInThem) {
  EXPECT_EQ(value("#tlx.user_layout<" + std::string(kBlockedText) + ">"), kBlockedText);
  EXPECT_EQ(value("#tlx.no_verify_layout<#tlx.user_layout<#tlx.no_verify_layout<#blocked>>>",
                  with_aliases()),
            kBlockedText);
  EXPECT_EQ(value("#ttg.slice<{dim = 0, parent = #tlx.user_layout<#blocked>}>", with_aliases())
                .substr(0, 44),
            "#ttg.slice<{dim = 0, parent = #ttg.blocked<{");
  EXPECT_EQ(refused("#tlx.user_layout<4>").code(), "syntax.attribute");
  std::string text = std::string(kBlockedText);
  for (int i = 0; i < 40; ++i) text = "#tlx.user_layout<" + text + ">";
  EXPECT_EQ(refused(text).code(), "syntax.too_deep");
}

TEST(TritonAttribute, PlaceholdersAreReadAndHaveNoLayoutYet) {
  for (const std::string_view text :
       {"#gluon.auto_encoding", "#gluon.coalesced_encoding", "#tlx.dummy_tmem_layout<>",
        "#tlx.dummy_register_layout<[128, 64], f16>"}) {
    EXPECT_EQ(value(text), text);
    EXPECT_EQ(refused("tensor<16xf16, " + std::string(text) + ">").code(), "encoding.not_inferred");
    const auto encoding = parse_encoding(text);
    ASSERT_TRUE(encoding.has_value());
    EXPECT_EQ(encoding_of(to_datum(*encoding)), *encoding);
  }
  EXPECT_EQ(value("gl.AutoLayout()"), "#gluon.auto_encoding");
  EXPECT_EQ(value("ttgl.CoalescedLayout()"), "#gluon.coalesced_encoding");
  EXPECT_EQ(refused("tensor<16xf16, #ttg.slice<{dim = 0, parent = #gluon.auto_encoding}>>").code(),
            "encoding.not_inferred");
}

TEST(TritonAttribute, AnAttributeThatIsNoEncodingMayHaveAnyBody) {
  EXPECT_EQ(refused("#cuda_tile.di_file<\"a.py\" in \"/tmp\">").code(), "encoding.unknown");
  EXPECT_EQ(refused("#ttg.blocked<\"a.py\">").code(), "syntax.attribute");
}

TEST(TritonAttribute, IntelsAreReadBack) {
  for (const std::string_view text :
       {"#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 4, "
        "fp4KPack = 2, threadsPerWarp = 16, warpsPerCTA = [4, 4], repCluster = [4, 2], A = [32, "
        "32], B = [32, 32], C = [32, 32]}>",
        "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, "
        "threadsPerWarp = 16, warpsPerCTA = [1, 4, 2], repCluster = [1, 1, 1], A = [1, 8, 16], B = "
        "[1, 16, 16], C = [1, 8, 16]}>",
        "#ttig.subgroup_2d_block<{warpsPerCTA = [8, 4], instrShape = [16, 16], numBlocks = 2, "
        "order = [0, 1], kWidth = 2, threadsPerWarp = 16}>",
        "#ttig.warp<{sizePerThread = [16, 64], threadsPerWarp = [1, 1], order = [1, 0]}>",
        "#ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1, twoCTAs = true, "
        "ctaMode = twocta_rhs>"}) {
    const auto encoding = parse_encoding(text);
    ASSERT_TRUE(encoding.has_value()) << encoding.error().to_string(text);
    EXPECT_EQ(to_string(*encoding), text);
    EXPECT_EQ(encoding_of(to_datum(*encoding)), *encoding) << text;
  }
}

TEST(TritonAttribute, ALinearLayoutIsWrittenByTheInputsOfRegisters) {
  EXPECT_EQ(value("LinearLayout(register=[[0, 1]], lane=[[1, 0]], warp=[], block=[]) == "
                  "to_linear(#ttg.linear<{register = [[0, 1]], lane = [[1, 0]], warp = [], block = "
                  "[]}>, [2, 2])"),
            "yes  (basis by basis)");
  EXPECT_EQ(refused("LinearLayout(register=3)").code(), "encoding.field");
  EXPECT_EQ(refused("LinearLayout(register=[[0, 1]], crd=4)").code(), "call.arity");
}

TEST(TritonAttribute, GluonChoosesTheDefaultSwizzle) {
  const auto of = [](std::string_view arguments) {
    return value("gl.NVMMASharedLayout.get_default_for(" + std::string(arguments) + ")");
  };
  EXPECT_EQ(of("[128, 64], gl.float16"),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = "
            "16}>");
  EXPECT_EQ(of("[256, 64], ttgl.float32, cga_layout=((1, 0), )"),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = "
            "32, CGALayout = [[1, 0]]}>");
  EXPECT_EQ(of("[32, 128], gl.int8, transposed=True"),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = true, elementBitWidth = 8}>");
  EXPECT_EQ(of("[64], gl.bfloat16"),
            "#ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16, "
            "rank = 1}>");
  EXPECT_EQ(refused("gl.NVMMASharedLayout.get_default_for([128, 64], gl.quaternion)").code(),
            "call.arity");
  EXPECT_EQ(value("gl.PaddedSharedLayout.with_identity_for([[4, 2]], [8, 4], [1, 0], [[1, 0]])"),
            value("#ttg.padded_shared<[4:+2] {order = [1, 0], shape = [8, 4], CGALayout = [[1, "
                  "0]]}>"));
  EXPECT_EQ(
      value("_TensorMemoryLinearLayout(rows=[[1, 0], [2, 0]], cols=[[0, 1]], shape=[4, 2]) == "
            "LinearLayout({\"row\": [[1, 0], [2, 0]], \"col\": [[0, 1]]}, [\"dim0\", "
            "\"dim1\"])"),
      "yes  (basis by basis)");
  EXPECT_EQ(value("blackwell.TensorMemoryScalesLayout(cga_layout=[[0, 0]])"),
            "#ttng.tensor_memory_scales_encoding<CGALayout = [[0, 0]]>");
}

TEST(TritonType, BadTypesAreRefused) {
  EXPECT_EQ(refused("tensor<128x64xf16>").code(), "encoding.missing");
  EXPECT_EQ(refused("tensor<128x64xf16, #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [128, "
                    "64]}>>")
                .code(),
            "encoding.padded");
  EXPECT_EQ(refused("tensor<128x64, #ttg.x>").code(), "syntax.type");
  EXPECT_EQ(refused("tensor<128x64xf16, #ttg.x, 3>").code(), "encoding.unknown");
  EXPECT_EQ(refused("tensor<128x64xf16").code(), "syntax.unbalanced");
  EXPECT_EQ(refused("size(tensor<96x64xf16, #blocked>)", with_aliases()).code(), "encoding.shape");
  EXPECT_EQ(refused("tensor<64xf16, #blocked>", with_aliases()).code(), "encoding.rank");
}

TEST(TritonEncoding, PaddedSharedLayoutTakesTheCtasUnderEitherName) {
  const std::string call =
      "gl.PaddedSharedLayout(interval_padding_pairs=[[4,2]], offset_bases=[[1],[2]], ";
  const std::string encoding = value(call + "block_bases=[], shape=[4])");
  EXPECT_EQ(value(call + "cga_layout=[], shape=[4])"), encoding);
  EXPECT_EQ(value("gl.PaddedSharedLayout([[4,2]], [[1],[2]], [], [4])"), encoding);
  EXPECT_EQ(refused(call + "block_bases=[], cga_layout=[], shape=[4])").code(), "call.keyword");
}

TEST(TritonType, WhatStandsBehindTheSizesNamesAType) {
  for (const std::string_view sizes : {"?x64xf16", "128x?xf16", "128x64x?xf16", "128x64x-4xf16",
                                       "128x64x99999999999999999999xf16"}) {
    const std::string text = "tensor<" + std::string(sizes) + ", #blocked>";
    EXPECT_EQ(refused(text, with_aliases()).code(), "syntax.type") << sizes;
  }
  EXPECT_EQ(refused("tensor<128x?xf16, #blocked>", with_aliases()).message(),
            "'tensor<128x?xf16, #blocked>' has the size ? in dim1; a layout needs sizes that are "
            "numbers");
}

TEST(TritonType, ElementsHaveWidths) {
  EXPECT_EQ(element_bit_width("f16"), 16);
  EXPECT_EQ(element_bit_width("bf16"), 16);
  EXPECT_EQ(element_bit_width("i1"), 1);
  EXPECT_EQ(element_bit_width("f8E4M3FN"), 8);
  EXPECT_EQ(element_bit_width("!tt.ptr<f16>"), 64);
  EXPECT_EQ(element_bit_width("vector<4xf32>"), std::nullopt);
}

TEST(TritonBatch, EncodingsGoInAndOutAsObjects) {
  EXPECT_EQ(
      answer(
          R"j({"id":1,"op":"to_linear","kwargs":{"shape":[32],"encoding":{"kind":"blocked","sizePerThread":[1],"threadsPerWarp":[4],"warpsPerCTA":[4],"order":[0],"cga":{"ctasPerCGA":[4],"ctaSplitNum":[2],"ctaOrder":[0]}}}})j"),
      R"j({"id":1,"ok":true,"result":{"ins":[["register",[]],["lane",[[1],[2]]],["warp",[[4],[8]]],["block",[[16],[0]]]],"outs":[["dim0",32]]}})j");
  EXPECT_EQ(
      answer(
          R"j({"id":2,"op":"SliceLayout","args":[0,"gl.BlockedLayout([1,4],[4,8],[4,1],[1,0])"]})j"),
      R"j({"id":2,"ok":true,"result":{"kind":"slice","dim":0,"parent":{"kind":"blocked","sizePerThread":[1,4],"threadsPerWarp":[4,8],"warpsPerCTA":[4,1],"order":[1,0]}}})j");
}

}  // namespace
}  // namespace heddle::notation
