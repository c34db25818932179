// Explanations of Axe layouts: the published example word by word, and that whatever is said of
// random ones is true and ends where the operation does.

#include "heddle/axe/explain.h"

#include <gtest/gtest.h>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/iter_intersect.h"
#include "heddle/axe/tile.h"
#include "support/equations.h"
#include "support/random_axe.h"

namespace heddle::axe {
namespace {

using test::any_axe;
using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::Random;
using Lines = std::vector<std::string>;

Layout tensor_core() {
  return Layout::make({{8, 4, Axis("laneid")},
                       {2, 1, Axis("warpid")},
                       {4, 1, Axis("laneid")},
                       {2, 1, Axis("m")}},
                      {{2, 4, Axis("warpid")}}, {{Axis("warpid"), Int(5)}})
      .value();
}

/// `title: text -> result`, steps within steps behind `> `.
void add_lines(Lines& lines, const Explanation& explanation, const std::string& indent) {
  std::string line = indent + explanation.title.text;
  if (!explanation.text.empty()) line += ": " + explanation.text;
  if (!explanation.result.text.empty()) line += " -> " + explanation.result.text;
  lines.push_back(std::move(line));
  for (const Explanation& step : explanation.steps) add_lines(lines, step, indent + "> ");
}

Lines steps_of(const Explanation& explanation) {
  Lines lines;
  for (const Explanation& step : explanation.steps) add_lines(lines, step, "");
  return lines;
}

TEST(AxeExplanation, TheForwardMapHasFourSteps) {
  const Int shape[] = {8, 16};
  const Int point[] = {1, 5};
  const Explanation explanation = explain_places(tensor_core(), shape, point);
  EXPECT_EQ(explanation.result.text, "{6@laneid + 1@m + 5@warpid, 6@laneid + 1@m + 9@warpid}");
  EXPECT_EQ(
      steps_of(explanation),
      (Lines{"index: (1,5) in (8,16), row-major: 1*16 + 5 = 21 -> 21",
             "digits: of 21 in the extents (8,2,4,2), last fastest -> (1,0,2,1)",
             "> 2:1@m: 21 = 10*2 + 1: 10 left -> 1", "> 4:1@laneid: 10 = 2*4 + 2: 2 left -> 2",
             "> 2:1@warpid: 2 = 1*2 + 0: 1 left -> 0", "> 8:4@laneid: what is left -> 1",
             "steps: each digit times its stride, added up on its axis -> 6@laneid + 1@m",
             "> laneid: 1*4 + 2*1 = 6 -> 6@laneid", "> m: 1*1 = 1 -> 1@m",
             "> warpid: 0*1 = 0 -> 0@warpid",
             "places: the offset 5@warpid added, a copy for each point of 2:4@warpid -> "
             "{6@laneid + 1@m + 5@warpid, 6@laneid + 1@m + 9@warpid}"}));
}

TEST(AxeExplanation, SwizzlesAreShownBitByBit) {
  const Layout layout = Layout::make({{8, 64, Axis::memory()}, {64, 1, Axis::memory()}}, {}, {},
                                     Swizzle::make(3, 3, 3).value())
                            .value();
  const Explanation explanation = explain_places(layout, 66);
  EXPECT_EQ(explanation.result.text, "{74@m}");
  EXPECT_EQ(explanation.steps.back().title.text, "SW(3,3,3) at 66");
  EXPECT_EQ(explanation.steps.back().text,
            "The bits at places 6 to 8 are XORed onto those at places 3 to 5.");
  EXPECT_EQ(steps_of(explanation.steps.back()),
            (Lines{"before: 001000010 -> 66", "read: 001......", "xor: ...001...",
                   "after: 001001010 -> 74"}));
}

TEST(AxeExplanation, NormalFormsGoRuleByRule) {
  const Layout layout = Layout::make({{2, 18, Axis::memory()},
                                      {3, 6, Axis::memory()},
                                      {1, 7, Axis::memory()},
                                      {6, 1, Axis::memory()}},
                                     {{2, -1, Axis("warpid")}})
                            .value();
  EXPECT_EQ(
      steps_of(explain_canonicalize(layout)),
      (Lines{
          "D0: the unit iter (1, 7@m) goes -> S[(2,3,6):(18@m,6@m,1@m)] + R[(2):(-1@warpid)]",
          "D1: (2, 18@m) and (3, 6@m) chain, 18 = 3*6: (6, 6@m) -> S[(6,6):(6@m,1@m)] + "
          "R[(2):(-1@warpid)]",
          "D1: (6, 6@m) and (6, 1@m) chain, 6 = 6*1: (36, 1@m) -> S[(36):(1@m)] + "
          "R[(2):(-1@warpid)]",
          "C1: the replica (2, -1@warpid) runs backwards: the offset moves by -1@warpid -> "
          "S[(36):(1@m)] + R[(2):(1@warpid)] + -1@warpid",
          "gap: the replicas' strides meet the gap condition: no other normal form has this map"}));
}

TEST(AxeExplanation, GroupingsSayWhereTheCutsFall) {
  const Int shape[] = {6, 4};
  const Layout layout = Layout::make({{4, 6, Axis::memory()}, {6, 1, Axis::memory()}}).value();
  EXPECT_EQ(steps_of(explain_group(layout, shape)),
            (Lines{"normal form -> S[(24):(1@m)]",
                   "dim 1: 4: takes 4:1@m; 24:1@m is cut, 24 = 6*4: 6:4@m is left -> (4)",
                   "dim 0: 6: takes 6:4@m -> (6)",
                   "blocks: begin at iters 0, 1, 2 -> S[(6,4):(4@m,1@m)]"}));
}

TEST(AxeExplanation, TilesSaySpansAndInterleaving) {
  const Int outer[] = {2, 3};
  const Int inner[] = {8, 8};
  const Layout grid = Layout::make({{2, 3, Axis::memory()}, {3, 1, Axis::memory()}}).value();
  const Layout block = Layout::make({{8, 8, Axis::memory()}, {8, 1, Axis::memory()}}).value();
  const Explanation explanation = explain_tile(grid, outer, block, inner);
  EXPECT_EQ(explanation.result.text, to_string(*tile(grid, outer, block, inner)));
  EXPECT_EQ(steps_of(explanation),
            (Lines{"span on m: the tile takes 64", "> 2:3@m: 3*64 = 192 -> 2:192@m",
                   "> 3:1@m: 1*64 = 64 -> 3:64@m", "dim 0: 2 tiles of 8 -> 2:192@m 8:8@m",
                   "dim 1: 3 tiles of 8 -> 3:64@m 8:1@m"}));
}

TEST(AxeExplanation, SlicesGoDimensionByDimension) {
  const Int shape[] = {16, 24};
  const Interval region[] = {{0, 8}, {8, 24}};
  const Layout layout = Layout::make({{2, 192, Axis::memory()},
                                      {8, 8, Axis::memory()},
                                      {3, 64, Axis::memory()},
                                      {8, 1, Axis::memory()}})
                            .value();
  EXPECT_EQ(steps_of(explain_slice(layout, shape, region)),
            (Lines{"corner: (0,8) in (16,24), row-major: 0*24 + 8 = 8 -> 64@m",
                   "dim 0: [0,8): of 16, 2:192@m 8:8@m -> 8:8@m",
                   "dim 1: [8,24): of 24, 3:64@m 8:1@m -> 2:64@m 8:1@m"}));
}

TEST(AxeExplanation, SymbolicNumbersAreNotTakenApart) {
  const Layout layout = Layout::make({{Int::variable("M", 1, 8), 1, Axis::memory()}}).value();
  EXPECT_TRUE(explain_places(layout, 3).steps.empty());
}

// Laws.

Finding says(const Explanation& explanation, const std::string& result) {
  const test::Equations equations = test::equations_in(explanation);
  if (equations.wrong) return equations.wrong;
  if (!explanation.result.text.empty() && explanation.result.text != result)
    return found(explanation.title.text, ": ", explanation.result.text, ", not ", result);
  return kHolds;
}

TEST(AxeExplanationLaw, PlacesAreExplainedTruly) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, {.max_size = 64, .swizzles = true});
    const Int index = random.between(0, size(layout).value() - 1);
    const Explanation explanation = explain_places(layout, index);
    const auto actual = places(layout, index);
    // The last step before the swizzle has all places, where they are few.
    if (!layout.swizzle() && actual->size() <= 8 &&
        explanation.steps.back().result.text != explanation.result.text)
      return found(layout, " at ", index, ": ", explanation.steps.back().result.text);
    std::string text;
    for (const Coordinate& place : *actual) text += (text.empty() ? "" : ", ") + to_string(place);
    return says(explanation, "{" + text + "}");
  });
}

