#pragma once

// Random copies for the tests of tensor maps, and the plain copies that they stand for.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/machine/tma.h"
#include "machine/tma/emulator.h"
#include "support/random_axe.h"

namespace heddle::test {

struct RandomCopy {
  axe::Layout global;
  std::vector<Int> global_shape;
  std::vector<axe::Interval> global_region;
  axe::Layout shared;
  std::vector<Int> shared_shape;
  std::vector<axe::Interval> shared_region;
  int bits = 16;

  [[nodiscard]] Result<machine::TmaCopy> plan() const {
    return machine::tma_descriptor({global, global_shape, global_region},
                                   {shared, shared_shape, shared_region},
                                   *machine::tma_element(std::int64_t{bits}));
  }
  [[nodiscard]] std::string text() const {
    const auto region_of = [](const std::vector<axe::Interval>& region) {
      std::string part;
      for (const axe::Interval& interval : region) {
        part += " [" + to_string(interval.begin) + "," + to_string(interval.end) + ")";
      }
      return part;
    };
    return axe::to_string(global) + region_of(global_region) + " -> " + axe::to_string(shared) +
           region_of(shared_region) + ", " + std::to_string(bits) + " bits";
  }
};

/// The addresses of a region's elements in row-major order.
inline std::vector<std::int64_t> plain_addresses(const axe::Layout& layout,
                                                 const std::vector<Int>& shape,
                                                 const std::vector<axe::Interval>& region) {
  std::vector<std::int64_t> flat = {0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t index : flat) {
      for (std::int64_t i = region[d].begin.value(); i < region[d].end.value(); ++i) {
        next.push_back(index * shape[d].value() + i);
      }
    }
    flat = std::move(next);
  }
  for (std::int64_t& index : flat) {
    const PlainPlaces places = plain_places(layout, index);
    const auto found = places.begin()->find("m");
    index = found == places.begin()->end() ? 0 : found->second;
  }
  return flat;
}

/// What the copy has to do, element by element.
inline Landed plain_copy(const RandomCopy& copy) {
  const auto from = plain_addresses(copy.global, copy.global_shape, copy.global_region);
  const auto to = plain_addresses(copy.shared, copy.shared_shape, copy.shared_region);
  Landed landed;
  for (std::size_t i = 0; i < from.size(); ++i) landed[to[i]] = from[i];
  return landed;
}

}  // namespace heddle::test
