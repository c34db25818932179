#include "form/machine/names.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace heddle::form {
namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string lower_case(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), lower);
  return text;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string> expand(std::string_view pattern) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return {std::string(pattern)};
  const std::size_t close = pattern.find('}', open);
  const std::vector<std::string> tails = expand(pattern.substr(close + 1));
  std::vector<std::string> names;
  for (const std::string_view choice : split(pattern.substr(open + 1, close - open - 1), ',')) {
    for (const std::string& tail : tails) {
      names.push_back(std::string(pattern.substr(0, open)) + std::string(choice) + tail);
    }
  }
  return names;
}

}  // namespace heddle::form
