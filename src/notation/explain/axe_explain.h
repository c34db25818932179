#pragma once

// Which explanation belongs to which operation on Axe layouts.

#include <optional>
#include <span>
#include <string_view>

#include "heddle/core/explanation.h"
#include "heddle/notation/value.h"

namespace heddle::notation {

/// The steps of an operation, its arguments in the order of its parameters; nothing said where it
/// has none of its own.
[[nodiscard]] Explanation axe_steps(std::string_view operation,
                                    std::span<const std::optional<Value>> values);

/// What an Axe layout is, in words.
[[nodiscard]] std::string axe_formula(const axe::Layout& layout);

}  // namespace heddle::notation
