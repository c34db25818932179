// Runs the command as a user does.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/shell.h"

namespace heddle {
namespace {

using test::contents;
using test::heddle;
using Outcome = test::Ran;

/// What a terminal shows when these lines are typed at the prompt; nothing where the system has no
/// pseudo-terminals to give.
std::optional<std::string> at_terminal(const std::string& path) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) return std::nullopt;
  if (child == 0) {
    execl(HEDDLE_BINARY, HEDDLE_BINARY, static_cast<char*>(nullptr));
    _exit(127);
  }
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    line += '\n';
    if (write(terminal, line.data(), line.size()) < 0) break;
  }
  std::string screen;
  char c = 0;
  while (read(terminal, &c, 1) == 1) {
    if (c != '\r') screen += c;
  }
  close(terminal);
  waitpid(child, nullptr, 0);
  return screen;
}

/// What a terminal shows when each of these is typed at a prompt, `heddle> ` or `   ...> `; nothing
/// where the system has no pseudo-terminals to give.
std::optional<std::string> at_prompts(const std::vector<std::string>& typed) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) return std::nullopt;
  if (child == 0) {
    execl(HEDDLE_BINARY, HEDDLE_BINARY, static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string screen;
  std::size_t begin = 0;
  std::size_t next = 0;
  char c = 0;
  while (read(terminal, &c, 1) == 1) {
    screen += c;
    const bool is_asked = screen.find("> ", begin) != std::string::npos;
    if (!is_asked || next == typed.size()) continue;
    begin = screen.size();
    const std::string& text = typed[next++];
    if (write(terminal, text.data(), text.size()) < 0) break;
  }
  close(terminal);
  waitpid(child, nullptr, 0);
  std::erase(screen, '\r');
  return screen;
}

class Command : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    return files_.write(name, text);
  }

  const test::Folder files_;
  const std::filesystem::path& folder_ = files_.path();
};

TEST_F(Command, EvaluatesExpressionsThatShareBindings) {
  const Outcome outcome = heddle("eval 'A = (4,8):(8,1)' 'A(1,_)' '-3 + 4' '[4:1;_]'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "(8):(1)\n1\n<4:1,_>\n");
}

TEST_F(Command, TakesTheShapeOfAnAxeLayoutForTablesRelationsAndLoops) {
  const std::string layout = "'S[(2,4):(1@m,2@m)]'";
  EXPECT_EQ(heddle("table --shape 2,4 " + layout).output, "0 2 4 6\n1 3 5 7\n");
  const std::string relation = heddle("relation --shape 4,2 'S[8:1@m]'").output;
  EXPECT_NE(relation.find("[c0, c1] -> [2c0 + c1] : 0 <= c0 <= 3 and 0 <= c1 <= 1"),
            std::string::npos)
      << relation;
  const std::string loops = heddle("loops --target python --shape 2,4 " + layout).output;
  EXPECT_NE(loops.find("yield (c0, c1), c0 + (c1 << 1)"), std::string::npos) << loops;
  for (const char* command : {"table", "relation", "loops"}) {
    const Outcome outcome = heddle(fmt::format("{} --shape 3,4 {}", command, layout));
    EXPECT_NE(outcome.output.find("view.shape"), std::string::npos) << outcome.output;
  }
}

TEST_F(Command, EvaluatesStandardInput) {
  EXPECT_EQ(heddle("eval < " + write("in", "A = 4:2\nA(3)\n")).output, "6\n");
  EXPECT_EQ(heddle("eval 'A = 4:2' - 'A(1)' < " + write("in", "A(3)")).output, "6\n2\n");
  EXPECT_EQ(heddle("< " + write("in", "size((4,8))")).output, "32\n");
}

TEST_F(Command, ShowsRefusalsAsTheDesignDoes) {
  const Outcome outcome = heddle("eval 'composition((4,6):(1,5), 6:1)'");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(outcome.output,
            "error composition.no_layout: (4,6):(1,5) o 6:1 is not a layout\n"
            "  6:1 runs through the left side's first mode (4) and 2 of its second (6); 6 is not a "
            "multiple of 4\n"
            "  witness: coordinate 4 maps to 5; a mode 6:1 would need 4\n");
}

TEST_F(Command, StopsAtTheFirstRefusal) {
  const Outcome outcome = heddle("eval '1 + 1' '(4,8' '2 + 2'");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output,
            "2\nerror syntax.unbalanced: '(' is not closed\n  line 1, column 1\n    (4,8\n    ^\n"
            "  hint: write ')' where it ends\n");
}

TEST_F(Command, EndsWithTheDocumentedCodes) {
  EXPECT_EQ(heddle("eval '(4,8):(1,4) == 32:1'").code, 0);
  EXPECT_EQ(heddle("eval '(4,8):(8,1) == 32:1' '4'").code, 1);
  EXPECT_EQ(heddle("eval '3 == 4'").code, 1);
  EXPECT_EQ(heddle("eval 'congruent((4,8),4)'").code, 1);
  EXPECT_EQ(heddle("eval '(3 == 4)'").code, 1);
  EXPECT_EQ(heddle("eval 'left_divisible((2,6,8),8)'").code, 1);
  EXPECT_EQ(heddle("eval 'left_divisible((2,6,8),4)'").code, 0);
  EXPECT_EQ(heddle("run " + write("a.heddle", "A = 3 == 4\nsame(4:1,5:1)\n1")).code, 1);
  EXPECT_EQ(heddle("run " + write("a.heddle", "A = 3 == 4")).code, 0);
  EXPECT_EQ(heddle("eval 'nothing'").code, 2);
  EXPECT_EQ(heddle("eval 'rank()'").code, 2);
  EXPECT_EQ(heddle("eval 'complement((4,4):(1,1))'").code, 4);
  EXPECT_EQ(heddle("eval 4611686018427387904*2").code, 4);
  EXPECT_EQ(heddle("no-such-command").code, 2);
  EXPECT_EQ(heddle("run").code, 2);
  EXPECT_EQ(heddle("run no-such-file").code, 2);
  EXPECT_EQ(heddle("--version").code, 0);
  EXPECT_EQ(heddle("--help").code, 0);
}

TEST_F(Command, PrintsJson) {
  const Outcome outcome =
      heddle("eval --json '(4,8):(8,1)' '(2,2):(1,2) == 4:1' 'size((4,8))' '(4'");
  EXPECT_EQ(outcome.code, 2);
  std::istringstream lines(outcome.output);
  std::vector<nlohmann::json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[0], (nlohmann::json{{"ok", true}, {"result", "(4,8):(8,1)"}}));
  EXPECT_EQ(answers[1]["result"]["verdict"], "yes");
  EXPECT_EQ(answers[2]["result"], 32);
  EXPECT_EQ(answers[3]["error"]["code"], "syntax.unbalanced");
}

