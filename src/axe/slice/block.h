#pragma once

// Two ways to find a slice (dimension by dimension, and from the places of all points), and checks
// of the result.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/axe/coordinate.h"
#include "heddle/axe/layout.h"
#include "heddle/axe/slice.h"
#include "heddle/core/result.h"

namespace heddle::axe {

/// The operation with its operands, for messages.
struct SliceCall {
  const Layout& layout;
  std::span<const Int> shape;
  std::span<const Interval> region;

  /// Whether the shape and the region are constants.
  [[nodiscard]] bool is_constant() const;
  /// `slice(S[(8):(1@m)], (8), ((2,6)))`.
  [[nodiscard]] std::string text() const;
};

/// Why no layout has the map of a part of a dimension: a layout that agrees with everything before
/// `place` cannot continue there. Places are counted from the first one of the part, 0.
struct SliceObstacle {
  Int place;
  /// The distance by which the map passes the place that the layout would reach; nullopt if no step
  /// of an iter would do.
  std::optional<Coordinate> excess;
  /// `the step changes, and 3 does not divide 8`.
  std::string why;
};

/// The refusal `axe.no_slice` for an obstacle at this index of the layout.
[[nodiscard]] Refusal no_slice(const Layout& layout, const SliceCall& call, const Int& index,
                               const SliceObstacle& obstacle);

/// The part [begin, begin + count) of a dimension that is made of the block's iters, as iters,
/// fastest first, appended to `part`; or the proof that there are none. Neighbours among them may
/// chain. Refuses `assume.needed` and `overflow`. Cost: quadratic in the iters.
[[nodiscard]] Result<std::optional<SliceObstacle>> slice_block(std::span<const Iter> block,
                                                               const Interval& interval,
                                                               std::vector<Iter>& part,
                                                               const SliceCall& call);

/// The places for which a layout is sought.
enum class Places : std::uint8_t {
  kPlain,     // those before the swizzle: the layout keeps the swizzle
  kSwizzled,  // those after it: a layout without a swizzle
};

/// The slice, whatever the shape. Refuses `axe.no_slice`, a proof for these places; `axe.undecided`
/// for more than kMaxPlaces points, for symbolic sizes, and for swizzled places of replicas that
/// move on the swizzle's axis; `overflow`. Cost: two evaluations for each point.
[[nodiscard]] Result<Layout> slice_by_table(const Layout& canonical, const SliceCall& call,
                                            Places places);

}  // namespace heddle::axe
