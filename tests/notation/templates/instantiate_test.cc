#include "heddle/notation/instantiate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace heddle::notation {
namespace {

using emit::Dialect;

/// The filled template, or `CODE at LINE:COLUMN in FILE` for what is refused.
std::string filled(std::string_view text, std::string_view layouts,
                   Dialect dialect = Dialect::kCpp) {
  const auto refusal = [](const Diagnostic& diagnostic, std::string_view source) {
    const std::string lines = diagnostic.to_string(source);
    const std::size_t place = lines.find("  line ");
    return diagnostic.code() + " at " +
           (place == std::string::npos
                ? "?"
                : lines.substr(place + 2, lines.find('\n', place) - place - 2));
  };
  InstantiateOptions options;
  options.dialect = dialect;
  const LayoutsFile files[] = {{"layouts", layouts}};
  const auto made = instantiate(text, files, std::move(options));
  if (made) return made->text;
  const Span place = made.error().span().value_or(Span{});
  if (place.begin <= text.size()) return refusal(made.error(), text);
  const std::size_t before = text.size() + 1;
  return "layouts: " +
         refusal(Diagnostic(made.error()).with_span({place.begin - before, place.end - before}),
                 layouts);
}

// What placeholders hold.

TEST(Instantiate, IndexesLayoutsOfEverySystem) {
  EXPECT_EQ(filled("a[{{ L[i, j] }}]", "L = (4,8):(8,1)"), "a[(i << 3) + j]");
  EXPECT_EQ(filled("a[{{ L(i, j) }}]", "L = (4,8):(8,1)"), "a[(i << 3) + j]");
  EXPECT_EQ(filled("a[{{ L[i, j] }}]", "L = Sw<2,0,3> o 0 o (8,8):(8,1)"),
            "a[(i & 3) ^ ((i << 3) + j)]");
  EXPECT_EQ(filled("a[{{ L[i, j] }}]", "L = GroupBy([M,N]).OrderBy(Col(M,N))"), "a[M * j + i]");
  EXPECT_EQ(filled("a[{{ L[i, j] }}]", "L = S[(8,4):(4,1)]"), "a[(i << 2) + j]");
  EXPECT_EQ(filled("a[{{ L[i, j, k] }}]", "L = S[(8,4,2):(4@laneid,1@laneid,1@m)]"),
            "template.several at line 1, column 6");
  EXPECT_EQ(filled("a[{{ L[i, j, k].m2 }}]", "L = S[(8,4,2):(4@laneid,1@laneid,1@m)]"),
            "template.several at line 1, column 6");
  EXPECT_EQ(filled("a[{{ L[i, j, k].laneid }}]", "L = S[(8,4,2):(4@laneid,1@laneid,1@m)]"),
            "a[(i << 2) + j]");
  EXPECT_EQ(filled("a[{{ L[c] }}]", "L = relation(\"{ [c] -> [3c + 1] : 0 <= c < 8 }\")"),
            "a[3 * c + 1]");
}

TEST(Instantiate, MlirHasNumbersAndFunctionsOnly) {
  const auto mlir = [](std::string_view text) {
    return filled(text, "L = (4,8):(8,1)", Dialect::kMlir);
  };
  EXPECT_EQ(mlir("memref<{{ size(L) }}xf32>"), "memref<32xf32>");
  EXPECT_EQ(mlir("arith.constant {{ L.guard[3, 7] }}"), "arith.constant true");
  EXPECT_EQ(mlir("%x = {{ L[i, j] }}"), "print.operation at line 1, column 9");
  EXPECT_EQ(mlir("%x = {{ L.guard[i, j] }}"), "print.operation at line 1, column 9");
  const std::string function = mlir("{{ emit(L, 'mlir', 'f') }}");
  EXPECT_TRUE(emit::is_built(Dialect::kMlir) ? function.starts_with("// f: the map")
                                             : function.starts_with("emit.target"))
      << function;
}

TEST(Instantiate, TakesCoordinatesOfTheProgram) {
  // A coordinate lies in its dimension: ty+1 < 16 says that ty/16 is 0.
  EXPECT_EQ(filled("x = {{ L[ty + 1, 0] }};", "L = ((4,4),2):((1,8),100)"),
            "x = ((ty + 1) << 1) - ((ty + 1) & 3);");
  EXPECT_EQ(filled("x = {{ L[t] }};", "assume 0 <= t < 8\nL = (4,8):(8,1)"),
            "x = (t >> 2) + ((t & 3) << 3);");
  EXPECT_EQ(filled("x = {{ A[M - 1 - i, j] }};", "A = GroupBy([M,N])"), "x = j - N - N * (i - M);");
}

TEST(Instantiate, IndicesStandWithinExpressions) {
  EXPECT_EQ(filled("x = {{ 2 * L[i, j] + 1 }};", "L = (4,8):(8,1)"),
            "x = (i << 4) + (j << 1) + 1;");
  EXPECT_EQ(filled("x = {{ n }};", "L = (4,8):(8,1)\nn = L[L[i, 0] // 8, 0]"), "x = i << 3;");
  EXPECT_EQ(filled("x = {{ L[1 + (L[0, i] - 1), j] }};", "L = (9,9):(9,1)"), "x = 9 * i + j;");
  EXPECT_EQ(filled("{{ L.guard[L[0, i], 0] }}", "L = (9,9):(9,1)\nassume i >= 0"), "true");
  EXPECT_EQ(filled("{{ L[i, j] < 8 }}", "L = (4,8):(8,1)"), "(i << 3) + j < 8");
  EXPECT_EQ(filled("{{ xs[1] + xs[0] }}", "xs = [3,4]"), "7");
}

TEST(Instantiate, CoordinatesOfUnknownSignLieInTheirDimension) {
  EXPECT_EQ(filled("x = {{ L[i + m, j] }};", "L = ((4,2),8):((8,1),100)"),
            "x = 100 * j + ((i + m) >> 2) + (((i + m) & 3) << 3);");
  EXPECT_EQ(filled("x = {{ L[i - m] }};", "L = (3,5):(5,1)"),
            "x = 5 * (i - m) - 14 * ((i - m) / 3);");
  // The same coordinate is the same wherever it stands.
  EXPECT_EQ(filled("x = {{ n - L[i - m] }};", "L = (3,5):(5,1)\nn = L[i - m]"), "x = 0;");
  EXPECT_EQ(filled("x = {{ L.guard[i + m, j] }};", "L = ((4,2),8):((8,1),100)"),
            "x = 0 <= (i + m) && (i + m) < 8 && 0 <= j && j < 8;");
  EXPECT_EQ(filled("x = {{ L[m - 9 // n] }};", "L = (3,5):(5,1)"),
            "assume.needed at line 1, column 8");
  EXPECT_EQ(filled("x = {{ L[m - 9 // n] }};", "assume n <= -1\nL = (3,5):(5,1)"),
            "x = 5 * (m + 9 / (-n)) - 14 * ((m + 9 / (-n)) / 3);");
}

TEST(Instantiate, TakesRelationsOnAnyDomain) {
  const char* triangle = "L = relation(\"{ [i, j] -> [8i + j] : 0 <= j <= i < 10 }\")";
  EXPECT_EQ(filled("x = {{ L[i + m, j] }};", triangle), "x = ((i + m) << 3) + j;");
  EXPECT_EQ(filled("{{ L.guard[i, j] }}", triangle),
            "0 <= i && i < 10 && 0 <= j && j < 10 && j <= i");
  const char* parts = "L = relation(\"{ [i] -> [i] : 0 <= i < 4; [i] -> [3i] : 6 <= i < 9 }\")";
  EXPECT_EQ(filled("x = {{ L[i] }};", parts), "x = i < 4 ? i : 3 * i;");
  // Where points begin before 0 a function is called.
  const std::string called =
      filled("x = {{ L[i] }};", "L = relation(\"{ [i] -> [i + 3] : -3 <= i < 4 }\")");
  EXPECT_NE(called.find("heddle_index_L_guard("), std::string::npos) << called;
  EXPECT_TRUE(called.ends_with("\nx = heddle_index_L(i);")) << called;
}

TEST(Instantiate, ManyPiecesOfARelationAreAFunction) {
  std::string layouts = "L = relation(\"{ ";
  for (int k = 0; k < 12; ++k) {
    layouts += fmt::format("{0}[i, j] -> [{1}i + j] : {2} <= i < {2} + 1 and 0 <= j <= {3}",
                           k == 0 ? "" : "; ", k * 37 % 101, k, k % 7);
  }
  layouts += " }\")";
  EXPECT_TRUE(filled("2 * {{ L[i, j] }}", layouts).ends_with("\n2 * heddle_index_L(i, j)"));
  EXPECT_EQ(filled("{{ L[i, j] }}", layouts, Dialect::kLatex),
            "template.long_expression at line 1, column 4");
  EXPECT_EQ(filled("{{ L.guard[i, j] }}", layouts).substr(0, 21), "0 <= i && i < 12 && 0");
  EXPECT_EQ(filled("{{ L() }}", "L = relation(\"{ [] -> [] }\")"),
            "template.value at line 1, column 4");
}

TEST(Instantiate, ListsOfNumbersAreTables) {
  EXPECT_EQ(filled("{{ T[i, j] }} {{ T[p] }} {{ T.guard[i, j] }}", "T = [[0,1,2],[3,5,4]]"),
            "((3 * i + j) >> 2) ^ (3 * i + j) p ^ (p >> 2) 0 <= i && i < 2 && 0 <= j && j < 3");
  EXPECT_EQ(filled("{{ U[2] }}", "U = [1,3,2,0]"), "2");
  const std::string looked_up = filled("x = {{ 2 * V[i] }};", "V = [0,5,1,9,77,3,-8,2,66,12]");
  EXPECT_NE(looked_up.find("{\n      0, 5, 1, 9, 77, 3, -8, 2, 66, 12};"), std::string::npos);
  EXPECT_TRUE(looked_up.ends_with("x = heddle_index_V(i) * 2;")) << looked_up;
}

TEST(Instantiate, IndicesStandWithinCoordinatesOfUnknownSign) {
  EXPECT_EQ(filled("x = {{ L[L[k, m + k], k - i] }};", "L = ((3,2),4):((8,16),3)").substr(0, 19),
            "x = 3 * (k - i) - (");
  EXPECT_EQ(filled("x = {{ 2 * L[i - m, j].laneid + 1 }};", "L = S[(8,4):(4@laneid,1@m)]"),
            "x = (i - m) * 8 + 1;");
}

TEST(Instantiate, StandsBesideOtherText) {
  const char* layouts = "C = (4,8):(8,1)";
  EXPECT_EQ(filled("{{ C[3, 4] }}.real", layouts, Dialect::kPython), "(28).real");
  EXPECT_EQ(filled("2^{{ C[i, j] }} x_{{ C[0, 1] }}", layouts, Dialect::kLatex),
            "2^{8 i + j} x_{1}");
}

TEST(Instantiate, AnExpansionKeepsWhatIsAccessed) {
  const char* layouts = "L = ExpandBy([100], [128], TileBy([4], [32]))";
  EXPECT_EQ(filled("x = {{ L[b, t] }};", layouts), "x = (b << 5) + t;");
  EXPECT_EQ(filled("x = {{ L[f] }};", layouts), "x = f;");
}

TEST(Instantiate, RefusesACoordinateOfAGuardAtItsPlace) {
  EXPECT_EQ(filled("x = {{ L.guard[i, 3 // 0] }};", "L = (64,8):(8,1)"),
            "arithmetic.zero_divisor at line 1, column 19");
}

TEST(Instantiate, IndicesOfThreadsAreUnsigned) {
  const auto cuda = [](std::string_view text) {
    return filled(text, "L = (64,8):(8,1)", Dialect::kCuda);
  };
  EXPECT_EQ(cuda("{{ L.guard[threadIdx.x + 1, j] }}"), "(int)threadIdx.x < 63 && 0 <= j && j < 8");
  EXPECT_EQ(cuda("{{ L[blockDim.x - 1 - threadIdx.x, 0] }}"),
            "((int)blockDim.x - (int)threadIdx.x) * 8 - 8");
  EXPECT_EQ(cuda("{{ 1 <= blockDim.y }}{{ L[0, 0] }}"), "true0");
  EXPECT_EQ(cuda("{{ L[warp.x, 0] }}"), "warp.x << 3");
}

TEST(Instantiate, TakesMembersForNames) {
  EXPECT_EQ(filled("i = {{ L[blockIdx.x, threadIdx.y + 1] }};", "L = GroupBy([n, 32])"),
            "i = (blockIdx.x << 5) + threadIdx.y + 1;");
  EXPECT_EQ(filled("x = {{ L[a.b.c, a.b.c] }};", "L = GroupBy([2, 2])"), "x = 3 * a.b.c;");
  EXPECT_EQ(filled("x = {{ L[p.o, 0] }};", "L = GroupBy([2, 2])"), "x = p.o << 1;");
  // No two of them are one.
  EXPECT_EQ(filled("x = {{ L[a_b, a.b] }};", "L = GroupBy([2, 2])"), "x = (a_b << 1) + a.b;");
  EXPECT_EQ(filled("x = {{ L[a.b_c, a_b.c] }};", "L = GroupBy([2, 2])"),
            "x = (a.b_c << 1) + a_b.c;");
  EXPECT_EQ(filled("x = {{ L[a.b, n] }};", "a_b = 1; L = GroupBy([2, 2]); n = a_b"),
            "x = (a.b << 1) + 1;");
  EXPECT_EQ(filled("if ({{ L.guard[t.x, t.y] }}) f();", "L = (4,8):(8,1)"),
            "if (0 <= t.x && t.x < 4 && 0 <= t.y && t.y < 8) f();");
}

TEST(Instantiate, ComputesWithNames) {
  EXPECT_EQ(filled("float s[{{ cosize(L) }}];", "L = (32,32):(33,1)"), "float s[1055];");
  EXPECT_EQ(filled("float s[{{ cosize(L) + T }}];", "T = 8\nL = GroupBy([T,T])"), "float s[72];");
  EXPECT_EQ(filled("x = {{ n }};", "assume M >= 1, K >= 1\nn = M * K // 2"), "x = (K * M) >> 1;");
  EXPECT_EQ(filled("{{ ok }}", "ok = injective((4,8):(8,1))"), "true");
  EXPECT_EQ(filled("{{ ok }}", "ok = 2 < 1", Dialect::kPython), "False");
}

TEST(Instantiate, AsksComparisonsOfTheProgram) {
  const char* layouts = "assume 0 <= a < 3, M >= 1, N >= 1\nlimit = 2\nuse = M + N";
  EXPECT_EQ(filled("if ({{ a < limit }}) f({{ use }});", layouts), "if (a < 2) f(M + N);");
  EXPECT_EQ(filled("b = {{ a == limit }}, {{ use }}", layouts, Dialect::kPython),
            "b = a == 2, M + N");
  EXPECT_EQ(filled("if ({{ a < limit + 1 }}) f({{ use }});", layouts), "if (true) f(M + N);");
  EXPECT_EQ(filled("{{ s }}", "assume 0 <= a < 3\ns = a < 2"),
            "layouts: template.value at line 2, column 5");
}

TEST(Instantiate, JoinsConditionsOfTheProgram) {
  const char* layouts = "L = 8:3\nM = 3:1";
  const std::string all =
      "{{ not L.guard[i] or not (i < j and M.guard[i]) }}; {{ if L.guard[i] then L[i] else M[2] }};"
      " {{ 2 * (L[i] if L.guard[i] and i != j else -1) + 1 }}";
  EXPECT_EQ(filled(all, layouts),
            "!(0 <= i && i < 8) || !(i < j && 0 <= i && i < 3); 0 <= i && i < 8 ? 3 * i : 2; "
            "(0 <= i && i < 8 && i != j ? 3 * i : -1) * 2 + 1");
  EXPECT_EQ(filled(all, layouts, Dialect::kPython),
            "not (0 <= i and i < 8) or not (i < j and 0 <= i and i < 3); "
            "3 * i if 0 <= i and i < 8 else 2; "
            "((3 * i if 0 <= i and i < 8 and i != j else -1) << 1) + 1");
  EXPECT_EQ(filled("{{ not L.guard[i] and M.guard[i] }}", layouts, Dialect::kTriton),
            "(((0 <= i) & (i < 8)) == 0) & ((0 <= i) & (i < 3))");
  EXPECT_EQ(filled("{{ L[M[j] if M.guard[j] else 2] }}", layouts), "3 * (0 <= j && j < 3 ? j : 2)");
  // Names in conditions are variables of the program; elsewhere somebody has to define them.
  EXPECT_EQ(filled("{{ if i < 3 then L[i] else M[1] }}", layouts), "i < 3 ? 3 * i : 1");
  EXPECT_EQ(filled("{{ if i < 3 then k else L[M[0]] }}", layouts),
            "name.unknown at line 1, column 18");
  // What is known decides.
  EXPECT_EQ(
      filled("{{ injective(L) and M.guard[i] }}{{ not injective(L) and M.guard[i] }}", layouts),
      "(0 <= i && i < 3)false");
  EXPECT_EQ(filled("{{ L[0] and M.guard[i] }}", layouts), "call.type at line 1, column 4");
  EXPECT_EQ(filled("{{ n }}", "n = if not 2 < 1 and not false then 3 else 4"), "3");
}

TEST(Instantiate, GuardsComputeWhatTheirCoordinatesDo) {
  const char* layouts = "assume M >= 1, N >= 1, i >= 0\nL = GroupBy([M,N])\nA = 3:1";
  EXPECT_EQ(filled("{{ L.guard[j + 3, i - 2] }} {{ A.guard[j] }}", layouts),
            "-3 <= j && j + 3 < M && 2 <= i && i - 2 < N 0 <= j && j < 3");
  EXPECT_EQ(filled("{{ A.guard[j - (3 + k)] }}", "A = 3:1"),
            "0 <= (j - (3 + k)) && (j - (3 + k)) < 3");
  // Constants may change sides.
  EXPECT_EQ(filled("{{ A.guard[j + 3] }} {{ A.guard[4 * j] }}", "A = 30:1"),
            "-3 <= j && j < 27 0 <= j && j < 8");
}

TEST(Instantiate, PastesFunctions) {
  const std::string text = filled("{{ emit(L, \"cuda\", \"tile\") }}\n", "L = (4,8):(8,1)");
  EXPECT_NE(text.find("struct tile_accessor {"), std::string::npos) << text;
}

TEST(Instantiate, SaysWhatTheGuardIs) {
  EXPECT_EQ(filled("if ({{ A.guard[i, j] }}) f();", "assume 0 <= i, 0 <= j\nA = GroupBy([M,N])"),
            "if (i < M && j < N) f();");
  EXPECT_EQ(filled("if ({{ A.guard[i] }}) f();", "assume 0 <= i < 4\nA = (2,2):(1,2)"),
            "if (true) f();");
  EXPECT_EQ(filled("x = !{{ A.guard[i] }};", "A = 8:1"), "x = !(0 <= i && i < 8);");
  // The conditions of an ExpandBy, asked within the box.
  EXPECT_EQ(filled("if ({{ A.guard[b, t] }}) a[{{ A[b, t] }}] = 0;",
                   "assume 0 <= b < 4, 0 <= t < 32, 1 <= N <= 128\n"
                   "A = ExpandBy([N], [128], TileBy([4],[32]))"),
            "if ((b << 5) + t < N) a[(b << 5) + t] = 0;");
}

TEST(Instantiate, WritesRangesOfTriton) {
  EXPECT_EQ(filled("p = a + {{ A[m, k, :, :] }}\n",
                   "assume M % BM == 0, K % BK == 0\n"
                   "A = TileBy([M//BM, K//BK], [BM, BK]).OrderBy(Row(M, K))",
                   Dialect::kTriton),
            "p = a + K * (BM * m + tl.arange(0, BM)[:, None]) + BK * k + tl.arange(0, BK)[None, "
            ":]\n");
  EXPECT_EQ(filled("p = {{ A[:] }}", "A = (8):(2)", Dialect::kTriton), "p = tl.arange(0, 8) << 1");
  EXPECT_EQ(filled("p = {{ A[:] }}", "A = (8):(2)"), "template.range at line 1, column 8");
  EXPECT_EQ(filled("m = {{ A.guard[b, :] }}",
                   "assume 0 <= b < 4, 1 <= N <= 128\n"
                   "A = ExpandBy([N], [128], TileBy([4],[32]))",
                   Dialect::kTriton),
            "m = (b << 5) + tl.arange(0, 32) < N");
}

// Where they stand.

TEST(Instantiate, PutsSumsIntoParenthesesWhereSomethingBindsThem) {
  const auto in_place = [](const std::string& text) {
    return filled(text, "assume M >= 1, N >= 1\ns = M + N");
  };
  EXPECT_EQ(in_place("x = {{ s }};"), "x = M + N;");
  EXPECT_EQ(in_place("x = a + {{ s }};"), "x = a + M + N;");
  EXPECT_EQ(in_place("x = a - {{ s }};"), "x = a - (M + N);");
  EXPECT_EQ(in_place("x = {{ s }} * 2;"), "x = (M + N) * 2;");
  EXPECT_EQ(in_place("x = 2 * {{ s }};"), "x = 2 * (M + N);");
  EXPECT_EQ(in_place("x = a *\n    {{ s }};"), "x = a *\n    (M + N);");
  EXPECT_EQ(in_place("x = ({{ s }}\n  * 2);"), "x = ((M + N)\n  * 2);");
  EXPECT_EQ(in_place("f({{ s }}, a[{{ s }}])"), "f(M + N, a[M + N])");
  EXPECT_EQ(in_place("x <= {{ s }};"), "x <= (M + N);");
  EXPECT_EQ(in_place("return {{ s }};"), "return M + N;");
  EXPECT_EQ(in_place("#define S {{ s }}\n"), "#define S (M + N)\n");
  EXPECT_EQ(in_place("(int){{ s }}"), "(int)(M + N)");
}

TEST(Instantiate, KnowsTheCommentsOfALanguage) {
  const char* layouts = "assume M >= 1, N >= 1\ns = M + N";
  EXPECT_EQ(filled("x = {{ s }} // 2\n", layouts, Dialect::kPython), "x = (M + N) // 2\n");
  EXPECT_EQ(filled("x = {{ s }} # 2\n", layouts, Dialect::kPython), "x = M + N # 2\n");
  EXPECT_EQ(filled("x = {{ s }} /* c */ * 2;\n", layouts), "x = (M + N) /* c */ * 2;\n");
  EXPECT_EQ(filled("x = ({{ s }} // c\n  * 2);\n", layouts), "x = ((M + N) // c\n  * 2);\n");
  EXPECT_EQ(filled("x = a * // c,\n {{ s }};\n", layouts), "x = a * // c,\n (M + N);\n");
  EXPECT_EQ(filled("x = {{ s }}\n#ifdef A\n* 2\n#endif\n;", layouts),
            "x = (M + N)\n#ifdef A\n* 2\n#endif\n;");
  EXPECT_EQ(filled("x = a *+ {{ s }};\n", layouts), "x = a *+ (M + N);\n");
}

TEST(Instantiate, ComputesWideProductsInTheirWidth) {
  EXPECT_EQ(filled("p[{{ L[i, j] }}]", "L = (4,8):(2147483648,1)"), "p[i * 2147483648LL + j]");
}

TEST(Instantiate, RefusesElementsForCoordinates) {
  EXPECT_EQ(filled("p[{{ L[a[0], j] }}]", "L = (4,8):(8,1)"), "call.type at line 1, column 6");
}

TEST(Instantiate, PutsBitsIntoParenthesesInSums) {
  const auto in_place = [](const std::string& text) {
    return filled(text, "L = Sw<2,0,3> o 0 o (8,8):(8,1)");
  };
  EXPECT_EQ(in_place("x = 1 + {{ L[i, j] }};"), "x = 1 + ((i & 3) ^ ((i << 3) + j));");
  EXPECT_EQ(in_place("x = {{ L[i, j] }} + 1;"), "x = ((i & 3) ^ ((i << 3) + j)) + 1;");
}

// Helpers, comments.

TEST(Instantiate, BringsTheFunctionsThatExpressionsCall) {
  const std::string text = filled("x = {{ h }};\n", "assume -9 <= i < 9\nh = i // 3");
  EXPECT_EQ(text.find("#include <cstdint>"), 0U) << text;
  EXPECT_NE(text.find("x = heddle_quotient(i, 3);"), std::string::npos) << text;
  EXPECT_EQ(
      filled("import triton\nx = {{ h }}\n", "assume -9 <= i < 9\nh = i // 3", Dialect::kTriton),
      "template.helpers at line 2, column 8");
  EXPECT_EQ(filled("import triton\n{{ helpers }}\nx = {{ h }}\n", "assume -9 <= i < 9\nh = i // 3",
                   Dialect::kTriton)
                .find("import triton\n"),
            0U);
}

TEST(Instantiate, TypesOfTheFunctionsAreDeclared) {
  const char* layouts = "assume i >= -9\nx = i // 4 + i // (i + 12)";
  const std::string made = filled("{{ helpers }}\nn = {{ x }};", layouts, Dialect::kC);
  EXPECT_EQ(made.substr(0, 43), "#include <stdbool.h>\n#include <stdint.h>\n\ns") << made;
  const std::string own = "#include <stdint.h>\n{{ helpers }}\nn = {{ x }};";
  EXPECT_EQ(filled(own, layouts, Dialect::kC).substr(0, 21), "#include <stdint.h>\ns");
}

TEST(Instantiate, KeepsTheWidthOfTheProgram) {
  const std::string text =
      filled("int x = {{ m }};\n", "assume M >= 1, N >= 1\nm = min(M, N)", Dialect::kCuda);
  EXPECT_NE(text.find("constexpr int32_t heddle_min(int32_t a, int32_t b)"), std::string::npos);
  EXPECT_NE(text.find("constexpr int64_t heddle_min(A a, B b)"), std::string::npos) << text;
  EXPECT_EQ(filled("int x = {{ m }};\n", "assume M >= 1, N >= 1\nm = min(M, N)", Dialect::kOpenCl),
            "int x = min(M, N);\n");
}

TEST(Instantiate, AssumesOfBoundNamesWhatTheyAre) {
  EXPECT_EQ(filled("x = {{ L[t] }};", "T = 32\nassume 0 <= t < T\nL = (T,2):(2,1)"), "x = t << 1;");
}

TEST(Instantiate, SaysWhereExpressionsComeFrom) {
  InstantiateOptions options;
  options.dialect = Dialect::kPython;
  options.name = "k.py.in";
  const LayoutsFile files[] = {{"k.heddle", "L = (4,\n  8):(8,1)"}};
  EXPECT_EQ(instantiate("#!/usr/bin/python3\nx = {{ L[i,\n j] }}\n", files, options)->text,
            "#!/usr/bin/python3\n"
            "# Made by heddle instantiate from k.py.in and k.heddle: edit these, not this file.\n"
            "#   line 2: L[i, j]\n"
            "#   L = (4, 8):(8,1)\n"
            "\n"
            "x = (i << 3) + j\n");
}

// Refusals.

TEST(Instantiate, RefusesWithPlaces) {
  EXPECT_EQ(filled("a\n  {{ x }}", ""), "name.unknown at line 2, column 6");
  EXPECT_EQ(filled("a\n  {{ L[i, + }}", "L = (4,8):(8,1)"),
            "syntax.unbalanced at line 2, column 7");
  EXPECT_EQ(filled("{{ L[i, j, k] }}", "L = (4,8):(8,1)"), "usage.expression at line 1, column 4");
  EXPECT_EQ(filled("{{ L }}", "L = (4,8):(8,1)"), "template.value at line 1, column 4");
  EXPECT_EQ(filled("{{ shape(L) }}", "L = (4,8):(8,1)"), "template.value at line 1, column 4");
  EXPECT_EQ(filled("", "L = (4,8):(8,1)\nM = (2):(1)"),
            "layouts: template.unused at line 1, column 1");
  EXPECT_EQ(filled("{{ L[i] }}", "L = (4):(8)\nL = (2):(1)"),
            "layouts: template.redefined at line 2, column 1");
  EXPECT_EQ(filled("{{ A[i] }}", "A = (M):(2)\nM = 8"),
            "layouts: template.redefined at line 2, column 1");
  EXPECT_EQ(filled("", "(4):(1)"), "layouts: template.statement at line 1, column 1");
  EXPECT_EQ(filled("", "assert injective((4,8):(8,2))"),
            "layouts: template.claim at line 1, column 8");
  EXPECT_EQ(filled("{{ x }}", "x = i + 1"), "layouts: name.unknown at line 1, column 5");
  EXPECT_EQ(filled("{{ L[int] }}", "L = (4):(8)"), "print.name at line 1, column 4");
}

}  // namespace
}  // namespace heddle::notation
