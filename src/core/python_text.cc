#include "core/python_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

namespace heddle {
namespace {

constexpr std::array<std::pair<char, char>, 6> kEscapes = {
    {{'\\', '\\'}, {'\'', '\''}, {'"', '"'}, {'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}}};
/// The digits of `\x7f`, `\u200b` and `\U0001f600`.
constexpr std::array<std::pair<char, std::size_t>, 3> kCoded = {{{'x', 2}, {'u', 4}, {'U', 8}}};

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string escaped(char c) {
  for (const auto& [meant, letter] : kEscapes) {
    if (meant == c) return {'\\', letter};
  }
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

/// The character in UTF-8; nullopt for what is no character of Unicode.
std::optional<std::string> encoded(std::uint32_t point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  const auto tail = [&](std::uint32_t shift) { return byte(0x80U | ((point >> shift) & 0x3FU)); };
  if (point < 0x80) return std::string{byte(point)};
  if (point < 0x800) return std::string{byte(0xC0U | (point >> 6U)), tail(0)};
  const bool is_surrogate = point >= 0xD800 && point < 0xE000;
  if (is_surrogate || point > 0x10FFFF) return std::nullopt;
  if (point < 0x10000) return std::string{byte(0xE0U | (point >> 12U)), tail(6), tail(0)};
  return std::string{byte(0xF0U | (point >> 18U)), tail(12), tail(6), tail(0)};
}

/// Removes what follows a backslash.
std::optional<std::string> take_escape(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  const char letter = rest.front();
  rest.remove_prefix(1);
  for (const auto& [meant, one] : kEscapes) {
    if (one == letter) return std::string{meant};
  }
  for (const auto& [one, digits] : kCoded) {
    if (one != letter || rest.size() < digits) continue;
    std::uint32_t point = 0;
    const auto read =
        std::from_chars(rest.data(), rest.data() + digits, point, 16);  // NOLINT: ends there
    if (read.ec != std::errc() || read.ptr != rest.data() + digits) return std::nullopt;
    rest.remove_prefix(digits);
    return encoded(point);
  }
  return std::nullopt;
}

}  // namespace

std::string python_repr(std::string_view text) {
  const bool has_single = text.find('\'') != text.npos;
  const char quote = has_single && text.find('"') == text.npos ? '"' : '\'';
  std::string written(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\' || is_control(c)) {
      written += escaped(c);
    } else {
      written += c;
    }
  }
  return written + quote;
}

std::string python_reprs(std::span<const std::string> texts) {
  std::vector<std::string> written;
  for (const std::string& text : texts) written.push_back(python_repr(text));
  return fmt::format("{}", fmt::join(written, ", "));
}

std::optional<std::string> take_python_string(std::string_view& text) {
  if (text.empty() || (text.front() != '\'' && text.front() != '"')) return std::nullopt;
  const char quote = text.front();
  std::string_view rest = text.substr(1);
  std::string said;
  while (!rest.empty() && rest.front() != quote) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '\\') {
      said += c;
      continue;
    }
    const std::optional<std::string> meant = take_escape(rest);
    if (!meant) return std::nullopt;
    said += *meant;
  }
  if (rest.empty()) return std::nullopt;
  text = rest.substr(1);
  return said;
}

}  // namespace heddle
