#pragma once

// Operations of the algebra, carried out by isl where that is asked for.

#include <optional>
#include <span>

#include "heddle/core/result.h"
#include "heddle/notation/operations.h"

namespace heddle::notation {

/// What the isl engine makes of the operation (map/isl_engine.h); nothing for operations that it
/// does not have. Refuses `isl_engine.operation` for operands that are no plain layouts.
[[nodiscard]] std::optional<Result<Value>> call_by_isl(const Operation& operation,
                                                       std::span<const std::optional<Value>> values,
                                                       const map::Limits& limits);

}  // namespace heddle::notation
