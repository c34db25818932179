#include "heddle/notation/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"
#include "support/equations.h"

namespace heddle::notation {
namespace {

Explained explained(std::string_view text, const Environment& environment = {}) {
  return explain(*parse_expression(text), environment);
}

std::string text_of(std::string_view expression, const TextStyle& style = {}) {
  return to_text(explained(expression), style);
}

std::size_t characters(std::string_view line) {
  std::size_t count = 0;
  for (const char c : line) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

TEST(ExplainText, WritesTheTextsOfACallInQuotes) {
  const Explained found = explained("instruction_layout('SM80_16x8x16_F32F16F16F32_TN', 'C')");
  const std::string& title = found.operations.front().title.text;
  EXPECT_EQ(title, R"(instruction_layout("SM80_16x8x16_F32F16F16F32_TN", "C"))");
  EXPECT_TRUE(evaluate(title));
}

// The examples of the literature, word by word.

TEST(ExplainText, Composition) {
  EXPECT_EQ(text_of("composition((6,2):(8,2), (4,3):(3,1))"),
            R"(composition((6,2):(8,2), (4,3):(3,1)) = ((2,2),3):((24,2),8)
  Each leaf N:r of B reads A at 0, r, 2r and so on. A's modes: 6:8 2:2, the last without end.
  leaf 4:3  reads A at 0 3 6 9: 0 24 2 26                    -> (2,2):(24,2)
    in 6:8     6/3 = 2 of the 4 steps fit; stride 3*8 = 24           -> 2:24
    left over  4/2 = 2 rounds, each one step in the next mode
    in 2:2     the last mode takes the 2 steps of 1; stride 1*2 = 2  -> 2:2
  leaf 3:1  reads A at 0 1 2: 0 8 16                         -> 3:8
    in 6:8  all 3 steps of 1 fit (2*1 = 2 < 6); stride 1*8 = 8  -> 3:8
  together  sums of steps must not carry out of a mode of A
    in 6:8  at most 3 + 2 = 5, less than 6
)");
}

TEST(ExplainText, InverseOfSeed003) {
  EXPECT_EQ(text_of("inverse((8,16,4):(64,1,16))"),
            R"(inverse((8,16,4):(64,1,16)) = (16,4,8):(8,128,1)
  Sorted by stride, each stride of a bijection is what the modes before it cover. The inverse has
  the extents in that order, and their coordinate steps as strides. The coordinate step of a mode is
  the product of the extents before it.
  sort by stride  16:1 4:16 8:64, modes 1, 2, 0 of the layout
  mode 16:1       stride 1 as needed; coordinate step 8; 16*1 = 16 covered            -> 16:8
  mode 4:16       stride 16 as needed; coordinate step 8*16 = 128; 4*16 = 64 covered  -> 4:128
  mode 8:64       stride 64 as needed; coordinate step 1; 8*64 = 512 covered          -> 8:1
)");
}

TEST(ExplainText, LayoutFunctionOfSeed004) {
  EXPECT_EQ(text_of("apply((3,2):(2,3), 5)"),
            R"((3,2):(2,3) at 5 = 7
  A flat coordinate is taken apart first mode fastest; each digit times its stride.
  3:2  5 = 1*3 + 2: digit 2, 1 left; 2*2 = 4  -> 4
  2:3  what is left: digit 1; 1*3 = 3         -> 3
  sum  4 + 3                                  -> 7
)");
}

TEST(ExplainText, ComplementOfSeed004) {
  EXPECT_EQ(text_of("complement((4,2):(1,16), 32)"),
            R"(complement((4,2):(1,16), 32) = 4:4
  Copies can begin in the gaps between the modes, in the order of their strides.
  gap before 4:1   1/1 = 1: no gap; 4*1 = 4 covered             -> 1:1
  gap before 2:16  16/4 = 4 copies, 4 apart; 2*16 = 32 covered  -> 4:4
  rest of 32       ceil(32/32) = 1                              -> 1:32
  coalesce         1:1 4:4 1:32                                 -> 4:4
)");
}

TEST(ExplainText, RefusedComposition) {
  EXPECT_EQ(text_of("(4,6):(1,5) o 6:1"),
            R"(composition((4,6):(1,5), 6:1)
  Each leaf N:r of B reads A at 0, r, 2r and so on. A's modes: 4:1 6:5, the last without end.
  leaf 6:1  reads A at 0 1 2 3 4 5: 0 1 2 3 5 6
    in 4:1         4/1 = 4 steps fit, and 6 is not a multiple of 4
    by the values  no mode has them
                   refused: coordinate 4 maps to 5; a mode 6:1 would need 4
)");
}

TEST(ExplainText, SwizzledIndex) {
  EXPECT_EQ(text_of("apply(Sw<3,3,3> o 16 o (8,64):(64,1), (1,2))"),
            R"(Sw<3,3,3> o 16 o (8,64):(64,1) at (1,2) = 90
  The index within, the offset added, then the swizzle.
  (8,64):(64,1) at (1,2) = 66
    A flat coordinate is taken apart first mode fastest; each digit times its stride.
    8:64  digit 1; 1*64 = 64  -> 64
    64:1  digit 2; 2*1 = 2    -> 2
    sum   64 + 2              -> 66
  offset  16 + 66 = 82  -> 82
  Sw<3,3,3> at 82 = 90
    The bits at places 6 to 8 are XORed onto those at places 3 to 5.
    before  001010010  -> 82
    read    001......
    xor     ...001...
    after   001011010  -> 90
)");
}

// Expressions.

TEST(Explain, OperationsOfAnExpressionInnermostFirst) {
  const Explained all = explained("coalesce(logical_divide((4,2,3):(2,1,8) o 24:1, 4:2))");
  ASSERT_TRUE(all.value.has_value());
  std::vector<std::string> names;
  for (const Explanation& operation : all.operations) names.push_back(operation.operation);
  EXPECT_EQ(names, (std::vector<std::string>{"composition", "logical_divide", "coalesce"}));
  EXPECT_EQ(all.left_out, 0U);
  EXPECT_EQ(all.operations.back().result.text, to_string(*all.value));
}

TEST(Explain, StopsAtTheOperationThatIsRefused) {
  const Explained all = explained("coalesce(flatten(4:1) o (4,6):(1,5) o 6:1)");
  ASSERT_FALSE(all.value.has_value());
  ASSERT_FALSE(all.operations.empty());
  EXPECT_TRUE(all.operations.back().refusal.has_value());
  EXPECT_EQ(all.operations.back().refusal->code(), all.value.error().code());
}

TEST(Explain, ALayoutByItself) {
  const Explained all = explained("(4,8):(8,1)");
  ASSERT_EQ(all.operations.size(), 1U);
  EXPECT_EQ(all.operations.front().text,
            "A layout of 32 elements. A coordinate has the digits i0 < 4, i1 < 8, the first "
            "running fastest; its index is 8*i0 + 1*i1.");
}

TEST(Explain, SaysHowManyOperationsAreLeftOut) {
  std::string text = "4:1";
  for (int i = 0; i < 40; ++i) text = "coalesce(" + text + ")";
  const Explained all = explained(text);
  EXPECT_EQ(all.operations.size(), kMaxExplained);
  EXPECT_EQ(all.left_out, 8U);
  EXPECT_TRUE(to_text(all).starts_with("The 8 innermost operations are left out.\n"));
}

TEST(Explain, NamesAreLookedUp) {
  Environment environment;
  environment.bind("A", *evaluate("(4,(2,2)):(2,(1,8))"));
  const Explained all = explained("A(1,_)", environment);
  ASSERT_EQ(all.operations.size(), 1U);
  EXPECT_EQ(all.operations.front().result.text, "((2,2)):((1,8))");
}

TEST(Explain, LargeOperandsAreNotTakenApart) {
  std::string shape = "2";
  for (int i = 0; i < 61; ++i) shape += ",1";
  for (int i = 0; i < 10; ++i) shape += ",2";
  const Explained all = explained("coalesce((" + shape + "))");
  ASSERT_EQ(all.operations.size(), 1U);
  EXPECT_TRUE(all.operations.front().steps.empty());
  EXPECT_EQ(all.operations.front().text,
            "Operands of more than 64 leaves are not taken apart here.");
  EXPECT_EQ(all.operations.front().result.text, to_string(*all.value));
}

/// The operations whose steps are shown.
const std::set<std::string, std::less<>>& with_steps() {
  static const std::set<std::string, std::less<>> names = {"admissible_for_complementation",
                                                           "admissible_for_composition",
                                                           "admissible_for_cutlass_composition",
                                                           "apply",
                                                           "blocked_product",
                                                           "coalesce",
                                                           "complement",
                                                           "complement_fill",
                                                           "composition",
                                                           "cosize",
                                                           "crd2idx",
                                                           "domain_offset",
                                                           "equal",
                                                           "filter",
                                                           "flat_divide",
                                                           "flat_product",
                                                           "idx2crd",
                                                           "inverse",
                                                           "left_inverse",
                                                           "logical_divide",
                                                           "logical_product",
                                                           "max_common_layout",
                                                           "max_common_vector",
                                                           "raked_product",
                                                           "right_inverse",
                                                           "slice",
                                                           "slice_and_offset",
                                                           "slice_offset",
                                                           "tile_to_shape",
                                                           "tiled_divide",
                                                           "tiled_product",
                                                           "with_shape",
                                                           "zipped_divide",
                                                           "zipped_product"};
  return names;
}

/// Of the operations on Axe layouts, some of which have the names of others.
const std::set<std::string, std::less<>>& axe_with_steps() {
  static const std::set<std::string, std::less<>> names = {"apply",
                                                           "canonicalize",
                                                           "direct_sum",
                                                           "direct_sum_left_of",
                                                           "direct_sum_right_of",
                                                           "group",
                                                           "iter_intersect",
                                                           "slice",
                                                           "span",
                                                           "tile",
                                                           "tile_inner_of",
                                                           "tile_of"};
  return names;
}

/// Operations that have the name of one with steps and none themselves: TVM's methods with shapes
/// one by one, and those on sets.
bool is_namesake(const Operation& operation) {
  const bool has_shapes =
      operation.parameters.size() == 4 && operation.parameters.back().name.ends_with("_shape");
  return has_shapes || operation.family == "sets";
}

/// Of the operations on layouts of any systems.
bool any_layout_has_steps(const Operation& operation) {
  const bool decides = operation.family == "decisions" && operation.name != "composition_guard";
  return decides || operation.family == "recovery" || operation.name == "convert" ||
         operation.name == "relation" || operation.name == "relayout_plan";
}

/// What writes down a LEGO layout or a piece of it is a literal, and not explained.
bool is_lego_literal(const Operation& operation) {
  return operation.family == "LEGO permutations" ||
         (operation.family == "LEGO views" && operation.name != "desugar");
}

TEST(Explain, EveryOperationByItsOwnExample) {
  for (const Operation& operation : operations()) {
    if (is_lego_literal(operation)) continue;
    const Explained all = explained(operation.example);
    ASSERT_TRUE(all.value.has_value()) << operation.example;
    ASSERT_FALSE(all.operations.empty()) << operation.example;
    EXPECT_EQ(all.operations.back().result.text, to_string(*all.value)) << operation.example;
    // An example may go on with another operation.
    const auto found = std::ranges::find(all.operations, operation.name, &Explanation::operation);
    ASSERT_NE(found, all.operations.end()) << operation.example;
    EXPECT_FALSE(found->text.empty()) << operation.name;
    if (found + 1 == all.operations.end()) {
      const bool is_axe = operation.family.find("Axe") != std::string::npos;
      const bool is_lego = operation.family.find("LEGO") != std::string::npos;
      const bool is_any =
          !operation.parameters.empty() && operation.parameters.front().type->takes_any_layout();
      const bool has_steps = is_namesake(operation) ? false
                             : is_any               ? any_layout_has_steps(operation)
                             : is_axe               ? axe_with_steps().contains(operation.name)
                             : is_lego ? operation.name == "apply" || operation.name == "inv"
                                       : with_steps().contains(operation.name);
      EXPECT_EQ(!found->steps.empty(), has_steps) << operation.name;
    }
    const test::Equations equations = test::equations_in(*found);
    EXPECT_FALSE(equations.wrong) << equations.wrong;
  }
}

// Every form of operand: composed layouts, tilers with `_`, strides along modes, few operands,
// more.
TEST(Explain, OtherFormsOfOperands) {
  for (const std::string_view text : {"coalesce((2,(1,6)):(1,(6,2)), (1,1))",
                                      "complement((4,2):(1,16))",
                                      "(8,16):(16,1) o <4:2,(2,4):(1,8)>",
                                      "(8,16):(16,1) o <4,_>",
                                      "(8,16):(16,1) o _",
                                      "Sw<3,3,3> o 0 o (8,64):(64,1) o <4,_>",
                                      "Sw<1,0,1> o Sw<1,0,1>",
                                      "(4,8):(8,1) o (2,4):(2@0,2@1)",
                                      "(4,8):(1@0,1@1) o 8:2",
                                      "(8,8):(8,1) o 1:12",
                                      "(2,2,2):(1,3,5) o (2,2):(3,1)",
                                      "right_inverse(Sw<3,3,3> o 0 o (8,64):(64,1))",
                                      "inverse(Sw<3,3,3>)",
                                      "slice((_,1), Sw<3,3,3> o 0 o (8,64):(64,1))",
                                      "slice((4,8):(8,1), (_,1))",
                                      "slice((_,1), (4,8))",
                                      "apply((4,2):(1@0,1@1), (2,1))",
                                      "crd2idx((1,3), (4,8):(8,1))",
                                      "crd2idx((1,3), (4,8), (8,1))",
                                      "idx2crd(11, (4,(2,2)), (2,(1,8)))",
                                      "idx2crd((3,5), (4,8))",
                                      "idx2crd(9, (4,8):(8,1))",
                                      "logical_divide((3,4):(100,1), 2:1)",
                                      "logical_divide((4,8):(8,1), <2,_>)",
                                      "logical_divide((4,8):(8,1), _)",
                                      "logical_product((2,2):(1,2), 3:0)",
                                      "tile_to_shape((8,64):(64,1), (128,128), order=(2,1))",
                                      "equal(Sw<2,0,3> o 0 o (4,8):(8,1), (4,8):(8,1))",
                                      "cosize(Sw<3,3,3> o 0 o (8,64):(64,1))",
                                      "cosize((4,8):(1@1,2@0))",
                                      "filter((9,4,2,2):(0,0,2,1), (1,1))",
                                      "left_inverse(4:0)"}) {
    const Explained all = explained(text);
    ASSERT_TRUE(all.value.has_value()) << text << "\n" << all.value.error();
    ASSERT_FALSE(all.operations.empty()) << text;
    EXPECT_EQ(all.operations.back().result.text, to_string(*all.value)) << text;
    for (const Explanation& operation : all.operations) {
      const test::Equations equations = test::equations_in(operation);
      EXPECT_FALSE(equations.wrong) << equations.wrong;
    }
  }
}

TEST(Explain, RefusalsGiveTheirReason) {
  for (const std::string_view text : {"complement((2,2):(1,5), 20)",
                                      "complement((4,4):(1,2), 32)",
                                      "complement(4:-1, 8)",
                                      "complement((2,2):(1@0,1@1), 8)",
                                      "complement(4:1, -1)",
                                      "inverse((4,4):(1,5))",
                                      "left_inverse((2,2):(2,3))",
                                      "left_inverse(4:-1)",
                                      "inverse((2,2):(1@0,1@1))",
                                      "tile_to_shape((8,64):(64,1), (100,64))",
                                      "tile_to_shape((8,64):(64,1), 128)",
                                      "6:1 o 4:-1",
                                      "(4,8):(8,1) o 2:1@5",
                                      "2:1 o <2,2>",
                                      "apply((4,8):(8,1), (1,2,3))",
                                      "slice((1,1,_), (4,8):(8,1))",
                                      "apply((4,8):(8,1), -1)",
                                      "cosize((4611686018427387904,2):(0,4611686018427387904))",
                                      "crd2idx((1,2,3), (4,8))",
                                      "idx2crd(3, (4,8), (0,1))",
                                      "blocked_product((2,2):(1,1), (2,2):(1,2))"}) {
    const Explained all = explained(text);
    ASSERT_FALSE(all.value.has_value()) << text;
    if (all.operations.empty()) continue;  // an operand was refused
    ASSERT_TRUE(all.operations.back().refusal.has_value()) << text;
    EXPECT_NE(to_text(all).find("refused: "), std::string::npos) << text << "\n" << to_text(all);
  }
}

// Text.

/// The lines of the operation's example result, which are printed as they are.
std::set<std::string> result_lines(const Operation& operation) {
  std::set<std::string> lines;
  std::istringstream text(to_string(*explained(operation.example).value));
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

TEST(ExplainText, KeepsWithinTheWidth) {
  for (const Operation& operation : operations()) {
    const std::set<std::string> result = result_lines(operation);
    for (const std::size_t width : {80U, 100U}) {
      std::istringstream lines(text_of(operation.example, {.color = false, .width = width}));
      for (std::string line; std::getline(lines, line);) {
        const bool is_call = !line.starts_with(' ') || line.find(" = ") != std::string::npos ||
                             line.starts_with("  = ");
        if (!is_call && !result.contains(line)) {  // calls and their results are not broken
          EXPECT_LE(characters(line), width) << operation.name << ": " << line;
        }
        EXPECT_FALSE(line.ends_with(' ')) << line;
      }
    }
  }
}

TEST(ExplainText, CallsOperandsOfManyLinesByTheirKind) {
  EXPECT_EQ(text_of("layoutC_TV(SM80_16x8x16_F32F16F16F32_TN)"),
            R"(layoutC_TV(an MMA atom) = ((4,8),((2,2),(1,1))):((32,1),((16,8),(0,0))) tile (16,8)
  Who holds what of the tile of C: (thread, value) -> (M,N).
)");
}

TEST(ExplainText, ColorsPartsAlike) {
  const std::string text = text_of("(6,2):(8,2) o (4,3):(3,1)", {.color = true, .width = 100});
  std::map<std::string, int> pieces;  // by colour
  const std::string_view begin = "\x1b[";
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at + 1))
    ++pieces[text.substr(at, text.find('m', at) - at)];
  // The leaf 4:3 in the operand and in the result, its title and what it becomes; so 3:1.
  std::multiset<int> counts;
  for (const auto& [color, count] : pieces) counts.insert(count);
  EXPECT_EQ(counts, (std::multiset<int>{6, 8, 14}));
}

// JSON.

void expect_complete(const nlohmann::json& explanation) {
  for (const char* key : {"operation", "title", "operands", "text", "steps", "result"}) {
    EXPECT_TRUE(explanation.contains(key)) << key;
  }
  for (const auto& step : explanation["steps"]) expect_complete(step);
}

TEST(ExplainJson, HasEveryStep) {
  const auto json =
      nlohmann::json::parse(to_json(explained("composition((6,2):(8,2), (4,3):(3,1))")));
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["result"], "((2,2),3):((24,2),8)");
  ASSERT_EQ(json["explanation"].size(), 1U);
  const auto& operation = json["explanation"][0];
  expect_complete(operation);
  EXPECT_EQ(operation["operation"], "composition");
  EXPECT_EQ(operation["operands"], (nlohmann::json{"(6,2):(8,2)", "(4,3):(3,1)"}));
  EXPECT_EQ(operation["steps"].size(), 3U);
  EXPECT_EQ(operation["steps"][0]["result"], "(2,2):(24,2)");
  EXPECT_EQ(operation["steps"][0]["steps"][0]["text"],
            "6/3 = 2 of the 4 steps fit; stride 3*8 = 24");
}

TEST(ExplainJson, RefusalsAreErrors) {
  const auto json = nlohmann::json::parse(to_json(explained("(4,6):(1,5) o 6:1")));
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["error"]["code"], "composition.no_layout");
  EXPECT_EQ(json["explanation"][0]["result"], nullptr);
  EXPECT_EQ(json["explanation"][0]["error"]["witness"]["coordinate"], "4");
}

TEST(Explain, ASideOfAComparisonIsComputedOnce) {
  const std::string text = text_of("size((4,8):(8,1)) < 40");
  EXPECT_EQ(text.find("= 32"), text.rfind("= 32")) << text;
}

}  // namespace
}  // namespace heddle::notation
