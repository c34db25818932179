#pragma once

// Which explanation belongs to which operation on layouts of any system: how a claim is decided, a
// layout is converted, read as a relation, recovered.

#include <span>

#include "heddle/core/explanation.h"
#include "heddle/notation/operations.h"

namespace heddle::notation {

/// Asked of layouts of any system.
[[nodiscard]] bool takes_any_layout(const Operation& operation);

/// The steps of a call of such an operation that came to `result`; nothing said where it has none
/// of its own. Cost: up to the time limit of the context once more.
[[nodiscard]] Explanation any_layout_steps(const Operation& operation,
                                           std::span<const Argument> arguments,
                                           const Result<Value>& result, const CallContext& context);

}  // namespace heddle::notation
