#pragma once

// Random register layouts and shared layouts of one tensor, as kernels have them (bits dealt out to
// registers, lanes and warps, some of them repeated) and beyond (any invertible matrix).

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/linear/linear_layout.h"
#include "support/random.h"

namespace heddle::test {

/// A random basis of GF(2)^bits: unit vectors in some order; where `mixed`, XORs of several.
[[nodiscard]] inline std::vector<std::int64_t> random_basis(Random& random, int bits, bool mixed) {
  std::vector<std::int64_t> basis;
  for (int bit = 0; bit < bits; ++bit) basis.push_back(std::int64_t{1} << bit);
  random.shuffle(basis);
  if (!mixed || bits < 2) return basis;
  for (int step = 0; step < 2 * bits; ++step) {
    const auto from = static_cast<std::size_t>(random.between(0, bits - 1));
    const auto to = static_cast<std::size_t>(random.between(0, bits - 1));
    if (from != to) basis[to] ^= basis[from];
  }
  return basis;
}

/// A layout (register, lane, warp, block) of a tensor of 2^bits elements with `lane_bits` lanes.
[[nodiscard]] inline linear::LinearLayout random_registers(Random& random, int bits, bool mixed,
                                                           int lane_bits = 5) {
  std::vector<std::int64_t> basis = random_basis(random, bits, mixed);
  const auto warp_bits = random.between(0, lane_bits == 5 ? 2 : 0);
  linear::Bases bases = {{"register", {}}, {"lane", {}}, {"warp", {}}, {"block", {}}};
  const auto take = [&](linear::InBases& dim, int broadcast_percent) {
    if (basis.empty() || random.chance(broadcast_percent)) {
      dim.vectors.push_back({0});
      return;
    }
    dim.vectors.push_back({basis.back()});
    basis.pop_back();
  };
  const int broadcast = random.chance(30) ? 20 : 0;
  for (int i = 0; i < lane_bits; ++i) take(bases[1], broadcast);
  for (int i = 0; i < warp_bits; ++i) take(bases[2], broadcast);
  while (!basis.empty()) take(bases[0], broadcast / 2);
  random.shuffle(bases[0].vectors);
  const linear::NamedSizes outs = {{"dim0", std::int64_t{1} << bits}};
  return linear::LinearLayout::make(bases, outs).value();
}

/// An invertible layout (offset, block) of that tensor.
[[nodiscard]] inline linear::LinearLayout random_shared(Random& random, int bits, bool mixed) {
  linear::Bases bases = {{"offset", {}}, {"block", {}}};
  for (const std::int64_t vector : random_basis(random, bits, mixed)) {
    bases[0].vectors.push_back({vector});
  }
  const linear::NamedSizes outs = {{"dim0", std::int64_t{1} << bits}};
  return linear::LinearLayout::make(bases, outs).value();
}

}  // namespace heddle::test
