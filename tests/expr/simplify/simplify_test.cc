// What the simplifier makes of the expressions of the paper (LEGO, section IV.A), and how it says
// so.

#include "heddle/expr/simplify.h"

#include <gtest/gtest.h>

#include "heddle/expr/assumptions.h"
#include "support/formula.h"

namespace heddle {
namespace {

using test::kX;

const Int kN = Int::variable("n", 1, Range::kNoHigh);

Simplified operations(const std::vector<Int>& values, const std::vector<Condition>& guards = {}) {
  return simplify(values, guards, {.target = Target::operations()}).value();
}
std::string text(const Int& value) { return to_string(operations({value}).kernel.results[0]); }
std::string gpu_text(const Int& value) {
  return to_string(simplify(std::vector{value}).value().kernel.results[0]);
}

// Table II, row by row.
TEST(TableTwo, MultiplesLeaveTheRemainderOfTheRest) {
  const Int d = kN;
  const Int q = Int::variable("q");
  const Int r = Int::variable("r");
  EXPECT_EQ(mod(d * q + r, d), mod(r, d));
}

TEST(TableTwo, MultiplesComeOutOfTheQuotient) {
  const Int q = Int::variable("q");
  const Int r = Int::variable("r");
  EXPECT_EQ(floor_div(kN * q + mod(r, kN), kN), q);
  EXPECT_EQ(floor_div(kN * q + r, kN), q + floor_div(r, kN));
}

TEST(TableTwo, TheQuotientOfARemainderIsZero) { EXPECT_EQ(floor_div(mod(kX, kN), kN), Int(0)); }

TEST(TableTwo, TheQuotientOfWhatIsBelowIsZero) {
  const Int y = Int::variable("y", 0, 7);
  EXPECT_EQ(floor_div(y, 8), Int(0));
  EXPECT_EQ(floor_div(y, kN + 7), Int(0));
}

TEST(TableTwo, TheRemainderOfWhatIsBelowIsItself) {
  const Int y = Int::variable("y", 0, 7);
  EXPECT_EQ(mod(y, 8), y);
  EXPECT_EQ(mod(y, kN + 7), y);
}

TEST(TableTwo, TheQuotientByOneIsTheNumber) {
  EXPECT_EQ(floor_div(kN + kX, 1), kN + floor_div(kX, 1));
}

TEST(TableTwo, QuotientAndRemainderReunite) {
  EXPECT_EQ(kN * floor_div(kX, kN) + mod(kX, kN), kX);
  const Int either = Int::variable("a");
  EXPECT_EQ(either * floor_div(kX, either) + mod(kX, either), kX);
}

TEST(Simplify, ExampleOfTheHeader) {
  const Int i0 = Int::variable("i0", 0, 5);
  const Int i1 = Int::variable("i1", 0, 5);
  const Simplified found = operations({3 * i0 + 9 * floor_div(i0, 3) + i1 + 6 * floor_div(i1, 3)});
  EXPECT_EQ(found.count.operations, 7);
  EXPECT_EQ(to_string(found.kernel), "i1+6*(i0+i1//3)-3*(i0%3)\n");
}

TEST(Simplify, ExampleOfKernels) {
  const Int pid = Int::variable("pid");
  const Int m = Int::variable("m", 1, Range::kNoHigh);
  const Simplified found =
      simplify(std::vector{floor_div(pid, m * kN) * m + mod(pid, m), mod(floor_div(pid, m), kN)})
          .value();
  EXPECT_EQ(to_string(found.kernel), "t0 = pid//m\nt1 = t0//n\npid-m*(t0-t1)\nt0-n*t1\n");
}

TEST(Simplify, FactorsAreTakenOut) {
  const Int k = Int::variable("K");
  const Int r = Int::variable("r");
  EXPECT_EQ(text(k * kN * kX + k * r), "K*(n*x+r)");
  EXPECT_EQ(text(6 * kX + 6 * r), "6*(r+x)");
  EXPECT_EQ(text(-2 * kX - 2 * r), "(-2)*(r+x)");
  EXPECT_EQ(text(5 - kX), "5-x");
  EXPECT_EQ(text(-kX), "-x");
}

TEST(Simplify, PowersOfTwoBecomeShiftsAndMasks) {
  EXPECT_EQ(gpu_text(floor_div(kX, 8)), "shift_right(x,3)");
  EXPECT_EQ(gpu_text(mod(kX, 8)), "bit_and(x,7)");
  EXPECT_EQ(gpu_text(8 * floor_div(kX, 8)), "bit_and(x,-8)");
  EXPECT_EQ(gpu_text(8 * kX), "shift_left(x,3)");
  EXPECT_EQ(text(8 * floor_div(kX, 8)), "8*(x//8)");
}

TEST(Simplify, DependentVariablesAreWrittenAsThemselves) {
  const Assumptions world =
      Assumptions::make(
          std::vector<Condition>{{Int::variable("B"), Predicate::kDivides, Int::variable("M")},
                                 {mod(Int::variable("N"), 32), Predicate::kEqual, 0},
                                 {mod(Int::variable("R"), 8), Predicate::kEqual, 4}})
          .value();
  const Int m = world.variable("M");
  const Int n = world.variable("N");
  const Int r = world.variable("R");
  EXPECT_EQ(text(m), "M");
  EXPECT_EQ(text(floor_div(m, world.variable("B"))), "M//B");
  EXPECT_EQ(text(floor_div(n, 64)), "N//64");
  EXPECT_EQ(text(3 * n + 1), "3*N+1");
  EXPECT_EQ(text(r + kX), "R+x");
  EXPECT_EQ(text(floor_div(r, 8)), "R//8");
}

TEST(Simplify, GuardsShareWithResults) {
  const Int i = Int::variable("i", 0, Range::kNoHigh);
  const Int j = Int::variable("j", 0, 31);
  const Simplified found = operations(
      {kN * (32 * i + j)},
      {{32 * i + j, Predicate::kLess, kN}, {j, Predicate::kLess, 32}, {j, Predicate::kAtMost, -1}});
  EXPECT_EQ(to_string(found.kernel), "t0 = 32*i+j\nn*t0\nt0<n\n1\n0\n");
}

// Outside its branch x//y may have no value: it has no name there.
TEST(Simplify, WhatMayHaveNoValueStaysInItsBranch) {
  const Int y = Int::variable("y");
  const Int quotient = floor_div(kX, y);
  const Int guarded = select({y, Predicate::kNotEqual, 0}, quotient * quotient + 3 * quotient, 0);
  const Kernel kernel = operations({guarded}).kernel;
  EXPECT_EQ(evaluate(kernel, {{"x", 5}, {"y", 0}}), (std::vector<Int>{0}));
  EXPECT_EQ(evaluate(kernel, {{"x", 8}, {"y", 2}}), (std::vector<Int>{28}));
}

TEST(Simplify, RefusesTheUndefined) {
  EXPECT_EQ(simplify(std::vector{Int::undefined()}).error().code(), "overflow");
}

TEST(Simplify, SaysWhatItDid) {
  const Int i0 = Int::variable("i0", 0, 5);
  const Int i1 = Int::variable("i1", 0, 5);
  const std::vector<Int> values{3 * i0 + 9 * floor_div(i0, 3) + i1 + 6 * floor_div(i1, 3)};
  const Simplified found =
      simplify(values, {}, {.target = Target::operations(), .explain = true}).value();
  ASSERT_FALSE(found.steps.empty());
  EXPECT_EQ(found.steps.front().rule, "d*(x//d) = x - x%d");
  EXPECT_EQ(found.steps.back().after, "i1+6*(i0+i1//3)-3*(i0%3)");
  EXPECT_TRUE(simplify(values).value().steps.empty());
}

// The rules of the normal form, each with its proof.
TEST(Explain, NamesTheRuleAndItsProof) {
  const Int i = Int::variable("i");
  const Int j = Int::variable("j");
  const Int k = Int::variable("K");
  const Bindings known{{"j", Int::variable("j", 0, 7)}, {"K", kN}};
  const auto first = [&](const Int& value) { return explain(value, known).value().steps.at(0); };
  const SimplificationStep quotient = first(floor_div(8 * i + j, 8));
  EXPECT_EQ(quotient.rule, "x//a = 0 for 0 <= x < a");
  EXPECT_EQ(quotient.before, "j//8");
  EXPECT_EQ(quotient.proof, "range: 0 <= j < 8");
  const SimplificationStep remainder = first(mod(j, 8));
  EXPECT_EQ(remainder.rule, "x%a = x for 0 <= x < a");
  EXPECT_EQ(remainder.after, "j");
  EXPECT_EQ(first(floor_div(k * i, k)).rule, "(d*q)//d = q");
}

}  // namespace
}  // namespace heddle
