// Laws of upcast and downcast.

#include "heddle/cute/recast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "heddle/cute/composed_layout.h"
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

// Under a swizzle: element i of the layout that the swizzle acts on is at w(i), and after a recast
// every bit of memory is where it was.

/// One swizzle, with the numbers of its parameters, after an offset and a layout.
struct Swizzled {
  cute::Swizzle swizzle;
  std::int64_t offset = 0;
  Plain layout;

  [[nodiscard]] cute::ComposedLayout value() const {
    return cute::ComposedLayout::make(swizzle, offset, to_layout(layout)).value();
  }
  /// The indices before the swizzle.
  [[nodiscard]] std::vector<std::int64_t> before() const {
    std::vector<std::int64_t> indices = table(layout);
    for (std::int64_t& index : indices) index += offset;
    return indices;
  }
};

Swizzled swizzled_layout(Random& random, std::int64_t n) {
  const int bits = static_cast<int>(random.between(1, 3));
  const int base = static_cast<int>(random.between(0, 4));
  const int shift = bits + static_cast<int>(random.between(0, 2));
  const auto swizzle = cute::Swizzle::make(bits, base, random.chance(30) ? -shift : shift);
  const std::int64_t offset = random.chance(50) ? 0 : n * random.between(0, 9);
  return {*swizzle, offset, powers_of_two(random).layouts[0]};
}

std::int64_t floor_of(std::int64_t index, std::int64_t n) { return index - index % n; }

/// Whether two elements of one wider element are in different ones after the swizzle, or elsewhere
/// in it.
bool tears(const Swizzled& narrow, std::int64_t n) {
  std::map<std::int64_t, std::int64_t> moved;
  return std::ranges::any_of(narrow.before(), [&](std::int64_t index) {
    const std::int64_t place = narrow.swizzle(index);
    const auto [whole, is_new] = moved.emplace(floor_of(index, n), floor_of(place, n));
    return place % n != index % n || whole->second != floor_of(place, n);
  });
}

TEST(Upcast, UnderASwizzleKeepsWiderElementsWholeOrIsRefused) {
  Tally moved;
  Tally torn;
  for_all_seeds({.percent = 60}, [&](Random& random) -> Finding {
    const std::int64_t n = std::int64_t{1} << random.between(0, 4);
    const Swizzled narrow = swizzled_layout(random, n);
    const Result<cute::ComposedLayout> wide = cute::upcast(narrow.value(), n);
    if (!wide) {
      if (wide.error().code() != "recast.swizzle") return kSaysNothing;
      torn.count();
      return tears(narrow, n) ? kHolds : found(wide.error());
    }
    std::set<std::int64_t> wanted;
    for (const std::int64_t index : narrow.before()) {
      const std::int64_t place = narrow.swizzle(index);
      if (n * wide->swizzle()(index / n) + index % n != place) {
        return found(narrow.value(), " -> ", *wide, " at ", index);
      }
      wanted.insert(place / n);
      if (place != index) moved.count();
    }
    std::set<std::int64_t> got;
    for (std::int64_t c = 0; c < wide->size().value(); ++c) got.insert((*wide)(c).value());
    return got == wanted ? kHolds : found(narrow.value(), " -> ", *wide);
  });
  moved.expect_at_least(15);
  torn.expect_at_least(15);
}

TEST(Downcast, UnderASwizzleKeepsElementsWhole) {
  for_all_seeds({.percent = 40}, [](Random& random) -> Finding {
    const std::int64_t n = std::int64_t{1} << random.between(0, 4);
    const Swizzled wide = swizzled_layout(random, 1);
    const Result<cute::ComposedLayout> narrow = cute::downcast(wide.value(), n);
    if (!narrow) return kSaysNothing;
    std::set<std::int64_t> wanted;
    for (const std::int64_t index : wide.before()) {
      for (std::int64_t k = 0; k < n; ++k) wanted.insert(n * wide.swizzle(index) + k);
    }
    std::set<std::int64_t> got;
    for (std::int64_t c = 0; c < narrow->size().value(); ++c) got.insert((*narrow)(c).value());
    return got == wanted ? kHolds : found(wide.value(), " -> ", *narrow);
  });
}

/// A swizzle by itself permutes all indices.
TEST(Upcast, OfASwizzleIsRefusedIfAndOnlyIfItMovesTheLowestBits) {
  for_all_seeds([](Random& random) -> Finding {
    const std::int64_t n = std::int64_t{1} << random.between(0, 4);
    const cute::Swizzle narrow = swizzled_layout(random, n).swizzle;
    const Result<cute::Swizzle> wide = cute::upcast(narrow, n);
    bool is_whole = true;
    for (std::int64_t index = 0; index < narrow.size(); ++index) {
      const std::int64_t start = narrow(floor_of(index, n));
      is_whole = is_whole && start % n == 0 && narrow(index) == start + index % n;
      if (wide && n * (*wide)(index / n) + index % n != narrow(index)) {
        return found(narrow, " -> ", *wide, " at ", index);
      }
    }
    return is_whole == wide.has_value() ? kHolds : found(narrow, " by ", n);
  });
}

}  // namespace
}  // namespace heddle::test
