#pragma once

// Numbers one after the other, as points, shapes and images are written.

#include <cstdint>
#include <span>
#include <string>

#include "heddle/expr/int.h"

namespace heddle {

/// `8,16`.
[[nodiscard]] std::string commas(std::span<const Int> numbers);
[[nodiscard]] std::string commas(std::span<const std::int64_t> numbers);

/// `(8,16)`, `(8)`.
[[nodiscard]] std::string tuple_text(std::span<const Int> numbers);
[[nodiscard]] std::string tuple_text(std::span<const std::int64_t> numbers);

/// `(8,16)`, `8`.
[[nodiscard]] std::string point_text(std::span<const Int> numbers);
[[nodiscard]] std::string point_text(std::span<const std::int64_t> numbers);

}  // namespace heddle
