#pragma once

// Warps, blocks and devices that compute parts of a product at the same time: which loops they
// share, and whether each of them has all parts that it multiplies.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "machine/gemm/fit.h"

namespace heddle::machine {

/// Whether places on the axis are threads, blocks or devices, of which each has what it multiplies.
[[nodiscard]] bool is_unit_axis(const std::string& axis);

struct GemmUnits {
  const std::array<GemmAtom, 3>& atoms;
  const GemmDigits& digits;
  /// The digits of M, N and K that are loops, by their numbers.
  std::array<std::vector<std::size_t>, 3> left;

  /// Finds loops and units; a reason if some unit lacks a part of A or B, or parts are spread
  /// unevenly.
  [[nodiscard]] std::string find(GemmChoice& choice) const;
};

}  // namespace heddle::machine
