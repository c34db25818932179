#pragma once

// Whether two linear layouts are the same map, whatever their dimensions are called.
//
//   - lane=1 -> (1, 0)      equal to      - thread=1 -> (1, 0)
//     lane=2 -> (0, 1)                      thread=2 -> (0, 1)
//                                          yes, inputs matched by position: (lane) and (thread)

#include "heddle/core/verdict.h"
#include "heddle/linear/linear_layout.h"

#pragma GCC visibility push(default)
namespace heddle::linear {

/// Dimensions are matched by name if both sides have the same names in any order; else by position
/// if the sizes agree; else by flat index, the first dimension fastest. The remark says which,
/// unless names and order agree. Outputs are compared by their coordinates, so their sizes do not
/// matter (operator== is stricter). A no has the input bit that shows it. Cost: linear in the
/// bases.
[[nodiscard]] Verdict equal(const LinearLayout& a, const LinearLayout& b);

}  // namespace heddle::linear
#pragma GCC visibility pop
