#include "heddle/expr/assumptions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
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
      Assumptions::make(Conditions{{mod(m, 128), Predicate::kEqual, 0}, {k, Predicate::kAtMost, m}})
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
  const Conditions conditions{{plain("K"), Predicate::kAtMost, plain("M")},
                              {8, Predicate::kDivides, plain("M")}};
  EXPECT_EQ(assumed("M", conditions), assumed("M", conditions));
  EXPECT_NE(assumed("M", conditions), Int::variable("M", 1, Range::kNoHigh));
}

TEST(Assumptions, MeetInOneCongruence) {
  const Int m = assumed("M", {{mod(plain("M"), 4), Predicate::kEqual, 1},
                              {mod(plain("M"), 6), Predicate::kEqual, 3}});
  EXPECT_EQ(mod(m, 12), Int(9));
}

TEST(Assumptions, OfSeveralVariablesContradictEachOther) {
  const Int m = plain("M");
  const Int n = plain("N");
  const Int b = plain("B");
  const auto is = [](const Int& left, const Int& right) {
    return Condition{left, Predicate::kEqual, right};
  };
  const std::string refused = "assume.contradiction";
  EXPECT_EQ(code({is(mod(m, 2), 0), is(mod(n, 2), 1), is(m, n)}), refused);
  EXPECT_EQ(code({is(mod(m, 2), 0), is(mod(n, 2), 1), is(m, n + 1)}), "accepted");
  EXPECT_EQ(code({is(mod(m, b), 0), is(mod(b, 2), 0), is(m, 5)}), refused);
  EXPECT_EQ(code({is(mod(m, b), 0), is(mod(b, 2), 0), is(m, 6)}), "accepted");
  const Condition above{1, Predicate::kLess, b};
  const Condition below{b, Predicate::kLess, m};
  EXPECT_EQ(code({is(mod(m, b), 0), is(m, 7), above, below}), refused);
  EXPECT_EQ(code({is(mod(m, b), 0), is(m, 8), above, below}), "accepted");
  EXPECT_EQ(code({is(mod(m, b), 0), is(m, 30011), above, {b, Predicate::kLess, 30011}}), refused);
}

TEST(Assumptions, LeaveAConstant) {
  EXPECT_EQ(assumed("M", {{plain("M"), Predicate::kEqual, 128}}), Int(128));
  EXPECT_EQ(
      assumed("M", {{plain("M"), Predicate::kLess, 10}, {8, Predicate::kDivides, plain("M")}}),
      Int(8));
  EXPECT_EQ(assumed("K", {{plain("K"), Predicate::kAtMost, plain("M")},
                          {plain("M"), Predicate::kEqual, 1}}),
            Int(1));
}

TEST(Assumptions, BoundByOtherVariables) {
  const Assumptions world = Assumptions::make(Conditions{{plain("K"), Predicate::kLess, plain("M")},
                                                         {plain("M"), Predicate::kAtMost, 64}})
                                .value();
  EXPECT_EQ(range(world.variable("K")), (Range{1, 63}));
  EXPECT_EQ(range(world.variable("M")), (Range{2, 64}));
  const Int m = assumed("M", {{3 * plain("M"), Predicate::kAtMost, 100}});
  EXPECT_EQ(range(m), (Range{1, 33}));
}

TEST(Assumptions, LeaveOutEndsOfARange) {
  EXPECT_EQ(range(assumed("M", {{plain("M"), Predicate::kNotEqual, 1}})).low, 2);
  EXPECT_EQ(range(assumed("M", {{plain("M"), Predicate::kNotEqual, 4},
                                {4, Predicate::kDivides, plain("M")}}))
                .low,
            8);
  // 5 is no multiple of 4 anyway.
  EXPECT_EQ(range(assumed("M", {{plain("M"), Predicate::kNotEqual, 5},
                                {4, Predicate::kDivides, plain("M")}}))
                .low,
            4);
}

TEST(Assumptions, RefuseContradictions) {
  const Int m = plain("M");
  const Int k = plain("K");
  const std::string refused = "assume.contradiction";
  EXPECT_EQ(code({{1, Predicate::kEqual, 2}}), refused);
  EXPECT_EQ(code({{m, Predicate::kLess, 4}, {4, Predicate::kAtMost, m}}), refused);
  EXPECT_EQ(code({{mod(m, 4), Predicate::kEqual, 1}, {2, Predicate::kDivides, m}}), refused);
  EXPECT_EQ(code({{mod(m, 4), Predicate::kEqual, 5}}), refused);
  EXPECT_EQ(code({{8, Predicate::kDivides, m}, {m, Predicate::kLess, 8}}), refused);
  EXPECT_EQ(code({{k, Predicate::kLess, m}, {m, Predicate::kAtMost, k}}), refused);
  EXPECT_EQ(code({{m, Predicate::kEqual, 3}, {m, Predicate::kNotEqual, 3}}), refused);
  EXPECT_EQ(code({{m, Predicate::kLess, m}}), refused);
}

