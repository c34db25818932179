#include "heddle/expr/solver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "heddle/expr/assumptions.h"
#include "support/formula.h"
#include "support/kernels.h"
#include "support/law.h"

namespace heddle {
namespace {

using test::kX;

const Int kUpToHundred = Int::variable("n", 1, 100);
const Int kI = Int::variable("i", 0, 99);

#define HEDDLE_NEEDS_SOLVER() \
  if (!Solver::is_available()) GTEST_SKIP() << "built without a solver"

TEST(Solver, SaysWhatItIs) {
  if (Solver::is_available()) {
    EXPECT_EQ(Solver::name().substr(0, 3), "Z3 ");
    return;
  }
  EXPECT_EQ(Solver::name(), "no solver");
  const Verdict verdict = Solver().prove({kI, Predicate::kLess, 100});
  EXPECT_TRUE(verdict.is_unknown());
  EXPECT_EQ(verdict.method(), "this Heddle was built without Z3");
}

TEST(Solver, ExamplesOfTheHeader) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver;
  const Verdict yes =
      solver.prove({floor_div(kI * kUpToHundred, kUpToHundred + 1), Predicate::kAtMost, kI});
  EXPECT_TRUE(yes.is_yes()) << yes;
  EXPECT_EQ(yes.method(), Solver::name());
  const Verdict no = solver.prove({kI * kI, Predicate::kLess, 90 * kUpToHundred});
  ASSERT_TRUE(no.is_no()) << no;
  EXPECT_EQ(no.counterexample()->wanted_by, "the right side");
  const std::vector<Condition> given{{kUpToHundred, Predicate::kLess, kI}};
  EXPECT_TRUE(solver.prove({mod(kI, kUpToHundred), Predicate::kLess, kI}, given).is_yes());
  EXPECT_TRUE(solver.prove({mod(kI, kUpToHundred), Predicate::kLess, kI}).is_no());
}

TEST(Solver, KnowsWhatRangesAndDivisorsLeaveOpen) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver;
  const Condition pairs{2 * floor_div(kI * (kI + 1), 2), Predicate::kEqual, kI * (kI + 1)};
  EXPECT_TRUE(prove(pairs).is_unknown());
  EXPECT_TRUE(solver.prove(pairs).is_yes()) << solver.prove(pairs);
  const Int m = Int::variable("m", 1, Range::kNoHigh);
  const Condition digits{floor_div(mod(kX, m * kUpToHundred), m), Predicate::kEqual,
                         mod(floor_div(kX, m), kUpToHundred)};
  EXPECT_TRUE(solver.prove(digits).is_yes()) << solver.prove(digits);
}

TEST(Solver, DividesAsIntDoes) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver;
  for (const std::int64_t a : {-7, -6, -1, 0, 1, 6, 7}) {
    for (const std::int64_t b : {-3, -2, -1, 1, 2, 3}) {
      const Int dividend = Int::variable("a", a, a + 1);
      const Int divisor = Int::variable("b", b, b == -1 ? b : b + 1);
      const std::vector<Condition> given{{dividend, Predicate::kEqual, a},
                                         {divisor, Predicate::kEqual, b}};
      const Int quotient = floor_div(dividend, divisor);
      const Int remainder = mod(dividend, divisor);
      EXPECT_TRUE(
          solver.prove({quotient, Predicate::kEqual, floor_div(Int(a), b)}, given).is_yes());
      EXPECT_TRUE(solver.prove({remainder, Predicate::kEqual, mod(Int(a), b)}, given).is_yes());
    }
  }
}

TEST(Solver, LooksWhereBothSidesAreDefinedOnly) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver;
  const Int divisor = Int::variable("d", 0, 9);
  const Int whole = divisor * floor_div(kI, divisor) + mod(kI, divisor);
  EXPECT_TRUE(solver.prove({whole, Predicate::kEqual, kI}).is_yes());
  // 0 divides 0, so nothing is left out here.
  EXPECT_TRUE(solver.prove({divisor, Predicate::kDivides, 0 * kI}).is_yes());
  EXPECT_TRUE(solver.prove({divisor, Predicate::kDivides, kI}).is_no());
}