TEST(AxeExplanationLaw, NormalFormsAndGroupingsAreExplainedTruly) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, {.max_size = 256, .swizzles = true});
    const Result<Layout> canonical = canonicalize(layout);
    if (const Finding wrong = says(explain_canonicalize(layout), to_string(*canonical)))
      return wrong;
    const std::vector<Int> shape = test::grouping_shape(random, layout);
    const Result<Grouping> grouping = group(layout, shape);
    const Explanation explanation = explain_group(layout, shape);
    if (grouping && explanation.steps.back().result.text != to_string(grouping->layout))
      return found(layout, ": ", explanation.steps.back().result.text);
    if (!grouping && !explanation.refusal) return found(layout, ": no refusal");
    return says(explanation, "");
  });
}

TEST(AxeExplanationLaw, TilesAndSlicesAreExplainedTruly) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, {.max_size = 64});
    const std::vector<Int> shape = test::grouping_shape(random, layout);
    std::vector<Interval> region;
    for (const Int& extent : shape) {
      const std::int64_t begin = random.between(0, extent.value() - 1);
      region.push_back({begin, random.between(begin + 1, extent.value())});
    }
    const Result<Layout> part = slice(layout, shape, region);
    if (const Finding wrong =
            says(explain_slice(layout, shape, region), part ? to_string(*part) : ""))
      return wrong;
    const Layout other = any_axe(random, {.max_size = 16});
    const std::vector<Int> other_shape = test::grouping_shape(random, other);
    const Result<Layout> tiled = tile(layout, shape, other, other_shape);
    return says(explain_tile(layout, shape, other, other_shape), tiled ? to_string(*tiled) : "");
  });
}

