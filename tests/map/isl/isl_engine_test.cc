// The isl engine, seed 000's algorithms carried out by isl, and the fast algebra hold each other:
// each law is tried on a few hundred small layouts, the engine judging by relations alone.

#include "heddle/map/isl_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/cute/algebra.h"
#include "map/isl_engine_cases.h"
#include "support/contract.h"
#include "support/law.h"
#include "support/text.h"

namespace heddle::test {
namespace {

using cute::Layout;
namespace engine = map::isl_engine;

constexpr std::int64_t kSmall = 32;

// ---- Questions ----

Operands any_small(Random& random) { return {{any_layout(random, kSmall)}, {}}; }

TEST(IslEngine, EveryLayoutIsSingleValued) {
  Cases cases;
  cases.try_all(any_small, [&](const Operands& o) {
    const auto answer = engine::is_single_valued(to_layout(o.layouts[0]), brief());
    return cases.is(answer, true, "several images");
  });
}

TEST(IslEngine, KnowsTheInjectiveLayouts) {
  Cases cases;
  cases.try_all(any_small, [&](const Operands& o) {
    const auto answer = engine::is_injective(to_layout(o.layouts[0]), brief());
    if (answer && *answer) cases.count();
    return cases.is(answer, is_injective(o.layouts[0]), "injective?");
  });
  cases.expect_at_least(20);
}

Operands alike_or_not(Random& random) {
  const Plain a = any_layout(random, kSmall);
  const Plain b = random.chance(50) ? renested(random, a) : any_layout(random, kSmall);
  return {{a, b}, {}};
}

TEST(IslEngine, EqualityIsThatOfTheTables) {
  Cases cases;
  cases.try_all(alike_or_not, [&](const Operands& o) -> Finding {
    const Verdict ours = engine::equal(to_layout(o.layouts[0]), to_layout(o.layouts[1]), brief());
    if (!cases.answered(ours)) return kSaysNothing;
    const bool same = table(o.layouts[0]) == table(o.layouts[1]);
    if (same) cases.count();
    return ours.is_yes() == same ? kHolds : found(ours);
  });
  cases.expect_at_least(30);
}

TEST(IslEngine, ANoNamesTheFirstCoordinateThatDiffers) {
  Cases cases;
  cases.try_all(alike_or_not, [&](const Operands& o) -> Finding {
    const Verdict ours = engine::equal(to_layout(o.layouts[0]), to_layout(o.layouts[1]), brief());
    if (!cases.answered(ours) || ours.is_yes()) return kSaysNothing;
    cases.count();
    const std::vector<std::int64_t> a = table(o.layouts[0]);
    const std::vector<std::int64_t> b = table(o.layouts[1]);
    const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    const std::string first = std::to_string(at - a.begin());
    return ours.counterexample()->coordinate == first ? kHolds : found(ours, ", but ", first);
  });
  cases.expect_at_least(20);
}

// ---- Composition ----

Operands composable(Random& random) {
  const Plain a = positive_layout(random, 64);
  return {{a, layout_within(random, a, kSmall)}, {}};
}

TEST(IslEngine, CompositionIsThatOfTheAlgebra) {
  Cases cases;
  cases.try_all(composable, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Result<Layout> fast = cute::composition(a, b);
    const Result<Layout> slow = engine::composition(a, b, brief());
    if (!fast) {
      if (!cases.answered(slow)) return kSaysNothing;
      return slow ? found("the engine: ", *slow, ", the algebra: ", fast.error()) : kHolds;
    }
    if (slow) cases.count();
    if (slow && !cute::compatible(b.shape(), slow->shape())) return found(*slow, " loses modes");
    return cases.same(slow, *fast);
  });
  cases.expect_at_least(50);
}

TEST(IslEngine, TheAlgebrasCompositionIsThatOfTheRelations) {
  Cases cases;
  cases.try_all(composable, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Result<Layout> fast = cute::composition(a, b);
    if (!fast) return kSaysNothing;
    return cases.is(engine::is_composition(a, b, *fast, brief()), true, "another map");
  });
}

// ---- Complements ----

Operands with_target(Random& random) {
  const Plain a = injective_layout(random, 24);
  return {{a}, {random.between(1, 3 * cosize(a))}};
}

