#pragma once

// Where a composition leaves the domain of its left side.
//
//   G = (2,1):(1,80), F = (2,2):(2,1)      G o F as CuTe has it goes on in the last mode of G and
//                                          maps (0,1) to 1, (1,0) to 80 and (1,1) to 81
//   composition_guard(G, F)                guard   2*c0+c1 < 2
//                                          leaves  { [c0, c1] -> [2c0 + c1] : … and c1 >= 2 - 2c0 }
//
// CuTe extends G to a layout as large as the coordinates that F makes (seed 000, section 3.6): code
// that reads memory through G o F reads past the end of G where the guard does not hold.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

struct CompositionGuard {
  /// A point of the right side as variables c0, c1, …, or with its own names if it has some.
  std::vector<Int> point;
  /// All conditions hold exactly where the right side maps into the domain of the left one.
  /// Conditions that always hold are left out: if no point leaves the domain, there are none.
  std::vector<Condition> conditions;
  /// The points that leave the domain, with their images. nullopt if no quasi-affine constraint
  /// expresses them.
  std::optional<IntegerRelation> leaving;

  [[nodiscard]] bool is_always_inside() const { return conditions.empty(); }
};

/// The guard of `left` after `right`. Refuses `relation.dims_differ` if the images of the right
/// side are no coordinates of the left one: they must be on one axis, or for strides along modes
/// (1@0) on the axes of a CuTe layout; also what view() refuses, and `relation.gave_up`.
[[nodiscard]] Result<CompositionGuard> composition_guard(const AnyLayout& left,
                                                         const AnyLayout& right,
                                                         const Limits& limits = {});

/// The pairs of the relation whose images are not in the box of these sizes, which begins at
/// `least` in each dimension. Refuses `relation.not_affine` for a size that is not affine.
[[nodiscard]] Result<IntegerRelation> leaving(const IntegerRelation& relation,
                                              std::span<const Int> box, std::int64_t least = 0,
                                              const Limits& limits = {});

/// `guard 2*c0+c1 < 2` and, on a second line, `leaves { … }`; `guard none: no point leaves`.
[[nodiscard]] std::string to_string(const CompositionGuard& guard);
std::ostream& operator<<(std::ostream& stream, const CompositionGuard& guard);

}  // namespace heddle::map
#pragma GCC visibility pop
