#include "heddle/expr/assumptions.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

using Conditions = std::vector<Condition>;

Int plain(const char* name) { return Int::variable(name); }

std::string code(const Conditions& conditions) {
  const Result<Assumptions> made = Assumptions::make(conditions);
  return made ? "accepted" : made.error().code();
}

Int assumed(const char* name, const Conditions& conditions) {
  return Assumptions::make(conditions).value().variable(name);
}

TEST(Assumptions, ExampleOfTheHeader) {
  const Int m = plain("M");
  const Int k = plain("K");
  const Assumptions world =
      Assumptions::make(Conditions{{mod(m, 128), Relation::kEqual, 0}, {k, Relation::kAtMost, m}})
          .value();
  EXPECT_EQ(range(world.variable("M")).low, 128);
  EXPECT_EQ(mod(world.variable("M"), 64), Int(0));
  EXPECT_TRUE(known_at_most(world.variable("K"), world.variable("M")));
  EXPECT_EQ(to_string(world.variable("M")), "M");
  EXPECT_EQ(world.variables().size(), 2U);
}

TEST(Assumptions, OfANameThatNoConditionMentionsAreTheDefault) {
  EXPECT_EQ(range(Assumptions().variable("M")), (Range{1, Range::kNoHigh}));
  EXPECT_EQ(range(Assumptions::make({}, -3).value().variable("M")).low, -3);
}

TEST(Assumptions, EqualOnesMakeEqualVariables) {
  const Conditions conditions{{plain("K"), Relation::kAtMost, plain("M")},
                              {8, Relation::kDivides, plain("M")}};
  EXPECT_EQ(assumed("M", conditions), assumed("M", conditions));
  EXPECT_NE(assumed("M", conditions), Int::variable("M", 1, Range::kNoHigh));
}

TEST(Assumptions, MeetInOneCongruence) {
  const Int m = assumed(
      "M", {{mod(plain("M"), 4), Relation::kEqual, 1}, {mod(plain("M"), 6), Relation::kEqual, 3}});
  EXPECT_EQ(mod(m, 12), Int(9));
}

TEST(Assumptions, OfSeveralVariablesContradictEachOther) {
  const Int m = plain("M");
  const Int n = plain("N");
  const Int b = plain("B");
  const auto is = [](const Int& left, const Int& right) {
    return Condition{left, Relation::kEqual, right};
  };
  const std::string refused = "assume.contradiction";
  EXPECT_EQ(code({is(mod(m, 2), 0), is(mod(n, 2), 1), is(m, n)}), refused);
  EXPECT_EQ(code({is(mod(m, 2), 0), is(mod(n, 2), 1), is(m, n + 1)}), "accepted");
  EXPECT_EQ(code({is(mod(m, b), 0), is(mod(b, 2), 0), is(m, 5)}), refused);
  EXPECT_EQ(code({is(mod(m, b), 0), is(mod(b, 2), 0), is(m, 6)}), "accepted");
  const Condition above{1, Relation::kLess, b};
  const Condition below{b, Relation::kLess, m};
  EXPECT_EQ(code({is(mod(m, b), 0), is(m, 7), above, below}), refused);
  EXPECT_EQ(code({is(mod(m, b), 0), is(m, 8), above, below}), "accepted");
  EXPECT_EQ(code({is(mod(m, b), 0), is(m, 30011), above, {b, Relation::kLess, 30011}}), refused);
}

TEST(Assumptions, LeaveAConstant) {
  EXPECT_EQ(assumed("M", {{plain("M"), Relation::kEqual, 128}}), Int(128));
  EXPECT_EQ(assumed("M", {{plain("M"), Relation::kLess, 10}, {8, Relation::kDivides, plain("M")}}),
            Int(8));
  EXPECT_EQ(assumed("K", {{plain("K"), Relation::kAtMost, plain("M")},
                          {plain("M"), Relation::kEqual, 1}}),
            Int(1));
}

TEST(Assumptions, BoundByOtherVariables) {
  const Assumptions world = Assumptions::make(Conditions{{plain("K"), Relation::kLess, plain("M")},
                                                         {plain("M"), Relation::kAtMost, 64}})
                                .value();
  EXPECT_EQ(range(world.variable("K")), (Range{1, 63}));
  EXPECT_EQ(range(world.variable("M")), (Range{2, 64}));
  const Int m = assumed("M", {{3 * plain("M"), Relation::kAtMost, 100}});
  EXPECT_EQ(range(m), (Range{1, 33}));
}

