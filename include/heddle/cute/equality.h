#pragma once

#include "heddle/core/verdict.h"
#include "heddle/cute/composed_layout.h"

namespace heddle::cute {

/// Are the two the same map? Compared on (i, j, …) where the top-level shapes agree, otherwise by
/// flat index, and the verdict says which. Strided layouts are equal exactly when they coalesce
/// alike (the digit form is unique); with a swizzle the GF(2) form decides where extents and
/// strides are powers of two, else every coordinate up to 2^20 of them. A no carries the first
/// coordinate that differs where it was looked for, else some coordinate that differs.
[[nodiscard]] Verdict equal(const AnyLayout& a, const AnyLayout& b);

}  // namespace heddle::cute
