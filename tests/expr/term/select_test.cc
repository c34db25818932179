#include <gtest/gtest.h>

#include "heddle/expr/condition.h"
#include "heddle/expr/proof.h"

namespace heddle {
namespace {

const Int kNibble = Int::variable("x", 0, 15);
const Int kY = Int::variable("y");
const Int kPositive = Int::variable("n", 1, Range::kNoHigh);

Condition less(const Int& a, const Int& b) { return {a, Predicate::kLess, b}; }
Condition equal(const Int& a, const Int& b) { return {a, Predicate::kEqual, b}; }

TEST(Select, ExamplesOfTheHeader) {
  EXPECT_EQ(select(less(kNibble, 16), kNibble + 1, 0), kNibble + 1);
  EXPECT_EQ(select(less(kNibble, 8), mod(kNibble, 8), kNibble), kNibble);
  EXPECT_EQ(to_string(select(less(kNibble, 8), 4 * kNibble, 12)), "4*select(x<8,x,3)");
  EXPECT_EQ(range(select(less(kNibble, 8), kNibble, 3)), (Range{0, 7}));
  const Int guarded = select(less(0, kNibble), floor_div(8, kNibble), 0);
  EXPECT_EQ(instantiate(guarded, {{"x", 0}}).value(), Int(0));
  EXPECT_EQ(instantiate(guarded, {{"x", 3}}).value(), Int(2));
}

TEST(Select, OfConstantsIsTheBranch) {
  EXPECT_EQ(select(less(1, 2), 3, 4), Int(3));
  EXPECT_EQ(select({2, Predicate::kDivides, 5}, 3, 4), Int(4));
  EXPECT_EQ(select(less(1, 2), 3, Int::undefined()), Int(3));
  EXPECT_FALSE(select(less(kNibble, 2), 3, Int::undefined()).is_defined());
}

TEST(Select, ConditionsHaveOneForm) {
  const Int wanted = select(less(kNibble, 5), kY, 0);
  EXPECT_EQ(select({kNibble, Predicate::kAtMost, 4}, kY, 0), wanted);
  EXPECT_EQ(select({5, Predicate::kAtMost, kNibble}, 0, kY), wanted);
  EXPECT_EQ(select(less(2 * kNibble + kY, 10 + kY), kY, 0), wanted);
  EXPECT_EQ(select(less(3 * kNibble, 13), kY, 0), wanted);
  EXPECT_EQ(select({kNibble, Predicate::kNotEqual, kY}, 1, 2), select(equal(kY, kNibble), 2, 1));
  EXPECT_EQ(select({8, Predicate::kDivides, kY}, 1, 2), select(equal(mod(kY, 8), 0), 1, 2));
  EXPECT_EQ(select(equal(4 * kY, 6), 1, 2), Int(2));
}

TEST(Select, Text) {
  EXPECT_EQ(to_string(select(less(kNibble, 5), kY, kPositive)), "select(x<5,y,n)");
  EXPECT_EQ(to_string(select(less(3, kNibble), kY, kPositive)), "select(x<4,n,y)");
  EXPECT_EQ(to_string(select({kY, Predicate::kDivides, kPositive}, kNibble, 2)),
            "select(n%y==0,x,2)");
  EXPECT_EQ(to_string(2 * select(equal(kNibble, kY), kPositive, 1) + 1), "2*select(x==y,n,1)+1");
}

// Either branch is looked at under its side of the condition.
TEST(Select, BranchesAreSimplifiedByTheirSideOfTheCondition) {
  EXPECT_EQ(select(less(kNibble, 8), floor_div(kNibble, 8), 1), select(less(kNibble, 8), 0, 1));
  EXPECT_EQ(select(less(kNibble, 8), min(kNibble, 7), mod(kNibble, 8) + 8), kNibble);
  EXPECT_EQ(select(equal(kNibble, 3), kNibble * kY, 0), 3 * select(equal(kNibble, 3), kY, 0));
  EXPECT_EQ(select(less(kNibble, 5), select(less(kNibble, 9), 1, 2), 3),
            select(less(kNibble, 5), 1, 3));
  EXPECT_EQ(select(less(mod(kY, 8), 4), select(less(mod(kY, 8), 6), 1, 2), 3),
            select(less(mod(kY, 8), 4), 1, 3));
  EXPECT_EQ(select(less(kY, kPositive), select(less(kY, kPositive), 1, 2), 3),
            select(less(kY, kPositive), 1, 3));
  EXPECT_EQ(select(less(kY, kPositive), 1, select(less(kY, kPositive), 1, 2)),
            select(less(kY, kPositive), 1, 2));
  const Int i = Int::variable("i", 0, 99);
  EXPECT_EQ(select(less(i, kPositive), mod(i, kPositive), 0), select(less(i, kPositive), i, 0));
}

TEST(Select, WhatBothBranchesShareStandsOutside) {
  EXPECT_EQ(select(less(kNibble, 5), kPositive * kY + 1, kPositive * kY + 7),
            kPositive * kY + select(less(kNibble, 5), 1, 7));
  EXPECT_EQ(select(less(kNibble, 5), 4 * kY, 6 * kPositive),
            2 * select(less(kNibble, 5), 2 * kY, 3 * kPositive));
}

TEST(Select, MinimumAndMaximum) {
  EXPECT_EQ(select(less(kNibble, kY), kNibble, kY), min(kNibble, kY));
  EXPECT_EQ(select({kNibble, Predicate::kAtMost, kY}, kNibble + 2, kY + 2), min(kNibble, kY) + 2);
  EXPECT_EQ(select(less(kNibble, kY), kY, kNibble), max(kNibble, kY));
}

TEST(Select, WhereTheSidesOfAnEquationMeetSoDoTheBranches) {
  EXPECT_EQ(select(equal(kNibble, kY), kY, kNibble), kNibble);
  EXPECT_EQ(select(equal(kNibble, kY), 3 * kY + kPositive, 3 * kNibble + kPositive),
            3 * kNibble + kPositive);
}

TEST(Select, OfTruthValuesIsTheirCondition) {
  const Int flag = select(less(kNibble, kY), 1, 0);
  EXPECT_EQ(select(equal(flag, 1), kPositive, 7), select(less(kNibble, kY), kPositive, 7));
  EXPECT_EQ(select(equal(flag, 0), kPositive, 7), select(less(kNibble, kY), 7, kPositive));
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

// Each choice looks at its branches once, however deep they nest: this ends.
TEST(Select, ANestOfManyChoicesIsBuiltAtOnce) {
  constexpr int kDepth = 60;
  const Int number = Int::variable("number", 0, 1000);
  Int nest = 0;
  for (int i = 0; i < kDepth; ++i) nest = select(less(number, 3 * i + 1), nest, i % 7);
  ASSERT_TRUE(nest.is_defined());
  for (const int at : {0, 1, 5, 100, 180}) {
    // The first choice from outside that fails decides.
    Int wanted = 0;
    for (int i = kDepth; i-- > 0;) {
      if (at < 3 * i + 1) continue;
      wanted = i % 7;
      break;
    }
    EXPECT_EQ(instantiate(nest, {{"number", at}}).value(), wanted) << at;
  }
}

TEST(Select, ConditionsOnChoicesOnChoicesAreBuiltAtOnce) {
  const Int number = Int::variable("number", 0, 1000);
  Int nest = number;
  std::int64_t wanted = 17;
  for (int i = 0; i < 40; ++i) {
    nest = select(less(nest, 13 * i % 29), number + i, number - i);
    wanted = wanted < 13 * i % 29 ? 17 + i : 17 - i;
  }
  ASSERT_TRUE(nest.is_defined());
  EXPECT_EQ(instantiate(nest, {{"number", 17}}).value(), Int(wanted));
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
  EXPECT_EQ(to_string(isqrt(2 * kPositive + 1)), "isqrt(2*n+1)");
  EXPECT_EQ(range(isqrt(kNibble)), (Range{0, 3}));
  EXPECT_EQ(isqrt(kPositive * kPositive), kPositive);
  EXPECT_EQ(isqrt(kPositive * kPositive + kPositive), kPositive);
  EXPECT_EQ(isqrt(9 * kPositive * kPositive), 3 * kPositive);
  EXPECT_EQ(isqrt(mod(kY, 3) + 4), Int(2));
  EXPECT_FALSE(isqrt(-kPositive).is_defined());
  EXPECT_TRUE(known_at_most(isqrt(kPositive), kPositive));
  EXPECT_EQ(instantiate(isqrt(kPositive), {{"n", 17}}).value(), Int(4));
}

}  // namespace
}  // namespace heddle
