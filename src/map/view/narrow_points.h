#pragma once

// Points whose coordinates and images are below 2^31, in vector registers: numbers of 32 bits take
// half the room, and the division of one is a multiplication that every vector unit has.
//
// This file is compiled for speed, and for several machines; it knows numbers only.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::map {

/// A digit: how the rest of a coordinate is divided by its size, and the stride that it adds.
struct NarrowDigit {
  std::uint32_t size = 1;
  /// 0 where the size is a power of two, which is divided by with a shift.
  std::uint32_t reciprocal = 0;
  int shift = 0;
  std::uint32_t stride = 0;
};

/// A coordinate below `extent`, and its digits, fastest first.
struct NarrowCoordinate {
  std::uint32_t extent = 1;
  std::vector<NarrowDigit> digits;
};

/// The offset, plus all digits times their strides, modulo 2^32; then a swizzle as SwizzleStep.
struct NarrowMap {
  std::vector<NarrowCoordinate> coordinates;
  std::uint32_t offset = 0;
  std::uint32_t source = 0;
  int shift = 0;
};

/// As many points are evaluated at a time, at most.
inline constexpr std::size_t kNarrowBlock = 1024;

/// The digit of this size, from 2 to 2^31.
[[nodiscard]] NarrowDigit narrow_digit(std::int64_t size, std::int64_t stride);

/// Writes the images of the points from `begin` to `end`; false, with nothing written, if one of
/// them is outside of the extents.
[[nodiscard]] bool evaluate_narrow(const NarrowMap& map,
                                   std::span<const std::span<const std::int64_t>> points,
                                   std::span<std::int64_t> images, std::size_t begin,
                                   std::size_t end);

}  // namespace heddle::map
