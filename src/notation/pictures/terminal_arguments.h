#pragma once

// Arguments of operations whose text may be shown on a terminal.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/draw/formats.h"
#include "heddle/expr/int.h"

namespace heddle::notation {

/// The number given for the parameter `name`, if any. Refuses `call.type` for a symbolic one.
[[nodiscard]] Result<std::optional<std::int64_t>> number_of(const std::optional<Int>& given,
                                                            std::string_view name);

/// The style of terminal text: `color` is nullopt, "256" or "true", `width` a number of characters.
/// Refuses `call.type`.
[[nodiscard]] Result<draw::TerminalStyle> style_of(const std::optional<std::string>& color,
                                                   const std::optional<Int>& width);

}  // namespace heddle::notation
