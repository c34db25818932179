#pragma once

// What divides and products share: going through a tiler mode by mode, and the shapes of their
// results.

#include <functional>
#include <string_view>

#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

namespace heddle::cute {

/// `operation` on each mode of the layout and its tile; `_` and modes beyond the tiler are kept, a
/// size n stands for n:1. Refuses `tiler.rank`; a refusal of the operation says in which mode.
[[nodiscard]] Result<Layout> by_mode(
    std::string_view name, const Layout& layout, const Tiler& tiler,
    const std::function<Result<Layout>(const Layout&, const Layout&)>& operation);

/// The result, or its refusal with one more note: where in a larger operation it happened.
template <std::invocable Describe>
[[nodiscard]] Result<Layout> with_note(Result<Layout> result, Describe describe) {
  if (result) return result;
  return refuse(std::move(result).error().with_note(describe()));
}

/// (A,(b0,b1,…)) -> (A,b0,b1,…); a second mode of rank 1 stays as it is, as in CuTe.
[[nodiscard]] Result<Layout> unpack_rest(const Layout& zipped);
/// ((a0,a1,…),(b0,b1,…)) -> (a0,a1,…,b0,b1,…).
[[nodiscard]] Result<Layout> unpack_both(const Layout& zipped);

}  // namespace heddle::cute