TEST_F(Command, PrintsTables) {
  EXPECT_EQ(heddle("table '(2,4):(4,1)'").output, "0 1 2 3\n4 5 6 7\n");
  EXPECT_EQ(heddle("table '(2,4):(4,1)' --limit 3").output, "0 4 1\n");
  EXPECT_EQ(heddle("table '(2,2):(1@0,1@1)'").output, "(0,0) (0,1)\n(1,0) (1,1)\n");
  EXPECT_EQ(heddle("table 18:1").output,
            " 0:  0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15\n16: 16 17\n");
  EXPECT_EQ(heddle("table --json 3:2").output, "{\"ok\":true,\"result\":[0,2,4]}\n");
  EXPECT_EQ(heddle("table 'Sw<1,0,1>'").output, "0 1 3 2\n");
  EXPECT_EQ(heddle("table '(4,8' ").code, 2);
  EXPECT_EQ(heddle("table 4:1 5:1").code, 2);
}

TEST_F(Command, RunsFiles) {
  const std::string file = write("a.heddle",
                                 "# a comment\n"
                                 "A = (4,8):(8,1); B = (4,(2,4)):(8,(1,2))\n"
                                 "size(A)\n"
                                 "\"A heading\"\n"
                                 "assert A == B\n"
                                 "refuse (4,6):(1,5) o 6:1\n");
  const Outcome outcome = heddle("run " + file);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(
      outcome.output,
      "A = (4,8):(8,1)\n    (4,8):(8,1)\n"
      "B = (4,(2,4)):(8,(1,2))\n    (4,(2,4)):(8,(1,2))\n"
      "size(A)\n    32\n"
      "\nA heading\n"
      "assert A == B\n    yes  (digit form)\n"
      "refuse (4,6):(1,5) o 6:1\n"
      "    error composition.no_layout: (4,6):(1,5) o 6:1 is not a layout\n"
      "      6:1 runs through the left side's first mode (4) and 2 of its second (6); 6 is not a "
      "multiple of 4\n"
      "      witness: coordinate 4 maps to 5; a mode 6:1 would need 4\n");
  EXPECT_EQ(heddle("run --quiet " + file).output, "");
}

TEST_F(Command, FailingAssertsShowTheVerdict) {
  const std::string file = write("a.heddle", "A = (2,2):(2,1)\nassert A == 4:1\nA\n");
  const Outcome outcome = heddle("run --quiet " + file);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output,
            file +
                ":2: error assert.refuted: no  (digit form; compared by flat coordinate: (2,2) "
                "and (4))  counterexample: coordinate 1: 2 and 1\n"
                "  line 2, column 1\n    assert A == 4:1\n    ^^^^^^^^^^^^^^^\n");
}

TEST_F(Command, FailingAssertsShowBothSides) {
  const auto message = [&](const std::string& claim) {
    const Outcome outcome = heddle("run --json " + write("a.heddle", "A = 8:2\nassert " + claim));
    EXPECT_EQ(outcome.code, 1);
    const auto last = outcome.output.substr(outcome.output.find('\n') + 1);
    return nlohmann::json::parse(last)["error"]["message"].get<std::string>();
  };
  EXPECT_EQ(message("cosize(A) == 8"), "15 == 8 is false");
  EXPECT_EQ(message("cosize(A) <= 7 + 7"), "15 <= 14 is false");
  EXPECT_EQ(message("(size(A),2) != (8,2)"), "(8,2) != (8,2) is false");
  EXPECT_EQ(message("(3 == 3) == false"), "true == false is false");
  EXPECT_EQ(message("congruent(A, (4,2))"), "congruent(A, (4,2)) is false");
}

TEST_F(Command, FailingAssertsGiveProgramsTheWitness) {
  const Outcome outcome =
      heddle("run --json " + write("a.heddle", "assert (2,2):(2,1) == (2,2):(1,2)"));
  const auto error = nlohmann::json::parse(outcome.output)["error"];
  EXPECT_EQ(error["code"], "assert.refuted");
  EXPECT_EQ(error["notes"], nlohmann::json{"digit form"});
  EXPECT_EQ(error["witness"]["found"], "2");
  EXPECT_EQ(error["witness"]["wanted"], "1");
}

TEST_F(Command, RefuseWantsARefusal) {
  const Outcome outcome = heddle("run --quiet " + write("a.heddle", "refuse 4:1 o 2:1"));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("assert.not_refused: this is not refused: it is 2:1"),
            std::string::npos);
  EXPECT_EQ(heddle("run " + write("a.heddle", "refuse misspelt(4:1)")).code, 2);
}

