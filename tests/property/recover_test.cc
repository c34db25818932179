// Laws of recovery: whatever is known of a function's layout, the rest is found, and nothing is
// found where trying everything finds nothing.

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/form/recover.h"
#include "heddle/form/recover_bits.h"
#include "heddle/form/recover_mixed.h"
#include "support/contract.h"
#include "support/law.h"

namespace heddle::test {
namespace {

using form::StridedMap;
using Values = std::vector<std::int64_t>;

form::Sampler of_values(const Values& values) {
  return [&values](std::int64_t c) { return Values{values.at(static_cast<std::size_t>(c))}; };
}

std::int64_t count(const Values& values) { return static_cast<std::int64_t>(values.size()); }

std::int64_t product(const Values& factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) product *= factor;
  return product;
}

Values shifted_table(const Plain& layout, std::int64_t offset) {
  Values values = table(layout);
  for (std::int64_t& value : values) value += offset;
  return values;
}

std::vector<Plain> to_modes(const std::vector<form::Digit>& digits) {
  std::vector<Plain> modes;
  for (const form::Digit& digit : digits)
    modes.push_back(plain_leaf(digit.extent.value(), digit.stride.at(0).value()));
  return modes;
}

/// The map has these values, by value_at.
Finding has_values(const auto& map, const Values& values) {
  for (std::int64_t c = 0; c < count(values); ++c) {
    const auto value = value_at(map, c);
    if (value != Values{values[static_cast<std::size_t>(c)]}) return found("wrong at ", c);
  }
  return kHolds;
}

/// All ways to write n as an ordered product of so many factors.
std::vector<Values> factorizations(std::int64_t n, std::size_t length) {
  if (length == 0) return n == 1 ? std::vector<Values>{{}} : std::vector<Values>{};
  std::vector<Values> all;
  for (std::int64_t first = 1; first <= n; ++first) {
    if (n % first != 0) continue;
    for (Values rest : factorizations(n / first, length - 1)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

Operands layout_and_offset(Random& random) {
  return {{any_layout(random)}, {random.chance(50) ? 0 : random.between(-99, 99)}};
}

TEST(RecoverStrided, IsCoalesceAndTheOffset) {
  for_all(layout_and_offset, [](const Operands& o) -> Finding {
    const Values values = shifted_table(o.layouts[0], o.numbers[0]);
    const auto map = form::recover_strided(count(values), 1, of_values(values));
    if (!map) return found(map.error());
    if (map->offset != Values{o.numbers[0]}) return found("offset ", map->offset[0]);
    const bool is_shortest = to_modes(map->digits()) == coalesced_modes(o.layouts[0]);
    return is_shortest ? has_values(*map, values) : found("not the coalesced layout");
  });
}

TEST(RecoverWithShape, FindsTheStrides) {
  for_all(layout_and_offset, [](const Operands& o) -> Finding {
    const Values values = shifted_table(o.layouts[0], o.numbers[0]);
    Values shape;
    Values strides;
    for (const Plain& leaf : leaves(o.layouts[0])) {
      shape.push_back(leaf.extent);
      strides.push_back(leaf.extent == 1 ? 0 : leaf.stride);
    }
    const auto map = form::recover_with_shape(shape, 1, of_values(values));
    if (!map) return found(map.error());
    const std::vector<Plain> modes = to_modes(map->digits());
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (modes[i] != plain_leaf(shape[i], strides[i])) return found("mode ", i);
    }
    return has_values(*map, values);
  });
}

TEST(RecoverWithShape, RefusesExactlyWhereNoStridesDo) {
  Tally refused;
  const auto operands = [](Random& random) {
    const Plain layout = any_layout(random, 64);
    return Operands{{layout}, random_factors(random, size(layout))};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Values values = table(o.layouts[0]);
    if (product(o.numbers) != count(values)) return kSaysNothing;
    std::vector<Plain> modes;
    std::int64_t step = 1;
    for (const std::int64_t extent : o.numbers) {
      const std::int64_t first = extent == 1 ? 0 : values.at(static_cast<std::size_t>(step));
      modes.push_back(plain_leaf(extent, first));
      step *= extent;
    }
    const bool exists = modes.empty() || table(plain_tuple(modes)) == values;
    const auto map = form::recover_with_shape(o.numbers, 1, of_values(values));
    if (!map) refused.count();
    return map.has_value() == exists ? kHolds : found("exists: ", exists);
  });
  refused.expect_at_least(10);
}

TEST(RecoverWithStrides, FindsExtents) {
  for_all(layout_and_offset, [](const Operands& o) -> Finding {
    const Values values = shifted_table(o.layouts[0], o.numbers[0]);
    std::vector<Values> strides;
    for (const Plain& leaf : leaves(o.layouts[0])) strides.push_back({leaf.stride});
    const auto map = form::recover_with_strides(count(values), strides, of_values(values));
    if (!map) return found(map.error());
    const std::vector<Plain> modes = to_modes(map->digits());
    for (std::size_t i = 0; i < modes.size(); ++i) {
      if (modes[i].stride != strides[i][0]) return found("mode ", i);
    }
    return has_values(*map, values);
  });
}

TEST(RecoverWithStrides, RefusesExactlyWhereNoExtentsDo) {
  Tally refused;
  const auto operands = [](Random& random) {
    const Plain layout = any_layout(random, 48);
    Values strides;
    for (const Plain& leaf : leaves(layout)) {
      if (random.chance(85)) strides.push_back(leaf.stride);
      if (random.chance(15)) strides.push_back(random.between(-2, 8));
      if (random.chance(15)) strides.push_back(leaf.stride * random.between(2, 4));
    }
    if (strides.size() > 4) strides.resize(4);
    return Operands{{layout}, strides};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Values values = table(o.layouts[0]);
    const auto is_right = [&](const Values& extents) {
      std::vector<Plain> modes;
      for (std::size_t i = 0; i < extents.size(); ++i)
        modes.push_back(plain_leaf(extents[i], o.numbers[i]));
      return modes.empty() ? count(values) == 1 : table(plain_tuple(modes)) == values;
    };
    const bool exists =
        std::ranges::any_of(factorizations(count(values), o.numbers.size()), is_right);
    std::vector<Values> strides;
    for (const std::int64_t stride : o.numbers) strides.push_back({stride});
    const auto map = form::recover_with_strides(count(values), strides, of_values(values));
    if (!map) refused.count();
    if (map.has_value() != exists) return found("exists: ", exists);
    return map ? has_values(*map, values) : kHolds;
  });
  refused.expect_at_least(10);
}

/// The table of a layout of some modes, often with one value changed, and the modes' sizes.
Operands box_of_numbers(Random& random) {
  const Plain layout = any_layout(random, 48);
  Values values = table(layout);
  if (random.chance(50)) {
    values[static_cast<std::size_t>(random.between(0, count(values) - 1))] += random.between(1, 4);
  }
  values.insert(values.begin(), random.chance(50) ? 0 : 1);  // whether to take a shape of its own
  return {{layout}, values};
}

TEST(RecoverCompatible, RefusesExactlyWhereNoRefinementOfTheShapeDoes) {
  Tally refused;
  Tally recovered;
  for_all(box_of_numbers, [&](const Operands& o) -> Finding {
    if (o.numbers.size() < 2) return kSaysNothing;
    const Values values(o.numbers.begin() + 1, o.numbers.end());
    if (count(values) != size(o.layouts[0])) return kSaysNothing;
    Values shape;
    if (o.layouts[0].is_leaf()) {
      shape = {size(o.layouts[0])};
    } else if (o.numbers[0] == 0) {
      for (const Plain& mode : o.layouts[0].modes) shape.push_back(size(mode));
    } else {
      const std::int64_t first = size(o.layouts[0].modes.front());
      shape = {count(values) / first, first};
    }
    // A refinement of the shape: a factorization whose levels hit each of the shape's.
    bool exists = false;
    Values centred = values;
    for (std::int64_t& value : centred) value -= values.front();
    for (const std::vector<Plain>& modes : layouts_with(centred)) {
      Values levels{1};
      for (const Plain& mode : modes) levels.push_back(levels.back() * mode.extent);
      std::int64_t level = 1;
      bool refines = true;
      for (const std::int64_t extent : shape) {
        level *= extent;
        refines = refines && std::ranges::find(levels, level) != levels.end();
      }
      exists = exists || refines;
    }
    const auto map = form::recover_compatible(shape, 1, of_values(values));
    (map ? recovered : refused).count();
    if (map.has_value() != exists) return found("exists: ", exists);
    if (!map) return map.error().witness() ? kHolds : found("no witness: ", map.error());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t extent = 1;
      for (const form::Digit& digit : map->modes[i]) extent *= digit.extent.value();
      if (extent != shape[i]) return found("mode ", i);
    }
    return has_values(*map, values);
  });
  refused.expect_at_least(10);
  recovered.expect_at_least(10);
}

