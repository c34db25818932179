// Axe layouts as text: every spelling is read, and what is written reads back.

#include "heddle/notation/axe.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/notation/evaluator.h"
#include "support/law.h"
#include "support/random_axe.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::value;

std::string code_of(std::string_view text) {
  const auto result = evaluate(text);
  return result ? "read as " + to_string(*result) : result.error().code();
}

constexpr std::string_view kTile =
    "S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[(2):(4@warpid)] + 5@warpid";

// Spellings.

TEST(AxeText, IsReadAsItIsWritten) { EXPECT_EQ(value(kTile), kTile); }

TEST(AxeText, NamesMemoryWhereNoAxisIsNamed) {
  EXPECT_EQ(value("S[(8,64):(64,1)] + 13"), "S[(8,64):(64@m,1@m)] + 13@m");
}

TEST(AxeText, ShapesAloneAreRowMajor) {
  EXPECT_EQ(value("S[(8,64)]"), "S[(8,64):(64@m,1@m)]");
  EXPECT_EQ(value("S[8, 64]"), "S[(8,64):(64@m,1@m)]");
  EXPECT_EQ(value("S[8]"), "S[(8):(1@m)]");
  EXPECT_EQ(value("S[8] + R[2, 3]"), "S[(8):(1@m)] + R[(2,3):(3@m,1@m)]");
}

TEST(AxeText, OneIterNeedsNoParentheses) {
  EXPECT_EQ(value("S[8:1@m] + R[2:4@warpid]"), "S[(8):(1@m)] + R[(2):(4@warpid)]");
}

TEST(AxeText, PartsStandInAnyOrder) {
  EXPECT_EQ(value("5@warpid + R[2:4@warpid] + S[8:1@m] + 1@m"),
            "S[(8):(1@m)] + R[(2):(4@warpid)] + 1@m + 5@warpid");
  EXPECT_EQ(value("S[8] + 1@m + 5@warpid + R[2:1@warpid] + R[3:2@m]"),
            "S[(8):(1@m)] + R[(2,3):(1@warpid,2@m)] + 1@m + 5@warpid");
}

TEST(AxeText, OffsetsMayBeNegative) {
  EXPECT_EQ(value("S[8:-1@m] + -2@m"), "S[(8):(-1@m)] + -2@m");
  EXPECT_EQ(value("S[8] - 2@m - 3@warpid"), "S[(8):(1@m)] + -2@m + -3@warpid");
  EXPECT_EQ(value("S[8] - (2 + 3@warpid)"), "S[(8):(1@m)] + -2@m + -3@warpid");
  EXPECT_EQ(value("S[8] + -(2@m + 3@warpid)"), "S[(8):(1@m)] + -2@m + -3@warpid");
  EXPECT_EQ(value("S[8] + 2@m - 2"), "S[(8):(1@m)]");
}

TEST(AxeText, StridesOfZeroKeepTheirAxis) {
  EXPECT_EQ(value("S[(2,2):(0@laneid,0)]"), "S[(2,2):(0@laneid,0@m)]");
}

TEST(AxeText, SwizzlesStandInFront) {
  EXPECT_EQ(value("SW(3,3,3) o S[(8,64)] + 72"), "SW(3,3,3) o S[(8,64):(64@m,1@m)] + 72@m");
  EXPECT_EQ(value("SW(0,3,3,outer) o S[64]"), "SW(0,3,3,outer) o S[(64):(1@m)]");
  EXPECT_EQ(value("SW(3, 3, 3, swizzle_inner=False)@F o S[64:1@F]"),
            "SW(3,3,3,outer)@F o S[(64):(1@F)]");
  EXPECT_EQ(value("SW(3,3,3)"), "SW(3,3,3)");
  EXPECT_EQ(value("SW(3,3,3)@F"), "SW(3,3,3)@F");
  EXPECT_EQ(value("SW(0,3,3)(9)"), "8");
}

