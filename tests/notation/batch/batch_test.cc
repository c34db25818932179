#include "heddle/notation/batch.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::notation {
namespace {

using nlohmann::json;

json ask(std::string_view line) { return json::parse(answer(line)); }

std::string error_code(std::string_view line) { return ask(line).at("error").at("code"); }

// As in the README: exact texts.
TEST(Batch, AnswersOneLineExactly) {
  EXPECT_EQ(answer(R"j({"id":1,"op":"composition","args":["(6,2):(8,2)","(4,3):(3,1)"]})j"),
            R"j({"id":1,"ok":true,"result":"((2,2),3):((24,2),8)"})j");
  EXPECT_EQ(answer(R"j({"id":2,"op":"table","args":["(4,2):(2,1)"],"kwargs":{"limit":3}})j"),
            R"j({"id":2,"ok":true,"result":[0,2,4]})j");
}

TEST(Batch, GivesRefusalsInFull) {
  const json reply = ask(R"j({"id":3,"op":"composition","args":["(4,6):(1,5)","6:1"]})j");
  EXPECT_EQ(reply["ok"], false);
  const json& error = reply["error"];
  EXPECT_EQ(error["code"], "composition.no_layout");
  EXPECT_EQ(error["message"], "(4,6):(1,5) o 6:1 is not a layout");
  EXPECT_TRUE(error["notes"].is_array());
  EXPECT_TRUE(error.contains("hint"));
  EXPECT_EQ(error["witness"]["coordinate"], "4");
}

TEST(Batch, AnObjectHasEachKeyOnce) {
  for (const std::string_view line :
       {R"({"op":"rank","op":"size","args":["4:1"]})",
        R"({"op":"invert","args":[{"ins":[],"ins":[["a",[[1]]]],"outs":[["b",2]]}]})"}) {
    EXPECT_EQ(error_code(line), "batch.json") << line;
  }
  EXPECT_EQ(ask(R"({"op":"rank","args":[4],"kwargs":{}})").at("ok"), true);
}

TEST(Batch, EchoesIdsOfAnyType) {
  for (const std::string& id :
       std::vector<std::string>{"7", "\"a\"", "null", "[1,{\"x\":2}]", "1.5", "true", "-3"}) {
    EXPECT_EQ(ask("{\"id\":" + id + ",\"op\":\"rank\",\"args\":[\"(4,8)\"]}")["id"],
              json::parse(id))
        << id;
  }
  EXPECT_TRUE(ask(R"j({"op":"rank","args":["4"]})j")["id"].is_null());
}

TEST(Batch, DefinitionsMayUseTheNamesBeforeThem) {
  const json defined =
      ask(R"j({"op":"size","args":["B"],"let":["A = (4,8):(8,1)","B = A o 4:1"]})j");
  EXPECT_EQ(defined["result"], 4);
  const json drawn = ask(R"j({"op":"picture","args":["A(1,_)"],"let":"A = (4,8):(8,1)"})j");
  EXPECT_EQ(drawn["ok"], true);
  const json sized = ask(R"j({"op":"size","args":["A"],"let":"A = (M,8):(8,1)","assume":"M==4"})j");
  EXPECT_EQ(sized["result"], 32);
}

TEST(Batch, ADefinitionThatFailsIsNamed) {
  const json error = ask(R"j({"op":"size","args":["A"],"let":["A = B o 4:1"]})j")["error"];
  EXPECT_EQ(error["code"], "name.unknown");
  EXPECT_EQ(error["notes"].back(), "in the definition A = B o 4:1");
  EXPECT_EQ(error_code(R"j({"op":"size","args":["4:1"],"let":"4:1"})j"), "batch.request");
  EXPECT_EQ(error_code(R"j({"op":"size","args":["4:1"],"let":{"A":"4:1"}})j"), "batch.request");
}

TEST(Batch, TakesNumbersArraysAndNamedArguments) {
  EXPECT_EQ(ask(R"j({"op":"size","args":[[4,[2,2]]]})j")["result"], 16);
  EXPECT_EQ(ask(R"j({"op":"complement","args":["4:1",32]})j")["result"], "8:4");
  EXPECT_EQ(ask(R"j({"op":"slice","args":["(4,8):(8,1)",["_",1]]})j")["result"], "(4):(8)");
  EXPECT_EQ(ask(R"j({"op":"logical_divide","args":["(4,8):(8,1)",["2:1","_"]]})j")["ok"], true);
  EXPECT_EQ(ask(R"j({"op":"tile_to_shape","args":["(2,2):(2,1)"],
                     "kwargs":{"shape":"(4,4)","order":[1,0]}})j")["ok"],
            true);
  EXPECT_EQ(ask(R"j({"op":"compact_major","args":["(4,2)"],"kwargs":{"major":"row"}})j")["result"],
            "(2,1)");
}

