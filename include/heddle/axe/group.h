#pragma once

// Grouping: a view of the shard list as one block of iters for each extent of a shape.
//
//   group(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)], (8,16))
//     ->  blocks (8) and (2,4,2), boundaries 0 1 4
//   group(S[(4,6):(6,1)], (6,4))
//     ->  S[(6,4):(4,1)], boundaries 0 1 2: the list is 24:1, which is split anew
//
// (Seed 002, section 3.3 and appendix B, with the errata: the list is made canonical first.)

#include <cstddef>
#include <span>
#include <vector>

#include "heddle/axe/layout.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// A layout whose shard list is made of one block of consecutive iters for each extent of a shape:
/// block j are the iters from seps[j] up to seps[j + 1].
struct Grouping {
  Layout layout;
  std::vector<std::size_t> seps;

  [[nodiscard]] std::size_t rank() const { return seps.size() - 1; }
  [[nodiscard]] std::span<const Iter> block(std::size_t j) const {
    return layout.shard().subspan(seps[j], seps[j + 1] - seps[j]);
  }

  friend bool operator==(const Grouping&, const Grouping&) = default;
};

/// The grouping with the fewest iters; an extent of 1 has a unit iter. Replica, offset and swizzle
/// are kept. Refuses `axe.not_admitted`, `axe.no_grouping` (with two places at which one step of
/// one extent differs, so that no block can represent it), `assume.needed`. Cost: linear.
[[nodiscard]] Result<Grouping> group(const Layout& layout, std::span<const Int> shape);

/// The coarsest list that groups by all of the shapes, and the boundaries for each: boundaries of
/// one shape are boundaries in the common list; where a shape repeats a boundary (an extent of 1) a
/// unit iter is inserted. Refuses as group(), and `axe.no_grouping` if two shapes cut one iter at
/// places of which neither divides the other.
struct CommonGrouping {
  Layout layout;
  std::vector<std::vector<std::size_t>> seps;

  friend bool operator==(const CommonGrouping&, const CommonGrouping&) = default;
};
[[nodiscard]] Result<CommonGrouping> group_many(const Layout& layout,
                                                std::span<const std::vector<Int>> shapes);

/// The shard's iters in the order of `perm`: iter perm[i] becomes iter i. Refuses
/// `axe.permutation`.
[[nodiscard]] Result<Layout> permute_dims(const Layout& layout, std::span<const std::int64_t> perm);

/// The blocks of the grouping by `shape` in the order of `perm`: a transposition of the logical
/// tensor. Refuses as group(), and `axe.permutation`.
[[nodiscard]] Result<Grouping> permute_groups(const Layout& layout, std::span<const Int> shape,
                                              std::span<const std::int64_t> perm);

/// The same map with the shape's extents as a grouping, whatever it was grouped by before; group()
/// under the name that users of tensors know.
[[nodiscard]] Result<Grouping> reshape(const Layout& layout, std::span<const Int> shape);

/// Inserts a broadcast iter of that extent and stride 0 before the shard's iter `position`;
/// negative positions count from the end. Refuses `axe.position`, and as Layout::make().
[[nodiscard]] Result<Layout> broadcast(const Layout& layout, const Int& extent,
                                       std::int64_t position = -1);

}  // namespace heddle::axe
#pragma GCC visibility pop
