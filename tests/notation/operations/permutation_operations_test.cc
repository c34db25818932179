// The expression language's side of permutations: what it reads as a table, an object and a map.

#include <gtest/gtest.h>

#include <string>

#include "heddle/notation/evaluator.h"

namespace heddle::notation {
namespace {

std::string answer(std::string_view text) {
  const auto result = evaluate(text);
  return result ? to_string(*result) : result.error().to_string();
}

std::string code(std::string_view text) {
  const auto result = evaluate(text);
  return result ? "not refused: " + to_string(*result) : result.error().code();
}

TEST(PermutationOperations, ReadATableInEverySpelling) {
  for (const char* table : {"(0,2,1,3)", "[0,2,1,3]", "table((2,2):(2,1))"}) {
    EXPECT_EQ(answer("layout_of_table(" + std::string(table) + ")"), "(2,2):(2,1)") << table;
    EXPECT_TRUE(answer("is_permutation(" + std::string(table) + ")").starts_with("yes")) << table;
  }
  EXPECT_EQ(answer("layout_of_table(0)"), "1:0");
  EXPECT_EQ(answer("layout_of_table((0,-2))"), "2:-2");
}

TEST(PermutationOperations, RefuseWhatIsNoTable) {
  for (const char* other : {"((0,1),(2,3))", "4:1", "table((2,2):(1@0,1@1))", "Sw<1,0,1>",
                            "[0,2:1]", "[[0,1],2]", "(0,_)", "fact_morphism(2)", "true"}) {
    EXPECT_EQ(code("layout_of_table(" + std::string(other) + ")"), "call.type") << other;
  }
}

TEST(PermutationOperations, RefuseATableThatIsNoLayoutWithTheFirstEntryThatShowsIt) {
  EXPECT_EQ(answer("layout_of_table((0,1,3,2))"),
            "error recover.no_layout: no strided layout on 4 points has this function: the steps "
            "before 3 do not give the value there, and a new step cannot begin there: 3 does not "
            "divide 4\n"
            "  witness: coordinate 3 maps to 2; a layout would need 4");
  EXPECT_EQ(answer("layout_of_table((4,5,6,7))"),
            "error recover.no_layout: no layout has this table: layouts begin at 0\n"
            "  witness: coordinate 0 maps to 4; a layout would need 0\n"
            "  hint: subtract its first entry, 4, from all");
}

TEST(PermutationOperations, AskComposedLayoutsAtEveryCoordinate) {
  EXPECT_EQ(answer("is_permutation(Sw<1,0,2> o 0 o 8:1)"),
            "yes  (each index of [0,8) is met once)");
  EXPECT_EQ(answer("is_permutation(Sw<1,0,2> o 0 o 6:1)"),
            "yes  (each index of [0,6) is met once)");
  EXPECT_EQ(answer("is_permutation(Sw<1,0,2> o 0 o 5:1)"),
            "no  (coordinate 4 maps to 5, which is not in [0,5))");
  EXPECT_EQ(answer("is_permutation(Sw<1,0,2> o 0 o 1048577:1)"),
            "unknown  (1048577 coordinates are too many to try each)");
  EXPECT_EQ(answer("is_permutation((2,2):(1@0,1@1))"), "no  (its strides are on several axes)");
}

TEST(PermutationOperations, ListAllOrAsManyAsAsked) {
  EXPECT_EQ(answer("permutation_layouts(1)"), "[1:0]");
  EXPECT_EQ(answer("permutation_layouts(7)"), "[7:1]");
  EXPECT_EQ(answer("permutation_layouts(4096, 2)"), "[4096:1,(2048,2):(2,1)]");
  EXPECT_EQ(answer("permutation_layouts(12, limit=0)"), "[]");
  EXPECT_EQ(answer("ordered_factorizations(1)"), "[1]");
  EXPECT_EQ(answer("ordered_factorizations(360, limit=2)"), "[(2,2,2,3,3,5),(2,2,2,3,5,3)]");
}

TEST(PermutationOperations, RefuseListsThatAreTooLong) {
  EXPECT_EQ(answer("permutation_layouts(512, 100000)"),
            "error permutation.too_many: 512 has more than 65536 permutations that are layouts, "
            "too many to list\n"
            "  hint: give a limit: limit=16");
  EXPECT_EQ(code("ordered_factorizations(223092870)"), "permutation.too_many");  // 9 primes: 9!
  EXPECT_EQ(code("permutation_layouts(12, limit=-1)"), "table.limit");
  EXPECT_EQ(code("permutation_layouts(0)"), "layout.extent");
  EXPECT_EQ(code("permutation_layouts(0, 0)"), "layout.extent");
}

TEST(PermutationOperations, CountPastListsAndRefusePastSixtyFourBits) {
  EXPECT_EQ(answer("permutation_layout_count(1048576)"), "2432902008176640000");  // 20!
  EXPECT_EQ(answer("permutation_layout_count(2097152)"),
            "error overflow: the number of permutations of [0,2097152) that are layouts has no "
            "64-bit value: it overflows, divides by zero or exceeds the limit on terms");
  EXPECT_EQ(code("permutation_layout_count(-4)"), "layout.extent");
}

TEST(FactMorphismValues, PrintAsTheyAreRead) {
  for (const char* text :
       {"fact_morphism((2,3),(2,1))", "fact_morphism((2,3),0)", "fact_morphism(1,0)",
        "fact_morphism((2),(1))", "fact_morphism((2,2,2),(2,3,1))"}) {
    EXPECT_EQ(answer(text), text);
  }
  EXPECT_EQ(answer("fact_morphism((2,3))"), "fact_morphism((2,3),(1,2))");
  EXPECT_EQ(answer("fact_morphism(1)"), "fact_morphism(1,0)");
  EXPECT_EQ(answer("domain(fact_morphism((2,3),0))"), "1");
  EXPECT_EQ(answer("codomain(fact_morphism((3)))"), "(3)");
}

TEST(FactMorphismValues, ComposeInvertAndCompare) {
  EXPECT_EQ(answer("fact_morphism((2,3,5),(3,1,2)) o fact_morphism((5,2,3),(2,1))"),
            "fact_morphism((2,3,5),(1,3))");
  EXPECT_EQ(answer("inverse(fact_morphism((2,3),(2,1)))"), "fact_morphism((3,2),(2,1))");
  EXPECT_EQ(answer("fact_morphism((2,3)) == fact_morphism((2,3),(1,2))"), "true");
  EXPECT_EQ(answer("fact_morphism((2,3)) == fact_morphism((3,2))"), "false");
}

TEST(FactMorphismValues, DoNotMixWithLayouts) {
  for (const char* text : {"fact_morphism((2,3)) o 6:1", "6:1 o fact_morphism((2,3))",
                           "fact_morphism((2,3)) o <2,3>", "Sw<1,0,1> o fact_morphism((2,3))",
                           "composition(fact_morphism((2,3)), Sw<1,0,1> o 0 o 4:1)",
                           "right_inverse(fact_morphism((2,3)))", "realization((2,3):(1,2))",
                           "fact_morphism((2,3)) == 6:1"}) {
    EXPECT_EQ(code(text), "call.type") << text;
  }
  EXPECT_EQ(answer("realization(fact_morphism((2,3),(2,1))) o 6:1"), "(3,2):(2,1)");
}

TEST(FactMorphismValues, RefuseWhatTheCategoryDoesNotHave) {
  EXPECT_EQ(code("fact_morphism((2,4))"), "factorization.not_prime");
  EXPECT_EQ(code("fact_morphism((2,1))"), "factorization.not_prime");
  EXPECT_EQ(code("fact_morphism((2,-3))"), "factorization.not_prime");
  EXPECT_EQ(code("fact_morphism((2,3),(0,1))"), "morphism.place");
  EXPECT_EQ(code("fact_morphism((2,3),3)"), "morphism.place");
  EXPECT_EQ(code("fact_morphism((2,M))"), "factorization.symbolic");
  EXPECT_EQ(code("fact_morphism((4294967291,4294967279))"), "overflow");
  EXPECT_EQ(code("fact_morphism_of((4,4):(1,6))"), "morphism.not_found");
}

TEST(PermutationOperations, AnswerAsJson) {
  EXPECT_EQ(to_json(*evaluate("permutation_layouts(6)")),
            R"json(["6:1","(3,2):(2,1)","(2,3):(3,1)"])json");
  EXPECT_EQ(to_json(*evaluate("fact_morphism((2,3))")), R"json("fact_morphism((2,3),(1,2))")json");
}

}  // namespace
}  // namespace heddle::notation
