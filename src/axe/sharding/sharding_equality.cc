#include "heddle/axe/sharding_equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "axe/layout/iters.h"
#include "axe/sharding/sharding_parts.h"
#include "heddle/core/exact.h"

namespace heddle::axe {
namespace {

using Extents = std::vector<std::int64_t>;

// ---- Terms ----

/// For each device the least one that has the same term, by the way in which terms are reduced.
using Terms = std::map<std::string, std::map<std::int64_t, std::int64_t>>;

Terms terms_of(const Mesh& mesh, std::span<const PartialAxis> partial) {
  std::map<std::string, std::vector<std::size_t>> axes;
  for (const PartialAxis& axis : partial) {
    const auto number = mesh.axis(axis.axis);
    if (number && mesh.extents()[*number] > 1) axes[axis.reduce_op].push_back(*number);
  }
  Terms terms;
  for (const auto& [op, numbers] : axes) {
    std::map<Extents, std::int64_t> least;
    std::vector<std::pair<std::int64_t, Extents>> keys;
    for (const std::int64_t device : mesh.devices()) {
      const Extents coordinate = *mesh.coordinate(device);
      Extents key;
      for (const std::size_t number : numbers) key.push_back(coordinate[number]);
      const auto [at, is_new] = least.emplace(key, device);
      at->second = std::min(at->second, device);
      keys.emplace_back(device, std::move(key));
    }
    for (const auto& [device, key] : keys) terms[op][device] = least.at(key);
  }
  return terms;
}

// ---- What a device holds ----

/// A box, the strides of its dimensions in the device's memory, and where it begins there.
using Held = std::tuple<std::vector<std::pair<std::int64_t, std::int64_t>>, Extents, std::int64_t>;
using HeldByDevice = std::map<std::int64_t, std::vector<Held>>;

Held held(const Shard& shard, std::span<const std::size_t> major_to_minor) {
  const std::size_t rank = shard.box.size();
  Extents strides(rank, 0);
  std::int64_t stride = 1;
  std::int64_t first = 0;
  for (std::size_t i = rank; i-- > 0;) {
    const std::size_t dim = major_to_minor.empty() ? i : major_to_minor[i];
    // A single index needs no stride.
    if (shard.box[dim].second - shard.box[dim].first > 1) strides[dim] = stride;
    if (!shard.first.empty()) first += stride * shard.first[dim];
    stride *= shard.extents[dim];
  }
  return {shard.box, std::move(strides), first};
}

Result<HeldByDevice> held_by_device(const Sharding& sharding) {
  if (!sharding.major_to_minor.empty()) HEDDLE_CHECK(place(sharding));
  HEDDLE_TRY(const std::vector<Shard> shards, shards_of(sharding));
  HeldByDevice all;
  for (const Shard& shard : shards) {
    std::vector<Held>& of_device = all[shard.device];
    const bool is_empty =
        std::ranges::any_of(shard.box, [](const auto& side) { return side.first == side.second; });
    if (!is_empty) of_device.push_back(held(shard, sharding.major_to_minor));
  }
  for (auto& [device, boxes] : all) std::ranges::sort(boxes);
  std::erase_if(all, [](const auto& entry) { return entry.second.empty(); });
  return all;
}

std::string boxes_text(const HeldByDevice& all, std::int64_t device) {
  const auto found = all.find(device);
  if (found == all.end()) return "nothing";
  std::vector<std::string> boxes;
  for (const Held& one : found->second) {
    std::vector<std::string> sides;
    for (const auto& [begin, end] : std::get<0>(one)) {
      sides.push_back(fmt::format("[{},{})", begin, end));
    }
    boxes.push_back(sides.empty() ? "the element" : fmt::format("{}", fmt::join(sides, " x ")));
  }
  return fmt::format("{}", fmt::join(boxes, " and "));
}

/// Two shardings with meshes and shapes; what differs, or nullopt.
Result<std::optional<std::string>> difference(const Sharding& a, const Sharding& b) {
  HEDDLE_TRY(const HeldByDevice left, held_by_device(a));
  HEDDLE_TRY(const HeldByDevice right, held_by_device(b));
  std::set<std::int64_t> devices;
  for (const HeldByDevice* side : {&left, &right}) {
    for (const auto& [device, boxes] : *side) devices.insert(device);
  }
  for (const std::int64_t device : devices) {
    const auto in_left = left.find(device);
    const auto in_right = right.find(device);
    const bool are_same =
        in_left != left.end() && in_right != right.end() && in_left->second == in_right->second;
    if (are_same) continue;
    std::string first = boxes_text(left, device);
    std::string second = boxes_text(right, device);
    return first == second
               ? std::optional(fmt::format("device {} has {} in another order", device, first))
               : std::optional(fmt::format("device {} has {}, and {} of ({})", device, first,
                                           second, fmt::join(*a.shape, ",")));
  }
  HEDDLE_TRY(const Division division_a, division_of(a));
  HEDDLE_TRY(const Division division_b, division_of(b));
  if (have_same_terms(division_a.mesh, division_a.partial, division_b.mesh, division_b.partial)) {
    return std::nullopt;
  }
  return std::optional<std::string>("the values are partial over other devices");
}

// ---- What is missing ----

/// The dimensions that a spec names, and whether a tensor has just as many.
struct Rank {
  std::size_t least = 0;
  bool is_exact = false;
};

Rank rank_of(const Sharding& sharding) {
  if (sharding.shape) return {sharding.shape->size(), true};
  if (const auto* spec = std::get_if<PartitionSpec>(&sharding.spec)) return {spec->dims.size()};
  if (const auto* spec = std::get_if<ShardySpec>(&sharding.spec)) return {spec->dims.size(), true};
  if (const auto* spec = std::get_if<HloSpec>(&sharding.spec)) {
    if (spec->kind != HloSpec::Kind::kTiled) return {};
    return {spec->tiles.size() - spec->subgroups.size(), true};
  }
  Rank rank;
  for (const Placement& placement : std::get<Placements>(sharding.spec)) {
    if (placement.kind != Placement::Kind::kShard) continue;
    const std::int64_t named = placement.dim < 0 ? -placement.dim : placement.dim + 1;
    rank.least = std::max(rank.least, static_cast<std::size_t>(named));
  }
  return rank;
}

/// The same with whole dimensions after those that it names.
void extend(Sharding& sharding, std::size_t rank) {
  if (auto* spec = std::get_if<ShardySpec>(&sharding.spec)) {
    if (!spec->dims.empty() || sharding.mesh->rank() > 0) spec->dims.resize(rank);
  } else if (auto* grid = std::get_if<HloSpec>(&sharding.spec)) {
    if (grid->kind != HloSpec::Kind::kTiled) return;
    const std::size_t named = grid->tiles.size() - grid->subgroups.size();
    grid->tiles.insert(grid->tiles.begin() + static_cast<std::ptrdiff_t>(named), rank - named, 1);
  }
}

/// The devices of the mesh times all split factors; nullopt past 2^40.
std::optional<std::int64_t> divisible_by_all(const Sharding& sharding) {
  const auto mesh = mesh_of(sharding);
  if (!mesh) return std::nullopt;
  auto extent = static_cast<std::int64_t>(mesh->devices().size());
  const auto* placements = std::get_if<Placements>(&sharding.spec);
  if (placements == nullptr) return extent;
  for (const Placement& placement : *placements) {
    if (!placement.split_factor.is_constant()) return std::nullopt;
    const exact::Value more = exact::multiply(extent, placement.split_factor.value());
    if (!more || *more < 1 || *more > std::int64_t{1} << 40) return std::nullopt;
    extent = *more;
  }
  return extent;
}

/// The names of axes in a spec, with an extent that all parts of the axis divide.
std::map<std::string, std::int64_t> axes_in(const Sharding& sharding) {
  std::map<std::string, std::int64_t> axes;
  const auto add = [&](const std::string& name, std::int64_t extent = 1) {
    std::int64_t& least = axes.emplace(name, 1).first->second;
    least = std::lcm(least, std::clamp<std::int64_t>(extent, 1, Mesh::kMaxDevices));
  };
  if (const auto* spec = std::get_if<PartitionSpec>(&sharding.spec)) {
    for (const auto& dim : spec->dims) std::ranges::for_each(dim, [&](const auto& a) { add(a); });
    for (const auto* list : {&spec->unreduced, &spec->reduced}) {
      std::ranges::for_each(*list, [&](const auto& a) { add(a); });
    }
  } else if (const auto* shardy = std::get_if<ShardySpec>(&sharding.spec)) {
    std::vector<const std::vector<AxisPart>*> lists = {&shardy->replicated, &shardy->unreduced,
                                                       &shardy->manual};
    for (const ShardyDimension& dim : shardy->dims) lists.push_back(&dim.axes);
    for (const auto* list : lists) {
      for (const AxisPart& part : *list) {
        const exact::Value end = exact::multiply(part.pre_size, part.size.value_or(1));
        add(part.axis, end.value_or(Mesh::kMaxDevices));
      }
    }
  } else if (const auto* placements = std::get_if<Placements>(&sharding.spec)) {
    for (std::size_t i = 0; i < placements->size(); ++i) add(std::to_string(i));
  }
  return axes;
}

std::string_view mesh_name(const Sharding& sharding) {
  const auto* spec = std::get_if<ShardySpec>(&sharding.spec);
  return spec == nullptr ? std::string_view() : std::string_view(spec->mesh_name);
}

/// A mesh that both may have, whose axes have so many devices or a multiple of them; nullopt where
/// one side names axes that the other one counts, or there are too many devices.
std::optional<Mesh> mesh_for_both(const Sharding& a, const Sharding& b, std::int64_t devices) {
  const auto counts = [](const Sharding& side) {
    return std::holds_alternative<Placements>(side.spec);
  };
  const auto axes_a = axes_in(a);
  const auto axes_b = axes_in(b);
  const bool is_mixed = counts(a) != counts(b) && !axes_a.empty() && !axes_b.empty();
  if (is_mixed || mesh_name(a) != mesh_name(b)) return std::nullopt;
  std::map<std::string, std::int64_t> axes = axes_a;
  for (const auto& [name, extent] : axes_b) {
    std::int64_t& least = axes.emplace(name, 1).first->second;
    least = std::lcm(least, extent);
  }
  Extents extents;
  std::vector<std::string> names;
  for (const auto& [name, extent] : axes) {
    names.push_back(name);
    extents.push_back(extent * devices);
  }
  if (names.empty()) {
    names.emplace_back("0");
    extents.push_back(devices);
  }
  const auto mesh = Mesh::make(std::move(extents), std::move(names));
  return mesh ? std::optional(*mesh) : std::nullopt;
}

/// What one side states of mesh and shape, said of the other one too.
void complete(Sharding& sharding, const Sharding& other) {
  if (!mesh_of(sharding)) {
    if (const auto mesh = mesh_of(other)) sharding.mesh = *mesh;
  }
  if (!sharding.shape) sharding.shape = other.shape;
}

/// The dimensions that the compiler may cut further.
std::vector<std::size_t> open_dimensions(const Sharding& sharding) {
  std::vector<std::size_t> open;
  const auto* spec = std::get_if<ShardySpec>(&sharding.spec);
  for (std::size_t i = 0; spec != nullptr && i < spec->dims.size(); ++i) {
    if (spec->dims[i].is_open) open.push_back(i);
  }
  return open;
}

Verdict unknown(const std::string& why) { return Verdict::unknown(why); }

/// Both over the meshes that they have, of a tensor with so many dimensions if they say no shape.
Verdict equal_of_rank(Sharding a, Sharding b, std::size_t rank) {
  std::string method = "the boxes of all devices";
  if (!a.shape) {
    const auto by_a = divisible_by_all(a);
    const auto by_b = divisible_by_all(b);
    if (!by_a || !by_b) return unknown("no shape is given, and none comes apart evenly");
    const std::int64_t extent = std::lcm(*by_a, *by_b);
    a.shape = b.shape = std::vector<Int>(rank, extent);
    extend(a, rank);
    extend(b, rank);
    method += ", where they divide the shape";
  }
  const auto found = difference(a, b);
  if (!found) return unknown(found.error().message());
  return *found ? Verdict::no(std::move(method)).with_remark(**found)
                : Verdict::yes(std::move(method));
}

/// Both over the meshes that they have.
Verdict equal_over_meshes(const Sharding& a, const Sharding& b) {
  const Rank rank_a = rank_of(a);
  const Rank rank_b = rank_of(b);
  const std::size_t rank = std::max(rank_a.least, rank_b.least);
  Verdict verdict = equal_of_rank(a, b, rank);
  if (rank_a.is_exact || rank_b.is_exact) return verdict;
  // Dimensions may be counted from the end.
  const Verdict longer = equal_of_rank(a, b, rank + 1);
  return longer.answer() == verdict.answer() ? verdict : unknown("without a rank");
}

Verdict equal_of_tuples(const ShardingTuple& a, const ShardingTuple& b) {
  if (a.parts.size() != b.parts.size()) return Verdict::no("numbers of tensors");
  Verdict all = Verdict::yes("tensor by tensor");
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    Verdict one = equal(a.parts[i], b.parts[i]);
    if (one.is_no()) return one;
    if (one.is_unknown()) all = std::move(one);
  }
  return all;
}

}  // namespace

