#pragma once

// A layout of Axe maps a logical index to a set of places on named axes: the shard part D splits
// the index into digits, last one fastest, each a step on one axis; the replica part R enumerates
// copies; the offset O shifts all; a swizzle may permute addresses at the end.
//
//   S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[(2):(4@warpid)] + 5@warpid
//
//   index 21 of an 8 x 16 tile is (1,5) and has the digits 1, 0, 2, 1:
//     4@laneid + 2@laneid + 1@m,   plus 5@warpid,   with copies at +0@warpid and +4@warpid
//     { laneid 6, m 1, warpid 5;   laneid 6, m 1, warpid 9 }
//
// (Seed 002, section 2.3; flat indices are row-major.)

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/axe/coordinate.h"
#include "heddle/axe/swizzle.h"
#include "heddle/core/axis.h"
#include "heddle/core/hash.h"
#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/form/index_map.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// `extent` steps of `stride` along `axis` (definition 2.1). A stride of 0 is a broadcast.
struct Iter {
  Int extent = 1;
  Int stride = 1;
  Axis axis = Axis::memory();

  friend bool operator==(const Iter&, const Iter&) = default;
};

/// `(8, 4@laneid)`.
[[nodiscard]] std::string to_string(const Iter& iter);

/// Sets of places up to this size are enumerated.
inline constexpr std::int64_t kMaxPlaces = std::int64_t{1} << 20;

/// A layout (definition 2.2). A value, immutable; == compares the structure, equal()
/// (axe/canonical.h) the maps.
class Layout {
 public:
  /// One point, at 0.
  Layout() : shard_(1) {}

  /// An empty shard list means one unit iter. Refuses `axe.extent` for an extent that is not known
  /// to be at least 1, `axe.too_many` past kMaxIters iters, `overflow` if the size, the number of
  /// replicas or a coordinate, with the offset or without, does not fit into 64 bits.
  [[nodiscard]] static Result<Layout> make(std::vector<Iter> shard, std::vector<Iter> replica = {},
                                           Coordinate offset = {},
                                           std::optional<Swizzle> swizzle = {});

  static constexpr std::size_t kMaxIters = 4096;

  [[nodiscard]] std::span<const Iter> shard() const { return shard_; }
  [[nodiscard]] std::span<const Iter> replica() const { return replica_; }
  [[nodiscard]] const Coordinate& offset() const { return offset_; }
  [[nodiscard]] const std::optional<Swizzle>& swizzle() const { return swizzle_; }

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  friend struct Unchecked;  // src/axe/layout/iters.h

  std::vector<Iter> shard_;
  std::vector<Iter> replica_;
  Coordinate offset_;
  std::optional<Swizzle> swizzle_;
};

/// `SW(3,3,3) o S[(8,64):(64@m,1@m)] + R[(2):(4@warpid)] + 5@warpid`.
[[nodiscard]] std::string to_string(const Layout& layout);

/// The extents of the iters; those of the shard are the box of an index's digits.
[[nodiscard]] std::vector<Int> extents_of(std::span<const Iter> iters);

/// The number of logical indices, the product of the shard's extents (E_D).
[[nodiscard]] Int size(const Layout& layout);
/// The product of the replica's extents (E_R): the number of copies of an index, in which several
/// replicas at one place all count.
[[nodiscard]] Int replication(const Layout& layout);

/// The axes that the shard, the replica or the offset use, in the order of their names.
[[nodiscard]] std::vector<Axis> axes(const Layout& layout);

/// max - min + 1 of the coordinates on the axis, over all indices and replicas; 1 for an axis that
/// is not used. Section 2.3 and lemma C.1. Refuses `overflow`, and `axe.undecided` for a swizzled
/// axis with more than kMaxPlaces places whose image is no whole number of the swizzle's periods.
/// Cost: linear in the iters; up to kMaxPlaces places on a swizzled axis.
[[nodiscard]] Result<Int> span(const Layout& layout, const Axis& axis);

/// Whether the product of the shape is the size (shape admission). Refuses `assume.needed` if
/// symbolic sizes leave it open, `axe.extent` for a shape with an extent below 1.
[[nodiscard]] Result<bool> admits(const Layout& layout, std::span<const Int> shape);
/// Refuses `axe.not_admitted`, naming `operation`, unless the layout admits the shape.
[[nodiscard]] Result<void> check_admits(const Layout& layout, std::span<const Int> shape,
                                        std::string_view operation);

/// f_D(index), the shard's part alone: no replica, offset or swizzle.
[[nodiscard]] Coordinate shard_at(const Layout& layout, const Int& index);

/// f_L(index): the sorted set of places, swizzled. Refuses `axe.index` for an index known to be
/// outside [0, size), `axe.undecided` for more than kMaxPlaces replicas or a symbolic number of
/// them, `overflow`.
[[nodiscard]] Result<std::vector<Coordinate>> places(const Layout& layout, const Int& index);
/// The places of a point of a shape that the layout admits. Refuses as above, and `axe.point` for a
/// point that is not of the shape's rank or outside of it.
[[nodiscard]] Result<std::vector<Coordinate>> places(const Layout& layout,
                                                     std::span<const Int> shape,
                                                     std::span<const Int> point);

/// The layout of the first replica (digits all 0) as a function on a box of this shape, which it
/// must admit. Code that works on index maps sees a layout without replicas in this way.
[[nodiscard]] Result<form::IndexMap> index_map(const Layout& layout, std::span<const Int> shape);

}  // namespace heddle::axe
#pragma GCC visibility pop

template <>
struct std::hash<heddle::axe::Layout> : heddle::HashOfText<heddle::axe::Layout> {};