TEST(Solver, KnowsBits) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver;
  const Int r = Int::variable("r", 0, 7);
  const Int c = Int::variable("c", 0, 63);
  EXPECT_TRUE(solver.prove({bit_xor(bit_xor(c, 8 * r), 8 * r), Predicate::kEqual, c}).is_yes());
  EXPECT_TRUE(solver.prove({bit_xor(c, r) + 2 * bit_and(c, r), Predicate::kEqual, c + r}).is_yes());
  EXPECT_TRUE(solver.prove({bit_or(c, r), Predicate::kEqual, c + r}).is_no());
  const Int s = Int::variable("s", -40, 40);
  EXPECT_TRUE(solver.prove({bit_and(s, c), Predicate::kAtMost, c}).is_yes());
  EXPECT_TRUE(solver.prove({bit_xor(s, -1 - s), Predicate::kEqual, -1}).is_yes());
  // Of unbounded numbers only that equal operands give equal results.
  EXPECT_TRUE(solver.prove({bit_xor(kX, 3 * kX), Predicate::kEqual, bit_xor(3 * kX, kX)}).is_yes());
  EXPECT_FALSE(solver.prove({bit_and(kX, 5), Predicate::kAtMost, 5}).is_no());
}

TEST(Solver, TakesAssumptionsIntoAccount) {
  HEDDLE_NEEDS_SOLVER();
  const Int m = Int::variable("M");
  const Int k = Int::variable("K");
  const Int b = Int::variable("B");
  const Assumptions world =
      Assumptions::make(std::vector<Condition>{{mod(m, 12), Predicate::kEqual, 8},
                                               {mod(k, b), Predicate::kEqual, 0},
                                               {k, Predicate::kLess, 2 * m}})
          .value();
  const Solver solver;
  const Int big = world.variable("M");
  EXPECT_TRUE(solver.prove({4, Predicate::kDivides, big}).is_yes());
  EXPECT_TRUE(solver.prove({8, Predicate::kDivides, big}).is_no());
  EXPECT_TRUE(solver.prove({world.variable("K"), Predicate::kLess, 2 * big}).is_yes());
  const Verdict least = solver.prove({9, Predicate::kAtMost, big});
  ASSERT_TRUE(least.is_no());
  EXPECT_EQ(least.counterexample()->coordinate, "M=8");
}

TEST(Solver, FindsValuesForConditions) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver;
  const std::vector<Condition> possible{{kI, Predicate::kEqual, 3 * kUpToHundred},
                                        {90, Predicate::kLess, kI}};
  const Condition never{0, Predicate::kEqual, 1};
  const Verdict found = solver.prove(never, possible);
  ASSERT_TRUE(found.is_no());
  EXPECT_FALSE(found.counterexample()->coordinate.empty());
  const std::vector<Condition> impossible{{kI, Predicate::kEqual, 3 * kUpToHundred},
                                          {kI, Predicate::kLess, 2}};
  EXPECT_TRUE(solver.prove(never, impossible).is_yes());
}

TEST(Solver, GivesUpAfterItsSteps) {
  HEDDLE_NEEDS_SOLVER();
  const Int a = Int::variable("a", 3, Range::kNoHigh);
  const Int b = Int::variable("b", 1, Range::kNoHigh);
  const Int c = Int::variable("c", 1, Range::kNoHigh);
  // The cubes of Fermat.
  const Condition fermat{a * a * a + b * b * b, Predicate::kNotEqual, c * c * c};
  for (const std::size_t remembered : {0U, 1U}) {
    const Solver solver({.remembered = remembered});
    const std::string once = solver.prove(fermat).to_string();
    EXPECT_TRUE(once.ends_with("gave up after 250000 steps)")) << once;
    EXPECT_EQ(solver.prove(fermat).to_string(), once);
  }
  const Condition hard{floor_div(kI * kUpToHundred, kUpToHundred + 1), Predicate::kAtMost, kI};
  EXPECT_TRUE(Solver({.steps = 1}).prove(hard).is_unknown());
  EXPECT_TRUE(Solver().prove(hard).is_yes());
}

/// C and Python mask values without bounds: the low bits remain, or the others.
TEST(Solver, KnowsMasksAsRemainders) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver;
  for (const std::int64_t power : {1, 2, 4, 64}) {
    const Int low = mod(kX, power);
    const auto equals = [&](const Int& a, const Int& b) {
      return solver.prove({a, Predicate::kEqual, b});
    };
    EXPECT_TRUE(equals(bit_and(kX, power - 1), low).is_yes()) << power;
    EXPECT_TRUE(equals(bit_and(power - 1, kX + 1), mod(kX + 1, power)).is_yes()) << power;
    EXPECT_TRUE(equals(bit_and(kX, -power), kX - low).is_yes()) << power;
    EXPECT_FALSE(equals(bit_and(kX, power), low).is_yes()) << power;
  }
}

