#include "heddle/notation/evaluator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/law.h"

namespace heddle::notation {
namespace {

/// The value as text, or the whole refusal.
std::string value(std::string_view text, const Environment& environment = {}) {
  const auto result = evaluate(text, environment);
  return result ? to_string(*result) : result.error().to_string(text);
}

Diagnostic refusal(std::string_view text, const Environment& environment = {}) {
  const auto result = evaluate(text, environment);
  return result ? Diagnostic("", "nothing was refused") : result.error();
}

Environment bindings() {
  Environment environment;
  environment.bind("A", *evaluate("(4,8):(8,1)"));
  environment.bind("S1", *evaluate("Sw<2,0,3>"));
  environment.bind("size", *evaluate("7"));
  return environment;
}

TEST(Evaluator, ReadsEverySpellingOfALayout) {
  for (const std::string_view text :
       {"(_2,4):(_12,_1)", "(2, 4):(12, 1)", "Layout((2, 4), (12, 1))",
        "make_layout((2,4), (12,1))", "(2,4) : (12,1)  # comment"}) {
    EXPECT_EQ(value(text), "(2,4):(12,1)") << text;
  }
}

TEST(Evaluator, NamesInTuplesOfCuteAreSizes) {
  EXPECT_EQ(value("make_layout(make_shape(M,K), make_stride(K,_1{}))"), "(M,K):(K,1)");
  EXPECT_EQ(value("make_coord(M, make_tile(2*K, 4))"), "(M,(2*K,4))");
  EXPECT_EQ(refusal("make_shape(m, 4)").code(), "name.unknown");
  EXPECT_EQ(refusal("make_shape(size(M), 4)").code(), "name.unknown");
}

TEST(Evaluator, BracketsAfterAStrideSayThatALayoutNeedsParentheses) {
  EXPECT_EQ(refusal("(4,8):(8,1)[1]").hint(),
            "a layout that is written out needs parentheses: ((4,8):(8,1))(3)");
  EXPECT_EQ(refusal("(4,8):(8,1)[1]").code(), "call.type");
  EXPECT_EQ(value("4:(8,1)[1]"), "4:1");
}

TEST(Evaluator, ReadsEverySpellingOfASwizzledLayout) {
  for (const std::string_view text :
       {"Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", "S<3,4,3> o 0 o (8,64):(64,1)",
        "Swizzle<3,4,3> \u2218 0 \u2218 (8,64):(64,1)", "Sw<3,4,3> o (8,64):(64,1)",
        "composition(Sw<3,4,3>, (8,64):(64,1))"}) {
    EXPECT_EQ(value(text), "Sw<3,4,3> o 0 o (8,64):(64,1)") << text;
  }
  EXPECT_EQ(value("Sw<3,4,3> o 16 o 8:1"), "Sw<3,4,3> o 16 o 8:1");
  EXPECT_EQ(value("Sw<0,4,3> o 0 o 8:1"), "8:1");
}

TEST(Evaluator, ReadsStridesAlongModes) {
  EXPECT_EQ(value("(_4,_2):(_1@0,_1@1)"), "(4,2):(1@0,1@1)");
  EXPECT_EQ(value("(4,2):(1@1@0,8@1)"), "(4,2):(1@1@0,8@1)");
  EXPECT_EQ(value("4:8*E<0,1>"), "4:8@1@0");
  EXPECT_EQ(value("4:E<0,1>*8"), "4:8@1@0");
}

// ERRATA, "Text, decided": what parentheses mean.
TEST(Evaluator, TuplesOfOneReadBackAsTheyArePrinted) {
  for (const char* text : {"((M,8))", "(((M,8)),4)", "(M,)", "((M,),8)", "(((M,)))", "((4))"}) {
    EXPECT_EQ(to_string(evaluate(text).value()), text);
  }
  EXPECT_EQ(to_string(evaluate("Shape<Shape<int,_8>>").value()), "((D0,8))");
  EXPECT_EQ(to_string(evaluate("((2 * 3) * (1 + 1))").value()), "12");
}

TEST(Evaluator, ParenthesesNextToAColonAreTuples) {
  Environment environment;
  environment.bind("M", *evaluate("4"));
  EXPECT_EQ(value("(M):(1)", environment), "(4):(1)");
  EXPECT_EQ(value("((M),2):((1),M)", environment), "((4),2):((1),4)");
  EXPECT_EQ(value("(M+1)*2:1", environment), "10:1");
}

TEST(Evaluator, ElsewhereTheyGroupUnlessLiteral) {
  EXPECT_EQ(value("(4)"), "(4)");
  EXPECT_EQ(value("(4,((9,4,3)))"), "(4,((9,4,3)))");
  EXPECT_EQ(value("((2,2))"), "((2,2))");
  EXPECT_EQ(value("((_,1))"), "((_,1))");
  EXPECT_EQ(value("(2+2)"), "4");
  EXPECT_EQ(value("((4,8):(8,1))"), "(4,8):(8,1)");
  EXPECT_EQ(value("(4,)"), "(4)");
}

TEST(Evaluator, CalculatesWithIntegers) {
  EXPECT_EQ(value("2 + 3 * 4 - 1"), "13");
  EXPECT_EQ(value("-7 // 2"), "-4");
  EXPECT_EQ(value("-7 % 2"), "1");
  EXPECT_EQ(value("(4) * 2"), "8");
  EXPECT_EQ(value("2 < 3"), "true");
  EXPECT_EQ(value("(4,2) == (4,2)"), "true");
  EXPECT_EQ(value("(4,2) != (4,2)"), "false");
}

TEST(Evaluator, ReadsTilers) {
  EXPECT_EQ(value("<8:4,(2,4):(1,8),16,_>"), "<8:4,(2,4):(1,8),16,_>");
  EXPECT_EQ(value("[(4,2):(1,4);_]"), "<(4,2):(1,4),_>");
  EXPECT_EQ(value("<(2,4),8>"), "<<2,4>,8>");
  EXPECT_EQ(value("(8:4, 16)"), "<8:4,16>");
}

TEST(Evaluator, TakesShapesWhereLayoutsAreWanted) {
  EXPECT_EQ(value("coalesce((4,8))"), "32:1");
  EXPECT_EQ(value("composition((6,2):(8,2), (4,3):(3,1))"), "((2,2),3):((24,2),8)");
  EXPECT_EQ(value("logical_divide((4,8):(8,1), (2,4))"), "((2,2),(4,2)):((8,16),(1,4))");
  EXPECT_EQ(value("composition((4,8):(8,1), 2)"), "2:8");
}

TEST(Evaluator, ComposesFromTheRight) {
  EXPECT_EQ(value("(6,2):(8,2) o (4,3):(3,1)"), "((2,2),3):((24,2),8)");
  EXPECT_EQ(value("(8,8):(8,1) o (4,2):(2,1) o 4:2"), value("(8,8):(8,1) o ((4,2):(2,1) o 4:2)"));
}

TEST(Evaluator, AppliesLayouts) {
  const Environment environment = bindings();
  EXPECT_EQ(value("A(5)", environment), "9");
  EXPECT_EQ(value("A(1,3)", environment), "11");
  EXPECT_EQ(value("A((1,3))", environment), "11");
  EXPECT_EQ(value("A(_,3)", environment), "(4):(8)");
  EXPECT_EQ(value("S1(9)", environment), "8");
  EXPECT_EQ(value("((4,8):(8,1))(1,3)"), "11");
  EXPECT_EQ(value("(Sw<2,0,3> o 0 o (4,8):(8,1))(1)"), "9");
}

TEST(Evaluator, BoundNumbersDoNotHideOperations) {
  EXPECT_EQ(value("size(A) + size", bindings()), "39");
}

TEST(Evaluator, TakesNamedArguments) {
  EXPECT_EQ(value("tile_to_shape(block=(2,2):(2,1), shape=(4,4), order=(1,0))"),
            value("tile_to_shape((2,2):(2,1), (4,4), (1,0))"));
}

TEST(Evaluator, DecidesEquality) {
  EXPECT_EQ(value("(4,8):(1,4) == 32:1"),
            "yes  (digit form; compared by flat coordinate: (4,8) and (32))");
  EXPECT_EQ(value("(4,8):(8,1) != (4,8):(8,1)"), "no  (digit form)");
  EXPECT_TRUE(evaluate("(4,8):(1,4) == 32")->get<Verdict>().is_yes());
  EXPECT_TRUE(evaluate("Sw<2,0,3> o 0 o (4,8):(8,1) == (4,8):(8,1)")->get<Verdict>().is_no());
  EXPECT_EQ(value("same((4,8):(1,4), 32:1)"), "false");
  EXPECT_EQ(value("Sw<2,0,3> == S<2,0,3>"), "true");
}

TEST(Evaluator, AppliesAssumptionsToUnknownNumbers) {
  Environment environment;
  ASSERT_TRUE(environment.assume("D0%16==0"));
  EXPECT_EQ(to_string(*evaluate("logical_divide((?,64):(1,?), (16,8))", environment)),
            "((16,D0//16),(8,8)):((1,16),(D1,8*D1))");
}

TEST(Evaluator, PartitionsCountFromTheOrigin) {
  EXPECT_EQ(value("local_tile(ArithTuple(0,32) o (4,8):(1@0,1@1), (2,2), (1,1))"),
            "(2,2):(1@0,1@1) offset (2,34)");
  EXPECT_EQ(value("local_tile(counting_iter(5) o 8:2, 4, 1)"), "(4):(2) offset 13");
  EXPECT_EQ(value("local_tile(4:N, (4), (_))"), "((4),1):((N),0) offset 0");
  EXPECT_EQ(value("local_tile(K:N, (K), (_))"), "((K),1):((N),0) offset 0");
}

TEST(Evaluator, AppliesLayoutsWithAnOffset) {
  Environment environment;
  environment.bind("t", *evaluate("local_tile((8,6):(1,8), (4,2), (1,2))"));
  EXPECT_EQ(to_string(*evaluate("t(1,1)", environment)), "45");
  EXPECT_EQ(to_string(*evaluate("t(_,1)", environment)), "(4):(1) offset 44");
  EXPECT_EQ(to_string(*evaluate("layout(t)", environment)), "(4,2):(1,8)");
  EXPECT_EQ(to_string(*evaluate("offset(t)", environment)), "36");
  EXPECT_EQ(evaluate("coalesce(t)", environment).error().hint(),
            "layout(T) is the layout without its offset");
}

TEST(Evaluator, NamesNearestNames) {
  EXPECT_EQ(value("size(compositon(4:1, 2:1))"),
            "error name.unknown: unknown name 'compositon'\n  line 1, column 6\n    "
            "size(compositon(4:1, 2:1))\n         ^^^^^^^^^^\n  hint: did you mean composition?");
  EXPECT_EQ(refusal("qqqqqqqq").hint(),
            "if it is a number, say what is known of it: --assume 'qqqqqqqq>=0'");
  EXPECT_EQ(refusal("size(QQ)").hint(),
            "if it is a number, say what is known of it: --assume 'QQ>=1'");
  EXPECT_EQ(refusal("qqqqqqqqq").hint(), "");
  EXPECT_EQ(refusal("qq(3)").hint(), "");
  EXPECT_EQ(refusal("_ZN4cute6LayoutE").hint(), "this is a mangled name: c++filt first");
  EXPECT_EQ(refusal("composition").code(), "call.arity");
}

// A method whose receiver nothing names is no function of a module.
TEST(Evaluator, RefusesMethodsOfWhatIsNotBound) {
  const auto message = [](std::string_view text) {
    const Result<Value> result = evaluate(text);
    return result ? "read as " + to_string(*result) : result.error().message();
  };
  EXPECT_EQ(message("smem_order.TileBy([8,8])"), "unknown name 'smem_order'");
  EXPECT_EQ(message("A.composition((4,8):(1,4), 2:1)"), "unknown name 'A'");
  EXPECT_EQ(message("a.b.coalesce((4,8):(1,4))"), "unknown name 'a'");
  EXPECT_EQ(message("cute.composition((4,8):(1,4), 2:1)"), "read as 2:1");
  EXPECT_EQ(message("any.module.TileLayout(S[4:1])"), "read as S[(4):(1@m)]");
  EXPECT_EQ(message("x.LinearLayout.from_bases([], [])"), "unknown name 'x'");
}

/// CuTe DSL writes None where CuTe writes _.
TEST(Evaluator, ReadsNoneAsUnderscore) {
  const auto same = [](const std::string& text) {
    std::string other = text;
    for (std::size_t at = 0; (at = other.find("None", at)) != std::string::npos;) {
      other.replace(at, 4, "_");
    }
    const Result<Value> none = evaluate(text);
    const Result<Value> underscore = evaluate(other);
    ASSERT_TRUE(none) << text << ": " << none.error();
    EXPECT_EQ(to_string(*none), to_string(*underscore)) << text;
  };
  same("zipped_divide((64,50,80):(16000,160,1), (32,None,None))");
  same("local_tile((128,64):(64,1), (32,32), (1,None))");
  same("slice((None,3), (8,4):(1,8))");
  same("((8,4):(1,8))(None,3)");
  same("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (None,32,16))");
  same("make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), None)");
  EXPECT_EQ(to_string(*evaluate("complement(4:2, None)")), to_string(*evaluate("complement(4:2)")));
  EXPECT_EQ(evaluate("(8,4):(None,8)").error().code(), "call.type");
  EXPECT_EQ(to_string(*evaluate("P('x', None)")), "PartitionSpec('x', None)");
}

TEST(Evaluator, NoWordOfPythonIsAName) {
  for (const std::string_view word :
       {"and", "or", "not", "if", "else", "for", "lambda", "in", "is", "while", "return", "def"}) {
    for (const char* form : {"TileBy([{}, 4])", "Row({},4)", "{} + 1"}) {
      const Result<Value> value = evaluate(fmt::format(fmt::runtime(form), word));
      EXPECT_FALSE(value) << word << " in " << form;
    }
    Environment environment;
    EXPECT_FALSE(environment.assume(fmt::format("{}>=1", word))) << word;
  }
  EXPECT_EQ(refusal("lambda + 1").code(), "syntax.reserved");
  for (const char* text : {"None", "True", "False"}) {
    EXPECT_FALSE(evaluate(fmt::format("({},4):(1,2)", text))) << text;
    EXPECT_FALSE(Environment().assume(fmt::format("{}>=1", text))) << text;
  }
}

TEST(Evaluator, ConditionsTakeVerdicts) {
  EXPECT_EQ(value("not injective((4,8):(1,4))"), "no  (digit form)");
  EXPECT_EQ(value("not injective((4,8):(1,2))"),
            "yes  (digit form; coordinate 4 = (0,1): 2 and 2 at 2 = (2,0))");
  EXPECT_EQ(value("4:1 == 4:1 and not injective(4:0)"),
            "yes  (digit form; digit form; coordinate 1: 0 and 0 at 0)");
  EXPECT_EQ(value("injective((4,8):(1,N)) or 1 == 1"), "true");
  EXPECT_EQ(value("if injective(4:0) then 1 else if 4:1 == 4:1 then 2 else 3"), "2");
  EXPECT_EQ(refusal("not 5").hint(), "5 != 0 is a condition");
  EXPECT_EQ(refusal("4:1 and 1 == 1").message(),
            "a condition is a layout; a truth value or a verdict is needed");
  EXPECT_EQ(refusal("if injective((4,8):(1,N)) then 1 else 2").hint(),
            "bind its sizes to numbers first, as in N = 4");
}

TEST(Evaluator, ANoForSomeSizesDoesNotDecideItsNegation) {
  EXPECT_EQ(value("not injective((4,8):(1,N))"),
            "unknown  (it fails for some values; whether for all is not decided)");
  EXPECT_EQ(value("not injective((4,8):(1,?))"), value("not injective((4,8):(1,N))"));
  Environment environment;
  environment.bind("N", Value(Int(2)));
  EXPECT_EQ(value("not injective((4,8):(1,N))", environment), value("not injective((4,8):(1,2))"));
  EXPECT_EQ(value("4:N == 4:1 or 4:N == 4:2"),
            "unknown  (each side fails for some values; whether all fail for the same ones is not "
            "decided)");
}

/// A random condition about N.
std::string condition_about_n(test::Random& random, int depth) {
  if (depth == 0 || random.chance(25)) {
    const std::int64_t number = random.between(0, 5);
    if (random.chance(30)) return fmt::format("injective((2,3):(N,{}))", number);
    if (random.chance(30))
      return fmt::format("2:N {} 2:{}", random.chance(50) ? "==" : "!=", number);
    const std::vector<std::string> comparators = {"==", "!=", "<", "<=", ">", ">="};
    return fmt::format("N {} {}", random.one_of(comparators), number);
  }
  const std::string side = condition_about_n(random, depth - 1);
  if (random.chance(30)) return fmt::format("not ({})", side);
  return fmt::format("({}) {} ({})", side, random.chance(50) ? "and" : "or",
                     condition_about_n(random, depth - 1));
}

bool is_yes(std::string_view text, const Environment& environment) {
  return verdict_of(evaluate(text, environment).value())->is_yes();
}

// A yes holds for every N, and a no fails for one.
TEST(Evaluator, VerdictsOfConditionsAreAboutAllSizes) {
  test::for_all_seeds({.one_in = 10}, [](test::Random& random) -> test::Finding {
    const std::string text = condition_about_n(random, 3);
    Environment environment;
    if (!environment.assume("N in [1,5)")) return test::found("no assumption");
    const auto verdict = verdict_of(evaluate(text, environment).value());
    if (!verdict || verdict->is_unknown()) return test::kSaysNothing;
    bool holds_always = true;
    for (std::int64_t n = 1; n < 5; ++n) {
      Environment constant;
      constant.bind("N", Value(Int(n)));
      holds_always = holds_always && is_yes(text, constant);
    }
    if (holds_always == verdict->is_yes()) return test::kHolds;
    return test::found(text, ": ", *verdict);
  });
}

TEST(Evaluator, KnowsCuTesOtherNames) {
  EXPECT_EQ(refusal("get_shape(4:1)").hint(), "it is called shape(layout)");
  EXPECT_EQ(value("zipped_divide((4,8):(8,1), (2,4))((_,_), (1,1))"), "(2,4):(8,1)");
  EXPECT_EQ(value("zipped_divide((4,8):(8,1), (2,4))((1,1), (_,_))"), "(2,2):(16,4)");
  EXPECT_EQ(value("get_swizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))"), "Sw<3,4,3>");
  EXPECT_EQ(value("get_nonswizzle_portion(Sw<3,4,3> o 0 o (8,64):(64,1))"), "(8,64):(64,1)");
}

TEST(Evaluator, RefusesAShapeInPieces) {
  EXPECT_EQ(refusal("make_layout(4, 8, 2)").code(), "call.type");
  EXPECT_EQ(refusal("make_layout(4, 8, 2)").hint(),
            "write (4,8,2) for the shape: make_layout((4,8,2))");
  EXPECT_EQ(value("make_layout(4, 8)"), "4:8");
  EXPECT_EQ(value("make_layout((4), (8), (2))"), "((4),(8),(2)):((1),(1),(1))");
}

TEST(Evaluator, ReadsHexAndBinaryIntegers) {
  EXPECT_EQ(value("0x40:0b101"), "64:5");
  EXPECT_EQ(value("make_swizzle(0b111000000, 0x7)"), "Sw<3,0,6>");
}

TEST(Evaluator, ReportsWrongCalls) {
  EXPECT_EQ(value("composition(4:1)"),
            "error call.arity: composition needs the argument 'b'\n"
            "  line 1, column 1\n"
            "    composition(4:1)\n"
            "    ^^^^^^^^^^^^^^^^\n"
            "  hint: it is called as composition(a, b)");
  EXPECT_EQ(refusal("rank(1, 2)").message(), "rank takes at most 1 argument");
  EXPECT_EQ(
      value("1 + complement(4:1, Sw<1,0,1>)"),
      "error call.type: argument 2 of complement, cotarget, is a swizzle; a layout or a tuple is "
      "needed\n"
      "  line 1, column 21\n"
      "    1 + complement(4:1, Sw<1,0,1>)\n"
      "                        ^^^^^^^^^");
  EXPECT_EQ(refusal("rank(y=4)").message(), "rank has no parameter 'y'");
  EXPECT_EQ(refusal("rank(y=4)").code(), "call.keyword");
  EXPECT_EQ(refusal("rank(4, x=4)").message(), "rank is given the parameter 'x' twice");
  EXPECT_EQ(
      refusal("sort(Sw<1,0,1> o 0 o 4:1)").hint(),
      "a composed layout has no strides; nonswizzle_portion(Sw<1,0,1> o 0 o 4:1) is the layout "
      "within it");
}

TEST(Evaluator, ReportsWrongKinds) {
  EXPECT_EQ(refusal("(4,_):(1,2)").message(),
            "the shape before ':' is a coordinate with '_'; an integer or a tuple is needed");
  EXPECT_EQ(refusal("4:(4:1)").code(), "call.type");
  EXPECT_EQ(refusal("1 + 4:1 + (2,3)").code(), "call.type");
  EXPECT_EQ(
      refusal("(4,2)(1)").message(),
      "what is applied is a tuple; a layout, a swizzle or the name of an operation is needed");
  EXPECT_EQ(refusal("(4,8):(8,1)(3)").hint(),
            "a layout that is written out needs parentheses: ((4,8):(8,1))(3)");
  EXPECT_EQ(refusal("(4,2) == 4:1 o \"x\"").code(), "call.type");
  EXPECT_EQ(refusal("(4, true)").message(),
            "mode 1 of a tuple is a truth value; an integer, a tuple, a layout or '_' is needed");
}

TEST(Evaluator, RefusesOverflowAndZeroDivisors) {
  EXPECT_EQ(refusal("4611686018427387904 * 2").code(), "overflow");
  EXPECT_EQ(refusal("4611686018427387904 * 2").message(),
            "4611686018427387904 * 2 does not fit into 64 bits");
  EXPECT_EQ(refusal("product((4611686018427387904,4))").code(), "overflow");
  EXPECT_EQ(refusal("4 // 0").code(), "arithmetic.zero_divisor");
  EXPECT_EQ(refusal("4 % (2-2)").message(), "4 % 0 divides by zero");
  EXPECT_EQ(refusal("-(-9223372036854775808)").code(), "overflow");
}

TEST(Evaluator, EveryRefusalHasAPlace) {
  for (const std::string_view text :
       {"(4,8):(1,4,2)", "rank(4,4)", "Sw<9,0,1>", "4:1@0@0@0@0@0", "composition((4,6):(1,5), 6:1)",
        "4 // 0", "x", "(4,6):(1,5) o 6:1", "Sw<1,0,1> o 3 o Sw<1,0,1> o 4", "coalesce((0,4))",
        "(4,8):(1,4) == (0,3)", "4:(1@0,2)", "9223372036854775807 + 1"}) {
    const auto result = evaluate(text);
    ASSERT_FALSE(result) << text;
    ASSERT_TRUE(result.error().span()) << text << result.error();
    EXPECT_LE(result.error().span()->end, text.size()) << text;
  }
}

TEST(Evaluator, KeepsValuesFromGrowingWithoutEnd) {
  Environment environment;
  environment.bind("A", *evaluate("1:0"));
  Result<Value> result = evaluate("A", environment);
  for (int i = 0; i < 40 && result; ++i) {
    environment.bind("A", *result);
    result = evaluate("flatten(make_layout(A, A))", environment);
  }
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), "call.too_large");
}

