// Linear layouts in the expression language: every spelling, what is made of them, and what is
// refused.

#include "heddle/notation/linear.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/linear/equality.h"
#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"
#include "support/random_linear.h"
#include "support/refusal.h"

namespace heddle::notation {
namespace {

using test::refused;
using test::value;

using linear::LinearLayout;

constexpr std::string_view kSwizzled =
    " - in0=1 -> (1, 1)\n   in0=2 -> (2, 2)\n - in1=1 -> (0, 1)\n   in1=2 -> (0, 2)\n"
    "where out dims are: [out0 (size 4), out1 (size 4)]";

Environment with_layout() {
  Environment environment;
  environment.bind("L", *evaluate(kSwizzled));
  return environment;
}

TEST(LinearText, EverySpellingIsTheSameLayout) {
  for (const std::string_view text :
       {R"({"ins":[["in0",[[1,1],[2,2]]],["in1",[[0,1],[0,2]]]],"outs":[["out0",4],["out1",4]]})",
        R"({"ins":{"in0":[[1,1],[2,2]],"in1":[[0,1],[0,2]]},"outs":{"out0":4,"out1":4}})",
        R"({"ins":{"in0":[[1,1],[2,2]],"in1":[[0,1],[0,2]]},"outs":["out0","out1"]})",
        R"({ins: [["in0",[[1,1],[2,2]]],["in1",[[0,1],[0,2]]]], outs: ["out0","out1"]})",
        R"(LinearLayout({"in0":[[1,1],[2,2]],"in1":[[0,1],[0,2]]}, ["out0","out1"]))",
        R"(LinearLayout.from_bases([("in0", [[1,1],[2,2]]), ("in1", [[0,1],[0,2]])],
                                   [("out0", 4), ("out1", 4)]))",
        "- in0=1 -> (1, 1)\nin0=2 -> (2, 2)\n- in1=1 -> (0,1)\n in1=2 -> (0,2)\n"
        "where out dims are: [out0 (size 4), out1 (size 4)]\n"}) {
    EXPECT_EQ(value(text), kSwizzled) << text;
  }
}

TEST(LinearText, SeedFormHasNumberedDimensions) {
  EXPECT_EQ(value("LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])"),
            " - crd0=1 -> (1, 1)\n   crd0=2 -> (2, 2)\n - crd1=1 -> (0, 1)\n   crd1=2 -> (0, 2)\n"
            "where out dims are: [idx0 (size 4), idx1 (size 4)]");
  EXPECT_EQ(value("LinearLayout(crd=8,idx=8,vals=[1,2,4])"),
            " - crd0=1 -> (1)\n   crd0=2 -> (2)\n   crd0=4 -> (4)\n"
            "where out dims are: [idx0 (size 8)]");
  EXPECT_EQ(value("LinearLayout(crd=(4,4),idx=4,vals=[1,2,0,0])"),
            " - crd0=1 -> (1)\n   crd0=2 -> (2)\n - crd1=1 -> (0)\n   crd1=2 -> (0)\n"
            "where out dims are: [idx0 (size 4)]");
}

TEST(LinearText, APrintedLayoutIsQuotedOrPartOfAnExpression) {
  const std::string quoted = "invert(\"- a=1 -> (1)\\nwhere out dims are: [b (size 2)]\")";
  EXPECT_EQ(value(quoted), " - b=1 -> (1)\nwhere out dims are: [a (size 2)]");
  EXPECT_EQ(value("invert(- a=1 -> (1)\nwhere out dims are: [b (size 2)])"),
            " - b=1 -> (1)\nwhere out dims are: [a (size 2)]");
  EXPECT_EQ(value("(empty layout)"), "(empty layout)");
  EXPECT_EQ(value(" - block is a size 1 dimension\nwhere out dims are: [dim0 (size 1)]"),
            " - block is a size 1 dimension\nwhere out dims are: [dim0 (size 1)]");
}

TEST(LinearText, PrintedAndAsDataEveryLayoutReadsBack) {
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const LinearLayout layout = test::any_linear(random);
    const auto printed = parse_linear_layout(to_string(layout));
    if (!printed || *printed != layout) return "printed: " + to_string(layout);
    const auto data = linear_layout_of(to_datum(layout));
    if (!data || *data != layout) return "as data: " + to_string(to_datum(layout));
    const auto json = parse_linear_layout(to_string(to_datum(layout)));
    if (!json || *json != layout) return "as JSON text: " + to_string(to_datum(layout));
    return test::kHolds;
  });
}

