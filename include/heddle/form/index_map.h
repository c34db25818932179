#pragma once

// An index map is what every layout of every system denotes: a function from the points of a
// coordinate box to coordinates on named axes.
//
//   (4,8):(8,1)      box 4 x 8, first index fastest, one axis m:   (i, j) -> 8*i + j
//
// Code that reads layouts (tables, pictures, proofs, emitted code) uses index maps and depends on
// no system.

#include <functional>
#include <span>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle::form {

/// The index of the box that runs fastest when its points are numbered by one flat coordinate.
enum class FlatOrder {
  kFirstFastest,  // colexicographic: CuTe, linear layouts
  kLastFastest,   // row-major: LEGO, Axe
};

/// The number of points of a box.
[[nodiscard]] Int product(std::span<const Int> extents);
/// The flat index of a point of the box, last dimension fastest.
[[nodiscard]] Int flatten(std::span<const Int> extents, std::span<const Int> point);
/// The point with a flat index in [0, product(extents)). The slowest coordinate is the last
/// quotient without a remainder, which keeps symbolic indices simple.
[[nodiscard]] std::vector<Int> unflatten(std::span<const Int> extents, Int flat);

class IndexMap {
 public:
  /// From one index for each extent, the coordinate on each axis, in the order of axes().
  using Evaluator = std::function<std::vector<Int>(std::span<const Int>)>;

  IndexMap(std::vector<Int> extents, FlatOrder order, std::vector<Axis> axes, Evaluator evaluator);

  [[nodiscard]] std::span<const Int> extents() const { return extents_; }
  [[nodiscard]] FlatOrder order() const { return order_; }
  [[nodiscard]] std::span<const Axis> axes() const { return axes_; }
  /// The number of points of the box.
  [[nodiscard]] Int size() const;

  /// The image of the point; `indices` has one entry for each extent.
  [[nodiscard]] std::vector<Int> operator()(std::span<const Int> indices) const;
  /// The image of the point with this flat coordinate, in the map's own order; the coordinate must
  /// be in [0, size()).
  [[nodiscard]] std::vector<Int> at(const Int& flat) const;
  /// The indices of the point with this flat coordinate, which must be in [0, size()).
  [[nodiscard]] std::vector<Int> indices(const Int& flat) const;

 private:
  std::vector<Int> extents_;
  FlatOrder order_;
  std::vector<Axis> axes_;
  Evaluator evaluator_;
};

}  // namespace heddle::form
#pragma GCC visibility pop
