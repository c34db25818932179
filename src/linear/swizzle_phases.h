#pragma once

// The bits of a XOR swizzle: group g of row r is stored at group g xor (r / per_phase) % max_phase.
// With everything a power of two, each bit of the row flips one bit of the group or none.

#include <optional>

namespace heddle::linear {

/// All are log2; vec in elements.
struct SwizzlePhases {
  int vec = 0;
  int per_phase = 0;
  int max_phase = 0;

  /// The bit of the column that bit `row` of the row flips.
  [[nodiscard]] std::optional<int> column(int row) const {
    const int phase = row - per_phase;
    if (phase < 0 || phase >= max_phase) return std::nullopt;
    return vec + phase;
  }
};

}  // namespace heddle::linear
