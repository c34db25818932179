#include "heddle/axe/sharding_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "support/random_axe.h"

namespace heddle::axe {
namespace {

using test::Finding;
using test::for_all_seeds;
using test::found;
using test::kHolds;
using test::kSaysNothing;
using test::Random;

using Indices = std::vector<std::int64_t>;
/// For each device the elements that it holds, by their row-major index, with their places there.
using Holdings = std::map<std::int64_t, std::map<std::int64_t, std::int64_t>>;

std::int64_t count(const Indices& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Indices digits(const Indices& extents, std::int64_t index) {
  Indices point(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; index /= extents[i]) point[i] = index % extents[i];
  return point;
}

std::int64_t index_of(const Indices& extents, const Indices& point) {
  std::int64_t index = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) index = index * extents[i] + point[i];
  return index;
}

Indices up_to(std::int64_t size) {
  Indices list(static_cast<std::size_t>(size));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

Indices ceiling_chunk(const Indices& list, std::int64_t number, std::int64_t of) {
  const auto size = static_cast<std::int64_t>(list.size());
  const std::int64_t step = (size + of - 1) / of;
  const std::int64_t begin = std::min(number * step, size);
  const std::int64_t end = std::min(begin + step, size);
  return {list.begin() + begin, list.begin() + end};
}

/// What a device holds of lists of indices, one for each dimension, in memory of these extents,
/// from the coordinates `first` on.
void hold(Holdings& all, std::int64_t device, const Indices& shape,
          const std::vector<Indices>& lists, const Indices& extents, const Indices& first = {}) {
  Indices sizes;
  for (const Indices& list : lists) sizes.push_back(static_cast<std::int64_t>(list.size()));
  for (std::int64_t i = 0; i < count(sizes); ++i) {
    Indices local = digits(sizes, i);
    Indices point;
    for (std::size_t d = 0; d < lists.size(); ++d) {
      point.push_back(lists[d][static_cast<std::size_t>(local[d])]);
    }
    for (std::size_t d = 0; d < first.size(); ++d) local[d] += first[d];
    all[device][index_of(shape, point)] = index_of(extents, local);
  }
}

Holdings holdings_of(const Layout& layout) {
  Holdings all;
  const std::vector<test::PlainPlaces> places = test::plain_map(layout);
  for (std::size_t index = 0; index < places.size(); ++index) {
    for (const test::PlainPlace& place : places[index]) {
      const auto device = place.find("gpuid");
      const auto address = place.find("m");
      all[device == place.end() ? 0 : device->second][static_cast<std::int64_t>(index)] =
          address == place.end() ? 0 : address->second;
    }
  }
  return all;
}

Holdings holdings_of(const std::vector<Shard>& shards, const Indices& shape) {
  Holdings all;
  for (const Shard& shard : shards) {
    std::vector<Indices> lists;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const Indices whole = up_to(shape[d]);
      lists.emplace_back(whole.begin() + shard.box[d].first, whole.begin() + shard.box[d].second);
    }
    hold(all, shard.device, shape, lists, shard.extents, shard.first);
  }
  return all;
}

/// The layout if there is one, and the shards, are the plain holdings.
Finding compare(const Sharding& sharding, const Indices& shape, const Holdings& wanted) {
  const Result<std::vector<Shard>> shards = shards_of(sharding);
  if (!shards) return found(sharding, ": ", shards.error());
  if (holdings_of(*shards, shape) != wanted) return found(sharding, ": the shards differ");
  const Result<Sharded> placed = place(sharding);
  if (placed) {
    if (holdings_of(placed->layout) != wanted) return found(sharding, ": ", *placed);
    return kHolds;
  }
  const std::string& code = placed.error().code();
  const bool may_be = code == "axe.uneven_shard" || code == "axe.mesh_layout";
  return may_be ? kHolds : found(sharding, ": ", placed.error());
}

Indices random_shape(Random& random) {
  Indices shape;
  for (std::int64_t n = random.between(1, 3); n > 0; --n) shape.push_back(random.between(1, 9));
  return shape;
}

std::vector<Int> as_ints(const Indices& numbers) { return {numbers.begin(), numbers.end()}; }

Mesh named_mesh(Random& random, bool is_shuffled) {
  Indices extents;
  std::vector<std::string> names;
  for (std::int64_t n = random.between(1, 3); n > 0; --n) {
    extents.push_back(random.one_of<std::int64_t>({1, 2, 3, 4, 6}));
    names.push_back(std::string(1, static_cast<char>('w' + n)));
  }
  Indices devices = up_to(count(extents));
  if (is_shuffled) random.shuffle(devices);
  return *Mesh::make(extents, names, devices);
}

// ---- Shardy ----

/// The coordinate of the part on a device: the digits of the axis' coordinate between its borders.
std::pair<std::int64_t, std::int64_t> part_at(const Mesh& mesh, const AxisPart& part,
                                              std::int64_t position) {
  const Indices extents(mesh.extents().begin(), mesh.extents().end());
  const std::size_t axis = *mesh.axis(part.axis);
  const std::int64_t coordinate = digits(extents, position)[axis];
  const std::int64_t size = part.size.value_or(extents[axis]);
  const std::int64_t below = extents[axis] / (part.pre_size * size);
  return {coordinate / below % size, size};
}

/// Some axes of the mesh, whole or in two parts, in any order.
std::vector<AxisPart> random_parts(const Mesh& mesh, Random& random) {
  std::vector<AxisPart> parts;
  for (std::size_t axis = 0; axis < mesh.rank(); ++axis) {
    const std::int64_t extent = mesh.extents()[axis];
    const std::string name = mesh.names()[axis];
    const std::int64_t first = random.one_of<std::int64_t>({2, 3, 4});
    if (extent % first != 0 || extent == first || random.chance(40)) {
      parts.push_back({name});
      continue;
    }
    parts.push_back({name, 1, first});
    parts.push_back({name, first, extent / first});
  }
  random.shuffle(parts);
  return parts;
}

TEST(ShardingSpecLaw, ShardyIsItsDefinition) {
  for_all_seeds({.percent = 30}, [](Random& random) -> Finding {
    const Mesh mesh = named_mesh(random, random.chance(30));
    const Indices shape = random_shape(random);
    ShardySpec spec{"mesh", std::vector<ShardyDimension>(shape.size())};
    for (const AxisPart& part : random_parts(mesh, random)) {
      const auto dim = static_cast<std::size_t>(random.between(0, std::ssize(shape) + 1));
      if (dim < shape.size()) {
        spec.dims[dim].axes.push_back(part);
      } else if (random.chance(30)) {
        spec.unreduced.push_back(part);
      }
    }
    Holdings wanted;
    for (std::int64_t at = 0; at < std::ssize(mesh.devices()); ++at) {
      std::vector<Indices> lists;
      Indices extents;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        std::int64_t number = 0;
        std::int64_t of = 1;
        for (const AxisPart& part : spec.dims[d].axes) {
          const auto [index, size] = part_at(mesh, part, at);
          number = number * size + index;
          of *= size;
        }
        lists.push_back(ceiling_chunk(up_to(shape[d]), number, of));
        extents.push_back((shape[d] + of - 1) / of);
      }
      hold(wanted, mesh.devices()[static_cast<std::size_t>(at)], shape, lists, extents);
    }
    return compare({spec, mesh, as_ints(shape)}, shape, wanted);
  });
}

// ---- XLA ----

TEST(ShardingSpecLaw, XlaIsItsDefinition) {
  for_all_seeds({.percent = 30}, [](Random& random) -> Finding {
    const Indices shape = random_shape(random);
    HloSpec spec{.kind = HloSpec::Kind::kTiled};
    for (std::size_t d = 0; d < shape.size(); ++d) spec.tiles.push_back(random.between(1, 3));
    if (random.chance(40)) {
      spec.tiles.push_back(random.between(1, 3));
      spec.subgroups = {random.chance(50) ? HloSpec::Subgroup::kReplicated
                                          : HloSpec::Subgroup::kUnreduced};
    }
    Indices devices = up_to(count(spec.tiles));
    if (random.chance(30)) {
      random.shuffle(devices);
      spec.devices = devices;
    } else {
      // The same numbers in another box, transposed: the entry at a point of the transposed box is
      // the number of the point with its coordinates back in order.
      spec.iota = {count(spec.tiles)};
      for (const std::int64_t factor : {2, 3}) {
        if (spec.iota.front() % factor != 0 || random.chance(30)) continue;
        spec.iota.front() /= factor;
        spec.iota.push_back(factor);
      }
      for (std::size_t i = 0; i < spec.iota.size(); ++i) spec.transpose.push_back(i);
      random.shuffle(spec.transpose);
      Indices turned;
      for (const std::size_t i : spec.transpose) turned.push_back(spec.iota[i]);
      for (std::size_t n = 0; n < devices.size(); ++n) {
        const Indices point = digits(turned, static_cast<std::int64_t>(n));
        Indices back(point.size());
        for (std::size_t i = 0; i < point.size(); ++i) back[spec.transpose[i]] = point[i];
        devices[n] = index_of(spec.iota, back);
      }
    }
    Holdings wanted;
    for (std::int64_t at = 0; at < count(spec.tiles); ++at) {
      const Indices tile = digits(spec.tiles, at);
      std::vector<Indices> lists;
      Indices extents;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        lists.push_back(ceiling_chunk(up_to(shape[d]), tile[d], spec.tiles[d]));
        extents.push_back((shape[d] + spec.tiles[d] - 1) / spec.tiles[d]);
      }
      hold(wanted, devices[static_cast<std::size_t>(at)], shape, lists, extents);
    }
    return compare({spec, {}, as_ints(shape)}, shape, wanted);
  });
}

