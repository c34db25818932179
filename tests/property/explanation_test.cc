// Laws of explanations: they end where the operation ends, their steps lead there, and every
// equation in them holds.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "heddle/cute/explain.h"
#include "support/equations.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::Layout;

TEST(Equations, AreFoundAndComputed) {
  EXPECT_EQ(equations_in("6/3 = 2 of the 4 steps fit; stride 3*8 = 24").count, 2);
  EXPECT_EQ(equations_in("13 = 3*4 + 1: digit 1 (2*1 = 2 < 6), ceil(7/2) = 4, -7%4 = 1").count, 4);
  EXPECT_EQ(equations_in("A = 4:1, 5 = 5:2 and (2,3):(1,2)").count, 0);
  EXPECT_FALSE(equations_in("13 = 3*4 + 1: floor(-5/2) = -3").wrong);
  EXPECT_TRUE(equations_in("so 6/4 = 1").wrong);
  EXPECT_TRUE(equations_in("stride 3*8 = 25; 1 + 1 = 2").wrong);
  EXPECT_TRUE(equations_in("1 + 1 = 2, then 5 - 2*2 = 2").wrong);
}

bool marks_are_in_order(const MarkedText& marked) {
  std::size_t end = 0;
  for (const Mark& mark : marked.marks) {
    if (mark.begin < end || mark.end < mark.begin || mark.end > marked.text.size()) return false;
    end = mark.end;
  }
  return true;
}

Finding fault_of_marks(const Explanation& explanation) {
  if (!marks_are_in_order(explanation.title)) return found("marks of ", explanation.title.text);
  if (!marks_are_in_order(explanation.result)) return found("marks of ", explanation.result.text);
  for (const Explanation& step : explanation.steps) {
    if (const Finding fault = fault_of_marks(step)) return fault;
  }
  return kHolds;
}

/// What holds of every explanation of an operation that came to `actual`.
Finding fault_of(const Explanation& explanation, const Result<Layout>& actual, Tally& equations) {
  const Equations found_equations = equations_in(explanation);
  if (found_equations.wrong) return found_equations.wrong;
  if (found_equations.count > 0) equations.count();
  if (const Finding fault = fault_of_marks(explanation)) return fault;
  if (explanation.title.text.empty()) return found("no title");
  if (!actual) {
    if (!explanation.refusal) return found("says no refusal, but ", actual.error());
    if (!explanation.result.text.empty()) return found("a refusal with a result");
    return kHolds;
  }
  if (explanation.refusal) return found("says ", *explanation.refusal);
  if (explanation.result.text != cute::to_string(*actual)) {
    return found("says ", explanation.result.text, ", but it is ", *actual);
  }
  return explanation.steps.empty() ? found("no steps lead to ", *actual) : kHolds;
}

Operands any_one(Random& random) { return {{any_layout(random)}, {}}; }

Operands positive_one(Random& random) { return {{positive_layout(random)}, {}}; }

Operands one_to_invert(Random& random) {
  return {{random.chance(50) ? compact_layout(random) : any_layout(random)}, {}};
}

TEST(ExplainComposition, EndsWhereTheOperationEnds) {
  Tally equations;
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random, 128);
    return Operands{{a, layout_within(random, a, 64)}, {}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    return fault_of(cute::explain_composition(a, b), cute::composition(a, b), equations);
  });
  equations.expect_at_least(60);
}

TEST(ExplainComposition, EndsWhereTheOperationEndsOnUnrelatedLayouts) {
  Tally equations;
  const auto operands = [](Random& random) {
    return Operands{{any_layout(random, 64), any_layout(random, 32)}, {}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    return fault_of(cute::explain_composition(a, b), cute::composition(a, b), equations);
  });
  equations.expect_at_least(40);
}

TEST(ExplainComplement, EndsWhereTheOperationEnds) {
  Tally equations;
  const auto operands = [](Random& random) {
    const Plain a = random.chance(70) ? injective_layout(random, 64) : any_layout(random, 64);
    return Operands{{a}, {random.between(1, 256)}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const IntTuple target(Int(o.numbers[0]));
    const Result<Layout> actual = cute::complement(a, target);
    return fault_of(cute::explain_complement(a, target), actual, equations);
  });
  equations.expect_at_least(60);
}

/// What holds of every explanation that writes down the steps of its operation.
template <class T>
Finding fault_of_trace(const Explanation& explanation, const Result<T>& actual, Tally& equations) {
  const Equations found_equations = equations_in(explanation);
  if (found_equations.wrong) return found_equations.wrong;
  if (found_equations.count > 0) equations.count();
  if (!actual && explanation.refusal != actual.error())
    return found("not refused: ", actual.error());
  if (!actual) return kHolds;
  std::ostringstream text;
  text << *actual;
  if (explanation.result.text != text.str())
    return found(explanation.result.text, ", not ", text.str());
  return explanation.steps.empty() ? found("no steps lead to ", text.str()) : kHolds;
}

