#include "core/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

std::string_view first_word(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, is_word_character);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = first_word(text);
    if (!word.empty()) words.push_back(word);
    text.remove_prefix(word.empty() ? 1 : word.size());
  }
  return words;
}

namespace {

/// How many bytes stand for a character of Unicode that a reader does not see, and its number.
struct HiddenCharacter {
  std::size_t bytes = 0;
  unsigned number = 0;
};

HiddenCharacter hidden_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return {1, byte(0)};
  if (byte(0) == 0xC2 && byte(1) < 0xA0) return {2, byte(1)};
  const unsigned number = 0x2000U + ((byte(1) & 0x3FU) << 6U) + (byte(2) & 0x3FU);
  const bool is_mark = (number >= 0x200B && number <= 0x200F) ||
                       (number >= 0x2028 && number <= 0x202E) ||
                       (number >= 0x2060 && number <= 0x2069);
  if (byte(0) == 0xE2 && is_mark) return {3, number};
  return {};
}

}  // namespace

std::string written_name(std::string_view name) {
  const auto is_plain = [](char c) { return is_word_character(c) || c == '.'; };
  if (!name.empty() && std::ranges::all_of(name, is_plain)) return std::string(name);
  std::string text = "\"";
  while (!name.empty()) {
    const HiddenCharacter hidden = hidden_character(name);
    if (hidden.bytes > 0) {
      text += fmt::format("\\u{:04x}", hidden.number);
    } else {
      if (name.front() == '"' || name.front() == '\\') text += '\\';
      text += name.front();
    }
    name.remove_prefix(std::max<std::size_t>(hidden.bytes, 1));
  }
  return text + '"';
}

}  // namespace heddle
