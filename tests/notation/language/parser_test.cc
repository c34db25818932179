#include "heddle/notation/parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::notation {
namespace {

std::string tree(const Expression& expression);

std::string list(const std::vector<Expression>& parts) {
  std::string text;
  for (const Expression& part : parts) text += " " + tree(part);
  return text;
}

struct Writer {
  const std::vector<Expression>& parts;

  std::string operator()(const IntegerLiteral& node) const { return std::to_string(node.value); }
  std::string operator()(const RealLiteral& node) const { return fmt::format("{}", node.value); }
  std::string operator()(const UnderscoreLiteral&) const { return "_"; }
  std::string operator()(const StringLiteral& node) const { return '"' + node.value + '"'; }
  std::string operator()(const Reference& node) const { return std::string(node.name); }
  std::string operator()(const Parentheses& node) const {
    return fmt::format("[{}{}]", node.is_literal ? "literal" : "group", list(parts));
  }
  std::string operator()(const TilerLiteral&) const { return "[tiler" + list(parts) + "]"; }
  std::string operator()(const ListLiteral&) const { return "[list" + list(parts) + "]"; }
  std::string operator()(const ObjectLiteral& node) const {
    return fmt::format("[object {}{}]", fmt::join(node.names, "/"), list(parts));
  }
  std::string operator()(const TritonLiteral& node) const {
    return fmt::format("[triton {}]", node.text);
  }
  std::string operator()(const Member& node) const {
    return fmt::format("[member {}{}]", node.name, list(parts));
  }
  std::string operator()(const OnTile&) const { return "[on tile" + list(parts) + "]"; }
  std::string operator()(const LayoutLiteral&) const { return "[layout" + list(parts) + "]"; }
  std::string operator()(const DynamicLiteral& node) const {
    return fmt::format("[?/{}]", node.divisor);
  }
  std::string operator()(const PointerLiteral& node) const {
    return fmt::format("[pointer/{}{}]", node.bits, list(parts));
  }
  std::string operator()(const FractionLiteral& node) const {
    return fmt::format("[{} over {}]", node.numerator, node.denominator);
  }
  std::string operator()(const SwizzleLiteral&) const { return "[swizzle" + list(parts) + "]"; }
  std::string operator()(const BasisLiteral& node) const {
    return fmt::format("[basis{} @{}]", list(parts), fmt::join(node.path, "."));
  }
  std::string operator()(const ItersLiteral& node) const {
    return fmt::format("[{}{}]", node.is_replica ? "replica" : "shard", list(parts));
  }
  std::string operator()(const OnAxis& node) const {
    return fmt::format("[on{} @{}]", list(parts), node.axis);
  }
  std::string operator()(const TvmSwizzleLiteral& node) const {
    return fmt::format("[{}{}]", node.is_inner ? "SW" : "SW outer", list(parts));
  }
  std::string operator()(const Negation&) const { return "[-" + list(parts) + "]"; }
  std::string operator()(const Arithmetic& node) const {
    return fmt::format("[arithmetic/{}{}]", node.operators.size(), list(parts));
  }
  std::string operator()(const CompositionChain&) const { return "[o" + list(parts) + "]"; }
  std::string operator()(const ComparisonNode&) const { return "[compare" + list(parts) + "]"; }
  std::string operator()(const Subscript&) const { return "[subscript" + list(parts) + "]"; }
  std::string operator()(const FunctionLiteral& node) const {
    return fmt::format("[function {}{}]", fmt::join(node.parameters, "/"), list(parts));
  }
  std::string operator()(const Choice&) const { return "[choice" + list(parts) + "]"; }
  std::string operator()(const Connective& node) const {
    return fmt::format("[{}{}]", node.is_and ? "and" : "or", list(parts));
  }
  std::string operator()(const Application& node) const {
    return fmt::format("[apply{}; {}]", list(parts), fmt::join(node.names, ","));
  }
};

std::string tree(const Expression& expression) {
  return std::visit(Writer{expression.parts}, expression.node);
}

std::string parsed(std::string_view text) {
  const auto expression = parse_expression(text);
  return expression ? tree(*expression) : expression.error().code();
}

Diagnostic refusal_of(std::string_view text) {
  const auto expression = parse_expression(text);
  return expression ? Diagnostic("", "nothing was refused") : expression.error();
}

TEST(Parser, BindsFromComparisonsDownToFactors) {
  EXPECT_EQ(parsed("A o 2:1 + 3 * 4 == B"),
            "[compare [o A [layout 2 [arithmetic/1 1 [arithmetic/1 3 4]]]] B]");
  EXPECT_EQ(parsed("1 - 2 + 3"), "[arithmetic/2 1 2 3]");
  EXPECT_EQ(parsed("A o B o C"), "[o A B C]");
  EXPECT_EQ(parsed("(A o B) o C"), "[o [group [o A B]] C]");
}

TEST(Parser, FoldsSignsIntoIntegers) {
  EXPECT_EQ(parsed("4:-1"), "[layout 4 -1]");
  EXPECT_EQ(parsed("--4"), "4");
  EXPECT_EQ(parsed("-A"), "[- A]");
  EXPECT_EQ(parsed("-_4"), "-4");
  EXPECT_EQ(parsed("_-4"), "-4");
  EXPECT_EQ(parsed("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(parsed("9223372036854775808"), "syntax.number");
}

TEST(Parser, KnowsLiteralTuplesFromGroups) {
  EXPECT_EQ(parsed("(4,((9,4,3)))"), "[literal 4 [literal [literal 9 4 3]]]");
  EXPECT_EQ(parsed("(_,-3)"), "[literal _ -3]");
  EXPECT_EQ(parsed("(A)"), "[group A]");
  EXPECT_EQ(parsed("(4,)"), "[literal 4]");
  EXPECT_EQ(parsed("(1@0,1@1)"), "[literal [basis 1 @0] [basis 1 @1]]");
}

TEST(Parser, ReadsBasesFromTheRight) {
  EXPECT_EQ(parsed("8@1@0"), "[basis 8 @0.1]");
  EXPECT_EQ(parsed("E<0,1>"), "[basis @0.1]");
  EXPECT_EQ(parsed("8*E<0,1>"), "[arithmetic/1 8 [basis @0.1]]");
  EXPECT_EQ(refusal_of("4@0@laneid").code(), "syntax.unexpected");
}

TEST(Parser, RefusesASlashOutsideOfTilesWithAHint) {
  const Diagnostic refused = refusal_of("4 / 2");
  EXPECT_EQ(refused.code(), "syntax.slash");
  EXPECT_EQ(refused.hint(), "write // for the quotient rounded down, % for its remainder");
  EXPECT_EQ(refusal_of("TileBy([4])(8/2)").code(), "syntax.slash");
  EXPECT_EQ(refusal_of("TileBy([8/2], [max(8/2, 1)])").message(), "nothing was refused");
}

TEST(Parser, ReadsTilersInBothSpellings) {
  EXPECT_EQ(parsed("<8:4,(2,4):(1,8),16,_>"),
            "[tiler [layout 8 4] [layout [literal 2 4] [literal 1 8]] 16 _]");
  EXPECT_EQ(parsed("[(4,2):(1,4);_]"), "[list [layout [literal 4 2] [literal 1 4]] _]");
  EXPECT_EQ(parsed("<<2:5>>"), "[tiler [tiler [layout 2 5]]]");
  EXPECT_EQ(parsed("<4>==<4>"), "[compare [tiler 4] [tiler 4]]");
  EXPECT_EQ(parsed("<4>>=3"), "[compare [tiler 4] 3]");
}

TEST(Parser, ReadsSwizzles) {
  EXPECT_EQ(parsed("Sw<3,4,-3> o 0 o 8:1"), "[o [swizzle 3 4 -3] 0 [layout 8 1]]");
  EXPECT_EQ(refusal_of("Sw<3,4>").code(), "syntax.unexpected");
}

TEST(Parser, ReadsAxeLayouts) {
  EXPECT_EQ(parsed("S[(8,2):(4@laneid,1)] + 5@warpid"),
            "[arithmetic/1 [shard [literal 8 2] [group [on 4 @laneid] 1]] [on 5 @warpid]]");
  EXPECT_EQ(parsed("SW(3,3,3,outer) o S[8]"), "[o [SW outer 3 3 3] [shard 8]]");
}

TEST(Parser, ReadsCallsAndApplications) {
  EXPECT_EQ(parsed("f()"), "[apply f; ]");
  EXPECT_EQ(parsed("f(1, x=(2,3))"), "[apply f 1 [literal 2 3]; ,x]");
  EXPECT_EQ(parsed("A(1)(_)"), "[apply [apply A 1; ] _; ]");
  EXPECT_EQ(parsed("(4:1)(2)"), "[apply [group [layout 4 1]] 2; ]");
}

TEST(Parser, GoesOnWithinParenthesesAndAfterOperators) {
  EXPECT_EQ(parsed("(4,\n 8):\n(8,\n1)"), "[layout [literal 4 8] [literal 8 1]]");
  EXPECT_EQ(refusal_of("(4,8)\n:(8,1)").code(), "syntax.unexpected");
}

TEST(Parser, ReadsTuplesWithoutModesButNoSuchTilers) {
  EXPECT_EQ(parsed("():()"), "[layout [literal] [literal]]");
  EXPECT_EQ(parsed("(4,()):(1,())"), "[layout [literal 4 [literal]] [literal 1 [literal]]]");
  EXPECT_EQ(refusal_of("() -> 5").code(), "syntax.unexpected");
  EXPECT_EQ(refusal_of("<>").code(), "syntax.empty_tuple");
}

TEST(Parser, RefusesUnbalancedParenthesesAtTheirPlace) {
  EXPECT_EQ(refusal_of("4 + (4,8").message(), "'(' is not closed");
  EXPECT_EQ(refusal_of("4 + (4,8").span(), (Span{4, 5}));
  for (const std::string_view text : {"1 + A(", "1 + A(4,", "1 + A(4 +", "1 + A(x="}) {
    EXPECT_EQ(refusal_of(text).message(), "'(' is not closed") << text;
    EXPECT_EQ(refusal_of(text).span(), (Span{5, 6})) << text;
  }
  EXPECT_EQ(refusal_of("(4,8]").message(), "'(' is closed by ']'");
  EXPECT_EQ(refusal_of("4)").message(), "')' closes nothing");
  EXPECT_EQ(refusal_of(")").message(), "')' closes nothing");
}

TEST(Parser, SaysWhatItExpects) {
  EXPECT_EQ(refusal_of("").message(), "the text ends where an expression is expected");
  EXPECT_EQ(refusal_of("4 +").message(), "the text ends where an expression is expected");
  EXPECT_EQ(refusal_of("4 5").message(),
            "there is '5' where an operator or the end of the expression is expected");
  EXPECT_EQ(refusal_of("(4 5)").message(), "there is '5' where ',' or the end of '(' is expected");
  EXPECT_EQ(refusal_of("4:1:2").message(), "':' and ':' cannot follow one another");
  EXPECT_EQ(refusal_of("1 < 2 < 3").message(), "comparisons cannot follow one another");
  EXPECT_EQ(refusal_of("(4,,8)").span(), (Span{3, 4}));
}

TEST(Parser, EveryRefusalShowsItsLine) {
  EXPECT_EQ(refusal_of("A +\n(4,8]").to_string("A +\n(4,8]"),
            "error syntax.unbalanced: '(' is closed by ']'\n"
            "  line 2, column 5\n"
            "    (4,8]\n"
            "        ^\n"
            "  hint: write ')' there");
}

TEST(Parser, RefusesDeepNestingAtOnce) {
  for (const std::string_view open : {"(", "<", "[", "f(", "Sw<", "-(", "(1,"}) {
    std::string text;
    while (text.size() < 1'000'000) text += open;
    const Diagnostic diagnostic = refusal_of(text);
    EXPECT_TRUE(diagnostic.code() == "syntax.too_deep" || diagnostic.code() == "syntax.unexpected")
        << open << diagnostic;
  }
  std::string chain = "A";
  while (chain.size() < 1'000'000) chain += "(1)";
  EXPECT_EQ(refusal_of(chain).code(), "syntax.too_deep");
}

TEST(Parser, AllowsWhatTuplesAllow) {
  const std::string deep = std::string(256, '(') + "4" + std::string(256, ')');
  EXPECT_TRUE(parse_expression(deep + ":" + deep));
}

TEST(Parser, RefusesLongStatements) {
  const auto time_to_refuse = [](const std::string& text) {
    const std::clock_t begin = std::clock();
    EXPECT_EQ(refusal_of(text).code(), "syntax.too_long");
    return std::clock() - begin;
  };
  std::string sum = "1";
  while (sum.size() < 300'000) sum += "+1";
  std::string chain = "x";
  for (int i = 0; i < 100'000; ++i) chain += " o x";
  // Both have as many terms; a chain whose time grows with its square takes a thousand times as
  // long.
  EXPECT_LT(time_to_refuse(chain), 20 * time_to_refuse(sum));
}

std::vector<Statement> statements(std::string_view text) {
  StatementReader reader(text);
  std::vector<Statement> statements;
  while (true) {
    auto statement = reader.next();
    if (!statement || !*statement) return statements;
    statements.push_back(**statement);
  }
}

TEST(Statements, AreSeparatedByLinesAndSemicolons) {
  const auto read = statements("A = 4:1; A(2)\n\n# nothing\nassert A ==\n  4:1\nrefuse A\n");
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(read[0].kind, StatementKind::kBinding);
  EXPECT_EQ(read[0].names.front(), "A");
  EXPECT_EQ(read[1].kind, StatementKind::kExpression);
  EXPECT_EQ(read[2].kind, StatementKind::kAssert);
  EXPECT_EQ(tree(read[2].expression), "[compare A [layout 4 1]]");
  EXPECT_EQ(read[3].kind, StatementKind::kRefuse);
}

TEST(Statements, DrawTakesAPath) {
  const auto read = statements("draw (4,8) to \"out/a b.svg\"\ndraw A");
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].kind, StatementKind::kDraw);
  EXPECT_EQ(read[0].path, "out/a b.svg");
  EXPECT_FALSE(read[1].path);
}

TEST(Statements, MayBeDeclarationsOfCpp) {
  const auto read = statements("auto const a = _8{}\nusing B = Layout<_4>\nauto = 3");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].names.front(), "a");
  EXPECT_EQ(read[1].names.front(), "B");
  EXPECT_EQ(read[2].names.front(), "auto");
}

TEST(Statements, CannotBindTheirWords) {
  for (const std::string text : {"assert", "refuse", "draw"}) {
    const std::string binding = text + " = 3";
    StatementReader reader(binding);
    const auto statement = reader.next();
    ASSERT_FALSE(statement) << text;
    EXPECT_EQ(statement.error().code(), "syntax.reserved");
    EXPECT_EQ(statement.error().span(), (Span{0, text.size()}));
  }
}

TEST(Statements, KnowTheirPlace) {
  const std::string_view text = "A = 4:1 ; B = A";
  const auto read = statements(text);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].span, (Span{0, 7}));
  EXPECT_EQ(read[1].span, (Span{10, 15}));
}