TEST(Assumptions, RefuseOtherForms) {
  const Int m = plain("M");
  const Int k = plain("K");
  const std::string refused = "assume.unsupported";
  EXPECT_EQ(code({{m * k, Predicate::kAtMost, 100}}), refused);
  EXPECT_EQ(code({{m, Predicate::kNotEqual, 5}}), refused);
  EXPECT_EQ(code({{m, Predicate::kNotEqual, k}}), refused);
  EXPECT_EQ(code({{mod(m, 4), Predicate::kLess, 3}}), refused);
  EXPECT_EQ(code({{8, Predicate::kDivides, m + k}}), refused);
  EXPECT_EQ(code({{k, Predicate::kDivides, m}, {m, Predicate::kDivides, k}}), refused);
  EXPECT_EQ(code({{0, Predicate::kDivides, m}}), refused);
  EXPECT_EQ(code({{Int::undefined(), Predicate::kLess, m}}), refused);
  EXPECT_EQ(code(Conditions(1025, {m, Predicate::kAtMost, 8})), refused);
}

TEST(Assumptions, SeveralDivisorsHoldTogether) {
  const Int t = plain("T");
  const Int x = plain("X");
  const Int y = plain("Y");
  const Conditions conditions{{x, Predicate::kDivides, t}, {y, Predicate::kDivides, t}};
  const Assumptions world = Assumptions::make(conditions).value();
  const Int whole = world.variable("T");
  for (const char* name : {"X", "Y"}) {
    const Int part = world.variable(name);
    EXPECT_EQ(mod(whole, part), Int(0)) << name;
    EXPECT_EQ(part * floor_div(whole, part), whole) << name;
    EXPECT_TRUE(known_at_most(1, floor_div(whole, part))) << name;
    EXPECT_EQ(floor_div(3 * whole, part), 3 * floor_div(whole, part)) << name;
  }
  EXPECT_NE(mod(whole, world.variable("X") * world.variable("Y")), Int(0));
  const Int k =
      assumed("K", {{x, Predicate::kDivides, plain("K")}, {8, Predicate::kDivides, plain("K")}});
  EXPECT_TRUE(known_divides(8, k));
  EXPECT_EQ(code({{x, Predicate::kDivides, t},
                  {y, Predicate::kDivides, t},
                  {x, Predicate::kEqual, 4},
                  {y, Predicate::kEqual, 6},
                  {t, Predicate::kLess, 12}}),
            "assume.contradiction");
}

/// A random expression of T, X and Y: symbolic, where both X and Y divide T, and in numbers; no
/// number where it divides by 0.
struct Both {
  Int symbolic;
  Int number;
};

Both random_expression(std::mt19937& random, const std::vector<Both>& leaves, int depth) {
  const auto pick = [&](int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
  };
  if (depth == 0 || pick(5) == 0) {
    const int leaf = pick(static_cast<int>(leaves.size()) + 1);
    if (leaf < static_cast<int>(leaves.size())) return leaves[static_cast<std::size_t>(leaf)];
    const Int number = 1 + pick(6);
    return {number, number};
  }
  const Both a = random_expression(random, leaves, depth - 1);
  const int operation = pick(5);
  // Divisors that are assumed, or made of them, are what this is about.
  const Both b = operation > 2 && pick(3) > 0 ? leaves[static_cast<std::size_t>(1 + pick(2))]
                                              : random_expression(random, leaves, depth - 1);
  switch (operation) {
    case 0:
      return {a.symbolic + b.symbolic, a.number + b.number};
    case 1:
      return {a.symbolic - b.symbolic, a.number - b.number};
    case 2:
      return {a.symbolic * b.symbolic, a.number * b.number};
    case 3:
      return {floor_div(a.symbolic, b.symbolic), floor_div(a.number, b.number)};
    default:
      return {mod(a.symbolic, b.symbolic), mod(a.number, b.number)};
  }
}

