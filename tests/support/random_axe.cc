#include "support/random_axe.h"

#include <sstream>

namespace heddle::test {
namespace {

using axe::Coordinate;
using axe::Iter;
using axe::Layout;

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> result;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) result.push_back(d);
  }
  return result;
}

/// One bit at a time: bit `to + i` changes where bit `from + i` is set.
std::int64_t plain_swizzle(const axe::Swizzle& swizzle, std::int64_t address) {
  const int low = swizzle.per_element;
  const int high = swizzle.per_element + swizzle.atom_len;
  std::int64_t result = address;
  for (int i = 0; i < swizzle.swizzle_len; ++i) {
    const int from = (swizzle.inner ? high : low) + i;
    const int to = (swizzle.inner ? low : high) + i;
    if (((address >> from) & 1) != 0) result ^= std::int64_t{1} << to;
  }
  return result;
}

void add(PlainPlace& place, const Iter& iter, std::int64_t digit) {
  place[iter.axis.name()] += digit * iter.stride.value();
}

PlainPlace finished(PlainPlace place, const Layout& layout) {
  if (layout.swizzle()) {
    std::int64_t& address = place[layout.swizzle()->axis.name()];
    address = plain_swizzle(*layout.swizzle(), address);
  }
  std::erase_if(place, [](const auto& entry) { return entry.second == 0; });
  return place;
}

Axis random_axis(Random& random) {
  static const std::vector<std::string> names = {"m", "m", "m", "laneid", "warpid"};
  return Axis(random.one_of(names));
}

std::vector<std::int64_t> random_extents(Random& random, std::int64_t max_size) {
  std::vector<std::int64_t> extents;
  std::int64_t size = 1;
  for (std::int64_t n = random.between(1, 5); n > 0; --n) {
    const std::int64_t extent = random.one_of<std::int64_t>({1, 2, 2, 2, 3, 4, 4, 5, 6, 8});
    if (size * extent > max_size) break;
    size *= extent;
    extents.push_back(extent);
  }
  if (extents.empty()) extents.push_back(1);
  return extents;
}

/// Strides that most often chain, in some order, sometimes with gaps or on other axes.
std::vector<Iter> random_shard(Random& random, const std::vector<std::int64_t>& extents) {
  std::vector<std::size_t> order(extents.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  if (random.chance(50)) random.shuffle(order);
  const bool one_axis = random.chance(40);
  std::map<std::string, std::int64_t> next;
  std::vector<Iter> iters(extents.size());
  for (const std::size_t i : order) {
    const Axis axis = one_axis ? Axis::memory() : random_axis(random);
    std::int64_t& step = next.try_emplace(axis.name(), 1).first->second;
    if (random.chance(10)) step += random.between(1, 3);
    std::int64_t stride = step;
    step *= extents[i];
    if (random.chance(5)) stride = 0;
    if (random.chance(7)) stride = -stride;
    if (random.chance(7)) stride = random.between(-9, 20);
    iters[i] = {extents[i], stride, axis};
  }
  return iters;
}

}  // namespace

PlainPlaces plain_places(const Layout& layout, std::int64_t index) {
  PlainPlace base;
  std::int64_t rest = index;
  for (std::size_t i = layout.shard().size(); i-- > 0;) {
    const Iter& iter = layout.shard()[i];
    add(base, iter, rest % iter.extent.value());
    rest /= iter.extent.value();
  }
  for (const auto& [axis, value] : layout.offset()) base[axis.name()] += value.value();
  std::vector<PlainPlace> all = {base};
  for (const Iter& iter : layout.replica()) {
    std::vector<PlainPlace> next;
    for (const PlainPlace& place : all) {
      for (std::int64_t copy = 0; copy < iter.extent.value(); ++copy) {
        next.push_back(place);
        add(next.back(), iter, copy);
      }
    }
    all = std::move(next);
  }
  PlainPlaces result;
  for (const PlainPlace& place : all) result.insert(finished(place, layout));
  return result;
}

std::vector<PlainPlaces> plain_map(const Layout& layout) {
  std::vector<PlainPlaces> result;
  const std::int64_t size = axe::size(layout).value();
  for (std::int64_t index = 0; index < size; ++index) {
    result.push_back(plain_places(layout, index));
  }
  return result;
}

Layout any_axe(Random& random, const AxeKind& kind) {
  const std::vector<Iter> shard = random_shard(random, random_extents(random, kind.max_size));
  std::vector<Iter> replica;
  if (kind.replicas && random.chance(35)) {
    for (std::int64_t n = random.between(1, 2); n > 0; --n) {
      replica.push_back({random.between(1, 4), random.between(-4, 9), random_axis(random)});
    }
  }
  Coordinate offset;
  if (kind.offsets && random.chance(40)) {
    offset.add(random_axis(random), random.between(-5, 40));
  }
  std::optional<axe::Swizzle> swizzle;
  if (kind.swizzles && random.chance(40)) {
    const int bits = static_cast<int>(random.between(0, 2));
    swizzle = *axe::Swizzle::make(static_cast<int>(random.between(0, 2)), bits,
                                  bits + static_cast<int>(random.between(0, 1)), random.chance(80));
  }
  return *Layout::make(shard, replica, offset, swizzle);
}

std::vector<Int> random_shape(Random& random, std::int64_t size, int max_rank) {
  std::vector<Int> shape;
  std::int64_t rest = size;
  for (std::int64_t n = random.between(1, max_rank); n > 1; --n) {
    const std::int64_t extent = random.one_of(divisors(rest));
    shape.emplace_back(extent);
    rest /= extent;
  }
  shape.emplace_back(rest);
  random.shuffle(shape);
  return shape;
}

std::vector<Int> grouping_shape(Random& random, const Layout& layout) {
  std::vector<Int> shape = {1};
  for (const Iter& iter : layout.shard()) {
    const std::int64_t part = random.chance(25) ? random.one_of(divisors(iter.extent.value())) : 1;
    for (const Int& extent : {Int(iter.extent.value() / part), Int(part)}) {
      if (random.chance(45)) {
        shape.push_back(extent);
      } else {
        shape.back() *= extent;
      }
    }
  }
  return shape;
}

Finding differs_as_axe(const Layout& got, const Layout& wanted) {
  if (axe::size(got) != axe::size(wanted)) {
    return found("sizes differ: ", got, " and ", wanted);
  }
  const std::vector<PlainPlaces> left = plain_map(got);
  const std::vector<PlainPlaces> right = plain_map(wanted);
  for (std::size_t index = 0; index < left.size(); ++index) {
    if (left[index] != right[index]) return found(got, " and ", wanted, " differ at ", index);
  }
  return kHolds;
}

}  // namespace heddle::test
