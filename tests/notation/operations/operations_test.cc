#include "heddle/notation/operations.h"
#include "heddle/core/nearest_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string value(std::string_view text) {
  const auto result = evaluate(text);
  return result ? to_string(*result) : result.error().to_string(text);
}

TEST(Operations, EveryExampleIsTrue) {
  for (const Operation& operation : operations()) {
    EXPECT_EQ(value(operation.example), operation.example_result) << operation.example;
  }
}

TEST(Operations, EveryExampleCallsItsOperation) {
  for (const Operation& operation : operations()) {
    EXPECT_NE(operation.example.find(operation.name + "("), std::string::npos) << operation.example;
    EXPECT_FALSE(operation.summary.empty()) << operation.name;
  }
}

// A relation beside a set ranks its points.
TEST(Operations, ASetIsVisitedInTheOrderOfARelation) {
  const std::string set = "{ [i, j] : 0 <= i < 2 and 0 <= j < 2 }";
  for (const char* order :
       {"{ [i, j] -> [j] }", "'{ [i, j] -> [j] }'", "order={ [i, j] -> [j] }"}) {
    const std::string loops = value("loops(" + set + ", " + order + ", target='python')");
    EXPECT_NE(loops.find("for rank0 in range(2):\n        for i in range(2):"), std::string::npos)
        << loops;
  }
}

/// The keywords of CuTe DSL mean the parameters here, in any order.
TEST(Operations, KeywordsOfCuteDslAreKnown) {
  for (const auto& [dsl, own] : std::vector<std::pair<std::string, std::string>>{
           {"cute.local_tile(input=(8,6):(1,8), tiler=(4,2), coord=(1,2))",
            "local_tile((8,6):(1,8), (4,2), (1,2))"},
           {"local_tile((8,6):(1,8), (4,2,3), coord=(1,2,0), proj=(1,1,_))",
            "local_tile((8,6):(1,8), (4,2,3), (1,2,0), (1,1,_))"},
           {"cute.slice_(src=(4,8):(8,1), coord=(_,1))", "slice((_,1), (4,8):(8,1))"},
           {"cute.slice_((4,8):(8,1), (_,1))", "slice((_,1), (4,8):(8,1))"},
           {"cute.zipped_divide(target=(8,6):(1,8), tiler=(4,2))",
            "zipped_divide((8,6):(1,8), (4,2))"},
           {"composition(lhs=(6,2):(8,2), rhs=(4,3):(3,1))",
            "composition((6,2):(8,2), (4,3):(3,1))"},
           {"coalesce(input=(2,2):(1,2), target_profile=(1,1))", "coalesce((2,2):(1,2), (1,1))"},
           {"crd2idx(coord=(1,2), shape=(4,8), stride=(8,1))", "crd2idx((1,2), (4,8), (8,1))"},
           {"cute.make_tiled_copy_tv(universal_copy(64, 16), thr_layout=(4,2), val_layout=(1,4))",
            "make_tiled_copy(universal_copy(64, 16), (4,2), (1,4))"},
           {"make_tiled_copy(universal_copy(64, 32), layout_tv=((4,2),2):((4,1),2), "
            "tiler_mn=(4,4))",
            "make_tiled_copy_impl(universal_copy(64, 32), ((4,2),2):((4,1),2), (4,4))"},
           {"make_tiled_mma(op_or_atom=SM80_16x8x16_F32F16F16F32_TN, atom_layout_mnk=(2,2,1))",
            "make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1))"}}) {
    EXPECT_EQ(value(dsl), value(own)) << dsl;
  }
  EXPECT_EQ(
      evaluate("local_tile((8,6):(1,8), (4,2), coord=(1,2), coordinate=(1,2))").error().code(),
      "call.keyword");
}

/// Every alias is a parameter's, and no parameter has another one's.
TEST(Operations, NoKeywordMeansTwoParameters) {
  std::size_t aliases = 0;
  for (const Operation& operation : operations()) {
    std::set<std::string_view> known;
    for (const Parameter& parameter : operation.parameters) {
      EXPECT_TRUE(known.insert(parameter.name).second) << operation.name;
      for (const std::string_view alias : parameter.aliases) {
        EXPECT_TRUE(known.insert(alias).second) << operation.name << ' ' << alias;
        ++aliases;
      }
    }
  }
  EXPECT_GT(aliases, 50U);
}

