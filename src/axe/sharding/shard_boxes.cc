// Who holds what of a sharding whose shards may be uneven: asked of their boxes.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "heddle/axe/shard.h"

namespace heddle::axe {
namespace {

Int volume_of(const Shard& shard) {
  Int volume = 1;
  for (const auto& [begin, end] : shard.box) volume *= end - begin;
  return volume;
}

Int memory_of(const Shard& shard) {
  Int memory = 1;
  for (const std::int64_t extent : shard.extents) memory *= extent;
  return memory;
}

Result<void> check_point(std::span<const Int> point, std::span<const Int> shape) {
  bool is_inside = point.size() == shape.size();
  for (std::size_t i = 0; is_inside && i < point.size(); ++i) {
    if (!point[i].is_constant()) {
      return refuse("assume.needed",
                    "the devices of an uneven shard are listed for an index of "
                    "numbers, not {}",
                    point[i]);
    }
    is_inside = known_at_most(0, point[i]) && known_at_most(point[i] + 1, shape[i]);
  }
  if (is_inside) return {};
  return refuse("axe.point", "{} is not an index of the shape {}", tuple_text(point),
                tuple_text(shape));
}

bool has(const Shard& shard, std::span<const Int> point) {
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::int64_t at = point[i].value();
    if (at < shard.box[i].first || at >= shard.box[i].second) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<ShardPiece>> shard_of(const Sharding& sharding, std::int64_t device) {
  HEDDLE_TRY(const std::vector<Shard> shards, shards_of(sharding));
  std::vector<ShardPiece> pieces;
  for (const Shard& shard : shards) {
    if (shard.device != device || known_equal(volume_of(shard), 0)) continue;
    std::vector<Interval> box;
    std::vector<Iter> indices;
    Int first = 0;
    const std::vector<Int> steps = compact_strides(*sharding.shape);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto [begin, end] = shard.box[i];
      box.push_back({begin, end});
      indices.push_back({end - begin, steps[i], Axis::memory()});
      first += begin * steps[i];
    }
    HEDDLE_TRY(Layout layout, Layout::make(std::move(indices), {}, {{Axis::memory(), first}}));
    pieces.push_back({std::move(box), std::move(layout)});
  }
  return pieces;
}

Result<std::vector<Int>> devices_of(const Sharding& sharding, std::span<const Int> point) {
  HEDDLE_TRY(const std::vector<Shard> shards, shards_of(sharding));
  HEDDLE_CHECK(check_point(point, *sharding.shape));
  std::vector<std::int64_t> devices;
  for (const Shard& shard : shards) {
    if (has(shard, point)) devices.push_back(shard.device);
  }
  std::ranges::sort(devices);
  return std::vector<Int>(devices.begin(), devices.end());
}

Result<Footprint> bytes_per_device(const Sharding& sharding, std::int64_t element_bits) {
  HEDDLE_CHECK(check_element_bits(element_bits));
  HEDDLE_TRY(const std::vector<Shard> shards, shards_of(sharding));
  std::map<std::int64_t, Int> elements;
  Int allocated = 0;
  for (const Shard& shard : shards) {
    elements.try_emplace(shard.device, 0).first->second += volume_of(shard);
    allocated = max(allocated, memory_of(shard));
  }
  Int size = 1;
  for (const Int& extent : *sharding.shape) size *= extent;
  Int held = 0;
  for (const auto& [device, count] : elements) held += count;
  HEDDLE_CHECK(check_defined(held * element_bits + allocated * element_bits,
                             [&] { return "the bytes of " + to_string(sharding); }));
  std::map<std::int64_t, std::vector<std::int64_t>, std::greater<>> devices;
  for (const auto& [device, count] : elements) devices[count.value()].push_back(device);
  Footprint footprint{.holders = {},
                      .copies = known_equal(size, 0) ? Int(1) : floor_div(held, size),
                      .total_bytes = 0,
                      .allocated_bytes = ceil_div(allocated * element_bits, 8)};
  for (auto& [count, ids] : devices) {
    const Int bytes = ceil_div(Int(count) * element_bits, 8);
    footprint.total_bytes += bytes * static_cast<std::int64_t>(ids.size());
    footprint.holders.push_back({std::move(ids), count, bytes});
  }
  return footprint;
}

}  // namespace heddle::axe
