#include "heddle/expr/proof.h"

#include <gtest/gtest.h>

#include "heddle/expr/assumptions.h"
#include "support/formula.h"

namespace heddle {
namespace {

using test::kX;

const Int kM = Int::variable("M", 1, 4096);

TEST(Proof, ExamplesOfTheHeader) {
  EXPECT_EQ(range(8 * kM + 1), (Range{9, 32769}));
  EXPECT_TRUE(prove({kM, Predicate::kAtMost, 5000}).is_yes());
  EXPECT_EQ(prove({kM, Predicate::kLess, 10}).to_string(),
            "no  (values tried)  counterexample: M=4096: 4096 and 10");
  EXPECT_TRUE(prove({Int(8), Predicate::kDivides, 4 * kM}).is_no());
}

TEST(Proof, OfConstantsNamesNoVariable) {
  EXPECT_TRUE(prove({3, Predicate::kLess, 4}).is_yes());
  EXPECT_EQ(prove({4, Predicate::kLess, 3}).to_string(),
            "no  (values tried)  counterexample: 4 and 3");
}

TEST(Proof, IsUnknownWhereNeitherSideShows) {
  const Int y = Int::variable("y", 0, Range::kNoHigh);
  // True, but by no rule: one of three consecutive numbers is a multiple of 3.
  EXPECT_TRUE(prove({3, Predicate::kDivides, y * (y + 1) * (y + 2)}).is_unknown());
  EXPECT_TRUE(prove({Int::undefined(), Predicate::kEqual, 0}).is_unknown());
}

TEST(Proof, WitnessesKeepWhatIsAssumed) {
  const Int k = Int::variable("K");
  const Int m = Int::variable("M");
  const Assumptions world =
      Assumptions::make(std::vector<Condition>{{mod(m, 6), Predicate::kEqual, 4},
                                               {k, Predicate::kLess, m},
                                               {10, Predicate::kAtMost, k}})
          .value();
  const Verdict verdict = prove({world.variable("M"), Predicate::kAtMost, world.variable("K") + 1});
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
  EXPECT_EQ(to_string(Condition{8, Predicate::kDivides, kM}), "8 | M");
  EXPECT_EQ(to_string(Condition{8, Predicate::kDivides, kM + 1}), "8 | (M+1)");
  EXPECT_EQ(to_string(Condition{kM, Predicate::kAtMost, 64}), "M <= 64");
  EXPECT_EQ(to_string(Condition{kM, Predicate::kNotEqual, kX}), "M != x");
}

TEST(KnownFalse, IsTheOpposite) {
  EXPECT_TRUE(known_false({kM, Predicate::kLess, 1}));
  EXPECT_TRUE(known_false({kM, Predicate::kEqual, 0}));
  EXPECT_TRUE(known_false({kM, Predicate::kNotEqual, kM}));
  EXPECT_TRUE(known_false({8, Predicate::kDivides, 8 * kX + 4}));
  EXPECT_TRUE(known_false({0, Predicate::kDivides, kM}));
  EXPECT_FALSE(known_false({8, Predicate::kDivides, kM}));
  const Int n = Int::variable("n", 1, Range::kNoHigh);
  EXPECT_TRUE(known_false({6 * n, Predicate::kDivides, n + 8}));
  EXPECT_FALSE(known_false({6 * n, Predicate::kDivides, n + 10}));
  EXPECT_FALSE(known_false({kM, Predicate::kLess, 4096}));
}

// What assumption_for suggests, taken up, makes the condition known.
TEST(AssumptionFor, SettlesTheCondition) {
  EXPECT_EQ(assumption_for({8, Predicate::kDivides, kX}), "x%8==0");
  EXPECT_EQ(assumption_for({8, Predicate::kDivides, 4 * kX}), "x%2==0");
  EXPECT_EQ(assumption_for({kX, Predicate::kAtMost, 64}), "x<=64");
  EXPECT_EQ(assumption_for({1, Predicate::kAtMost, kX}), "x>=1");
  EXPECT_EQ(assumption_for({5, Predicate::kLess, kX}), "x>5");
  EXPECT_EQ(assumption_for({kX, Predicate::kEqual, 3}), "x==3");
  EXPECT_EQ(assumption_for({kM, Predicate::kDivides, kX}), "x%M==0");
  EXPECT_EQ(assumption_for({8, Predicate::kDivides, kX + 1}), "x%8==7");
  EXPECT_EQ(assumption_for({8, Predicate::kDivides, kX * kX + 1}), "");
  EXPECT_EQ(assumption_for({kX * kX, Predicate::kLess, 3}), "");
  EXPECT_EQ(assumption_for({2 * kX, Predicate::kEqual, 12}), "x==6");
  EXPECT_EQ(assumption_for({kX + kM * kM, Predicate::kEqual, 3 * kM}), "x==-M*M+3*M");
  EXPECT_EQ(assumption_for({kX + kM * kM, Predicate::kAtMost, 3 * kM}), "x<=-M*M+3*M");
  EXPECT_EQ(needs({8, Predicate::kDivides, kX}), "needs 8 | x; try --assume 'x%8==0'");
  EXPECT_EQ(needs({8, Predicate::kDivides, kX + 1}), "needs 8 | (x+1); try --assume 'x%8==7'");
  EXPECT_EQ(needs({8, Predicate::kDivides, kX * kX + 1}), "needs 8 | (x*x+1)");
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