// What the printer of Apache TVM 0.27 makes of layouts, and what its scripts write.
TEST(AxeText, IsReadAsTvmPrintsIt) {
  EXPECT_EQ(value("T.TileLayout(T.S[(8, 2, 4, 2):(4 @ Axis.laneid, 1 @ Axis.warpid, "
                  "1 @ Axis.laneid, 1)] + T.R[2:4 @ Axis.warpid] + 5 @ Axis.warpid)"),
            kTile);
  EXPECT_EQ(value("T.TileLayout(T.S[8:1])"), "S[(8):(1@m)]");
  EXPECT_EQ(value("T.TileLayout(T.S[(8, 64):(64, 1)] + (13 + 2 @ Axis.warpid))"),
            "S[(8,64):(64@m,1@m)] + 13@m + 2@warpid");
  EXPECT_EQ(value("T.TileLayout(T.S[(8, 64):(64, 1)] + -2)"), "S[(8,64):(64@m,1@m)] + -2@m");
  EXPECT_EQ(value("T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(8, 64):(64, 1)]))"),
            "SW(3,3,3) o S[(8,64):(64@m,1@m)]");
  EXPECT_EQ(value("T.ComposeLayout(0, 3, 3, T.TileLayout(T.S[(8, 64):(64, 1)]), "
                  "swizzle_inner=False)"),
            "SW(0,3,3,outer) o S[(8,64):(64@m,1@m)]");
  EXPECT_EQ(value("T.Iter(8, 4, \"laneid\")"), "(8, 4@laneid)");
  EXPECT_EQ(value("T.TileLayout(T.S[(M, 64):(M * 64, 1)])"), "S[(M,64):(64*M@m,1@m)]");
}

TEST(AxeText, IsReadAsTvmScriptsWriteIt) {
  EXPECT_EQ(value("Tx.TileLayout(Tx.S[8 : 4@laneid])"), "S[(8):(4@laneid)]");
  EXPECT_EQ(value("TileLayout.from_iters([Iter(8, 4, \"laneid\")], [Iter(2, 4, Axis.warpid)], "
                  "{\"warpid\": 5})"),
            "S[(8):(4@laneid)] + R[(2):(4@warpid)] + 5@warpid");
  EXPECT_EQ(value("TileLayout.from_iters([Iter(8, 4, Axis.get(\"laneid\"))], [], "
                  "{Axis.warpid: 5})"),
            "S[(8):(4@laneid)] + 5@warpid");
  EXPECT_EQ(value("T.ComposeLayout(T.SwizzleLayout(3, 3, 3), T.TileLayout(T.S[(8, 64):(64, 1)]))"),
            "SW(3,3,3) o S[(8,64):(64@m,1@m)]");
  EXPECT_EQ(value("S[(8,4):(\"laneid\",(2,\"m\"))]"), "S[(8,4):(1@laneid,2@m)]");
}

TEST(AxeText, GoesOnInTheNextLineWithinBrackets) {
  EXPECT_EQ(value("T.TileLayout(\n  T.S[\n    (8, 2) :\n    (2, 1)\n  ]\n)"), "S[(8,2):(2@m,1@m)]");
}

TEST(AxeText, HasSymbolicSizes) {
  EXPECT_EQ(value("S[(M,64):(64@m,1)]"), "S[(M,64):(64@m,1@m)]");
  EXPECT_EQ(value("S[(K,8):(K//BK@m,1@laneid)] + K@gpuid"),
            "S[(K,8):(K//BK@m,1@laneid)] + K@gpuid");
  EXPECT_EQ(value("S[2:(M+1)@m]"), "S[(2):((M+1)@m)]");
  EXPECT_EQ(value("S[2:M%4@m]"), "S[(2):(M%4@m)]");
}

TEST(AxeText, TheNamesOfThePaperAreAxes) {
  EXPECT_EQ(value("S[(8,2):(4@lane,1@warp)]"), "S[(8,2):(4@lane,1@warp)]");
}

// LaTeX.

TEST(AxeLatex, IsReadAsThePaperWritesIt) {
  EXPECT_EQ(
      value(R"(\begin{pmatrix}8&2&4&2\\ 4@\texttt{lane}&1@\texttt{warp}&1@\texttt{lane}&)"
            R"(1@\texttt{reg}\\ \end{pmatrix}+\begin{bmatrix}2\\ 4@\texttt{warp}\end{bmatrix})"
            R"(+5@\texttt{warp})"),
      "S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[(2):(4@warp)] + 5@warp");
  EXPECT_EQ(value(R"(\begin{pmatrix}16&8&2&4\\ 128@\texttt{m}&8@\texttt{m}&4@\texttt{m}&)"
                  R"(1@\texttt{m}\end{pmatrix}\;+\;2112@\texttt{m})"),
            "S[(16,8,2,4):(128@m,8@m,4@m,1@m)] + 2112@m");
  EXPECT_EQ(value(R"(\begin{pmatrix}2&8&3&8\\ 192&8&64&1\end{pmatrix})"),
            "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]");
}