bool is_uneven(const Sharding& sharding) {
  if (!sharding.shape || !sharding.major_to_minor.empty() || !mesh_of(sharding)) return false;
  const Result<Sharded> placed = place(sharding);
  if (placed) return false;
  const std::string& code = placed.error().code();
  return (code == "axe.uneven_shard" || code == "axe.mesh_layout") &&
         shards_of(sharding).has_value();
}

bool have_same_terms(const Mesh& a, std::span<const PartialAxis> partial_a, const Mesh& b,
                     std::span<const PartialAxis> partial_b) {
  return terms_of(a, partial_a) == terms_of(b, partial_b);
}

Verdict equal(const Sharding& a, const Sharding& b) {
  const auto* tuple_a = std::get_if<ShardingTuple>(&a.spec);
  const auto* tuple_b = std::get_if<ShardingTuple>(&b.spec);
  if (tuple_a != nullptr && tuple_b != nullptr) return equal_of_tuples(*tuple_a, *tuple_b);
  if (tuple_a != nullptr || tuple_b != nullptr) return Verdict::no("numbers of tensors");
  Sharding left = a;
  Sharding right = b;
  complete(left, right);
  complete(right, left);
  if (left == right && left.mesh == right.mesh) return Verdict::yes("written alike");
  if (open_dimensions(left) != open_dimensions(right)) {
    return unknown("the compiler may cut other dimensions further");
  }
  if (mesh_of(left) && mesh_of(right)) return equal_over_meshes(left, right);
  // Two numbers of devices tell apart what only looks the same for one of them.
  Verdict verdict = unknown("without a mesh");
  for (const std::int64_t devices : {3, 2}) {
    const std::optional<Mesh> mesh = mesh_for_both(left, right, devices);
    if (!mesh) return unknown("without a mesh");
    left.mesh = right.mesh = mesh;
    verdict = equal_over_meshes(left, right);
    if (!verdict.is_yes()) return verdict;
  }
  return verdict;
}

}  // namespace heddle::axe
