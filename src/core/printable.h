#pragma once

// Texts from users and files, made harmless and short enough for a message.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/plain_text.h"
#include "heddle/core/result.h"

namespace heddle {

/// The text in valid UTF-8 that terminals, compilers and XML readers take for nothing but text on
/// one line: control characters, line ends of any kind, marks that change the direction of writing
/// and broken bytes become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

/// Refuses `name.characters` for a name that printable() changes, because names are written into
/// programs, comments and pictures.
[[nodiscard]] Result<void> check_name(std::string_view name);

/// How many code points a valid UTF-8 text has.
[[nodiscard]] std::size_t code_points(std::string_view text);

/// The text split into lines of at most `length` code points.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t length);

}  // namespace heddle
