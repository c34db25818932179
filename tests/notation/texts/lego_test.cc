#include "heddle/notation/lego.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/lego/equality.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/explain.h"
#include "heddle/notation/parser.h"
#include "support/law.h"
#include "support/random_lego.h"

namespace heddle::notation {
namespace {

std::string evaluated(std::string_view text, const Environment& environment = {}) {
  const Result<Value> value = evaluate(text, environment);
  return value ? to_string(*value) : value.error().code();
}

Diagnostic refusal(std::string_view text, const Environment& environment = {}) {
  const Result<Value> value = evaluate(text, environment);
  return value ? Diagnostic("", "not refused: " + to_string(*value)) : value.error();
}

/// The code of a refusal with its place.
std::string span_of_refusal(std::string_view text) {
  const Diagnostic diagnostic = refusal(text);
  if (!diagnostic.span()) return diagnostic.code();
  return fmt::format("{} {}-{}", diagnostic.code(), diagnostic.span()->begin,
                     diagnostic.span()->end);
}

constexpr std::string_view kFigure2 =
    "GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse))";

TEST(LegoText, APermutationIsAskedAsItsTile) {
  EXPECT_EQ(evaluated("Row(4,8)(1,2)"), "10");
  EXPECT_EQ(evaluated("Col(4,8)[1,2]"), "9");
  EXPECT_EQ(evaluated("Col(4,8).inv(9)"), "[1,2]");
  EXPECT_EQ(evaluated("GenP([3,2],reverse).apply([2,1])"), "0");
  EXPECT_EQ(evaluated("GenP([3,2],reverse).inv(0)"), "[2,1]");
  EXPECT_EQ(span_of_refusal("Row(4,8)(4,0)"), "lego.coordinate 0-13");
}

TEST(LegoText, ThePapersOwnWordsAreRead) {
  EXPECT_EQ(evaluated("RegP([2,3],\u03c3=[2,1])"), "RegP([2,3],[2,1])");
  EXPECT_EQ(evaluated("RegP([2,3],sigma=[2,1])"), "RegP([2,3],[2,1])");
  EXPECT_EQ(evaluated("GenP([3,3],antidiag,...)"), "GenP([3,3],antidiag)");
}

TEST(LegoText, OperatorsOfBitsAreThoseOfCAndPython) {
  const auto same = [](const char* text, const char* called) {
    EXPECT_EQ(evaluated(text), evaluated(called)) << text;
  };
  same("GenP([4,4], (i,j) -> 4*i+(i^j))", "GenP([4,4], (i,j) -> 4*i+bit_xor(i,j))");
  same("GenP([4,4], (i,j) -> i<<2 | j)", "GenP([4,4], (i,j) -> bit_or(4*i,j))");
  same("GenP([4,4], (i,j) -> 4*i + (j & 3))", "GenP([4,4], (i,j) -> 4*i+bit_and(j,3))");
  EXPECT_EQ(evaluated("GenP([4,4], lambda i, j: (i << 2) + (j ^ i >> 1))"),
            evaluated("GenP([4,4], (i,j) -> 4*i + bit_xor(j, i//2))"));
}

TEST(LegoText, HintsSayHowItIsWritten) {
  EXPECT_EQ(
      refusal("GenP([6,4], antidig)").hint(),
      "GenP knows antidiag, cyclic, fan, grouped, morton, reverse, swizzle, xor; a function is "
      "written (i,j) -> 4*i+j");
  for (const char* slice : {"GroupBy([4,8])[1,0:4]", "GroupBy([4,8])[1,:4]"}) {
    EXPECT_EQ(refusal(slice).hint(),
              "a tile of its own makes a part: TileBy([M//BM],[BM]) and [i, :]");
  }
}

TEST(LegoText, IsPrintedInThePapersNotation) {
  for (const char* text : {
           "GroupBy([6,4])",
           "GroupBy([6,4],[2])",
           "TileBy([2,3],[2,2]).OrderBy(Row(4,6))",
           "TileBy([6,6]).TileOrderBy(RegP([2,2],[2,1]),GenP([3,3],antidiag))",
           "GroupBy([4,8]).OrderBy(Col(4,8))",
           "GroupBy([8]).OrderBy(GenP([8],fan(3)))",
           "GroupBy([8,8]).OrderBy(GenP([8,8],swizzle(3,0,3)))",
           "GroupBy([8,8]).OrderBy(GenP([8,8],(8,8):(1,8)))",
           "ExpandBy([3,7],[4,9],GroupBy([4,9]).OrderBy(Row(4,9)))",
           "TileBy([nt_m,nt_n]).OrderBy(GenP([nt_m,nt_n],grouped(GM)))",
           "TileBy([n,n]).OrderBy(GenP([n,n],antidiag))",
           "GroupBy([R,R],[T,T]).OrderBy(Row(R*T,R*T))",
       }) {
    EXPECT_EQ(evaluated(text), text);
    EXPECT_EQ(evaluated(evaluated(text)), text);
  }
}

TEST(LegoText, ReadsEverySpelling) {
  const std::string plain(kFigure2);
  EXPECT_EQ(evaluated("GroupBy([6, 4],\n  OrderBy(RegP([2, 2], [2, 1]), GenP([3, 2], reverse)))"),
            plain);
  EXPECT_EQ(evaluated("OrderBy(RegP([2,2],[1,0]),GenP([3,2],reverse)).GroupBy([(6,4)])"), plain);
  EXPECT_EQ(evaluated("GroupBy((6,4)).OrderBy(RegP((2,2),(2,1)), GenP((3,2), reverse))"), plain);
  EXPECT_EQ(evaluated("GroupBy(24).OrderBy(Col([4,6]))"), "GroupBy([24]).OrderBy(Col(4,6))");
  EXPECT_EQ(evaluated("OrderBy(Row(6,4), Col(2,2)).TileBy([6,4],[2,2])"),
            "TileBy([6,4],[2,2]).TileOrderBy(Row(6,4),Col(2,2))");
}

TEST(LegoText, TellsTheDialectsApart) {
  EXPECT_EQ(refusal("GroupBy([4]).OrderBy(RegP([2,2],[1,0]))").code(), "lego.dialect");
  EXPECT_EQ(refusal("GroupBy([4], OrderBy(RegP([2,2],[1,0])))").code(), "lego.dialect");
  EXPECT_EQ(refusal("OrderBy(RegP([2,2],[2,1])).GroupBy([(2,2)])").code(), "lego.dialect");
  EXPECT_EQ(refusal("OrderBy(Row(4)).OrderBy(Row(2,2)).TileBy([2,2])").code(), "lego.dialect");
  EXPECT_EQ(refusal("OrderBy(Row(4)).GroupBy([4], OrderBy(Row(4)))").code(), "lego.dialect");
  EXPECT_EQ(refusal("TileBy([4], OrderBy(Row(4)))").code(), "lego.dialect");
  EXPECT_EQ(refusal("GroupBy([4]).OrderBy(RegP([2,2],[0,2]))").code(), "lego.permutation");
}

TEST(LegoText, Formulas) {
  const std::string text =
      "GroupBy([3,2]).OrderBy(GenP([3,2], (i,j) -> (2-i)*2+(1-j), x -> (2-x//2, 1-x%2)))";
  EXPECT_EQ(evaluated(text + "(2,1)"), "0");
  EXPECT_EQ(evaluated(text + ".inv(0)"), "[2,1]");
  EXPECT_EQ(evaluated("evidence(" + text + ")"), "proved by evaluation");
  const std::string printed = evaluated(text);
  EXPECT_EQ(evaluated(printed), printed);
  // A formula may branch in every spelling, and use what is bound.
  for (const char* body : {"if i < 2 then 2*i+j else 2*i+1-j", "2*i+j if i < 2 else 2*i+1-j",
                           "select(i < 2, 2*i+j, 2*i+1-j)", "2*i + (if i < 2 then j else 1-j)"}) {
    EXPECT_EQ(
        evaluated(fmt::format("table(GroupBy([3,2]).OrderBy(GenP([3,2], (i,j) -> {})))", body)),
        "[0,1,2,3,5,4]");
  }
}

/// A layout of any system numbers the points of a tile, relations and tables too.
TEST(LegoText, FunctionsAreLayoutsOfAnySystem) {
  for (const char* function :
       {"[2,0,3,1]", "relation([2,0,3,1])", "GroupBy([4]).OrderBy(GenP([4],[2,0,3,1]))",
        "GenP([4],[2,0,3,1])"}) {
    const std::string text = fmt::format("GroupBy([4]).OrderBy(GenP([4],{}))", function);
    EXPECT_EQ(evaluated("table(" + text + ")"), "[2,0,3,1]") << function;
    EXPECT_EQ(evaluated(text + ".inv(3)"), "[2]") << function;
    EXPECT_EQ(evaluated("evidence(" + text + ")"), "proved by evaluation") << function;
    const std::string printed = evaluated(text);
    EXPECT_EQ(evaluated(printed), printed);
    EXPECT_EQ(evaluated(fmt::format("({}) == ({})", text, printed)).substr(0, 3), "yes");
  }
  EXPECT_EQ(evaluated("table(GroupBy([2,2]).OrderBy(GenP([2,2],[[3,1],[0,2]])))"), "[3,1,0,2]");
  EXPECT_EQ(evaluated("table(GroupBy([4]).OrderBy(GenP([4],Sw<1,0,1>)))"), "[0,1,3,2]");
  EXPECT_EQ(evaluated("table(GroupBy([4,2]).OrderBy(GenP([4,2],Col(4,2))))"), "[0,4,1,5,2,6,3,7]");
  EXPECT_EQ(refusal("GroupBy([4]).OrderBy(GenP([4],[2,0,2,1]),Row(1))").code(),
            "lego.genp_repeated");
  EXPECT_EQ(refusal("GenP([2,2],[2,0,3,1])").code(), "lego.genp");
  EXPECT_EQ(refusal("GenP([2,2],(2,2))").code(), "call.type");
}

// Figure 7 of the paper, line by line; its inverse as corrected.
constexpr std::string_view kAntidiag = R"(def antidiag(n, i, j): 
  antidg = i + j + 1
  if (antidg <= n): 
    return i + (antidg * (antidg - 1)) / 2
  else: 
    antidg = 2 * n - antidg
    gauss = (antidg * (antidg - 1)) / 2
  return n * n - n + i - gauss

)";
constexpr std::string_view kAntidiagInv = R"(def antidiaginv(n, x0): 
  S = n * (n + 1) / 2
  x = x0 if x0 < S else n * n - 1 - x0
  antidg =  $\lfloor \sqrt{2 * x} \rfloor$ 
  antidg += (x >= (antidg * (antidg + 1)) / 2)
  i = x - antidg * (antidg - 1) / 2
  j = antidg - i - 1
  return (i, j) if x0 < S else (n - 1 - i, n - 1 - j)

)";

