#include "heddle/notation/recognize.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "heddle/map/convert.h"
#include "heddle/map/decide.h"
#include "heddle/notation/diagnose.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/kernel.h"
#include "support/law.h"
#include "support/plain.h"

namespace heddle::notation {
namespace {

using Texts = std::vector<std::string>;

/// `name = text`, a line for each layout, under the kind.
std::string recognized(std::string_view text) {
  const auto found = recognize(text);
  return found ? to_string(*found) : found.error().code();
}

TEST(Recognize, TakesALayoutOfEverySystem) {
  EXPECT_EQ(recognized("(4,8):(8,1)"), "a CuTe layout\nL1 = (4,8):(8,1)");
  EXPECT_EQ(
      recognized("S[8:1@m]"),
      "an Axe layout\nL1 = S[8:1@m]\n# L1: assumed is the shape 8: an Axe layout states none");
  EXPECT_EQ(recognized("GroupBy([4,8])"), "a LEGO layout\nL1 = GroupBy([4,8])");
  EXPECT_EQ(recognized("{ [i] -> [2i] : 0 <= i < 4 }"),
            "a relation\nL1 = { [i] -> [2i] : 0 <= i < 4 }");
  EXPECT_EQ(recognized("[[0,1],[2,3]]"), "a table\nL1 = [[0,1],[2,3]]");
}

TEST(Recognize, TakesWhatHasPicturesOfItsOperands) {
  EXPECT_EQ(recognized("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,0))"),
            "a tiled MMA\nL1 = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1):(1,2,0))");
  const Recognized copy =
      recognize(
          "make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>, (16,8):(8,1), "
          "(1,8):(8,1))")
          .value();
  EXPECT_EQ(copy.kind, "a tiled copy");
  EXPECT_EQ(copy.layouts.size(), 1U);
}

TEST(Recognize, ReadsExpressionsWithTheNamesOfTheEnvironment) {
  Environment environment;
  environment.bind("A", evaluate("(4,8):(8,1)").value());
  const auto text = [&](std::string_view program) {
    return recognize(program, environment).value().layouts.back().text;
  };
  EXPECT_EQ(text("composition(A, 4:1)"), "composition(A, 4:1)");
  EXPECT_EQ(text("B = 4:2\ncomposition(A, B)"), "(2,2):(16,1)");
  EXPECT_EQ(text("A = 16:1\ncomposition(A, 4:2)"), "4:2");
  EXPECT_EQ(recognize("composition(A, 4:1)").error().code(), "name.unknown");
}

TEST(Recognize, GivesEachLayoutOfAProgramATextOfItsOwn) {
  EXPECT_EQ(recognized("A = (4,8):(8,1)\nB = composition(A, 4:1); C = 8:1"),
            "a program\nA = (4,8):(8,1)\nB = 4:8\nC = 8:1");
  const Recognized sized = recognize("assume M%8==0\nA = (M,8):(8,1)").value();
  EXPECT_EQ(sized.assumptions, Texts{"M%8==0"});
  EXPECT_EQ(sized.layouts.at(0).text, "(M,8):(8,1)");
  EXPECT_EQ(recognize("A = 8:1; A = 4:1").value().layouts.at(1).name, "A_2");
}

TEST(Recognize, SaysHowWideTheElementsOfATypeAre) {
  const auto bits = [](std::string_view text) {
    return recognize(text).value().layouts.at(0).element_bits;
  };
  const std::string encoding =
      "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>";
  EXPECT_EQ(bits("tensor<4xf32, " + encoding + ">"), 32);
  EXPECT_EQ(bits("tensor<4xbf16, " + encoding + ">"), 16);
  EXPECT_EQ(bits(encoding), std::nullopt);
  EXPECT_EQ(bits("(4,8):(8,1)"), std::nullopt);
}

TEST(Recognize, KeepsTheSwizzleOfATvmScript) {
  const Recognized found =
      recognize(
          "a = T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(8,64):(64,1)]))\n"
          "b = T.ComposeLayout(T.SwizzleLayout(3, 3, 3), T.TileLayout(T.S[(8,64):(64,1)]))\n"
          "c = T.ComposeLayout(unknown, T.TileLayout(T.S[(8,64):(64,1)]))\n"
          "d = T.S[8:1@m]\n@@")
          .value();
  ASSERT_EQ(found.layouts.size(), 3U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(to_string(evaluate(found.layouts[i].text).value()),
              "SW(3,3,3) o S[(8,64):(64@m,1@m)]");
  }
  EXPECT_EQ(found.layouts[2].name, "d");
  ASSERT_EQ(found.remarks.size(), 1U);
}

TEST(Recognize, NamesKernels) {
  const std::string kernel = "(X: f32[N])\n  launch cta N, threads 32\n{\n  X[bx] = 1.0\n}\n";
  EXPECT_EQ(recognized("kernel f" + kernel), "a kernel: f");
  EXPECT_EQ(recognized("# two\nkernel f" + kernel + "\n  kernel  g" + kernel), "kernels: f, g");
}

TEST(Recognize, SaysWhereAKernelIsWrong) {
  const std::string kernel =
      "A = 8:1\nkernel f(X: f32[N])\n  launch cta N, threads 32\n{\n  Y[bx] = 1.0\n}\n";
  const auto found = recognize(kernel);
  ASSERT_FALSE(found);
  const auto wanted = parse_kernels(kernel);
  ASSERT_FALSE(wanted);
  EXPECT_EQ(found.error(), wanted.error());
  ASSERT_TRUE(found.error().span());
  EXPECT_EQ(kernel.substr(found.error().span()->begin, 1), "Y");
}

TEST(Recognize, StopsSearchingInTime) {
  std::string text = "@@ ";
  for (int i = 0; i < 20000; ++i) text += "a=S[x:y@m] ";
  EXPECT_FALSE(recognize(text));
  // Uses of a layout in calls that never end.
  text = "@@\na = S[8:1@m]\n";
  for (int i = 0; i < 20000; ++i) text += "f(n, layout=a, ";
  EXPECT_TRUE(recognize(text));
}

TEST(Recognize, FindsTheLayoutsOfATvmScript) {
  const std::string script =
      "@T.prim_func\ndef f(a):\n    smem = T.TileLayout(S[(8,64):(64@m,1@m)])  # hi\n"
      "    Tx.alloc(layout=S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid], x=3)\n";
  const Recognized found = recognize(script).value();
  EXPECT_EQ(to_string(found),
            "a TVM script\nsmem = TileLayout(S[(8,64):(64@m,1@m)])\n"
            "layout = S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid]\n"
            "# smem: assumed is the shape 512: an Axe layout states none\n"
            "# layout: assumed is the shape 32: an Axe layout states none");
  for (const FoundLayout& layout : found.layouts)
    EXPECT_EQ(script.substr(layout.span->begin, layout.span->end - layout.span->begin),
              layout.text);
}

/// `A (8,64)`, a text for each layout.
Texts names_and_shapes(const Recognized& found) {
  Texts texts;
  for (const FoundLayout& layout : found.layouts) {
    const std::string assumed = layout.assumed.empty() ? "" : " assumed";
    texts.push_back(fmt::format("{} ({}){}", layout.name, fmt::join(layout.shape, ","), assumed));
  }
  return texts;
}

TEST(Recognize, CallsALayoutOfATvmScriptAsItsBufferAndTakesTheShapeOfThat) {
  const Recognized found =
      recognize(
          "BM = 16\nA_layout = T.TileLayout(T.S[(16,64):(64@m,1@m)])\n"
          "def f(P: T.Buffer((4, 8), \"float32\", layout=T.S[32:1@m])):\n"
          "    A = T.alloc_buffer((BM, 64), \"float16\", scope=\"shared\", layout=A_layout)\n"
          "    B: T.Buffer = T.alloc_buffer(\n        [8, 64], \"float16\",\n"
          "        layout=T.TileLayout(T.S[(8,64):(64@m,1@m)]))\n"
          "    C = T.alloc_buffer(shape=(4, 4), layout=S[32:1@m])\n"
          "    D = T.alloc_buffer((M, 4), layout=S[64:1@m])\n")
          .value();
  EXPECT_EQ(names_and_shapes(found), (Texts{"A_layout (16,64)", "P (4,8)", "B (8,64)",
                                            "C (32) assumed", "layout (64) assumed"}));
  EXPECT_EQ(found.remarks, Texts{"C: its buffer has the shape (4,4), and its layout 32 elements"});
}

TEST(Recognize, ReadsTheRowsOfASpreadsheet) {
  EXPECT_EQ(recognized("0\t1\n2\t3\n"), "a table\nT = [[0,1],[2,3]]");
  EXPECT_EQ(recognized("0, 4, 8"), "a table\nT = [0,4,8]");
  EXPECT_EQ(recognized("0 1\n2"), "syntax.unexpected");
}

TEST(Recognize, ReadsTheTypesOfADump) {
  const Recognized found =
      recognize(
          "#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA "
          "= [4, 1], order = [1, 0]}>\n  %3 = tt.load %2 : tensor<128x64xf16, #blocked>\n")
          .value();
  EXPECT_EQ(found.kind, "a dump of TTGIR");
  ASSERT_EQ(found.layouts.size(), 1U);
  EXPECT_EQ(found.layouts[0].name, "load");
  EXPECT_TRUE(evaluate(found.layouts[0].text)) << found.layouts[0].text;
}

TEST(Recognize, SaysOfACompilersLogWhatDiagnoseSays) {
  std::size_t logs = 0;
  std::size_t layouts = 0;
  const std::filesystem::path folder =
      std::filesystem::path(HEDDLE_SOURCE_DIR) / "tests/notation/diagnose/logs";
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file()) continue;
    std::ifstream stream(file.path());
    const std::string log((std::istreambuf_iterator<char>(stream)), {});
    const auto diagnosis = diagnose(log);
    if (!diagnosis) continue;
    ++logs;
    const auto found = recognize(log);
    ASSERT_TRUE(found) << file.path() << found.error();
    EXPECT_EQ(found->kind, "a compiler's log") << file.path();
    EXPECT_EQ(found->diagnosis, to_datum(*diagnosis)) << file.path();
    EXPECT_EQ(found->remarks.size(), diagnosis->findings.size()) << file.path();
    for (const std::string& remark : found->remarks)
      EXPECT_NE(to_string(*diagnosis).find(remark), std::string::npos) << remark;
    layouts += found->layouts.size();
    for (const FoundLayout& layout : found->layouts)
      EXPECT_TRUE(evaluate(layout.text)) << file.path() << ": " << layout.text;
  }
  EXPECT_GT(logs, 3U);
  EXPECT_GT(layouts, 3U);
}

