// is_complement against the three clauses of the contract, counted out, and what it says.

#include "heddle/map/complement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heddle/cute/admissibility.h"
#include "heddle/cute/complement.h"
#include "heddle/map/decide.h"
#include "support/contract.h"
#include "support/law.h"
#include "support/refusal.h"

namespace heddle::map {
namespace {

using test::Finding;
using test::for_all;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Operands;
using test::Random;
using test::to_layout;

Operands layout_rest_and_target(Random& random) {
  const test::Plain a = test::positive_layout(random, 32);
  const std::int64_t target = random.between(1, 2 * test::cosize(a) + 8);
  if (random.chance(40)) {
    const auto rest = test::cute_complement(a, target);
    if (rest) return {{a, *rest}, {target}};
  }
  return {
      {a, random.chance(60) ? test::injective_layout(random, 16) : test::any_layout(random, 16)},
      {target}};
}

TEST(IsComplement, IsTheContractCountedOut) {
  test::Tally yes;
  for_all(layout_rest_and_target, [&](const Operands& o) -> Finding {
    const auto verdict =
        is_complement(to_layout(o.layouts[0]), to_layout(o.layouts[1]), o.numbers[0]);
    if (!verdict) return found(verdict.error());
    const Finding broken = test::check_complement(o.layouts[0], o.numbers[0], o.layouts[1]);
    if (verdict->is_unknown()) return found(*verdict);
    if (verdict->is_yes()) yes.count();
    if (verdict->is_yes() == !broken) return kHolds;
    return broken ? found(*verdict, ", but ", *broken)
                  : found(*verdict, ", but the contract holds");
  });
  yes.expect_at_least(10);
}

TEST(IsComplement, HoldsOfComplements) {
  for_all({.percent = 30}, layout_rest_and_target, [](const Operands& o) -> Finding {
    const cute::Layout a = to_layout(o.layouts[0]);
    const auto rest = cute::complement(a, IntTuple(Int(o.numbers[0])));
    if (!rest) return kSaysNothing;
    const auto verdict = is_complement(a, *rest, o.numbers[0]);
    return verdict && verdict->is_yes() ? kHolds : found(*rest);
  });
}

TEST(IsIncreasing, IsEveryCoordinateAboveTheOneBefore) {
  for_all(test::one_layout, [](const Operands& o) -> Finding {
    const auto verdict = cute::is_increasing(to_layout(o.layouts[0]));
    const std::vector<std::int64_t> table = test::table(o.layouts[0]);
    const auto falls = std::ranges::adjacent_find(table, std::greater_equal<>());
    if (!verdict) return found(verdict.error());
    if (verdict->is_yes() != (falls == table.end())) return found(*verdict);
    if (verdict->is_yes()) return kHolds;
    const std::int64_t first = falls - table.begin() + 1;
    return verdict->counterexample()->coordinate == std::to_string(first) ? kHolds
                                                                          : found(*verdict);
  });
}

TEST(IsSorted, IsWhatSortLeavesAsItIs) {
  for_all(test::one_layout, [](const Operands& o) -> Finding {
    const std::vector<test::Plain> modes = test::leaves(o.layouts[0]);
    const bool sorted =
        std::ranges::is_sorted(modes, [](const test::Plain& a, const test::Plain& b) {
          return std::pair(a.stride, a.extent) < std::pair(b.stride, b.extent);
        });
    const auto verdict = cute::is_sorted(to_layout(o.layouts[0]));
    if (!verdict) return found(verdict.error());
    return verdict->is_yes() == sorted ? kHolds : found(*verdict);
  });
}

TEST(IsComplement, SaysWhichClauseFails) {
  const auto asked = [](std::string_view call) { return test::value(call); };
  EXPECT_EQ(asked("is_complement((4,2):(1,16), 4:4, 32)"),
            "yes  (strictly increasing, 4 of 4 copies, images that meet in 0 alone: digit form)");
  EXPECT_EQ(asked("is_complement((2,2):(1,5), (2,3):(2,9), 20)"),
            "yes  (strictly increasing, 6 of 5 copies, images that meet in 0 alone: digit form)");
  EXPECT_EQ(
      asked("is_complement((4,2):(1,16), 8:2, 32)"),
      "no  (the images meet in other numbers than 0: digit form)  counterexample: coordinate 2 "
      "= (2,0): 2 and 2 at 1");
  EXPECT_EQ(
      asked("is_complement((4,2):(1,16), (2,2):(8,4), 32)"),
      "no  (it is not strictly increasing: the stride 4 is not above 8, which the modes before "
      "it reach)  counterexample: coordinate 2: 4 and more than 8");
}

TEST(IsComplement, TakesSymbolicSizes) {
  const Int n = Int::variable("N", 1, 4096);
  const Int m = Int::variable("M", 1, 4096);
  const auto block = cute::make_layout(IntTuple(n), cute::StrideTuple(1)).value();
  const auto copies = cute::make_layout(IntTuple(m), cute::StrideTuple(cute::Stride(n))).value();
  EXPECT_TRUE(is_complement(block, copies, n * m)->is_yes());
  EXPECT_EQ(test::code(is_complement(block, copies, Int::variable("T", 1, 64))), "assume.needed");
  const auto overlapping = cute::make_layout(IntTuple(2), cute::StrideTuple(1)).value();
  const auto wide = cute::make_layout(IntTuple(n + 1), cute::StrideTuple(1)).value();
  EXPECT_TRUE(disjoint_apart_from_zero(wide, overlapping).is_no());
}

}  // namespace
}  // namespace heddle::map
