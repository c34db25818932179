#include "heddle/axe/sharding.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heddle/axe/canonical.h"
#include "heddle/axe/shard.h"
#include "heddle/expr/assumptions.h"
#include "support/random_axe.h"

namespace heddle::axe {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

using DeviceNumbers = std::vector<std::int64_t>;

Mesh paper_mesh() { return *Mesh::make({2, 2}, {"x", "y"}, {0, 2, 1, 3}); }
const std::vector<Int> kMatrix = {64, 128};

// Seed 002, section 2.2 B; the errata: the memory pitch is 128.

TEST(SeedAxeSharding, FullySharded) {
  const Sharded sharded = *alpa(paper_mesh(), {{{0}, {1}}}, kMatrix, std::vector<Int>{128, 1});
  EXPECT_EQ(to_string(sharded.layout), "S[(2,32,2,64):(1@gpuid,128@m,2@gpuid,1@m)]");
}

TEST(SeedAxeSharding, ShardedWithReplication) {
  const Sharded sharded = *alpa(paper_mesh(), {{{0}, {}}}, kMatrix);
  EXPECT_EQ(to_string(sharded.layout), "S[(2,32,128):(1@gpuid,128@m,1@m)] + R[(2):(2@gpuid)]");
}

TEST(SeedAxeSharding, ReadAsTheSpecsThePaperNames) {
  const Axis gpu = device_axis();
  const Axis m = Axis::memory();
  const Layout full = *Layout::make({{2, 1, gpu}, {32, 128, m}, {2, 2, gpu}, {64, 1, m}});
  const Layout half = *Layout::make({{2, 1, gpu}, {32, 128, m}, {128, 1, m}}, {{2, 2, gpu}});
  EXPECT_EQ(to_string(*to_alpa({full, paper_mesh(), kMatrix})), "S0S1");
  EXPECT_EQ(to_string(*to_alpa({half, paper_mesh(), kMatrix})), "S0R");
  EXPECT_EQ(to_string(*to_dtensor({half, paper_mesh(), kMatrix})), "[Shard(dim=0), Replicate()]");
  EXPECT_EQ(to_string(*to_partition_spec({half, paper_mesh(), kMatrix})), "PartitionSpec('x',)");
}

// The example of PyTorch's _StridedShard: 8 rows over dp and tp.

DeviceNumbers first_rows(const Sharded& sharded) {
  DeviceNumbers rows;
  for (std::int64_t device = 0; device < 4; ++device) {
    rows.push_back((*shard_of(sharded.layout, sharded.shape, device))[0].box->at(0).begin.value());
  }
  return rows;
}

TEST(AxeSharding, TheFirstAxisCutsCoarsest) {
  const Mesh mesh = *Mesh::make({2, 2}, {"dp", "tp"});
  const Sharded left = *dtensor(mesh, {Placement::shard(0), Placement::shard(0)}, {8, 8});
  EXPECT_EQ(first_rows(left), (DeviceNumbers{0, 2, 4, 6}));
  const Sharded right = *dtensor(mesh, {Placement::shard(0, 2), Placement::shard(0)}, {8, 8});
  EXPECT_EQ(first_rows(right), (DeviceNumbers{0, 4, 2, 6}));
  EXPECT_EQ(to_string(*to_partition_spec(left)), "PartitionSpec(('dp', 'tp'),)");
  EXPECT_EQ(to_string(*to_partition_spec(right)), "PartitionSpec(('tp', 'dp'),)");
  EXPECT_EQ(to_string(*to_alpa(right)), "S10R");
  EXPECT_EQ(to_string(*to_dtensor(right)), "[_StridedShard(dim=0, sf=2), Shard(dim=0)]");
}

TEST(AxeSharding, AnAxisMayBeCutByAnother) {
  const Mesh mesh = *Mesh::make({2, 4}, {"a", "b"});
  const Placements placements = {Placement::shard(0, 2), Placement::shard(0)};
  const Sharded sharded = *dtensor(mesh, placements, {16});
  EXPECT_EQ(to_string(sharded.layout), "S[(2,2,2,2):(2@gpuid,4@gpuid,1@gpuid,1@m)]");
  EXPECT_EQ(*to_dtensor(sharded), placements);
  EXPECT_EQ(to_partition_spec(sharded).error().code(), "axe.no_spec");
}

TEST(AxeSharding, PartialValuesAreNotedBesideTheLayout) {
  const Mesh mesh = *Mesh::make({2, 2}, {"dp", "tp"});
  const Sharded sharded = *dtensor(mesh, {Placement::shard(-1), Placement::partial()}, {8, 8});
  EXPECT_EQ(to_string(sharded),
            "S[(8,2,4):(4@m,2@gpuid,1@m)] + R[(2):(1@gpuid)]  partial sum over tp");
  EXPECT_EQ(to_string(*to_dtensor(sharded)), "[Shard(dim=1), Partial(sum)]");
  EXPECT_EQ(to_string(*to_partition_spec(sharded)), "PartitionSpec(None, 'dp', unreduced={'tp'})");
  EXPECT_EQ(to_alpa(sharded).error().code(), "axe.no_spec");
}

TEST(AxeSharding, SizesMayBeSymbolic) {
  const Assumptions even = *Assumptions::make(
      std::vector<Condition>{{mod(Int::variable("M"), 2), Predicate::kEqual, 0}});
  const Sharded sharded = *dtensor(paper_mesh(), {Placement::shard(0), Placement::replicate()},
                                   {even.variable("M"), 8});
  EXPECT_EQ(to_string(sharded.layout), "S[(2,M//2,8):(1@gpuid,8@m,1@m)] + R[(2):(2@gpuid)]");
  EXPECT_EQ(to_string(*to_dtensor(sharded)), "[Shard(dim=0), Replicate()]");
  EXPECT_EQ(to_string(*shard_of(sharded.layout, sharded.shape, 1)), "[M//2,M) x [0,8)");
  const Result<Sharded> refused =
      dtensor(paper_mesh(), {Placement::shard(0), Placement::replicate()},
              {Int::variable("M", 1, 4096), 8});
  EXPECT_EQ(refused.error().code(), "assume.needed");
}

TEST(AxeShard, WhatADeviceHolds) {
  const Sharded sharded = *alpa(paper_mesh(), {{{0}, {1}}}, kMatrix);
  EXPECT_EQ(to_string(*shard_of(sharded.layout, kMatrix, 0)), "[0,32) x [0,64)");
  EXPECT_EQ(to_string(*shard_of(sharded.layout, kMatrix, 2)), "[0,32) x [64,128)");
  EXPECT_EQ(to_string(*shard_of(sharded.layout, kMatrix, 4)), "nothing");
  const std::vector<Int> point = {40, 100};
  EXPECT_EQ(*devices_of(sharded.layout, kMatrix, point), (std::vector<Int>{3}));
}

TEST(AxeShard, APieceWithGapsIsALayoutOfIndices) {
  const Mesh mesh = *Mesh::make({2});
  const Sharded sharded = *dtensor(mesh, {Placement::shard(0, 2)}, {8, 3});
  EXPECT_EQ(to_string(*shard_of(sharded.layout, sharded.shape, 1)), "S[(2,6):(12@m,1@m)] + 6@m");
}

TEST(AxeShard, WhatATensorTakesUp) {
  const Sharded sharded = *alpa(paper_mesh(), {{{0}, {}}}, kMatrix);
  const Footprint footprint = *bytes_per_device(sharded.layout, 16, &sharded.mesh);
  EXPECT_EQ(footprint, (Footprint{{{{0, 1, 2, 3}, 4096, 8192}}, 2, 32768, 8192}));
  const Sharded pitched = *alpa(paper_mesh(), {{{0}, {1}}}, kMatrix, std::vector<Int>{128, 1});
  const Footprint gaps = *bytes_per_device(pitched.layout, 8, &pitched.mesh);
  EXPECT_EQ(gaps, (Footprint{{{{0, 1, 2, 3}, 2048, 2048}}, 1, 8192, 31 * 128 + 64}));
}

TEST(AxeShard, DevicesThatHoldNothingAreCountedToo) {
  const Layout layout = *Layout::make({{2, 1, device_axis()}, {4, 1, Axis::memory()}});
  const Mesh mesh = *Mesh::make({4});
  EXPECT_EQ(bytes_per_device(layout, 4, &mesh)->holders,
            (std::vector<Holders>{{{0, 1}, 4, 2}, {{2, 3}, 0, 0}}));
}

// Against plain chunking: who holds which element, as nested loops.

/// device -> the elements it holds, in the order in which it holds them.
using Owned = std::map<std::int64_t, DeviceNumbers>;

struct Spec {
  Mesh mesh;
  DeviceNumbers shape;
  Placements placements;
};

std::int64_t total(const DeviceNumbers& extents) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  return size;
}