TEST_F(Command, ReadsTheWholeFileBeforeItActs) {
  const std::string picture = (folder_ / "a.svg").string();
  const Outcome outcome =
      heddle("run " + write("a.heddle", "draw 4:1 to \"" + picture + "\"\n(4,8\n"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST_F(Command, DrawsIntoFoldersThatExist) {
  const std::string picture = (folder_ / "a.svg").string();
  EXPECT_EQ(
      heddle("run --quiet " + write("a.heddle", "draw (4,8):(8,1) to \"" + picture + "\"\n")).code,
      0);
  EXPECT_EQ(contents(picture).rfind("<svg", 0), 0U);
  EXPECT_EQ(heddle("draw '(4,8):(8,1)' -o " + picture + "/a.svg").code, 2);

  const std::string missing = (folder_ / "new").string();
  const Outcome refused = heddle("draw 4:1 -o " + missing + "/a.svg");
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.output, "error draw.path: there is no folder " + missing + " for " + missing +
                                "/a.svg\n  hint: mkdir -p " + missing + "\n");
  EXPECT_EQ(heddle("run " + write("a.heddle", "draw 4:1 to \"" + missing + "/a.svg\"")).code, 2);
  EXPECT_FALSE(std::filesystem::exists(missing));
}

TEST_F(Command, DrawsInTheFormatOfTheName) {
  const auto drawn = [&](const std::string& name) {
    const std::string path = (folder_ / name).string();
    EXPECT_EQ(heddle("draw '(2,2):(2,1)' -o " + path).output, "wrote " + path + "\n");
    return contents(path);
  };
  EXPECT_EQ(drawn("a.txt").rfind("(2,2):(2,1)\n", 0), 0U);
  EXPECT_EQ(drawn("a.svg").rfind("<svg ", 0), 0U);
  EXPECT_EQ(drawn("a.tex").rfind("\\documentclass", 0), 0U);
  const std::string page = drawn("a.html");
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0U);
  EXPECT_NE(page.find("\"title\":\"(2,2):(2,1)\""), std::string::npos) << page;
  EXPECT_NE(page.find("\"text\":[0,1,2,3]"), std::string::npos) << page;

  const std::string other = (folder_ / "a.png").string();
  EXPECT_EQ(heddle("draw '(2,2):(2,1)' -o " + other).code, 2);
  EXPECT_EQ(heddle("run " + write("a.heddle", "draw 4:1 to \"" + other + "\"")).code, 2);
  EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(Command, DrawsOperandsOfOperations) {
  const std::string divide = "zipped_divide((4,4):(4,1),<2,2>)";
  const auto has_operand = [](const std::string& output) {
    return output.find("A = (4,4):(4,1)") != std::string::npos;
  };
  EXPECT_TRUE(has_operand(heddle("draw '" + divide + "'").output));
  EXPECT_TRUE(has_operand(heddle("draw '(4,4):(4,1) o (4,2):(1,8)'").output));
  EXPECT_FALSE(has_operand(heddle("draw --result-only '" + divide + "'").output));
  EXPECT_TRUE(has_operand(heddle("run " + write("a.heddle", "draw " + divide)).output));
  const Outcome named =
      heddle("run --quiet " + write("a.heddle", "tiles = " + divide + "\ndraw tiles"));
  EXPECT_FALSE(has_operand(named.output));
  EXPECT_EQ(named.output, heddle("draw --result-only '" + divide + "'").output);
  EXPECT_EQ(heddle("draw 'Sw<2,0,3> o 0 o (4,8):(8,1)'").output.find("A = "), std::string::npos);
  EXPECT_EQ(heddle("draw 'composition((4,6):(1,5), 6:1)'").code, 4);
  EXPECT_EQ(heddle("draw 'composition(Sw<1,0,1>, (2,2):(2,1))'").code, 0);
  // A shape is a layout where the operation takes one, and a tiler by mode elsewhere.
  EXPECT_NE(heddle("draw 'blocked_product((2,2),(2,3))'").output.find("\nB = (2,3):(1,2)\n"),
            std::string::npos);
  EXPECT_EQ(
      heddle("draw 'logical_divide((4,6),(2,3))'").output.rfind("logical_divide(A, <2,3>)", 0), 0U);
}

TEST_F(Command, DrawsThreadsAndValues) {
  EXPECT_EQ(heddle("draw --tv --tile 2,2 --thread 1 '(2,2):(1,2)'").output,
            "(2,2):(1,2): 2 threads x 2 values in 2 x 2\n"
            "        0      1\n"
            "  ┌──────────────┐\n"
            "0 │ T0 V0  T0 V1 │\n"
            "1 │ T1 V0  T1 V1 │\n"
            "  └──────────────┘\n"
            "thread 1 holds V0 = (1,0), V1 = (1,1)\n");
  EXPECT_NE(heddle("draw --tv --element 1,1 '(2,2):(1,2)'")
                .output.find(
                    "element (1,1), index 3, is held by T1 V1\nthe tile is inferred: --tile 2x2\n"),
            std::string::npos);
  EXPECT_EQ(heddle("draw --mma 2,2,1 '(2,1):(1,0)' '(2,1):(1,0)' '(2,2):(1,2)'").code, 0);
  EXPECT_EQ(heddle("draw --tv 4:1").code, 4);
  const Outcome atom = heddle("draw --tv --thread 5 SM80_16x8x8_F32F16F16F32_TN");
  EXPECT_EQ(atom.code, 0);
  EXPECT_NE(atom.output.find("thread 5 holds V0 = C(1,2), V1 = C(1,3), V2 = C(9,2), V3 = C(9,3)"),
            std::string::npos)
      << atom.output;
  const Outcome copy =
      heddle("draw 'make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8))'");
  EXPECT_EQ(copy.code, 0);
  EXPECT_NE(copy.output.find("\nsource: "), std::string::npos) << copy.output;
  EXPECT_NE(copy.output.find("\ndestination: "), std::string::npos);
  EXPECT_NE(heddle("draw 'make_layout_tv((2,4):(4,1), (2,1))'").output.find("in 4 x 4"),
            std::string::npos);
}

TEST_F(Command, SaysWhichDrawOptionsGoTogether) {
  const auto refusal = [](const std::string& arguments) {
    const Outcome outcome = heddle("draw " + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    return outcome.output;
  };
  EXPECT_EQ(refusal("--tile 2x2 4:1"), "error usage.option: tile goes with tv\n");
  EXPECT_EQ(refusal("--thread 2 4:1"), "error usage.option: thread goes with tv or mma\n");
  EXPECT_EQ(refusal("--element 2 4:1"), "error usage.option: element goes with tv or mma\n");
  EXPECT_EQ(refusal("--tv --banks 32 '(2,2)'"),
            "error usage.option: threads have no banks: banks goes without tv and mma\n");
  EXPECT_EQ(refusal("--tv --tile 8 '(2,2)'"),
            "error usage.option: --tile is '8'; MxN is needed, as 16x8\n");
  EXPECT_EQ(
      refusal("--tv --tile 16x64 'make_tiled_copy(universal_copy(128, 16), (4,8):(8,1), (1,8))'"),
      "error usage.option: tile gives a layout its tile; a tiled copy knows it\n"
      "  hint: leave tile out\n");
  EXPECT_EQ(refusal("--tv --element 1,2,3 '(2,2)'"),
            "error usage.option: element is '1,2,3'; an element is needed, as 3,4 or 35\n");
  EXPECT_EQ(refusal("--mma 16x8 a b c"),
            "error usage.option: --mma is '16x8'; M,N,K is needed, as 16,8,8\n");
  EXPECT_EQ(refusal("--mma 16,8,8 4:1"),
            "error usage.expression: --mma needs 3 expressions, not 1\n"
            "  hint: the thread-value layouts of A, B and C, each in quotes\n");
}

TEST_F(Command, DrawsLargeLayoutsInPart) {
  const Outcome part = heddle("draw '(4096,4096):(4096,1)'");
  EXPECT_EQ(part.code, 0);
  EXPECT_LT(part.output.size(), 40000U);
  EXPECT_NE(part.output.find("left out: rows 32 to 4087 and columns 32 to 4087"),
            std::string::npos);
  EXPECT_EQ(heddle("draw --all '(4096,4096):(4096,1)'").code, 4);
  EXPECT_EQ(heddle("draw --all '(200,200)'").output.find("left out"), std::string::npos);
}

TEST_F(Command, SaysHowItIsUsed) {
  const Outcome unknown = heddle("evl 4:1");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_EQ(unknown.output,
            "error name.unknown: heddle has no command 'evl'\n  hint: did you mean heddle eval?\n");
  EXPECT_EQ(heddle("--json '(4,8)'").code, 2);
  EXPECT_EQ(heddle("eval 2 -- -5 --3").output, "2\n-5\n3\n");
  EXPECT_EQ(heddle("table --limit 1 -- '(2,2):(2,1)'").output, "0\n");
  EXPECT_EQ(heddle("eval 2 --frobnicate").output,
            "error usage.option: eval has no option --frobnicate\n"
            "  hint: heddle eval --help lists the options\n");
  EXPECT_EQ(heddle("eval --assume 'x>=0' -- --x").output, "x\n");
  EXPECT_EQ(nlohmann::json::parse(heddle("--json evl").output)["error"]["code"], "name.unknown");
  EXPECT_EQ(heddle("''").code, 2);
  EXPECT_EQ(heddle("table < /dev/null").code, 2);
  EXPECT_EQ(heddle("draw < /dev/null").output.rfind("error usage.expression: draw needs", 0), 0U);
  EXPECT_EQ(heddle("table - < " + write("in", "3:2")).output, "0 2 4\n");
  EXPECT_NE(heddle("--help").output.find("reads CuTe's, Triton's, Axe and LEGO layouts"),
            std::string::npos);
}

TEST_F(Command, PromptsForMoreLines) {
  const std::string typed = write("typed", "A = (4,\n8)\nA\nassert size(A) ==\n32\nquit\n");
  const std::optional<std::string> terminal = at_terminal(typed);
  if (!terminal) GTEST_SKIP() << "no pseudo-terminal can be opened here";
  const std::string& screen = *terminal;
  EXPECT_NE(screen.find("...> "), std::string::npos) << screen;
  EXPECT_NE(screen.find("A = (4,\n8)\n    (4,8)\n"), std::string::npos) << screen;
  EXPECT_NE(screen.find("assert size(A) ==\n32\n    true\n"), std::string::npos) << screen;
}

TEST_F(Command, ExplainsExpressions) {
  const Outcome outcome = heddle("explain 'A = (4,8):(8,1); A(1,_)' ");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output,
            "slice((1,_), (4,8):(8,1)) = (8):(1)\n"
            "  _ keeps a mode; what is fixed says where the slice begins.\n"
            "  4:8        digit 1; 1*8 = 8  -> 8\n"
            "  8:1        _ keeps it        -> 8:1\n"
            "  begins at                    -> 8\n");
}

TEST_F(Command, ExplainsRefusalsAndEndsAsEvalDoes) {
  const Outcome outcome = heddle("explain '(4,6):(1,5) o 6:1'");
  EXPECT_EQ(outcome.code, 4);
  EXPECT_NE(outcome.output.find("refused: coordinate 4 maps to 5"), std::string::npos);
  EXPECT_NE(outcome.output.find("\nerror composition.no_layout: "), std::string::npos);
  EXPECT_EQ(heddle("explain '(4,6'").code, 2);
  EXPECT_EQ(heddle("explain 'nothing'").code, 2);
  EXPECT_EQ(heddle("explain").code, 2);
  EXPECT_EQ(heddle("explain '4:1' --color sometimes").code, 2);
}

TEST_F(Command, ExplainsAsJson) {
  const auto found = nlohmann::json::parse(heddle("explain --json '(4,6):(1,5) o 6:1'").output);
  EXPECT_EQ(found["ok"], false);
  EXPECT_EQ(found["explanation"][0]["operation"], "composition");
  const auto two = heddle("explain --json 'coalesce((2,2):(1,2)); 4:1'");
  EXPECT_EQ(std::ranges::count(two.output, '\n'), 2);
  EXPECT_EQ(two.code, 0);
}

TEST_F(Command, ExplainsInColourOnlyWhereAsked) {
  EXPECT_EQ(heddle("explain '(6,2):(8,2) o 4:3'").output.find('\x1b'), std::string::npos);
  EXPECT_NE(heddle("explain '(6,2):(8,2) o 4:3' --color always").output.find('\x1b'),
            std::string::npos);
}

TEST_F(Command, PromptExplainsWithItsBindings) {
  const std::string typed = write("typed", "A = (4,8):(8,1)\nexplain A(1,2)\nexplain = 3\nquit\n");
  const std::optional<std::string> terminal = at_terminal(typed);
  if (!terminal) GTEST_SKIP() << "no pseudo-terminal can be opened here";
  EXPECT_NE(terminal->find("digit 1; 1*8 = 8"), std::string::npos) << *terminal;
  EXPECT_NE(terminal->find("explain = 3\n    3\n"), std::string::npos) << *terminal;
}

TEST_F(Command, DrawsWithoutColourUnlessAsked) {
  EXPECT_EQ(heddle("draw '(4,8):(8,1)'").output.find('\x1b'), std::string::npos);
  EXPECT_NE(heddle("draw '(4,8):(8,1)' --color always").output.find('\x1b'), std::string::npos);
  EXPECT_EQ(heddle("draw 'Sw<3,4,3>'").code, 2);
}

TEST_F(Command, AnswersBatches) {
  const std::string file = write("in.jsonl",
                                 "{\"id\":1,\"op\":\"rank\",\"args\":[\"(4,8)\"]}\nbroken\n"
                                 "{\"id\":2,\"op\":\"no\"}\n");
  for (const std::string& arguments :
       std::vector<std::string>{"batch " + file, "batch < " + file, "batch - < " + file}) {
    const Outcome outcome = heddle(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 3);
    EXPECT_EQ(outcome.output.rfind("{\"id\":1,\"ok\":true,\"result\":2}\n", 0), 0U);
  }
  EXPECT_EQ(heddle("batch no-such-file").code, 2);
}

TEST_F(Command, Explains) {
  EXPECT_NE(heddle("help").output.find("composition"), std::string::npos);
  EXPECT_NE(heddle("help").output.find("instructions\n                          machines"),
            std::string::npos);
  EXPECT_EQ(heddle("help domain_distribute").output,
            "domain_distribute(shape, size)\n\n"
            "  A layout of up to `size` coordinates whose tile divides the shape.\n\n"
            "  shape       an integer or a tuple of integers\n"
            "  size        an integer\n\n"
            "  domain_distribute((15,14), 6)\n      (3,2):(1,15)\n");
  // An operation has the name of its family: the operation comes first.
  const std::string composition = heddle("help composition").output;
  EXPECT_TRUE(composition.starts_with("composition(a, b)\n\n  The layout of a after b"));
  EXPECT_NE(composition.find("domain_overflow("), std::string::npos);
  EXPECT_NE(heddle("help permutations").output.find("fact_morphism("), std::string::npos);
  EXPECT_NE(heddle("help symbolic").output.find("lane in [0,32)"), std::string::npos);
  for (const std::string& topic :
       std::vector<std::string>{"language", "run", "batch", "codes", "assume"}) {
    EXPECT_EQ(heddle("help " + topic).code, 0) << topic;
  }
  EXPECT_NE(
      heddle("help batch")
          .output.find(
              "  {\"id\":2,\"op\":\"table\",\"args\":[\"(4,2):(2,1)\"],\"kwargs\":{\"limit\":3}}\n"
              "  {\"id\":2,\"ok\":true,\"result\":[0,2,4]}\n"),
      std::string::npos);
  const Outcome unknown = heddle("help compositon");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("did you mean composition?"), std::string::npos);
  const std::string help = heddle("help --json rank").output;
  EXPECT_EQ(nlohmann::json::parse(help.substr(0, help.find("\n")))["name"], "rank");
}

TEST_F(Command, ExplainsErrorCodes) {
  EXPECT_EQ(heddle("help arithmetic.zero_divisor").output.rfind("arithmetic.zero_divisor\n\n  ", 0),
            0U);
  EXPECT_NE(heddle("help tile_to_shape").output.find("tile_to_shape.order"), std::string::npos);
  EXPECT_NE(heddle("help batch").output.find("batch.json"), std::string::npos);
  EXPECT_NE(heddle("help syntax").output.find("syntax.slash"), std::string::npos);
  const Outcome unknown = heddle("help composition.no_layot");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.output.find("did you mean composition.no_layout"), std::string::npos);
  const auto page = nlohmann::json::parse(heddle("help --json syntax.slash").output);
  EXPECT_EQ(page["code"], "syntax.slash");
  EXPECT_FALSE(page["meaning"].get<std::string>().empty());
}

