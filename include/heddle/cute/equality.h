#pragma once

// Equality of layouts as maps, unlike ==, which compares their structure:
//
//   equal((2,4):(1,2), (2,(2,2)):(1,(2,4)))            yes  (digit form)
//   equal(Sw<2,0,3> o 0 o (4,8):(8,1), (4,8):(8,1))    no  (GF(2) form)  counterexample:
//                                                      coordinate 1 = (1,0): 9 and 8

#include "heddle/core/verdict.h"
#include "heddle/cute/composed_layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// Are the two the same map? They are compared on (i, j, …) if the top-level shapes agree,
/// otherwise by flat index; the verdict says which. Strided layouts are equal exactly when they
/// coalesce alike (the digit form is unique); with a swizzle the GF(2) form decides if extents and
/// strides are powers of two, else every coordinate is tried, up to 2^20 of them. A no carries the
/// first coordinate that differs if it was searched for, else some coordinate that differs.
[[nodiscard]] Verdict equal(const AnyLayout& a, const AnyLayout& b);

}  // namespace heddle::cute
#pragma GCC visibility pop
