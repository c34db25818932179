#include "core/words.h"

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

}  // namespace heddle
