#pragma once

// Text that is safe to show to people, whatever bytes it holds.
//
//   printable_lines("4:1\x1b[2J")     "4:1\uFFFD[2J": the escape clears no terminal

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/diagnostic.h"

#pragma GCC visibility push(default)
namespace heddle {

/// The text in valid UTF-8 that a terminal takes for nothing but text: in each of its lines,
/// control characters, line ends of other kinds, marks that turn the direction of writing and
/// broken bytes become U+FFFD; line feeds and tabs stay. Cost: linear.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// The text with `blanks` spaces before each of its lines; empty lines stay empty.
[[nodiscard]] std::string indented(std::string_view text, std::size_t blanks);

/// The words of a text, split into lines of at most `width` characters unless a word is longer.
[[nodiscard]] std::vector<std::string> word_wrap(std::string_view text, std::size_t width);

/// The text without leading and trailing blanks and line ends; if nothing else is left, its end.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The piece of the text at this place.
[[nodiscard]] inline std::string_view text_at(std::string_view text, Span place) {
  return text.substr(place.begin, place.end - place.begin);
}

}  // namespace heddle
#pragma GCC visibility pop
