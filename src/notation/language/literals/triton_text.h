#pragma once

// Where attributes and types of Triton stand in a text; heddle/notation/triton.h reads them.

#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::notation {

/// The length of `#ttg.blocked<{…}>`, `tensor<8x4xf16, …>`, `!ttg.memdesc<…>` at the beginning of
/// the text; 0 where none of them begins there, nothing where it is not closed.
[[nodiscard]] std::optional<std::size_t> triton_length(std::string_view text);

/// The length of an alias, `#blocked1`, at the beginning of the text; 0 where none stands there.
[[nodiscard]] std::size_t alias_length(std::string_view text);

/// The length of what begins with a bracket and ends where it is closed; nothing where it is not.
[[nodiscard]] std::optional<std::size_t> bracketed_length(std::string_view text);

}  // namespace heddle::notation