/// The words of a text without Markdown: links as their text, no marks of code.
std::string words(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '`' || text[i] == '[') continue;
    if (text.compare(i, 2, "](") == 0) i = text.find(')', i);
    if (i == std::string::npos) break;
    if (text[i] == ']' || text[i] == ')') continue;
    const bool space = std::isspace(static_cast<unsigned char>(text[i])) != 0;
    if (!space) plain += text[i];
    if (space && !plain.ends_with(' ')) plain += ' ';
  }
  return plain;
}

// What `heddle help` says of a code is what its page says.
TEST_F(Command, ExplainsEveryErrorCodeAsItsPageDoes) {
  const std::string list = words(heddle("help errors").output);
  int pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/docs/errors")) {
    const std::string code = entry.path().stem().string();
    if (code == "README") continue;
    ++pages;
    const std::string page = contents(entry.path());
    const std::string help = heddle("help " + code).output;
    const std::string shown = words(help);
    const std::size_t begin = page.find("\n\n") + 2;
    const std::string meaning = page.substr(begin, page.find("\n\n", begin) - begin);
    EXPECT_NE(shown.find(words(meaning)), std::string::npos) << code;
    const std::size_t todo = page.find("## What to do\n\n") + 15;
    const std::string advice = page.substr(todo, page.find("\n\n", todo) - todo);
    EXPECT_NE(shown.find(words(advice)), std::string::npos) << code;
    EXPECT_NE(list.find(" " + code + " "), std::string::npos) << code;
    EXPECT_EQ(help.find("console\n"), std::string::npos) << code;
  }
  EXPECT_GT(pages, 80);
}

