#pragma once

// Bytes as numbers.

#include <cstdint>
#include <string_view>

namespace heddle {

/// Up to 8 bytes as a number, the lowest one first.
[[nodiscard]] constexpr std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    number = number << 8U | static_cast<unsigned char>(*byte);
  }
  return number;
}

}  // namespace heddle