// What is simplified by two divisors of one variable has the value of what was written.
TEST(Assumptions, LawSeveralDivisorsKeepEveryValue) {
  const Assumptions world =
      Assumptions::make(Conditions{{plain("X"), Predicate::kDivides, plain("T")},
                                   {plain("Y"), Predicate::kDivides, plain("T")}})
          .value();
  std::mt19937 random(17);
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t x = 1 + static_cast<std::int64_t>(random() % 6);
    const std::int64_t y = 1 + static_cast<std::int64_t>(random() % 6);
    const std::int64_t t = std::lcm(x, y) * (1 + static_cast<std::int64_t>(random() % 5));
    const std::vector<Both> leaves = {
        {world.variable("T"), t}, {world.variable("X"), x}, {world.variable("Y"), y}};
    const Both made = random_expression(random, leaves, 4);
    if (!made.number.is_defined() || !made.symbolic.is_defined()) continue;
    const Result<Int> at = instantiate(made.symbolic, {{"T", t}, {"X", x}, {"Y", y}});
    ASSERT_TRUE(at) << made.symbolic << ": " << at.error();
    ASSERT_EQ(*at, made.number) << made.symbolic << " at T=" << t << ", X=" << x << ", Y=" << y;
    ++compared;
  }
  EXPECT_GT(compared, 10000);
}

TEST(Assumptions, AnEqualityMakesOneNameAnother) {
  const Int m = plain("M");
  const Int n = plain("N");
  const Assumptions twice =
      Assumptions::make(Conditions{{m, Predicate::kEqual, 2 * n}, {m, Predicate::kAtMost, 9}})
          .value();
  EXPECT_TRUE(known_equal(twice.variable("M"), 2 * twice.variable("N")));
  const Assumptions alike =
      Assumptions::make(Conditions{{m, Predicate::kEqual, n}, {8, Predicate::kDivides, m}}).value();
  EXPECT_EQ(alike.variable("N"), alike.variable("M"));
  EXPECT_TRUE(known_divides(8, alike.variable("N")));
  EXPECT_EQ(code({{m, Predicate::kEqual, n}, {n, Predicate::kEqual, m + 1}}),
            "assume.contradiction");
}

// Turned around, this equality would take a number that 64 bits do not hold.
TEST(Assumptions, AnEqualityMayReachTheEndOfTheNumbers) {
  const Int m = plain("M");
  const Int n = plain("N");
  const Condition equality{n, Predicate::kEqual, m + Range::kNoLow};
  EXPECT_EQ(code({equality}), "accepted");
  EXPECT_EQ(code({{m, Predicate::kAtMost, 128}, equality}), "assume.contradiction");
}

// The same two bounds over and over would double in size with each variable.
TEST(Assumptions, RefuseWhatGrowsTooLarge) {
  Conditions chain;
  for (int i = 0; i < 40; ++i) {
    const Int lesser = Int::variable("v" + std::to_string(i));
    const Int greater = Int::variable("v" + std::to_string(i + 1));
    chain.push_back({lesser, Predicate::kAtMost, greater});
    chain.push_back({lesser, Predicate::kAtMost, 2 * greater + 1});
  }
  EXPECT_EQ(code(chain), "assume.unsupported");
}

// ---- Chains ----

std::string numbered(int i) { return "M" + std::to_string(i); }

Conditions chain_of(int links) {
  Conditions conditions;
  for (int i = 0; i < links; ++i) {
    conditions.push_back(
        {plain(numbered(i).c_str()), Predicate::kAtMost, plain(numbered(i + 1).c_str())});
  }
  return conditions;
}

TEST(Assumptions, OfAChainAreDecidedByItsEnds) {
  for (const int links : {2, 5, 11, 40, 200}) {
    const auto begin = std::chrono::steady_clock::now();
    const Assumptions world = Assumptions::make(chain_of(links)).value();
    const Int first = world.variable(numbered(0));
    const Int last = world.variable(numbered(links));
    EXPECT_TRUE(known_at_most(first, last)) << links;
    EXPECT_FALSE(known_at_most(last, first)) << links;
    EXPECT_TRUE(known_at_most(8 * first + 1, 8 * last + 1)) << links;
    EXPECT_TRUE(known_at_most(first * last, last * last)) << links;
    // With each link the time once doubled.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5)) << links;
  }
}

TEST(Assumptions, OfAChainEndInATermOrANumber) {
  Conditions conditions = chain_of(9);
  conditions.push_back({plain("M9"), Predicate::kAtMost, 2 * plain("K") + 1});
  const Assumptions below_term = Assumptions::make(conditions).value();
  EXPECT_TRUE(known_at_most(below_term.variable("M0"), 2 * below_term.variable("K") + 1));
  EXPECT_FALSE(known_at_most(below_term.variable("M0"), 2 * below_term.variable("K")));
  conditions.back() = {plain("M9"), Predicate::kAtMost, 7};
  EXPECT_EQ(range(Assumptions::make(conditions).value().variable("M0")), (Range{1, 7}));
  conditions.back() = {plain("M9"), Predicate::kLess, plain("M0")};
  EXPECT_EQ(code(conditions), "assume.contradiction");
}