/// The statements of a text in turn; the value of the last one.
std::string ran(std::string_view text) {
  Environment environment;
  StatementReader reader(text);
  std::string last;
  while (true) {
    const auto statement = reader.next();
    if (!statement) return statement.error().to_string();
    if (!*statement) return last;
    const auto value = evaluate((*statement)->expression, environment);
    if (!value) return value.error().to_string();
    for (const std::string& name : (*statement)->names) environment.bind(name, *value);
    last = to_string(*value);
  }
}

TEST(LegoText, FunctionsOfPythonAreReadAsThePaperPrintsThem) {
  const std::string both = std::string(kAntidiag) + std::string(kAntidiagInv);
  for (const char* size : {"1", "2", "3", "5", "8"}) {
    const std::string tile = fmt::format("[{0},{0}]", size);
    const std::string layout =
        fmt::format("GroupBy({0}).OrderBy(GenP({0},antidiag,antidiaginv))", tile);
    EXPECT_EQ(ran(both + "evidence(" + layout + ")"), "proved by evaluation") << size;
    const std::string named = fmt::format("GroupBy({0}).OrderBy(GenP({0},antidiag))", tile);
    EXPECT_EQ(ran(both + "table(" + layout + ")"), evaluated("table(" + named + ")")) << size;
  }
  // As it is printed it is no inverse.
  std::string printed = both;
  printed.replace(printed.find("n * n - 1 - x0"), 14, "n * n - x0");
  const std::string refused = ran(printed + "GenP([3,3], antidiag, antidiaginv)");
  EXPECT_TRUE(refused.starts_with("error lego.genp_inverse: GenP([3,3],")) << refused.substr(0, 80);
}

