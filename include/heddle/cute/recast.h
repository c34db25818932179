#pragma once

// The same memory seen as elements of another width.
//
//   upcast((8,4):(1,8), 4)       (2,4):(1,2)        elements four times as wide
//   downcast((2,4):(1,2), 4)     (8,4):(1,8)        elements a quarter as wide
//   recast(16:1, 8, 32)          4:1                from 8-bit to 32-bit elements

#include "heddle/core/result.h"
#include "heddle/cute/layout.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// Every n elements become one: the wider elements that an injective layout touches. Strides are
/// divided by n, modes of stride below n shrink (rounding up). Refuses `recast.divisibility` if n
/// and a stride do not divide one another or a mode runs backwards through wider elements,
/// `recast.overlap` if the modes of stride below n together extend past a wider element, and
/// `recast.factor` for n < 1.
[[nodiscard]] Result<Layout> upcast(const Layout& layout, const Int& n);
/// Every element becomes n: the first stride-1 mode (of more than one element, if there is one)
/// grows, all other strides are multiplied by n. Refuses `recast.no_adjacent` if no mode has stride
/// 1.
[[nodiscard]] Result<Layout> downcast(const Layout& layout, const Int& n);
/// From elements of `old_bits` to elements of `new_bits`.
[[nodiscard]] Result<Layout> recast(const Layout& layout, const Int& old_bits, const Int& new_bits);

}  // namespace heddle::cute
#pragma GCC visibility pop