TEST(Statements, ReportTheFirstMistake) {
  StatementReader reader("4:1\n(4,8");
  EXPECT_TRUE(reader.next());
  const auto second = reader.next();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), "syntax.unbalanced");
  EXPECT_EQ(second.error().span(), (Span{4, 5}));
}

/// The code of a refusal with its place.
std::string place_of(std::string_view text) {
  const Diagnostic diagnostic = refusal_of(text);
  const Span span = diagnostic.span().value_or(Span{});
  return fmt::format("{} {}-{}", diagnostic.code(), span.begin, span.end);
}

TEST(Parser, Functions) {
  EXPECT_EQ(parsed("(i,j) -> i+j"), "[function i/j [arithmetic/1 i j]]");
  EXPECT_EQ(parsed("x -> (x//2, x%2)"),
            "[function x [group [arithmetic/1 x 2] [arithmetic/1 x 2]]]");
  EXPECT_EQ(parsed("(x) -> x"), "[function x x]");
  EXPECT_EQ(parsed("f(x -> x, 1)"), "[apply f [function x x] 1; ,]");
  EXPECT_EQ(parsed("x -> y -> x"), "[function x [function y x]]");
  EXPECT_EQ(place_of("(i,2) -> i"), "syntax.unexpected 0-5");
  EXPECT_EQ(place_of("(i,i) -> i"), "syntax.unexpected 0-5");
  EXPECT_EQ(place_of("i+j -> i"), "syntax.unexpected 0-3");
  EXPECT_EQ(place_of("x ->"), "syntax.unexpected 4-4");
}