TEST(Recognize, SaysWhereAnAssertionFailed) {
  const auto found =
      recognize("a.cu:3:1: error: static assertion failed: Shape Divisibility Condition");
  ASSERT_TRUE(found) << found.error();
  ASSERT_EQ(found->remarks.size(), 1U);
  EXPECT_TRUE(found->remarks[0].starts_with("a.cu:3: \"Shape Divisibility Condition\"\n"));
  EXPECT_TRUE(to_string(*found).find("\n#   CuTe asks: ") != std::string::npos)
      << to_string(*found);
}

// Encodings without a shape.

constexpr const char* kBlocked =
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = "
    "[1, 0]}>";

TEST(Recognize, ShowsAnEncodingOnTheSmallestTensorThatItCovers) {
  for (const std::string& text : {std::string(kBlocked), "#blocked = " + std::string(kBlocked)}) {
    const Recognized found = recognize(text).value();
    ASSERT_EQ(found.layouts.size(), 1U);
    const FoundLayout& layout = found.layouts[0];
    EXPECT_EQ(layout.name, text.starts_with("#b") ? "blocked" : "L1");
    EXPECT_EQ(layout.shape, (std::vector<std::int64_t>{16, 32}));
    EXPECT_EQ(layout.assumed, "the shape 16 x 32, the smallest tensor that the encoding covers");
    EXPECT_EQ(to_string(evaluate(layout.text).value()),
              to_string(evaluate("tensor<16x32xf16, " + std::string(kBlocked) + ">").value()));
  }
}

