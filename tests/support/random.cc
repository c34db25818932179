#include "support/random.h"

#include <algorithm>
#include <numeric>

namespace heddle::test {
namespace {

std::vector<std::int64_t> random_extents(Random& random, std::int64_t max_size) {
  static const std::vector<std::vector<std::int64_t>> kPools = {
      {1, 2, 2, 4, 8, 16}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16}, {1, 2, 2, 3, 4, 6, 12}};
  const std::vector<std::int64_t>& pool = random.one_of(kPools);
  std::vector<std::int64_t> extents;
  std::int64_t total = 1;
  for (std::int64_t n = random.between(1, 5); n > 0; --n) {
    const std::int64_t extent = random.one_of(pool);
    if (total * extent > max_size) continue;
    total *= extent;
    extents.push_back(extent);
  }
  if (extents.empty()) extents.push_back(1);
  return extents;
}

std::vector<std::size_t> random_order(Random& random, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!random.chance(30)) random.shuffle(order);
  return order;
}

/// Strides that are compact in some order, stretched by `gap` between modes.
template <class Gap>
std::vector<Plain> stacked(Random& random, const std::vector<std::int64_t>& extents, Gap gap) {
  std::vector<Plain> modes;
  for (const std::int64_t extent : extents) modes.push_back(plain_leaf(extent, 0));
  std::int64_t stride = 1;
  for (const std::size_t i : random_order(random, extents.size())) {
    stride = gap(stride);
    modes[i].stride = stride;
    stride *= extents[i];
  }
  return modes;
}

std::vector<Plain> compact_modes(Random& random, const std::vector<std::int64_t>& extents) {
  return stacked(random, extents, [](std::int64_t stride) { return stride; });
}

std::vector<Plain> gappy_modes(Random& random, const std::vector<std::int64_t>& extents) {
  return stacked(random, extents, [&](std::int64_t stride) {
    return random.chance(40) ? stride * random.between(2, 4) : stride;
  });
}

std::vector<Plain> padded_modes(Random& random, const std::vector<std::int64_t>& extents) {
  return stacked(random, extents, [&](std::int64_t stride) {
    return random.chance(40) ? stride + random.between(1, 5) : stride;
  });
}

std::vector<Plain> arbitrary_modes(Random& random, const std::vector<std::int64_t>& extents) {
  std::vector<Plain> modes;
  for (const std::int64_t extent : extents) {
    modes.push_back(plain_leaf(extent, random.between(0, random.chance(50) ? 8 : 40)));
  }
  return modes;
}

void broadcast_some(Random& random, std::vector<Plain>& modes) {
  for (Plain& mode : modes) {
    if (random.chance(30)) mode.stride = 0;
  }
}

void negate_some(Random& random, std::vector<Plain>& modes) {
  for (Plain& mode : modes) {
    if (random.chance(40)) mode.stride = -mode.stride;
  }
}

/// A random nesting of the modes: neighbours are grouped, and groups of groups.
Plain nested(Random& random, std::vector<Plain> modes) {
  if (modes.size() == 1 && random.chance(60)) return modes.front();
  for (int round = 0; round < 2; ++round) {
    if (!random.chance(40)) continue;
    const auto n = static_cast<std::int64_t>(modes.size());
    const std::int64_t begin = random.between(0, n - 1);
    const std::int64_t end = random.between(begin + 1, n);
    std::vector<Plain> group(modes.begin() + begin, modes.begin() + end);
    modes.erase(modes.begin() + begin, modes.begin() + end);
    modes.insert(modes.begin() + begin, plain_tuple(std::move(group)));
  }
  return plain_tuple(std::move(modes));
}

std::vector<Plain> positive_modes(Random& random, std::int64_t max_size) {
  const std::vector<std::int64_t> extents = random_extents(random, max_size);
  switch (random.between(0, 5)) {
    case 0:
      return compact_modes(random, extents);
    case 1:
      return gappy_modes(random, extents);
    case 2:
      return padded_modes(random, extents);
    case 3:
      return arbitrary_modes(random, extents);
    case 4: {
      std::vector<Plain> modes = gappy_modes(random, extents);
      broadcast_some(random, modes);
      return modes;
    }
    default: {
      std::vector<Plain> modes = compact_modes(random, extents);
      broadcast_some(random, modes);
      return modes;
    }
  }
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) all.push_back(d);
  }
  return all;
}

}  // namespace

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  // Not std::uniform_int_distribution: its results differ between standard libraries.
  const auto width = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<std::int64_t>(engine_() % width);
}

std::string to_string(const Operands& operands) {
  std::string text;
  for (std::size_t i = 0; i < operands.layouts.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::string(1, static_cast<char>('A' + i)) + " = " +
            to_string(operands.layouts[i]);
  }
  for (std::size_t i = 0; i < operands.numbers.size(); ++i) {
    text += (text.empty() ? "" : ", ") + std::string("n") + std::to_string(i) + " = " +
            std::to_string(operands.numbers[i]);
  }
  return text;
}

Plain any_layout(Random& random, std::int64_t max_size) {
  std::vector<Plain> modes = positive_modes(random, max_size);
  if (random.chance(25)) negate_some(random, modes);
  return nested(random, std::move(modes));
}