// A page may show commands both before and behind what it advises.
TEST_F(Command, ExplainsErrorCodesWithAllTheirCommands) {
  const std::string shown = heddle("help assume.needed").output;
  EXPECT_NE(shown.find("\n    $ heddle eval 'upcast((M,K):(K,1), 8)'\n    error assume.needed: "),
            std::string::npos)
      << shown;
  EXPECT_TRUE(shown.ends_with(
      "  the one that is true, or its opposite.\n\n"
      "    $ heddle eval --assume 'K%8==0' 'upcast((M,K):(K,1), 8)'\n    (M,K//8):(K//8,1)\n"
      "    $ heddle eval --assume 'K>M' 'right_inverse((M,4):(1,K))'\n    M:1\n"))
      << shown;
}

// Long names of parameters keep the columns.
TEST_F(Command, ExplainsOperationsInColumns) {
  EXPECT_NE(heddle("help fact_morphism").output.find("\n  factorization "), std::string::npos);
  EXPECT_TRUE(heddle("help atom_names")
                  .output.ends_with("\n  atom_names(\"SM90_U32x\")\n      SM90_U32x1_STSM_N "
                                    "SM90_U32x2_STSM_N SM90_U32x4_STSM_N\n"));
}

TEST_F(Command, SurvivesHostileInput) {
  using std::string_literals::operator""s;
  EXPECT_EQ(heddle("eval < " + write("in", std::string(1'000'000, '('))).code, 2);
  EXPECT_EQ(heddle("eval < " + write("in", "(4,\0 8)"s)).code, 2);
  EXPECT_EQ(heddle("eval < " + write("in", "(4,\xff)")).code, 2);
  EXPECT_EQ(heddle("eval < " + write("in", std::string(10'000'000, '7'))).code, 2);
  EXPECT_EQ(heddle("eval < " + write("in", std::string(10'000'000, ' '))).code, 0);
}

TEST_F(Command, RefusesInputThatCannotBeRead) {
  const std::string folder = folder_.string();
  for (const std::string& arguments : std::vector<std::string>{
           "eval < " + folder, "eval <&-", "table - < " + folder, "draw - < " + folder,
           "run - < " + folder, "run " + folder, "batch " + folder, "batch < " + folder,
           "run /proc/self/mem", "batch <&-", "< " + folder}) {
    const Outcome outcome = heddle(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.output.rfind("error file.unreadable: ", 0), 0U) << outcome.output;
  }
  EXPECT_EQ(heddle("eval < " + folder).output,
            "error file.unreadable: standard input cannot be read\n");
  EXPECT_EQ(nlohmann::json::parse(heddle("eval --json < " + folder).output)["error"]["code"],
            "file.unreadable");
}

TEST_F(Command, ReadsNoFileThatNeverEnds) {
  for (const std::string& arguments :
       std::vector<std::string>{"run /dev/zero", "layouts /dev/zero", "diagnose /dev/zero",
                                "instantiate /dev/zero --target c", "layouts - < /dev/zero"}) {
    const Outcome outcome = heddle(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.output.find("cannot be read: it is longer than 268435456 bytes"),
              std::string::npos)
        << arguments << ": " << outcome.output;
  }
  EXPECT_EQ(heddle("batch /dev/zero").code, 2);
  EXPECT_EQ(heddle("run " + folder_.string()).output,
            "error file.unreadable: " + folder_.string() + " cannot be read: it is a folder\n");
  EXPECT_EQ(heddle("recover no.json").output,
            "error file.unreadable: no.json cannot be read: there is no such file\n");
  EXPECT_EQ(heddle("recover ./no").output,
            "error file.unreadable: ./no cannot be read: there is no such file\n");
}

