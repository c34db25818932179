#pragma once

// Slices: the layout of a rectangular part of a tensor.
//
//   slice(S[(2,8,3,8):(192,8,64,1)], shape (16,24), region [0,8) x [8,24))
//     ->  S[(8,2,8):(8,64,1)] + 64@m
//
// (Seed 002, section 3.3; all slices that exist, not the two forms of appendix E only.)

#include <span>
#include <vector>

#include "heddle/axe/layout.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

/// The half-open interval [begin, end) of one dimension.
struct Interval {
  Int begin = 0;
  Int end = 1;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The layout with f(u) = f_L(u + b) on the region, where b is its first corner, in normal form.
/// Replicas are kept, the offset is counted once, and a swizzle stays, with the new offset inside;
/// if there is no layout under the swizzle, one without any is tried, point by point.
///
/// Refuses `axe.not_admitted`, `axe.ranks`, `axe.region` (an interval that is empty or leaves the
/// shape), `axe.no_slice` (a proof that no layout under the layout's swizzle has this map, with the
/// first point that none reaches), `assume.needed`, `overflow`; `axe.undecided` only if the shape
/// does not group the layout and the region has more than kMaxPlaces points. Symbolic intervals are
/// sliced if they are known to be within rounds of the iters, or if their length and their start
/// within a round are known.
///
/// Cost: quadratic in the iters of a dimension, whatever the size; up to kMaxPlaces evaluations if
/// the shape does not group the layout, or the swizzle has to be dropped.
[[nodiscard]] Result<Layout> slice(const Layout& layout, std::span<const Int> shape,
                                   std::span<const Interval> region);

}  // namespace heddle::axe
#pragma GCC visibility pop