TEST(Recognize, ShowsEveryAliasOfADumpWithoutTypes) {
  const Recognized found =
      recognize(
          "loc(\"a\")\n#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order "
          "= [1, 0]}>\n#auto = #gluon.auto_encoding\n#mma = #ttg.nvidia_mma<{versionMajor = 2, "
          "versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>\n#left = "
          "#ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>\n")
          .value();
  EXPECT_EQ(names_and_shapes(found),
            (Texts{"shared (8,64) assumed", "mma (32,16) assumed", "left (32,16) assumed"}));
  ASSERT_EQ(found.remarks.size(), 1U);
  EXPECT_TRUE(found.remarks[0].starts_with("#auto: "));
}

TEST(Recognize, TakesTheShapeThatIsAskedFor) {
  const Recognized found = recognize(kBlocked, {}, {64, 64}).value();
  EXPECT_EQ(names_and_shapes(found), Texts{"L1 (64,64)"});
  EXPECT_EQ(names_and_shapes(recognize("S[(8,4):(4@m,1@m)]", {}, {4, 8}).value()),
            Texts{"L1 (4,8)"});
  const Recognized refused = recognize(kBlocked, {}, {3, 64}).value();
  EXPECT_TRUE(refused.layouts.empty());
  EXPECT_EQ(refused.remarks.size(), 1U);
}

