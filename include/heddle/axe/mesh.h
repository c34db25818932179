#pragma once

// A mesh: devices as an array with named axes.
//
//   DeviceMesh([[0, 2], [1, 3]], mesh_dim_names=('x', 'y'))
//
//             y=0  y=1          device of (x, y) = 1*x + 2*y on gpuid:
//       x=0    0    2             S[(2,2):(1@gpuid,2@gpuid)]
//       x=1    1    3
//
// The ids may come in any order. If the ids along each axis are strided the mesh has a layout, and
// only such a mesh can be used in layouts. (Seed 002, section 2.2 B.)

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/axe/group.h"
#include "heddle/axe/layout.h"
#include "heddle/core/hash.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The axis that counts devices.
[[nodiscard]] inline Axis device_axis() { return Axis("gpuid"); }

/// Devices on named axes. A value, immutable.
class Mesh {
 public:
  /// One device, 0, on no axis.
  Mesh() : devices_{0} {}

  static constexpr std::int64_t kMaxDevices = std::int64_t{1} << 16;
  static constexpr std::size_t kMaxRank = 64;

  /// The devices in row-major order, the last axis fastest. Without names the axes are called "0",
  /// "1", …; without devices they are 0, 1, 2, …. Refuses `axe.mesh`: as many names as axes are
  /// needed, each once and none empty; extents of at least 1 and no more than kMaxDevices devices
  /// on kMaxRank axes; as many ids as the extents say, none negative and none twice.
  [[nodiscard]] static Result<Mesh> make(std::vector<std::int64_t> extents,
                                         std::vector<std::string> names = {},
                                         std::vector<std::int64_t> devices = {});
  /// The devices of a layout: its shard over these extents, on gpuid alone. Refuses `axe.mesh` for
  /// a layout on other axes, with replicas, or of symbolic sizes, and as above; `axe.not_admitted`.
  [[nodiscard]] static Result<Mesh> make(std::vector<std::int64_t> extents,
                                         std::vector<std::string> names, const Layout& layout);

  [[nodiscard]] std::size_t rank() const { return extents_.size(); }
  [[nodiscard]] std::span<const std::int64_t> extents() const { return extents_; }
  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  /// The devices in row-major order.
  [[nodiscard]] std::span<const std::int64_t> devices() const { return devices_; }

  /// The number of the axis of that name; nullopt if there is none.
  [[nodiscard]] std::optional<std::size_t> axis(std::string_view name) const;
  /// Whether the axes have only the default names "0", "1", ….
  [[nodiscard]] bool is_unnamed() const;
  /// The coordinate of a device on the axes; nullopt if it is not in the mesh.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> coordinate(std::int64_t device) const;

  friend bool operator==(const Mesh&, const Mesh&) = default;

 private:
  std::vector<std::int64_t> extents_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> devices_;
};

/// The mesh as a layout on gpuid, with a block of iters for each axis; the offset is its first
/// device. Refuses `axe.mesh_layout` if the ids are not strided, with the first id that breaks the
/// strides. Cost: linear in the devices.
[[nodiscard]] Result<Grouping> layout(const Mesh& mesh);

/// `DeviceMesh([[0, 2], [1, 3]], mesh_dim_names=('x', 'y'))`, without the names if there are none.
[[nodiscard]] std::string to_string(const Mesh& mesh);

}  // namespace heddle::axe
#pragma GCC visibility pop

template <>
struct std::hash<heddle::axe::Mesh> : heddle::HashOfText<heddle::axe::Mesh> {};
