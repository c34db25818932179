// Finds a layout with the given map of sets: a plain one, otherwise one under a swizzle.

#include "axe/quotient/set_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/layout/progressions.h"
#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/form/recover.h"

namespace heddle::axe {
namespace {

/// How many coordinates a search over swizzles may examine.
constexpr std::int64_t kMostSearched = std::int64_t{1} << 26;
constexpr int kMaxMapBits = 62;

using Values = std::vector<std::int64_t>;

/// The map of one axis as a translated set: where the set begins at each index, and the set, if it
/// is the same at each.
struct Translation {
  Values starts;
  Values set;
};

std::optional<Translation> translation(const Sets& sets, const std::optional<Swizzle>& swizzle) {
  Translation result;
  result.starts.reserve(static_cast<std::size_t>(sets.size()));
  Values set;
  for (std::int64_t index = 0; index < sets.size(); ++index) {
    set.assign(sets[index].begin(), sets[index].end());
    if (swizzle) {
      for (std::int64_t& value : set) value = (*swizzle)(value).value();
      std::ranges::sort(set);
    }
    const std::int64_t start = set.front();
    for (std::int64_t& value : set) value -= start;
    if (index == 0) {
      result.set = set;
    } else if (set != result.set) {
      return std::nullopt;
    }
    result.starts.push_back(start);
  }
  return result;
}

class Recoverer {
 public:
  Recoverer(const SetMap& map, std::span<const Int> shape) : map_(map), shape_(shape) {}

  Recovery run() {
    if (auto layout = with({})) return {.layout = std::move(layout)};
    for (const Axis& axis : axes_to_swizzle()) {
      if (auto layout = with_swizzle_on(axis)) return {.layout = std::move(layout)};
      if (budget_ < 0) break;
    }
    return {.is_proof = is_proof_ && budget_ >= 0};
  }

 private:
  /// The layout under this swizzle, which is its own inverse.
  std::optional<Layout> with(const std::optional<Swizzle>& swizzle) {
    std::vector<Axis> names;
    std::vector<Translation> parts;
    for (const auto& [axis, sets] : map_.axes) {
      const bool here = swizzle && swizzle->axis == axis;
      budget_ -= static_cast<std::int64_t>(sets.count());
      auto part = translation(sets, here ? swizzle : std::nullopt);
      if (!part) return std::nullopt;
      names.push_back(axis);
      parts.push_back(*std::move(part));
    }
    std::optional<std::vector<Iter>> shard = shard_of(names, parts);
    if (!shard) return std::nullopt;
    std::vector<Iter> replica;
    Coordinate offset;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Progressions search = progressions(parts[i].set, names[i]);
      if (!search.is_complete) is_proof_ = false;
      if (!search.iters) return std::nullopt;
      replica.insert(replica.end(), search.iters->begin(), search.iters->end());
      offset.add(names[i], parts[i].starts.front());
    }
    Result<Layout> layout = Layout::make(*std::move(shard), std::move(replica), offset, swizzle);
    if (!layout) {
      is_proof_ = false;
      return std::nullopt;
    }
    if (!shape_.empty() && !group(*layout, shape_)) return std::nullopt;
    return *std::move(layout);
  }

  /// The shard list whose map is the starts; each digit must step on one axis.
  [[nodiscard]] std::optional<std::vector<Iter>> shard_of(const std::vector<Axis>& names,
                                                          const std::vector<Translation>& parts) {
    const auto sample = [&](std::int64_t index) {
      Values value(parts.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        value[i] = parts[i].starts[static_cast<std::size_t>(index)] - parts[i].starts.front();
      }
      return value;
    };
    const auto digits = form::recover(map_.size, names.size(), sample);
    if (!digits) return std::nullopt;
    std::vector<Iter> shard;
    for (const form::Digit& digit : *digits) {
      std::optional<Iter> iter = iter_of(digit, names);
      if (!iter) return std::nullopt;
      shard.insert(shard.begin(), *std::move(iter));
    }
    return shard;
  }

  /// A swizzle acts on one axis, so all other axes must be strided without it.
  std::vector<Axis> axes_to_swizzle() {
    std::vector<Axis> all;
    std::vector<Axis> unstrided;
    for (const auto& [axis, sets] : map_.axes) {
      all.push_back(axis);
      if (!may_be({0, 0, 0, true, axis}, sets)) unstrided.push_back(axis);
    }
    if (unstrided.empty()) return all;
    return unstrided.size() == 1 ? unstrided : std::vector<Axis>();
  }