TEST(RecognizeLaw, AnAxeTextIsReadWithItsShapeOrSaysWhichItAssumes) {
  test::for_all(
      {.one_in = 10, .percent = 50},
      [](test::Random& random) { return test::Operands{{test::any_layout(random, 64)}, {}}; },
      [](const test::Operands& o) -> test::Finding {
        const map::AnyLayout layout = to_layout(o.layouts[0]);
        const auto written = map::convert(layout, map::System::kAxe);
        if (!written) return test::kSaysNothing;
        const std::string text = to_string(written->layout);
        std::vector<std::int64_t> shape;
        for (const Int& size : written->shape) shape.push_back(size.value());
        const auto alone = recognize(text);
        if (!alone) return test::found(alone.error());
        const auto& read = alone->layouts.at(0);
        if (to_string(evaluate(read.text).value()) != text) return test::found(read.text);
        const Int size = axe::size(std::get<axe::Layout>(written->layout));
        if (read.assumed.empty() || read.shape != std::vector<std::int64_t>{size.value()})
          return test::found(text, " assumes what? ", read.assumed);
        const auto shaped = recognize(text, {}, shape).value().layouts.at(0);
        if (!shaped.assumed.empty() || shaped.shape != shape) return test::found(shaped.assumed);
        const Verdict same = map::equal(layout, written->layout);
        return same.is_yes() ? test::Finding(test::kHolds) : test::found(same.to_string());
      });
}

TEST(Recognize, SaysWhereATextIsWrong) {
  const auto refused = recognize("A = (4,8):(8,1)\nB = compositoin(A, 4:1)");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "name.unknown");
  EXPECT_EQ(refused.error().span()->begin, 20U);
  EXPECT_EQ(recognized(""), "syntax.unexpected");
  EXPECT_EQ(recognized("<script>alert(1)</script>"), "syntax.unexpected");
}

TEST(RecognizeLaw, WhatIsFoundMeansTheSameAlone) {
  test::for_all(
      {.one_in = 10},
      [](test::Random& random) {
        return test::Operands{{test::any_layout(random, 64), test::any_layout(random, 64)}, {}};
      },
      [](const test::Operands& o) -> test::Finding {
        const std::string text = "A = " + to_string(o.layouts[0]) +
                                 "\nB = " + to_string(o.layouts[1]) + "\nC = make_layout(A, B)";
        const auto found = recognize(text);
        if (!found) return test::found(found.error());
        if (found->layouts.size() != 3) return test::found(to_string(*found));
        const auto both = evaluate(found->layouts[2].text);
        const auto wanted =
            evaluate("make_layout(" + found->layouts[0].text + ", " + found->layouts[1].text + ")");
        if (both && wanted && to_string(*both) == to_string(*wanted)) return test::kHolds;
        return test::found(found->layouts[2].text);
      });
}

}  // namespace
}  // namespace heddle::notation
