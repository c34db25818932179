#include "heddle/expr/proof.h"

#include <gtest/gtest.h>

#include "heddle/expr/assumptions.h"

namespace heddle {
namespace {

const Int kM = Int::variable("M", 1, 4096);
const Int kX = Int::variable("x");

TEST(Proof, ExamplesOfTheHeader) {
  EXPECT_EQ(range(8 * kM + 1), (Range{9, 32769}));
  EXPECT_TRUE(prove({kM, Relation::kAtMost, 5000}).is_yes());
  EXPECT_EQ(prove({kM, Relation::kLess, 10}).to_string(),
            "no  (values tried)  counterexample: M=4096: 4096 and 10");
  EXPECT_TRUE(prove({Int(8), Relation::kDivides, 4 * kM}).is_no());
}

TEST(Proof, OfConstantsNamesNoVariable) {
  EXPECT_TRUE(prove({3, Relation::kLess, 4}).is_yes());
  EXPECT_EQ(prove({4, Relation::kLess, 3}).to_string(),
            "no  (values tried)  counterexample: 4 and 3");
}

TEST(Proof, IsUnknownWhereNeitherSideShows) {
  const Int y = Int::variable("y", 0, Range::kNoHigh);
  // True, but by no rule: one of three consecutive numbers is a multiple of 3.
  EXPECT_TRUE(prove({3, Relation::kDivides, y * (y + 1) * (y + 2)}).is_unknown());
  EXPECT_TRUE(prove({Int::undefined(), Relation::kEqual, 0}).is_unknown());
}

TEST(Proof, WitnessesKeepWhatIsAssumed) {
  const Int k = Int::variable("K");
  const Int m = Int::variable("M");
  const Assumptions world =
      Assumptions::make(std::vector<Condition>{{mod(m, 6), Relation::kEqual, 4},
                                               {k, Relation::kLess, m},
                                               {10, Relation::kAtMost, k}})
          .value();
  const Verdict verdict = prove({world.variable("M"), Relation::kAtMost, world.variable("K") + 1});
  ASSERT_TRUE(verdict.is_no());
  EXPECT_EQ(verdict.counterexample()->coordinate, "K=10, M=16");
}

TEST(Range, OfTermsWithoutBoundIsOpen) {
  EXPECT_EQ(range(kX), Range());
  EXPECT_FALSE(range(kX).is_bounded());
  EXPECT_EQ(range(kX * kX), (Range{0, Range::kNoHigh}));
  EXPECT_EQ(range(mod(kX, 8)), (Range{0, 7}));
  EXPECT_EQ(range(min(kX, 5)), (Range{Range::kNoLow, 5}));
  EXPECT_EQ(range(sign(kX)), (Range{-1, 1}));
  EXPECT_EQ(range(5), (Range{5, 5}));
  EXPECT_EQ(range(Int::undefined()), Range());
}

TEST(Range, PastSixtyFourBitsIsOpen) {
  const Int huge = Int::variable("h", 0, Range::kNoHigh - 1);
  EXPECT_EQ(range(huge * 4), (Range{0, Range::kNoHigh}));
  EXPECT_FALSE(known_at_most(huge * 4, Range::kNoHigh));
}

TEST(KnownDivisor, IsTheGreatestThatIsKnown) {
  EXPECT_EQ(known_divisor(12 * kM + 8), 4);
  EXPECT_EQ(known_divisor(0), 0);
  EXPECT_EQ(known_divisor(-6), 6);
  EXPECT_EQ(known_divisor(mod(8 * kX, 12)), 4);
  EXPECT_EQ(known_divisor(min(6 * kX, 15)), 3);
  EXPECT_EQ(known_divisor(Int::undefined()), 1);
}

TEST(Variables, AreNamedOnceInOrder) {
  EXPECT_EQ(variables(kX * kM + floor_div(kX, 3)), (std::vector<std::string>{"M", "x"}));
  EXPECT_TRUE(variables(7).empty());
}

TEST(Condition, Text) {
  EXPECT_EQ(to_string(Condition{8, Relation::kDivides, kM}), "8 | M");
  EXPECT_EQ(to_string(Condition{8, Relation::kDivides, kM + 1}), "8 | (M+1)");
  EXPECT_EQ(to_string(Condition{kM, Relation::kAtMost, 64}), "M <= 64");
  EXPECT_EQ(to_string(Condition{kM, Relation::kNotEqual, kX}), "M != x");
}

TEST(KnownFalse, IsTheOpposite) {
  EXPECT_TRUE(known_false({kM, Relation::kLess, 1}));
  EXPECT_TRUE(known_false({kM, Relation::kEqual, 0}));
  EXPECT_TRUE(known_false({kM, Relation::kNotEqual, kM}));
  EXPECT_TRUE(known_false({8, Relation::kDivides, 8 * kX + 4}));
  EXPECT_TRUE(known_false({0, Relation::kDivides, kM}));
  EXPECT_FALSE(known_false({8, Relation::kDivides, kM}));
  EXPECT_FALSE(known_false({kM, Relation::kLess, 4096}));
}

// What assumption_for suggests, taken up, makes the condition known.
TEST(AssumptionFor, SettlesTheCondition) {
  EXPECT_EQ(assumption_for({8, Relation::kDivides, kX}), "x%8==0");
  EXPECT_EQ(assumption_for({8, Relation::kDivides, 4 * kX}), "x%2==0");
  EXPECT_EQ(assumption_for({kX, Relation::kAtMost, 64}), "x<=64");
  EXPECT_EQ(assumption_for({1, Relation::kAtMost, kX}), "x>=1");
  EXPECT_EQ(assumption_for({5, Relation::kLess, kX}), "x>5");
  EXPECT_EQ(assumption_for({kX, Relation::kEqual, 3}), "x==3");
  EXPECT_EQ(assumption_for({kM, Relation::kDivides, kX}), "x%M==0");
  EXPECT_EQ(assumption_for({8, Relation::kDivides, kX + 1}), "");
  EXPECT_EQ(assumption_for({kX * kX, Relation::kLess, 3}), "");
  EXPECT_EQ(needs({8, Relation::kDivides, kX}), "needs 8 | x; try --assume 'x%8==0'");
  EXPECT_EQ(needs({8, Relation::kDivides, kX + 1}), "needs 8 | (x+1)");
}

TEST(Instantiate, PutsValuesAndTermsIn) {
  EXPECT_EQ(instantiate(kM * kX + 1, {{"M", 3}, {"x", 5}}).value(), Int(16));
  EXPECT_EQ(instantiate(kM * kX, {{"x", 2}}).value(), 2 * kM);
  EXPECT_EQ(instantiate(floor_div(kX, kM), {{"x", 8 * kM}}).value(), Int(8));
  EXPECT_EQ(instantiate(7, {{"x", 2}}).value(), Int(7));
}

TEST(Instantiate, RefusesWhatIsNotAssumed) {
  const auto code = [](const Result<Int>& result) { return result.error().code(); };
  EXPECT_EQ(code(instantiate(kM, {{"M", 0}})), "instantiate.inadmissible");
  EXPECT_EQ(code(instantiate(kM * kX, {{"M", 4097}, {"x", 1}})), "instantiate.inadmissible");
  EXPECT_EQ(code(instantiate(kX * kX, {{"x", Range::kNoHigh}})), "overflow");
  EXPECT_EQ(code(instantiate(floor_div(1, kX), {{"x", 0}})), "overflow");
}

}  // namespace
}  // namespace heddle
