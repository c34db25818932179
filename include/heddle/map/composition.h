#pragma once

// The composition of two layouts of any systems.
//
//   composition((6,2):(8,2), (4,3):(3,1))                   ((2,2),3):((24,2),8)
//   composition(a linear layout, another)                   a linear layout
//   composition(a LEGO layout, another)                     a LEGO layout
//   composition(GroupBy([4,8]), (8,4):(4,1))                a relation
//
// Layouts of one system are composed by its own algebra, and the result is of that system. Others
// are composed as relations; convert() writes the result in the desired notation.

#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// outer(inner(point)), in the order of the mathematical circle and of CuTe. If the inner layout
/// has one axis, its image is the flat index of the outer one; otherwise it has one index per
/// extent of the outer box. Refuses `relation.dims_differ` if the number of axes differs, and what
/// cute::composition(), linear::compose(), lego::composition(), relation() and compose() refuse.
/// Layouts of two systems are refused as LEGO's are if an image is not an index of the outer
/// layout: `lego.composition` with the point, `composition.undecided` if sizes leave that open. If
/// a side is a relation, points whose image is not an index of the outer side have no image.
[[nodiscard]] Result<AnyLayout> composition(const AnyLayout& outer, const AnyLayout& inner,
                                            const Limits& limits = {});

}  // namespace heddle::map
#pragma GCC visibility pop
