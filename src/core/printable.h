#pragma once

// Texts of users and files, made harmless and short enough for a message.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/plain_text.h"
#include "heddle/core/result.h"

namespace heddle {

/// The text in valid UTF-8 that no terminal, no compiler and no XML reader takes for anything but
/// text on one line: control characters, line ends of any kind, marks that turn the direction of
/// writing and broken bytes become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

/// Refuses `name.characters` for a name that printable() changes: it may come to stand in programs,
/// comments and pictures.
[[nodiscard]] Result<void> check_name(std::string_view name);

/// How many code points a valid UTF-8 text has.
[[nodiscard]] std::size_t code_points(std::string_view text);

/// The text in lines of at most `length` code points.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t length);

}  // namespace heddle