DeviceNumbers unflattened(const DeviceNumbers& extents, std::int64_t index) {
  DeviceNumbers point(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; index /= extents[i]) point[i] = index % extents[i];
  return point;
}

Mesh random_mesh(Random& random) {
  DeviceNumbers extents;
  for (std::int64_t n = random.between(1, 3); n > 0; --n) {
    extents.push_back(random.one_of<std::int64_t>({1, 2, 2, 3, 4}));
  }
  DeviceNumbers steps(extents.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < extents.size(); ++i) order.push_back(i);
  random.shuffle(order);
  std::int64_t step = random.chance(80) ? 1 : 3;
  for (const std::size_t i : order) {
    steps[i] = random.chance(85) ? step : -step;
    step *= extents[i];
  }
  const std::int64_t first = random.chance(80) ? 300 : 500;
  DeviceNumbers devices;
  for (std::int64_t i = 0; i < total(extents); ++i) {
    const DeviceNumbers point = unflattened(extents, i);
    std::int64_t id = first;
    for (std::size_t d = 0; d < extents.size(); ++d) id += point[d] * steps[d];
    devices.push_back(id);
  }
  // Split one axis of 4 into digits.
  if (extents == DeviceNumbers{4} && random.chance(50)) devices = {0, 1, 8, 9};
  return *Mesh::make(extents, {}, devices);
}

