#pragma once

// Lists of numbers as text, as points, shapes and images are written: Ints, or plain integers.

#include <fmt/ranges.h>

#include <span>
#include <string>

#include "expr/format.h"

namespace heddle {

template <class T>
concept NumberRange =
    std::ranges::contiguous_range<T> && (std::same_as<std::ranges::range_value_t<T>, Int> ||
                                         std::same_as<std::ranges::range_value_t<T>, std::int64_t>);

/// `8,16`.
template <NumberRange Numbers>
[[nodiscard]] std::string commas(const Numbers& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

/// `(8,16)`, `(8)`.
template <NumberRange Numbers>
[[nodiscard]] std::string tuple_text(const Numbers& numbers) {
  return "(" + commas(numbers) + ")";
}

/// `(8,16)`, `8`.
template <NumberRange Numbers>
[[nodiscard]] std::string point_text(const Numbers& numbers) {
  return std::ranges::size(numbers) == 1 ? commas(numbers) : tuple_text(numbers);
}

}  // namespace heddle
