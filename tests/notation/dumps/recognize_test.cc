#include "heddle/notation/recognize.h"

#include <gtest/gtest.h>

#include "heddle/notation/evaluator.h"
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
  EXPECT_EQ(recognized("S[8:1@m]"), "an Axe layout\nL1 = S[8:1@m]");
  EXPECT_EQ(recognized("GroupBy([4,8])"), "a LEGO layout\nL1 = GroupBy([4,8])");
  EXPECT_EQ(recognized("{ [i] -> [2i] : 0 <= i < 4 }"),
            "a relation\nL1 = { [i] -> [2i] : 0 <= i < 4 }");
  EXPECT_EQ(recognized("[[0,1],[2,3]]"), "a table\nL1 = [[0,1],[2,3]]");
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

TEST(Recognize, TakesKernels) {
  const std::string kernel =
      "kernel f(X: f32[N])\n  launch cta N, threads 32\n{\n  X[bx] = 1.0\n}\n";
  EXPECT_EQ(recognized(kernel), "kernels: see what they do under Kernels");
}

TEST(Recognize, StopsSearchingInTime) {
  std::string text = "@@ ";
  for (int i = 0; i < 20000; ++i) text += "a=S[x:y@m] ";
  EXPECT_FALSE(recognize(text));
}

TEST(Recognize, FindsTheLayoutsOfATvmScript) {
  const std::string script =
      "@T.prim_func\ndef f(a):\n    smem = T.TileLayout(S[(8,64):(64@m,1@m)])  # hi\n"
      "    Tx.alloc(layout=S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid], x=3)\n";
  const Recognized found = recognize(script).value();
  EXPECT_EQ(to_string(found),
            "a TVM script\nsmem = TileLayout(S[(8,64):(64@m,1@m)])\n"
            "layout = S[(8,4):(4@laneid,1@laneid)] + R[2:4@warpid]");
  for (const FoundLayout& layout : found.layouts)
    EXPECT_EQ(script.substr(layout.span->begin, layout.span->end - layout.span->begin),
              layout.text);
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

TEST(Recognize, ReadsTheCallsOfACompilersLog) {
  const auto found =
      recognize("a.cu:3:1: error: static assertion failed: Shape Divisibility Condition");
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->kind, "a compiler's log");
  EXPECT_EQ(found->remarks, Texts{"a.cu:3: Shape Divisibility Condition"});
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