TEST(RecoverStrided, EveryTableOfFewSmallNumbers) {
  // All tables of 2, 3, 4, 6 and 8 points whose values lie in [0, 3].
  for (const std::int64_t extent : {2, 3, 4, 6, 8}) {
    const std::int64_t tables = std::int64_t{1} << (2 * extent);
    for (std::int64_t code = 0; code < tables; code += 4) {  // the first value is 0
      Values values;
      for (std::int64_t c = 0; c < extent; ++c) values.push_back(code >> (2 * c) & 3);
      const bool exists = !layouts_with(values).empty();
      const auto map = form::recover_strided(extent, 1, of_values(values));
      ASSERT_EQ(map.has_value(), exists) << extent << " points, code " << code;
    }
  }
}

// Bits.

TEST(RecoverBits, FindsEveryBitMap) {
  for_all_seeds([](Random& random) -> Finding {
    form::BitMap map;
    const std::int64_t bits = random.between(0, 7);
    const std::int64_t limit = std::int64_t{1} << random.between(0, 12);
    for (std::int64_t i = 0; i < bits; ++i)
      map.columns.push_back({random.between(0, limit - 1), random.between(0, 3)});
    map.offset = {random.chance(50) ? 0 : random.between(0, limit - 1), random.between(0, 1)};
    const auto f = [&](std::int64_t c) { return value_at(map, c); };
    const auto recovered = form::recover_bit_linear(std::int64_t{1} << bits, 2, f);
    if (!recovered) return found(recovered.error());
    return *recovered == map ? kHolds : found("another map");
  });
}

