// The isl engine, seed 000's algorithms carried out by isl, and the fast algebra hold each other:
// each law is tried on a few hundred small layouts, the engine judging by relations alone.

#include "heddle/map/isl_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/linear/equality.h"
#include "support/contract.h"
#include "support/law.h"
#include "support/random_linear.h"
#include "support/text.h"

namespace heddle::test {
namespace {

using cute::Layout;
using linear::LinearLayout;
namespace engine = map::isl_engine;

/// A twentieth of the usual number of cases: each takes isl some milliseconds.
int engine_cases() { return std::max(1, property_count() / 20); }

void for_some_seeds(const std::function<Finding(Random&)>& law) {
  for (int i = 0; i < engine_cases(); ++i) {
    const std::uint64_t seed = property_seed() + static_cast<std::uint64_t>(i);
    Random random(seed);
    if (const Finding finding = law(random)) {
      ADD_FAILURE() << *finding << "\nHEDDLE_SEED=" << seed << " HEDDLE_PROPERTY_COUNT=20";
      return;
    }
  }
}

void for_some(const std::function<Operands(Random&)>& generate,
              const std::function<Finding(const Operands&)>& law) {
  for_some_seeds([&](Random& random) -> Finding {
    const Operands operands = generate(random);
    const Finding finding = law(operands);
    return finding ? found(to_string(operands), ": ", *finding) : kHolds;
  });
}

/// Counts the cases that a law is about.
struct Met {
  int count = 0;
  void expect_at_least(double percent) const {
    EXPECT_GE(count, percent / 100 * engine_cases());
  }
};

Finding differs(const Result<Layout>& got, const Layout& wanted) {
  if (!got) return found("the engine refuses: ", got.error());
  const Verdict same = cute::equal(*got, wanted);
  return same.is_yes() ? kHolds : found("the engine: ", *got, ", the algebra: ", wanted);
}

constexpr std::int64_t kSmall = 48;

// ---- Questions ----

TEST(IslEngine, EveryLayoutIsSingleValued) {
  for_some([](Random& random) { return Operands{{any_layout(random, kSmall)}, {}}; },
           [](const Operands& o) -> Finding {
             const auto answer = engine::is_single_valued(to_layout(o.layouts[0]));
             if (!answer) return found(answer.error());
             return *answer ? kHolds : found("several images");
           });
}

TEST(IslEngine, KnowsTheInjectiveLayouts) {
  Met injective;
  for_some([](Random& random) { return Operands{{any_layout(random, kSmall)}, {}}; },
           [&](const Operands& o) -> Finding {
             const auto answer = engine::is_injective(to_layout(o.layouts[0]));
             if (!answer) return found(answer.error());
             if (*answer) ++injective.count;
             return *answer == is_injective(o.layouts[0]) ? kHolds : found("injective? ", *answer);
           });
  injective.expect_at_least(20);
}

Operands alike_or_not(Random& random) {
  const Plain a = any_layout(random, kSmall);
  const Plain b = random.chance(50) ? renested(random, a) : any_layout(random, kSmall);
  return {{a, b}, {}};
}

TEST(IslEngine, EqualityIsThatOfTheDigitForm) {
  Met equal;
  for_some(alike_or_not, [&](const Operands& o) -> Finding {
    const Layout a = cute::flatten(to_layout(o.layouts[0]));
    const Layout b = cute::flatten(to_layout(o.layouts[1]));
    const Verdict ours = engine::equal(a, b);
    if (ours.is_unknown()) return found(ours);
    if (ours.is_yes()) ++equal.count;
    return ours.is_yes() == (table_of(a) == table_of(b)) ? kHolds : found(ours);
  });
  equal.expect_at_least(30);
}

TEST(IslEngine, ANoNamesTheFirstCoordinateThatDiffers) {
  Met different;
  for_some(alike_or_not, [&](const Operands& o) -> Finding {
    const Verdict ours = engine::equal(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!ours.is_no()) return kHolds;
    ++different.count;
    const std::vector<std::int64_t> a = table(o.layouts[0]);
    const std::vector<std::int64_t> b = table(o.layouts[1]);
    const auto [at, end] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const std::string first = std::to_string(at - a.begin());
    return ours.counterexample()->coordinate == first ? kHolds : found(ours, ", but ", first);
  });
  different.expect_at_least(20);
}

// ---- Composition ----

Operands composable(Random& random) {
  const Plain a = positive_layout(random, 96);
  return {{a, layout_within(random, a, kSmall)}, {}};
}

TEST(IslEngine, CompositionIsThatOfTheAlgebra) {
  Met given;
  for_some(composable, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Result<Layout> fast = cute::composition(a, b);
    const Result<Layout> slow = engine::composition(a, b);
    if (!fast) {
      return slow ? found("the engine: ", *slow, ", the algebra: ", fast.error()) : kHolds;
    }
    ++given.count;
    if (Finding wrong = differs(slow, *fast)) return wrong;
    return cute::compatible(b.shape(), slow->shape()) ? kHolds : found(*slow, " loses modes");
  });
  given.expect_at_least(50);
}

TEST(IslEngine, TheAlgebrasCompositionIsThatOfTheRelations) {
  for_some(composable, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Result<Layout> fast = cute::composition(a, b);
    if (!fast) return kHolds;
    const auto holds = engine::is_composition(a, b, *fast);
    if (!holds) return found(holds.error());
    return *holds ? kHolds : found(*fast, " is another map");
  });
}