  std::optional<Layout> with_swizzle_on(const Axis& axis) {
    const Sets& sets = map_.axes.at(axis);
    for (const Swizzle& swizzle : swizzles(axis, sets)) {
      if (budget_ < 0) return std::nullopt;
      if (!may_be(swizzle, sets)) continue;
      if (auto layout = with(swizzle)) return layout;
    }
    return std::nullopt;
  }

  /// All swizzles that can matter to addresses of n bits. Bits above those are all 0, or all the
  /// sign. Reading 0 changes nothing, so without negative addresses a swizzle reads the n bits
  /// only. Bits written above all sums of the n bits stay separate from them: if the map is strided
  /// with such a swizzle, it also is without.
  static std::vector<Swizzle> swizzles(const Axis& axis, const Sets& sets) {
    const auto [bits, is_signed] = width_of(sets);
    const int count_bits = static_cast<int>(std::bit_width(sets.count()));
    const int apart_from = std::min(kMaxMapBits, bits + count_bits + 3);
    const int end = is_signed ? apart_from : bits;
    std::vector<Swizzle> result;
    for (int len = 1; len <= end; ++len) {
      for (int low = 0; low + len <= end; ++low) {
        const int last_inner = is_signed ? std::max(len, bits - low) : bits - low - len;
        for (int apart = len; apart <= last_inner && low + len + apart <= kMaxMapBits; ++apart) {
          result.push_back({low, len, apart, true, axis});
        }
        for (int apart = len; low + apart <= apart_from && low + len + apart <= kMaxMapBits;
             ++apart) {
          result.push_back({low, len, apart, false, axis});
        }
      }
    }
    return result;
  }

  struct Width {
    int bits = 0;
    bool is_signed = false;
  };

  /// The bits of the addresses, without the sign.
  static Width width_of(const Sets& sets) {
    std::uint64_t all = 0;
    bool is_signed = false;
    for (std::int64_t index = 0; index < sets.size(); ++index) {
      for (const std::int64_t value : sets[index]) {
        is_signed = is_signed || value < 0;
        all |= static_cast<std::uint64_t>(value < 0 ? ~value : value);
      }
    }
    return {static_cast<int>(std::bit_width(all)), is_signed};
  }

  /// Whether the axis alone does not refute the swizzle, read from 0: each set is the first one
  /// moved by a distance that a strided list can have.
  bool may_be(const Swizzle& swizzle, const Sets& sets) {
    const auto set_at = [&](std::int64_t index) {
      Values set(sets[index].begin(), sets[index].end());
      for (std::int64_t& value : set) value = swizzle(value).value();
      std::ranges::sort(set);
      budget_ -= static_cast<std::int64_t>(set.size());
      return set;
    };
    const Values first = set_at(0);
    bool is_moved = true;
    const auto sample = [&](std::int64_t index) -> Values {
      const Values set = set_at(index);
      const std::int64_t step = set.front() - first.front();
      is_moved = is_moved && std::ranges::equal(set, first, [&](std::int64_t a, std::int64_t b) {
                   return a - step == b;
                 });
      return {step};
    };
    for (std::int64_t limit = 2; is_moved; limit *= 8) {
      if (form::find_obstacle(map_.size, 1, sample, limit)) return false;
      if (limit >= map_.size) break;
    }
    return is_moved;
  }

  const SetMap& map_;
  std::span<const Int> shape_;
  std::int64_t budget_ = kMostSearched;
  bool is_proof_ = true;
};

}  // namespace

Recovery recover(const SetMap& map, std::span<const Int> shape) {
  return Recoverer(map, shape).run();
}

std::optional<PlainObstacle> plain_obstacle(const SetMap& map) {
  for (const auto& entry : map.axes) {
    const Sets& sets = entry.second;
    const std::int64_t origin = sets[0].front();
    const auto sample = [&](std::int64_t index) { return Values{sets[index].front() - origin}; };
    const auto obstacle = form::find_obstacle(map.size, 1, sample);
    if (!obstacle) continue;
    const auto text = [&](std::int64_t value) {
      return fmt::format("{}@{}", value + origin, entry.first.name());
    };
    return PlainObstacle{.index = obstacle->point,
                         .found = text(obstacle->found.front()),
                         .wanted = text(obstacle->wanted.front())};
  }
  return std::nullopt;
}

}  // namespace heddle::axe
