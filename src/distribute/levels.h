#pragma once

// Which devices are near one another: groups within groups, by the links between them.
//
//   axes node (2, slow) and gpu (4, fast)     level 0   two groups, one for each node
//                                             level 1   every device on its own
//
// Two devices in one group of a level are joined by faster links than that level's.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// The mesh along whose axes the links are known.
[[nodiscard]] inline const axe::Mesh& links_of(const Topology& topology, const Distribution& to) {
  return topology.mesh ? *topology.mesh : to.mesh();
}

/// Links of one kind, and the groups of devices that none of them joins.
struct Level {
  /// `node`, `node, rack`; `devices` for links that no bandwidth is known of.
  std::string link;
  /// Bytes a second; 0 if it is not known.
  double bandwidth = 0;
  /// The group of each device.
  std::map<std::int64_t, std::size_t> group;
};

class Levels {
 public:
  /// The levels of these devices, the slowest first; in the last one every device is a group of its
  /// own. Refuses `distribute.topology`.
  [[nodiscard]] static Result<Levels> make(const Topology& topology, const axe::Mesh& mesh,
                                           std::span<const std::int64_t> devices);

  [[nodiscard]] std::size_t size() const { return levels_.size(); }
  [[nodiscard]] const Level& operator[](std::size_t level) const { return levels_[level]; }
  /// The level of the links that join two devices.
  [[nodiscard]] std::size_t between(std::int64_t a, std::int64_t b) const;
  /// The group of a device among those within which the links of the level run: one for all
  /// devices at level 0.
  [[nodiscard]] std::size_t around(std::size_t level, std::int64_t device) const {
    return level == 0 ? 0 : levels_[level - 1].group.at(device);
  }
  [[nodiscard]] std::size_t group(std::size_t level, std::int64_t device) const {
    return levels_[level].group.at(device);
  }

 private:
  std::vector<Level> levels_;
};

/// How far two devices are from one another: the axes of the mesh along which they differ; more
/// than all of them if one is not in the mesh.
class Distance {
 public:
  Distance(const axe::Mesh& mesh, std::span<const std::int64_t> devices);
  [[nodiscard]] std::size_t operator()(std::int64_t a, std::int64_t b) const;

 private:
  std::map<std::int64_t, std::vector<std::int64_t>> coordinates_;
};

}  // namespace heddle::distribute
