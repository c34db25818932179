#pragma once

// Three views of an Axe layout as pictures. The layout below is of 4 x 4 elements,
// S[(2,2,2,2):(4@laneid,1@laneid,1@warpid,1@m)] + R[(2):(2@warpid)]:
//
//   tensor_picture      the owner of each element, and its place in the owner's memory:
//                              0           1           2           3
//                       0   w0,2 l0 m0  w0,2 l0 m1  w1,3 l0 m0  w1,3 l0 m1
//                       1   w0,2 l1 m0  w0,2 l1 m1  w1,3 l1 m0  w1,3 l1 m1
//                       2   w0,2 l4 m0  w0,2 l4 m1  w1,3 l4 m0  w1,3 l4 m1
//                       3   w0,2 l5 m0  w0,2 l5 m1  w1,3 l5 m0  w1,3 l5 m1
//   hardware_picture    the element in each place: warp 0, lanes down, memory along; places that
//                       hold nothing are counted below the picture
//                              0      1
//                       0  (0,0)  (0,1)
//                       1  (1,0)  (1,1)
//                       2      ·      ·
//                       3      ·      ·
//                       4  (2,0)  (2,1)
//                       5  (3,0)  (3,1)
//   device_picture      the region of a distributed tensor that each device holds
//                            0:512   512:1024
//                     0:256  g0,4     g1,5
//                   256:512  g2,6     g3,7
//
// Owners are coordinates on the axes of devices and threads, from the device to the lane; the other
// axes are places in a memory. All sets are products of a set for each axis, because each iter of a
// layout is on one axis; `w0,2 l4 m1` is the set of 2 * 1 * 1 places. Long lists are written
// `0..7`, `0,4..28`, or `0,1,5,9+12`.
//
// Above a side are the iters of its dimension, if the layout groups by the shape. In the tensor
// view the last two dimensions are rows and columns and each coordinate of the others has a panel;
// of a layout of too many elements the corners are shown, and a note says what is left out.

#include <cstddef>

#include "heddle/axe/axes.h"
#include "heddle/axe/layout.h"
#include "heddle/draw/picture.h"

#pragma GCC visibility push(default)
namespace heddle::draw {

/// A picture lists at most this many replicas on an axis, 2^8 on a swizzled one.
inline constexpr std::size_t kMaxReplicas = std::size_t{1} << 14;

/// Each element of the tensor with all the places that hold it; `axes` says which axes are of
/// devices, of threads and of memory. Refuses `axe.not_admitted` for a shape of another size,
/// `draw.symbolic` unless everything is constant, `draw.too_large` for more than kMaxCells
/// elements, or kMaxPanels panels, if max_cells asks for all, and for more than kMaxReplicas;
/// `draw.color` for a modulus or a run out of range and for an axis that does not exist; `draw.tv`
/// for an element that does not exist. Cost: cells times iters and replicas.
[[nodiscard]] Result<Picture> tensor_picture(
    const axe::Layout& layout, const PictureOptions& options = {},
    const axe::AxisTable& axes = axe::AxisTable::hardware());

/// Each place in the box of all coordinates, from the least to the greatest on each axis, with the
/// elements that it holds. Lanes (the innermost owners) run down, the last axis of memory along,
/// and each coordinate of the others has a panel; memory alone is shown in lines of 32. Places that
/// hold nothing are hatched and counted, those that hold several elements are counted too. Refuses
/// as tensor_picture(), and `draw.too_large` if it takes too long to find the elements of a place
/// (kMaxLookups). Cost: linear in the elements found, for the usual layouts.
[[nodiscard]] Result<Picture> hardware_picture(
    const axe::Layout& layout, const PictureOptions& options = {},
    const axe::AxisTable& axes = axe::AxisTable::hardware());

/// The most steps taken to find the elements of the places shown.
inline constexpr std::size_t kMaxLookups = std::size_t{1} << 22;

/// The tensor in the regions between which its devices change: a cell is a region, with the devices
/// that hold it and its size; beside it are the regions' indices, as slices `begin:end` or
/// `begin:end:step`. Refuses as tensor_picture(), `axe.no_grouping` if a dimension is no block of
/// iters, and `draw.devices` for a layout that uses no axis of devices.
[[nodiscard]] Result<Picture> device_picture(
    const axe::Layout& layout, const PictureOptions& options = {},
    const axe::AxisTable& axes = axe::AxisTable::hardware());

}  // namespace heddle::draw
#pragma GCC visibility pop
