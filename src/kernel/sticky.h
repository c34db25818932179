#pragma once

// Integers as doubles that round to every shorter format as the integers themselves do.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace heddle::kernel {

/// The number, if its bits do not fit into a double with the last one set for those that are lost.
[[nodiscard]] inline double with_sticky_bit(std::uint64_t magnitude) {
  constexpr int kSpare = 64 - 53;
  const int places = std::max(0, kSpare - std::countl_zero(magnitude));
  const std::uint64_t lost = magnitude & ((std::uint64_t{1} << places) - 1);
  return std::ldexp(static_cast<double>((magnitude >> places) | (lost != 0 ? 1U : 0U)), places);
}

}  // namespace heddle::kernel
