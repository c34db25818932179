#include "axe/layout/replica_points.h"

#include <algorithm>
#include <iterator>

#include "heddle/core/exact.h"

namespace heddle::axe {

std::optional<std::vector<std::int64_t>> points(std::span<const Iter> iters) {
  std::vector<std::int64_t> all = {0};
  for (const Iter& iter : iters) {
    if (!iter.extent.is_constant() || !iter.stride.is_constant()) return std::nullopt;
    const auto copies = static_cast<std::size_t>(iter.extent.value());
    if (copies > static_cast<std::size_t>(kMaxPlaces) / all.size()) return std::nullopt;
    const std::size_t before = all.size();
    all.reserve(before * copies);
    for (std::size_t step = 1; step < copies; ++step) {
      const Int shift = Int(step) * iter.stride;
      if (!shift.is_constant()) return std::nullopt;
      for (std::size_t i = 0; i < before; ++i) {
        const auto sum = exact::add(all[i], shift.value());
        if (!sum) return std::nullopt;
        all.push_back(*sum);
      }
    }
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
  }
  return all;
}

std::vector<Iter> on_axis(std::span<const Iter> iters, const Axis& axis) {
  std::vector<Iter> result;
  std::ranges::copy_if(iters, std::back_inserter(result),
                       [&](const Iter& iter) { return iter.axis == axis; });
  return result;
}

}  // namespace heddle::axe
