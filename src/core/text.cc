#include "core/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace heddle {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

Span trimmed(std::string_view text, Span place) {
  const std::string_view inner = trimmed(text_at(text, place));
  const auto begin = static_cast<std::size_t>(inner.data() - text.data());
  return {begin, begin + inner.size()};
}

std::string indented(std::string_view text, std::size_t blanks) {
  std::string result;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && c != '\n') result.append(blanks, ' ');
    begins_line = c == '\n';
    result += c;
  }
  return result;
}

std::string counted(std::string_view count, std::string_view noun) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kIrregular = {
      {{"axis", "axes"}, {"basis", "bases"}, {"entry", "entries"}, {"index", "indices"}}};
  if (count == "1") return fmt::format("1 {}", noun);
  const auto* const plural =
      std::ranges::find(kIrregular, noun, &std::pair<std::string_view, std::string_view>::first);
  if (plural != kIrregular.end()) return fmt::format("{} {}", count, plural->second);
  return fmt::format("{} {}s", count, noun);
}

std::string its_names(std::string_view noun, std::span<const std::string> names) {
  if (names.size() == 1) return fmt::format("its only {} is {}", noun, names.front());
  return fmt::format("its {}s are {}", noun, fmt::join(names, ", "));
}

std::string shortened(std::string_view text, std::size_t most, std::string_view gap) {
  if (text.size() <= most) return std::string(text);
  std::size_t head = most / 2;
  while (head > 0 && is_continuation(text[head])) --head;
  std::size_t tail = text.size() - most / 2;
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  return fmt::format("{}{}{}", text.substr(0, head), gap, text.substr(tail));
}

std::string first_few(std::span<const std::string> texts, std::size_t most,
                      std::string_view separator) {
  if (texts.size() <= most) return fmt::format("{}", fmt::join(texts, separator));
  return fmt::format("{} and {} more", fmt::join(texts.first(most), separator),
                     texts.size() - most);
}

std::optional<std::int64_t> take_integer(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<std::int64_t> integer_in(std::string_view text) {
  const std::optional<std::int64_t> number = take_integer(text);
  return text.empty() ? number : std::nullopt;
}

std::vector<std::string_view> split_at_commas(std::string_view text, std::string_view opening,
                                              std::string_view closing) {
  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (opening.find(text[i]) != std::string_view::npos) ++depth;
    if (closing.find(text[i]) != std::string_view::npos && depth > 0) --depth;
    if (text[i] != ',' || depth > 0) continue;
    pieces.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  pieces.push_back(trimmed(text.substr(begin)));
  return pieces;
}

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  if (!std::ranges::all_of(text.substr(1, length - 1), is_continuation)) return 0;
  // Rejects overlong forms, surrogates, and code points past U+10FFFF.
  const unsigned char second = byte(1);
  const bool is_outside = (lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
                          (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F);
  return is_outside ? 0 : length;
}

std::uint32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  std::uint32_t point = lead < 0x80 ? lead : lead & (0x7FU >> character.size());
  for (const char c : character.substr(1)) {
    point = point << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return point;
}

}  // namespace heddle