TEST(RecoverBits, RefusesExactlyWhatIsNotLinear) {
  Tally refused;
  for_all_seeds([&](Random& random) -> Finding {
    const std::int64_t size = std::int64_t{1} << random.between(0, 5);
    Values values;
    const Values columns{random.between(0, 31), random.between(0, 31), random.between(0, 31),
                         random.between(0, 31), random.between(0, 31)};
    for (std::int64_t c = 0; c < size; ++c) {
      std::int64_t value = 5;
      for (std::size_t bit = 0; bit < 5; ++bit) {
        if ((c >> bit & 1) != 0) value ^= columns[bit];
      }
      values.push_back(value);
    }
    if (random.chance(60)) {
      values[static_cast<std::size_t>(random.between(0, size - 1))] ^= random.between(0, 31);
    }
    bool is_linear = true;
    for (std::int64_t a = 0; a < size; ++a) {
      for (std::int64_t b = 0; b < a; ++b) {
        const auto at = [&](std::int64_t c) { return values[static_cast<std::size_t>(c)]; };
        is_linear = is_linear && (at(0) ^ at(a) ^ at(b) ^ at(a ^ b)) == 0;
      }
    }
    const auto map = form::recover_bit_linear(size, 1, of_values(values));
    if (!map) refused.count();
    if (map.has_value() != is_linear) return found("linear: ", is_linear);
    return map || map.error().witness() ? kHolds : found("no witness");
  });
  refused.expect_at_least(20);
}