TEST(Solver, EndsWithItsTime) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver({.end = std::chrono::steady_clock::now()});
  EXPECT_TRUE(solver.prove({floor_div(kI * kUpToHundred, kUpToHundred + 1), Predicate::kAtMost, kI})
                  .is_unknown());
}

TEST(Solver, AnswersSeveralThreads) {
  HEDDLE_NEEDS_SOLVER();
  const Solver shared;
  std::vector<std::thread> threads;
  std::vector<int> proved(4);
  for (std::size_t t = 0; t < proved.size(); ++t) {
    threads.emplace_back([&, t] {
      const Solver own;
      for (std::int64_t by = 2; by < 8; ++by) {
        const Condition condition{mod(kI * by + Int(std::int64_t(t)), by), Predicate::kEqual,
                                  Int(std::int64_t(t) % by)};
        proved[t] += shared.prove(condition).is_yes() && own.prove(condition).is_yes();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : proved) EXPECT_EQ(count, 6);
}

// Laws.

/// The verdict agrees with the condition at all points of the world.
test::Finding contradicts(const Verdict& verdict, const test::World& world,
                          const test::Formula& left, const test::Formula& right) {
  bool holds_everywhere = true;
  for (const test::Point& point : world.points) {
    const test::PlainValue a = left.value(point);
    const test::PlainValue b = right.value(point);
    if (a && b && *a == *b) continue;
    holds_everywhere = false;
    if (!a || !b) continue;
    if (verdict.is_yes()) {
      return test::found(left.text(), " == ", right.text(), " in ", world.text(), " is ", verdict,
                         ", but ", *a, " and ", *b, " at ", test::to_string(point));
    }
  }
  if (holds_everywhere && world.is_complete && verdict.is_no()) {
    return test::found(left.text(), " == ", right.text(), " in ", world.text(), " is ", verdict);
  }
  return test::kHolds;
}

TEST(SolverLaw, AgreesWithKernels) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver({.steps = 10'000, .remembered = 0});
  const int count = test::property_count() / 50;
  int decided = 0;
  for (int i = 0; i < count; ++i) {
    test::Random random(test::property_seed() + static_cast<std::uint64_t>(i));
    const test::Operands operands = test::drawn_numbers(random, 160);
    test::Choices choices(operands.numbers);
    const test::World world = test::World::draw(choices);
    if (!world.refused.empty()) continue;
    const Kernel kernel = test::draw_kernel(choices, world);
    const Int wanted = kernel.results.front().value() + choices.next(2);
    if (!wanted.is_defined()) continue;
    const Verdict verdict =
        solver.prove_computes({kernel.definitions, {kernel.results.front()}, {}}, {{wanted}});
    if (!verdict.is_unknown()) ++decided;
    for (const test::Point& point : world.points) {
      const auto values = test::values_at(kernel, world, point);
      const Result<Int> at_point = instantiate(wanted, world.bindings(point));
      if (!values || !at_point) continue;
      const bool agrees = Int(values->front()) == *at_point;
      EXPECT_TRUE(agrees || !verdict.is_yes()) << verdict << "\n" << kernel << wanted;
    }
  }
  // Of fewer kernels the share says nothing.
  if (count >= 100) {
    EXPECT_GE(decided, count / 10);
  }
}

TEST(SolverLaw, AgreesWithEvaluation) {
  HEDDLE_NEEDS_SOLVER();
  const Solver solver({.steps = 10'000, .remembered = 0});
  // Each case takes milliseconds.
  const int count = test::property_count() / 25;
  int decided = 0;
  for (int i = 0; i < count; ++i) {
    test::Random random(test::property_seed() + static_cast<std::uint64_t>(i));
    const test::Operands operands = test::drawn_numbers(random, 80);
    test::Choices choices(operands.numbers);
    const test::World world = test::World::draw(choices);
    if (!world.refused.empty()) continue;
    const test::Formula left = test::Formula::draw(choices, world.variables.size(), 3);
    const test::Formula right =
        choices.chance(50) ? left : test::Formula::draw(choices, world.variables.size(), 3);
    const Int a = left.term(world.variables);
    const Int b = right.term(world.variables);
    if (!a.is_defined() || !b.is_defined()) continue;
    const Verdict verdict = solver.prove({a, Predicate::kEqual, b});
    if (!verdict.is_unknown()) ++decided;
    EXPECT_EQ(contradicts(verdict, world, left, right), test::kHolds);
  }
  EXPECT_GE(decided, count / 10);
}

}  // namespace
}  // namespace heddle