TEST(Assumptions, LeaveOutEndsOfARange) {
  EXPECT_EQ(range(assumed("M", {{plain("M"), Relation::kNotEqual, 1}})).low, 2);
  EXPECT_EQ(range(assumed("M", {{plain("M"), Relation::kNotEqual, 4},
                                {4, Relation::kDivides, plain("M")}}))
                .low,
            8);
  // 5 is no multiple of 4 anyway.
  EXPECT_EQ(range(assumed("M", {{plain("M"), Relation::kNotEqual, 5},
                                {4, Relation::kDivides, plain("M")}}))
                .low,
            4);
}

TEST(Assumptions, RefuseContradictions) {
  const Int m = plain("M");
  const Int k = plain("K");
  const std::string refused = "assume.contradiction";
  EXPECT_EQ(code({{1, Relation::kEqual, 2}}), refused);
  EXPECT_EQ(code({{m, Relation::kLess, 4}, {4, Relation::kAtMost, m}}), refused);
  EXPECT_EQ(code({{mod(m, 4), Relation::kEqual, 1}, {2, Relation::kDivides, m}}), refused);
  EXPECT_EQ(code({{mod(m, 4), Relation::kEqual, 5}}), refused);
  EXPECT_EQ(code({{8, Relation::kDivides, m}, {m, Relation::kLess, 8}}), refused);
  EXPECT_EQ(code({{k, Relation::kLess, m}, {m, Relation::kAtMost, k}}), refused);
  EXPECT_EQ(code({{m, Relation::kEqual, 3}, {m, Relation::kNotEqual, 3}}), refused);
  EXPECT_EQ(code({{m, Relation::kLess, m}}), refused);
}

TEST(Assumptions, RefuseOtherForms) {
  const Int m = plain("M");
  const Int k = plain("K");
  const std::string refused = "assume.unsupported";
  EXPECT_EQ(code({{m * k, Relation::kAtMost, 100}}), refused);
  EXPECT_EQ(code({{m, Relation::kNotEqual, 5}}), refused);
  EXPECT_EQ(code({{m, Relation::kNotEqual, k}}), refused);
  EXPECT_EQ(code({{mod(m, 4), Relation::kLess, 3}}), refused);
  EXPECT_EQ(code({{8, Relation::kDivides, m + k}}), refused);
  EXPECT_EQ(code({{k, Relation::kDivides, m}, {8, Relation::kDivides, m}}), refused);
  EXPECT_EQ(code({{k, Relation::kDivides, m}, {m, Relation::kDivides, k}}), refused);
  EXPECT_EQ(code({{0, Relation::kDivides, m}}), refused);
  EXPECT_EQ(code({{Int::undefined(), Relation::kLess, m}}), refused);
  EXPECT_EQ(code(Conditions(1025, {m, Relation::kAtMost, 8})), refused);
}

TEST(Assumptions, AnEqualityMakesOneNameAnother) {
  const Int m = plain("M");
  const Int n = plain("N");
  const Assumptions twice =
      Assumptions::make(Conditions{{m, Relation::kEqual, 2 * n}, {m, Relation::kAtMost, 9}})
          .value();
  EXPECT_TRUE(known_equal(twice.variable("M"), 2 * twice.variable("N")));
  const Assumptions alike =
      Assumptions::make(Conditions{{m, Relation::kEqual, n}, {8, Relation::kDivides, m}}).value();
  EXPECT_EQ(alike.variable("N"), alike.variable("M"));
  EXPECT_TRUE(known_divides(8, alike.variable("N")));
  EXPECT_EQ(code({{m, Relation::kEqual, n}, {n, Relation::kEqual, m + 1}}), "assume.contradiction");
}

// Turned around, this equality would take a number that 64 bits do not hold.
TEST(Assumptions, AnEqualityMayReachTheEndOfTheNumbers) {
  const Int m = plain("M");
  const Int n = plain("N");
  const Condition equality{n, Relation::kEqual, m + Range::kNoLow};
  EXPECT_EQ(code({equality}), "accepted");
  EXPECT_EQ(code({{m, Relation::kAtMost, 128}, equality}), "assume.contradiction");
}

// The same two bounds over and over would double in size with each variable.
TEST(Assumptions, RefuseWhatGrowsTooLarge) {
  Conditions chain;
  for (int i = 0; i < 40; ++i) {
    const Int lesser = Int::variable("v" + std::to_string(i));
    const Int greater = Int::variable("v" + std::to_string(i + 1));
    chain.push_back({lesser, Relation::kAtMost, greater});
    chain.push_back({lesser, Relation::kAtMost, 2 * greater + 1});
  }
  EXPECT_EQ(code(chain), "assume.unsupported");
}

}  // namespace
}  // namespace heddle
