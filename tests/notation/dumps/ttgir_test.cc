// Dumps of TTGIR: which layouts they hold, where, and what is converted.

#include "heddle/notation/ttgir.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "heddle/notation/evaluator.h"
#include "support/shell.h"

namespace heddle::notation {
namespace {

std::string dump_file(const std::string& name) {
  const std::string text = test::contents(HEDDLE_SOURCE_DIR "/tests/notation/dumps/" + name);
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

const ListedType* find_type(const TtgirDump& dump, std::string_view text) {
  const auto found = std::ranges::find(dump.types, text, &ListedType::text);
  return found == dump.types.end() ? nullptr : &*found;
}

TEST(Ttgir, AMatmulHasEveryLayoutOnce) {
  const auto dump = read_ttgir(dump_file("matmul.ttgir"));
  ASSERT_TRUE(dump.has_value()) << dump.error().to_string();
  EXPECT_EQ(dump->target, "cuda:80");
  EXPECT_EQ(dump->num_warps, 4);
  EXPECT_EQ(dump->num_ctas, 1);
  EXPECT_EQ(dump->threads_per_warp, 32);
  EXPECT_EQ(dump->types.size(), 13U);
  for (const ListedType& listed : dump->types) {
    EXPECT_TRUE(listed.layout.has_value()) << listed.text << listed.layout.error().to_string();
  }
  const ListedType* accumulator = find_type(*dump, "tensor<64x128xf32, #mma>");
  ASSERT_NE(accumulator, nullptr);
  EXPECT_EQ(accumulator->uses, (std::vector<TypeUse>{{"arith.constant", {10}},
                                                     {"scf.for", {18}},
                                                     {"tt.dot", {25}},
                                                     {"scf.yield", {26}},
                                                     {"ttg.convert_layout", {29}}}));
}

TEST(Ttgir, AttributesAreShownAsPlainText) {
  const auto dump = read_ttgir(
      "module attributes {\"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:\x1b[2J\r90\"} {}\n"
      "%0 = tt.load %1 : tensor<4xi8, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], "
      "warpsPerCTA = [4], order = [0]}>>\n");
  ASSERT_TRUE(dump.has_value()) << dump.error().to_string();
  const std::string text = to_string(*dump);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_TRUE(text.starts_with("cuda:\uFFFD[2J\uFFFD90, 4 warps")) << text.substr(0, 40);
}

TEST(Ttgir, ALayoutIsThatOfItsExpression) {
  const auto dump = read_ttgir(dump_file("transpose.ttgir"));
  ASSERT_TRUE(dump.has_value());
  const ListedType* tensor = find_type(*dump, "tensor<64x32xf16, #blocked>");
  ASSERT_NE(tensor, nullptr);
  ASSERT_TRUE(tensor->layout.has_value());
  const auto wanted = evaluate("to_linear(gl.BlockedLayout([1,4], [4,8], [4,1], [1,0]), [64, 32])");
  ASSERT_TRUE(wanted.has_value());
  EXPECT_EQ(*tensor->layout, wanted->get<linear::LinearLayout>());
}

TEST(Ttgir, ConversionsHaveTheirSidesAndLines) {
  const auto dump = read_ttgir(dump_file("reduction.ttgir"));
  ASSERT_TRUE(dump.has_value());
  EXPECT_EQ(dump->target, "cuda:90");
  ASSERT_EQ(dump->conversions.size(), 1U);
  const ListedConversion& conversion = dump->conversions.front();
  EXPECT_EQ(conversion.line, 12U);
  EXPECT_EQ(conversion.result, "%2");
  EXPECT_EQ(dump->types[conversion.source].text,
            "tensor<16xf32, #triton_gpu.slice<{dim = 1, parent = #blocked}>>");
  EXPECT_EQ(dump->types[conversion.target].text, "tensor<16xf32, #blocked1>");
}

TEST(Ttgir, ARegionsLastLineBelongsToItsOperation) {
  const auto dump = read_ttgir(dump_file("reduction.ttgir"));
  ASSERT_TRUE(dump.has_value());
  const ListedType* summed = find_type(*dump, "tensor<16x256xf32, #blocked>");
  ASSERT_NE(summed, nullptr);
  EXPECT_EQ(summed->uses, (std::vector<TypeUse>{{"tt.reduce", {11}}}));
}

TEST(Ttgir, WhatCannotBeReadSaysWhy) {
  const auto dump = read_ttgir(
      "#mma = #ttg.cluster<{sizePerCore = [1, 4]}>\n"
      "%0 = a.b : tensor<8xf16, #mma>\n"
      "%1 = a.b : tensor<8xf16, #nothing>\n"
      "%2 = a.b : tensor<12x8xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], "
      "warpsPerCTA = [1, 1], order = [1, 0]}>>\n");
  ASSERT_TRUE(dump.has_value());
  ASSERT_EQ(dump->types.size(), 3U);
  EXPECT_EQ(dump->types[0].layout.error().code(), "encoding.unknown");
  EXPECT_EQ(dump->types[0].layout.error().notes(),
            std::vector<std::string>{"in the definition of #mma, line 1"});
  EXPECT_EQ(dump->types[1].layout.error().code(), "name.unknown");
  EXPECT_EQ(dump->types[2].layout.error().code(), "encoding.shape");
}

TEST(Ttgir, AnUnknownEncodingIsNamedWithItsLineAndTheRestIsListed) {
  const auto dump = read_ttgir(
      "#mma = #ttg.quantum_mma<{version = 3}>\n"
      "#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>\n"
      "#slice = #ttg.slice<{dim = 0, parent = #dot}>\n"
      "#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [8], warpsPerCTA = [1], "
      "order "
      "= [0]}>\n"
      "%0 = a.b : tensor<8xf16, #slice>\n"
      "%1 = a.b : tensor<8xf16, #blocked>\n");
  ASSERT_TRUE(dump.has_value());
  ASSERT_EQ(dump->types.size(), 2U);
  EXPECT_EQ(dump->types[0].layout.error().code(), "encoding.unknown");
  EXPECT_EQ(dump->types[0].layout.error().notes(),
            std::vector<std::string>{"in the definition of #mma, line 1"});
  EXPECT_TRUE(dump->types[1].layout.has_value());
}

TEST(Ttgir, AliasesInACircleAreRefused) {
  const auto dump = read_ttgir(
      "#a = #ttg.slice<{dim = 0, parent = #b}>\n#b = #ttg.slice<{dim = 0, parent = #a}>\n"
      "%0 = a.b : tensor<8xf16, #a>\n");
  ASSERT_TRUE(dump.has_value());
  EXPECT_EQ(dump->types[0].layout.error().code(), "name.unknown");
}

TEST(Ttgir, TensorMemoryAndDescriptorsHaveTheirEncodings) {
  const auto dump = read_ttgir(
      "#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth "
      "= "
      "16}>\n"
      "#smem = #ttg.shared_memory\n"
      "#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>\n"
      "tt.func @f(%arg0: !tt.tensordesc<128x64xf16, #shared>) {\n"
      "%0 = ttng.tmem_alloc : () -> !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, "
      "mutable>\n"
      "%1 = ttng.tmem_subslice %0 : !ttg.memdesc<128x128xf32, #tmem, #ttng.tensor_memory, mutable> "
      "-> !ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable, 128x128>\n"
      "%2 = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>\n");
  ASSERT_TRUE(dump.has_value());
  ASSERT_EQ(dump->types.size(), 4U);
  for (const ListedType& listed : dump->types) {
    EXPECT_TRUE(listed.layout.has_value()) << listed.text << listed.layout.error().to_string();
  }
  EXPECT_EQ(*dump->types[0].layout, *dump->types[3].layout);
  EXPECT_NE(to_string(*dump).find("  a part of a buffer of 128x128:\n"), std::string::npos);
}

TEST(Ttgir, WhatIsNotInferredYetDoesNotStopTheRest) {
  const auto listed = evaluate("ttgir_layouts('%0 = a.b : tensor<16xf16, #gluon.auto_encoding>')");
  ASSERT_TRUE(listed.has_value()) << listed.error().to_string();
  const auto* report = listed->get_if<Report>();
  ASSERT_NE(report, nullptr);
  EXPECT_EQ(report->outcome, Report::Outcome::kDone);
  EXPECT_NE(report->text.find("not inferred yet"), std::string::npos) << report->text;
}

TEST(Ttgir, ATensorOfOtherSizesIsShownPaddedToPowersOfTwo) {
  const auto dump = read_ttgir(
      "%0 = a.b : tensor<12x8xf16, #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], "
      "warpsPerCTA = [1, 1], order = [1, 0]}>>\n");
  ASSERT_TRUE(dump.has_value());
  const ListedType& listed = dump->types.front();
  EXPECT_EQ(listed.layout.error().code(), "encoding.shape");
  ASSERT_TRUE(listed.padded.has_value());
  EXPECT_EQ(listed.padded->shape, (linear::Sizes{16, 8}));
  EXPECT_TRUE(listed.is_described());
  EXPECT_NE(to_string(*dump).find("  padded to 16x8:\n   - register=1 -> (4, 0)\n"),
            std::string::npos)
      << to_string(*dump);
}

TEST(Ttgir, AliasesMayBeDefinedAfterTheirUse) {
  const auto dump = read_ttgir(
      "#a = #ttg.slice<{dim = 0, parent = #b}>\n%0 = x.y : tensor<8xf16, #a>\n"
      "#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], "
      "order = [1, 0]}>\n");
  ASSERT_TRUE(dump.has_value());
  EXPECT_TRUE(dump->types.front().layout.has_value());
}

/// A type of 4 x 32 elements under each of two orders.
constexpr std::string_view kRows =
    "#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, "
    "1], order = [1, 0]}>\n";
constexpr std::string_view kColumns =
    "#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, "
    "4], order = [0, 1]}>\n";
constexpr std::string_view kUse = "module {\n%0 = a.b : tensor<4x32xf16, #blocked>\n}\n";

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

TEST(Ttgir, AnAliasStandsForItsDefinitionInItsOwnModule) {
  const auto rows = read_ttgir(joined({kRows, kUse}));
  const auto columns = read_ttgir(joined({kColumns, kUse}));
  const auto both = read_ttgir(joined(
      {kRows, kUse, "// -----// IR Dump //----- //\n", "#loc = loc(unknown)\n", kColumns, kUse}));
  ASSERT_TRUE(both.has_value()) << both.error().to_string();
  ASSERT_EQ(both->types.size(), 2U);
  EXPECT_EQ(*both->types[0].layout, *rows->types[0].layout);
  EXPECT_EQ(*both->types[1].layout, *columns->types[0].layout);
  EXPECT_NE(*both->types[0].layout, *both->types[1].layout);
  EXPECT_EQ(both->types[0].text, both->types[1].text);
}

TEST(Ttgir, AScopeEndsAtTheSeparatorOfModules) {
  const auto dump = read_ttgir(joined({kRows, kUse, "// -----\n", kUse}));
  ASSERT_TRUE(dump.has_value());
  ASSERT_EQ(dump->types.size(), 2U);
  EXPECT_TRUE(dump->types[0].layout.has_value());
  EXPECT_EQ(dump->types[1].layout.error().code(), "name.unknown");
}

TEST(Ttgir, EncodingsOfASectionWithoutATensorAreListed) {
  const auto dump =
      read_ttgir(joined({kRows, "#smem = #ttg.shared_memory\n#bad = #ttg.blocked<{order = [0]}>\n",
                         "#map = affine_map<(d0) -> (d0)>\n#file = #llvm.di_file<\"a\" in \"b\">\n",
                         "// -----\n", kColumns, kUse}));
  ASSERT_TRUE(dump.has_value());
  ASSERT_EQ(dump->aliases.size(), 2U);
  EXPECT_EQ(dump->aliases[0].name, "#blocked");
  EXPECT_EQ(dump->aliases[0].line, 1U);
  EXPECT_TRUE(dump->aliases[0].encoding.has_value());
  EXPECT_EQ(dump->aliases[1].encoding.error().code(), "encoding.field");
  EXPECT_EQ(dump->types.size(), 1U);
  const std::string text = to_string(*dump);
  EXPECT_NE(text.find("encodings without a tensor\n\n#blocked (line 1)\n  #ttg.blocked<{"),
            std::string::npos)
      << text;
  EXPECT_TRUE(read_ttgir(kRows).has_value());
}

TEST(Ttgir, ANewScopeBeginsWithTheFirstAliasOfItsModule) {
  const std::string slice = "#slice = #ttg.slice<{dim = 0, parent = #blocked}>\n";
  const std::string use = "%1 = a.b : tensor<32xf16, #slice>\n";
  const auto dump = read_ttgir(joined({kRows, kUse, slice, kColumns, use}));
  ASSERT_TRUE(dump.has_value());
  const auto alone = read_ttgir(joined({kColumns, slice, use}));
  ASSERT_EQ(dump->types.size(), 2U);
  EXPECT_EQ(*dump->types[1].layout, *alone->types[0].layout);
}

TEST(Ttgir, TypesOfTheSameMeaningInSeveralModulesAreOne) {
  const auto dump = read_ttgir(joined({kRows, kUse, kColumns, kUse, kRows, kUse}));
  ASSERT_TRUE(dump.has_value());
  ASSERT_EQ(dump->types.size(), 2U);
  EXPECT_EQ(dump->types[0].uses, (std::vector<TypeUse>{{"a.b", {3, 11}}}));
}

TEST(Ttgir, AnAliasIsNotKnownInALaterScope) {
  const auto dump = read_ttgir(joined({"#only = #ttg.slice<{dim = 0, parent = #blocked}>\n", kRows,
                                       kUse, kColumns, "%1 = a.b : tensor<32xf16, #only>\n"}));
  ASSERT_TRUE(dump.has_value());
  EXPECT_EQ(dump->types.back().layout.error().code(), "name.unknown");
}

TEST(Ttgir, WrappedLinesAreOneStatement) {
  const std::string aliases =
      "#a = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32],\n"
      "    warpsPerCTA = [4, 1], order = [1, 0]}>\n"
      "#b =\n  #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 8],\n"
      "    warpsPerCTA = [1, 4], order = [0, 1]}>\n";
  for (const std::string_view conversion :
       {"%1 = ttg.convert_layout %a\n     : tensor<4x32xf16, #a>\n  -> tensor<4x32xf16, #b>\n",
        "%1 = ttg.convert_layout %a : tensor<4x32xf16,\n  #a> -> tensor<4x32xf16, #b>\n",
        "%1 = ttg.convert_layout %a : tensor<4x32xf16, #a> ->\n  tensor<4x32xf16, #b>\n"}) {
    const auto dump = read_ttgir(aliases + std::string(conversion));
    ASSERT_TRUE(dump.has_value()) << conversion;
    ASSERT_EQ(dump->types.size(), 2U) << conversion;
    EXPECT_EQ(dump->types[0].text, "tensor<4x32xf16, #a>");
    EXPECT_TRUE(dump->types[0].layout.has_value());
    EXPECT_TRUE(dump->types[1].layout.has_value());
    EXPECT_EQ(dump->conversions, (std::vector<ListedConversion>{{6, "%1", 0, 1}})) << conversion;
  }
}

TEST(Ttgir, AnUnclosedTypeDoesNotTakeTheNextStatement) {
  const auto dump = read_ttgir(joined(
      {kRows, "%0 = a.b : tensor<4x32xf16, #blo\n", "%1 = a.c : tensor<4x32xf16, #blocked>\n"}));
  ASSERT_TRUE(dump.has_value());
  ASSERT_EQ(dump->types.size(), 1U);
  EXPECT_EQ(dump->types[0].uses, (std::vector<TypeUse>{{"a.c", {3}}}));
}

TEST(Ttgir, QuotedTextAndPlainTensorsAreNoLayouts) {
  for (const std::string_view text :
       {"", "no dump at all", "%0 = a.b : tensor<4xf32>", "loc(\"tensor<4xf32, #blocked>\")",
        "// %0 = a.b : tensor<4xf32, #blocked>", "%0 = a.b : tensor<4xf32, #blocked"}) {
    const auto dump = read_ttgir(text);
    ASSERT_FALSE(dump.has_value()) << text;
    EXPECT_EQ(dump.error().code(), "ttgir.no_layout") << text;
  }
  EXPECT_EQ(read_ttgir(std::string_view("\0", 1)).error().code(), "syntax.encoding");
}

TEST(Ttgir, APaddedBufferSaysThatItsLayoutIsTheOneBeforeThePadding) {
  const auto dump = read_ttgir(
      "#shared = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [16, 64]}>\n"
      "%0 = ttg.local_alloc : () -> !ttg.memdesc<16x64xf16, #shared, #smem, mutable>\n");
  ASSERT_TRUE(dump.has_value());
  EXPECT_NE(to_string(*dump).find("  before the padding [64:+8]:\n   - offset=1 -> (0, 1)\n"),
            std::string::npos)
      << to_string(*dump);
}

TEST(Ttgir, ManyTypesAreRefused) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxListedTypes; ++i) {
    text += "%0 = a.b : tensor<" + std::to_string(i) + "xf16, #a>\n";
  }
  EXPECT_EQ(read_ttgir(text).error().code(), "ttgir.too_many_types");
}

TEST(Ttgir, LongLinesOfUnclosedTypesAreRead) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "tensor<1 ";
  EXPECT_EQ(read_ttgir(text).error().code(), "ttgir.no_layout");
}

}  // namespace
}  // namespace heddle::notation
