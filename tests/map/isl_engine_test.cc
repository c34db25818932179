// The isl engine, seed 000's algorithms carried out by isl, and the fast algebra hold each other:
// each law is tried on a few hundred small layouts, the engine judging by relations alone.

#include "heddle/map/isl_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "heddle/cute/algebra.h"
#include "support/contract.h"
#include "support/law.h"
#include "support/random_linear.h"
#include "support/text.h"

namespace heddle::test {
namespace {

using cute::Layout;
using linear::LinearLayout;
namespace engine = map::isl_engine;

// A law is tried on a few hundred cases, as long as its time lasts: isl takes milliseconds for
// most and seconds for some. On no machine are so few met that it says nothing.
constexpr int kLeastCases = 20;
constexpr std::chrono::seconds kTimeOfALaw{3};

/// What isl may take for one question; past it a case says nothing.
map::Limits brief() {
  map::Limits limits;
  limits.time = std::chrono::milliseconds(500);
  return limits;
}

/// The cases of one law.
class Cases {
 public:
  void try_seeds(const std::function<Finding(Random&)>& law) {
    const auto begin = std::chrono::steady_clock::now();
    for (tried_ = 0; tried_ < std::max(kLeastCases, property_count() / 20); ++tried_) {
      const bool is_late = std::chrono::steady_clock::now() - begin > kTimeOfALaw;
      if (is_late && tried_ >= kLeastCases) return;
      const std::uint64_t seed = property_seed() + static_cast<std::uint64_t>(tried_);
      Random random(seed);
      if (const Finding finding = law(random)) {
        ADD_FAILURE() << *finding << "\nHEDDLE_SEED=" << seed;
        return;
      }
    }
  }

  void try_all(const std::function<Operands(Random&)>& generate,
               const std::function<Finding(const Operands&)>& law) {
    try_seeds([&](Random& random) -> Finding {
      const Operands operands = generate(random);
      const Finding finding = law(operands);
      return finding ? found(to_string(operands), ": ", *finding) : kHolds;
    });
  }

  /// Counts the cases that the law is about.
  void count() { ++met_; }
  void expect_at_least(double percent) const { EXPECT_GE(met_, percent / 100 * tried_); }

 private:
  int tried_ = 0;
  int met_ = 0;
};

void for_some(const std::function<Operands(Random&)>& generate,
              const std::function<Finding(const Operands&)>& law) {
  Cases().try_all(generate, law);
}

void for_some_seeds(const std::function<Finding(Random&)>& law) { Cases().try_seeds(law); }

template <class T>
bool gave_up(const Result<T>& result) {
  return !result && result.error().code() == "relation.gave_up";
}

/// A question's answer is `wanted`, as far as isl answers.
Finding is(const Result<bool>& answer, bool wanted, std::string_view otherwise) {
  if (gave_up(answer)) return kHolds;
  if (!answer) return found(answer.error());
  return *answer == wanted ? kHolds : found(otherwise);
}

Finding differs(const Result<Layout>& got, const Layout& wanted) {
  if (gave_up(got)) return kHolds;
  if (!got) return found("the engine refuses: ", got.error());
  const Verdict same = cute::equal(*got, wanted);
  return same.is_yes() ? kHolds : found("the engine: ", *got, ", the algebra: ", wanted);
}

constexpr std::int64_t kSmall = 32;

// ---- Questions ----

Operands any_small(Random& random) { return {{any_layout(random, kSmall)}, {}}; }

TEST(IslEngine, EveryLayoutIsSingleValued) {
  for_some(any_small, [](const Operands& o) {
    return is(engine::is_single_valued(to_layout(o.layouts[0]), brief()), true, "several images");
  });
}

TEST(IslEngine, KnowsTheInjectiveLayouts) {
  Cases cases;
  cases.try_all(any_small, [&](const Operands& o) {
    const bool injective = is_injective(o.layouts[0]);
    if (injective) cases.count();
    return is(engine::is_injective(to_layout(o.layouts[0]), brief()), injective, "injective?");
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
    const bool same = table(o.layouts[0]) == table(o.layouts[1]);
    if (same) cases.count();
    const Verdict ours = engine::equal(to_layout(o.layouts[0]), to_layout(o.layouts[1]), brief());
    return ours.is_unknown() || ours.is_yes() == same ? kHolds : found(ours);
  });
  cases.expect_at_least(30);
}

TEST(IslEngine, ANoNamesTheFirstCoordinateThatDiffers) {
  Cases cases;
  cases.try_all(alike_or_not, [&](const Operands& o) -> Finding {
    const std::vector<std::int64_t> a = table(o.layouts[0]);
    const std::vector<std::int64_t> b = table(o.layouts[1]);
    if (a == b) return kHolds;
    cases.count();
    const Verdict ours = engine::equal(to_layout(o.layouts[0]), to_layout(o.layouts[1]), brief());
    if (ours.is_unknown()) return kHolds;
    if (ours.is_yes()) return found(ours);
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
      return slow ? found("the engine: ", *slow, ", the algebra: ", fast.error()) : kHolds;
    }
    cases.count();
    if (!slow) return differs(slow, *fast);
    if (!cute::compatible(b.shape(), slow->shape())) return found(*slow, " loses modes");
    return differs(slow, *fast);
  });
  cases.expect_at_least(50);
}

TEST(IslEngine, TheAlgebrasCompositionIsThatOfTheRelations) {
  for_some(composable, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Result<Layout> fast = cute::composition(a, b);
    if (!fast) return kHolds;
    return is(engine::is_composition(a, b, *fast, brief()), true, "another map");
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
    if (!fast) return kHolds;
    if (fast->size() != 1) cases.count();
    return differs(engine::complement_fill(a, o.numbers[0], brief()), *fast);
  });
  cases.expect_at_least(30);
}