TEST(IslEngine, FillsTheGapsAsTheAlgebraDoes) {
  Cases cases;
  cases.try_all(with_target, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement_fill(a, o.numbers[0]);
    if (!fast) return kSaysNothing;
    const Result<Layout> slow = engine::complement_fill(a, o.numbers[0], brief());
    if (slow && slow->size() != 1) cases.count();
    return cases.same(slow, *fast);
  });
  cases.expect_at_least(30);
}

TEST(IslEngine, TheAlgebrasComplementKeepsTheContract) {
  Cases cases;
  cases.try_all(with_target, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement(a, IntTuple(Int(o.numbers[0])));
    if (!fast) return kSaysNothing;
    const auto answer = engine::is_complement(a, *fast, o.numbers[0], brief());
    return cases.is(answer, true, "no complement");
  });
}

/// Sorted, every stride divides the next and leaves room for the mode before it.
bool has_dividing_strides(const Plain& a) {
  std::int64_t end = 1;
  for (const Plain& leaf : leaves(a)) end = std::max(end, leaf.extent * leaf.stride);
  return admissible_2_5(a, end);
}

TEST(IslEngine, ComplementIsThatOfTheAlgebraWhereStridesDivide) {
  Cases cases;
  const auto dividing = [](Random& random) {
    Plain a = injective_layout(random, 24);
    while (!has_dividing_strides(a)) a = injective_layout(random, 24);
    return Operands{{a}, {cosize(a) * random.between(1, 3)}};
  };
  cases.try_all(dividing, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement(a, IntTuple(Int(o.numbers[0])));
    if (!fast) return found(fast.error());
    const Result<Layout> slow = engine::complement(a, o.numbers[0], brief());
    if (slow && slow->size() != 1) cases.count();
    return cases.same(slow, *fast);
  });
  cases.expect_at_least(30);
}

// ---- Inverses ----

Operands compact_or_not(Random& random) {
  return {{random.chance(70) ? compact_layout(random, kSmall) : any_layout(random, kSmall)}, {}};
}

TEST(IslEngine, InverseIsThatOfTheAlgebra) {
  Cases cases;
  cases.try_all(compact_or_not, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::inverse(a);
    const Result<Layout> slow = engine::inverse(a, brief());
    if (slow) cases.count();
    if (fast) return cases.same(slow, *fast);
    return cases.answered(slow) && slow ? found("the engine: ", *slow) : kHolds;
  });
  cases.expect_at_least(50);
}

TEST(IslEngine, RightInverseOfAnInjectiveLayoutIsThatOfTheAlgebra) {
  Cases cases;
  const auto injective = [](Random& random) {
    return Operands{{injective_layout(random, kSmall)}, {}};
  };
  cases.try_all(injective, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::right_inverse(a);
    if (!fast) return found(fast.error());
    const Result<Layout> slow = engine::right_inverse(a, brief());
    if (slow && slow->size() != 1) cases.count();
    return cases.same(slow, *fast);
  });
  cases.expect_at_least(30);
}

TEST(IslEngine, RightInverseOfAnyLayoutIsNoLongerThanThatOfTheAlgebra) {
  Cases cases;
  cases.try_all(any_small, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::right_inverse(a);
    if (!fast) return found(fast.error());
    const Result<Layout> slow = engine::right_inverse(a, brief());
    if (!cases.answered(slow)) return kSaysNothing;
    if (!slow) return found(slow.error());
    if (slow->size() != 1) cases.count();
    for (const Layout& inverse : {*fast, *slow}) {
      const auto holds = engine::is_right_inverse(a, inverse, brief());
      if (holds && !*holds) return found(inverse, " is no right inverse");
    }
    return known_at_most(slow->size(), fast->size()) ? kHolds : found(*slow, *fast);
  });
  cases.expect_at_least(20);
}

TEST(IslEngine, LeftInversesOfBothUndoTheLayout) {
  Cases cases;
  const auto injective = [](Random& random) {
    return Operands{{injective_layout(random, 24)}, {}};
  };
  cases.try_all(injective, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::left_inverse(a);
    const Result<Layout> slow = engine::left_inverse(a, brief());
    if (!cases.answered(slow)) return kSaysNothing;
    for (const Result<Layout>& inverse : {fast, slow}) {
      if (!inverse) continue;
      const auto holds = engine::is_left_inverse(a, *inverse, brief());
      if (holds && !*holds) return found(*inverse, " is no left inverse");
    }
    if (fast && slow) cases.count();
    const bool must = has_dividing_strides(o.layouts[0]);
    return must && !slow ? found("the engine refuses: ", slow.error()) : kHolds;
  });
  cases.expect_at_least(25);
}

