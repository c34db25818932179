#include "expr/numbers_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace heddle {

std::string commas(std::span<const Int> numbers) {
  std::vector<std::string> texts;
  for (const Int& number : numbers) texts.push_back(to_string(number));
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string commas(std::span<const std::int64_t> numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::string tuple_text(std::span<const Int> numbers) { return "(" + commas(numbers) + ")"; }

std::string tuple_text(std::span<const std::int64_t> numbers) {
  return "(" + commas(numbers) + ")";
}

std::string point_text(std::span<const Int> numbers) {
  return numbers.size() == 1 ? commas(numbers) : tuple_text(numbers);
}

std::string point_text(std::span<const std::int64_t> numbers) {
  return numbers.size() == 1 ? commas(numbers) : tuple_text(numbers);
}

}  // namespace heddle
