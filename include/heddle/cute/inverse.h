#pragma once

// Inverses read a layout backwards: from an index to a coordinate.
//
//   inverse((8,16,4):(64,1,16))            (16,4,8):(8,128,1)      bijections only (seed 003)
//   right_inverse((8,16,4):(64,1,16))      (64,8):(8,1)
//   right_inverse((6,4):(1,0))             6:1                     L(R(i)) = i
//   left_inverse(4:2)                      (2,4):(0,1)             R(L(c)) = c; gaps get stride 0
//
// The one-sided inverses of a layout with strides along modes take a coordinate and read each part
// of it back along its axis:
//
//   left_inverse((4,5):(1@1,1@0))          (5,4):(4,1)             R(L(c)) = c
//
// Other operations that must order the strides refuse several axes with `inverse.two_axes`.

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// The layout R with R(L(c)) = c and L(R(i)) = i: extents sorted by stride, each stride the size of
/// the modes before it. Refuses `inverse.not_bijective` with an index that L misses or has twice.
/// Seed 003; seed 000, section 3.5.
[[nodiscard]] Result<Layout> inverse(const Layout& layout);

/// Reads back a run 0, 1, 2, … of indices: L(R(i)) = i for all i < size(R); coalesced, as in CuTe.
/// It takes the mode of stride 1, then the one whose stride is the number of indices reached, and
/// so on; among modes with that stride those that lead furthest, and of equally good ones the
/// first. 1:0 if no mode has stride 1.
[[nodiscard]] Result<Layout> right_inverse(const Layout& layout);

/// R with R(L(c)) = c if L is injective; in any case R(L(c)) is a coordinate of L with L(R(L(c))) =
/// L(c). Refuses `left_inverse.divisibility` if the strides do not divide one another or overlap so
/// that no digit of the index tells the coordinate, and `inverse.negative_stride`.
[[nodiscard]] Result<Layout> left_inverse(const Layout& layout);

/// The layout of the coordinates that stride-0 modes repeat: L(R(i)) = 0, size(R) = size(L) /
/// size(filter(L)).
[[nodiscard]] Result<Layout> nullspace(const Layout& layout);

/// The layout R of the largest number of elements that are contiguous and in the same order in
/// both: a(R(i)) = b(R(i)) = i, each R(i) being a coordinate of both. CuTe lets a smaller `a` run
/// on past its end instead.
[[nodiscard]] Result<Layout> max_common_layout(const Layout& a, const Layout& b);
/// The size of max_common_layout(): how many elements one vector access can move between a and b.
[[nodiscard]] Result<Int> max_common_vector(const Layout& a, const Layout& b);
/// The greatest n by which upcast divides the layout: every vector of n elements begins at a
/// multiple of n. Refuses what right_inverse() refuses.
[[nodiscard]] Result<Int> max_alignment(const Layout& layout);

}  // namespace heddle::cute
#pragma GCC visibility pop
