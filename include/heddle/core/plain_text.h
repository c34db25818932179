#pragma once

// What is shown to people as text, whatever bytes it holds.
//
//   printable_lines("4:1\x1b[2J")     "4:1\uFFFD[2J": the escape clears no terminal

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace heddle {

/// The text in valid UTF-8 that a terminal takes for nothing but text: in each of its lines,
/// control characters, line ends of other kinds, marks that turn the direction of writing and
/// broken bytes become U+FFFD; line feeds and tabs stay. Cost: linear.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace heddle
#pragma GCC visibility pop