TEST(Batch, ReturnsEachKindAsItsJson) {
  EXPECT_EQ(ask(R"j({"op":"congruent","args":["(4,8)","(1,2)"]})j")["result"], true);
  EXPECT_EQ(ask(R"j({"op":"shape_div","args":["(6,(3,4))","36"]})j")["result"], "(1,(1,2))");
  EXPECT_EQ(ask(R"j({"op":"eval","args":["2*3"]})j")["result"], 6);
  EXPECT_EQ(ask(R"j({"op":"swizzle","args":["S<3,4,3>"]})j")["result"], "Sw<3,4,3>");
  EXPECT_EQ(ask(R"j({"op":"table","args":["(2,2):(1@0,1@1)"]})j")["result"],
            (json{"(0,0)", "(1,0)", "(0,1)", "(1,1)"}));
  EXPECT_EQ(ask(R"j({"op":"slice_and_offset","args":["(_,3)","(4,8):(8,1)"]})j")["result"],
            (json{{"layout", "(4):(8)"}, {"offset", 3}}));
  EXPECT_EQ(ask(R"j({"op":"left_divisible","args":["(2,6,8)",8]})j")["result"]["answer"], "no");
}

TEST(Batch, EvaluatesPartsOfAxeLayouts) {
  EXPECT_EQ(answer(R"({"id":1,"op":"eval","args":["R[4:32@TLane]"]})"),
            R"({"id":1,"ok":true,"result":"R[(4):(32@TLane)]"})");
  EXPECT_EQ(answer(R"json({"id":2,"op":"eval","args":["Iter(8, 2, tx)"]})json"),
            R"({"id":2,"ok":true,"result":[8,2,"tx"]})");
  EXPECT_EQ(answer(R"({"id":3,"op":"eval","args":["4@laneid + 1@m"]})"),
            R"({"id":3,"ok":true,"result":"4@laneid + 1@m"})");
}

TEST(Batch, ReturnsVerdictsWithTheirEvidence) {
  const json verdict =
      ask(R"j({"op":"equal","args":["Sw<2,0,3> o 0 o (4,8):(8,1)","(4,8):(8,1)"]})j")["result"];
  EXPECT_EQ(verdict["verdict"], "no");
  EXPECT_EQ(verdict["method"], "GF(2) form");
  EXPECT_EQ(verdict["counterexample"]["found"], "9");
  EXPECT_EQ(verdict["counterexample"]["wanted"], "8");
}

TEST(Batch, AnswersUnreadableLinesWithANullId) {
  for (const std::string_view line :
       {"", "{", "not json", "[1]", "7", "{\"id\":1,}", "{\"id\":\"\xff\"}"}) {
    const json reply = ask(line);
    EXPECT_TRUE(reply["id"].is_null()) << line;
    EXPECT_EQ(reply["ok"], false) << line;
  }
  EXPECT_EQ(error_code("not json"), "batch.json");
  EXPECT_EQ(error_code("[1]"), "batch.request");
}

TEST(Batch, ReportsBadRequests) {
  EXPECT_EQ(error_code(R"j({"id":1})j"), "batch.request");
  EXPECT_EQ(error_code(R"j({"id":1,"op":7})j"), "batch.request");
  const json unknown = ask(R"j({"id":1,"op":"rank","arg":["4"]})j");
  EXPECT_EQ(unknown["id"], 1);
  EXPECT_EQ(unknown["error"]["message"], "a request has no key 'arg'");
  EXPECT_EQ(error_code(R"j({"id":1,"op":"rank","args":"4"})j"), "batch.request");
  EXPECT_EQ(error_code(R"j({"id":1,"op":"rank","args":["4"],"kwargs":[]})j"), "batch.request");
  EXPECT_EQ(error_code(R"j({"id":1,"op":"rnak","args":["4"]})j"), "name.unknown");
  EXPECT_EQ(ask(R"j({"op":"compositon"})j")["error"]["hint"], "did you mean composition?");
}

TEST(Batch, ReadsNullAsPythonReadsNone) {
  EXPECT_EQ(ask(R"j({"op":"slice","args":[[null,3],"(4,8):(8,1)"]})j")["result"], "(4):(8)");
  EXPECT_EQ(ask(R"j({"op":"slice","args":[[[null,1],null],"((2,4),3):((1,2),8)"]})j")["result"],
            "(2,3):(1,8)");
  EXPECT_EQ(ask(R"j({"op":"zipped_divide","args":["(64,50):(50,1)",[32,null]]})j")["result"],
            ask(R"j({"op":"zipped_divide","args":["(64,50):(50,1)","(32,_)"]})j")["result"]);
  EXPECT_EQ(ask(R"j({"op":"local_tile","args":["(128,64):(64,1)",[32,32],[1,null]]})j")["result"],
            json::parse(R"j({"layout":"(32,32,2):(64,1,32)","offset":2048})j"));
  EXPECT_EQ(ask(R"j({"op":"recover","args":[[0,2,1,3]],"kwargs":{"shape":null}})j")["result"],
            "(2,2):(2,1)");
}