std::vector<Int> ints(const DeviceNumbers& numbers) { return {numbers.begin(), numbers.end()}; }

/// Chunks each dimension's list of indices, axis by axis, as DTensor does on plain lists.
Owned plain_dtensor(const Spec& spec) {
  const DeviceNumbers mesh_extents(spec.mesh.extents().begin(), spec.mesh.extents().end());
  Owned owned;
  for (std::int64_t i = 0; i < total(mesh_extents); ++i) {
    const DeviceNumbers at = unflattened(mesh_extents, i);
    std::vector<DeviceNumbers> held(spec.shape.size());
    for (std::size_t d = 0; d < held.size(); ++d) {
      for (std::int64_t x = 0; x < spec.shape[d]; ++x) held[d].push_back(x);
    }
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const Placement& placement = spec.placements[axis];
      if (placement.kind != Placement::Kind::kShard) continue;
      DeviceNumbers& list = held[static_cast<std::size_t>(placement.dim)];
      const auto size = static_cast<std::int64_t>(list.size());
      const std::int64_t piece = size / placement.split_factor.value();
      const std::int64_t chunk = piece / mesh_extents[axis];
      DeviceNumbers kept;
      for (std::int64_t x = 0; x < size; ++x) {
        if (x % piece / chunk == at[axis]) kept.push_back(list[static_cast<std::size_t>(x)]);
      }
      list = kept;
    }
    DeviceNumbers counts;
    for (const DeviceNumbers& list : held) counts.push_back(static_cast<std::int64_t>(list.size()));
    DeviceNumbers& elements = owned[spec.mesh.devices()[static_cast<std::size_t>(i)]];
    for (std::int64_t local = 0; local < total(counts); ++local) {
      const DeviceNumbers point = unflattened(counts, local);
      std::int64_t index = 0;
      for (std::size_t d = 0; d < point.size(); ++d) {
        index = index * spec.shape[d] + held[d][static_cast<std::size_t>(point[d])];
      }
      elements.push_back(index);
    }
  }
  return owned;
}

