#pragma once

// Small texts: cutting, counting, joining.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// The text without blanks and line ends before and behind it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// `1 warp`, `4 warps`.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

/// The text with its middle left out where it is longer than `most` bytes: `a+b … y+z`. Characters
/// of UTF-8 stay whole.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

}  // namespace heddle