TEST(LegoText, FunctionsOfPython) {
  EXPECT_EQ(ran("def f(x):\n  y = x\n  y *= 2\n  y -= 1\n  return y\nf(5)"), "9");
  EXPECT_EQ(ran("def f(x): return x + 1\nf(5)"), "6");
  const std::string ways =
      "def f(x):  # three ways\n\n  if x < 2 and x > 0:\n    return 10\n  elif x == 3:\n    y = 7\n"
      "  else:\n    y = (x > 4) + 1\n  return y\n";
  EXPECT_EQ(ran(ways + "f(1)"), "10");
  EXPECT_EQ(ran(ways + "f(3)"), "7");
  EXPECT_EQ(ran(ways + "f(4)"), "1");
  EXPECT_EQ(ran(ways + "f(5)"), "2");
  EXPECT_EQ(ran("def f(x):\n  return math.floor(math.sqrt(x))\nf(8)"), "2");
  const auto code = [](std::string_view text) {
    const std::string answer = ran(text);
    return answer.substr(0, answer.find(':'));
  };
  // A quotient that may leave a remainder is no integer in Python.
  EXPECT_EQ(code("def f(x):\n  return x / 2\n"), "error syntax.slash");
  EXPECT_EQ(code("def f(x):\n  return (x * x + x) / 2\nf(3)"), "6");
  EXPECT_EQ(code("def f(x):\n  if x < 2:\n    return 1\n"), "error syntax.unexpected");
  EXPECT_EQ(code("def f(x):\n  while x:\n    return 1\n"), "error syntax.unexpected");
  EXPECT_EQ(code("def f(x):\n  y = 1\n    return y\n"), "error syntax.unexpected");
  EXPECT_EQ(code("def f(x, x):\n  return x\n"), "error syntax.unexpected");
  EXPECT_EQ(code("def f(x):\nf(2)"), "error syntax.unexpected");
}

