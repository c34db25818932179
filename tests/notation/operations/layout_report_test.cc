// What is said of layouts of any systems: reports, counterexamples as data, places in quoted texts,
// tables in batch, explanations.

#include "heddle/notation/layout_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "heddle/notation/batch.h"
#include "heddle/notation/evaluator.h"
#include "heddle/notation/explain.h"
#include "heddle/notation/npy.h"
#include "heddle/notation/parser.h"
#include "heddle/notation/quoted.h"

namespace heddle::notation {
namespace {

using nlohmann::json;

json answer_to(std::string_view line) { return json::parse(answer(line)); }

json result_of(std::string_view line) {
  const json answered = answer_to(line);
  EXPECT_TRUE(answered["ok"].get<bool>()) << answered;
  return answered["result"];
}

std::string answer_or_refusal(std::string_view text) {
  const auto value = evaluate(text);
  return value ? to_string(*value) : value.error().to_string(text);
}

// ---- show and compare ----

TEST(LayoutReport, ShowIsAnOperation) {
  const std::string text = to_string(*evaluate("show(4:2)"));
  EXPECT_NE(text.find("axe       S[(4):(2@m)]"), std::string::npos) << text;
  const json rows = result_of(R"j({"op":"show","args":["4:2"]})j");
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_EQ(rows[0]["system"], "cute");
  EXPECT_EQ(rows[0]["layout"], "4:2");
  EXPECT_EQ(rows[3]["layout"], "S[(4):(2@m)]");
  EXPECT_EQ(rows[3]["same"]["verdict"], "yes");
  EXPECT_EQ(rows[6]["layout"], json({0, 2, 4, 6}));
  const json refused = result_of(R"j({"op":"show","args":["(3,2):(1,3)"]
})j");
  EXPECT_EQ(refused[2]["error"]["code"], "convert.no_layout");
}

TEST(LayoutReport, AThreadValueLayoutStaysWithinItsTile) {
  for (const char* layout : {"(4,8):(-1,4)", "(4,8):(1,-4)", "((2,2),8):((1,-2),4)"}) {
    const json rows = result_of(json({{"op", "show"}, {"args", {layout}}}).dump());
    EXPECT_EQ(rows[1]["system"], "cute_tv");
    EXPECT_EQ(rows[1]["error"]["code"], "convert.no_layout") << layout << rows[1];
  }
  EXPECT_NE(to_string(*evaluate("show((4,8):(-1,4))"))
                .find("it leads to element -3, and a tile begins at 0"),
            std::string::npos);
}

TEST(LayoutReport, ShowStatesTheShapeOfAnAxeLayoutAsData) {
  const json rows = result_of(R"j({"op":"show","args":["((2,2),8):((1,16),2)"]})j");
  EXPECT_EQ(rows[3]["shape"], json({4, 8}));
}

TEST(LayoutReport, CompareIsAnOperation) {
  const json found = result_of(R"j({"op":"compare","args":["(2,2):(1,2)","GroupBy([2,2])"]})j");
  EXPECT_EQ(found["verdict"]["verdict"], "no");
  EXPECT_EQ(found["points"], 4);
  EXPECT_EQ(found["differences"], json::parse(R"j([{"coordinate":[1,0],"a":1,"b":2},
                                                  {"coordinate":[0,1],"a":2,"b":1}])j"));
  EXPECT_EQ(to_string(*evaluate("compare(4:1, [0,1,3,2])")),
            "no  (evaluation)  counterexample: coordinate 2: 2 and 3\n"
            "2 of 4 points differ\n"
            "  2                   2         3\n"
            "  3                   3         2");
}

// ---- Counterexamples as data ----

TEST(LayoutReport, CounterexamplesAreNumbersToo) {
  const json collision = result_of(R"j({"op":"injective","args":["(4,8):(8,2)"]})j");
  EXPECT_EQ(collision["counterexample"]["coordinate"], "16 = (0,4)");
  EXPECT_EQ(collision["counterexample"]["numbers"], json::parse(R"j({
      "coordinate":[0,4],"flat":16,"found":8,"wanted":8,"at":{"coordinate":[1,0],"flat":1}})j"));
  const json same = result_of(R"j({"op":"eval","args":["(4,8):(8,1) == (4,8):(1,4)"]
  })j");
  EXPECT_EQ(same["counterexample"]["numbers"],
            json::parse(R"j({"coordinate":[1,0],"flat":1,"found":8,"wanted":1})j"));
  const json missing = result_of(R"j({"op":"contiguous","args":["(4,2):(1,5)"]
  })j");
  EXPECT_EQ(missing["counterexample"]["numbers"], json::parse(R"j({"wanted":4})j"));
}

TEST(LayoutReport, NumbersHaveTheNamesOfDimensions) {
  const json named =
      result_of(R"j({"op":"injective","args":[{"ins":[["lane",[[1,0]]],["register",[[1,0]]]],)j"
                R"j("outs":[["dim0",2],["dim1",1]]}]})j");
  EXPECT_EQ(named["counterexample"]["numbers"], json::parse(R"j({
      "coordinate":{"lane":0,"register":1},"flat":2,"found":{"dim0":1,"dim1":0},
      "wanted":{"dim0":1,"dim1":0},"at":{"coordinate":{"lane":1,"register":0},"flat":1}})j"));
  const json copies = result_of(
      R"j({"op":"equal","args":["S[2:1] + R[2:4]","relation('{ [i] -> [i] : 0 <= i < 2 }')"]
  })j");
  EXPECT_EQ(copies["counterexample"]["numbers"]["found"], json::parse(R"j({"set":[0,4]})j"));
  EXPECT_EQ(copies["counterexample"]["numbers"]["wanted"], 0);
}