TEST(AxeLatex, IsWrittenAsThePaperWritesIt) {
  EXPECT_EQ(to_latex(parse_axe("S[(8,2):(4@lane,1@m)] + R[2:4@warp] + 5@warp").value()),
            R"(\begin{pmatrix}8&2\\ 4@\texttt{lane}&1@\texttt{m}\end{pmatrix}+)"
            R"(\begin{bmatrix}2\\ 4@\texttt{warp}\end{bmatrix}+5@\texttt{warp})");
  EXPECT_EQ(to_latex(parse_axe("SW(3,3,3) o S[(64):(1@tid_in_wg)]").value()),
            R"(\mathrm{SW}(3,3,3)\circ \begin{pmatrix}64\\ 1@\texttt{tid\_in\_wg}\end{pmatrix})");
}

// Laws.

TEST(AxeText, LawParseOfToStringIsTheLayout) {
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const axe::Layout layout = any_axe(random, {.max_size = 4096, .swizzles = true});
    const std::string text = axe::to_string(layout);
    const auto again = parse_axe(text);
    if (!again) return test::found(text, ": ", again.error().to_string());
    if (*again != layout) return test::found(text, " read as ", axe::to_string(*again));
    return test::kHolds;
  });
}

TEST(AxeLatex, LawParseOfToLatexIsTheLayout) {
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const axe::Layout layout = any_axe(random, {.max_size = 4096, .swizzles = true});
    const std::string text = to_latex(layout);
    const auto again = parse_axe(text);
    if (!again) return test::found(text, ": ", again.error().to_string());
    if (*again != layout) return test::found(text, " read as ", axe::to_string(*again));
    return test::kHolds;
  });
}

TEST(AxeText, LawAppliedItGivesItsPlaces) {
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const axe::Layout layout = any_axe(random, {.swizzles = true});
    const std::int64_t index = random.between(0, axe::size(layout).value() - 1);
    const std::string text = "(" + axe::to_string(layout) + ")(" + std::to_string(index) + ")";
    const auto places = evaluate(text);
    if (!places) return test::found(text, ": ", places.error().to_string());
    test::PlainPlaces got;
    for (const axe::Coordinate& place : places->get<Places>()) {
      test::PlainPlace plain;
      for (const auto& [axis, number] : place) plain[axis.name()] = number.value();
      got.insert(plain);
    }
    if (got == test::plain_places(layout, index)) return test::kHolds;
    return test::found(text, " is ", to_string(*places));
  });
}

// Values.

TEST(AxeValues, AreAppliedToIndicesAndPoints) {
  EXPECT_EQ(value("(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[2:4@warpid] + "
                  "5@warpid)(1,5, shape=(8,16))"),
            "{6@laneid + 1@m + 5@warpid, 6@laneid + 1@m + 9@warpid}");
  EXPECT_EQ(value("(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)])(21)"),
            value("(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)])(1,0,2,1)"));
  EXPECT_EQ(code_of("(S[(8,2,4,2)])(1,5)"), "axe.point");
  EXPECT_EQ(code_of("(S[8])(8)"), "axe.index");
}

TEST(AxeValues, EqualityComparesMaps) {
  EXPECT_EQ(value("S[(2,3,6):(18,6,1)] == S[36]"), "yes  (normal form)");
  EXPECT_EQ(value("same(S[(2,3,6):(18,6,1)], S[36])"), "false");
  EXPECT_EQ(code_of("S[8] == 8:1"), "read as yes  (digit form)");
}

TEST(AxeValues, AnOperationIsThatOfItsArguments) {
  EXPECT_EQ(value("size(S[(8,2)])"), "16");
  EXPECT_EQ(value("size((8,2))"), "16");
  EXPECT_EQ(value("group(S[(4,6)], (6,4))"), R"({"layout":"S[(6,4):(4@m,1@m)]","seps":[0,1,2]})");
  EXPECT_EQ(value("group((2,3,5):(1,2,6), 1, 3)"), "(2,(3,5)):(1,(2,6))");
}

TEST(AxeValues, RefuseSumsWithoutMeaning) {
  EXPECT_EQ(code_of("S[8] + S[8]"), "axe.sum");
  EXPECT_EQ(code_of("S[8] - R[2]"), "axe.sum");
  EXPECT_EQ(code_of("(SW(3,3,3) o S[512]) + 1"), "axe.sum");
  EXPECT_EQ(value("(SW(3,3,3) o S[512]) + 512"), "SW(3,3,3) o S[(512):(1@m)] + 512@m");
  EXPECT_EQ(code_of("SW(3,3,3) o SW(3,3,3) o S[512]"), "axe.sum");
  EXPECT_EQ(code_of("S[8] o S[8]"), "call.type");
  EXPECT_EQ(code_of("SW(3,3,3) o 8:1"), "call.type");
  EXPECT_EQ(code_of("S[8] * 2"), "call.type");
}

