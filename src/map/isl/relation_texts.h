#pragma once

// Relations in isl's syntax as seed 000 writes them, for the functions that build its mappings.
//
//   extents 4, 2      names c0, c1;  box 0 <= c0 < 4 and 0 <= c1 < 2;  flat 1*c0 + 4*c1

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heddle/linear/linear_layout.h"

namespace heddle::map {

/// `c0, c1, c2`.
[[nodiscard]] std::string names_text(char letter, std::size_t count);
/// `0 <= c0 < 4 and 0 <= c1 < 2`.
[[nodiscard]] std::string box_conditions(char letter, std::span<const std::int64_t> extents);
/// `1*c0 + 8*c1`.
[[nodiscard]] std::string weighted_sum(std::span<const std::int64_t> weights, char letter);
/// 1, s0, s0*s1, …: the weights of a point's coordinates in its colexicographic number.
[[nodiscard]] std::vector<std::int64_t> colexicographic_strides(
    std::span<const std::int64_t> extents);

/// { [c0, c1, …] -> [c] }: equations 16 and 18.
[[nodiscard]] std::string flattening(char letter, std::span<const std::int64_t> extents);
/// { [c0, c1, …] -> [i0, i1, …] }, a sum of bits modulo 2 for each: equation 22.
[[nodiscard]] std::string binary_vector_space(const linear::LinearLayout& layout);

[[nodiscard]] std::vector<std::int64_t> sizes_of(std::span<const linear::Dimension> dimensions);
/// 2, 2, …: the extents of so many bits.
[[nodiscard]] std::vector<std::int64_t> twos(std::size_t count);

}  // namespace heddle::map