TEST(Parser, Choices) {
  EXPECT_EQ(parsed("if a < b then a else b"), "[choice [compare a b] a b]");
  EXPECT_EQ(parsed("a if a < b else b"), "[choice [compare a b] a b]");
  EXPECT_EQ(parsed("if a < b and c < d or e == f then 1 else 2"),
            "[choice [or [and [compare a b] [compare c d]] [compare e f]] 1 2]");
  EXPECT_EQ(parsed("if a < b then 1\nelse if b < c then 2\nelse 3"),
            "[choice [compare a b] 1 [choice [compare b c] 2 3]]");
  EXPECT_EQ(place_of("if a < b then 1"), "syntax.unexpected 15-15");
  EXPECT_EQ(place_of("if a < b"), "syntax.unexpected 8-8");
  EXPECT_EQ(place_of("1 if a < b"), "syntax.unexpected 10-10");
}

TEST(Parser, Subscripts) {
  EXPECT_EQ(parsed("L[4,1]"), "[subscript L 4 1]");
  EXPECT_EQ(parsed("DL_a[i, k, :, :]"), "[subscript DL_a i k _ _]");
  EXPECT_EQ(parsed("L.inv(6)[0]"), "[subscript [apply [member inv L] 6; ] 0]");
  EXPECT_EQ(place_of("L[]"), "syntax.unexpected 2-3");
  EXPECT_EQ(place_of("L[1"), "syntax.unbalanced 1-2");
  EXPECT_EQ(place_of("L[1)"), "syntax.unbalanced 3-4");
}

TEST(Parser, NamesOfInverses) {
  for (const char* name : {"p^{inv}", "p^{-1}", "p^inv", "p^-1"}) {
    EXPECT_EQ(parsed(name), name);
  }
  EXPECT_EQ(parsed("p^2"), "[apply bit_xor p 2; ,]");
}

}  // namespace
}  // namespace heddle::notation