// ---- Complements ----

Operands with_target(Random& random) {
  const Plain a = injective_layout(random, 24);
  return {{a}, {random.between(1, 3 * cosize(a))}};
}

TEST(IslEngine, FillsTheGapsAsTheAlgebraDoes) {
  Met filled;
  for_some(with_target, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement_fill(a, o.numbers[0]);
    if (!fast) return kHolds;
    if (fast->size() != 1) ++filled.count;
    return differs(engine::complement_fill(a, o.numbers[0]), *fast);
  });
  filled.expect_at_least(30);
}

TEST(IslEngine, TheAlgebrasComplementKeepsTheContract) {
  Met given;
  for_some(with_target, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement(a, IntTuple(Int(o.numbers[0])));
    if (!fast) return kHolds;
    ++given.count;
    const auto holds = engine::is_complement(a, *fast, o.numbers[0]);
    if (!holds) return found(holds.error());
    return *holds ? kHolds : found(*fast, " is no complement");
  });
  given.expect_at_least(30);
}

TEST(IslEngine, ComplementIsThatOfTheAlgebraWhereStridesDivide) {
  Met admissible;
  for_some(with_target, [&](const Operands& o) -> Finding {
    if (!admissible_2_5(o.layouts[0], o.numbers[0])) return kHolds;
    ++admissible.count;
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement(a, IntTuple(Int(o.numbers[0])));
    if (!fast) return found(fast.error());
    return differs(engine::complement(a, o.numbers[0]), *fast);
  });
  admissible.expect_at_least(5);
}

// ---- Inverses ----

Operands compact_or_not(Random& random) {
  return {{random.chance(70) ? compact_layout(random, kSmall) : any_layout(random, kSmall)}, {}};
}

TEST(IslEngine, InverseIsThatOfTheAlgebra) {
  Met inverted;
  for_some(compact_or_not, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::inverse(a);
    const Result<Layout> slow = engine::inverse(a);
    if (!fast) return slow ? found("the engine: ", *slow) : kHolds;
    ++inverted.count;
    return differs(slow, *fast);
  });
  inverted.expect_at_least(50);
}

TEST(IslEngine, RightInverseOfAnInjectiveLayoutIsThatOfTheAlgebra) {
  Met longer_than_one;
  for_some([](Random& random) { return Operands{{injective_layout(random, kSmall)}, {}}; },
           [&](const Operands& o) -> Finding {
             const Layout a = to_layout(o.layouts[0]);
             const Result<Layout> fast = cute::right_inverse(a);
             if (!fast) return found(fast.error());
             if (fast->size() != 1) ++longer_than_one.count;
             return differs(engine::right_inverse(a), *fast);
           });
  longer_than_one.expect_at_least(30);
}

TEST(IslEngine, RightInverseOfAnyLayoutIsNoLongerThanThatOfTheAlgebra) {
  for_some([](Random& random) { return Operands{{any_layout(random, kSmall)}, {}}; },
           [](const Operands& o) -> Finding {
             const Layout a = to_layout(o.layouts[0]);
             const Result<Layout> fast = cute::right_inverse(a);
             const Result<Layout> slow = engine::right_inverse(a);
             if (!fast) return found(fast.error());
             if (!slow) return found(slow.error());
             for (const Layout& inverse : {*fast, *slow}) {
               const auto holds = engine::is_right_inverse(a, inverse);
               if (!holds) return found(holds.error());
               if (!*holds) return found(inverse, " is no right inverse");
             }
             return known_at_most(slow->size(), fast->size()) ? kHolds : found(*slow, *fast);
           });
}

