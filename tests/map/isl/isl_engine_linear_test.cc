// Linear layouts by the five mappings of seed 000, section 5, and by matrices over GF(2).

#include <gtest/gtest.h>

#include "heddle/map/isl_engine.h"
#include "map/isl_engine_cases.h"
#include "support/random_linear.h"

namespace heddle::test {
namespace {

using linear::LinearLayout;
namespace engine = map::isl_engine;

constexpr int kFewBits = 3;

TEST(IslEngineLinear, EveryLayoutIsSingleValued) {
  Cases cases;
  cases.try_seeds([&](Random& random) {
    const LinearLayout a = any_linear(random, kFewBits);
    return cases.is(engine::is_single_valued(a, brief()), true,
                    to_string(a) + " has several images");
  });
}

TEST(IslEngineLinear, KnowsTheInjectiveLayouts) {
  Cases cases;
  cases.try_seeds([&](Random& random) {
    const LinearLayout a = any_linear(random, kFewBits);
    const auto answer = engine::is_injective(a, brief());
    if (answer && *answer) cases.count();
    return cases.is(answer, a.is_injective(), to_string(a) + " is injective?");
  });
  cases.expect_at_least(5);
}

TEST(IslEngineLinear, EqualityIsThatOfTheBases) {
  Cases cases;
  cases.try_seeds([&](Random& random) -> Finding {
    const auto ins = random_dims(random, {"lane", "warp"}, kFewBits);
    const auto outs = random_dims(random, {"dim0"}, 2);
    const LinearLayout a = any_linear(random, ins, outs);
    const LinearLayout b = random.chance(30) ? a : any_linear(random, ins, outs);
    const Verdict ours = engine::equal(a, b, brief());
    if (!cases.answered(ours)) return kSaysNothing;
    if (ours.is_no()) cases.count();
    return ours.is_yes() == (a == b) ? kHolds : found(a, b, ours);
  });
  cases.expect_at_least(20);
}

TEST(IslEngineLinear, CompositionIsThatOfTheMatrices) {
  Cases cases;
  cases.try_seeds([&](Random& random) -> Finding {
    const auto ins = random_dims(random, {"register", "lane"}, kFewBits);
    const auto between = random_dims(random, {"x", "y"}, kFewBits);
    const auto outs = random_dims(random, {"dim0", "dim1"}, kFewBits);
    const LinearLayout a = any_linear(random, ins, between);
    const LinearLayout b = any_linear(random, between, outs);
    const auto slow = engine::compose(a, b, brief());
    if (!cases.answered(slow)) return kSaysNothing;
    if (!slow) return found(a, b, slow.error());
    return *slow == linear::compose(a, b).value() ? kHolds : found(a, b, *slow);
  });
}

TEST(IslEngineLinear, InverseIsThatOfTheMatrix) {
  Cases cases;
  cases.try_seeds([&](Random& random) -> Finding {
    const auto ins = random_dims(random, {"register", "lane"}, kFewBits);
    const auto outs = random_dims(random, {"dim0", "dim1"}, kFewBits);
    const LinearLayout a =
        random.chance(70) ? invertible_linear(random, ins, outs) : any_linear(random, ins, outs);
    const auto slow = engine::invert(a, brief());
    if (!cases.answered(slow)) return kSaysNothing;
    const auto fast = linear::invert(a);
    if (!fast) return slow ? found(a, *slow) : kHolds;
    cases.count();
    if (!slow) return found(a, slow.error());
    return *slow == *fast ? kHolds : found(a, *slow);
  });
  cases.expect_at_least(30);
}

}  // namespace
}  // namespace heddle::test