TEST(Operations, FormatTagsOfOneDnn) {
  EXPECT_EQ(value("format_tag(\"nhwc\", (2,3,5,7))"), value("(2,3,5,7):(105,1,21,3)"));
  EXPECT_EQ(value("format_tag(\"aBcd16b\", (2,32,5,7))"),
            value("format_tag(\"nChw16c\", (2,32,5,7))"));
  // 4 i are neighbours, 16 o further come the next 4, and 256 further the next block.
  EXPECT_EQ(value("format_tag(\"OIhw4i16o4i\", (32,32,1,1))"),
            "((16,2),(4,4,2),1,1):((4,512),(1,64,256),256,256)");
  EXPECT_EQ(value("format_tag(\"dnnl_goihw\", (2,3,5,7,7))"),
            value("(2,3,5,7,7):(735,245,49,7,1)"));
  EXPECT_EQ(value("format_tag(\"BA16a64b4a\", (64,64))"),
            "((4,16,1),(64,1)):((1,256,4096),(4,4096))");
  // 20 channels are padded to 32.
  EXPECT_EQ(value("size(format_tag(\"nChw16c\", (1,20,1,1)))"), "32");
  for (const char* wrong :
       {"nChw", "nchw16c", "nC16c", "nchw1", "xyz", "", "n-c", "16cnC", "nnc"}) {
    const auto refused = evaluate(std::string("format_tag(\"") + wrong + "\", (2,32,7,9))");
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().code(), "call.type") << wrong;
  }
}

TEST(Operations, AComplementIsOneInTheCosizeOfTheLayout) {
  EXPECT_EQ(value("is_complement((4,2):(1,16), complement((4,2):(1,16)))"),
            value("is_complement((4,2):(1,16), complement((4,2):(1,16)), 20)"));
}

// A name may be an operation of several systems, once in each and for each number of parameters:
// the kind of the first argument decides.
TEST(Operations, NamesAreUniqueInTheirSystemAndFound) {
  std::set<std::tuple<std::string, std::string_view, std::size_t>> names;
  for (const Operation& operation : operations()) {
    const std::string_view first =
        operation.parameters.empty() ? "" : operation.parameters.front().type->description;
    const bool is_told_apart = first == "an Axe layout" || first == "a LEGO layout" ||
                               first == "a layout of any system, a relation or a table" ||
                               first == "a relation, or a layout" ||
                               first == "a layout or a swizzle" || first == "an integer set" ||
                               first == "a layout of any system with a LEGO layout";
    const std::string_view system = is_told_apart ? first : "";
    EXPECT_TRUE(names.insert({operation.name, system, operation.parameters.size()}).second)
        << operation.name;
    const auto named = operations_named(operation.name);
    EXPECT_EQ(find_operation(operation.name), named.front());
    EXPECT_NE(std::ranges::find(named, &operation), named.end());
  }
  EXPECT_EQ(find_operation("no_such_operation"), nullptr);
}

TEST(Operations, FamiliesStandTogether) {
  std::set<std::string> seen;
  std::string current;
  for (const Operation& operation : operations()) {
    if (operation.family == current) continue;
    current = operation.family;
    EXPECT_TRUE(seen.insert(current).second) << current;
  }
}

TEST(Operations, EveryOperationRefusesTextsAndNothing) {
  for (const Operation& operation : operations()) {
    if (operation.name == "eval") continue;
    if (operation.parameters.empty()) continue;
    if (operation.name == "TensorMemoryScalesLayout") continue;  // has defaults for all
    const auto nothing = call(operation, {});
    ASSERT_FALSE(nothing) << operation.name;
    EXPECT_EQ(nothing.error().code(), "call.arity") << operation.name;
    std::vector<Argument> texts;
    bool is_behind_optional = false;
    for (const Parameter& parameter : operation.parameters) {
      const std::string name = is_behind_optional ? parameter.name : "";
      if (parameter.need != Need::kOptional) texts.push_back({Value(std::string("x")), name, {}});
      is_behind_optional = is_behind_optional || parameter.need == Need::kOptional;
    }
    if (operation.name == "same") continue;  // compares anything
    const bool takes_texts = std::ranges::any_of(
        operation.parameters, [](const Parameter& p) { return p.type->text == TextIs::kName; });
    if (takes_texts) continue;
    const auto text = call(operation, texts);
    ASSERT_FALSE(text) << operation.name;
    const bool is_refused = text.error().code() == "call.type" ||
                            text.error().code() == "encoding.field" ||  // of one in Gluon
                            text.error().code() == "syntax.sharding";   // a mesh is a text
    EXPECT_TRUE(is_refused) << operation.name << ": " << text.error().code();
  }
}

