#include "core/printable.h"

#include <algorithm>
#include <cstdint>

#include "core/format.h"
#include "core/text.h"

namespace heddle {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Whether the character is neither a control character, nor a line end, nor a mark that changes
/// the direction of writing, nor forbidden in XML.
bool is_harmless(std::uint32_t point) {
  if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return false;
  if (point == 0x061C || (point >= 0x200E && point <= 0x200F)) return false;
  if (point >= 0x2028 && point <= 0x202E) return false;
  if (point >= 0x2066 && point <= 0x2069) return false;
  return (point & 0xFFFEU) != 0xFFFE;
}

/// How many of the first bytes are printable ASCII characters.
std::size_t plain_length(std::string_view text) {
  const auto end = std::ranges::find_if(text, [](char c) { return c < 0x20 || c > 0x7E; });
  return static_cast<std::size_t>(end - text.begin());
}

/// The length of the harmless character at the start of `text`, or 0.
std::size_t harmless_length(std::string_view text) {
  const std::size_t length = character_length(text);
  return length > 0 && is_harmless(code_point(text.substr(0, length))) ? length : 0;
}

void append_printable(std::string_view text, std::string& result) {
  while (true) {
    // Fast path: most texts are printable ASCII throughout.
    const std::size_t plain = plain_length(text);
    result += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const std::size_t length = harmless_length(text);
    result += length > 0 ? text.substr(0, length) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(length, 1));
    if (length > 0) continue;
    while (!text.empty() && is_continuation(text.front())) text.remove_prefix(1);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  append_printable(text, result);
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    append_printable(text.substr(0, end), result);
    if (end < text.size()) result += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

Result<void> check_name(std::string_view name) {
  if (plain_length(name) == name.size()) return {};
  const std::string shown = printable(name);
  if (shown == name) return {};
  return refuse(
      Diagnostic("name.characters", fmt::format("the name '{}' is not plain text", shown))
          .with_hint(
              "names have no control characters, line ends or bidirectional control characters"));
}

std::size_t code_points(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::vector<std::string> word_wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t length = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t word_length = code_points(word);
    if (!line.empty() && length + 1 + word_length > width) {
      lines.push_back(std::move(line));
      line.clear();
      length = 0;
    }
    if (!line.empty()) line += ' ';
    length += (length > 0 ? 1 : 0) + word_length;
    line += word;
    begin = end + 1;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> wrap(std::string_view text, std::size_t length) {
  std::vector<std::string> lines(1);
  std::size_t used = 0;
  for (const char c : text) {
    if (!is_continuation(c) && used++ == length) {
      lines.emplace_back();
      used = 1;
    }
    lines.back() += c;
  }
  return lines;
}

}  // namespace heddle
