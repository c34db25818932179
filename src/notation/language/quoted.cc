#include "heddle/notation/quoted.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

namespace heddle::notation {
namespace {

/// The text with raw newlines, which JSON does not allow, escaped.
std::string with_escaped_lines(std::string_view quoted) {
  std::string text;
  bool is_escaped = false;
  for (const char c : quoted) {
    if (c == '\n' && !is_escaped) {
      text += "\\n";
    } else {
      text += c;
    }
    is_escaped = c == '\\' && !is_escaped;
  }
  return text;
}

/// The number of four hexadecimal digits.
unsigned code_unit(std::string_view digits) {
  unsigned unit = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  return unit;
}

/// A character in JSON: its length there, and its bytes in the text.
struct WrittenCharacter {
  std::size_t length = 1;
  std::size_t bytes = 1;
};

WrittenCharacter character_at(std::string_view quoted, std::size_t position) {
  if (quoted[position] != '\\') return {};
  if (quoted[position + 1] != 'u') return {2, 1};
  const unsigned unit = code_unit(quoted.substr(position + 2, 4));
  const bool is_first_of_two = unit >= 0xD800 && unit < 0xDC00;
  if (is_first_of_two) return {12, 4};
  return {6, std::size_t{1} + (unit >= 0x80 ? 1 : 0) + (unit >= 0x800 ? 1 : 0)};
}

}  // namespace

Span TextPlaces::in_source(Span in_text) const {
  const auto at = [&](std::size_t byte) { return places_[std::min(byte, places_.size() - 1)]; };
  const std::size_t begin = at(in_text.begin);
  if (in_text.end <= in_text.begin) return {begin, begin + 1};
  return {begin, std::max(at(in_text.end), begin + 1)};
}

std::optional<QuotedText> unquoted(std::string_view quoted, std::size_t begin) {
  const std::size_t end = quoted.size() - 1;
  std::vector<std::size_t> places;
  if (quoted.front() == '\'') {
    for (std::size_t i = 1; i <= end; ++i) places.push_back(begin + i);
    return QuotedText{std::string(quoted.substr(1, end - 1)), TextPlaces(std::move(places))};
  }
  const auto json = nlohmann::json::parse(with_escaped_lines(quoted), nullptr, false);
  if (!json.is_string()) return std::nullopt;
  for (std::size_t i = 1; i < end;) {
    const WrittenCharacter character = character_at(quoted, i);
    places.insert(places.end(), character.bytes, begin + i);
    i += character.length;
  }
  places.push_back(begin + end);
  return QuotedText{json.get<std::string>(), TextPlaces(std::move(places))};
}

}  // namespace heddle::notation
