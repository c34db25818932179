#include "heddle/axe/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "axe/layout/iters.h"
#include "core/text.h"
#include "expr/assume_needed.h"

namespace heddle::axe {
namespace {

std::string iters_text(std::string_view letter, std::span<const Iter> iters) {
  std::vector<std::string> extents;
  std::vector<std::string> strides;
  for (const Iter& iter : iters) {
    extents.push_back(to_string(iter.extent));
    strides.push_back(step_text(iter.stride, iter.axis));
  }
  return fmt::format("{}[({}):({})]", letter, fmt::join(extents, ","), fmt::join(strides, ","));
}

Int product_of_extents(std::span<const Iter> iters) {
  Int product = 1;
  for (const Iter& iter : iters) product *= iter.extent;
  return product;
}

/// The sum of all distances, whatever their axes: if it fits into 64 bits, so does every
/// coordinate.
bool surely_in_reach(const Layout& layout) {
  if (!is_constant(layout)) return false;
  Int total = 0;
  const auto add = [&](const Iter& iter) { total += (iter.extent - 1) * abs(iter.stride); };
  std::ranges::for_each(layout.shard(), add);
  std::ranges::for_each(layout.replica(), add);
  for (const auto& [axis, value] : layout.offset()) total += abs(value);
  return total.is_constant();
}

/// Checks that the lowest and the highest coordinate on each axis, counted from `origin`, fit into
/// 64 bits.
Result<void> check_reach_from(const Coordinate& origin, const Layout& layout) {
  Coordinate low = origin;
  Coordinate high = origin;
  const auto reach = [&](const Iter& iter) {
    const Int last = (iter.extent - 1) * iter.stride;
    low.add(iter.axis, min(last, 0));
    high.add(iter.axis, max(last, 0));
  };
  std::ranges::for_each(layout.shard(), reach);
  std::ranges::for_each(layout.replica(), reach);
  for (const Coordinate& end : {low, high}) {
    for (const auto& [axis, value] : end) {
      HEDDLE_CHECK(check_defined(value, [&, name = axis.name()] {
        return fmt::format("a coordinate of {} on axis {}", layout, name);
      }));
    }
  }
  return {};
}

/// Checks with the offset and without, so that sums may be taken in any order.
Result<void> check_reach(const Layout& layout) {
  if (surely_in_reach(layout)) [[likely]]
    return {};
  HEDDLE_CHECK(check_reach_from({}, layout));
  return check_reach_from(layout.offset(), layout);
}

Result<void> check_iter_extents(std::span<const Iter> iters) {
  for (const Iter& iter : iters) {
    if (iter.extent.is_constant() && iter.extent.value() >= 1) continue;
    HEDDLE_CHECK(check_extent(iter.extent, [&] { return "the iter " + to_string(iter); }));
  }
  return {};
}

/// The index of a point, if all numbers are constants and in their ranges.
std::optional<Int> plain_index(const Layout& layout, std::span<const Int> shape,
                               std::span<const Int> point) {
  if (point.size() != shape.size()) return std::nullopt;
  Int index = 0;
  Int total = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].is_constant() || !point[i].is_constant()) return std::nullopt;
    if (point[i].value() < 0 || point[i].value() >= shape[i].value()) return std::nullopt;
    index = index * shape[i] + point[i];
    total *= shape[i];
  }
  if (!index.is_constant() || !total.is_constant() || total != size(layout)) return std::nullopt;
  return index;
}

/// The places of all replicas around `base`, unsorted and before the swizzle.
Result<std::vector<Coordinate>> copies(const Layout& layout, const Coordinate& base) {
  const Int count = replication(layout);
  if (!count.is_constant()) {
    return refuse(diagnose("axe.undecided",
                           "{} has a symbolic number of replicas, {}; they cannot be listed",
                           layout, count)
                      .with_hint(value_hint({&count, 1})));
  }
  if (count.value() > kMaxPlaces) {
    return refuse("axe.undecided", "{} has {}; up to {} are listed", layout,
                  counted(count.value(), "replica"), kMaxPlaces);
  }
  std::vector<Coordinate> all = {base};
  for (const Iter& iter : layout.replica()) {
    const std::size_t before = all.size();
    for (std::int64_t step = 1; step < iter.extent.value(); ++step) {
      for (std::size_t i = 0; i < before; ++i) {
        all.push_back(all[i]);
        all.back().add(iter.axis, Int(step) * iter.stride);
      }
    }
  }
  return all;
}

}  // namespace

std::string to_string(const Iter& iter) {
  return fmt::format("({}, {})", iter.extent, step_text(iter.stride, iter.axis));
}

Result<Layout> Layout::make(std::vector<Iter> shard, std::vector<Iter> replica, Coordinate offset,
                            std::optional<Swizzle> swizzle) {
  if (shard.size() + replica.size() > kMaxIters) {
    return refuse("axe.too_many", "a layout of {}; up to {} are taken",
                  counted(shard.size() + replica.size(), "iter"), kMaxIters);
  }
  HEDDLE_CHECK(check_iter_extents(shard));
  HEDDLE_CHECK(check_iter_extents(replica));
  Layout layout;
  if (!shard.empty()) layout.shard_ = std::move(shard);
  layout.replica_ = std::move(replica);
  layout.offset_ = std::move(offset);
  layout.swizzle_ = std::move(swizzle);
  const auto named = [&](std::string_view what) {
    return [&layout, what] { return fmt::format("{} of {}", what, layout); };
  };
  HEDDLE_CHECK(check_defined(size(layout), named("the size")));
  HEDDLE_CHECK(check_defined(axe::replication(layout), named("the number of replicas")));
  HEDDLE_CHECK(check_reach(layout));
  return layout;
}