// A name stands for a value, so a short text can make a large one.
TEST_F(Command, LimitsWhatNamesMake) {
  for (const auto& [open, close, what] : std::vector<std::array<std::string, 3>>{
           {"(", ")", "tuple"}, {"<", ">", "tiler"}, {"[", "]", "list"}}) {
    std::string doubled = "x = " + open + "1,1" + close + "\n";
    for (int i = 0; i < 30; ++i) doubled += "x = " + open + "x,x" + close + "\n";
    const Outcome wide = heddle("run --quiet " + write("wide.heddle", doubled));
    EXPECT_EQ(wide.code, 2);
    EXPECT_NE(wide.output.find("call.too_large: the " + what + " has 262144 leaves"),
              std::string::npos)
        << wide.output;

    std::string nested = "x = " + open + "1,1" + close + "\n";
    for (int i = 0; i < 20'000; ++i) nested += "x = " + open + "x,1" + close + "\n";
    nested += "x == x\nzipped_divide(8:1, x)\n";
    const Outcome deep = heddle("run --quiet " + write("deep.heddle", nested));
    EXPECT_EQ(deep.code, 4);
    EXPECT_NE(deep.output.find("tuple.too_deep: the " + what + " nests 257 levels deep"),
              std::string::npos)
        << deep.output;
  }
}

TEST_F(Command, RefusesBoxesWithoutPoints) {
  for (const char* call :
       {"coordinate_mapping(0)", "coordinate_mapping((2,(0,3)))", "coordinate_mapping(-3)",
        "index_mapping(4:1, (-2,-2))", "index_mapping(4:1, (4,0))",
        "convert(S[4:1@m], \"cute\", shape=(-2,-2))"}) {
    const Outcome outcome = heddle(fmt::format("eval '{}'", call));
    EXPECT_EQ(outcome.code, 4) << call << ": " << outcome.output;
    EXPECT_NE(outcome.output.find("extent"), std::string::npos) << call << ": " << outcome.output;
  }
}

TEST_F(Command, DefinesManyFunctions) {
  std::string functions = "f0 = x -> x + 1\n";
  for (int i = 1; i < 20'000; ++i) functions += fmt::format("f{} = x -> f{}(x) + 1\n", i, i - 1);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(heddle("eval < " + write("in", functions + "f19999(3)")).output, "20003\n");
  // Several seconds without optimisation; minutes where each copies those before it.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5));
}

TEST_F(Command, ExplainsDecisionsWithTheirExitCodes) {
  for (const std::string& claim :
       std::vector<std::string>{"4:1 == 4:2", "4:1 == (2,2):(1,2)", "injective(4:0)", "3 == 4"}) {
    const int code = heddle("eval '" + claim + "'").code;
    EXPECT_EQ(heddle("explain '" + claim + "'").code, code) << claim;
    EXPECT_EQ(heddle("explain --json '" + claim + "'").code, code) << claim;
    EXPECT_EQ(heddle("prove '" + claim + "'").code, code) << claim;
  }
  EXPECT_EQ(heddle("explain '4:1 == 4:2; size(4:1)'").code, 1);
}

TEST_F(Command, RefusesOptionsWithoutAMeaning) {
  const std::string file = write("a.c.in", "int a;\n");
  for (const std::string& arguments : std::vector<std::string>{
           "draw -o '' 4:1", "compare -o '' 4:1 4:2", "banks -o '' 32:1 --bits 32",
           "instantiate -o '' " + file, "eval --timeout nan 4:1", "eval --timeout inf 4:1",
           "eval --timeout 0 4:1", "eval --timeout -1 4:1", "eval --timeout '' 4:1",
           "eval --steps 0 4:1", "eval --steps -1 4:1", "eval --steps x 4:1"}) {
    const Outcome outcome = heddle(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << ": " << outcome.output;
    EXPECT_EQ(outcome.output.rfind("error usage.option: ", 0), 0U) << outcome.output;
  }
  EXPECT_EQ(heddle("eval --steps 1000 --timeout 60 'size(4:1)'").output, "4\n");
}

TEST_F(Command, WritesNoPictureThroughALink) {
  const std::string picture = write("picture.svg", "kept");
  const std::string link = (folder_ / "link.svg").string();
  std::filesystem::create_symlink(picture, link);
  const Outcome outcome = heddle("draw -o " + link + " 4:1");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "error file.unwritable: " + link + " is a link to " + picture +
                                ", and is not overwritten\n"
                                "  hint: name the file itself, or remove the link\n");
  EXPECT_EQ(contents(picture), "kept");
  EXPECT_EQ(heddle("draw -o " + picture + " 4:1").code, 0);
}

TEST_F(Command, InterruptsDropWhatWasTyped) {
  const auto screen = at_prompts({"1 + \x03", "(4,\n", "\x03", "size(4:1)\n", "quit\n"});
  if (!screen) GTEST_SKIP() << "no pseudo-terminals here";
  EXPECT_NE(screen->find("size(4:1)\n4\n"), std::string::npos) << *screen;
  EXPECT_EQ(screen->find("error"), std::string::npos) << *screen;
}

/// Elements of 3 bits move one at a time, which takes seconds: the terminal shows how far it is,
/// and Ctrl-C leaves no file behind.
TEST_F(Command, ShowsHowFarAMoveIsAndGivesItUp) {
  const std::string in = write("in.bin", "");
  const std::string out = (folder_ / "out.bin").string();
  std::filesystem::resize_file(in, std::uintmax_t{1} << 27);
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child < 0) GTEST_SKIP() << "no pseudo-terminals here";
  if (child == 0) {
    execl(HEDDLE_BINARY, HEDDLE_BINARY, "relayout", in.c_str(), "--bits", "3", "--from",
          "(16384,16384):(16384,1)", "--to", "(16384,16384):(1,16384)", "-o", out.c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string screen;
  char c = 0;
  bool is_stopped = false;
  while (::read(terminal, &c, 1) == 1) {
    screen += c;
    if (is_stopped || screen.find("gives up)") == std::string::npos) continue;
    is_stopped = ::write(terminal, "\x03", 1) == 1;
  }
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_NE(screen.find(" %, 0."), std::string::npos) << screen;
  EXPECT_NE(screen.find(" GB/s, 1 s (Ctrl-C gives up)"), std::string::npos) << screen;
  EXPECT_NE(screen.find("error move.stopped"), std::string::npos) << screen;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 4);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path(), in);
  }
}

TEST_F(Command, MovesWithinAFileWhereItIsAsked) {
  const std::string file = write("in.bin", "abcdef");
  const std::string layouts = " --from '(2,3):(3,1)' --to '(2,3):(1,2)'";
  EXPECT_EQ(heddle("relayout " + file + layouts).output,
            "error usage.option: relayout needs either a file to write, -o, or --in-place to move "
            "within the file\n");
  EXPECT_EQ(heddle("relayout " + file + layouts + " --in-place -o " + file).code, 2);
  EXPECT_EQ(heddle("relayout " + file + layouts + " --in-place --threads -2").output,
            "error usage.option: --threads is -2, and at least 1 thread moves the elements\n"
            "  hint: --threads 1\n");
  EXPECT_EQ(heddle("relayout " + file + layouts + " --in-place --size Q=4").output,
            "error usage.option: --size Q=4: the layouts have no size Q\n"
            "  hint: leave out --size: no name is in the layouts\n");
  EXPECT_EQ(heddle("relayout " + file + " --to '(M,3):(1,M)' --in-place --size M=2,Q=4").output,
            "error usage.option: --size Q=4: the layouts have no size Q\n"
            "  hint: the names are M\n");
  EXPECT_EQ(contents(file), "abcdef");
  EXPECT_EQ(heddle("relayout " + file + layouts + " --in-place").output,
            "6 elements of 8 bits, moved within " + file + "\n");
  EXPECT_EQ(contents(file), "adbecf");
}

TEST_F(Command, CountsElementsOfTheWidthThatIsAsked) {
  const std::string file = write("wide.bin", "aAbBcCdDeEfF");
  const std::string moved = file + ".moved";
  EXPECT_EQ(heddle("relayout " + file + " --bits 16 --to '6:1' -o " + moved).output,
            "6 elements of 16 bits, 12 bytes written to " + moved + "\n");
  EXPECT_EQ(contents(moved), contents(file));
  EXPECT_EQ(heddle("relayout " + file + " --bits 16 --to 'S[(6):(-1@m)] + 5@m' -o " + moved).code,
            0);
  EXPECT_EQ(contents(moved), "fFeEdDcCbBaA");
  // The last bits of a file may fill no element.
  EXPECT_EQ(
      heddle("relayout " + write("odd.bin", "abcde") + " --bits 3 --to 13:1 -o " + moved).code, 0);
  EXPECT_EQ(heddle("relayout " + write("odd.bin", "abcde") + " --bits 3 --to 5:1 -o " + moved).code,
            4);
}

TEST_F(Command, WritesNoTensorOverAFileWithOthers) {
  const std::string header = R"({"v":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                             R"("w":{"dtype":"U8","shape":[2,3],"data_offsets":[2,8]}})";
  const std::string size = {static_cast<char>(header.size()), 0, 0, 0, 0, 0, 0, 0};
  const std::string file = write("two.safetensors", size + header + "xyabcdef");
  const std::string before = contents(file);
  EXPECT_EQ(heddle("relayout " + file + " --tensor w --to '(2,3):(1,2)' -o " + file).output,
            "error usage.option: " + file +
                " has 2 tensors, and only w would be left\n  hint: -o w.safetensors\n");
  EXPECT_EQ(contents(file), before);
}