/// The same read off a layout: the elements of a device by their places on m.
Owned plain_owned(const Layout& layout) {
  std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> placed;
  const std::vector<test::PlainPlaces> all = test::plain_map(layout);
  for (std::size_t index = 0; index < all.size(); ++index) {
    for (const test::PlainPlace& place : all[index]) {
      const auto device = place.find("gpuid");
      const auto address = place.find("m");
      placed[device == place.end() ? 0 : device->second]
            [address == place.end() ? 0 : address->second] = static_cast<std::int64_t>(index);
    }
  }
  Owned owned;
  for (const auto& [device, elements] : placed) {
    for (const auto& [address, index] : elements) owned[device].push_back(index);
  }
  return owned;
}

Spec random_spec(Random& random) {
  Spec spec{random_mesh(random), {}, {}};
  for (std::int64_t n = random.between(1, 3); n > 0; --n) {
    spec.shape.push_back(random.one_of<std::int64_t>({1, 2, 3, 4, 6, 8, 12, 16}));
  }
  const auto rank = static_cast<std::int64_t>(spec.shape.size());
  for (std::size_t i = 0; i < spec.mesh.rank(); ++i) {
    if (random.chance(30)) {
      spec.placements.push_back(random.chance(80) ? Placement::replicate() : Placement::partial());
      continue;
    }
    const std::int64_t factor = random.chance(75) ? 1 : random.one_of<std::int64_t>({2, 2, 3, 4});
    spec.placements.push_back(Placement::shard(random.between(0, rank - 1), factor));
  }
  return spec;
}

/// The sizes come apart evenly, whatever the order of the digits.
bool is_even(const Spec& spec) {
  DeviceNumbers left = spec.shape;
  for (std::size_t axis = 0; axis < spec.mesh.rank(); ++axis) {
    const Placement& placement = spec.placements[axis];
    if (placement.kind != Placement::Kind::kShard) continue;
    std::int64_t& size = left[static_cast<std::size_t>(placement.dim)];
    if (size % (placement.split_factor.value() * spec.mesh.extents()[axis]) != 0) return false;
    size /= spec.mesh.extents()[axis];
  }
  return true;
}

TEST(AxeShardingLaw, DTensorIsChunkingAxisByAxis) {
  for_all_seeds({.percent = 20}, [&](Random& random) -> Finding {
    const Spec spec = random_spec(random);
    const Result<Sharded> got = dtensor(spec.mesh, spec.placements, ints(spec.shape));
    if (!got) {
      if (got.error().code() == "axe.mesh_layout") return kSaysNothing;
      if (got.error().code() != "axe.uneven_shard") return found(got.error());
      if (!is_even(spec)) return kSaysNothing;
      // Evenly cut, and still no digits: only pieces that were strided before can do that.
      for (const Placement& placement : spec.placements) {
        if (placement.split_factor != Int(1)) return kSaysNothing;
      }
      return found(spec.mesh, " ", to_string(spec.placements), ": ", got.error());
    }
    if (!is_even(spec)) return found(*got, " of an uneven spec");
    if (plain_owned(got->layout) == plain_dtensor(spec)) return kHolds;
    return found(spec.mesh, " ", to_string(spec.placements), ": ", *got);
  });
}

