#pragma once

#include "heddle/expr/int.h"

namespace heddle::expr {

/// The same value, in which each x ^ y, x of p bits, is 2^p*(y // 2^p) + (x ^ y % 2^p): what does
/// not change the bits of x is added, as the stages and rows of a swizzled tensor are.
///
///   (t%4) ^ (4*i + t//8%4)      4*i + ((t%4) ^ (t//8%4))
///
/// Cost: linear in the term.
[[nodiscard]] Int with_short_xors(const Int& value);

}  // namespace heddle::expr
