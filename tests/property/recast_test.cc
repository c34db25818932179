// Laws of upcast and downcast.

#include "heddle/cute/recast.h"

#include <gtest/gtest.h>

#include <set>

#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using cute::Layout;

/// Extents and strides that are powers of two, injective; n a power of two.
Operands powers_of_two(Random& random) {
  std::vector<Plain> modes;
  std::int64_t stride = 1;
  for (std::int64_t k = random.between(1, 4); k > 0; --k) {
    if (random.chance(25)) stride *= 2;
    modes.push_back(plain_leaf(std::int64_t{1} << random.between(0, 3), stride));
    stride *= modes.back().extent;
  }
  random.shuffle(modes);
  return {{renested(random, plain_tuple(modes))}, {std::int64_t{1} << random.between(0, 4)}};
}

bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

std::set<std::int64_t> image(const Plain& layout) {
  const std::vector<std::int64_t> values = table(layout);
  return {values.begin(), values.end()};
}

TEST(Upcast, ReachesTheVectorsThatHoldTheElements) {
  for_all({.percent = 80}, powers_of_two, [&](const Operands& o) -> Finding {
    const std::int64_t n = o.numbers[0];
    for (const Plain& leaf : leaves(o.layouts[0])) {
      if (!is_power_of_two(leaf.extent) || !is_power_of_two(leaf.stride)) return kSaysNothing;
    }
    if (!is_power_of_two(n) || !is_injective(o.layouts[0])) return kSaysNothing;
    const Result<Layout> r = cute::upcast(to_layout(o.layouts[0]), n);
    if (!r) return found(r.error());
    std::set<std::int64_t> wanted;
    for (const std::int64_t index : table(o.layouts[0])) wanted.insert(index / n);
    return image(to_plain(*r)) == wanted ? kHolds : found(*r);
  });
}

TEST(Upcast, OfModesThatOverlapIsRightOrRefused) {
  Tally overlapping;
  const auto operands = [](Random& random) {
    std::vector<Plain> modes;
    for (std::int64_t k = random.between(1, 4); k > 0; --k) {
      modes.push_back(plain_leaf(random.between(1, 8), std::int64_t{1} << random.between(0, 4)));
    }
    return Operands{{plain_tuple(modes)}, {std::int64_t{1} << random.between(0, 4)}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const std::int64_t n = o.numbers[0];
    const Result<Layout> r = cute::upcast(to_layout(o.layouts[0]), n);
    std::set<std::int64_t> wanted;
    for (const std::int64_t index : table(o.layouts[0])) wanted.insert(index / n);
    if (r) return image(to_plain(*r)) == wanted ? kHolds : found(*r);
    if (r.error().code() != "recast.overlap") return kSaysNothing;
    overlapping.count();
    return is_injective(o.layouts[0]) ? found(r.error()) : kHolds;
  });
  overlapping.expect_at_least(15);
}

Operands with_a_line(Random& random) {
  return {{injective_layout(random, 64)}, {random.between(1, 8)}};
}

bool has_a_line(const Plain& layout) {
  for (const Plain& leaf : leaves(layout)) {
    if (leaf.stride == 1 && leaf.extent > 1) return true;
  }
  return false;
}

TEST(Downcast, ReachesEveryPartOfEveryElement) {
  for_all({.percent = 40}, with_a_line, [&](const Operands& o) -> Finding {
    if (!has_a_line(o.layouts[0]) || !is_injective(o.layouts[0])) return kSaysNothing;
    const std::int64_t n = o.numbers[0];
    const Result<Layout> r = cute::downcast(to_layout(o.layouts[0]), n);
    if (!r) return found(r.error());
    std::set<std::int64_t> wanted;
    for (const std::int64_t index : table(o.layouts[0])) {
      for (std::int64_t k = 0; k < n; ++k) wanted.insert(n * index + k);
    }
    const Plain result = to_plain(*r);
    if (size(result) != n * size(o.layouts[0])) return found(*r, " has another size");
    return image(result) == wanted ? kHolds : found(*r);
  });
}

TEST(Downcast, ThenUpcastGivesTheLayoutBack) {
  for_all({.percent = 40}, with_a_line, [&](const Operands& o) -> Finding {
    if (!has_a_line(o.layouts[0]) || !is_injective(o.layouts[0])) return kSaysNothing;
    const Result<Layout> down = cute::downcast(to_layout(o.layouts[0]), o.numbers[0]);
    if (!down) return found(down.error());
    const Result<Layout> up = cute::upcast(*down, o.numbers[0]);
    if (!up) return found(*down, ": ", up.error());
    if (!compatible(o.layouts[0], to_plain(*up))) return found(*up);
    return differs(table_of(*up), table(o.layouts[0]));
  });
}

TEST(Recast, IsUpcastOrDowncastByTheRatio) {
  for_all(powers_of_two, [](const Operands& o) -> Finding {
    const Layout layout = to_layout(o.layouts[0]);
    const Int n = o.numbers[0];
    if (o.numbers[0] == 1)
      return cute::recast(layout, 8, 8) == layout ? kHolds : found("not the same");
    const Result<Layout> wider = cute::recast(layout, 8, 8 * n);
    const Result<Layout> up = cute::upcast(layout, n);
    if (wider.has_value() != up.has_value() || (up && *wider != *up))
      return found("not the upcast");
    const Result<Layout> narrower = cute::recast(layout, 8 * n, 8);
    const Result<Layout> down = cute::downcast(layout, n);
    if (narrower.has_value() != down.has_value()) return found("one is refused");
    return !down || *narrower == *down ? kHolds : found(*narrower, " and ", *down);
  });
}

}  // namespace
}  // namespace heddle::test
