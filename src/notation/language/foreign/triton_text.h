#pragma once

// Finds attributes and types of Triton in a text; heddle/notation/triton.h reads them.

#include <cstddef>
#include <optional>
#include <string_view>

namespace heddle::notation {

/// The length of `#ttg.blocked<{…}>`, `tensor<8x4xf16, …>`, `!ttg.memdesc<…>` at the beginning of
/// the text; 0 if none of them begins there, nullopt if it is not closed.
[[nodiscard]] std::optional<std::size_t> triton_length(std::string_view text);

/// The length of an alias, `#blocked1`, at the beginning of the text; 0 if there is none.
[[nodiscard]] std::size_t alias_length(std::string_view text);

/// The length of a bracketed text, up to its closing bracket; nullopt if it is not closed.
[[nodiscard]] std::optional<std::size_t> bracketed_length(std::string_view text);

}  // namespace heddle::notation
