#include "core/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/text.h"

namespace heddle {

std::string_view first_word(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_word_character);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  for (std::size_t at = text.find(word, from); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && first_word(text.substr(at)) == word) return at;
  }
  return std::string_view::npos;
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

namespace {

/// Whether the Unicode character is invisible to a reader.
bool is_hidden(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x200B && point <= 0x200F) ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2060 && point <= 0x2069);
}

}  // namespace

std::string written_name(std::string_view name) {
  const auto is_plain = [](char c) { return is_word_character(c) || c == '.'; };
  if (!name.empty() && std::ranges::all_of(name, is_plain)) return std::string(name);
  std::string text = "\"";
  while (!name.empty()) {
    const std::size_t length = character_length(name);
    const std::uint32_t point = length == 0 ? ' ' : code_point(name.substr(0, length));
    if (is_hidden(point)) {
      text += fmt::format("\\u{:04x}", point);
    } else {
      if (point == '"' || point == '\\') text += '\\';
      text += name.substr(0, std::max<std::size_t>(length, 1));
    }
    name.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text + '"';
}

}  // namespace heddle
