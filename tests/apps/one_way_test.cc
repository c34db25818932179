// There is one way through: a command, an expression and a request of batch get the same answer
// from the same operation.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/shell.h"

namespace heddle {
namespace {

using Told = test::Ran;

/// What `heddle WORDS` prints when the shell has read the words.
Told told(const std::string& words) { return test::heddle(words); }

std::string quoted(const std::string& text) { return test::quoted_for_shell(text); }

/// One question in three ways.
struct Question {
  /// Words of the command line.
  std::vector<std::string> command;
  /// The call in the language.
  std::string expression;
  /// The request of batch, without its id.
  std::string request;
  /// Conditions of --assume.
  std::string assumed = {};
  /// Whether the command prints what the operation does; a table has lines and columns.
  bool prints_alike = true;
};

const char* const kTensor = "dtensor('DeviceMesh([0,1,2,3])', '[Shard(0)]', (8,4))";

const char* const kTyped =
    "tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], "
    "warpsPerCTA = [4, 1], order = [1, 0]}>>";

const std::vector<Question>& questions() {
  static const std::string access = "((4,8),(2,2)):((32,1),(16,8))";
  static const std::vector<Question> all = {
      {{"convert", "--to", "axe", "(4,8):(8,1)"},
       "convert_report((4,8):(8,1), 'axe')",
       R"j({"op":"convert_report","args":["(4,8):(8,1)","axe"]})j"},
      {{"convert", "--to", "cute", kTensor},
       fmt::format("convert_report({}, 'cute')", kTensor),
       fmt::format(R"j({{"op":"convert_report","args":["{}","cute"]}})j", kTensor)},
      {{"convert", "--to", "linear", "--as", "ownership", "((4,8),(2,2)):((32,1),(16,8))"},
       fmt::format("convert_report({}, 'linear', as='ownership')", access),
       fmt::format(
           R"j({{"op":"convert_report","args":["{}","linear"],"kwargs":{{"as":"ownership"}}}})j",
           access)},
      {{"convert", "--to", "cute", "--shape", "4,8", "S[32:1@m]"},
       "convert_report(S[32:1@m], 'cute', shape=(4,8))",
       R"j({"op":"convert_report","args":["S[32:1@m]","cute"],"kwargs":{"shape":[4,8]}})j"},
      {{"convert", "--to", "linear", "6:1"},
       "convert_report(6:1, 'linear')",
       R"j({"op":"convert_report","args":["6:1","linear"]})j"},
      {{"show", "Sw<1,0,2> o 0 o (4,4):(4,1)"},
       "show(Sw<1,0,2> o 0 o (4,4):(4,1))",
       R"j({"op":"show","args":["Sw<1,0,2> o 0 o (4,4):(4,1)"]})j"},
      {{"show", kTensor},
       fmt::format("show({})", kTensor),
       fmt::format(R"j({{"op":"show","args":["{}"]}})j", kTensor)},
      {{"show", "[[0,2],[1,3]]"},
       "show([[0,2],[1,3]])",
       R"j({"op":"show","args":[[[0,2],[1,3]]]})j"},
      {{"compare", "(4,4):(4,1)", "(4,4):(4,1)"},
       "compare((4,4):(4,1), (4,4):(4,1))",
       R"j({"op":"compare","args":["(4,4):(4,1)","(4,4):(4,1)"]})j"},
      {{"compare", "(2,1):(1,0)", "(2,1):(3,0)"},
       "compare((2,1):(1,0), (2,1):(3,0))",
       R"j({"op":"compare","args":["(2,1):(1,0)","(2,1):(3,0)"]})j"},
      {{"compare", "--as", "memory", "(2,2):(1,2)", "[[0,3],[1,2]]"},
       "compare((2,2):(1,2), [[0,3],[1,2]], as='memory')",
       R"j({"op":"compare","args":["(2,2):(1,2)",[[0,3],[1,2]]],"kwargs":{"as":"memory"}})j"},
      {{"relation", "(4,(2,2)):(2,(1,8))"},
       "relation_report((4,(2,2)):(2,(1,8)))",
       R"j({"op":"relation_report","args":["(4,(2,2)):(2,(1,8))"]})j"},
      {{"relation", "--mappings", "Sw<1,2,1>"},
       "relation_report(Sw<1,2,1>, mappings=true)",
       R"j({"op":"relation_report","args":["Sw<1,2,1>"],"kwargs":{"mappings":true}})j"},
      {{"relation", "S[(8,2):(4@laneid,1@m)] + R[(2):(4@warpid)]"},
       "relation_report(S[(8,2):(4@laneid,1@m)] + R[(2):(4@warpid)])",
       R"j({"op":"relation_report","args":["S[(8,2):(4@laneid,1@m)] + R[(2):(4@warpid)]"]})j"},
      {{"recover", "[0,2,1,3]"},
       "recover_report([0,2,1,3])",
       R"j({"op":"recover_report","args":[[0,2,1,3]]})j"},
      {{"recover", "[[0,2,1,3]]"},
       "recover_report([[0,2,1,3]])",
       R"j({"op":"recover_report","args":[[[0,2,1,3]]]})j"},
      {{"recover", "[0,1,3,5,6,9]"},
       "recover_report([0,1,3,5,6,9])",
       R"j({"op":"recover_report","args":[[0,1,3,5,6,9]]})j"},
      {{"recover", "--axes", "lane,reg", "[[0,0],[0,1],[1,0],[1,1]]"},
       "recover_report([[0,0],[0,1],[1,0],[1,1]], on=['lane','reg'])",
       R"j({"op":"recover_report","args":[[[0,0],[0,1],[1,0],[1,1]]],"kwargs":{"on":["lane","reg"]}})j"},
      {{"recover", "--shape", "(2,2)", "[[0,1,2,3]]"},
       "recover([[0,1,2,3]], (2,2))",
       R"j({"op":"recover","args":[[[0,1,2,3]],[2,2]]})j"},
      {{"recover", "--strides", "(1,(2,8))", "[0,1,2,3,8,9,10,11]"},
       "recover([0,1,2,3,8,9,10,11], strides=(1,(2,8)))",
       R"j({"op":"recover","args":[[0,1,2,3,8,9,10,11]],"kwargs":{"strides":[1,[2,8]]}})j"},
      {{"recover", "--compatible", "(2,4)", "[0,1,2,3,8,9,10,11]"},
       "recover([0,1,2,3,8,9,10,11], compatible=(2,4))",
       R"j({"op":"recover","args":[[0,1,2,3,8,9,10,11]],"kwargs":{"compatible":[2,4]}})j"},
      {{"emit", "(4,8):(8,1)", "r", "c", "--target", "python", "--name", "tile"},
       "emit_report((4,8):(8,1), 'python', 'tile', coordinates=['r','c'])",
       R"j({"op":"emit_report","args":["(4,8):(8,1)","python","tile"],"kwargs":{"coordinates":["r","c"]}})j"},
      {{"emit", "--target", "mlir", "--integers", "--gpu-module", "kernels", "8:2"},
       "emit_report(8:2, 'mlir', integers=true, gpu_module='kernels')",
       R"j({"op":"emit_report","args":["8:2","mlir"],"kwargs":{"integers":true,"gpu_module":"kernels"}})j"},
      {{"emit", "--inverse", "(4,8):(8,2)"},
       "emit_report((4,8):(8,2), inverse=true)",
       R"j({"op":"emit_report","args":["(4,8):(8,2)"],"kwargs":{"inverse":true}})j"},
      {{"emit", "(M,N):(N,1)"},
       "emit((M,N):(N,1))",
       R"j({"op":"emit_report","args":["(M,N):(N,1)"]})j",
       "M<=4096, N<=4096, N%8==0"},
      {{"emit", "--target", "python", kTensor},
       fmt::format("emit({}, 'python')", kTensor),
       fmt::format(R"j({{"op":"emit_report","args":["{}","python"]}})j", kTensor)},
      {{"index", "--count", "--explain", "(4,8):(8,1)", "i", "j"},
       "index((4,8):(8,1), ['i','j'], count=true, explain=true)",
       R"j({"op":"index","args":["(4,8):(8,1)",["i","j"]],"kwargs":{"count":true,"explain":true}})j"},
      {{"index", "--target", "triton",
        "TileBy([M//BM,K//BK],[BM,BK]).OrderBy(Row(M,K))[pid_m, k, :, :]"},
       "index('TileBy([M//BM,K//BK],[BM,BK]).OrderBy(Row(M,K))[pid_m, k, :, :]', target='triton')",
       R"j({"op":"index","args":["TileBy([M//BM,K//BK],[BM,BK]).OrderBy(Row(M,K))[pid_m, k, :, :]"],"kwargs":{"target":"triton"}})j",
       "M%BM==0, K%BK==0"},
      {{"index", "--inverse", "--target", "c", "GroupBy([6,4])", "p"},
       "index(GroupBy([6,4]), ['p'], 'c', inverse=true)",
       R"j({"op":"index","args":["GroupBy([6,4])",["p"],"c"],"kwargs":{"inverse":true}})j"},
      {{"index", "--shape", "4,8", "--target", "cuda", "--cost", "operations", "--narrow",
        "S[32:1@m]", "x-1", "y"},
       "index(S[32:1@m], ['x-1','y'], 'cuda', 'operations', (4,8), narrow=true)",
       R"j({"op":"index","args":["S[32:1@m]",["x-1","y"],"cuda","operations",[4,8]],"kwargs":{"narrow":true}})j",
       "x>=1, x<=4"},
      {{"index", "(4,8):(8,1)", "i", "j", "k"},
       "index((4,8):(8,1), ['i','j','k'])",
       R"j({"op":"index","args":["(4,8):(8,1)",["i","j","k"]]})j"},
      {{"index", "--target", "cobol", "(4,8):(8,1)"},
       "index((4,8):(8,1), target='cobol')",
       R"j({"op":"index","args":["(4,8):(8,1)"],"kwargs":{"target":"cobol"}})j"},
      {{"draw", "((2,2),4):((1,8),2)"},
       "picture(((2,2),4):((1,8),2))",
       R"j({"op":"picture","args":["((2,2),4):((1,8),2)"]})j"},
      {{"draw", "logical_divide(12:1, 4)"},
       "picture('logical_divide(12:1, 4)')",
       R"j({"op":"picture","args":["logical_divide(12:1, 4)"]})j"},
      {{"draw", "--result-only", "--colors", "0", "--run", "2", "logical_divide(12:1, 4)"},
       "picture('logical_divide(12:1, 4)', result_only=true, colors=0, run=2)",
       R"j({"op":"picture","args":["logical_divide(12:1, 4)"],"kwargs":{"result_only":true,"colors":0,"run":2}})j"},
      {{"draw", "--banks", "4", "--element-bits", "16", "(4,8):(8,1)"},
       "picture((4,8):(8,1), banks=4, bits=16)",
       R"j({"op":"picture","args":["(4,8):(8,1)"],"kwargs":{"banks":4,"bits":16}})j"},
      {{"draw", "--tv", "--tile", "4x4", "--thread", "2", "--element", "1,3", "(4,4):(4,1)"},
       "picture((4,4):(4,1), tv=true, tile=(4,4), thread=2, element=(1,3))",
       R"j({"op":"picture","args":["(4,4):(4,1)"],"kwargs":{"tv":true,"tile":[4,4],"thread":2,"element":[1,3]}})j"},
      {{"draw", "--tv", "--all", "(4,4):(4,1)"},
       "picture((4,4):(4,1), tv=true, all=true)",
       R"j({"op":"picture","args":["(4,4):(4,1)"],"kwargs":{"tv":true,"all":true}})j"},
      {{"draw", "--mma", "2,2,2", "(2,2):(1,2)", "(2,2):(2,1)", "(2,2):(1,2)"},
       "picture((2,2):(1,2), (2,2):(2,1), (2,2):(1,2), mma=(2,2,2))",
       R"j({"op":"picture","args":["(2,2):(1,2)","(2,2):(2,1)","(2,2):(1,2)"],"kwargs":{"mma":[2,2,2]}})j"},
      {{"draw", "--view", "hardware", "--by", "dim1", "--slice", "warp=1", kTyped},
       fmt::format("picture('{}', view='hardware', by='dim1', slice={{'warp': 1}})", kTyped),
       fmt::format(
           R"j({{"op":"picture","args":["{}"],"kwargs":{{"view":"hardware","by":"dim1","slice":{{"warp":1}}}}}})j",
           kTyped)},
      {{"draw", "--view", "devices", kTensor},
       fmt::format("picture({}, view='devices')", kTensor),
       fmt::format(R"j({{"op":"picture","args":["{}"],"kwargs":{{"view":"devices"}}}})j", kTensor)},
      {{"draw", "--shape", "4,8", "S[32:1@m]"},
       "picture(S[32:1@m], shape=(4,8))",
       R"j({"op":"picture","args":["S[32:1@m]"],"kwargs":{"shape":[4,8]}})j"},
      {{"draw", "--view", "devices", "(4,8):(8,1)"},
       "picture((4,8):(8,1), view='devices')",
       R"j({"op":"picture","args":["(4,8):(8,1)"],"kwargs":{"view":"devices"}})j"},
      {{"draw", "(2,N):(N,1)"},
       "picture((2,N):(N,1))",
       R"j({"op":"picture","args":["(2,N):(N,1)"]})j"},
      {{"banks", "--no-picture", "(32,8):(1,64)", "(64,64):(64,1)", "--bits", "16"},
       "bank_conflicts((32,8):(1,64), (64,64):(64,1), 16)",
       R"j({"op":"bank_conflicts","args":["(32,8):(1,64)","(64,64):(64,1)",16]})j"},
      {{"banks", "--no-picture", "(32,4):(4,1)", "--bits", "32", "--max-bits", "64"},
       "bank_conflicts((32,4):(4,1), element_bits=32, max_bits=64)",
       R"j({"op":"bank_conflicts","args":["(32,4):(4,1)"],"kwargs":{"element_bits":32,"max_bits":64}})j"},
      {{"coalescing", "(32,4):(4,1)", "(128,64):(64,1)", "--bits", "16"},
       "coalescing((32,4):(4,1), (128,64):(64,1), 16)",
       R"j({"op":"coalescing","args":["(32,4):(4,1)","(128,64):(64,1)",16]})j"},
      {{"banks", "--no-picture", kTyped, "(64,64):(64,1)"},
       fmt::format("bank_conflicts({}, (64,64):(64,1))", kTyped),
       fmt::format(R"j({{"op":"bank_conflicts","args":["{}","(64,64):(64,1)"]}})j", kTyped)},
      {{"coalescing", kTyped, "(64,64):(64,1)", "--bits", "32"},
       fmt::format("coalescing({}, (64,64):(64,1), 32)", kTyped),
       fmt::format(R"j({{"op":"coalescing","args":["{}","(64,64):(64,1)",32]}})j", kTyped)},
      {{"swizzle", "(64,64):(64,1)", "(32,8):(1,64)", "--bits", "16"},
       "swizzle_search((64,64):(64,1), 16, (32,8):(1,64))",
       R"j({"op":"swizzle_search","args":["(64,64):(64,1)",16,"(32,8):(1,64)"]})j"},
      {{"table", "(2,4):(4,1)"},
       "table((2,4):(4,1))",
       R"j({"op":"table","args":["(2,4):(4,1)"]})j",
       "",
       false},
      {{"table", "--limit", "3", "Sw<1,0,1>"},
       "table(Sw<1,0,1>, limit=3)",
       R"j({"op":"table","args":["Sw<1,0,1>"],"kwargs":{"limit":3}})j",
       "",
       false},
      {{"table", "[[0,2],[1,3]]"},
       "table([[0,2],[1,3]])",
       R"j({"op":"table","args":["[[0,2],[1,3]]"]})j",
       "",
       false},
      {{"prove", "(4,8):(1,4) == 32:1"},
       "(4,8):(1,4) == 32:1",
       R"j({"op":"eval","args":["(4,8):(1,4) == 32:1"]})j"},
      {{"prove", "injective((4,8):(8,2))"},
       "injective((4,8):(8,2))",
       R"j({"op":"injective","args":["(4,8):(8,2)"]})j"},
      {{"prove", "8*(M//8) == M"},
       "8*(M//8) == M",
       R"j({"op":"eval","args":["8*(M//8) == M"]})j",
       "M%8==0"},
  };
  return all;
}

std::string words_of(const Question& question, const std::string& more) {
  std::string words = question.command.front() + more;
  if (!question.assumed.empty()) words += " --assume " + quoted(question.assumed);
  for (std::size_t i = 1; i < question.command.size(); ++i) {
    words += " " + quoted(question.command[i]);
  }
  return words;
}

Told evaluated(const Question& question) {
  std::string words = "eval";
  if (!question.assumed.empty()) words += " --assume " + quoted(question.assumed);
  return told(words + " " + quoted(question.expression));
}

/// A refusal without what only an expression has: the place in it.
std::string without_place(const std::string& text) {
  const std::size_t place = text.find("\n  line 1, column ");
  return place == std::string::npos ? text : text.substr(0, place + 1);
}

/// What compare prints without the picture that a terminal gets.
std::string without_picture(const std::string& text) {
  return text.substr(0, text.find("\nthe differences\n"));
}

TEST(OneWay, CommandsPrintWhatTheOperationsDo) {
  for (const Question& question : questions()) {
    if (!question.prints_alike) continue;
    const Told by_command = told(words_of(question, ""));
    const Told by_expression = evaluated(question);
    EXPECT_EQ(without_place(without_picture(by_command.output)),
              without_place(by_expression.output))
        << words_of(question, "");
    EXPECT_EQ(by_command.code, by_expression.code) << words_of(question, "");
  }
}

TEST(OneWay, CommandsGiveTheDataThatBatchGives) {
  const test::Folder folder;
  for (const Question& question : questions()) {
    auto request = nlohmann::json::parse(question.request);
    if (!question.assumed.empty()) request["assume"] = question.assumed;
    const std::string path = folder.write("request", request.dump() + "\n");
    auto by_batch = nlohmann::json::parse(told("batch " + quoted(path)).output);
    by_batch.erase("id");
    auto by_command = nlohmann::json::parse(told(words_of(question, " --json")).output);
    for (auto* answer : {&by_batch, &by_command}) {
      if (answer->contains("error")) (*answer)["error"].erase("span");
    }
    EXPECT_EQ(by_command, by_batch) << words_of(question, " --json");
  }
}

/// A template and a file of layouts, as the command reads them.
class OneWayOfTemplates : public testing::Test {
 protected:
  void SetUp() override {
    write("kernel.cu.in", kTemplate);
    write("tiles.heddle", kLayouts);
  }

  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string path(const std::string& name) const { return folder_.path(name); }

  static constexpr const char* kTemplate = "x = a[{{ A[i, j] }}];\ny = {{ rows }};\n";
  static constexpr const char* kLayouts = "A = (rows,8):(8,1)\n";

 private:
  test::Folder folder_;
};

TEST_F(OneWayOfTemplates, InstantiateIsTheOperation) {
  const std::string words = fmt::format("instantiate {} -D 'rows = 4' {} {}", "{}",
                                        quoted(path("kernel.cu.in")), quoted(path("tiles.heddle")));
  const nlohmann::json request = {
      {"op", "instantiate"},
      {"args", {kTemplate, "cuda", {kLayouts}}},
      {"kwargs",
       {{"definitions", {"rows = 4"}}, {"name", "kernel.cu.in"}, {"names", {"tiles.heddle"}}}}};
  auto by_batch = nlohmann::json::parse(
      told("batch " + quoted(write("request", request.dump() + "\n"))).output);
  by_batch.erase("id");
  EXPECT_TRUE(by_batch["ok"].get<bool>()) << by_batch;
  const auto plain = told(fmt::format(fmt::runtime(words), ""));
  EXPECT_EQ(nlohmann::json::parse(told(fmt::format(fmt::runtime(words), "--json")).output),
            by_batch);
  EXPECT_EQ(plain.output, by_batch["result"]["text"].get<std::string>());
  EXPECT_EQ(
      plain.output,
      told("eval " + quoted(R"(instantiate("x = a[{{ A[i, j] }}];\ny = {{ rows }};\n", 'cuda', )"
                            R"(["A = (rows,8):(8,1)\n"], ['rows = 4'], ['tiles.heddle'], )"
                            R"('kernel.cu.in'))"))
          .output);
}

// The operation counts places in all texts, the command in the file where they are.
TEST_F(OneWayOfTemplates, PlacesAreInTheFileThatIsAtFault) {
  const std::string wrong = write("wrong.heddle", "\nB = (4,8):)\n");
  const std::string unused = write("unused.heddle", "C = 4:1\n");
  const auto first_line = [&](const std::string& words) {
    const std::string output = told("instantiate " + words).output;
    return output.substr(0, output.find('\n'));
  };
  const std::string kernel = path("kernel.cu.in");
  const std::string tiles = path("tiles.heddle");
  EXPECT_EQ(first_line(fmt::format("{} -D 'rows = ' {}", kernel, tiles)).substr(0, 11),
            "--define:1:");
  EXPECT_TRUE(first_line(fmt::format("{} -D 'rows = 4' {} {}", kernel, tiles, wrong))
                  .starts_with(wrong + ":2: error syntax."));
  EXPECT_EQ(first_line(fmt::format("{} -D 'rows = 4' {} {}", kernel, tiles, unused)),
            unused + ":1: error template.unused: C is not used");
  EXPECT_TRUE(first_line(fmt::format("{} -D 'A = 4:1' -D 'rows = 4'", kernel))
                  .starts_with(kernel + ":1: error usage.expression: "));
}

}  // namespace
}  // namespace heddle