TEST(IslEngine, TheAlgebrasComplementKeepsTheContract) {
  Cases cases;
  cases.try_all(with_target, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement(a, IntTuple(Int(o.numbers[0])));
    if (!fast) return kHolds;
    cases.count();
    return is(engine::is_complement(a, *fast, o.numbers[0], brief()), true, "no complement");
  });
  cases.expect_at_least(30);
}

TEST(IslEngine, ComplementIsThatOfTheAlgebraWhereStridesDivide) {
  Cases cases;
  cases.try_all(with_target, [&](const Operands& o) -> Finding {
    if (!admissible_2_5(o.layouts[0], o.numbers[0])) return kHolds;
    cases.count();
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::complement(a, IntTuple(Int(o.numbers[0])));
    if (!fast) return found(fast.error());
    return differs(engine::complement(a, o.numbers[0], brief()), *fast);
  });
  cases.expect_at_least(5);
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
    if (!fast) return slow ? found("the engine: ", *slow) : kHolds;
    cases.count();
    return differs(slow, *fast);
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
    if (fast->size() != 1) cases.count();
    return differs(engine::right_inverse(a, brief()), *fast);
  });
  cases.expect_at_least(30);
}

TEST(IslEngine, RightInverseOfAnyLayoutIsNoLongerThanThatOfTheAlgebra) {
  for_some(any_small, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Result<Layout> fast = cute::right_inverse(a);
    if (!fast) return found(fast.error());
    const Result<Layout> slow = engine::right_inverse(a, brief());
    if (gave_up(slow)) return kHolds;
    if (!slow) return found(slow.error());
    for (const Layout& inverse : {*fast, *slow}) {
      const auto holds = engine::is_right_inverse(a, inverse, brief());
      if (Finding wrong = is(holds, true, "no right inverse")) return wrong;
    }
    return known_at_most(slow->size(), fast->size()) ? kHolds : found(*slow, *fast);
  });
}

/// Every stride divides the next and leaves room for the mode before it.
bool has_dividing_strides(const Plain& a) {
  std::int64_t end = 1;
  for (const Plain& leaf : leaves(a)) end = std::max(end, leaf.extent * leaf.stride);
  return admissible_2_5(a, end);
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
    for (const Result<Layout>& inverse : {fast, slow}) {
      if (!inverse) continue;
      const auto holds = engine::is_left_inverse(a, *inverse, brief());
      if (Finding wrong = is(holds, true, "no left inverse")) return wrong;
    }
    if (fast) cases.count();
    const bool must = has_dividing_strides(o.layouts[0]) && !gave_up(slow);
    return must && !slow ? found("the engine refuses: ", slow.error()) : kHolds;
  });
  cases.expect_at_least(25);
}

