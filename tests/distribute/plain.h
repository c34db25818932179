#pragma once

// Tensors over devices, at random, and what each device then holds, told element by element.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "heddle/distribute/plan.h"
#include "support/random_axe.h"

namespace heddle::distribute {

using axe::Mesh;
using axe::Placement;
using axe::Placements;
using test::Random;
using Numbers = std::vector<std::int64_t>;
using Element = std::int32_t;

inline std::int64_t product(const Numbers& extents) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  return size;
}

inline Mesh random_mesh(Random& random) {
  Numbers extents;
  std::vector<std::string> names;
  for (std::int64_t n = random.between(1, 3); n > 0; --n) {
    extents.push_back(random.one_of<std::int64_t>({1, 2, 2, 3, 4}));
    names.push_back(std::string(1, static_cast<char>('w' + n)));
  }
  Numbers devices;
  for (std::int64_t i = 0; i < product(extents); ++i) devices.push_back(i);
  if (random.chance(30)) random.shuffle(devices);
  return *Mesh::make(extents, names, devices);
}

inline Placements random_placements(Random& random, const Mesh& mesh, std::size_t rank,
                                    int partial) {
  Placements placements;
  for (std::size_t i = 0; i < mesh.rank(); ++i) {
    if (random.chance(partial)) {
      placements.push_back(Placement::partial());
    } else if (random.chance(25) || rank == 0) {
      placements.push_back(Placement::replicate());
    } else {
      placements.push_back(Placement::shard(random.between(0, std::int64_t(rank) - 1)));
    }
  }
  return placements;
}

/// A tensor on a mesh as PyTorch cuts it: axis by axis, as torch.chunk does.
struct Spec {
  Mesh mesh;
  Placements placements;
  Numbers shape;

  [[nodiscard]] axe::Sharding sharding() const {
    axe::Sharding sharding{placements};
    sharding.mesh = mesh;
    sharding.shape = std::vector<Int>(shape.begin(), shape.end());
    return sharding;
  }

  friend std::ostream& operator<<(std::ostream& stream, const Spec& spec) {
    return stream << to_string(spec.placements) << " over " << to_string(spec.mesh);
  }
};

/// The flat indices of the elements that a device holds, in the order of its memory.
inline Numbers plain_elements(const Spec& spec, std::int64_t device) {
  std::vector<std::pair<std::int64_t, std::int64_t>> box;
  for (const std::int64_t extent : spec.shape) box.emplace_back(0, extent);
  const Numbers at = *spec.mesh.coordinate(device);
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (spec.placements[axis].kind != Placement::Kind::kShard) continue;
    auto& [begin, end] = box[std::size_t(spec.placements[axis].dim)];
    const std::int64_t pieces = spec.mesh.extents()[axis];
    const std::int64_t chunk = (end - begin + pieces - 1) / pieces;
    begin = std::min(begin + chunk * at[axis], end);
    end = std::min(begin + chunk, end);
  }
  Numbers elements = {0};
  for (std::size_t dim = 0; dim < box.size(); ++dim) {
    Numbers longer;
    for (const std::int64_t flat : elements) {
      for (std::int64_t i = box[dim].first; i < box[dim].second; ++i) {
        longer.push_back(flat * spec.shape[dim] + i);
      }
    }
    elements = std::move(longer);
  }
  return elements;
}

/// What a device has of an element: a term for its coordinate on each partial axis.
inline Element plain_term(std::int64_t flat, const Numbers& coordinate) {
  std::int64_t value = flat * 37 + 11;
  for (const std::int64_t at : coordinate) value = (value * 131 + at * 977 + 5) % 100003;
  return static_cast<Element>(value - 50000);
}

/// Terms reduced as PyTorch names it, products modulo 2^32.
inline Element reduced(const std::string& op, const std::vector<Element>& terms) {
  if (op == "max") return std::ranges::max(terms);
  if (op == "min") return std::ranges::min(terms);
  const bool multiplies = op == "product";
  std::uint32_t value = multiplies ? 1 : 0;
  for (const Element term : terms) {
    const auto factor = static_cast<std::uint32_t>(term);
    value = multiplies ? value * factor : value + factor;
  }
  const auto sum = static_cast<Element>(value);
  return op == "avg" ? sum / static_cast<Element>(terms.size()) : sum;
}

/// What a device is to have: the terms over the axes that are partial in `from` and not in `to`,
/// reduced.
inline Element plain_value(const Spec& from, const Spec& to, std::int64_t flat,
                           std::int64_t device) {
  std::vector<Numbers> coordinates = {{}};
  std::string op = "sum";
  const auto at = from.mesh.coordinate(device);
  for (std::size_t axis = 0; axis < from.mesh.rank(); ++axis) {
    if (from.placements[axis].kind != Placement::Kind::kPartial) continue;
    const bool is_kept =
        from.mesh == to.mesh && to.placements[axis].kind == Placement::Kind::kPartial;
    if (!is_kept) op = from.placements[axis].reduce_op;
    std::vector<Numbers> longer;
    for (const Numbers& coordinate : coordinates) {
      for (std::int64_t i = 0; i < from.mesh.extents()[axis]; ++i) {
        if (is_kept && (*at)[axis] != i) continue;
        longer.push_back(coordinate);
        longer.back().push_back(i);
      }
    }
    coordinates = std::move(longer);
  }
  std::vector<Element> terms;
  for (const Numbers& coordinate : coordinates) terms.push_back(plain_term(flat, coordinate));
  return reduced(op, terms);
}