TEST(Operations, OneArgumentTooManyIsRefusedOfTheNamesakeThatTakesTheOthers) {
  for (const char* text : {"size(4:1, 8)", "size(4, 8)", "size((4,8):(1,4), 8, 3)"}) {
    const Diagnostic why = evaluate(text).error();
    EXPECT_EQ(why.code(), "call.arity") << text;
    EXPECT_EQ(why.message(), "size takes at most 1 argument") << text;
  }
  EXPECT_EQ(evaluate("size(S[4:1@m], 2)").error().message(),
            "argument 2 of size, axis, is an integer; a text in quotes is needed");
}

TEST(Operations, SignaturesShowDefaultsAndRepetition) {
  EXPECT_EQ(signature(*find_operation("composition")), "composition(a, b)");
  EXPECT_EQ(signature(*find_operation("complement")), "complement(layout[, cotarget])");
  EXPECT_EQ(signature(*find_operation("compact_col_major")),
            "compact_col_major(shape[, current=1])");
  EXPECT_EQ(signature(*find_operation("select")), "select(layout[, modes…])");
}

TEST(Operations, TakeModeNumbersOneByOneOrAsATuple) {
  EXPECT_EQ(value("get((4,(3,6)):(1,(4,12)), 1, 1)"), "6:12");
  EXPECT_EQ(value("get((4,(3,6)), (1,0))"), "3");
  EXPECT_EQ(value("take((2,3,5):(1,2,6), (1,3))"), "(3,5):(2,6)");
  EXPECT_EQ(value("select((2,3,5):(1,2,6), 2, 0)"), "(5,2):(6,1)");
  EXPECT_EQ(evaluate("group((2,3,5):(1,2,6), 1)").error().code(), "call.arity");
  EXPECT_EQ(evaluate("get((2,3):(1,2), -1)").error().code(), "call.type");
  EXPECT_EQ(evaluate("append(4:1, rank=1000000000000)").error().code(), "layout.mode");
}

TEST(Operations, SliceInEitherOrder) {
  EXPECT_EQ(value("slice((4,8):(8,1), (_,1))"), value("slice((_,1), (4,8):(8,1))"));
  EXPECT_EQ(value("slice((4,8), (_,1))"), value("slice((_,1), (4,8))"));
  EXPECT_EQ(value("slice_offset((4,8):(8,1), (_,3))"), "3");
  EXPECT_EQ(value("dice((2,10):(3,8), (0,_))"), "(2):(3)");
}

TEST(Operations, KeepSwizzles) {
  EXPECT_EQ(value("tile_to_shape(Sw<3,3,3> o 0 o (8,64):(64,1), (128,64))"),
            "Sw<3,3,3> o 0 o ((8,16),(64,1)):((64,512),(1,0))");
  EXPECT_EQ(value("coalesce(Sw<2,0,3> o 0 o (4,8):(1,4))"), "Sw<2,0,3> o 0 o 32:1");
  EXPECT_EQ(value("upcast(Sw<3,4,3>, 2)"), "Sw<3,3,3>");
  EXPECT_TRUE(evaluate("composition(Sw<2,0,3>, Sw<2,0,3>)")->get<cute::Swizzle>().is_identity());
  EXPECT_EQ(evaluate("composition(Sw<2,0,3>, <4>)").error().code(), "call.type");
}

// A thread-value layout has a tile, and is a layout wherever one is wanted.
TEST(Operations, ThreadValueLayoutsKeepTheirTile) {
  EXPECT_EQ(value("layoutC_TV(make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (1,2,1), <_,32,_>))"),
            "((4,8,2),((2,2),(1,2))):((32,1,128),((16,8),(0,256))) tile (16,32)");
  EXPECT_EQ(value("owners(layoutC_TV(SM80_16x8x16_F32F16F16F32_TN), (1,7))"), "[(7,1)]");
  EXPECT_EQ(value("tile_shape(layoutB_TV(SM80_16x8x16_F32F16F16F32_TN))"), "(8,16)");
}

TEST(Operations, ThreadValueLayoutsAreLayouts) {
  EXPECT_EQ(value("make_layout_tv((4,8), (2,1))(3,1)"), "7");
  EXPECT_EQ(value("size(make_layout_tv((4,8), (2,1)))"), "64");
  EXPECT_EQ(value("composition(64:2, make_layout_tv((4,8), (2,1)))"), "(32,2):(4,2)");
  EXPECT_EQ(value("composition(zipped_divide((16,8), (8,8)), <make_layout_tv((4,8), (2,1)),_>)"),
            value("composition(zipped_divide((16,8), (8,8)), <(32,2):(2,1),_>)"));
  EXPECT_EQ(value("make_layout_tv((4,8), (2,1)) == (32,2):(2,1)"), "yes  (digit form)");
  EXPECT_EQ(value("make_layout_tv((4,8), (2,1)) == make_layout_tv((8,4), (1,2))"),
            "no  (digit form)  counterexample: coordinate 1 = (thread=1, value=0): 2 and 1");
}