TEST(IslEngine, LeftInversesOfBothUndoTheLayout) {
  Met both;
  for_some([](Random& random) { return Operands{{injective_layout(random, 24)}, {}}; },
           [&](const Operands& o) -> Finding {
             const Layout a = to_layout(o.layouts[0]);
             const Result<Layout> fast = cute::left_inverse(a);
             const Result<Layout> slow = engine::left_inverse(a);
             for (const Result<Layout>& inverse : {fast, slow}) {
               if (!inverse) continue;
               const auto holds = engine::is_left_inverse(a, *inverse);
               if (!holds) return found(holds.error());
               if (!*holds) return found(*inverse, " is no left inverse");
             }
             if (fast && slow) ++both.count;
             if (fast && !slow) return found("the engine refuses: ", slow.error());
             return kHolds;
           });
  both.expect_at_least(40);
}

// ---- Linear layouts ----

constexpr int kFewBits = 4;

TEST(IslEngine, EveryLinearLayoutIsSingleValued) {
  for_some_seeds([](Random& random) -> Finding {
    const LinearLayout a = any_linear(random, kFewBits);
    const auto answer = engine::is_single_valued(a);
    if (!answer) return found(a, answer.error());
    return *answer ? kHolds : found(a, "several images");
  });
}

TEST(IslEngine, KnowsTheInjectiveLinearLayouts) {
  for_some_seeds([](Random& random) -> Finding {
    const LinearLayout a = any_linear(random, kFewBits);
    const auto answer = engine::is_injective(a);
    if (!answer) return found(a, answer.error());
    return *answer == a.is_injective() ? kHolds : found(a, "injective? ", *answer);
  });
}

TEST(IslEngine, EqualityOfLinearLayoutsIsThatOfTheirBases) {
  for_some_seeds([](Random& random) -> Finding {
    const auto ins = random_dims(random, {"lane", "warp"}, 3);
    const auto outs = random_dims(random, {"dim0"}, 2);
    const LinearLayout a = any_linear(random, ins, outs);
    const LinearLayout b = random.chance(30) ? a : any_linear(random, ins, outs);
    const Verdict ours = engine::equal(a, b);
    if (ours.is_unknown()) return found(ours);
    return ours.is_yes() == (a == b) ? kHolds : found(a, b, ours);
  });
}

TEST(IslEngine, LinearCompositionIsThatOfTheMatrices) {
  for_some_seeds([](Random& random) -> Finding {
    const auto ins = random_dims(random, {"register", "lane"}, 3);
    const auto between = random_dims(random, {"x", "y"}, 3);
    const auto outs = random_dims(random, {"dim0", "dim1"}, 3);
    const LinearLayout a = any_linear(random, ins, between);
    const LinearLayout b = any_linear(random, between, outs);
    const auto slow = engine::compose(a, b);
    if (!slow) return found(a, b, slow.error());
    return *slow == linear::compose(a, b).value() ? kHolds : found(a, b, *slow);
  });
}

TEST(IslEngine, LinearInverseIsThatOfTheMatrix) {
  Met inverted;
  for_some_seeds([&](Random& random) -> Finding {
    const auto ins = random_dims(random, {"register", "lane"}, 4);
    const auto outs = random_dims(random, {"dim0", "dim1"}, 4);
    const LinearLayout a =
        random.chance(70) ? invertible_linear(random, ins, outs) : any_linear(random, ins, outs);
    const auto slow = engine::invert(a);
    const auto fast = linear::invert(a);
    if (!fast) return slow ? found(a, *slow) : kHolds;
    ++inverted.count;
    if (!slow) return found(a, slow.error());
    return *slow == *fast ? kHolds : found(a, *slow);
  });
  inverted.expect_at_least(50);
}

// ---- Seed 000, Table 2, as its algorithms give it ----

TEST(IslEngineTable2, Inverses) {
  EXPECT_EQ(engine::inverse(layout("(4,2,2):(2,1,8)")).value(), layout("(2,4,2):(4,1,8)"));
  EXPECT_EQ(engine::left_inverse(layout("(4,2,2):(4,2,32)")).value(),
            layout("(2,2,4,2,2):(16,4,1,32,8)"));
  EXPECT_EQ(engine::right_inverse(layout("(4,8,2):(8,1,33)")).value(), layout("(8,4):(4,1)"));
}