TEST(AxeShardingLaw, PlacementsComeBackFromTheirLayout) {
  for_all_seeds({.percent = 20}, [&](Random& random) -> Finding {
    const Spec spec = random_spec(random);
    const Result<Sharded> sharded = dtensor(spec.mesh, spec.placements, ints(spec.shape));
    if (!sharded) return kSaysNothing;
    const Result<Placements> back = to_dtensor(*sharded);
    if (!back) return found(*sharded, ": ", back.error());
    for (std::size_t axis = 0; axis < back->size(); ++axis) {
      // One device on an axis: nothing is cut. Otherwise the placements are unique.
      if (spec.mesh.extents()[axis] == 1) continue;
      if ((*back)[axis] == spec.placements[axis]) continue;
      return found(spec.mesh, " ", to_string(spec.placements), " became ", to_string(*back));
    }
    const Result<Sharded> again = dtensor(spec.mesh, *back, ints(spec.shape));
    if (!again || !equal(again->layout, sharded->layout).is_yes()) return found(*sharded);
    return kHolds;
  });
}

/// As JAX says it: a dimension is cut into the product of its axes, whose coordinate is row-major
/// in the order of the tuple.
Owned plain_partition(const Mesh& mesh, const DeviceNumbers& shape,
                      const std::vector<std::vector<std::size_t>>& dims) {
  const DeviceNumbers extents(mesh.extents().begin(), mesh.extents().end());
  Owned owned;
  for (std::int64_t i = 0; i < total(extents); ++i) {
    const DeviceNumbers at = unflattened(extents, i);
    for (std::int64_t index = 0; index < total(shape); ++index) {
      const DeviceNumbers point = unflattened(shape, index);
      bool held = true;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        std::int64_t shards = 1;
        std::int64_t number = 0;
        for (const std::size_t axis : dims[d]) {
          shards *= extents[axis];
          number = number * extents[axis] + at[axis];
        }
        held = held && point[d] / (shape[d] / shards) == number;
      }
      if (held) owned[mesh.devices()[static_cast<std::size_t>(i)]].push_back(index);
    }
  }
  return owned;
}

TEST(AxeShardingLaw, PartitionSpecAndAlpaCutInTheOrderOfTheirAxesAndComeBack) {
  test::Tally placed;
  for_all_seeds([&](Random& random) -> Finding {
    const Mesh mesh = random_mesh(random);
    DeviceNumbers shape;
    for (std::int64_t n = random.between(1, 3); n > 0; --n) {
      shape.push_back(random.one_of<std::int64_t>({1, 2, 3, 4, 6, 8, 12, 16}));
    }
    std::vector<std::size_t> axes;
    for (std::size_t i = 0; i < mesh.rank(); ++i) axes.push_back(i);
    random.shuffle(axes);
    std::vector<std::vector<std::size_t>> dims(shape.size());
    for (const std::size_t axis : axes) {
      if (mesh.extents()[axis] == 1 || random.chance(30)) continue;
      dims[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(shape.size()) - 1))]
          .push_back(axis);
    }
    PartitionSpec spec;
    bool even = true;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      auto& names = spec.dims.emplace_back();
      std::int64_t shards = 1;
      for (const std::size_t axis : dims[d]) {
        names.push_back(mesh.names()[axis]);
        shards *= mesh.extents()[axis];
      }
      even = even && shape[d] % shards == 0;
    }
    while (!spec.dims.empty() && spec.dims.back().empty()) spec.dims.pop_back();
    const Result<Sharded> got = partition_spec(mesh, spec, ints(shape));
    if (!got) {
      const bool expected = got.error().code() == (even ? "axe.mesh_layout" : "axe.uneven_shard");
      return expected ? kHolds : found(got.error());
    }
    placed.count();
    if (plain_owned(got->layout) != plain_partition(mesh, shape, dims)) {
      return found(mesh, " ", to_string(spec), ": ", *got);
    }
    if (*alpa(mesh, {dims}, ints(shape)) != *got) return found(mesh, " ", to_string(spec));
    const Result<PartitionSpec> back = to_partition_spec(*got);
    if (!back) return found(*got, ": ", back.error());
    if (*back != spec) return found(to_string(spec), " became ", to_string(*back));
    if (*to_alpa(*got) != AlpaSpec{dims}) return found(to_string(spec), ": Alpa");
    return kHolds;
  });
  placed.expect_at_least(30);
}

