#pragma once

// The gaps between the modes of a layout, into which complement() and complement_fill() put copies.
//
//   gaps_of((4,2):(1,16), 32)      sorted 4:1 2:16, gaps 1:1 4:4 1:32
//   gaps_of((2,2):(1,5), 20)       sorted 2:1 2:5, gaps 1:1 2:2 2:10; 2:5 is uneven: 5 = 2*2 + 1

#include <optional>
#include <utility>

#include "core/trace.h"
#include "cute/layout/modes.h"
#include "heddle/core/verdict.h"
#include "heddle/cute/layout.h"

namespace heddle::cute {

/// The gaps between sorted modes, each as wide as whole steps fit, then the rest of the target.
struct Gaps {
  /// The modes of the layout that move, in the order of their strides.
  Modes sorted;
  Modes modes;
  /// The first gap that whole steps do not fill: its mode and the number covered before it.
  std::optional<std::pair<Mode, Int>> uneven;
};

/// Refuses as complement(), except `complement.holes`.
[[nodiscard]] Result<Gaps> gaps_of(const Layout& layout, const IntTuple& cotarget,
                                   const Trace& trace = {});

// The operations of complement.h, whose steps are written down.

[[nodiscard]] Result<Layout> complement_fill(const Layout& layout, const Int& target,
                                             const Trace& trace);
[[nodiscard]] Result<Verdict> admissible_for_complementation(const Layout& layout,
                                                             const Int& target, const Trace& trace);

// The operations of admissibility.h, whose steps are written down.

[[nodiscard]] Result<Verdict> admissible_for_composition(const IntTuple& shape, const Layout& b,
                                                         const Trace& trace);
[[nodiscard]] Result<Verdict> admissible_for_cutlass_composition(const IntTuple& shape,
                                                                 const Layout& b,
                                                                 const Trace& trace);

}  // namespace heddle::cute