TEST(LegoText, LambdasArePythonsFunctions) {
  EXPECT_EQ(evaluated("GenP([4,4], lambda i, j: 4*j+i, lambda x: (x%4, x//4))"),
            evaluated("GenP([4,4], (i,j) -> 4*j+i, x -> (x%4, x//4))"));
  EXPECT_EQ(evaluated("(lambda k: k*(k+1)//2)(4)"), "10");
  EXPECT_EQ(span_of_refusal("lambda i, i: i"), "syntax.unexpected 10-11");
  EXPECT_EQ(span_of_refusal("lambda i 3"), "syntax.unexpected 9-10");
}

TEST(LegoText, ASlashInATileDividesExactly) {
  EXPECT_EQ(evaluated("OrderBy(Row(8,8)).TileBy([8/4, 8/2],[4,2])"),
            "TileBy([2,4],[4,2]).OrderBy(Row(8,8))");
  EXPECT_EQ(span_of_refusal("TileBy([10/4],[4])"), "syntax.slash 8-12");
  EXPECT_EQ(span_of_refusal("Row(4) + 8/4"), "syntax.slash 10-11");
  EXPECT_EQ(span_of_refusal("8/4"), "syntax.slash 1-2");
  const Diagnostic open = refusal("OrderBy(Row(K)).TileBy([K/B],[B])");
  EXPECT_EQ(open.code(), "assume.needed");
  EXPECT_EQ(open.hint(), "try --assume 'K%B==0'");
  Environment environment;
  ASSERT_TRUE(environment.assume("K%B==0"));
  EXPECT_EQ(evaluated("OrderBy(Row(K)).TileBy([K/B],[B])", environment),
            "TileBy([K//B],[B]).OrderBy(Row(K))");
}

TEST(LegoText, SeveralDivisorsOfOneSize) {
  Environment environment;
  ASSERT_TRUE(environment.assume("N%T==0, T%X==0, T%Y==0"));
  EXPECT_EQ(evaluated("OrderBy(Row(N, N)).TileBy([N//T, N//T], [T//X, T//Y], [X, Y])", environment),
            "TileBy([N//T,N//T],[T//X,T//Y],[X,Y]).OrderBy(Row(N,N))");
}

TEST(LegoText, ConstraintsOfALayoutAreAssumed) {
  EXPECT_EQ(evaluated("OrderBy(Row(M,K)).TileBy([M/BM, K/BK],[BM,BK], user_constraints="
                      "[divisibility_constraint(M, BM), K % BK == 0])[i, k, :, :]"),
            "K*(BM*i+tl.arange(0, BM)[:, None])+BK*k+tl.arange(0, BK)[None, :]");
  EXPECT_EQ(span_of_refusal("TileBy([4],[4], user_constraints=3)"), "assume.syntax 33-34");
  EXPECT_EQ(span_of_refusal("TileBy([4],[4], user_constraints=[M])"), "assume.syntax 34-35");
  EXPECT_EQ(evaluated("TileBy([n],[4], user_constraints=[le_constraint(n, 4), Ge(n, 3)])"),
            "TileBy([3],[4])");
}

TEST(LegoText, IsReadAsLegosProgramsWriteIt) {
  EXPECT_EQ(evaluated("OrderBy(Row(R*T, R*T)).GroupBy([(R, R), (T, T)], [le_constraint(ii, R), "
                      "le_constraint(0, ii)])"),
            "GroupBy([R,R],[T,T]).OrderBy(Row(R*T,R*T))");
  EXPECT_EQ(evaluated("OrderBy(Row(R*T, R*T)).GroupBy([(R, R), (T, T)], constraints)"),
            "GroupBy([R,R],[T,T]).OrderBy(Row(R*T,R*T))");
  EXPECT_EQ(evaluated("GroupBy([(2,3)], n)"), "GroupBy([2,3],[n])");
  EXPECT_EQ(evaluated("GroupBy([(2,3)], [3,4])"), "GroupBy([2,3],[3,4])");
  EXPECT_EQ(evaluated("OrderBy(GenP([n, n], lambda x: antidiag(n, x), None)).TileBy((n, n))"),
            "TileBy([n,n]).OrderBy(GenP([n,n],antidiag))");
  EXPECT_EQ(evaluated("OrderBy(GenP([4, 4], lambda x: antidiag(5, x), None)).TileBy((4, 4))"),
            "call.type");
  Environment environment;
  ASSERT_TRUE(environment.assume("n==16"));
  EXPECT_EQ(evaluated("OrderBy(Col(sp.Max(n//8, 1), 1), Col(sp.Min(n, 8), 4)).TileBy([n, 4])",
                      environment),
            "TileBy([16,4]).TileOrderBy(Col(2,1),Col(8,4))");
}