TEST(AxeValues, RefuseItersThatDoNotMatch) {
  EXPECT_EQ(code_of("S[(8,2,4):(4@laneid,1@m)]"), "axe.iters");
  EXPECT_EQ(code_of("S[((8,2),4):(4,1)]"), "call.type");
  EXPECT_EQ(code_of("S[(8,2):((4,2),1)]"), "call.type");
  EXPECT_EQ(code_of("S[0]"), "axe.extent");
  EXPECT_EQ(code_of("S[8] + R[0:1]"), "axe.extent");
}

TEST(AxeSyntax, IsRefusedWithItsPlace) {
  for (const char* text :
       {"S[", "S[]", "S[8", "S[8:", "S[8:1@]", "S[8,4:2]", "S[(8,4):(2@laneid,1@m]", "SW(3,3)",
        "SW(3,3,3,sideways)", "4@", "4@0@laneid", "\\begin{pmatrix}8\\end{bmatrix}",
        "\\begin{pmatrix}8&2\\\\ 1&2\\\\ 3&4\\end{pmatrix}", "\\foo", "T.", "8:1:2@m"}) {
    const auto result = evaluate(text);
    ASSERT_FALSE(result) << text << " is " << to_string(*result);
    EXPECT_TRUE(result.error().code().starts_with("syntax.")) << result.error().to_string(text);
    EXPECT_TRUE(result.error().span()) << text;
  }
}

// Strict mode.

TEST(AxeText, AnAxisHasANameThatReadsBack) {
  for (const std::string name : {"a b", "", "o", "_", "5", "1x", "x@y"}) {
    const auto made = evaluate("TileLayout.from_iters([Iter(2, 1, \"" + name + "\")])");
    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().code(), "call.type") << name;
  }
}

TEST(AxeText, MethodsOfTvmAreCalledOnTheInnerLayout) {
  const std::string tiled = value("tile(S[(2,3):(3,1)], S[(8,8):(8,1)], [[2,3],[8,8]])");
  EXPECT_EQ(value("S[(8,8):(8,1)].tile(S[(2,3):(3,1)], [[2,3],[8,8]])"), tiled);
  EXPECT_EQ(value("S[4:1].direct_sum(S[2:8], [[2],[4]])"), "S[(2,4):(8@m,1@m)]");
}

TEST(AxeText, MethodsOfTvmTakeTheShapesOneByOne) {
  const std::string tiled = "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]";
  EXPECT_EQ(value("S[(8,8)].tile(S[(2,3)], (2,3), (8,8))"), tiled);
  EXPECT_EQ(value("S[(8,8)].tile(S[(2,3)], outer_shape=(2,3), inner_shape=(8,8))"), tiled);
  EXPECT_EQ(value("S[(8,8)].tile_to((16,24), (8,8))"), tiled);
  EXPECT_EQ(value("S[(8,8)].is_tile_inner(" + tiled + ", (16,24), (8,8))"), "S[(6):(1@m)]");
  EXPECT_EQ(value("S[8:1].is_tile_inner(S[64:1], tiled_shape=[64], inner_shape=[8])"),
            "S[(8):(1@m)]");
  EXPECT_EQ(value("S[(2,3)].is_tile_outer(" + tiled + ", (16,24), (2,3))"), "S[(64):(1@m)]");
  EXPECT_EQ(value("S[(2,2):(4,1)].is_direct_sum_right(S[16], (4,4), (2,2))"),
            value("direct_sum_left_of(S[16], S[(2,2):(4,1)], [[4,4],[2,2]])"));
  EXPECT_EQ(value("S[(2,2):(8,2)].is_direct_sum_left(S[16], (4,4), (2,2))"),
            value("direct_sum_right_of(S[16], S[(2,2):(8,2)], [[4,4],[2,2]])"));
}

