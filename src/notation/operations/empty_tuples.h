#pragma once

// Tuples without modes, `()`. In CuTe's algebra they have a meaning, size(()) = 1; elsewhere a
// tuple stands for sizes or coordinates that must be there.

#include "heddle/core/result.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// Whether a tuple without modes is anywhere in a tuple, a tiler or a layout of CuTe.
[[nodiscard]] bool has_empty_tuple(const Value& value);

/// Refuses (`tuple.empty`) a value with a tuple without modes, called `what`.
[[nodiscard]] Result<void> check_has_modes(std::string_view what, const Value& value);

/// As above, unless the operation takes such tuples.
[[nodiscard]] Result<void> check_has_modes(const Operation& operation, const Value& argument);

}  // namespace heddle::notation