TEST(LinearText, WhatIsMalformedHasAPlace) {
  EXPECT_EQ(value("- a=1 -> (1)\n  a=4 -> (2)\nwhere out dims are: [b (size 4)]"),
            "error syntax.linear_layout: the image of a=4 follows where that of a=2 is expected\n"
            "  line 1, column 1\n    - a=1 -> (1)\n    ^^^^^^^^^^^^");
  EXPECT_EQ(refused("- a=1 -> (1\nwhere out dims are: [b (size 4)]").code(),
            "syntax.linear_layout");
  EXPECT_EQ(refused("- a=1 -> (1)").code(), "syntax.linear_layout");
  EXPECT_EQ(refused("- a=1 -> (1)\nwhere out dims are: [b (size 3)]").code(), "linear.size");
  EXPECT_EQ(refused("- a=1 -> (9)\nwhere out dims are: [b (size 4)]").code(), "linear.basis");
  EXPECT_EQ(refused(R"({"ins":3,"outs":[]})").code(), "syntax.linear_layout");
  EXPECT_EQ(refused(R"({"ins":[],"outs":[],"more":1})").code(), "syntax.linear_layout");
  EXPECT_EQ(refused("LinearLayout(crd=8, vals=[1,2])").code(), "linear.size");
  EXPECT_EQ(refused("LinearLayout(crd=8, vals=[1,2,4,8])").code(), "linear.size");
  EXPECT_EQ(refused("LinearLayout(crd=8)").code(), "call.arity");
}

TEST(LinearExpression, ALayoutIsAppliedToNamedCoordinates) {
  const Environment environment = with_layout();
  EXPECT_EQ(value("L(in0=3, in1=1)", environment), R"([["out0",3],["out1",2]])");
  EXPECT_EQ(value("L(in1=1, in0=3)", environment), R"([["out0",3],["out1",2]])");
  EXPECT_EQ(value(R"(L({"in0": 3, "in1": 1}))", environment), R"([["out0",3],["out1",2]])");
  EXPECT_EQ(value(R"(apply(L, [["in0", 3], ["in1", 1]]))", environment),
            R"([["out0",3],["out1",2]])");
  EXPECT_EQ(refused("L(in0=3)", environment).code(), "linear.missing_dim");
  EXPECT_EQ(refused("L(in0=4, in1=0)", environment).code(), "linear.coordinate");
  EXPECT_EQ(refused("L(lane=3)", environment).code(), "linear.unknown_dim");
  EXPECT_EQ(refused("L(1, in0=2)", environment).code(), "call.keyword");
}

/// In the order of the inputs; of a flat one the first input is the fastest, as in a table.
TEST(LinearExpression, ALayoutIsAppliedToCoordinatesByPosition) {
  Environment environment = with_layout();
  ASSERT_TRUE(environment.assume("n >= 0"));
  EXPECT_EQ(value("L(3, 1)", environment), value("L(in0=3, in1=1)", environment));
  EXPECT_EQ(value("apply(L, (3, 1))", environment), value("L(in0=3, in1=1)", environment));
  EXPECT_EQ(value("L(7)", environment), value("L(in0=3, in1=1)", environment));
  EXPECT_EQ(refused("L(4, 0)", environment).code(), "linear.coordinate");
  EXPECT_EQ(refused("L(-1)", environment).code(), "linear.coordinate");
  EXPECT_EQ(refused("L(1000)", environment).code(), "linear.coordinate");
  for (const char* call : {"L(1, 2, 3)", "L((1, 2), 3)", "L(_, 1)", "L(1, n)"}) {
    const Diagnostic refusal = refused(call, environment);
    EXPECT_EQ(refusal.code(), "call.type") << call;
    EXPECT_EQ(refusal.hint(), "L(in0=3, in1=3)") << call;
  }
}

TEST(LinearExpression, ComposesAsFunctionsAndAsTritonDoes) {
  Environment environment;
  environment.bind("A", *evaluate(R"(LinearLayout({"x": [[2],[1]]}, ["y"]))"));
  environment.bind("B", *evaluate(R"(LinearLayout({"y": [[1],[3]]}, ["z"]))"));
  const std::string both = " - x=1 -> (3)\n   x=2 -> (1)\nwhere out dims are: [z (size 4)]";
  EXPECT_EQ(value("B o A", environment), both);
  EXPECT_EQ(value("composition(B, A)", environment), both);
  EXPECT_EQ(value("compose(A, B)", environment), both);
  EXPECT_EQ(value("A.compose(B)", environment), both);
  EXPECT_EQ(value("compose(layout=A, outer=B)", environment), both);
  EXPECT_EQ(value("invert(A) o A == identity_1d(4, \"x\", \"x\")", environment),
            "yes  (basis by basis)");
  EXPECT_EQ(refused("A o B", environment).code(), "linear.dims_differ");
  EXPECT_EQ(refused("A o 4:1", environment).code(), "call.type");
  EXPECT_EQ(refused("4:1 o A", environment).code(), "call.type");
}

