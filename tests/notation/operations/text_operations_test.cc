// The operations whose answers are texts of programs and pictures: index, picture, instantiate.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/picture.h"

namespace heddle::notation {
namespace {

std::string text_of_call(std::string_view text, const Environment& environment = {}) {
  const auto value = evaluate(text, environment);
  return value ? to_string(*value) : value.error().to_string();
}

/// Where a call is refused, as the text there.
std::string place_in(std::string_view text) {
  const auto value = evaluate(text);
  if (value || !value.error().span()) return {};
  const Span span = *value.error().span();
  return std::string(text.substr(span.begin, span.end - span.begin));
}

nlohmann::json answered(std::string_view request) {
  return nlohmann::json::parse(answer(request, Environment()));
}

// ---- index ----

TEST(IndexOperation, TakesALayoutOrItsText) {
  EXPECT_EQ(text_of_call("index((4,8):(8,1), ['i','j'])"), "8*i+j");
  EXPECT_EQ(text_of_call("index('(4,8):(8,1)', ['i','j'])"), "8*i+j");
  EXPECT_EQ(text_of_call("index('((4,8):(8,1))[3, j]')"), "j+24");
  EXPECT_EQ(text_of_call("index((4,8):(8,1))"), "8*i+j");
}

TEST(IndexOperation, SaysWhereVariablesOfAProgramNeed64Bits) {
  EXPECT_EQ(text_of_call("index((65536,65536):(65536,1), ['i','j'], 'cuda')"),
            "// numbers go from 0 to 4294967295: variables of 64 bits are needed\n(i << 16) + j");
  EXPECT_EQ(text_of_call("index((65536,32768):(32768,1), ['i','j'], 'cuda')"), "(i << 15) + j");
  EXPECT_EQ(text_of_call("index((65536,65536):(65536,1), ['i','j'], 'triton')"),
            "# numbers go from 0 to 4294967295: variables of 64 bits are needed\n(i << 16) + j");
  // Python has no widths, and nothing is known of N.
  EXPECT_EQ(text_of_call("index((65536,65536):(65536,1), ['i','j'], 'python')"), "(i << 16) + j");
  EXPECT_EQ(text_of_call("index((N,4):(4,1), ['i','j'], 'c')"), "(i << 2) + j");
}

TEST(IndexOperation, KnowsTheNamesAroundTheCall) {
  Environment environment;
  ASSERT_TRUE(environment.assume("n in [2,4]"));
  environment.bind("A", *evaluate("(4,8):(8,1)"));
  environment.bind("last", Value(Int(7)));
  EXPECT_EQ(text_of_call("index('A', ['i','last'])", environment), "8*i+7");
  EXPECT_EQ(text_of_call("index('A[n-1, last]')", environment), "8*n-1");
}

TEST(IndexOperation, GivesNamesToResultsAsData) {
  const auto result =
      answered(R"j({"op":"index","args":["GroupBy([6,4])",["p"],"c"],"kwargs":{"inverse":true}})j")
          ["result"];
  EXPECT_EQ(result["results"], nlohmann::json::parse(
                                   R"j([{"axis":"i","expression":"p >> 2","name":"i"},
                                        {"axis":"j","expression":"p & 3","name":"j"}])j"));
  EXPECT_EQ(result["operations"], 2);
  EXPECT_FALSE(result.contains("steps"));
  EXPECT_FALSE(result.contains("check"));
}

TEST(IndexOperation, RefusesWithThePlaceInTheText) {
  EXPECT_EQ(place_in("index('(4,8):(8,1')"), "(");
  EXPECT_EQ(place_in("index('(4,8):(9,q)(1)')"), "q");
  // Of several texts nobody knows in which.
  EXPECT_EQ(place_in("index((4,8):(8,1), ['i','j+'])"), "(4,8):(8,1), ['i','j+']");
  EXPECT_EQ(place_in("1 + index((4,8):(8,1), ['i','j'], cost='little')"),
            "index((4,8):(8,1), ['i','j'], cost='little')");
}

TEST(IndexOperation, EndsWhereATextSpeaksOfItself) {
  Environment environment;
  environment.bind("s", Value(std::string("index(s)")));
  const std::string refused = text_of_call("index(s)", environment);
  EXPECT_TRUE(refused.starts_with("error syntax.too_deep: a text within more than 2 texts"))
      << refused;
}

// ---- picture ----

TEST(PictureOperation, WritesEveryFormat) {
  EXPECT_TRUE(text_of_call("picture(4:1, format='svg')").starts_with("<svg"));
  EXPECT_TRUE(text_of_call("picture(4:1, format='html')").starts_with("<!doctype html>"));
  EXPECT_NE(text_of_call("picture(4:1, format='latex')").find("\\begin{tikzpicture}"),
            std::string::npos);
  EXPECT_EQ(text_of_call("picture(4:1, format='png')"),
            "error call.type: a picture is a text, svg, html, latex or json, and not 'png'");
}

TEST(PictureOperation, HasTheOperandsOfAnExpressionInQuotes) {
  const std::string alone = text_of_call("picture(logical_divide(12:1, 4))");
  const std::string both = text_of_call("picture('logical_divide(12:1, 4)')");
  EXPECT_EQ(alone, text_of_call("picture((4,3):(1,4))"));
  EXPECT_EQ(alone, text_of_call("picture('logical_divide(12:1, 4)', result_only=true)"));
  EXPECT_NE(both.find("12:1\n"), std::string::npos) << both;
  EXPECT_GT(both.size(), alone.size());
}

TEST(PictureOperation, IsThePictureOfTheLibrary) {
  Environment environment;
  const auto expression = parse_expression("composition((6,2):(8,2), (4,3):(3,1))");
  ASSERT_TRUE(expression);
  const auto picture = picture_of(*expression, {}, environment);
  ASSERT_TRUE(picture);
  const auto value = evaluate("picture('composition((6,2):(8,2), (4,3):(3,1))')");
  ASSERT_TRUE(value);
  EXPECT_EQ(*value->get<Report>().data.text(), to_text(*picture, PictureFormat::kText));
}

TEST(PictureOperation, KnowsTerminals) {
  const std::string wide = text_of_call("picture((2,32):(1,2))");
  const std::string narrow = text_of_call("picture((2,32):(1,2), width=40)");
  EXPECT_GT(narrow.size(), wide.size());
  EXPECT_EQ(wide.find("\x1b["), std::string::npos);
  EXPECT_NE(text_of_call("picture(4:1, color='256')").find("\x1b["), std::string::npos);
  EXPECT_NE(text_of_call("picture(4:1, color='true')").find("\x1b[48;2;"), std::string::npos);
  EXPECT_EQ(text_of_call("picture(4:1, color='red')"),
            "error call.type: the colours of a terminal are '256' or 'true', not 'red'");
}

TEST(PictureOperation, DrawsTablesAndRelations) {
  const std::string table = text_of_call("picture([[0,1],[2,3]])");
  EXPECT_NE(table.find("1 │ 2  3"), std::string::npos) << table;
  EXPECT_EQ(table, text_of_call("picture('[[0,1],[2,3]]')"));
  const std::string relation = text_of_call("picture('{ [i] -> [2i] : 0 <= i < 4 }')");
  EXPECT_EQ(relation, text_of_call("picture(relation('{ [i] -> [2i] : 0 <= i < 4 }'))"));
  EXPECT_NE(relation.find("6"), std::string::npos) << relation;
}

TEST(PictureOperation, RefusesWhatSaysNothing) {
  EXPECT_EQ(text_of_call("picture(4:1, tile=(2,2))"), "error usage.option: tile goes with tv");
  EXPECT_EQ(text_of_call("picture(4:1, tv=true, tile=4)"),
            "error usage.option: tile is '4'; MxN is needed, as 16x8");
  EXPECT_EQ(text_of_call("picture(4:1, mma=(2,2,2))"),
            "error call.arity: the picture is of 3 layouts, not of 1");
  EXPECT_EQ(text_of_call("picture(4:1, 4:1)"),
            "error call.arity: the picture is of 1 layout, not of 2");
  EXPECT_EQ(text_of_call("picture(4:1, 4:1, 4:1, mma=(2,2))"),
            "error usage.option: mma is '2,2'; M,N,K is needed, as 16,8,8");
  Environment environment;
  ASSERT_TRUE(environment.assume("N>=1"));
  EXPECT_EQ(text_of_call("picture(4:1, run=N)", environment),
            "error call.type: run is N; a number is needed");
  EXPECT_EQ(place_in("1 + picture('4:q')"), "q");
}

// ---- instantiate ----

TEST(InstantiateOperation, FillsATemplate) {
  EXPECT_EQ(text_of_call("instantiate('{{ A[i, j] }}', 'c', ['A = (n,8):(8,1)'], 'n = 4')"),
            "(i << 3) + j");
  EXPECT_EQ(text_of_call("instantiate('<% n %>', 'cuda', 'n = 4', delimiters='<% %>')"), "4");
  EXPECT_EQ(
      text_of_call("instantiate('{{ n }}', 'python', 'n = 4', names='sizes', name='a.py.in')"),
      "# Made by heddle instantiate from a.py.in and sizes: edit these, not this file.\n"
      "#   line 1: n\n"
      "#   n = 4\n"
      "\n"
      "4");
  const std::string defined = text_of_call(
      "instantiate('{{ n }}', 'python', 'n = 4', names='sizes', name='a.py.in', "
      "definitions=['b = 1', 'c = 2'])");
  EXPECT_EQ(
      defined.substr(0, defined.find('\n')),
      "# Made by heddle instantiate from a.py.in and --define, sizes: edit these, not this file.");
}

TEST(InstantiateOperation, KnowsTheNamesAroundTheCall) {
  Environment environment;
  environment.bind("A", *evaluate("(4,8):(8,1)"));
  EXPECT_EQ(text_of_call("instantiate('{{ A[i, j] }}', 'c')", environment), "(i << 3) + j");
}

TEST(InstantiateOperation, CountsPlacesInAllTexts) {
  const auto error_of = [](std::string_view request) { return answered(request)["error"]; };
  // 11 bytes of template and a line end before the definitions, which have 5.
  auto refused = error_of(
      R"j({"op":"instantiate","args":["{{ A[i] }}!","c"],"kwargs":{"definitions":["n = 4"],"layouts":["A = q"]}})j");
  EXPECT_EQ(refused["code"], "name.unknown");
  EXPECT_EQ(refused["span"], nlohmann::json({11 + 1 + 5 + 1 + 4, 11 + 1 + 5 + 1 + 5}));
  refused = error_of(R"j({"op":"instantiate","args":["{{ n }}","c",["n = 4", "m = 5"]]})j");
  EXPECT_EQ(refused["code"], "template.unused");
  EXPECT_EQ(refused["span"], nlohmann::json({7 + 1 + 5 + 1, 7 + 1 + 5 + 1 + 5}));
  refused = error_of(R"j({"op":"instantiate","args":["{{ q }}","c"]})j");
  EXPECT_EQ(refused["span"], nlohmann::json({3, 4}));
  EXPECT_EQ(text_of_call("instantiate('{{ n }}', 'cobol')").substr(0, 18), "error emit.target:");
}

}  // namespace
}  // namespace heddle::notation
