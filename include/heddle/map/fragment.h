#pragma once

// Fragments of machines (form/fragment.h) as relations, which can say all of them: places that hold
// the elements from the last one on, places that hold nothing, sizes that are no powers of two.
//
//   accumulator of xvf64gerpp:   { [element, register] -> [row, col] :
//                                  row = 3 - register and col = element and 0 <= element <= 1 and
//                                  0 <= register <= 3 }

#include "heddle/core/result.h"
#include "heddle/form/fragment.h"
#include "heddle/map/integer_relation.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// (place, …) -> (dimension, …); places that hold nothing are not in its domain. Refuses what
/// IntegerRelation::parse() refuses.
[[nodiscard]] Result<IntegerRelation> relation(const form::Fragment& fragment);

}  // namespace heddle::map
#pragma GCC visibility pop