// ---- Layouts from relations ----

/// The layout mapping of a layout, as a list of its pairs: no algorithm that is tried here wrote
/// it.
map::IntegerRelation pairs_of(const Plain& a) {
  std::string text = "{ ";
  const std::vector<std::int64_t> values = table(a);
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (c > 0) text += "; ";
    text += "[" + std::to_string(c) + "] -> [" + std::to_string(values[c]) + "]";
  }
  return map::IntegerRelation::parse(text + " }").value();
}

Operands few_elements(Random& random) { return {{any_layout(random, 12)}, {}}; }

TEST(IslEngine, FindsALayoutByItsMappingAndShape) {
  Cases cases;
  cases.try_all(few_elements, [&](const Operands& o) {
    const Layout a = to_layout(o.layouts[0]);
    return cases.same(engine::layout_from_shape(pairs_of(o.layouts[0]), a.shape(), brief()), a);
  });
}

TEST(IslEngine, FindsALayoutByItsMappingAndStrides) {
  Cases cases;
  cases.try_all(few_elements, [&](const Operands& o) {
    const Layout a = to_layout(o.layouts[0]);
    return cases.same(engine::layout_from_strides(pairs_of(o.layouts[0]), a.stride(), brief()), a);
  });
}

// Section 3.5.
TEST(IslEngine, ASuitableShapeOrSuitableStrides) {
  const map::IntegerRelation mapping = pairs_of(to_plain(layout("(4,(2,2)):(2,(1,8))")));
  EXPECT_EQ(engine::layout_from_shape(mapping, tuple("(4,(2,2))")).value(),
            layout("(4,(2,2)):(2,(1,8))"));
  EXPECT_EQ(engine::layout_from_shape(mapping, tuple("(4,4)")).error().code(),
            "isl_engine.not_affine");
  EXPECT_EQ(engine::layout_from_strides(mapping, strides("(2,1,8)")).value(),
            layout("(4,2,2):(2,1,8)"));
  EXPECT_EQ(engine::layout_from_strides(mapping, strides("(1,2,8)")).error().code(),
            "isl_engine.no_shape");
}

TEST(IslEngine, NegativeStridesToo) {
  const map::IntegerRelation mapping = pairs_of(to_plain(layout("(3,4):(-1,3)")));
  EXPECT_EQ(engine::layout_from_shape(mapping, tuple("(3,4)")).value(), layout("(3,4):(-1,3)"));
  EXPECT_EQ(engine::layout_from_strides(mapping, strides("(-1,3)")).value(),
            layout("(3,4):(-1,3)"));
}

TEST(IslEngine, RefusesRelationsThatAreNoLayoutMapping) {
  const auto refusal = [](const char* text) {
    const auto relation = map::IntegerRelation::parse(text).value();
    return engine::layout_from_shape(relation, tuple("8")).error().code();
  };
  EXPECT_EQ(refusal("{ [c] -> [c] : 0 < c < 8 }"), "isl_engine.domain");
  EXPECT_EQ(refusal("{ [c] -> [c] : 0 <= c }"), "isl_engine.domain");
  EXPECT_EQ(refusal("{ [c] -> [c] : 0 <= c < 9 }"), "isl_engine.domain");
  EXPECT_EQ(refusal("{ [c] -> [d] : 0 <= c < 8 and 0 <= d < 2 }"), "isl_engine.domain");
  EXPECT_EQ(refusal("{ [c, d] -> [c] : 0 <= c < 8 and 0 <= d < 2 }"), "isl_engine.domain");
  EXPECT_EQ(refusal("{ [c] -> [c] : 0 <= c < 0 }"), "isl_engine.domain");
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
  limits.steps = 1000;
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
  EXPECT_EQ(engine::call("complement", one).value(), layout("2:2"));
  EXPECT_EQ(engine::call("complement_fill", one).error().code(), "isl_engine.operation");
  EXPECT_EQ(engine::call("logical_divide", two).error().code(), "isl_engine.operation");
  EXPECT_EQ(engine::operations().size(), 6U);
}

}  // namespace
}  // namespace heddle::test