TEST(LinearExpression, ProductIsTheDirectSum) {
  EXPECT_EQ(value(R"(identity_1d(2, "l", "x") * zeros_1d(2, "l", "x") * identity_1d(2, "l", "x"))"),
            " - l=1 -> (1)\n   l=2 -> (0)\n   l=4 -> (2)\nwhere out dims are: [x (size 4)]");
  EXPECT_EQ(refused(R"(identity_1d(2, "l", "x") * 2)").code(), "call.type");
}

TEST(LinearExpression, EqualityComparesMapsAndSaysHowDimensionsWereMatched) {
  const Environment environment = with_layout();
  EXPECT_EQ(value("L == L", environment), "yes  (basis by basis)");
  EXPECT_EQ(value("L == transpose_ins(L, [\"in1\", \"in0\"])", environment),
            "yes  (basis by basis; inputs matched by name: [in0 (size 4), in1 (size 4)] and [in1 "
            "(size 4), in0 (size 4)])");
  EXPECT_EQ(value("L == rename_in_dim(L, \"in0\", \"row\")", environment),
            "yes  (basis by basis; inputs matched by position: (in0, in1) and (row, in1))");
  EXPECT_EQ(value("flatten_ins(L) == L", environment),
            "yes  (basis by basis; inputs matched by flat index: [in0 (size 16)] and [in0 (size "
            "4), in1 (size 4)])");
  EXPECT_EQ(value("L == zeros_like(L)", environment),
            "no  (basis by basis)  counterexample: in0=1: (1, 1) and (0, 0)");
  EXPECT_EQ(value("L != zeros_like(L)", environment).substr(0, 3), "yes");
  EXPECT_EQ(value("same(L, transpose_ins(L, [\"in1\", \"in0\"]))", environment), "false");
  EXPECT_EQ(value("equals(L, L)", environment), "true");
  EXPECT_EQ(value("L == (4,8):(8,1)", environment).substr(0, 2), "no");
  EXPECT_EQ(refused("L == (4,8)", environment).code(), "call.type");
}

TEST(LinearExpression, EqualOfLayoutsAgreesWithPlainEvaluation) {
  test::for_all_seeds([](test::Random& random) -> test::Finding {
    const LinearLayout a = test::any_linear(random, 4);
    const LinearLayout b =
        random.chance(50) ? a : test::any_linear(random, a.in_dim_sizes(), a.out_dim_sizes());
    const auto shuffled = linear::transpose_ins(b, {"warp", "register", "lane"});
    if (!shuffled) return test::found("no transposed layout");
    const bool is_same = !test::differs_as_map(a, b);
    if (linear::equal(a, *shuffled).is_yes() != is_same) return to_string(a) + to_string(b);
    return test::kHolds;
  });
}

TEST(LinearExpression, NamesListsAndObjectsAreArguments) {
  const Environment environment = with_layout();
  EXPECT_EQ(value("sublayout(L, \"in1\", [\"out1\"])", environment),
            " - in1=1 -> (1)\n   in1=2 -> (2)\nwhere out dims are: [out1 (size 4)]");
  EXPECT_EQ(value("reshape_outs(L, {\"a\": 2, \"b\": 8}) == reshape_outs(L, [[\"a\",2],[\"b\",8]])",
                  environment),
            "yes  (basis by basis)");
  EXPECT_EQ(value("in_dim_names(L)", environment), R"(["in0","in1"])");
  EXPECT_EQ(value("[\"a\", 1, [], [2]]"), R"(["a",1,[],[2]])");
  EXPECT_EQ(value("{\"a\": {}, b: [1, 2]}"), R"({"a":{},"b":[1,2]})");
  EXPECT_EQ(refused("sublayout(L, 3, \"out0\")", environment).code(), "call.type");
  EXPECT_EQ(refused("sublayout(L, \"warp\", \"out0\")", environment).code(), "linear.unknown_dim");
  EXPECT_EQ(refused("{\"a\" 1}").code(), "syntax.unexpected");
  EXPECT_EQ(refused("{\"a\": 1").code(), "syntax.unbalanced");
  EXPECT_EQ(refused("[\"a\", 4:1]").code(), "call.type");
}

TEST(LinearExpression, BracketsOfTilesStayTilers) {
  EXPECT_EQ(value("[8:4;16;_]"), "<8:4,16,_>");
  EXPECT_EQ(value("logical_divide((8,8):(8,1), [2,4])"),
            value("logical_divide((8,8):(8,1), <2,4>)"));
}

