#pragma once

// Checks of arguments that several analyses share.

#include <cstdint>
#include <span>
#include <vector>

#include "core/bits.h"
#include "heddle/analyze/served_lanes.h"
#include "heddle/core/result.h"
#include "heddle/linear/linear_layout.h"

namespace heddle::analyze {

/// Refuses `analyze.element_bits` unless it is a power of two from 1 to 128.
[[nodiscard]] Result<void> check_element_bits(int element_bits);
/// Refuses `analyze.max_bits` unless it is a power of two from 8 to 128.
[[nodiscard]] Result<void> check_max_bits(int max_bits);

/// Refuses `analyze.too_large` above 48 input bits or 48 output bits: counts, and addresses in
/// bits, must fit into 64 bits.
[[nodiscard]] Result<void> check_size(const linear::LinearLayout& layout);

/// Refuses `analyze.dims` unless the inputs are among register, lane, warp and block (and there are
/// a register and a lane), `analyze.lanes` for more lanes than a warp has, and as check_size().
[[nodiscard]] Result<void> check_registers(const linear::LinearLayout& registers,
                                           std::int64_t warp_lanes = kWarpLanes);

/// The lanes of a warp of that layout: 64 if it has as many, as AMD's waves, otherwise kWarpLanes.
[[nodiscard]] std::int64_t warp_lanes_of(const linear::LinearLayout& registers);

/// Refuses `analyze.dims` unless both have the same outputs, of the same sizes, in the same order.
[[nodiscard]] Result<void> check_same_outputs(const linear::LinearLayout& src,
                                              const linear::LinearLayout& dst);

/// log2 of the most words in one of this many banks, a power of two, among all XORs of `words`.
[[nodiscard]] int log2_conflicts(std::span<const std::uint64_t> words, std::uint64_t banks);

}  // namespace heddle::analyze