std::string to_string(const Layout& layout) {
  std::string text;
  if (layout.swizzle()) text = to_string(*layout.swizzle()) + " o ";
  text += iters_text("S", layout.shard());
  if (!layout.replica().empty()) text += " + " + iters_text("R", layout.replica());
  if (!layout.offset().is_zero()) text += " + " + to_string(layout.offset());
  return text;
}

Int size(const Layout& layout) { return product_of_extents(layout.shard()); }

Int replication(const Layout& layout) { return product_of_extents(layout.replica()); }

std::vector<Axis> axes(const Layout& layout) {
  std::vector<Axis> result;
  for (const Iter& iter : layout.shard()) result.push_back(iter.axis);
  for (const Iter& iter : layout.replica()) result.push_back(iter.axis);
  for (const auto& [axis, value] : layout.offset()) result.push_back(axis);
  sort_once(result);
  return result;
}

Result<bool> admits(const Layout& layout, std::span<const Int> shape) {
  HEDDLE_CHECK(check_extents(shape));
  HEDDLE_TRY(const Int total, check_defined(product(shape), [&] {
               return fmt::format("the size of the shape {}", tuple_text(shape));
             }));
  return decide({total, Predicate::kEqual, size(layout)},
                [&] { return fmt::format("admits({}, {})", layout, tuple_text(shape)); });
}

Result<void> check_admits(const Layout& layout, std::span<const Int> shape,
                          std::string_view operation) {
  HEDDLE_TRY(const bool does, admits(layout, shape));
  if (does) return {};
  return refuse(
      diagnose("axe.not_admitted", "{}: {} does not have the shape {}", operation, layout,
               tuple_text(shape))
          .with_note(fmt::format("the layout has {}, the shape {}", counted(size(layout), "index"),
                                 counted(product(shape), "point"))));
}

std::vector<Int> extents_of(std::span<const Iter> iters) {
  std::vector<Int> extents;
  extents.reserve(iters.size());
  for (const Iter& iter : iters) extents.push_back(iter.extent);
  return extents;
}

Coordinate shard_at(const Layout& layout, const Int& index) {
  Coordinate result;
  add_steps(layout.shard(), index, result);
  return result;
}

Result<std::vector<Coordinate>> places(const Layout& layout, const Int& index) {
  const Int count = size(layout);
  if (known_less(index, 0) || known_at_most(count, index)) {
    return refuse("axe.index", "{} has no index {}: they run from 0 to {}", layout, index,
                  count - 1);
  }
  std::vector<Coordinate> all(1, layout.offset());
  add_steps(layout.shard(), index, all.front());
  if (!layout.replica().empty()) {
    HEDDLE_TRY(all, copies(layout, all.front()));
  }
  for (Coordinate& place : all) {
    if (layout.swizzle()) place = swizzled(layout, std::move(place));
    for (const auto& [axis, value] : place) {
      HEDDLE_CHECK(check_defined(value, [&, name = axis.name()] {
        return fmt::format("the coordinate of index {} on axis {}", index, name);
      }));
    }
  }
  if (all.size() > 1) sort_once(all);
  return all;
}

Result<std::vector<Coordinate>> places(const Layout& layout, std::span<const Int> shape,
                                       std::span<const Int> point) {
  if (const auto index = plain_index(layout, shape, point)) return places(layout, *index);
  HEDDLE_CHECK(check_admits(layout, shape, "eval"));
  const auto refusal = [&](std::string_view why) {
    return refuse("axe.point", "{} is not a point of the shape {}: {}", tuple_text(point),
                  tuple_text(shape), why);
  };
  if (point.size() != shape.size()) {
    return refusal(
        fmt::format("it has {}, the shape {}", counted(point.size(), "number"), shape.size()));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!known_less(point[i], 0) && !known_at_most(shape[i], point[i])) continue;
    return refusal(fmt::format("dimension {} runs from 0 to {}", i, shape[i] - 1));
  }
  return places(layout, flatten(shape, point));
}

Result<form::IndexMap> index_map(const Layout& layout, std::span<const Int> shape) {
  HEDDLE_CHECK(check_admits(layout, shape, "index_map"));
  std::vector<Axis> named = axes(layout);
  const std::vector<Int> extents(shape.begin(), shape.end());
  auto evaluate = [layout, extents, named](std::span<const Int> point) {
    const Coordinate place =
        swizzled(layout, shard_at(layout, flatten(extents, point)) + layout.offset());
    std::vector<Int> values;
    values.reserve(named.size());
    for (const Axis& axis : named) values.push_back(place[axis]);
    return values;
  };
  return form::IndexMap(extents, form::FlatOrder::kLastFastest, std::move(named),
                        std::move(evaluate));
}

}  // namespace heddle::axe