/// `if i==0 and j==0 then 0 else (if i==1 and j==1 then …)`
std::string nest_of_choices(int depth) {
  std::string text = "7";
  for (int i = depth; i-- > 0;) {
    const std::string number = std::to_string(i);
    text = "(if i==" + number + " and j==" + number + " then " + number + " else " + text + ")";
  }
  return text;
}

// Each branch is evaluated once, although `and` leads to the second one by two ways.
TEST(Evaluator, BranchesOfNestedChoicesAreEvaluatedOnce) {
  const auto function = evaluate("(i,j) -> " + nest_of_choices(9));
  ASSERT_TRUE(function) << function.error().to_string();
  Environment environment;
  environment.bind("f", *function);
  EXPECT_EQ(value("f(3,3)", environment), "3");
  EXPECT_EQ(value("f(3,4)", environment), "7");
}

TEST(Evaluator, NestedChoicesAreRefusedAtOnceWhereTheyGrowTooLarge) {
  EXPECT_EQ(refusal("(i,j) -> " + nest_of_choices(40)).code(), "call.too_large");
}

// A division that some way to the branch forbids is looked at on every way.
TEST(Evaluator, DivisionsAreCheckedOnEveryWayToTheirBranch) {
  Environment environment;
  ASSERT_TRUE(environment.assume("x>=0,y>=0"));
  EXPECT_EQ(refusal("if x != 0 or y != 0 then 5//x else 0", environment).code(), "assume.needed");
  EXPECT_EQ(value("if x != 0 and y != 0 then 5//x else 0", environment),
            "select(x==0,0,select(y==0,0,5//x))");
}

TEST(Evaluator, UnknownNumbersHaveTheFirstFreeName) {
  Environment environment;
  environment.bind("a", *evaluate("(4,?)", environment));
  environment.bind("b", *evaluate("(4,?)", environment));
  environment.bind("D3", Value(Int(5)));
  EXPECT_EQ(value("(?,?,?)", environment), "(D2,D4,D5)");
  environment.bind("a", Value(Int(1)));
  EXPECT_EQ(value("(?,?)", environment), "(D0,D2)");
  EXPECT_EQ(value("(?,D0)", environment), "(D2,D0)");
}

TEST(Evaluator, TheSizesOfATileAreKnownWhereSomethingIsAssumedOfThem) {
  Environment environment;
  environment.bind("T", *evaluate("(4,4):(1,4) tile (M,4)"));
  const auto assumed = environment.assume("64<=M");
  ASSERT_FALSE(assumed);
  EXPECT_EQ(assumed.error().code(), "assume.too_late");
}

TEST(Evaluator, ATupleOfATruthIsNoCondition) {
  EXPECT_EQ(value("select((1<2), 3, 4)"), "3");
  EXPECT_FALSE(evaluate("select((1<2,), 3, 4)"));
}

}  // namespace
}  // namespace heddle::notation