Plain positive_layout(Random& random, std::int64_t max_size) {
  return nested(random, positive_modes(random, max_size));
}

Plain injective_layout(Random& random, std::int64_t max_size) {
  const std::vector<std::int64_t> extents = random_extents(random, max_size);
  switch (random.between(0, 2)) {
    case 0:
      return nested(random, compact_modes(random, extents));
    case 1:
      return nested(random, gappy_modes(random, extents));
    default:
      return nested(random, padded_modes(random, extents));
  }
}

Plain compact_layout(Random& random, std::int64_t max_size) {
  return nested(random, compact_modes(random, random_extents(random, max_size)));
}

std::vector<std::int64_t> random_factors(Random& random, std::int64_t n) {
  std::vector<std::int64_t> factors;
  while (n > 1) {
    const std::vector<std::int64_t> choices = divisors(n);
    const std::int64_t factor = random.one_of(choices);
    if (factor == 1) continue;
    factors.push_back(factor);
    n /= factor;
  }
  if (factors.empty()) factors.push_back(1);
  return factors;
}

Plain tile_of(Random& random, std::int64_t size) {
  const std::int64_t stride = random.one_of(divisors(size));
  const std::int64_t extent = random.one_of(divisors(size / stride));
  return plain_leaf(extent, stride);
}

Plain layout_within(Random& random, const Plain& a, std::int64_t max_size) {
  if (random.chance(15)) return any_layout(random, max_size);
  // Cut a column-major line of the size of `a` into factors and take some of the pieces in some
  // order.
  std::vector<Plain> modes;
  std::int64_t level = 1;
  std::vector<std::int64_t> factors;
  if (random.chance(60)) {
    for (const Plain& leaf : leaves(a)) {
      for (const std::int64_t f : random_factors(random, leaf.extent)) factors.push_back(f);
    }
  } else {
    factors = random_factors(random, size(a));
  }
  for (const std::int64_t factor : factors) {
    modes.push_back(plain_leaf(factor, level));
    level *= factor;
  }
  if (random.chance(50)) random.shuffle(modes);
  while (modes.size() > 1 && random.chance(40)) {
    modes.erase(modes.begin() + random.between(0, static_cast<std::int64_t>(modes.size()) - 1));
  }
  if (random.chance(20)) {  // something that may not fit
    Plain& mode = modes[static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(modes.size()) - 1))];
    if (random.chance(50)) mode.extent = random.between(1, 6);
    if (random.chance(50)) mode.stride = random.between(0, 12);
  }
  return nested(random, std::move(modes));
}

Plain renested(Random& random, const Plain& layout) { return nested(random, leaves(layout)); }

namespace {

void simpler_leaf(const Plain& leaf, std::vector<Plain>& out) {
  for (const std::int64_t extent :
       {std::int64_t{1}, std::int64_t{2}, leaf.extent / 2, leaf.extent - 1}) {
    if (extent >= 1 && extent < leaf.extent) out.push_back(plain_leaf(extent, leaf.stride));
  }
  const std::int64_t magnitude = leaf.stride < 0 ? -leaf.stride : leaf.stride;
  if (leaf.stride < 0) out.push_back(plain_leaf(leaf.extent, magnitude));
  for (const std::int64_t stride :
       {std::int64_t{0}, std::int64_t{1}, magnitude / 2, magnitude - 1}) {
    if (stride >= 0 && stride < magnitude) out.push_back(plain_leaf(leaf.extent, stride));
  }
}

std::vector<Plain> simpler_layouts(const Plain& layout) {
  std::vector<Plain> out;
  if (layout.is_leaf()) {
    simpler_leaf(layout, out);
    return out;
  }
  for (const Plain& mode : layout.modes) out.push_back(mode);
  for (std::size_t i = 0; i < layout.modes.size(); ++i) {
    if (layout.modes.size() > 1) {
      Plain fewer = layout;
      fewer.modes.erase(fewer.modes.begin() + static_cast<std::ptrdiff_t>(i));
      out.push_back(std::move(fewer));
    }
    for (Plain& mode : simpler_layouts(layout.modes[i])) {
      Plain changed = layout;
      changed.modes[i] = std::move(mode);
      out.push_back(std::move(changed));
    }
  }
  return out;
}

}  // namespace

std::vector<Operands> simpler(const Operands& operands) {
  std::vector<Operands> out;
  for (std::size_t i = 0; i < operands.layouts.size(); ++i) {
    for (Plain& layout : simpler_layouts(operands.layouts[i])) {
      Operands changed = operands;
      changed.layouts[i] = std::move(layout);
      out.push_back(std::move(changed));
    }
  }
  for (std::size_t i = 0; i < operands.numbers.size(); ++i) {
    const std::int64_t n = operands.numbers[i];
    for (const std::int64_t smaller : {std::int64_t{1}, n / 2, n - 1}) {
      if (smaller < 1 || smaller >= n) continue;
      Operands changed = operands;
      changed.numbers[i] = smaller;
      out.push_back(std::move(changed));
    }
  }
  return out;
}

Operands one_layout(Random& random) { return {{any_layout(random)}, {}}; }

}  // namespace heddle::test
