#pragma once

// Views of tensors: their shapes, and which element of the tensor a point of a view is.
//
//   A: f16[M,K],  A[128*bx : +128, k]           shape (128)
//   element_at(…, (i))                          (i + 128*bx, k), inside if i + 128*bx < M

#include <optional>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/kernel/program.h"
#include "heddle/map/any_layout.h"

#pragma GCC visibility push(default)
namespace heddle::kernel {

struct ViewShape {
  DType type = DType::kF32;
  std::vector<Int> extents;
};

/// The type and the shape of a view. Refuses `kernel.subscripts` (more than dimensions),
/// `kernel.index` (outside by the numbers themselves),
/// `kernel.permutation`, `kernel.reshape` (another number of elements, or not known to be the
/// same), `kernel.recast` (a last dimension that does not hold whole elements), `kernel.layout`
/// (the layout of a relayout has no box of its own).
[[nodiscard]] Result<ViewShape> shape_of(const View& view, const Tensor& tensor);

/// An element of a tensor, as a point of a view names it.
struct Element {
  /// One index for each dimension of the tensor; the place in memory if `layout` is set.
  std::vector<Int> coordinate;
  /// What must hold for the element to exist, without what is known: `32*k+i < N`.
  std::vector<Condition> inside;
  /// The layout of a relayout, to which `coordinate` belongs; by default that of the tensor.
  std::optional<map::AnyLayout> layout = {};
  /// For a recast to `type`: `coordinate` is counted in elements of `type` along the last
  /// dimension, not in those of the tensor.
  std::optional<DType> recast = {};
};

/// The element at a point of the view. Refuses what shape_of() refuses, and `kernel.recast` for a
/// recast or a relayout that is not the first step.
[[nodiscard]] Result<Element> element_at(const View& view, const Tensor& tensor,
                                         std::span<const Int> point);

/// The shape that two shapes broadcast to, as NumPy's: aligned at the last dimension, extents of 1
/// repeated. Refuses `kernel.broadcast`, naming the dimension and the extents.
[[nodiscard]] Result<std::vector<Int>> broadcast(std::span<const Int> a, std::span<const Int> b);

/// The point of a view of this shape that is read for a point of the broadcast result.
[[nodiscard]] std::vector<Int> broadcast_point(std::span<const Int> shape,
                                               std::span<const Int> point);

/// The address of an element: the tensor's layout at its coordinate, row-major without one; for
/// memory one number, for registers one on each axis of the layout. Refuses what view() of the
/// layout refuses.
[[nodiscard]] Result<std::vector<Int>> place_of(const Element& element, const Tensor& tensor);

}  // namespace heddle::kernel
#pragma GCC visibility pop