TEST(LegoText, NamesOfIndicesMayHaveQuotes) {
  EXPECT_EQ(evaluated("TileBy([2,2],[4,4])['pid', 1, :, :]"),
            evaluated("TileBy([2,2],[4,4])[pid, 1, :, :]"));
}

TEST(LegoText, ParametersHideOtherNames) {
  Environment environment;
  ASSERT_TRUE(environment.assume("i>=0, i<4"));
  environment.bind("k", *evaluate("i+1", environment));
  EXPECT_EQ(evaluated("(i) -> i + k", environment), "i_ -> i+i_+1");
  EXPECT_EQ(evaluated("((i) -> i + k)(5)", environment), "i+6");
  EXPECT_EQ(evaluated("GroupBy([4]).OrderBy(GenP([4], i -> 3-i))(i)", environment), "-i+3");
}

TEST(LegoText, Choices) {
  Environment environment;
  ASSERT_TRUE(environment.assume("x>=0, x<8"));
  EXPECT_EQ(evaluated("if 1 < 2 then 3 else 4"), "3");
  EXPECT_EQ(evaluated("if 1 < 2 and 2 < 1 then 3 else 4"), "4");
  EXPECT_EQ(evaluated("if 1 < 2 or 2 < 1 then 3 else 4"), "3");
  EXPECT_EQ(evaluated("if true then 3 else 4"), "3");
  EXPECT_EQ(evaluated("1 < 2 and 2 < 3"), "true");
  // Only the branch that is taken is looked at.
  EXPECT_EQ(evaluated("if 0 == 0 then 3 else 4 // 0"), "3");
  EXPECT_EQ(evaluated("if x < 8 then x else 0", environment), "x");
  EXPECT_EQ(evaluated("if x < 4 then (x,1) else (0,2)", environment),
            "(select(x<4,x,0),select(x<4,1,2))");
  EXPECT_EQ(evaluated("select(x<4,x,0)", environment), "select(x<4,x,0)");
  EXPECT_EQ(refusal("if x < 4 then 1 else (1,2)", environment).code(), "call.type");
  EXPECT_EQ(refusal("if 3 then 1 else 2").code(), "call.type");
  EXPECT_EQ(evaluated("select((2,3,4):(1,2,6), 0, 2)"), "(2,4):(1,6)");
}

TEST(LegoText, NamedPermutations) {
  const std::string layout = "GroupBy([8,8]).OrderBy(GenP([8,8],";
  for (const char* name : {"reverse", "antidiag", "morton", "xor", "swizzle(3,0,3)", "cyclic(3)",
                           "fan(5)", "grouped(3)"}) {
    const std::string text = layout + name + "))";
    EXPECT_EQ(evaluated(text), text);
    EXPECT_EQ(evaluated(text + ".apply(" + text + ".inv(37))"), "37") << name;
    EXPECT_NE(evaluated("evidence(" + text + ")"), "assumed") << name;
  }
  EXPECT_EQ(evaluated(layout + "antidiag,antidiag^{inv}))"), layout + "antidiag))");
  EXPECT_EQ(evaluated(layout + "fan(5),fan_inv(5)))"), layout + "fan(5)))");
  EXPECT_EQ(refusal(layout + "antidiag,reverse_inv))").code(), "lego.genp_inverse");
  EXPECT_EQ(refusal(layout + "antidiag_inv))").code(), "lego.genp");
}

