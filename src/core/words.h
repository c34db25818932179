#pragma once

// Words that programs use as names and numbers: ASCII letters, digits and `_`.

#include <string>
#include <string_view>

namespace heddle {

[[nodiscard]] constexpr bool is_digit(char c) { return '0' <= c && c <= '9'; }
/// Whether the character is an ASCII letter.
[[nodiscard]] constexpr bool is_letter(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z');
}
[[nodiscard]] constexpr bool is_word_character(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}
/// Whether a name can begin with the character; digits can only follow.
[[nodiscard]] constexpr bool begins_name(char c) { return is_letter(c) || c == '_'; }

/// The word at the start of the text; empty if there is none.
[[nodiscard]] std::string_view first_word(std::string_view text);
/// Where the word comes in the text, from a place on, and not as a part of another one; npos if it
/// does not.
[[nodiscard]] std::size_t find_word(std::string_view text, std::string_view word,
                                    std::size_t from = 0);
[[nodiscard]] inline bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}
/// The word at the end of the text.
[[nodiscard]] std::string_view last_word(std::string_view text);

/// A name as texts write it: words, which may contain dots, unquoted; any other name in quotes,
/// with JSON escapes for quotes, backslashes, control characters and marks of direction.
[[nodiscard]] std::string written_name(std::string_view name);

}  // namespace heddle
