#pragma once

// Which device holds which part of a tensor, asked of a layout on devices.
//
//   S[(2,32,128):(1@gpuid,128@m,1@m)] + R[(2):(2@gpuid)]     a tensor of 64 x 128
//     shard_of device 1          [32,64) x [0,128)
//     devices_of element (0,5)   0 and 2
//     footprint, 16 bits         4096 elements, 8192 bytes a device; every element twice

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/axe/sharding.h"
#include "heddle/axe/sharding_spec.h"
#include "heddle/axe/slice.h"
#include "heddle/core/result.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// A part of a tensor that one device holds.
struct ShardPiece {
  /// An interval for each dimension, if the part is a box.
  std::optional<std::vector<Interval>> box;
  /// The row-major indices of its elements in the tensor, ascending, on axis m.
  Layout indices;

  friend bool operator==(const ShardPiece&, const ShardPiece&) = default;
};

/// The part that the device holds: one piece for each way in which the digits that select devices,
/// and the replicas, lead to it; a tensor that a spec placed has one piece or none. Refuses
/// `axe.not_admitted`, `axe.undecided` for more than kMaxPlaces of these ways and if they are
/// symbolic, `overflow`. Cost: linear in the ways.
[[nodiscard]] Result<std::vector<ShardPiece>> shard_of(const Layout& layout,
                                                       std::span<const Int> shape,
                                                       std::int64_t device);

/// `[32,64) x [0,128)`; a piece that is no box is written as the layout of its indices; no pieces
/// as `nothing`.
[[nodiscard]] std::string to_string(std::span<const ShardPiece> pieces);

/// The devices that hold the element, ascending. Refuses as places().
[[nodiscard]] Result<std::vector<Int>> devices_of(const Layout& layout, std::span<const Int> shape,
                                                  std::span<const Int> point);

/// Some devices that hold the same number of elements.
struct Holders {
  std::vector<std::int64_t> devices;
  /// The number of different elements of the tensor on each of them.
  Int elements = 0;
  /// The bytes of those elements without gaps, rounded up.
  Int bytes = 0;

  friend bool operator==(const Holders&, const Holders&) = default;
};

/// The memory that a tensor takes.
struct Footprint {
  /// In falling order of the number of elements; devices of the mesh that hold nothing come last,
  /// with 0.
  std::vector<Holders> holders;
  /// The number of devices that hold each element.
  Int copies = 1;
  /// The bytes over all devices together.
  Int total_bytes = 0;
  /// The bytes that a device has to allocate: from the lowest to the highest place on m, gaps
  /// included.
  Int allocated_bytes = 0;

  friend bool operator==(const Footprint&, const Footprint&) = default;
};

/// The footprint of elements of `element_bits` bits over the devices that the layout names, and
/// those of `mesh`. Refuses `axe.element_bits` for less than 1 or more than 2^16 bits,
/// `axe.undecided` as shard_of(), `overflow`.
[[nodiscard]] Result<Footprint> bytes_per_device(const Layout& layout, std::int64_t element_bits,
                                                 const Mesh* mesh = nullptr);

/// The same of a sharding with mesh and shape, also where no layout has its shards because devices
/// do not divide a dimension evenly: the boxes of shards_of(). What a device allocates is its part
/// with the padding. Refuse as shards_of(); `axe.point` for what is not an index of the tensor,
/// `assume.needed` for a symbolic one, `axe.element_bits`, `overflow`.
[[nodiscard]] Result<std::vector<ShardPiece>> shard_of(const Sharding& sharding,
                                                       std::int64_t device);
[[nodiscard]] Result<std::vector<Int>> devices_of(const Sharding& sharding,
                                                  std::span<const Int> point);
[[nodiscard]] Result<Footprint> bytes_per_device(const Sharding& sharding,
                                                 std::int64_t element_bits);

}  // namespace heddle::axe
#pragma GCC visibility pop
