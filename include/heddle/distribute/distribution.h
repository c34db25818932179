#pragma once

// A tensor over devices: which boxes of it each device holds, and where they lie in its memory.
//
//   S[(2,2,8):(1@gpuid,8@m,1@m)], shape (4,8)
//     device 0   [0,2) x [0,8)  at  S[16:1@m]
//     device 1   [2,4) x [0,8)  at  S[16:1@m]
//
// It is the common form of layouts on devices and of shards that no layout can say (uneven ones).
// A device whose part is no box has several: S[(2,2,2):(2@m,1@gpuid,1@m)] gives device 0 the boxes
// [0,2) and [4,6). If the dimensions of the shape do not group the layout, the boxes are those of
// the tensor's flat index, which always does.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/axe/mesh.h"
#include "heddle/axe/sharding.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/core/result.h"
#include "heddle/distribute/box.h"

#pragma GCC visibility push(default)
namespace heddle::distribute {

/// A box of the tensor in the memory of one device.
struct Block {
  std::int64_t device = 0;
  Box box;
  /// From the row-major index within the box to the place on m, counted in elements.
  axe::Layout place;

  friend bool operator==(const Block&, const Block&) = default;
};

/// A value, immutable.
class Distribution {
 public:
  static constexpr std::size_t kMaxBlocks = std::size_t{1} << 16;
  static constexpr std::size_t kMaxDevices = 4096;

  /// The blocks of a layout on gpuid and m. Refuses `distribute.symbolic` for sizes that are not
  /// known, `distribute.axes` for a layout on other axes, `distribute.too_large` past kMaxBlocks
  /// blocks or kMaxDevices devices, `distribute.device` for a device that the mesh does not have,
  /// and as axe::shard_of(). Cost: linear in the devices times the blocks.
  [[nodiscard]] static Result<Distribution> make(const axe::Sharded& sharded);
  /// The blocks of a sharding with mesh and shape, uneven ones included. Refuses as above, and as
  /// axe::place() and axe::shards_of().
  [[nodiscard]] static Result<Distribution> make(const axe::Sharding& sharding);

  [[nodiscard]] const axe::Mesh& mesh() const { return mesh_; }
  /// The extents of the tensor.
  [[nodiscard]] std::span<const std::int64_t> shape() const { return shape_; }
  /// In the order of the devices, without empty boxes. Blocks of one device do not meet.
  [[nodiscard]] std::span<const Block> blocks() const { return blocks_; }
  [[nodiscard]] std::span<const Block> blocks(std::int64_t device) const;
  /// Those of them that may meet a box: the others lie before or behind it along the first
  /// dimension. Cost: logarithmic in the blocks of the device, where these are of like lengths.
  [[nodiscard]] std::span<const Block> blocks_near(std::int64_t device, const Box& box) const;
  /// The axes of the mesh over which the values are partial.
  [[nodiscard]] std::span<const axe::PartialAxis> partial() const { return partial_; }
  /// The devices that hold something, ascending.
  [[nodiscard]] std::vector<std::int64_t> devices() const;
  /// The number of elements that the memory of a device must have room for; 0 if it holds nothing.
  [[nodiscard]] std::int64_t memory(std::int64_t device) const;

  /// Refuses `distribute.overlap` if two elements have one place on a device, so that the tensor
  /// cannot be written in this way.
  [[nodiscard]] Result<void> check_writable() const;

  /// Whether the boxes are intervals of the tensor's flat index.
  [[nodiscard]] bool is_flat() const { return is_flat_; }
  /// The same tensor with intervals of its flat index. Refuses `distribute.too_large`.
  [[nodiscard]] Result<Distribution> flat() const;

  friend bool operator==(const Distribution&, const Distribution&) = default;

 private:
  Distribution() = default;
  friend struct DistributionAccess;  // src/distribute/distribution_access.h

  axe::Mesh mesh_;
  std::vector<std::int64_t> shape_;
  std::vector<Block> blocks_;
  std::vector<axe::PartialAxis> partial_;
  std::map<std::int64_t, std::int64_t> memory_;
  std::optional<Diagnostic> overlap_;
  /// The greatest length of a block along the first dimension.
  std::int64_t longest_ = 0;
  bool is_flat_ = false;
};

/// One line for each device: `device 1   [2,4) x [0,8)`.
[[nodiscard]] std::string to_string(const Distribution& distribution);

}  // namespace heddle::distribute
#pragma GCC visibility pop
