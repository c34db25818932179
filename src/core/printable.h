#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// The text in valid UTF-8 that neither a terminal nor an XML reader takes for anything but text:
/// control characters and broken bytes become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

/// How many code points a valid UTF-8 text has.
[[nodiscard]] std::size_t code_points(std::string_view text);

/// The text in lines of at most `length` code points.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t length);

}  // namespace heddle
