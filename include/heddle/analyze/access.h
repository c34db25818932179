#pragma once

// An access says which address every thread touches under each of its values: the composition of a
// register layout and a memory layout. All analyses of memory traffic use it.
//
//   threads and values -> elements     ((4,8),(2,2)):((32,1),(16,8))      an MMA's A, 16 x 16
//   elements -> addresses              (16,16):(16,1)                     the tile, row-major
//   together                           thread 5, value 1 -> element 49 = (1,3) -> address 19
//
// A warp moves its values by instructions of 8, 16, 32, 64 or 128 bits for each lane. Values are
// combined into one instruction if in every thread they are contiguous, aligned, and in the same
// order; the widest such grouping is unique:
//
//   addresses of thread t: 4t + (0 2 1 3)     vectors of 4: values 0 2 1 3
//   addresses of thread t: 4t + 1 + (0 1 2)   vectors of 1: nothing is aligned
//
// Addresses and elements are counted in elements of element_bits each. Address 0 is aligned for
// every instruction.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heddle/analyze/served_lanes.h"
#include "heddle/core/result.h"
#include "heddle/cute/thread_value.h"
#include "heddle/form/index_map.h"
#include "heddle/linear/encoding.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::analyze {

/// The widest instruction of one lane, in bits.
inline constexpr int kMaxAccessBits = 128;
/// The most points, threads times values, of an access.
inline constexpr std::int64_t kMaxAccessPoints = std::int64_t{1} << 20;

/// Threads are numbered by warps of `warp_lanes`; the last warp may have fewer.
struct Access {
  std::int64_t threads = 1;
  std::int64_t values = 1;
  int element_bits = 32;
  /// For each value, one address for each thread.
  std::vector<std::int64_t> addresses;
  std::int64_t warp_lanes = kWarpLanes;

  [[nodiscard]] std::int64_t address(std::int64_t thread, std::int64_t value) const {
    return addresses[static_cast<std::size_t>(value * threads + thread)];
  }
  [[nodiscard]] std::int64_t warps() const { return (threads + warp_lanes - 1) / warp_lanes; }

  friend bool operator==(const Access&, const Access&) = default;
};

/// `memory` after `access`. The first extent of `access` counts threads, the others together the
/// values; it maps to flat coordinates of `memory`, in memory's own order, or to one coordinate for
/// each of its extents.
///
/// Refuses `analyze.element_bits` (not 1, 2, 4, …, 128), `analyze.symbolic`, `analyze.too_large`
/// past kMaxAccessPoints, `analyze.rank` (the two do not fit together, or `memory` maps to
/// coordinates), `analyze.outside` for an element that memory does not have, with the thread and
/// the value, `analyze.negative` for an address below 0, `overflow`. Cost: one evaluation for each
/// point.
[[nodiscard]] Result<Access> make_access(const form::IndexMap& access, const form::IndexMap& memory,
                                         int element_bits);
/// An access from a map `access` that gives addresses itself.
[[nodiscard]] Result<Access> make_access(const form::IndexMap& access, int element_bits);

/// The access of the tile at the beginning of a memory: (thread, value) -> coordinates of `memory`,
/// one for each of its extents.
///
///   (32,1):(1,0) tile (1,32)   in a memory of 32 x 32     thread t -> (0,t), not element t
///   (32,1):(1,0) tile <32:2>   in a memory of 64          thread t -> 2*t
///
/// Refuses `analyze.tile` for a tile that does not divide the memory mode by mode, and
/// `layout.not_integral`.
[[nodiscard]] Result<form::IndexMap> access_of_tile(const cute::TvLayout& tv,
                                                    const form::IndexMap& memory);

/// The paddings of a padded_shared encoding, which spread offsets as linear::padded_offset() does;
/// empty if there are none.
using Paddings = std::span<const linear::PaddedSharedEncoding::Padding>;

/// (register, lane, warp) -> offset in the shared memory of the CTA: the offset at which each
/// register is stored. `registers` maps (register, lane, warp, block) to the tensor and `shared`
/// maps (offset, block) to it. Refuses `analyze.dims` for other inputs, `analyze.lanes` for more
/// lanes than a warp has, or fewer if there are several warps, `analyze.too_large` past 2^48 places
/// or elements, `analyze.across_ctas` if an element is in another CTA's memory, and as
/// invert_and_compose().
[[nodiscard]] Result<linear::LinearLayout> register_offsets(const linear::LinearLayout& registers,
                                                            const linear::LinearLayout& shared,
                                                            std::int64_t warp_lanes = kWarpLanes);
/// The access of Triton's register layout and shared layout: values are registers, threads are
/// lanes and warps. Also refuses as make_access(IndexMap) and padded_offset().
[[nodiscard]] Result<Access> make_access(const linear::LinearLayout& registers,
                                         const linear::LinearLayout& shared, int element_bits,
                                         Paddings paddings = {},
                                         std::int64_t warp_lanes = kWarpLanes);

/// A register layout as a map from (thread, value) to coordinates of the tensor, for a memory
/// layout of another system; and a shared layout as the map from coordinates to offsets. Refuse
/// `analyze.dims`, `analyze.lanes`, several CTAs, a shared layout that is not invertible, and as
/// padded_offset().
[[nodiscard]] Result<form::IndexMap> thread_value_map(const linear::LinearLayout& registers,
                                                      std::int64_t warp_lanes = kWarpLanes);
[[nodiscard]] Result<form::IndexMap> offset_map(const linear::LinearLayout& shared,
                                                Paddings paddings = {});

/// The instructions that move an access: each one moves `elements` contiguous elements for each
/// lane.
struct Vectors {
  int elements = 1;
  /// For each instruction its values, in the order of their addresses. Values with the same
  /// addresses as another one in every thread are omitted.
  std::vector<std::vector<std::int64_t>> values;

  friend bool operator==(const Vectors&, const Vectors&) = default;
};

/// The widest vectors of at most `max_bits` (a power of two up to kMaxAccessBits). Refuses
/// `analyze.sub_byte` if values of less than a byte cannot be combined into whole bytes, and
/// `analyze.max_bits`. Cost: points times log values, for each width.
[[nodiscard]] Result<Vectors> widest_vectors(const Access& access, int max_bits = kMaxAccessBits);

/// One instruction of one warp.
struct Request {
  std::int64_t warp = 0;
  /// The values that it moves, in the order of their addresses.
  std::vector<std::int64_t> values;
  /// The first byte that each lane touches.
  std::vector<std::int64_t> bytes;

  friend bool operator==(const Request&, const Request&) = default;
};
/// All requests of the access, warp by warp.
[[nodiscard]] std::vector<Request> requests(const Access& access, const Vectors& vectors);

}  // namespace heddle::analyze
#pragma GCC visibility pop