inline std::vector<Element> plain_source(const Spec& spec, std::int64_t device) {
  Numbers coordinate;
  const Numbers at = *spec.mesh.coordinate(device);
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    if (spec.placements[axis].kind == Placement::Kind::kPartial) coordinate.push_back(at[axis]);
  }
  std::vector<Element> memory;
  for (const std::int64_t flat : plain_elements(spec, device)) {
    memory.push_back(plain_term(flat, coordinate));
  }
  return memory;
}

inline constexpr std::int64_t kBits = 8 * sizeof(Element);

struct Pair {
  Spec from;
  Spec to;

  friend std::ostream& operator<<(std::ostream& stream, const Pair& pair) {
    return stream << pair.from << " to " << pair.to;
  }
};

inline Pair random_pair(Random& random) {
  Numbers shape;
  for (std::int64_t n = random.between(0, 3); n > 0; --n) shape.push_back(random.between(1, 9));
  const Mesh mesh = random_mesh(random);
  const Mesh other = random.chance(75) ? mesh : random_mesh(random);
  Pair pair{{mesh, random_placements(random, mesh, shape.size(), 25), shape},
            {other, random_placements(random, other, shape.size(), 0), shape}};
  for (std::size_t axis = 0; mesh == other && axis < mesh.rank(); ++axis) {
    const bool is_partial = pair.from.placements[axis].kind == Placement::Kind::kPartial;
    if (is_partial && random.chance(20)) pair.to.placements[axis] = Placement::partial();
  }
  return pair;
}

inline Topology random_topology(Random& random, const Pair& pair) {
  Topology topology;
  if (pair.from.mesh != pair.to.mesh || random.chance(40)) return topology;
  for (const std::string& axis : pair.to.mesh.names()) {
    if (random.chance(60)) topology.bandwidth[axis] = double(random.one_of<std::int64_t>({1, 8}));
  }
  return topology;
}

/// A layout on devices 0, 1, … and memory: digits of a random split of the size, each on one axis.
inline axe::Layout random_layout(Random& random, std::int64_t size) {
  std::vector<axe::Iter> iters;
  std::int64_t rest = size;
  while (rest > 1) {
    std::int64_t extent = random.one_of<std::int64_t>({2, 2, 3, 4});
    while (rest % extent != 0) extent = extent > 2 ? extent - 1 : rest;
    iters.push_back({extent, 0, random.chance(40) ? axe::device_axis() : Axis::memory()});
    rest /= extent;
  }
  std::vector<std::size_t> order(iters.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  std::int64_t device = 1;
  std::int64_t place = 1;
  for (const std::size_t i : order) {
    std::int64_t& step = iters[i].axis == Axis::memory() ? place : device;
    iters[i].stride = step;
    step *= iters[i].extent.value();
  }
  std::vector<axe::Iter> replicas;
  if (random.chance(40)) replicas.push_back({random.between(2, 3), device, axe::device_axis()});
  if (random.chance(10)) replicas.push_back({2, place, Axis::memory()});
  axe::Coordinate offset;
  if (random.chance(20)) offset.add(Axis::memory(), random.between(1, 5));
  return *axe::Layout::make(iters, replicas, offset);
}

struct OnDevices {
  axe::Layout layout;
  /// By device and place, the index of the element there.
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> plain;
  std::optional<Distribution> distribution;

  /// The memory of each device, `nothing` where no element is.
  [[nodiscard]] std::map<std::int64_t, std::vector<Element>> memories(Element nothing) const {
    std::map<std::int64_t, std::vector<Element>> memories;
    for (const auto& [device, places] : plain) {
      auto& memory = memories[device];
      memory.resize(std::size_t(places.rbegin()->first) + 1, nothing);
      for (const auto& [place, index] : places) memory[std::size_t(place)] = Element(index);
    }
    return memories;
  }
};

inline OnDevices on_devices(const axe::Layout& layout, const std::vector<Int>& shape) {
  OnDevices made{layout, {}, {}};
  const std::vector<test::PlainPlaces> places = test::plain_map(layout);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (test::PlainPlace place : places[i]) {
      made.plain[place["gpuid"]][place["m"]] = std::int64_t(i);
    }
  }
  const std::int64_t devices = made.plain.rbegin()->first + 1;
  const auto distribution =
      Distribution::make(axe::Sharded{layout, *Mesh::make({devices}), shape, {}});
  if (distribution) made.distribution = *distribution;
  return made;
}

inline Result<Plan> plan_of(const Spec& from, const Spec& to, const Topology& topology = {}) {
  HEDDLE_TRY(const Distribution source, Distribution::make(from.sharding()));
  HEDDLE_TRY(const Distribution destination, Distribution::make(to.sharding()));
  return redistribute(source, destination, kBits, {.topology = topology});
}

}  // namespace heddle::distribute
