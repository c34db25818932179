#include "analyze/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/analyze/access.h"
#include "heddle/form/subspace.h"
#include "linear/bit_runs.h"

namespace heddle::analyze {
namespace {

bool is_power_between(int number, int low, int high) {
  return number >= low && number <= high && is_power_of_two(number);
}

}  // namespace

Result<void> check_element_bits(int element_bits) {
  if (is_power_between(element_bits, 1, kMaxAccessBits)) return {};
  Diagnostic refusal("analyze.element_bits",
                     fmt::format("elements of {} bits: 1, 2, 4, 8, 16, 32, 64 or 128 is needed, "
                                 "so that some number of them makes an access",
                                 element_bits));
  if (element_bits <= 0) return refuse(std::move(refusal));
  return refuse(std::move(refusal).with_hint(
      "describe the memory in narrower elements whose width is a power of two: "
      "recast(layout, old_bits, new_bits)"));
}

Result<void> check_max_bits(int max_bits) {
  if (is_power_between(max_bits, 8, kMaxAccessBits)) return {};
  return refuse(
      "analyze.max_bits",
      fmt::format("accesses of at most {} bits: 8, 16, 32, 64 or 128 is needed", max_bits));
}

Result<void> check_size(const linear::LinearLayout& layout) {
  constexpr int kMostBits = 48;
  for (const auto& [side, bits] : {std::pair{"inputs", layout.total_in_dim_size_log2()},
                                   {"outputs", layout.total_out_dim_size_log2()}}) {
    if (bits <= kMostBits) continue;
    return refuse("analyze.too_large",
                  fmt::format("a layout with {} of {} bits in all; analyses count up to 2^{}", side,
                              bits, kMostBits));
  }
  return {};
}

Result<void> check_registers(const linear::LinearLayout& registers, std::int64_t warp_lanes) {
  HEDDLE_CHECK(check_size(registers));
  const linear::Names known = {"register", "lane", "warp", "block"};
  for (const linear::Dimension& dim : registers.in_dims()) {
    if (linear::contains(known, dim.name)) continue;
    return refuse("analyze.dims",
                  fmt::format("a register layout has the inputs register, lane, warp and block; "
                              "this one has {}",
                              linear::dims_text(registers.in_dims())));
  }
  const linear::Dimension* lane = registers.find_in("lane");
  if (lane == nullptr || !registers.has_in_dim("register")) {
    return refuse("analyze.dims",
                  fmt::format("a register layout needs the inputs register and lane; this one has "
                              "{}",
                              linear::dims_text(registers.in_dims())));
  }
  const linear::Dimension* warp = registers.find_in("warp");
  const bool fills_warps = lane->size() == warp_lanes || warp == nullptr || warp->bits == 0;
  if (lane->size() <= warp_lanes && fills_warps) return {};
  Diagnostic refusal("analyze.lanes",
                     fmt::format("{} lanes a warp; a warp has {}", lane->size(), warp_lanes));
  if (lane->size() <= warp_lanes) return refuse(std::move(refusal));
  return refuse(std::move(refusal).with_hint("name the machine: machine=\"gfx942\" has 64 lanes"));
}

std::int64_t warp_lanes_of(const linear::LinearLayout& registers) {
  constexpr std::int64_t kWaveLanes = 64;
  const linear::Dimension* lane = registers.find_in("lane");
  return lane != nullptr && lane->size() == kWaveLanes ? kWaveLanes : kWarpLanes;
}

Result<void> check_same_outputs(const linear::LinearLayout& src, const linear::LinearLayout& dst) {
  if (std::ranges::equal(src.out_dims(), dst.out_dims())) return {};
  return refuse("analyze.dims",
                fmt::format("the two layouts are of different tensors: {} and {}",
                            linear::dims_text(src.out_dims()), linear::dims_text(dst.out_dims())));
}

int log2_conflicts(std::span<const std::uint64_t> words, std::uint64_t banks) {
  std::vector<std::uint64_t> in_bank;
  for (const std::uint64_t word : words) in_bank.push_back(word % banks);
  return static_cast<int>(form::Subspace(words).dimension() - form::Subspace(in_bank).dimension());
}

}  // namespace heddle::analyze