TEST(ExplainComplementFill, EndsWhereTheOperationEndsAndItsStepsAreTheModes) {
  Tally equations;
  const auto operands = [](Random& random) {
    const Plain a = random.chance(70) ? injective_layout(random, 64) : any_layout(random, 64);
    return Operands{{a}, {random.between(1, 256)}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Int target = o.numbers[0];
    const auto actual = cute::complement_fill(a, target);
    const Explanation explanation = cute::explain_complement_fill(a, target);
    if (const Finding fault = fault_of_trace(explanation, actual, equations)) return fault;
    if (!actual) return kHolds;
    // The extents that the last run of steps fills multiply to the size of the result.
    std::int64_t size = 1;
    const auto is_way = [](const Explanation& step) { return step.title.text == "gap by gap"; };
    const auto begin = std::ranges::find_if(explanation.steps, is_way);
    const bool by_gaps = begin != explanation.steps.end();
    for (auto step = by_gaps ? begin : explanation.steps.begin(); step != explanation.steps.end();
         ++step) {
      const bool is_filled =
          step->title.text.starts_with("gap") || step->title.text.starts_with("rest");
      if (is_filled && !step->result.text.empty()) size *= std::stoll(step->result.text);
    }
    return Int(size) == actual->size() ? kHolds : found("steps of ", size, " for ", *actual);
  });
  equations.expect_at_least(60);
}

TEST(ExplainAdmissibility, EndsWhereTheQuestionEnds) {
  Tally equations;
  const auto operands = [](Random& random) {
    const Plain a = positive_layout(random, 64);
    return Operands{{a, layout_within(random, a, 64)}, {random.between(1, 256)}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    const Int target = o.numbers[0];
    if (const Finding fault =
            fault_of_trace(cute::explain_admissible_for_complementation(a, target),
                           cute::admissible_for_complementation(a, target), equations)) {
      return fault;
    }
    if (const Finding fault =
            fault_of_trace(cute::explain_admissible_for_composition(a.shape(), b),
                           cute::admissible_for_composition(a.shape(), b), equations)) {
      return fault;
    }
    return fault_of_trace(cute::explain_admissible_for_cutlass_composition(a.shape(), b),
                          cute::admissible_for_cutlass_composition(a.shape(), b), equations);
  });
  equations.expect_at_least(60);
}

TEST(ExplainCoalesce, EndsWhereTheOperationEnds) {
  Tally equations;
  for_all(any_one, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    return fault_of(cute::explain_coalesce(a), cute::coalesce(a), equations);
  });
  equations.expect_at_least(40);
}

TEST(ExplainFilter, EndsWhereTheOperationEnds) {
  Tally equations;
  for_all(any_one, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    return fault_of(cute::explain_filter(a), *cute::filter(a), equations);
  });
  equations.expect_at_least(30);
}

TEST(ExplainInverse, EndsWhereTheOperationEnds) {
  Tally equations;
  for_all(one_to_invert, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    if (a.size() == Int(1)) return kSaysNothing;
    return fault_of(cute::explain_inverse(a), cute::inverse(a), equations);
  });
  equations.expect_at_least(40);
}

TEST(ExplainRightInverse, EndsWhereTheOperationEnds) {
  Tally equations;
  for_all(one_to_invert, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    if (a.size() == Int(1)) return kSaysNothing;
    return fault_of(cute::explain_right_inverse(a), cute::right_inverse(a), equations);
  });
  equations.expect_at_least(40);
}

TEST(ExplainLeftInverse, EndsWhereTheOperationEnds) {
  Tally equations;
  for_all(one_to_invert, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    return fault_of(cute::explain_left_inverse(a), cute::left_inverse(a), equations);
  });
  equations.expect_at_least(20);
}

Operands layout_and_any_tile(Random& random) {
  const Plain a = any_layout(random, 128);
  return {{a, random.chance(70) ? tile_of(random, size(a)) : positive_layout(random, 16)}, {}};
}

TEST(ExplainLogicalDivide, EndsWhereTheOperationEnds) {
  Tally equations;
  for_all(layout_and_any_tile, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout tile = to_layout(o.layouts[1]);
    const Result<Layout> actual = cute::logical_divide(a, tile);
    return fault_of(cute::explain_logical_divide(a, tile), actual, equations);
  });
  equations.expect_at_least(60);
}

TEST(ExplainLogicalProduct, EndsWhereTheOperationEnds) {
  Tally equations;
  const auto operands = [](Random& random) {
    return Operands{{injective_layout(random, 32), positive_layout(random, 32)}, {}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout tiler = to_layout(o.layouts[1]);
    const Result<Layout> actual = cute::logical_product(a, tiler);
    return fault_of(cute::explain_logical_product(a, tiler), actual, equations);
  });
  equations.expect_at_least(60);
}

