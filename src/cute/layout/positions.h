#pragma once

// Where copies of a layout fit between its own elements.
//
//   free_positions(4:2, 16)    (2,2):(1,8)    copies of 0 2 4 6 fit at 0, 1, 8 and 9
//   fills_exactly(4:2, 16)     yes            the four take each of 0 to 15 once

#include "heddle/cute/layout.h"

namespace heddle::cute {

/// Where whole copies of the layout can be put, in the order of their first elements: the
/// complement without the promise that they cover the target. Flat, its last mode kept even where
/// it has one element, so that copies past the last position do not meet either. Refuses what
/// complement() refuses, but for `complement.holes`.
[[nodiscard]] Result<Layout> free_positions(const Layout& layout, const IntTuple& cotarget);

/// Is the layout a bijection onto a part of [0, target) that its copies fill: admissible for
/// complementation?
[[nodiscard]] Result<bool> fills_exactly(const Layout& layout, const Int& target);

}  // namespace heddle::cute