TEST_F(Command, ReadsBackDimensionsOfAnyName) {
  const std::string layout = R"({"ins":[["a b",[[1],[2]]],["",[]]],"outs":[["d]i\"m 0",4]]})";
  const std::string printed = heddle("eval '" + layout + "'").output;
  EXPECT_EQ(printed,
            " - \"a b\"=1 -> (1)\n   \"a b\"=2 -> (2)\n - \"\" is a size 1 dimension\n"
            "where out dims are: [\"d]i\\\"m 0\" (size 4)]\n");
  EXPECT_EQ(heddle("eval < " + write("in", printed)).output, printed);
  const std::string axes = heddle("convert --to axe '" + layout + "' | head -1").output;
  EXPECT_EQ(heddle("eval < " + write("in", axes)).output, axes);
}

TEST_F(Command, SaysWhatATextIs) {
  EXPECT_EQ(heddle("recover '[1.0,2.0]'").output,
            "error syntax.number: '1.0' is not an integer; all numbers are integers\n  line 1, "
            "column 2\n    [1.0,2.0]\n     ^^^\n");
  EXPECT_EQ(heddle("index '[[0,2],[1,3]]' i j").output, "i+2*j\n");
  EXPECT_NE(heddle("help dtensor").output.find("placements  a text in quotes"), std::string::npos);
}

TEST_F(Command, AnswersBatchesAsTheLanguageDoes) {
  const auto answer = [&](const std::string& request) {
    return nlohmann::json::parse(heddle("batch < " + write("in", request)).output);
  };
  const auto same = [&](const std::string& request, const std::string& expression) {
    const nlohmann::json eval = {{"op", "eval"}, {"args", {expression}}};
    EXPECT_EQ(answer(request)["result"], answer(eval.dump())["result"]) << request;
  };
  same(R"j({"op":"covers","args":["4:1",[1,2,4]]})j", "covers(4:1, [1,2,4])");
  same(R"j({"op":"covers","args":["make_layout_tv((4,8),(2,1))",[8,8]]})j",
       "covers(make_layout_tv((4,8),(2,1)), (8,8))");
  same(R"j({"op":"alpa","args":[[[0,1],[2,3]],"S0R",[64,128]]})j",
       "alpa([[0,1],[2,3]], 'S0R', (64,128))");
}

TEST_F(Command, SaysWhichParametersThereAre) {
  const std::string request =
      R"j({"op":"identity_1d","kwargs":{"size":32,"inDim":"a","outDim":"b"}})j";
  const auto answer = nlohmann::json::parse(heddle("batch < " + write("in", request)).output);
  EXPECT_EQ(answer["error"]["code"], "call.keyword");
  EXPECT_EQ(answer["error"]["message"], "identity_1d has no parameter 'inDim'");
  EXPECT_EQ(answer["error"]["hint"],
            "did you mean in_dim? it is called as identity_1d(size, in_dim, out_dim)");
  EXPECT_NE(heddle("eval 'identity_1d(size=32, inDim=a)'").output.find("has no parameter 'inDim'"),
            std::string::npos);
}

TEST_F(Command, RefusesOutputThatCannotBeWritten) {
  const std::string requests = write("in", "{\"op\":\"rank\",\"args\":[4]}\n");
  const std::string file = write("a.heddle", "4:1\n");
  for (const std::string& arguments :
       std::vector<std::string>{"eval 4:1", "batch " + requests, "table 4:1", "draw 4:1",
                                "run " + file, "help", "--help", "--version"}) {
    for (const char* sink : {">/dev/full", ">&-"}) {
      // The comment hides that both streams would be one.
      const Outcome outcome = heddle(fmt::format("{} 2>&1 {} #", arguments, sink));
      EXPECT_EQ(outcome.code, 2) << arguments << sink;
      EXPECT_EQ(outcome.output, "error file.unwritable: standard output cannot be written\n");
    }
  }
  EXPECT_EQ(heddle("run --quiet " + file + " >/dev/full").code, 0);
}

TEST_F(Command, SaysWhichOptionIsMisused) {
  const auto output = [](const std::string& arguments) {
    const Outcome outcome = heddle(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    return outcome.output;
  };
  EXPECT_EQ(output("draw 4:1 --color blah"),
            "error usage.option: --color is 'blah'; auto, always or never is needed\n");
  EXPECT_EQ(output("table 4:1 --limit abc"),
            "error usage.option: --limit is 'abc'; an integer is needed\n");
  EXPECT_EQ(output("run"),
            "error usage.option: file is required\n  hint: heddle run --help lists the options\n");
  for (const char* arguments : {"run --json", "--json draw 4:1 --colors x"}) {
    EXPECT_EQ(nlohmann::json::parse(output(arguments))["error"]["code"], "usage.option");
  }
  const Outcome large = heddle("table 4:1 --limit 99999999999999999999");
  EXPECT_EQ(large.code, 4);
  EXPECT_EQ(large.output.rfind("error table.limit: ", 0), 0U) << large.output;
}

TEST_F(Command, TakesTheTour) {
  std::filesystem::create_directories(folder_ / "out");
  const std::string command =
      fmt::format("cd '{}' && '{}' run --quiet '{}/examples/tour.heddle' 2>&1", folder_.string(),
                  HEDDLE_BINARY, HEDDLE_SOURCE_DIR);
  EXPECT_EQ(std::system(command.c_str()), 0);
  for (const char* picture : {"smem-atom", "smem", "ldmatrix", "copy-tv", "im2col"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / fmt::format("{}.svg", picture)))
        << picture;
  }
}

// heddle banks, swizzle, coalescing.

TEST(KernelCommand, RefusesSizesThatNoKernelHas) {
  const std::string file = std::string(HEDDLE_SOURCE_DIR) + "/examples/kernels/softmax.heddle";
  for (const char* action : {"check", "explain", "compile"}) {
    EXPECT_EQ(
        heddle(fmt::format("kernel {} '{}' bias_softmax --size M=3,K=8", action, file)).output,
        "error kernel.arguments: no size K: those of bias_softmax are M, N\n")
        << action;
  }
  EXPECT_EQ(heddle(fmt::format("kernel check '{}' bias_softmax --size M=3,N=0", file)).output,
            "error usage.option: --size N=0: the size N is 0, and sizes are at least 1\n");
  EXPECT_EQ(heddle(fmt::format("kernel check '{}' bias_softmax --size M=9223372036854775808", file))
                .output,
            "error usage.option: --size M=9223372036854775808: the number does not fit into 64 "
            "bits\n");
}

TEST(KernelCommand, RefusesToTuneIntoAFolderBeforeItMeasures) {
  const std::string file = std::string(HEDDLE_SOURCE_DIR) + "/examples/kernels/softmax.heddle";
  for (const char* path : {"/", "/no/such/folder/tuned.heddle"}) {
    EXPECT_EQ(heddle(fmt::format("kernel tune '{}' bias_softmax -o {}", file, path)).output,
              fmt::format("error file.unwritable: {} cannot be written\n", path));
  }
}