TEST(IslEngineTable2, Complements) {
  EXPECT_EQ(engine::complement(layout("(2,2):(1,5)"), 20).value(), layout("(2,3):(2,9)"));
  EXPECT_EQ(engine::complement(layout("(4,2):(1,16)"), 32).value(), layout("4:4"));
  EXPECT_EQ(engine::complement(layout("(2,2):(2,10)"), 20).value(), layout("(2,2,2):(1,4,18)"));
  EXPECT_EQ(engine::complement(layout("(2,2):(1,4)"), 20).value(), layout("(2,3):(2,8)"));
}

TEST(IslEngineTable2, Compositions) {
  const auto composed = [](std::string_view a, std::string_view b) {
    return engine::composition(layout(a), layout(b)).value();
  };
  EXPECT_EQ(composed("(2,2):(1,80)", "(2,2):(2,1)"), layout("(2,2):(80,1)"));
  EXPECT_EQ(composed("(4,6,8,10):(2,3,5,7)", "6:12"), layout("(2,3):(9,5)"));
  EXPECT_EQ(composed("(4,2,8):(3,12,97)", "3:3"), layout("3:9"));
  EXPECT_EQ(composed("((4,2),(2,4)):((2,16),(1,8))", "((4,8),2):((16,1),8)"),
            layout("((4,(4,2)),2):((8,(2,16)),1)"));
  EXPECT_EQ(composed("(4,2,2):(2,1,8)", "16:1"), layout("(4,2,2):(2,1,8)"));
}

// A runs on past its end, as CuTe promotes it (section 3.6).
TEST(IslEngineTable2, CompositionPastTheEnd) {
  EXPECT_EQ(engine::composition(layout("(2,1):(1,80)"), layout("(2,2):(2,1)")).value(),
            layout("(2,2):(80,1)"));
}

// ---- Where the algorithms as printed go wrong ----

// The coordinates 0, 3, 6, 9, 12, 15 of (8,8) are no grid; the seed calls that invalid.
TEST(IslEngineCorrected, CompositionWhoseCoordinatesAreNoGrid) {
  EXPECT_EQ(engine::composition(layout("(8,8):(8,1)"), layout("6:3")).value(),
            layout("(3,2):(24,9)"));
}

// Each mode of the right side composes, but their sums carry.
TEST(IslEngineCorrected, ModesThatDoNotAddUp) {
  const auto refused = engine::composition(layout("(4,6):(1,5)"), layout("(3,2):(1,3)"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), "composition.no_layout");
  EXPECT_EQ(engine::composition(layout("(2,2,2):(1,3,5)"), layout("(2,2):(3,1)")).value(),
            layout("(2,2):(4,1)"));
}

// The run 0, 1 lies in the second mode: its inverse as a layout of its own, 2:1, would lead to 8.
TEST(IslEngineCorrected, RightInverseOfARunThatIsNotTheFirstMode) {
  EXPECT_EQ(engine::right_inverse(layout("(2,2):(8,1)")).value(), layout("2:2"));
}

TEST(IslEngineCorrected, RightInverseSkipsWhatRepeats) {
  EXPECT_EQ(engine::right_inverse(layout("(6,4):(1,0)")).value(), layout("6:1"));
}

// ---- Limits and names ----

TEST(IslEngine, GivesUpAtTheLimit) {
  map::Limits limits;
  limits.time = std::chrono::milliseconds(50);
  const Layout large = layout("(6,10,15,14,21,35,22,33):(7,11,13,17,19,23,29,31)");
  const auto answer = engine::is_injective(large, limits);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code(), "relation.gave_up");
}

TEST(IslEngine, CallsByName) {
  const std::vector<Layout> two = {layout("(8,8):(8,1)"), layout("6:3")};
  EXPECT_EQ(engine::call("composition", two).value(), layout("(3,2):(24,9)"));
  const std::vector<Layout> one = {layout("(2,2):(1,5)")};
  EXPECT_EQ(engine::call("complement", one, 20).value(), layout("(2,3):(2,9)"));
  EXPECT_EQ(engine::call("complement", one).error().code(), "isl_engine.operation");
  EXPECT_EQ(engine::call("logical_divide", two).error().code(), "isl_engine.operation");
  EXPECT_EQ(engine::operations().size(), 6U);
}

}  // namespace
}  // namespace heddle::test
