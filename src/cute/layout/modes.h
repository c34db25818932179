#pragma once

// Short ways to build layouts out of flat leaves, for use inside the algebra.

#include <span>

#include "heddle/cute/layout.h"

namespace heddle::cute {

/// One leaf of a layout.
struct Mode {
  Int extent;
  Stride stride;
};

}  // namespace heddle::cute

template <>
inline constexpr bool heddle::kTriviallyRelocatable<heddle::cute::Mode> = true;

namespace heddle::cute {

using Modes = InlineVector<Mode, kInlineLeaves>;

/// The layout of these leaves nested as `profile`.
[[nodiscard]] Result<Layout> nest(Profile profile, std::span<const Mode> leaves);

/// Modes side by side, as CuTe writes a flat result: none is 1:0, one is a leaf, more are a flat
/// tuple.
[[nodiscard]] Result<Layout> from_modes(std::span<const Mode> modes);

/// The leaves of a layout.
[[nodiscard]] Modes leaves(const Layout& layout);

/// No extent and no stride is symbolic.
[[nodiscard]] bool is_constant(const Layout& layout);

/// Without modes of extent 1, and neighbours s0:d0, s1:d1 with d1 = s0*d0 joined (seed 004,
/// coalescence rules).
[[nodiscard]] Modes join_neighbours(const Modes& modes);

/// A layout nested as `profile` with each leaf replaced by modes: one takes its place, several a
/// tuple.
[[nodiscard]] Result<Layout> replace_leaves(ProfileView profile, std::span<const Modes> images);

}  // namespace heddle::cute