TEST(LegoText, IndexesAndSlices) {
  const std::string layout(kFigure2);
  for (const char* call :
       {"(4,1)", "[4,1]", ".apply([4,1])", ".apply((4,1))", ".apply(4,1)", "((4,1))"}) {
    EXPECT_EQ(evaluated(layout + call), "6") << call;
  }
  EXPECT_EQ(evaluated(layout + ".inv(6)"), "[4,1]");
  EXPECT_EQ(evaluated(layout + ".inv(6)[1]"), "1");
  EXPECT_EQ(evaluated(layout + ".apply(" + layout + ".inv(6))"), "6");
  EXPECT_EQ(evaluated(layout + ".inv(6) == [4,1]"), "true");
  EXPECT_EQ(evaluated(layout + ".inv(6) == (4,1)"), "true");
  EXPECT_EQ(refusal(layout + ".inv(6)[2]").code(), "call.type");
  EXPECT_EQ(refusal(layout + "[6,0]").code(), "lego.coordinate");
  EXPECT_EQ(refusal(layout + "[1]").code(), "lego.coordinate");
  EXPECT_EQ(refusal("((4,8):(8,1))[1,2]").hint(), "L(1,_) evaluates and slices a layout");
  // A name that is an index lies within its dimension.
  EXPECT_EQ(evaluated("GroupBy([6,4]).OrderBy(Row(6,4))(i,j)"), "4*i+j");
  EXPECT_EQ(evaluated("GroupBy([6,4]).OrderBy(Row(24))(i,j)"), "4*i+j");
  EXPECT_EQ(evaluated("GroupBy([R,T]).OrderBy(Row(R*T))(i,j)"), "T*i+j");
  EXPECT_EQ(evaluated("GroupBy([6,4]).inv(p)"), "[p//4,p%4]");
  EXPECT_EQ(evaluated("GroupBy([6,4])[i,:]"), "4*i+tl.arange(0, 4)");
  EXPECT_EQ(refusal("GroupBy([6,4])(i+1,j)").code(), "name.unknown");
}

TEST(LegoText, SlicesAsJson) {
  EXPECT_EQ(to_json(*evaluate("TileBy([4,2],[8,16])[1, k, :, :]")),
            R"({"index":"16*k+32*r0+r1+256","ranges":[)"
            R"({"variable":"r0","extent":8,"dimension":2,"broadcast":"[:, None]"},)"
            R"({"variable":"r1","extent":16,"dimension":3,"broadcast":"[None, :]"}]})");
}

TEST(LegoText, StatementsOfThePaper) {
  Environment environment;
  StatementReader reader(
      "CL = TileBy([nt_m, nt_n]).OrderBy(Col(nt_m, nt_n))\n"
      "lpid_m, lpid_n = CL.inv(pid)\n");
  for (int i = 0; i < 2; ++i) {
    const auto statement = reader.next();
    ASSERT_TRUE(statement && *statement);
    const auto value = evaluate((*statement)->expression, environment);
    ASSERT_TRUE(value) << value.error();
    ASSERT_TRUE(environment.bind((*statement)->names, *value));
  }
  EXPECT_EQ(to_string(*environment.find("lpid_m")), "pid%nt_m");
  EXPECT_EQ(to_string(*environment.find("lpid_n")), "pid//nt_m");
  const auto wrong = environment.bind({"a", "b", "c"}, *evaluate("(1,2)"));
  EXPECT_EQ(wrong.error().code(), "call.arity");
}

TEST(LegoText, HostileTextIsRefusedWithItsPlace) {
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]"), "syntax.unbalanced 7-8");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]))"), "syntax.unbalanced 14-15");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(RegP([2,2],[3,1]))"), "lego.permutation 23-40");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(Row(5,5))"), "lego.sizes 0-32");
  EXPECT_EQ(span_of_refusal("GroupBy([0,4])"), "lego.extent 0-14");
  EXPECT_EQ(span_of_refusal("GroupBy([])"), "call.type 0-11");
  EXPECT_EQ(span_of_refusal("GroupBy()"), "call.arity 0-9");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy()"), "lego.tile 0-24");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(4)"), "call.type 0-25");
  EXPECT_EQ(span_of_refusal("GroupBy(\"x\")"), "call.type 0-12");
  EXPECT_EQ(span_of_refusal("TileOrderBy(Row(4))"), "call.type 0-19");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(GenP([6,4], (i) -> i))"), "lego.genp 23-44");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(GenP([6,4], (i,j) -> (i,j)))"),
            "lego.genp 23-50");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(GenP([6,4], nothing))"), "name.unknown 35-42");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(GenP([6,4], (i,j) -> i+k))"),
            "name.unknown 46-47");
  EXPECT_EQ(span_of_refusal("GroupBy([6,4]).OrderBy(GenP([6,4], 3))"), "call.type 35-36");
  EXPECT_EQ(span_of_refusal("GroupBy([2,2]).OrderBy(GenP([1,2], (i,j) -> j), Row(2))(1,1,1)"),
            "lego.coordinate 0-62");
  EXPECT_EQ(span_of_refusal("GroupBy([9223372036854775807,2])"), "overflow 0-32");
  EXPECT_EQ(span_of_refusal("RegP([2,2],[M,1])"), "lego.permutation 0-17");
  std::string deep = "x -> 1";
  for (int i = 0; i < 300; ++i) deep = "x -> " + deep;
  EXPECT_EQ(refusal(deep).code(), "syntax.too_deep");
  std::string branches = "1";
  for (int i = 0; i < 300; ++i) branches = "if 1 < 2 then 1 else " + branches;
  EXPECT_EQ(refusal(branches).code(), "syntax.too_deep");
}

