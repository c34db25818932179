// equal() against evaluation of every coordinate.

#include "heddle/cute/equality.h"

#include <gtest/gtest.h>

#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Layout;

/// Two layouts that are often the same map in other words.
Operands two_layouts(Random& random) {
  const Plain a = any_layout(random);
  Plain b = renested(random, a);
  if (random.chance(40)) b = plain_layout(coalesced_modes(a));
  if (random.chance(25) && !b.is_leaf()) b.modes.back() = any_layout(random, 8);
  if (random.chance(15)) b = any_layout(random);
  return {{a, b}, {}};
}

TEST(Equal, IsTheSameTable) {
  Tally yes;
  Tally no;
  for_all(two_layouts, [&](const Operands& o) -> Finding {
    const Verdict verdict = cute::equal(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    const bool same = table(o.layouts[0]) == table(o.layouts[1]);
    (same ? yes : no).count();
    if (verdict.answer() == Answer::kUnknown) return found(verdict);
    return verdict.is_yes() == same ? kHolds : found(verdict);
  });
  yes.expect_at_least(20);
  no.expect_at_least(10);
}

TEST(Equal, IsSymmetric) {
  for_all(two_layouts, [](const Operands& o) -> Finding {
    const Layout a = to_layout(o.layouts[0]);
    const Layout b = to_layout(o.layouts[1]);
    return cute::equal(a, b).answer() == cute::equal(b, a).answer() ? kHolds
                                                                    : found(cute::equal(b, a));
  });
}

// A no about layouts of one size comes with a coordinate where they differ.
TEST(Equal, CounterexampleDiffers) {
  const auto almost_equal = [](Random& random) {
    const Plain layout = any_layout(random);
    Plain other = layout;
    Plain* mode = &other;
    while (!mode->is_leaf()) mode = &mode->modes.back();
    mode->stride += random.between(1, 3);
    return Operands{{layout, other}, {}};
  };
  for_all({.percent = 50}, almost_equal, [&](const Operands& o) -> Finding {
    if (size(o.layouts[0]) != size(o.layouts[1])) return kSaysNothing;
    const Verdict verdict = cute::equal(to_layout(o.layouts[0]), to_layout(o.layouts[1]));
    if (!verdict.is_no()) return kSaysNothing;
    const std::optional<Witness>& witness = verdict.counterexample();
    if (!witness) return found("no counterexample: ", verdict);
    return witness->found != witness->wanted ? kHolds : found(verdict);
  });
}

TEST(Equal, OfComposedLayoutsIsTheSameTable) {
  const auto operands = [](Random& random) {
    Operands o = two_layouts(random);
    for (Plain& layout : o.layouts) {
      if (has_negative_stride(layout)) layout = compact_layout(random, 64);
    }
    for (int k = 0; k < 2; ++k) {
      const std::int64_t b = random.between(1, 2);
      for (const std::int64_t n : {b, random.between(1, 4), random.between(b, 3)})
        o.numbers.push_back(n);
    }
    if (random.chance(60)) std::copy_n(o.numbers.begin(), 3, o.numbers.begin() + 3);
    return o;
  };
  Tally yes;
  for_all(operands, [&](const Operands& o) -> Finding {
    std::vector<AnyLayout> layouts;
    std::vector<std::vector<std::int64_t>> tables;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto parameter = [&](std::size_t i) { return static_cast<int>(o.numbers[3 * k + i]); };
      const auto swizzle = cute::Swizzle::make(parameter(0), parameter(1) - 1, parameter(2));
      if (!swizzle || has_negative_stride(o.layouts[k])) return kSaysNothing;
      layouts.emplace_back(ComposedLayout::make(*swizzle, 0, to_layout(o.layouts[k])).value());
      tables.emplace_back(table(o.layouts[k]));
      for (std::int64_t& index : tables.back()) index = (*swizzle)(index);
    }
    const bool same = tables[0] == tables[1];
    if (same) yes.count();
    const Verdict verdict = cute::equal(layouts[0], layouts[1]);
    return verdict.is_yes() == same && verdict.is_no() != same ? kHolds : found(verdict);
  });
  yes.expect_at_least(15);
}

TEST(Equal, OfASwizzledAndAPlainLayoutIsTheSameTable) {
  const auto operands = [](Random& random) {
    return Operands{{positive_layout(random), positive_layout(random)},
                    {random.between(1, 3), random.between(1, 8), random.between(3, 4)}};
  };
  for_all(operands, [](const Operands& o) -> Finding {
    const auto parameter = [&](std::size_t i) { return static_cast<int>(o.numbers[i]); };
    const auto swizzle = cute::Swizzle::make(parameter(0), parameter(1), parameter(2));
    if (!swizzle) return kSaysNothing;
    for (const Plain& other : o.layouts) {
      std::vector<std::int64_t> values = table(o.layouts[0]);
      for (std::int64_t& index : values) index = (*swizzle)(index);
      const AnyLayout left = ComposedLayout::make(*swizzle, 0, to_layout(o.layouts[0])).value();
      const Verdict verdict = cute::equal(left, to_layout(other));
      if (verdict.is_yes() != (values == table(other))) return found(verdict);
    }
    return kHolds;
  });
}

}  // namespace
}  // namespace heddle::test
