#pragma once

// The permutations that GenP knows by name, each with its inverse and the argument that the two are
// inverse to each other, for all sizes that check_built_in() admits.

#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/lego/genp.h"

namespace heddle::lego {

/// Refuses `lego.genp` for a name that is not known, for parameters or sizes that it cannot have,
/// and `assume.needed` where that is open.
[[nodiscard]] Result<void> check_built_in(std::span<const Int> dims, const BuiltIn& function);

/// The number of a point; undefined where it does not fit into 64 bits. Checked arguments only.
[[nodiscard]] Int apply_built_in(std::span<const Int> dims, const BuiltIn& function,
                                 std::span<const Int> point);
/// The point with a number. Refuses `lego.no_inverse` for a fan of symbolic size.
[[nodiscard]] Result<std::vector<Int>> invert_built_in(std::span<const Int> dims,
                                                       const BuiltIn& function, const Int& flat);

}  // namespace heddle::lego