// ---- PyTorch ----

TEST(ShardingSpecLaw, UnevenDTensorsAreChunked) {
  for_all_seeds({.percent = 30}, [](Random& random) -> Finding {
    const Mesh mesh = named_mesh(random, random.chance(30));
    const Indices shape = random_shape(random);
    Placements placements;
    for (std::size_t i = 0; i < mesh.rank(); ++i) {
      const std::int64_t dim = random.between(0, std::ssize(shape));
      placements.push_back(dim == std::ssize(shape) ? Placement::replicate()
                                                    : Placement::shard(dim, random.between(1, 3)));
    }
    Holdings wanted;
    const Indices extents(mesh.extents().begin(), mesh.extents().end());
    for (std::int64_t at = 0; at < std::ssize(mesh.devices()); ++at) {
      const Indices point = digits(extents, at);
      std::vector<Indices> lists;
      for (const std::int64_t extent : shape) lists.push_back(up_to(extent));
      for (std::size_t axis = 0; axis < placements.size(); ++axis) {
        if (placements[axis].kind != Placement::Kind::kShard) continue;
        Indices& list = lists[static_cast<std::size_t>(placements[axis].dim)];
        // _StridedShard: the shards of all pieces, one after the other.
        Indices shards;
        for (std::int64_t piece = 0; piece < placements[axis].split_factor.value(); ++piece) {
          const Indices whole = ceiling_chunk(list, piece, placements[axis].split_factor.value());
          const Indices part = ceiling_chunk(whole, point[axis], extents[axis]);
          shards.insert(shards.end(), part.begin(), part.end());
        }
        list = shards;
      }
      Indices sizes;
      for (const Indices& list : lists) sizes.push_back(std::ssize(list));
      hold(wanted, mesh.devices()[static_cast<std::size_t>(at)], shape, lists, sizes);
    }
    return compare({placements, mesh, as_ints(shape)}, shape, wanted);
  });
}

// ---- What is missing ----

TEST(ShardingSpec, SaysWhatItNeeds) {
  const Sharding bare{PartitionSpec{{{"x"}}}};
  EXPECT_EQ(place(bare).error().code(), "axe.sharding_spec");
  EXPECT_NE(place(bare).error().message().find("does not give its mesh"), std::string::npos);
  Sharding over = bare;
  over.mesh = *Mesh::make({2}, {"x"});
  EXPECT_NE(place(over).error().message().find("does not give the shape of its tensor"),
            std::string::npos);
  EXPECT_EQ(to_string(over), "NamedSharding(mesh=Mesh('x': 2), spec=PartitionSpec('x',))");
  over.shape = {8};
  EXPECT_EQ(to_string(place(over)->layout), "S[(2,4):(1@gpuid,1@m)]");
}

}  // namespace
}  // namespace heddle::axe