TEST(ExplainTiledOperations, EndWhereTheOperationsEnd) {
  Tally equations;
  const auto operands = [](Random& random) {
    const Plain a = positive_layout(random, 128);
    return Operands{{a, positive_layout(random, 16)}, {random.between(1, 8), random.between(1, 8)}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout pattern = to_layout(o.layouts[1]);
    const cute::Tiler tiler = cute::to_tiler(IntTuple{o.numbers[0], o.numbers[1]});
    for (const Finding& fault : {fault_of(cute::explain_blocked_product(a, pattern),
                                          cute::blocked_product(a, pattern), equations),
                                 fault_of(cute::explain_raked_product(a, pattern),
                                          cute::raked_product(a, pattern), equations)}) {
      if (fault) return fault;
    }
    if (a.rank() < 2) return kSaysNothing;
    for (const Finding& fault :
         {fault_of(cute::explain_zipped_divide(a, tiler), cute::zipped_divide(a, tiler), equations),
          fault_of(cute::explain_tiled_divide(a, tiler), cute::tiled_divide(a, tiler), equations),
          fault_of(cute::explain_flat_divide(a, tiler), cute::flat_divide(a, tiler), equations),
          fault_of(cute::explain_zipped_product(a, tiler), cute::zipped_product(a, tiler),
                   equations),
          fault_of(cute::explain_composition(a, tiler), cute::composition(a, tiler), equations)}) {
      if (fault) return fault;
    }
    return kHolds;
  });
  equations.expect_at_least(60);
}

TEST(ExplainApply, StepsAddUpToTheIndex) {
  const auto operands = [](Random& random) {
    const Plain a = any_layout(random);
    return Operands{{a}, {random.between(0, 2 * size(a))}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const cute::Coordinate c(cute::Index(o.numbers[0]));
    const Explanation explanation = cute::explain_apply(a, c);
    if (const Equations equations = equations_in(explanation); equations.wrong)
      return equations.wrong;
    if (explanation.result.text != std::to_string(evaluate(o.layouts[0], o.numbers[0])))
      return found("says ", explanation.result.text);
    std::int64_t sum = 0;
    for (const Explanation& step : explanation.steps) {
      if (step.title.text != "sum") sum += std::stoll(step.result.text);
    }
    return std::to_string(sum) == explanation.result.text ? kHolds : found("the sum is ", sum);
  });
}

TEST(ExplainSwizzle, BitsAreThoseOfTheAddresses) {
  const auto operands = [](Random& random) {
    return Operands{{},
                    {random.between(1, 4), random.between(0, 4), random.between(4, 6),
                     random.between(-5000, 5000), random.between(0, 1)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const int shift = static_cast<int>(o.numbers[4] == 0 ? o.numbers[2] : -o.numbers[2]);
    const auto swizzle =
        cute::Swizzle::make(static_cast<int>(o.numbers[0]), static_cast<int>(o.numbers[1]), shift);
    if (!swizzle) return kSaysNothing;
    const std::int64_t before = o.numbers[3];
    const std::int64_t after = (*swizzle)(before);
    const Explanation explanation = cute::explain_swizzle(*swizzle, before);
    if (explanation.result.text != std::to_string(after)) return found(explanation.result.text);
    if (explanation.steps.size() != 4) return found(explanation.steps.size(), " steps");
    for (const auto& [row, number] : {std::pair(0, before), std::pair(3, after)}) {
      std::string bits = explanation.steps[static_cast<std::size_t>(row)].text;
      const bool negative = bits.starts_with("…");
      if (negative) bits.erase(0, std::string("…").size());
      std::int64_t value = negative ? -(std::int64_t{1} << bits.size()) : 0;
      for (std::size_t i = 0; i < bits.size(); ++i) {
        if (bits[i] == '1') value += std::int64_t{1} << (bits.size() - 1 - i);
      }
      if (value != number) return found(bits, " is not ", number);
    }
    return kHolds;
  });
}

TEST(ExplainCosize, EndsWhereTheOperationEnds) {
  for_all(positive_one, [](const Operands& o) -> Finding {
    const Explanation explanation = cute::explain_cosize(to_layout(o.layouts[0]));
    if (const Equations equations = equations_in(explanation); equations.wrong)
      return equations.wrong;
    const std::string wanted = std::to_string(cosize(o.layouts[0]));
    return explanation.result.text == wanted ? kHolds : found("says ", explanation.result.text);
  });
}

TEST(ExplainCoordinates, CoordinateAndIndexAreReadBack) {
  const auto operands = [](Random& random) {
    const Plain a = compact_layout(random);
    return Operands{{a}, {random.between(0, size(a) - 1)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const IntTuple index(Int(o.numbers[0]));
    const Explanation there = cute::explain_idx2crd(index, a.shape());
    const IntTuple coordinate = *cute::idx2crd(index, a.shape());
    const Explanation back = cute::explain_crd2idx(coordinate, a.shape());
    for (const Explanation* explanation : {&there, &back}) {
      if (const Equations equations = equations_in(*explanation); equations.wrong)
        return equations.wrong;
    }
    return back.result.text == std::to_string(o.numbers[0]) ? kHolds : found(back.result.text);
  });
}

}  // namespace
}  // namespace heddle::test
