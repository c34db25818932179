#include <gtest/gtest.h>

#include "heddle/expr/condition.h"
#include "heddle/expr/proof.h"

namespace heddle {
namespace {

const Int kX = Int::variable("x", 0, 15);
const Int kY = Int::variable("y");
const Int kN = Int::variable("n", 1, Range::kNoHigh);

Condition less(const Int& a, const Int& b) { return {a, Relation::kLess, b}; }
Condition equal(const Int& a, const Int& b) { return {a, Relation::kEqual, b}; }

TEST(Select, ExamplesOfTheHeader) {
  EXPECT_EQ(select(less(kX, 16), kX + 1, 0), kX + 1);
  EXPECT_EQ(select(less(kX, 8), mod(kX, 8), kX), kX);
  EXPECT_EQ(to_string(select(less(kX, 8), 4 * kX, 12)), "4*select(x<8,x,3)");
  EXPECT_EQ(range(select(less(kX, 8), kX, 3)), (Range{0, 7}));
  const Int guarded = select(less(0, kX), floor_div(8, kX), 0);
  EXPECT_EQ(instantiate(guarded, {{"x", 0}}).value(), Int(0));
  EXPECT_EQ(instantiate(guarded, {{"x", 3}}).value(), Int(2));
}

TEST(Select, OfConstantsIsTheBranch) {
  EXPECT_EQ(select(less(1, 2), 3, 4), Int(3));
  EXPECT_EQ(select({2, Relation::kDivides, 5}, 3, 4), Int(4));
  EXPECT_EQ(select(less(1, 2), 3, Int::undefined()), Int(3));
  EXPECT_FALSE(select(less(kX, 2), 3, Int::undefined()).is_defined());
}

TEST(Select, ConditionsHaveOneForm) {
  const Int wanted = select(less(kX, 5), kY, 0);
  EXPECT_EQ(select({kX, Relation::kAtMost, 4}, kY, 0), wanted);
  EXPECT_EQ(select({5, Relation::kAtMost, kX}, 0, kY), wanted);
  EXPECT_EQ(select(less(2 * kX + kY, 10 + kY), kY, 0), wanted);
  EXPECT_EQ(select(less(3 * kX, 13), kY, 0), wanted);
  EXPECT_EQ(select({kX, Relation::kNotEqual, kY}, 1, 2), select(equal(kY, kX), 2, 1));
  EXPECT_EQ(select({8, Relation::kDivides, kY}, 1, 2), select(equal(mod(kY, 8), 0), 1, 2));
  EXPECT_EQ(select(equal(4 * kY, 6), 1, 2), Int(2));
}

TEST(Select, Text) {
  EXPECT_EQ(to_string(select(less(kX, 5), kY, kN)), "select(x<5,y,n)");
  EXPECT_EQ(to_string(select(less(3, kX), kY, kN)), "select(x<4,n,y)");
  EXPECT_EQ(to_string(select({kY, Relation::kDivides, kN}, kX, 2)), "select(n%y==0,x,2)");
  EXPECT_EQ(to_string(2 * select(equal(kX, kY), kN, 1) + 1), "2*select(x==y,n,1)+1");
}

// Either branch is looked at under its side of the condition.
TEST(Select, BranchesAreSimplifiedByTheirSideOfTheCondition) {
  EXPECT_EQ(select(less(kX, 8), floor_div(kX, 8), 1), select(less(kX, 8), 0, 1));
  EXPECT_EQ(select(less(kX, 8), min(kX, 7), mod(kX, 8) + 8), kX);
  EXPECT_EQ(select(equal(kX, 3), kX * kY, 0), 3 * select(equal(kX, 3), kY, 0));
  EXPECT_EQ(select(less(kX, 5), select(less(kX, 9), 1, 2), 3), select(less(kX, 5), 1, 3));
  EXPECT_EQ(select(less(mod(kY, 8), 4), select(less(mod(kY, 8), 6), 1, 2), 3),
            select(less(mod(kY, 8), 4), 1, 3));
  EXPECT_EQ(select(less(kY, kN), select(less(kY, kN), 1, 2), 3), select(less(kY, kN), 1, 3));
  EXPECT_EQ(select(less(kY, kN), 1, select(less(kY, kN), 1, 2)), select(less(kY, kN), 1, 2));
  const Int i = Int::variable("i", 0, 99);
  EXPECT_EQ(select(less(i, kN), mod(i, kN), 0), select(less(i, kN), i, 0));
}

TEST(Select, WhatBothBranchesShareStandsOutside) {
  EXPECT_EQ(select(less(kX, 5), kN * kY + 1, kN * kY + 7), kN * kY + select(less(kX, 5), 1, 7));
  EXPECT_EQ(select(less(kX, 5), 4 * kY, 6 * kN), 2 * select(less(kX, 5), 2 * kY, 3 * kN));
}

TEST(Select, MinimumAndMaximum) {
  EXPECT_EQ(select(less(kX, kY), kX, kY), min(kX, kY));
  EXPECT_EQ(select({kX, Relation::kAtMost, kY}, kX + 2, kY + 2), min(kX, kY) + 2);
  EXPECT_EQ(select(less(kX, kY), kY, kX), max(kX, kY));
}

TEST(Select, WhereTheSidesOfAnEquationMeetSoDoTheBranches) {
  EXPECT_EQ(select(equal(kX, kY), kY, kX), kX);
  EXPECT_EQ(select(equal(kX, kY), 3 * kY + kN, 3 * kX + kN), 3 * kX + kN);
}

TEST(Select, OfTruthValuesIsTheirCondition) {
  const Int flag = select(less(kX, kY), 1, 0);
  EXPECT_EQ(select(equal(flag, 1), kN, 7), select(less(kX, kY), kN, 7));
  EXPECT_EQ(select(equal(flag, 0), kN, 7), select(less(kX, kY), 7, kN));
}

// A bound of a choice holds where each branch keeps it on its side of the condition.
TEST(Select, BoundsUseTheCondition) {
  const Int i = Int::variable("i", 0, Range::kNoHigh);
  const Int m = Int::variable("m", 0, Range::kNoHigh);
  const Int clipped = select(less(i, m), i, 0);
  EXPECT_TRUE(known_at_most(clipped, m));
  EXPECT_TRUE(known_at_most(0, select(less(m, i), i - m - 1, m - i)));
  EXPECT_FALSE(known_at_most(0, select(less(m, i), i - m - 2, m - i)));
}

TEST(Isqrt, OfConstants) {
  for (std::int64_t n = 0; n < 200; ++n) {
    const std::int64_t root = isqrt(n).value();
    EXPECT_LE(root * root, n);
    EXPECT_GT((root + 1) * (root + 1), n);
  }
  EXPECT_EQ(isqrt(Range::kNoHigh), Int(3037000499));
  EXPECT_FALSE(isqrt(-1).is_defined());
  EXPECT_FALSE(isqrt(Int::undefined()).is_defined());
}

TEST(Isqrt, OfTerms) {
  EXPECT_EQ(to_string(isqrt(2 * kN + 1)), "isqrt(2*n+1)");
  EXPECT_EQ(range(isqrt(kX)), (Range{0, 3}));
  EXPECT_EQ(isqrt(kN * kN), kN);
  EXPECT_EQ(isqrt(kN * kN + kN), kN);
  EXPECT_EQ(isqrt(9 * kN * kN), 3 * kN);
  EXPECT_EQ(isqrt(mod(kY, 3) + 4), Int(2));
  EXPECT_FALSE(isqrt(-kN).is_defined());
  EXPECT_TRUE(known_at_most(isqrt(kN), kN));
  EXPECT_EQ(instantiate(isqrt(kN), {{"n", 17}}).value(), Int(4));
}

}  // namespace
}  // namespace heddle