// ---- Linear layouts ----

constexpr int kFewBits = 3;

TEST(IslEngine, EveryLinearLayoutIsSingleValued) {
  for_some_seeds([](Random& random) {
    const LinearLayout a = any_linear(random, kFewBits);
    return is(engine::is_single_valued(a, brief()), true, to_string(a) + " has several images");
  });
}

TEST(IslEngine, KnowsTheInjectiveLinearLayouts) {
  for_some_seeds([](Random& random) {
    const LinearLayout a = any_linear(random, kFewBits);
    return is(engine::is_injective(a, brief()), a.is_injective(), to_string(a) + " is injective?");
  });
}

TEST(IslEngine, EqualityOfLinearLayoutsIsThatOfTheirBases) {
  for_some_seeds([](Random& random) -> Finding {
    const auto ins = random_dims(random, {"lane", "warp"}, kFewBits);
    const auto outs = random_dims(random, {"dim0"}, 2);
    const LinearLayout a = any_linear(random, ins, outs);
    const LinearLayout b = random.chance(30) ? a : any_linear(random, ins, outs);
    const Verdict ours = engine::equal(a, b, brief());
    if (ours.is_unknown()) return kHolds;
    return ours.is_yes() == (a == b) ? kHolds : found(a, b, ours);
  });
}

TEST(IslEngine, LinearCompositionIsThatOfTheMatrices) {
  for_some_seeds([](Random& random) -> Finding {
    const auto ins = random_dims(random, {"register", "lane"}, kFewBits);
    const auto between = random_dims(random, {"x", "y"}, kFewBits);
    const auto outs = random_dims(random, {"dim0", "dim1"}, kFewBits);
    const LinearLayout a = any_linear(random, ins, between);
    const LinearLayout b = any_linear(random, between, outs);
    const auto slow = engine::compose(a, b, brief());
    if (gave_up(slow)) return kHolds;
    if (!slow) return found(a, b, slow.error());
    return *slow == linear::compose(a, b).value() ? kHolds : found(a, b, *slow);
  });
}

TEST(IslEngine, LinearInverseIsThatOfTheMatrix) {
  Cases cases;
  cases.try_seeds([&](Random& random) -> Finding {
    const auto ins = random_dims(random, {"register", "lane"}, kFewBits);
    const auto outs = random_dims(random, {"dim0", "dim1"}, kFewBits);
    const LinearLayout a =
        random.chance(70) ? invertible_linear(random, ins, outs) : any_linear(random, ins, outs);
    const auto fast = linear::invert(a);
    if (fast) cases.count();
    const auto slow = engine::invert(a, brief());
    if (gave_up(slow)) return kHolds;
    if (!fast) return slow ? found(a, *slow) : kHolds;
    if (!slow) return found(a, slow.error());
    return *slow == *fast ? kHolds : found(a, *slow);
  });
  cases.expect_at_least(30);
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
  for_some(few_elements, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const auto found_again = engine::layout_from_shape(pairs_of(o.layouts[0]), a.shape(), brief());
    return differs(found_again, a);
  });
}

TEST(IslEngine, FindsALayoutByItsMappingAndStrides) {
  for_some(few_elements, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const auto found_again =
        engine::layout_from_strides(pairs_of(o.layouts[0]), a.stride(), brief());
    return differs(found_again, a);
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
  EXPECT_EQ(engine::call("complement", one).value(), layout("2:2"));
  EXPECT_EQ(engine::call("complement_fill", one).error().code(), "isl_engine.operation");
  EXPECT_EQ(engine::call("logical_divide", two).error().code(), "isl_engine.operation");
  EXPECT_EQ(engine::operations().size(), 6U);
}

}  // namespace
}  // namespace heddle::test
