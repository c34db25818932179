#pragma once

// Helpers that divides and products share: where copies of a tile fit, operations mode by mode, and
// the shapes of their results.
//
//   free_positions(4:2, 16)    (2,2):(1,8)    copies of 0 2 4 6 fit at 0, 1, 8 and 9
//   fills_exactly(4:2, 16)     yes            the four take each of 0 to 15 once

#include <functional>
#include <string_view>

#include "heddle/cute/layout.h"
#include "heddle/cute/tiler.h"

namespace heddle::cute {

/// Where whole copies of the layout can be put, in the order of their first elements: the
/// complement without the guarantee that they cover the target. The result is flat and keeps its
/// last mode even if it has one element, so that copies past the last position do not meet either.
/// Refuses what complement() refuses, except `complement.holes`.
[[nodiscard]] Result<Layout> free_positions(const Layout& layout, const IntTuple& cotarget);

/// The same for `count` copies or more of a layout with strides along modes: in the gaps along each
/// axis, and past its end along the last one.
[[nodiscard]] Result<Layout> free_positions_by_axis(const Layout& layout, const Int& count);

/// The rest of a shape beside a tile with strides along its modes: (64,64):(1@0,1@1) beside 2:64@0
/// in (128,64). Refuses `complement.two_axes` if the shape lacks a mode, and what complement()
/// refuses.
[[nodiscard]] Result<Layout> rest_by_axis(const Layout& tile, const IntTuple& shape);

/// Is the layout a bijection onto a part of [0, target) that its copies fill, that is, is it
/// admissible for complementation?
[[nodiscard]] Result<bool> fills_exactly(const Layout& layout, const Int& target);

/// A layout with the mode in which whole tiles end rounded up to a multiple of them, and its size.
struct Padded {
  Layout layout;
  Int size;
};

/// Rounds up the layout; `flat` is the layout coalesced.
[[nodiscard]] Result<Padded> round_up_to_tiles(const Layout& layout, const Layout& flat,
                                               const Layout& tile);

/// Applies `operation` to each mode of the layout and its tile; `_` and modes beyond the tiler are
/// kept, a size n means n:1. Refuses `tiler.rank`; a refusal of the operation names the mode.
[[nodiscard]] Result<Layout> by_mode(
    std::string_view name, const Layout& layout, const Tiler& tiler,
    const std::function<Result<Layout>(const Layout&, const Layout&)>& operation);

/// The result, or its refusal with a note that names the larger operation.
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