TEST(Operations, ThreadValueLayoutsOfOtherTilesDiffer) {
  EXPECT_EQ(value("make_layout_tv(32, 2) == make_layout_tv((32,1), (2,1))"),
            "no  (the tiles (64) and (64,1) differ)");
  EXPECT_EQ(value("equal(make_layout_tv(32, 2), make_layout_tv((32,1), (2,1)))"),
            "no  (the tiles (64) and (64,1) differ)");
}

TEST(Operations, ListTables) {
  EXPECT_EQ(value("table((4,2):(2,1), 3)"), "[0,2,4]");
  EXPECT_EQ(value("table((2,2):(1@0,1@1))"), "[(0,0),(1,0),(0,1),(1,1)]");
  EXPECT_EQ(value("table(Sw<1,0,1>, limit=4)"), "[0,1,3,2]");
  EXPECT_EQ(value("table(Sw<2,0,3> o 0 o (4,8):(8,1), 3)"), "[0,9,18]");
  EXPECT_EQ(evaluate("table(1099511627776:1)").error().code(), "table.too_large");
  EXPECT_EQ(value("table(1099511627776:1, 2)"), "[0,1]");
}

TEST(NearestNames, FindSlipsAndParts) {
  const std::vector<std::string> names = {"composition", "complement", "size", "logical_divide"};
  EXPECT_EQ(nearest_names("compositon", names), std::vector<std::string>{"composition"});
  EXPECT_EQ(nearest_names("divide", names), std::vector<std::string>{"logical_divide"});
  EXPECT_TRUE(nearest_names("zzzzz", names).empty());
  // A name that several systems have is said once.
  const std::vector<std::string> twice = {"rank", "rank", "bases"};
  EXPECT_EQ(nearest_names("ranks", twice), std::vector<std::string>{"rank"});
  EXPECT_TRUE(nearest_names(std::string(1'000'000, 'a'), names).empty());
}

TEST(Operations, ASwizzleBehindAComposedLayoutKeepsItsDomain) {
  EXPECT_EQ(value("size(Sw<1,0,4> o 0 o (8,64):(64,1) o Sw<0,1,1>)"), "512");
}

TEST(Operations, RefusalsNameWhatOtherOperationsOfTheNameTake) {
  const auto hint = [](std::string_view text) { return evaluate(text).error().hint(); };
  EXPECT_EQ(hint("size('x')"),
            "other operations called size take an Axe layout; a LEGO layout; a layout of any "
            "system, a relation or a table");
  EXPECT_EQ(hint("complement('x')"), "");
}

TEST(Operations, RefusalsNameWhatWasGiven) {
  const auto message = [](std::string_view text) {
    const auto result = evaluate(text);
    return result ? to_string(*result) : result.error().code() + ": " + result.error().message();
  };
  EXPECT_EQ(message("get(4:1, -1)"),
            "call.type: argument 2 of get, path, is -1; a mode number or a tuple of them is "
            "needed");
  EXPECT_EQ(message("table(4:1, limit=1, limit=2)"),
            "call.keyword: table is given the parameter 'limit' twice");
  EXPECT_EQ(message("domain_overflow(4:1, (2,3):(1,2), limit=-5)"),
            "table.limit: a list of -5 coordinates");
}

TEST(Operations, TakeTuplesWithoutModesOrRefuseThem) {
  EXPECT_EQ(value("product(())"), "1");
  EXPECT_EQ(value("size(():())"), "1");
  EXPECT_EQ(value("complement(():(), 128)"), "128:1");
  EXPECT_EQ(value("slice(1, (2,3,4):(1,2,6))"), "():()");
  EXPECT_EQ(value("zipped_divide((4,8):(1,4), ())"), "((),(4,8)):((),(1,4))");
  EXPECT_EQ(value("idx2crd(0, ((),4))"), "((),0)");
  EXPECT_EQ(value("make_identity_layout(((),4))"), "((),4):((),1@1)");
  EXPECT_EQ(value("same(():(), 1:0)"), "false");
  for (const std::string_view text : {"max(())", "TileBy(())", "is_permutation(():())"}) {
    EXPECT_EQ(evaluate(text).error().code(), "tuple.empty") << text;
  }
  EXPECT_EQ(evaluate("replace((4,3):(1,4), (), 8:16)").error().code(), "call.arity");
  EXPECT_EQ(evaluate("S[()]").error().code(), "syntax.empty_tuple");
}

}  // namespace
}  // namespace heddle::notation