// The least d with a <= b + d is the shortest way from a to b.
TEST(Assumptions, OfDifferencesAreClosedUnderTransitivity) {
  constexpr std::size_t kNames = 7;
  constexpr int kNone = 1000;
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<int> order(kNames);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    std::vector<std::vector<int>> ways(kNames, std::vector<int>(kNames, kNone));
    Conditions conditions;
    for (std::size_t i = 0; i < kNames; ++i) {
      for (std::size_t j = i + 1; j < kNames; ++j) {
        if (random() % 3 != 0) continue;
        const int plus = static_cast<int>(random() % 7) - 3;
        ways[i][j] = plus;
        conditions.push_back({plain(numbered(order[i]).c_str()), Predicate::kAtMost,
                              plain(numbered(order[j]).c_str()) + plus});
      }
    }
    for (std::size_t k = 0; k < kNames; ++k) {
      for (std::size_t i = 0; i < kNames; ++i) {
        for (std::size_t j = 0; j < kNames; ++j) {
          if (ways[i][k] == kNone || ways[k][j] == kNone) continue;
          ways[i][j] = std::min(ways[i][j], ways[i][k] + ways[k][j]);
        }
      }
    }
    const Assumptions world = Assumptions::make(conditions, -1000).value();
    for (std::size_t i = 0; i < kNames; ++i) {
      for (std::size_t j = 0; j < kNames; ++j) {
        if (ways[i][j] == kNone) continue;
        const Int a = world.variable(numbered(order[i]));
        const Int b = world.variable(numbered(order[j]));
        EXPECT_TRUE(known_at_most(a, b + ways[i][j]));
        EXPECT_FALSE(known_at_most(a, b + (ways[i][j] - 1)));
      }
    }
  }
}

// Against all values from 1 to 6: what is refuted fails somewhere.
TEST(Assumptions, OfOtherVariablesHoldWhereAClaimIsRefuted) {
  constexpr unsigned kSeed = 20;
  std::mt19937 random(kSeed);
  const std::vector<Int> names = {Int::variable("K"), Int::variable("M"), Int::variable("N")};
  const auto one_of_them = [&] { return names[random() % names.size()]; };
  const std::vector<Predicate> predicates = {Predicate::kEqual, Predicate::kNotEqual,
                                             Predicate::kLess, Predicate::kAtMost,
                                             Predicate::kDivides};
  const auto drawn = [&](std::size_t kinds) {
    const Int number = static_cast<std::int64_t>(1 + random() % 6);
    return Condition{one_of_them(), predicates[random() % kinds],
                     random() % 2 == 0 ? number : one_of_them()};
  };
  int refuted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Condition> assumed;
    for (const Int& name : names) {
      assumed.push_back({1, Predicate::kAtMost, name});
      assumed.push_back({name, Predicate::kAtMost, 6});
    }
    for (int i = 0; i < 2; ++i) assumed.push_back(drawn(5));
    const Condition claim = drawn(4);
    const auto assumptions = Assumptions::make(assumed);
    if (!assumptions) continue;
    const Condition made = {instantiate(claim.left, assumptions->variables()).value(),
                            claim.predicate,
                            instantiate(claim.right, assumptions->variables()).value()};
    bool fails_somewhere = false;
    for (int point = 0; point < 6 * 6 * 6 && !fails_somewhere; ++point) {
      const Bindings at = {{"K", 1 + point % 6}, {"M", 1 + point / 6 % 6}, {"N", 1 + point / 36}};
      const auto holds = [&](const Condition& condition) {
        return known({instantiate(condition.left, at).value(), condition.predicate,
                      instantiate(condition.right, at).value()});
      };
      fails_somewhere = !holds(claim) && std::ranges::all_of(assumed, holds);
    }
    const Verdict verdict = prove(made);
    refuted += verdict.is_no() ? 1 : 0;
    std::string text = to_string(claim) + " under";
    for (const Condition& condition : assumed) text += ", " + to_string(condition);
    EXPECT_TRUE(!verdict.is_no() || fails_somewhere) << text << " seed " << kSeed;
    EXPECT_TRUE(!verdict.is_yes() || !fails_somewhere) << text << " seed " << kSeed;
  }
  EXPECT_GT(refuted, 500);
}

}  // namespace
}  // namespace heddle
