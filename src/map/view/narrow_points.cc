#include "map/view/narrow_points.h"

#include <algorithm>
#include <array>
#include <bit>

namespace heddle::map {
namespace {

using BlockOfNumbers = std::array<std::uint32_t, kNarrowBlock>;
using PointLists = std::span<const std::span<const std::int64_t>>;

/// Reads a coordinate; whether all numbers are below its extent.
[[gnu::always_inline]] inline bool read(const std::int64_t* points, std::size_t count,
                                        std::uint32_t extent, BlockOfNumbers& rest) {
  std::uint64_t all_bits = 0;
  std::uint32_t greatest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    all_bits |= static_cast<std::uint64_t>(points[i]);
    rest[i] = static_cast<std::uint32_t>(points[i]);
    greatest = std::max(greatest, rest[i]);
  }
  return all_bits >> 32 == 0 && greatest < extent;
}

/// Takes the fastest digit off, and adds what it stands for.
[[gnu::always_inline]] inline void take_digit(const NarrowDigit& digit, std::size_t count,
                                              BlockOfNumbers& rest, BlockOfNumbers& sums) {
  const auto [size, reciprocal, shift, stride] = digit;
  if (reciprocal == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] += (rest[i] & (size - 1)) * stride;
      rest[i] >>= shift;
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto high = static_cast<std::uint32_t>(std::uint64_t{rest[i]} * reciprocal >> 32);
    const std::uint32_t quotient = high >> shift;
    sums[i] += (rest[i] - quotient * size) * stride;
    rest[i] = quotient;
  }
}

[[gnu::always_inline]] inline void swizzle(std::uint32_t source, int shift, std::size_t count,
                                           BlockOfNumbers& sums) {
  const int right = std::max(shift, 0);
  const int left = std::max(-shift, 0);
  for (std::size_t i = 0; i < count; ++i) sums[i] ^= (sums[i] & source) >> right << left;
}

[[gnu::always_inline]] inline bool evaluate(const NarrowMap& map, PointLists points,
                                            std::int64_t* images, std::size_t begin,
                                            std::size_t count) {
  alignas(64) BlockOfNumbers rest;
  alignas(64) BlockOfNumbers sums;
  std::fill_n(sums.begin(), count, map.offset);
  for (std::size_t c = 0; c < map.coordinates.size(); ++c) {
    const NarrowCoordinate& coordinate = map.coordinates[c];
    if (!read(points[c].data() + begin, count, coordinate.extent, rest)) return false;
    for (const NarrowDigit& digit : coordinate.digits) take_digit(digit, count, rest, sums);
  }
  if (map.source != 0) swizzle(map.source, map.shift, count, sums);
  for (std::size_t i = 0; i < count; ++i) images[i] = static_cast<std::int32_t>(sums[i]);
  return true;
}

bool evaluate_plain(const NarrowMap& map, PointLists points, std::int64_t* images,
                    std::size_t begin, std::size_t count) {
  return evaluate(map, points, images, begin, count);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] bool evaluate_avx2(const NarrowMap& map, PointLists points,
                                           std::int64_t* images, std::size_t begin,
                                           std::size_t count) {
  return evaluate(map, points, images, begin, count);
}
#endif

}  // namespace

NarrowDigit narrow_digit(std::int64_t size, std::int64_t stride) {
  const auto narrow_size = static_cast<std::uint32_t>(size);
  const auto narrow_stride = static_cast<std::uint32_t>(stride);
  const auto bits = static_cast<int>(std::bit_width(narrow_size - 1));
  if (std::has_single_bit(narrow_size)) return {narrow_size, 0, bits, narrow_stride};
  // The reciprocal r exceeds 2^(31+bits)/size by less than 1, so x * r / 2^(31+bits) exceeds x/size
  // by less than x / 2^(31+bits) < 1/2^bits < 1/size: both have the same floor.
  const std::uint64_t reciprocal = (std::uint64_t{1} << (31 + bits)) / narrow_size + 1;
  return {narrow_size, static_cast<std::uint32_t>(reciprocal), bits - 1, narrow_stride};
}

bool evaluate_narrow(const NarrowMap& map, PointLists points, std::span<std::int64_t> images,
                     std::size_t begin, std::size_t end) {
  std::int64_t* const first = images.data() + begin;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    return evaluate_avx2(map, points, first, begin, end - begin);
  }
#endif
  return evaluate_plain(map, points, first, begin, end - begin);
}

}  // namespace heddle::map