// ---- Places in quoted texts ----

TEST(LayoutReport, ASyntaxErrorPointsIntoTheText) {
  EXPECT_EQ(answer_or_refusal("relation('{ [i] -> [i +* 2] : 0 <= i < 4 }')"),
            "error relation.syntax: unexpected '*'\n"
            "  line 1, column 24\n"
            "    relation('{ [i] -> [i +* 2] : 0 <= i < 4 }')\n"
            "                           ^\n"
            "  hint: a relation is written as { [i, j] -> [8i + j] : 0 <= i < 4 }");
  EXPECT_EQ(answer_or_refusal("relation(\"{ [i] -> [i] :\n  0 <= i < and 4 }\")"),
            "error relation.syntax: unexpected 'and'\n"
            "  line 2, column 12\n"
            "      0 <= i < and 4 }\")\n"
            "               ^^^\n"
            "  hint: a relation is written as { [i, j] -> [8i + j] : 0 <= i < 4 }");
  EXPECT_EQ(answer_or_refusal("injective('{ [i] -> [k] }')").find("line 1, column 12\n"),
            std::string::npos);
}

TEST(LayoutReport, PlacesFollowEscapes) {
  const auto text = unquoted(R"j("a\"b\u00e9c")j", 10);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->text,
            "a\"b\xC3\xA9"
            "c");
  EXPECT_EQ(text->places.in_source({1, 2}), (Span{12, 14}));
  EXPECT_EQ(text->places.in_source({3, 5}), (Span{15, 21}));
  EXPECT_EQ(text->places.in_source({5, 6}), (Span{21, 22}));
  EXPECT_EQ(text->places.in_source({6, 6}), (Span{22, 23}));
}

TEST(LayoutReport, OnlyBracketsGoOnOverLines) {
  EXPECT_EQ(answer_or_refusal("\"text\n\"").substr(0, 24), "error syntax.unbalanced:");
}

// ---- Tables in batch ----

TEST(LayoutReport, AnArrayIsATableWhereALayoutIsWanted) {
  EXPECT_EQ(result_of(R"j({"op":"equal","args":["4:1",[0,1,2,3]]})j")["verdict"], "yes");
  EXPECT_EQ(result_of(R"j({"op":"equal","args":[[0,1,2,3],"GroupBy([4])"]
  })j")["verdict"],
            "yes");
  EXPECT_EQ(result_of(R"j({"op":"equal","args":["GroupBy([4])",[0,1,2,3]]
  })j")["verdict"],
            "yes");
  EXPECT_EQ(result_of(R"j({"op":"convert","args":[[[0,1],[2,3]]],"kwargs":{"to":"cute"}})j"),
            "(2,2):(2,1)");
  EXPECT_EQ(result_of(R"j({"op":"injective","args":[[0,2,2]]})j")["verdict"], "no");
  EXPECT_EQ(result_of(R"j({"op":"recover","args":[[[0,1],[2,3]]]})j"), "(2,2):(2,1)");
  EXPECT_EQ(result_of(R"j({"op":"slice","args":["(4,8):(8,1)",[1,"_"]]
  })j"),
            "(8):(1)");
}

TEST(LayoutReport, TablesAreArraysInAnswers) {
  EXPECT_EQ(result_of(R"j({"op":"convert","args":["(2,2):(2,1)","table"]})j"),
            json::parse("[[0,1],[2,3]]"));
}

TEST(LayoutReport, AnyByteButZeroIsTrue) {
  std::string header = "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += std::string("\x01\x00", 2);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  bytes += std::string("\x00\x01\x07", 3);
  const auto table = read_npy(bytes);
  ASSERT_TRUE(table) << table.error();
  EXPECT_EQ(table->values, (std::vector<std::int64_t>{0, 1, 1}));
}

// ---- Explanations ----

std::string explanation_of(std::string_view text) {
  return to_text(explain(*parse_expression(text)));
}

TEST(LayoutReport, DecisionsAreExplained) {
  const std::string text = explanation_of("equal((3,4):(1,3), GroupBy([3,4]).OrderBy(Col(3,4)))");
  EXPECT_NE(text.find("digits"), std::string::npos) << text;
  EXPECT_NE(text.find("yes  (digit form)"), std::string::npos) << text;
  const std::string open = explanation_of("injective([0,1,2,5,4])");
  EXPECT_NE(open.find("Does not decide"), std::string::npos) << open;
  EXPECT_NE(open.find("exhaustive"), std::string::npos) << open;
}

TEST(LayoutReport, ConversionsAndRecoveryAreExplained) {
  const std::string converted = explanation_of("convert((4,8):(8,1), 'axe')");
  EXPECT_NE(converted.find("literal"), std::string::npos) << converted;
  EXPECT_NE(converted.find("yes  (digit form"), std::string::npos) << converted;
  const std::string recovered = explanation_of("recover([0,24,48,9,33,57])");
  EXPECT_NE(recovered.find("3:24 2:9"), std::string::npos) << recovered;
  const std::string relation = explanation_of("relation((4,8):(8,1))");
  EXPECT_NE(relation.find("quasi-affine"), std::string::npos) << relation;
}

}  // namespace
}  // namespace heddle::notation
