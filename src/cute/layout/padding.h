#pragma once

// Rounding a layout up to whole tiles, as CuTe over-covers.

#include "heddle/cute/layout.h"

namespace heddle::cute {

/// A layout whose mode in which whole tiles end is rounded up to a multiple of them, and its size.
struct Padded {
  Layout layout;
  Int size;
};

/// `flat` is the layout coalesced.
[[nodiscard]] Result<Padded> round_up_to_tiles(const Layout& layout, const Layout& flat,
                                               const Layout& tile);

}  // namespace heddle::cute
