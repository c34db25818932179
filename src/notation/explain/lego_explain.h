#pragma once

// Which explanation belongs to which operation on LEGO layouts (heddle/lego/explain.h).

#include <optional>
#include <span>
#include <string_view>

#include "heddle/core/explanation.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The steps of an operation, its arguments in the order of its parameters; nothing said where it
/// has none of its own.
[[nodiscard]] Explanation lego_steps(std::string_view operation,
                                     std::span<const std::optional<Value>> values);

/// The operation writes down a LEGO layout or a piece of one, as a literal does for other layouts.
[[nodiscard]] bool is_lego_piece(const Operation& operation);

}  // namespace heddle::notation