TEST(LegoText, OperationsOfOtherSystemsSayWhatThereIs) {
  for (const char* text : {"coalesce(GroupBy([6,4]))", "right_inverse(GroupBy([6]))",
                           "complement(GroupBy([6]), 12)"}) {
    EXPECT_EQ(refusal(text).code(), "call.type") << text;
    EXPECT_EQ(refusal(text).hint(),
              "a LEGO layout has no strides; it has apply, inv, slice, dims, size and table")
        << text;
  }
}

TEST(LegoText, ComposesAndInverts) {
  EXPECT_EQ(evaluated("GroupBy([4,8]).OrderBy(Col(4,8)) o GroupBy([2,16])"),
            "GroupBy([2,16]).OrderBy(Col(4,8))");
  EXPECT_EQ(evaluated("composition(GroupBy([4,8]).OrderBy(Col(4,8)), GroupBy([2,16]))"),
            "GroupBy([2,16]).OrderBy(Col(4,8))");
  EXPECT_EQ(evaluated("inverse(GroupBy([4,8]).OrderBy(Col(4,8)))"),
            "GroupBy([8,4]).OrderBy(Col(8,4))");
  const std::string square = "GroupBy([5,5]).OrderBy(GenP([5,5],antidiag))";
  EXPECT_EQ(evaluated("inverse(" + square + ") o " + square + " == GroupBy([5,5])"),
            "yes  (evaluated all 25 coordinates)");
}

// Each side keeps its own order; the result has the coordinates of the inner one.
TEST(LegoText, ComposesBesideLayoutsOfOtherSystems) {
  EXPECT_EQ(evaluated("GroupBy([6]) o 6:1"), "6:1");
  EXPECT_EQ(evaluated("GroupBy([4,8]).OrderBy(Col(4,8)) o (8,4):(1,8)"), "(8,4):(4,1)");
  EXPECT_EQ(evaluated("(8,4):(4,1) o GroupBy([4,8])"), "GroupBy([4,8]).OrderBy(Col(4,8))");
  EXPECT_EQ(evaluated("S[(4,8):(1@m,4@m)] o GroupBy([32])"), "GroupBy([32]).OrderBy(Col(4,8))");
  // Two of four points leave the view: only relations leave them out.
  EXPECT_EQ(refusal("GroupBy([3]) o 4:2").code(), "lego.composition");
  EXPECT_EQ(evaluated("compose(relation(4:2), relation(GroupBy([3])))"),
            "{ [c0] -> [2c0] : 0 <= c0 <= 1 }");
}

TEST(LegoText, Equality) {
  EXPECT_TRUE(evaluated("GroupBy([6]) == GroupBy([2,3])").starts_with("yes"));
  EXPECT_TRUE(evaluated("GroupBy([2,3]).OrderBy(Col(2,3)) == GroupBy([6])").starts_with("no"));
  EXPECT_TRUE(evaluated("GroupBy([2,3]).OrderBy(Col(2,3)) != GroupBy([6])").starts_with("yes"));
  EXPECT_TRUE(evaluated("GroupBy([6]) == 6:1").starts_with("yes"));
  EXPECT_EQ(refusal("GroupBy([6]) == 6").code(), "call.type");
}

TEST(LegoText, ExplainsTheChain) {
  const Explained explained = explain(*parse_expression(std::string(kFigure2) + "(4,1)"));
  ASSERT_TRUE(explained.value);
  EXPECT_EQ(to_text(explained),
            "apply(GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse)), (4,1)) = 6\n"
            "  The flat index of the view, and what each OrderBy makes of it.\n"
            "  the view 6 x 4  4*4+1 = 17  -> 17\n"
            "  OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse)) = 6\n"
            "    17 is [1,0,2,1] in 2 x 2 x 3 x 2.\n"
            "    RegP([2,2],[2,1]) at [1,0] = 1\n"
            "      [0,1] in 2 x 2: 0*2+1 = 1\n"
            "    GenP([3,2],reverse) at [2,1] = 0\n"
            "      its function gives 0\n");
}

