#pragma once

// Short ways to build layouts out of flat leaves, for use inside the algebra.

#include <concepts>
#include <span>
#include <string>

#include "expr/assume_needed.h"
#include "heddle/cute/composed_layout.h"
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

/// Modes joined as CuTe writes a flat result: none is 1:0, one is a leaf, more are a flat tuple.
[[nodiscard]] Result<Layout> from_modes(std::span<const Mode> modes);

/// `6:8 2:2`.
[[nodiscard]] std::string text_of(const Modes& modes);

/// The leaves of a layout.
[[nodiscard]] Modes leaves(const Layout& layout);

/// Refuses `assume.needed`, for the operation `call`, if the stride of a mode may be 0.
template <std::invocable Call>
[[nodiscard]] Result<void> check_moves(const Mode& mode, Call call) {
  const Int& scale = mode.stride.scale();
  if (scale.is_constant() || known_less(0, scale) || known_less(scale, 0)) return {};
  return needed(call(), {1, Predicate::kAtMost, scale});
}

/// The leaves that move: those of stride 0 are left out. Refuses as check_moves() does.
template <std::invocable Call>
[[nodiscard]] Result<Modes> moving_leaves(const Layout& layout, Call call) {
  Modes moving;
  for (const Mode& mode : leaves(layout)) {
    if (mode.stride.is_zero()) continue;
    HEDDLE_CHECK(check_moves(mode, call));
    moving.push_back(mode);
  }
  return moving;
}

/// Whether no extent, no stride and no offset is symbolic.
[[nodiscard]] bool is_constant(const Layout& layout);
[[nodiscard]] bool is_constant(const AnyLayout& layout);

/// The modes without those of extent 1, and with neighbours s0:d0, s1:d1 with d1 = s0*d0 joined
/// (seed 004, coalescence rules).
[[nodiscard]] Modes join_neighbours(const Modes& modes);

/// A layout nested as `profile` with each leaf replaced by its modes: a single mode directly,
/// several as a tuple.
[[nodiscard]] Result<Layout> replace_leaves(ProfileView profile, std::span<const Modes> images);

}  // namespace heddle::cute
