#pragma once

// Powers of two and runs of bits.

#include <bit>
#include <cstdint>

namespace heddle {

[[nodiscard]] constexpr bool is_power_of_two(std::int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

/// log2 of a power of two.
[[nodiscard]] constexpr int log2_exact(std::int64_t power) {
  return std::countr_zero(static_cast<std::uint64_t>(power));
}

/// The word whose lowest `count` bits are 1; all of them from 64 on.
[[nodiscard]] constexpr std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

}  // namespace heddle