TEST(LegoText, IndexMaps) {
  const auto map = index_map_of(*evaluate(kFigure2));
  ASSERT_TRUE(map);
  EXPECT_EQ((*map)(std::vector<Int>{4, 1}).front(), Int(6));
  EXPECT_EQ(map->order(), form::FlatOrder::kLastFastest);
  EXPECT_EQ(index_map_of(*evaluate("(4,8):(8,1)"))->size(), Int(32));
  EXPECT_EQ(index_map_of(*evaluate("S[(4,8):(8,1)]"))->size(), Int(32));
  EXPECT_EQ(index_map_of(*evaluate("\"text\"")).error().code(), "call.type");
}

TEST(LegoText, Batch) {
  EXPECT_EQ(
      answer(R"json({"id":1,"op":"apply","args":["GroupBy([4,8]).OrderBy(Col(4,8))",[3,5]]})json"),
      R"json({"id":1,"ok":true,"result":23})json");
  EXPECT_EQ(answer(R"json({"id":2,"op":"inv","args":["GroupBy([4,8]).OrderBy(Col(4,8))",23]})json"),
            R"json({"id":2,"ok":true,"result":[3,5]})json");
  EXPECT_EQ(answer(R"json({"op":"OrderBy","args":["GroupBy([4,8])","Col(4,8)"]})json"),
            R"json({"id":null,"ok":true,"result":"GroupBy([4,8]).OrderBy(Col(4,8))"})json");
  EXPECT_EQ(answer(R"json({"op":"GenP","args":[[3,2],"reverse"]})json"),
            R"json({"id":null,"ok":true,"result":"GenP([3,2],reverse)"})json");
  EXPECT_EQ(answer(R"json({"op":"dims","args":["TileBy([n,n],[4,4])"]})json"),
            R"json({"id":null,"ok":true,"result":["n","n",4,4]})json");
}

TEST(LegoTextLaws, AnyLayoutIsReadBack) {
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const lego::Layout layout = to_layout(any_lego(random, {72, true, true}));
    const std::string text = lego::to_string(layout);
    const Result<lego::Layout> read = parse_lego(text);
    if (!read) return test::found(text, " is refused: ", read.error());
    if (*read != layout) return test::found(text, " is read as ", *read);
    return test::kHolds;
  });
}

TEST(LegoTextLaws, SymbolicLayoutsAreReadBack) {
  Environment environment;
  ASSERT_TRUE(environment.assume("M%BM==0, K%BK==0"));
  test::for_all_seeds([&](test::Random& random) -> test::Finding {
    const lego::Layout layout = symbolic_lego(random).layout;
    const std::string text = lego::to_string(layout);
    const Result<Value> read = evaluate(text, environment);
    if (!read) return test::found(text, " is refused: ", read.error());
    if (read->get<lego::Layout>() != layout)
      return test::found(text, " is read as ", to_string(*read));
    return test::kHolds;
  });
}

TEST(LegoTextLaws, PrintedFormulasAreReadBack) {
  // Any term that a body can make prints as a body that makes it again.
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const auto atom = [&] { return random.one_of<std::string>({"i", "j", "2", "3", "5"}); };
    std::string body = atom();
    for (std::int64_t steps = random.between(1, 5); steps > 0; --steps) {
      switch (random.between(0, 7)) {
        case 0:
          body = fmt::format("({})*{}", body, atom());
          break;
        case 1:
          body = fmt::format("({})//{}", body, random.between(2, 5));
          break;
        case 2:
          body = fmt::format("({})%{}", body, random.between(2, 5));
          break;
        case 3:
          body = fmt::format("{} - ({})", atom(), body);
          break;
        case 4:
          body = fmt::format("min({}, {})", body, atom());
          break;
        case 5:
          body = fmt::format("if {} < {} then {} else {}", atom(), atom(), body, atom());
          break;
        case 6:
          body = fmt::format("isqrt(({})*({}))", body, body);
          break;
        default:
          body = fmt::format("bit_xor({}, {})", body, atom());
      }
      body = "(" + body + ")";
    }
    const std::string printed = evaluated("(i,j) -> " + body);
    for (int point = 0; point < 4; ++point) {
      const std::string at = fmt::format("({},{})", random.between(-9, 9), random.between(-9, 9));
      const std::string wanted = evaluated(fmt::format("((i,j) -> {}){}", body, at));
      const std::string got = evaluated(fmt::format("({}){}", printed, at));
      if (got == wanted) continue;
      return test::found(body, " is printed as ", printed, "; at ", at, " they are ", wanted,
                         " and ", got);
    }
    return test::kHolds;
  });
}

}  // namespace
}  // namespace heddle::notation