/// Every way to place a tensor over a mesh: for each axis replicate, or a dimension and a factor.
std::vector<Placements> all_placements(const Mesh& mesh, const DeviceNumbers& shape) {
  std::vector<Placements> all = {{}};
  for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
    std::vector<Placements> longer;
    for (const Placements& placements : all) {
      longer.push_back(placements);
      longer.back().push_back(Placement::replicate());
      for (std::size_t d = 0; d < shape.size(); ++d) {
        for (std::int64_t factor = 1; factor <= shape[d]; ++factor) {
          longer.push_back(placements);
          longer.back().push_back(Placement::shard(static_cast<std::int64_t>(d), factor));
        }
      }
    }
    all = longer;
  }
  return all;
}

using Holding = std::map<std::int64_t, std::set<std::int64_t>>;

Holding holding(const Owned& owned) {
  Holding result;
  for (const auto& [device, elements] : owned) {
    result[device] = {elements.begin(), elements.end()};
  }
  return result;
}

/// Who holds what of a layout, whatever else it does.
Holding holding(const Layout& layout) {
  Holding result;
  const std::vector<test::PlainPlaces> all = test::plain_map(layout);
  for (std::size_t index = 0; index < all.size(); ++index) {
    for (const test::PlainPlace& place : all[index]) {
      const auto device = place.find("gpuid");
      result[device == place.end() ? 0 : device->second].insert(static_cast<std::int64_t>(index));
    }
  }
  return result;
}

Layout random_on_devices(Random& random, std::int64_t size) {
  std::vector<Iter> shard;
  while (size > 1) {
    std::int64_t extent = random.between(2, size);
    while (size % extent != 0) extent = random.between(2, size);
    size /= extent;
    const std::int64_t stride = random.one_of<std::int64_t>({1, 1, 2, 2, 3, 4, -1});
    shard.push_back({extent, stride, random.chance(60) ? device_axis() : Axis::memory()});
  }
  std::vector<Iter> replica;
  if (random.chance(60)) {
    replica.push_back({2, random.one_of<std::int64_t>({1, 2, -1, 4}), device_axis()});
  }
  if (random.chance(20)) replica.push_back({2, random.between(1, 4), device_axis()});
  Coordinate offset;
  if (random.chance(20)) offset.add(device_axis(), random.between(-1, 3));
  return *Layout::make(shard, replica, offset);
}

TEST(AxeShardingLaw, ARefusedSpecDoesNotExist) {
  test::Tally recognized;
  test::Tally refused;
  const std::vector<Mesh> meshes = {*Mesh::make({2, 2}), *Mesh::make({2, 2}, {}, {0, 2, 1, 3}),
                                    *Mesh::make({4}), *Mesh::make({2, 3}),
                                    *Mesh::make({2}, {}, {1, 0})};
  const std::vector<DeviceNumbers> shapes = {{4}, {2, 4}, {6, 2}, {8}};
  std::map<std::pair<std::size_t, std::size_t>, std::map<Holding, Placements>> known;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      for (const Placements& placements : all_placements(meshes[i], shapes[j])) {
        const Spec spec{meshes[i], shapes[j], placements};
        if (is_even(spec)) known[{i, j}].emplace(holding(plain_dtensor(spec)), placements);
      }
    }
  }
  for_all_seeds([&](Random& random) -> Finding {
    const auto i = static_cast<std::size_t>(random.between(0, std::ssize(meshes) - 1));
    const auto j = static_cast<std::size_t>(random.between(0, std::ssize(shapes) - 1));
    Layout layout = random_on_devices(random, total(shapes[j]));
    const Result<Placements> got = to_dtensor({layout, meshes[i], ints(shapes[j])});
    const auto& specs = known[{i, j}];
    const auto wanted = specs.find(holding(layout));
    if (!got) {
      if (got.error().code() != "axe.no_spec") return found(layout, ": ", got.error());
      refused.count();
      if (wanted == specs.end()) return kHolds;
      return found(layout, " on ", meshes[i], " is ", to_string(wanted->second), ": ", got.error());
    }
    recognized.count();
    if (wanted == specs.end()) return found(layout, " on ", meshes[i], ": ", to_string(*got));
    const Holding again = holding(plain_dtensor({meshes[i], shapes[j], *got}));
    return again == holding(layout) ? kHolds : found(layout, ": ", to_string(*got));
  });
  recognized.expect_at_least(1);
  refused.expect_at_least(30);
}

