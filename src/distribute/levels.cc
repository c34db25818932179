#include "distribute/levels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/format.h"

namespace heddle::distribute {
namespace {

using Coordinates = std::vector<std::int64_t>;

Result<void> check_topology(const Topology& topology, const axe::Mesh& mesh,
                            std::span<const std::int64_t> devices) {
  for (const auto& [axis, bandwidth] : topology.bandwidth) {
    if (!mesh.axis(axis)) {
      return refuse(diagnose("distribute.topology", "no axis {} in {}", axis, to_string(mesh))
                        .with_hint(fmt::format("its axes are {}", fmt::join(mesh.names(), ", "))));
    }
    if (!(bandwidth > 0) || !std::isfinite(bandwidth)) {
      return refuse("distribute.topology", "{} bytes a second along the axis {}", bandwidth, axis);
    }
  }
  for (const std::int64_t device : devices) {
    if (topology.bandwidth.empty() || mesh.coordinate(device)) continue;
    return refuse(
        diagnose("distribute.topology", "device {} is not in {}, whose links are known", device,
                 to_string(mesh))
            .with_hint("give a mesh of all devices with the topology (mesh=, --bandwidth-mesh)"));
  }
  return {};
}

/// The groups of the devices by their keys.
template <class Key>
std::map<std::int64_t, std::size_t> groups_by(std::span<const std::int64_t> devices, Key key) {
  std::map<Coordinates, std::size_t> numbers;
  std::map<std::int64_t, std::size_t> groups;
  for (const std::int64_t device : devices) {
    groups[device] = numbers.try_emplace(key(device), numbers.size()).first->second;
  }
  return groups;
}

}  // namespace

Result<Levels> Levels::make(const Topology& topology, const axe::Mesh& mesh,
                            std::span<const std::int64_t> devices) {
  HEDDLE_CHECK(check_topology(topology, mesh, devices));
  std::map<double, std::vector<std::string>> axes;
  for (const auto& [axis, bandwidth] : topology.bandwidth) axes[bandwidth].push_back(axis);
  Levels levels;
  std::vector<std::size_t> slow;
  for (const auto& [bandwidth, names] : axes) {
    for (const std::string& name : names) slow.push_back(*mesh.axis(name));
    auto groups = groups_by(devices, [&](std::int64_t device) {
      const Coordinates all = *mesh.coordinate(device);
      Coordinates along;
      for (const std::size_t axis : slow) along.push_back(all[axis]);
      return along;
    });
    levels.levels_.push_back({fmt::format("{}", fmt::join(names, ", ")), bandwidth, groups});
  }
  const auto alone = groups_by(devices, [](std::int64_t device) { return Coordinates{device}; });
  if (levels.levels_.empty() || levels.levels_.back().group != alone) {
    levels.levels_.push_back({"devices", 0, alone});
  }
  return levels;
}

std::size_t Levels::between(std::int64_t a, std::int64_t b) const {
  std::size_t level = 0;
  while (level + 1 < size() && group(level, a) == group(level, b)) ++level;
  return level;
}

Distance::Distance(const axe::Mesh& mesh, std::span<const std::int64_t> devices) {
  for (const std::int64_t device : devices) {
    if (auto coordinate = mesh.coordinate(device)) coordinates_[device] = *std::move(coordinate);
  }
}

std::size_t Distance::operator()(std::int64_t a, std::int64_t b) const {
  const auto at = coordinates_.find(a);
  const auto other = coordinates_.find(b);
  constexpr std::size_t kFar = axe::Mesh::kMaxRank + 1;
  if (at == coordinates_.end() || other == coordinates_.end()) return a == b ? 0 : kFar;
  std::size_t axes = 0;
  for (std::size_t i = 0; i < at->second.size(); ++i) {
    axes += at->second[i] != other->second[i] ? 1 : 0;
  }
  return axes;
}

}  // namespace heddle::distribute
