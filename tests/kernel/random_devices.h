#pragma once

// Random layouts over devices: blocks, cycles, copies, and memories in any order of digits.

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/axe/mesh.h"

namespace heddle::test {

struct DevicesLayout {
  axe::Layout layout;
  std::vector<std::int64_t> shape;
  bool has_copies = false;
};

/// A layout of a tensor of this shape over devices whose number is the product of the factors: each
/// factor cuts a dimension that it divides, at a random place among its digits, or makes copies.
inline DevicesLayout random_layout(std::mt19937& random, std::vector<std::int64_t> shape,
                                   std::vector<std::int64_t> factors, bool allows_copies = true) {
  const auto below = [&](std::size_t count) { return random() % count; };
  std::vector<std::vector<axe::Iter>> dimensions;
  for (const std::int64_t extent : shape) dimensions.push_back({{Int(extent)}});
  std::vector<axe::Iter> copies;
  std::int64_t stride = 1;
  std::ranges::shuffle(factors, random);
  for (const std::int64_t factor : factors) {
    const axe::Iter digit{Int(factor), Int(stride), axe::device_axis()};
    stride *= factor;
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t d = 0; d != dimensions.size(); ++d) {
      for (std::size_t i = 0; i != dimensions[d].size(); ++i) {
        const axe::Iter& iter = dimensions[d][i];
        const bool is_cut = iter.axis == Axis::memory() && iter.extent.value() % factor == 0;
        if (is_cut) places.emplace_back(d, i);
      }
    }
    if (places.empty() || (allows_copies && below(4) == 0)) {
      copies.push_back(digit);
      continue;
    }
    const auto [d, i] = places[below(places.size())];
    auto& digits = dimensions[d];
    digits[i].extent = Int(digits[i].extent.value() / factor);
    digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(i + below(2)), digit);
  }
  // The digits of memory get strides in a random order.
  std::vector<axe::Iter*> held;
  for (auto& digits : dimensions) {
    for (axe::Iter& iter : digits) {
      if (iter.axis == Axis::memory()) held.push_back(&iter);
    }
  }
  if (below(2) == 0) {
    std::ranges::shuffle(held, random);
  } else {
    std::ranges::reverse(held);
  }
  std::int64_t step = 1;
  for (axe::Iter* iter : held) {
    iter->stride = Int(step);
    step *= iter->extent.value();
  }
  std::vector<axe::Iter> shard;
  for (const auto& digits : dimensions) shard.insert(shard.end(), digits.begin(), digits.end());
  return {axe::Layout::make(shard, copies).value(), std::move(shape), !copies.empty()};
}

inline std::string shape_of(const DevicesLayout& layout) {
  std::string text;
  for (const std::int64_t extent : layout.shape) {
    text += (text.empty() ? "" : ",") + std::to_string(extent);
  }
  return text;
}

}  // namespace heddle::test
