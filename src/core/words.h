#pragma once

// Words as names and numbers of programs are: letters of ASCII, digits and `_`.

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

[[nodiscard]] constexpr bool is_digit(char c) { return '0' <= c && c <= '9'; }
/// Of ASCII.
[[nodiscard]] constexpr bool is_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
}
[[nodiscard]] constexpr bool is_word_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}
/// Of names; digits only go on with them.
[[nodiscard]] constexpr bool begins_name(char c) { return is_letter(c) || c == '_'; }

/// The word that the text begins with; empty where it begins with none.
[[nodiscard]] std::string_view first_word(std::string_view text);
/// The word that it ends with.
[[nodiscard]] std::string_view last_word(std::string_view text);
/// All of its words, in order.
[[nodiscard]] std::vector<std::string_view> words_in(std::string_view text);

/// A name as texts write it: a word, which may have dots, as it is; any other in quotes, with the
/// escapes of JSON for quotes, backslashes, control characters and marks of direction.
[[nodiscard]] std::string written_name(std::string_view name);

}  // namespace heddle
