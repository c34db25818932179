#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle {

/// The text without blanks and line ends before and behind it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// `1 warp`, `4 warps`.
[[nodiscard]] std::string counted(std::int64_t count, std::string_view noun);

}  // namespace heddle