TEST(AxeText, AxesNeedNoQuotes) {
  EXPECT_EQ(value("Iter(8, 2, tx)"), "(8, 2@tx)");
  EXPECT_EQ(value("Iter(2, 64, Axis.tid_in_wg)"), "(2, 64@tid_in_wg)");
  EXPECT_EQ(value("span(S[8:2@laneid], laneid)"), "15");
  EXPECT_EQ(value("S[(8,4,2):(4@laneid,1@laneid,1@m)].size(laneid)"), "32");
  EXPECT_EQ(value("size(S[(8,2):(4@laneid,1@m)] + R[2:1@m], \"m\")"), "2");
  EXPECT_EQ(value("size(S[(8,2):(4@laneid,1@m)], wgid)"), "1");
  EXPECT_EQ(code_of("Iter(8, 2, lanid)"), "name.unknown");
  EXPECT_EQ(code_of("size((4,8):(1,4), m)"), "name.unknown");
}

TEST(AxeText, ConstructorsOfTvm) {
  EXPECT_EQ(value("mma_shared_layout(\"float16\", 3, (128,64))"),
            value("mma_shared_layout(16, 128, (128,64))"));
  EXPECT_EQ(value("mma_shared_layout(\"float8_e4m3fn\", SwizzleMode.SWIZZLE_64B_ATOM, (3,16,64))"),
            value("mma_shared_layout(8, 64, (3,16,64))"));
  EXPECT_EQ(code_of("mma_shared_layout(\"float16\", 128, (128,64))"), "axe.mma_shared");
  EXPECT_EQ(code_of("mma_shared_layout(\"halv\", 3, (128,64))"), "call.type");
  EXPECT_EQ(value("tcgen05_atom_layout(\"32x32b\", (128,32), \"bfloat16\")"),
            "S[(128,32):(1@tid_in_wg,1@m)]");
  EXPECT_EQ(value("tvm.tirx.layout.TileLayout(tvm.tirx.layout.S[8:1@tx])"), "S[(8):(1@tx)]");
}

TEST(AxeText, PartsAreMethodsOfNothing) {
  EXPECT_EQ(code_of("T.S[8]"), "read as S[(8):(1@m)]");
  EXPECT_EQ(code_of("smem.S[8]"), "syntax.unexpected");
  EXPECT_EQ(code_of("a.b.R[8]"), "syntax.unexpected");
}

TEST(AxeText, OffsetsUnifyWithTheirAxes) {
  EXPECT_EQ(value("unify_threads(S[(4,32):(1@warpid,1@laneid)] + 5@warpid)"),
            "S[(128):(1@tx)] + 160@tx");
  EXPECT_EQ(value("unify_threads(S[8:4@laneid] + 1@laneid + 2@warpid + 64)"),
            "S[(8):(4@tx)] + 64@m + 65@tx");
  EXPECT_EQ(value("unify_threads(S[32:1@laneid] + 1@wgid + 2@wid_in_wg, \"warpgroup\")"),
            "S[(32):(1@tid_in_wg)] + 64@tid_in_wg + 1@wgid");
}

TEST(AxeStrict, RefusesAxesThatNothingDeclares) {
  Environment environment;
  EXPECT_TRUE(evaluate("S[8:1@stage]", environment));
  environment.be_strict();
  const auto refused = evaluate("S[8:1@lanid]", environment);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "axe.unknown_axis");
  EXPECT_EQ(refused.error().hint(), "did you mean laneid or lane?");
  EXPECT_EQ(evaluate("S[8:1@stage]", environment).error().code(), "axe.unknown_axis");
  EXPECT_EQ(evaluate("Iter(8, 1, \"stage\")", environment).error().code(), "axe.unknown_axis");
  ASSERT_TRUE(environment.declare_axis("stage: memory"));
  EXPECT_TRUE(evaluate("S[8:1@stage] + 2@laneid", environment));
}

TEST(AxeStrict, DeclarationsSayWhatAnAxisCounts) {
  EXPECT_EQ(parse_axis("stage: memory").value().kind, axe::AxisKind::kMemory);
  EXPECT_EQ(parse_axis(" gpu : device ").value().kind, axe::AxisKind::kDevice);
  const axe::AxisInfo quad = parse_axis("quad: warp in cta").value();
  EXPECT_EQ(quad.kind, axe::AxisKind::kThread);
  EXPECT_EQ(quad.inner, axe::Scope::kWarp);
  EXPECT_EQ(quad.outer, axe::Scope::kCta);
  for (const char* text : {"", "stage", "stage:", "stage: banana", "8: memory", "a: cta in warp"}) {
    EXPECT_EQ(parse_axis(text).error().code(), "axe.axis_syntax") << text;
  }
  Environment environment;
  EXPECT_EQ(environment.declare_axis("laneid: memory").error().code(), "axe.axis_declared");
}

}  // namespace
}  // namespace heddle::notation