TEST(BitsOf, IsThereExactlyWhereTheLayoutIsLinearOverBits) {
  Tally linear;
  const auto operands = [](Random& random) {
    return Operands{{any_layout(random, 128)}, {random.between(0, 40)}};
  };
  for_all(operands, [&](const Operands& o) -> Finding {
    const Values values = shifted_table(o.layouts[0], o.numbers[0]);
    const auto map = form::recover_strided(count(values), 1, of_values(values));
    if (!map) return found(map.error());
    const auto bits = form::bits_of(*map);
    const auto recovered = form::recover_bit_linear(count(values), 1, of_values(values));
    if (bits.has_value() != recovered.has_value()) return found("from digits: ", bits.has_value());
    if (!bits) return kHolds;
    linear.count();
    return *bits == *recovered ? kHolds : found("another map");
  });
  linear.expect_at_least(10);
}

// Swizzles.

TEST(RecoverMixed, FindsALayoutWithTheFunctionAndNoMoreBits) {
  for_all_seeds([](Random& random) -> Finding {
    const Plain layout = random.chance(80) ? positive_layout(random) : any_layout(random);
    const int bits = static_cast<int>(random.between(0, 3));
    const int shift = static_cast<int>(random.between(bits, 4)) * (random.chance(80) ? 1 : -1);
    const form::SwizzleBits swizzle{bits, static_cast<int>(random.between(0, 4)), shift};
    Values values = shifted_table(layout, random.chance(70) ? 0 : random.between(0, 40));
    for (std::int64_t& value : values) value = swizzle(value);
    const auto map = form::recover_mixed(Values{count(values)}, 1, of_values(values));
    if (!map) return found(map.error());
    if (map->swizzle.bits > bits) return found("swizzles ", map->swizzle.bits, " bits");
    return has_values(*map, values);
  });
}

TEST(RecoverMixed, RefusesExactlyWhatNoSwizzleMakesStrided) {
  Tally refused;
  Tally swizzled;
  const auto finds = [](const Values& values, const form::SwizzleBits& swizzle) {
    Values plain;
    for (const std::int64_t value : values) plain.push_back(swizzle(value) - swizzle(values[0]));
    return !layouts_with(plain).empty();
  };
  for_all_seeds({.one_in = 10}, [&](Random& random) -> Finding {
    const std::int64_t size = random.one_of(Values{2, 3, 4, 6, 8, 12, 16});
    Values values;
    const bool is_signed = random.chance(20);
    for (std::int64_t c = 0; c < size; ++c)
      values.push_back(random.chance(70) ? c ^ (c >> 1 & 1)
                                         : random.between(is_signed ? -4 : 0, 15));
    int fewest = finds(values, {}) ? 0 : 99;
    for (int bits = 1; bits <= 5 && fewest == 99; ++bits) {
      for (int base = 0; base + bits <= 10; ++base) {
        for (int shift = bits; base + bits + shift <= 10; ++shift) {
          if (finds(values, {bits, base, shift}) || finds(values, {bits, base, -shift}))
            fewest = std::min(fewest, bits);
        }
      }
    }
    const auto map = form::recover_mixed(Values{size}, 1, of_values(values));
    if (!map) refused.count();
    if (map && map->swizzle.bits > 0) swizzled.count();
    if ((map ? map->swizzle.bits : 99) != fewest) {
      return found("fewest bits: ", fewest, ", found ", map ? map->swizzle.bits : 99);
    }
    return map ? has_values(*map, values) : kHolds;
  });
  refused.expect_at_least(1);
  swizzled.expect_at_least(1);
}

}  // namespace
}  // namespace heddle::test
