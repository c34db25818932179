#include "axe/quotient/set_map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "axe/layout/iters.h"
#include "heddle/core/exact.h"

namespace heddle::axe {
namespace {

constexpr std::array<std::int64_t, 1> kZero = {0};

bool is_small(const exact::Value& value) {
  return value && *value > -kMaxCoordinate && *value < kMaxCoordinate;
}

/// Whether all coordinates are constants, and no sum of parts of them is too large.
bool is_tabulable(const Layout& layout) {
  if (!is_constant(layout)) return false;
  Coordinate farthest;
  for (const auto& [axis, value] : layout.offset()) farthest.add(axis, abs(value));
  for (const std::span<const Iter> iters : {layout.shard(), layout.replica()}) {
    for (const Iter& iter : iters) farthest.add(iter.axis, abs((iter.extent - 1) * iter.stride));
  }
  return std::ranges::all_of(farthest, [](const auto& entry) {
    return entry.second.is_constant() && entry.second.value() < kMaxCoordinate;
  });
}

/// f_D on one axis at every index, without the offset.
std::vector<std::int64_t> shard_table(const Layout& layout, const Axis& axis) {
  std::vector<std::int64_t> table = {0};
  for (const Iter& iter : layout.shard()) {
    std::vector<std::int64_t> finer;
    finer.reserve(table.size() * static_cast<std::size_t>(iter.extent.value()));
    const std::int64_t step = iter.axis == axis ? iter.stride.value() : 0;
    for (const std::int64_t base : table) {
      for (std::int64_t digit = 0; digit < iter.extent.value(); ++digit) {
        finer.push_back(base + digit * step);
      }
    }
    table = std::move(finer);
  }
  return table;
}

std::optional<Sets> sets_on(const Layout& layout, const Axis& axis) {
  const auto replicas = points(on_axis(layout.replica(), axis));
  if (!replicas) return std::nullopt;
  const std::vector<std::int64_t> table = shard_table(layout, axis);
  if (table.size() > static_cast<std::size_t>(kMaxPlaces) / replicas->size()) return std::nullopt;
  const std::int64_t origin = layout.offset()[axis].value();
  const std::optional<Swizzle>& swizzle = layout.swizzle();
  const bool swizzled = swizzle && swizzle->axis == axis;
  Sets sets;
  for (const std::int64_t base : table) {
    std::vector<std::int64_t> set;
    set.reserve(replicas->size());
    for (const std::int64_t replica : *replicas) {
      const std::int64_t plain = origin + base + replica;
      set.push_back(swizzled ? (*swizzle)(plain).value() : plain);
      if (!is_small(set.back())) return std::nullopt;
    }
    sets.append(std::move(set));
  }
  return sets;
}

std::vector<std::int64_t> indices_of(std::span<const Int> own, std::span<const Int> other,
                                     bool is_left) {
  // The steps of this side's dimensions in the row-major order of the whole.
  std::vector<std::int64_t> steps(own.size());
  std::int64_t step = 1;
  for (std::size_t j = own.size(); j-- > 0;) {
    steps[j] = is_left ? step * other[j].value() : step;
    step *= own[j].value() * other[j].value();
  }
  std::vector<std::int64_t> indices = {0};
  for (std::size_t j = 0; j < own.size(); ++j) {
    std::vector<std::int64_t> finer;
    for (const std::int64_t base : indices) {
      for (std::int64_t i = 0; i < own[j].value(); ++i) finer.push_back(base + i * steps[j]);
    }
    indices = std::move(finer);
  }
  return indices;
}

/// left * width + right; nullopt if a sum is too large.
std::optional<std::vector<std::int64_t>> sums(std::span<const std::int64_t> left,
                                              std::int64_t width,
                                              std::span<const std::int64_t> right) {
  std::vector<std::int64_t> result;
  result.reserve(left.size() * right.size());
  for (const std::int64_t a : left) {
    const exact::Value scaled = exact::multiply(a, width);
    if (!is_small(scaled)) return std::nullopt;
    for (const std::int64_t b : right) {
      if (!is_small(*scaled + b)) return std::nullopt;
      result.push_back(*scaled + b);
    }
  }
  return result;
}

}  // namespace

void Sets::append(std::vector<std::int64_t> set) {
  std::ranges::sort(set);
  const auto repeated = std::ranges::unique(set);
  points_.insert(points_.end(), set.begin(), repeated.begin());
  starts_.push_back(points_.size());
}

std::span<const std::int64_t> SetMap::at(const Axis& axis, std::int64_t index) const {
  const auto found = axes.find(axis);
  return found == axes.end() ? std::span<const std::int64_t>(kZero) : found->second[index];
}

std::int64_t SetMap::low(const Axis& axis) const {
  std::int64_t lowest = at(axis, 0).front();
  for (std::int64_t index = 1; index < size; ++index) {
    lowest = std::min(lowest, at(axis, index).front());
  }
  return lowest;
}

Interleaving::Interleaving(std::span<const Int> left_shape, std::span<const Int> right_shape)
    : of_left(indices_of(left_shape, right_shape, true)),
      of_right(indices_of(right_shape, left_shape, false)) {}

std::set<Axis> axes_of(const SetMap& a, const SetMap& b) {
  std::set<Axis> all;
  for (const SetMap* map : {&a, &b}) {
    for (const auto& [axis, sets] : map->axes) all.insert(axis);
  }
  return all;
}

std::optional<SetMap> evaluate(const Layout& layout) {
  if (!is_tabulable(layout) || size(layout).value() > kMaxPlaces) return std::nullopt;
  SetMap map;
  map.size = size(layout).value();
  for (const Axis& axis : axe::axes(layout)) {
    std::optional<Sets> sets = sets_on(layout, axis);
    if (!sets) return std::nullopt;
    map.axes.emplace(axis, *std::move(sets));
  }
  return map;
}

std::optional<SetMap> combine(const SetMap& left, const Scale& scale, const SetMap& right,
                              const Interleaving& domain) {
  if (left.size > kMaxPlaces / right.size) return std::nullopt;
  SetMap map;
  map.size = left.size * right.size;
  // The x and y of each index x || y.
  std::vector<std::pair<std::int64_t, std::int64_t>> parts(static_cast<std::size_t>(map.size));
  for (std::size_t x = 0; x < domain.of_left.size(); ++x) {
    for (std::size_t y = 0; y < domain.of_right.size(); ++y) {
      parts[static_cast<std::size_t>(domain.of_left[x] + domain.of_right[y])] = {x, y};
    }
  }
  for (const Axis& axis : axes_of(left, right)) {
    if (!scale[axis].is_constant()) return std::nullopt;
    const std::int64_t width = scale[axis].value();
    Sets& sets = map.axes[axis];
    for (const auto& [x, y] : parts) {
      const auto a = left.at(axis, x);
      const auto b = right.at(axis, y);
      if (a.size() > static_cast<std::size_t>(kMaxPlaces) / b.size()) return std::nullopt;
      std::optional<std::vector<std::int64_t>> set = sums(a, width, b);
      if (!set) return std::nullopt;
      sets.append(*std::move(set));
      if (sets.count() > static_cast<std::size_t>(kMaxPlaces)) return std::nullopt;
    }
  }
  return map;
}

std::optional<std::int64_t> first_difference(const SetMap& a, const SetMap& b) {
  const std::set<Axis> all = axes_of(a, b);
  for (std::int64_t index = 0; index < a.size; ++index) {
    for (const Axis& axis : all) {
      if (!std::ranges::equal(a.at(axis, index), b.at(axis, index))) return index;
    }
  }
  return std::nullopt;
}

std::string set_text(const SetMap& map, std::int64_t index) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> factors;
  for (const auto& [axis, sets] : map.axes) {
    const std::span<const std::int64_t> set = sets[index];
    if (set.size() == 1 && set.front() == 0) continue;
    std::vector<std::string> texts;
    for (const std::int64_t value : set.first(std::min(set.size(), kShown))) {
      texts.push_back(fmt::format("{}@{}", value, axis.name()));
    }
    if (set.size() > kShown) texts.push_back(fmt::format("… ({} places)", set.size()));
    factors.push_back(set.size() == 1 ? texts.front()
                                      : fmt::format("{{{}}}", fmt::join(texts, ", ")));
  }
  const bool plain = std::ranges::all_of(
      map.axes, [&](const auto& entry) { return entry.second[index].size() == 1; });
  if (factors.empty()) return "0";
  return fmt::format("{}", fmt::join(factors, plain ? " + " : " x "));
}

}  // namespace heddle::axe
