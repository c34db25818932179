#include "core/text.h"

#include <fmt/format.h>

namespace heddle {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto is_within = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  std::size_t head = most / 2;
  while (head > 0 && is_within(head)) --head;
  std::size_t tail = text.size() - most / 2;
  while (is_within(tail)) ++tail;
  return std::string(text.substr(0, head)) + " … " + std::string(text.substr(tail));
}

}  // namespace heddle