TEST(KernelCommand, RefusesOptionsThatMeanNothingTogether) {
  const auto refusal = [](const std::string& options) {
    const std::string file = std::string(HEDDLE_SOURCE_DIR) + "/examples/kernels/add.heddle";
    return heddle(fmt::format("kernel compile '{}' add {}", file, options)).output;
  };
  EXPECT_EQ(refusal("--emit assembly"),
            "error usage.option: --emit assembly is not supported\n  hint: --emit source, --emit "
            "header or --emit binary\n");
  EXPECT_EQ(refusal("--emit header --lines"), "error usage.option: --lines is for --emit source\n");
  EXPECT_EQ(refusal("--arch sm_80"),
            "error usage.option: --arch is for --emit binary --target cuda\n");
  EXPECT_EQ(refusal("--emit binary --target opencl --arch sm_80 -o x"),
            "error usage.option: --arch is for --emit binary --target cuda\n");
  EXPECT_EQ(refusal("--emit binary"),
            "error usage.option: a binary is written to a file\n  hint: -o kernel.fatbin\n");
  EXPECT_EQ(refusal("--emit binary -o - --target cpu"),
            "error usage.option: a binary is written to a file\n  hint: -o kernel.so\n");
  EXPECT_EQ(refusal("-o x -o y"),
            "error usage.option: compile writes one file, so -o is given once\n");
}

TEST(Hints, SayWhatToTypeInsteadOfNumbersWithoutBracketsAndOfTheNameOfAFormat) {
  EXPECT_TRUE(heddle("recover '0 1, 2'").output.ends_with("\n  hint: heddle recover '[0,1,2]'\n"));
  EXPECT_TRUE(heddle("recover -- '-1,2'").output.ends_with("\n  hint: heddle recover '[-1,2]'\n"));
  EXPECT_EQ(heddle("recover '4 o'").output.find("heddle recover '["), std::string::npos);
  EXPECT_EQ(heddle("recover ' , '").output.find("heddle recover '["), std::string::npos);
  EXPECT_TRUE(heddle("tma 4:1 4:1 --type f16 --bits 32").output.ends_with("hint: --type f16\n"));
  EXPECT_TRUE(heddle("prove 4:1 2:2").output.ends_with("\n  hint: heddle prove '4:1 == 2:2'\n"));
  const std::string file = testing::TempDir() + "heddle_format.bin";
  std::ofstream(file) << "0123";
  const std::string of_nhwc = "relayout " + file + " --bits 8 --to NHWC -o " + file + "2";
  EXPECT_EQ(heddle(of_nhwc).output,
            "error name.unknown: unknown name 'NHWC'\n  hint: --recipe nchw_to_nhwc\n");
}

TEST(Output, IsTheStandardOutputWhenItsNameIsADash) {
  const std::string file = testing::TempDir() + "heddle_dash.heddle";
  std::ofstream(file) << "kernel one(Y: f32[]) launch cta 1, threads 1 { fill(Y, 1) }";
  const Outcome terminal = heddle("kernel compile " + file);
  EXPECT_EQ(terminal.code, 0) << terminal.output;
  EXPECT_EQ(heddle("kernel compile " + file + " -o -").output, terminal.output);
}

TEST(Analyses, NeedTheWidthOfAnElementAndTheRightNumberOfExpressions) {
  EXPECT_EQ(heddle("banks '(32,1):(1,0)'").output,
            "error usage.option: --bits is needed: how many bits an element has\n"
            "  hint: --bits 16 for f16 and bf16\n");
  EXPECT_EQ(
      heddle("swizzle '(32,32):(32,1)' --bits 32").output,
      "error usage.expression: swizzle needs a layout and the accesses to it, or two register "
      "layouts; there is 1\n"
      "  hint: heddle swizzle '(64,64):(64,1)' '(32,8):(1,64)' --bits 16\n");
  EXPECT_EQ(heddle("coalescing 4:1 4:1 4:1 --bits 32").code, 2);
  EXPECT_EQ(heddle("banks 4:1 --bits 32 --shape 8y8").output,
            "error usage.option: --shape is '8y8'; sizes are needed, as 128,64\n");
}

TEST(Analyses, ReadAccessesOfOneSystemToMemoryOfTheOther) {
  const std::string registers =
      R"('identity_1d(2, "register", "dim0") * identity_1d(32, "lane", "dim0")')";
  const Outcome mixed = heddle("banks " + registers + " '(64):(2)' --bits 32");
  EXPECT_EQ(mixed.code, 0);
  EXPECT_EQ(mixed.output.substr(0, 53), "4-way bank conflicts: 8 wavefronts, ideally 2\n  each ");
  const Outcome shared =
      heddle(R"(banks '(32,2):(2,1)' 'identity_1d(64, "offset", "dim0")' --bits 32)");
  EXPECT_EQ(shared.output.substr(0, 33), "no bank conflicts: 2 wavefronts\n ");
}

constexpr std::string_view kBlocked =
    "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>";
constexpr std::string_view kShared =
    "#ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 8, order = [1, 0]}>";

TEST(Analyses, ATypeStatesTheElementsAndTheShape) {
  const std::string typed = fmt::format("banks 'tensor<128x32xf16, {}>' '{}'", kBlocked, kShared);
  const std::string plain =
      fmt::format("banks '{}' '{}' --shape 128,32 --bits 16", kBlocked, kShared);
  const Outcome outcome = heddle(typed);
  EXPECT_EQ(outcome.code, 0) << outcome.output;
  EXPECT_EQ(outcome.output, heddle(plain).output);
  EXPECT_EQ(heddle(typed + " --bits 16 --shape 128,32").output, outcome.output);
}

TEST(Analyses, OptionsDoNotContradictAType) {
  const std::string typed = fmt::format("banks 'tensor<128x32xf16, {}>' '{}'", kBlocked, kShared);
  EXPECT_EQ(heddle(typed + " --bits 32").output,
            "error analyze.element_bits: element_bits is 32; the type has elements of 16 bits\n");
  EXPECT_EQ(heddle(typed + " --shape 64,32").output,
            "error analyze.shape: shape is (64,32); the tensor has the shape (128,32)\n");
  EXPECT_EQ(
      heddle(fmt::format("swizzle 'tensor<128x32xf16, {0}>' 'tensor<128x32xf32, {0}>'", kBlocked))
          .output,
      "error analyze.element_bits: the types have elements of 16 and of 32 bits\n");
}

TEST(Analyses, WriteAPictureOfTheWorstInstruction) {
  const std::string path = testing::TempDir() + "heddle_banks.svg";
  const Outcome outcome = heddle("banks '(32,1):(2,0)' --bits 32 -o " + path);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("wrote " + path), std::string::npos);
  const std::string svg = contents(path);
  EXPECT_EQ(svg.substr(0, 4), "<svg");
  EXPECT_NE(svg.find("2 wavefronts"), std::string::npos);
}

TEST(Analyses, AreDataInBatch) {
  const Outcome outcome =
      heddle(R"(eval --json 'find_swizzle((32,32):(32,1), 32, (32,1):(32,0), (32,1):(1,0))')");
  EXPECT_EQ(outcome.output, "{\"ok\":true,\"result\":\"Sw<5,0,5> o 0 o (32,32):(32,1)\"}\n");
}

}  // namespace
}  // namespace heddle