TEST(LinearExpression, MethodsAreOperationsWithTheirFirstArgumentInFront) {
  const Environment environment = with_layout();
  EXPECT_EQ(value("L.invert().compose(L).is_invertible()", environment), "true");
  EXPECT_EQ(value("identity_1d(2, \"l\", \"x\").in_dim_names()"), R"(["l"])");
  EXPECT_EQ(refused("L.no_such_method()", environment).code(), "name.unknown");
  EXPECT_EQ(refused("L.invert", environment).code(), "call.arity");
  EXPECT_EQ(refused("L.", environment).code(), "syntax.unexpected");
}

TEST(LinearBatch, LayoutsGoInAndOutAsObjects) {
  EXPECT_EQ(
      answer(
          R"j({"id":1,"op":"compose","args":[{"ins":[["in1",[[2],[4],[8]]]],"outs":[["in2",16]]},{"ins":[["in2",[[0],[2],[1],[4]]]],"outs":[["out",8]]}]})j"),
      R"j({"id":1,"ok":true,"result":{"ins":[["in1",[[2],[1],[4]]]],"outs":[["out",8]]}})j");
  EXPECT_EQ(
      answer(
          R"j({"id":2,"op":"apply","args":[{"ins":[["a",[[1],[3]]]],"outs":[["b",4]]}],"kwargs":{"coordinate":[["a",3]]}})j"),
      R"j({"id":2,"ok":true,"result":[["b",2]]})j");
  EXPECT_EQ(
      answer(
          R"j({"id":3,"op":"sublayout_is_zero","kwargs":{"layout":{"ins":[["a",[[1]]]],"outs":[["b",2]]},"in_dim_names":["a"],"out_dim_names":"b"}})j"),
      R"j({"id":3,"ok":true,"result":false})j");
  EXPECT_EQ(answer(R"j({"id":4,"op":"eval","args":["identity_1d(1, \"block\", \"dim0\")"]})j"),
            R"j({"id":4,"ok":true,"result":{"ins":[["block",[]]],"outs":[["dim0",1]]}})j");
  EXPECT_EQ(answer(R"j({"id":5,"op":"from_bases","args":[[["a",[[1],[2]]]],["b"]]})j"),
            R"j({"id":5,"ok":true,"result":{"ins":[["a",[[1],[2]]]],"outs":[["b",4]]}})j");
  EXPECT_EQ(answer(R"j({"id":6,"op":"identity_1d","args":[4,"lane","dim0"]})j"),
            R"j({"id":6,"ok":true,"result":{"ins":[["lane",[[1],[2]]]],"outs":[["dim0",4]]}})j");
}

TEST(LinearBatch, BadLayoutsAreRefusedWithTheDimension) {
  const std::string text = answer(
      R"j({"id":1,"op":"invert","args":[{"ins":[["lane",[[1],[2,3]]]],"outs":[["dim0",4]]}]})j");
  EXPECT_NE(text.find("linear.basis"), std::string::npos) << text;
  EXPECT_NE(text.find("lane"), std::string::npos) << text;
}

TEST(LinearNames, StringsHaveTheEscapesOfJson) {
  EXPECT_EQ(value(R"(in_dim_names(identity_1d(2, "\u00fc", "b")))"), "[\"\xc3\xbc\"]");
  for (const char* name : {R"("a\"b")", R"("a\\b")", R"("\ud83d\ude00")"}) {
    const std::string names =
        value("in_dim_names(identity_1d(2, " + std::string(name) + ", \"b\"))");
    const std::string printed = names.substr(1, names.size() - 2);
    EXPECT_EQ(value("in_dim_names(identity_1d(2, " + printed + ", \"b\"))"), names) << name;
  }
  EXPECT_EQ(refused(R"(identity_1d(2, "a\tb", "b"))").code(), "name.characters");
  EXPECT_EQ(refused(R"(identity_1d(2, "a\nb", "b"))").code(), "name.characters");
  EXPECT_EQ(refused(R"(identity_1d(2, "a\d", "b"))").code(), "syntax.unexpected");
  EXPECT_EQ(refused(R"(identity_1d(2, "\ud83d", "b"))").code(), "syntax.unexpected");
}

TEST(LinearNames, AnObjectHasEachFieldOnce) {
  EXPECT_EQ(
      refused(R"({"ins": [["a", [[1]]]], "ins": [["a", [[0]]]], "outs": [["b", 2]]})").message(),
      "the object has the field 'ins' twice");
}

}  // namespace
}  // namespace heddle::notation