TEST(AxeShardingLaw, ShardOfAndDevicesOfAndBytesAreWhatThePlacesSay) {
  test::Tally boxes;
  for_all_seeds([&](Random& random) -> Finding {
    const DeviceNumbers shape = random.one_of<DeviceNumbers>({{4}, {2, 4}, {6, 2}, {8}, {2, 3, 4}});
    const Layout layout = random_on_devices(random, total(shape));
    const Holding wanted = holding(layout);
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto& [device, elements] : wanted) counts[device] = std::ssize(elements);
    for (std::int64_t device = -12; device < 30; ++device) {
      const Result<std::vector<ShardPiece>> pieces = shard_of(layout, ints(shape), device);
      if (!pieces) return found(layout, ": ", pieces.error());
      std::set<std::int64_t> got;
      for (const ShardPiece& piece : *pieces) {
        std::set<std::int64_t> in_box;
        std::set<std::int64_t> of_piece;
        for (const test::PlainPlaces& place : test::plain_map(piece.indices)) {
          const auto entry = place.begin()->find("m");
          of_piece.insert(entry == place.begin()->end() ? 0 : entry->second);
        }
        for (const std::int64_t index : of_piece) {
          if (!got.insert(index).second) return found(layout, ": two pieces hold ", index);
        }
        // A box exactly where the elements fill one.
        DeviceNumbers low = unflattened(shape, *of_piece.begin());
        DeviceNumbers high = unflattened(shape, *of_piece.rbegin());
        std::int64_t volume = 1;
        bool inside = true;
        for (std::size_t d = 0; d < shape.size(); ++d) volume *= high[d] - low[d] + 1;
        for (const std::int64_t index : of_piece) {
          const DeviceNumbers point = unflattened(shape, index);
          for (std::size_t d = 0; d < shape.size(); ++d) {
            inside = inside && low[d] <= point[d] && point[d] <= high[d];
          }
        }
        const bool is_box = inside && volume == std::ssize(of_piece);
        if (is_box != piece.box.has_value()) return found(layout, ": box of ", piece.indices);
        if (!is_box) continue;
        boxes.count();
        for (std::size_t d = 0; d < shape.size(); ++d) {
          const Interval& interval = (*piece.box)[d];
          if (interval != Interval{low[d], high[d] + 1}) return found(layout, ": ", interval.begin);
        }
      }
      const auto entry = wanted.find(device);
      if (got != (entry == wanted.end() ? std::set<std::int64_t>{} : entry->second)) {
        return found(layout, " on ", device);
      }
    }
    for (std::int64_t index = 0; index < total(shape); ++index) {
      const std::vector<Int> got =
          *devices_of(layout, ints(shape), ints(unflattened(shape, index)));
      std::vector<Int> expected;
      for (const auto& [device, elements] : wanted) {
        if (elements.contains(index)) expected.emplace_back(device);
      }
      if (got != expected) return found(layout, " at ", index);
    }
    const Footprint footprint = *bytes_per_device(layout, 12);
    std::map<std::int64_t, std::int64_t> got;
    for (const Holders& holders : footprint.holders) {
      for (const std::int64_t device : holders.devices) got[device] = holders.elements.value();
      if (holders.bytes != Int((holders.elements.value() * 12 + 7) / 8)) return found(layout);
    }
    if (got != counts) return found(layout, ": counts");
    const auto copies = std::ssize(*devices_of(layout, ints(shape), ints(unflattened(shape, 0))));
    return footprint.copies == Int(copies) ? kHolds : found(layout, ": copies");
  });
  boxes.expect_at_least(30);
}

}  // namespace
}  // namespace heddle::axe