TEST(Batch, ReportsBadArguments) {
  EXPECT_EQ(error_code(R"j({"op":"rank","args":[]})j"), "call.arity");
  EXPECT_EQ(error_code(R"j({"op":"rank","args":[1.5]})j"), "call.type");
  EXPECT_EQ(error_code(R"j({"op":"max","args":[[]]})j"), "tuple.empty");
  EXPECT_EQ(error_code(R"j({"op":"rank","args":[18446744073709551615]})j"), "syntax.number");
  const json large = ask(R"j({"id":1,"op":"rank","args":["\"9",[4,-99999999999999999999]]})j");
  EXPECT_EQ(large["id"], 1);
  EXPECT_EQ(large["error"]["message"], "'-99999999999999999999' does not fit into 64 bits");
  EXPECT_EQ(error_code(R"j({"op":"rank","args":[1e400]})j"), "batch.json");
  EXPECT_EQ(error_code(R"j({"op":"rank","kwargs":{"y":1}})j"), "call.keyword");
}

TEST(Batch, EchoesNumbersAsTheyAreWritten) {
  for (const std::string& id :
       std::vector<std::string>{"123456789012345678901234567890", "-99999999999999999999", "1.50",
                                "1e2", "-0", "18446744073709551615"}) {
    EXPECT_EQ(answer("{\"op\":\"rank\",\"args\":[4], \"id\" : " + id + " }"),
              "{\"id\":" + id + ",\"ok\":true,\"result\":1}");
  }
  EXPECT_EQ(answer(R"j({"id":1.0,"op":"rank","args":["id",{"id":2.0}]})j").substr(0, 9),
            R"j({"id":1.0)j");
}

TEST(Batch, ArraysHoldPartsOfTuplesOnly) {
  const auto message = [](std::string_view line) {
    const json error = ask(line).at("error");
    EXPECT_FALSE(error.contains("span")) << line;
    return error.at("code").get<std::string>() + ": " + error.at("message").get<std::string>();
  };
  EXPECT_EQ(message(R"j({"op":"size","args":[["\"2,3\"",4]]})j"),
            "call.type: an array holds a text; it is a tuple, and integers, tuples, `_` and "
            "layouts are its parts");
  EXPECT_EQ(error_code(R"j({"op":"size","args":[[true,4]]})j"), "call.type");
  EXPECT_EQ(error_code(R"j({"op":"size","args":[["4:1 == 4:1",4]]})j"), "call.type");
  EXPECT_EQ(error_code(R"j({"op":"size","args":[[4,["3 == 3"]]]})j"), "call.type");
  message(R"j({"op":"size","args":[["4:1","(1@0,1@1)"]]})j");
  EXPECT_EQ(ask(R"j({"op":"make_layout","args":[[4,8],["1@0","1@1"]]})j")["result"],
            "(4,8):(1@0,1@1)");
}

TEST(Batch, NamedArgumentsHaveNames) {
  EXPECT_EQ(error_code(R"j({"op":"rank","kwargs":{"":4}})j"), "call.keyword");
}

TEST(Batch, SaysWhichArgumentIsNotRead) {
  const json error = ask(R"j({"op":"composition","args":["4:1","(4,8"]})j")["error"];
  EXPECT_EQ(error["code"], "syntax.unbalanced");
  EXPECT_EQ(error["notes"], json{"in the argument 2"});
  EXPECT_EQ(error["span"], (json{0, 1}));
}

TEST(Batch, SurvivesDeepAndLongLines) {
  EXPECT_EQ(error_code(std::string(1'000'000, '[')), "syntax.too_deep");
  EXPECT_EQ(error_code("{\"op\":\"rank\",\"args\":[" + std::string(1'000'000, '[')),
            "syntax.too_deep");
  std::string many = "{\"op\":\"rank\",\"args\":[1";
  for (int i = 0; i < 500'000; ++i) many += ",1";
  EXPECT_EQ(error_code(many + "]}"), "syntax.too_long");
  const std::string deep =
      R"j({"id":1,"op":"rank","args":[")j" + std::string(1'000'000, '(') + "\"]}";
  EXPECT_EQ(error_code(deep), "syntax.too_deep");
}

TEST(Batch, StreamsInOrderAndSkipsBlankLines) {
  std::istringstream input(
      "{\"id\":1,\"op\":\"rank\",\"args\":[\"(4,8)\"]}\n\n  \r\nbroken\n"
      "{\"id\":2,\"op\":\"depth\",\"args\":[4]}");
  std::ostringstream output;
  run_batch(input, output);
  std::istringstream lines(output.str());
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0], (json{{"id", 1}, {"ok", true}, {"result", 2}}));
  EXPECT_TRUE(answers[1]["id"].is_null());
  EXPECT_EQ(answers[2]["result"], 0);
}

}  // namespace
}  // namespace heddle::notation