/// Like says(), and that a result has steps.
template <class T>
Finding traced(const Explanation& explanation, const Result<T>& actual) {
  if (!actual) {
    if (explanation.refusal != actual.error()) return found("not refused: ", actual.error());
    return says(explanation, "");
  }
  if (explanation.result.text != to_string(*actual)) return found(explanation.result.text);
  if (explanation.steps.empty()) return found("no steps lead to ", to_string(*actual));
  return says(explanation, to_string(*actual));
}

TEST(AxeExplanationLaw, ProductsAndQuotientsAreExplainedTruly) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout a = any_axe(random, {.max_size = 16, .swizzles = random.chance(20)});
    const Layout b = any_axe(random, {.max_size = 16, .swizzles = random.chance(20)});
    const std::vector<Int> x = test::grouping_shape(random, a);
    const std::vector<Int> y = test::grouping_shape(random, b);
    const Result<Layout> sum = direct_sum(a, x, b, y);
    if (const Finding wrong = traced(explain_direct_sum(a, x, b, y), sum)) return wrong;
    const Result<Layout> tiled = tile(a, x, b, y);
    if (const Finding wrong = traced(explain_tile(a, x, b, y), tiled)) return wrong;
    if (!sum || !tiled) return kHolds;
    const std::vector<Int> z = product_shape(x, y);
    for (const Finding& wrong :
         {traced(explain_tile_of(*tiled, z, b, y), tile_of(*tiled, z, b, y)),
          traced(explain_tile_inner_of(*tiled, z, a, x), tile_inner_of(*tiled, z, a, x)),
          traced(explain_direct_sum_left_of(*sum, z, b, y), direct_sum_left_of(*sum, z, b, y)),
          traced(explain_direct_sum_right_of(*sum, z, a, x), direct_sum_right_of(*sum, z, a, x)),
          traced(explain_tile_of(*sum, z, b, y), tile_of(*sum, z, b, y))}) {
      if (wrong) return wrong;
    }
    return kHolds;
  });
}

TEST(AxeExplanationLaw, SpansAreExplainedTruly) {
  for_all_seeds([](Random& random) -> Finding {
    const Layout layout = any_axe(random, {.max_size = 64, .swizzles = true});
    for (const Axis& axis : axes(layout)) {
      if (const Finding wrong = traced(explain_span(layout, axis), span(layout, axis)))
        return wrong;
    }
    return kHolds;
  });
}

TEST(AxeExplanationLaw, IntersectionsAreExplainedTruly) {
  for_all_seeds([](Random& random) -> Finding {
    const auto any_iter = [&] {
      return Iter{random.between(1, 12), random.between(-9, 9),
                  random.chance(90) ? test::kM : test::kLane};
    };
    const Iter a = any_iter();
    const Iter b = any_iter();
    return traced(explain_iter_intersect(a, b), iter_intersect(a, b));
  });
}

}  // namespace
}  // namespace heddle::axe
