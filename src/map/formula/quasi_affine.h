#pragma once

// Quasi-affine expressions as isl's text has them: sums of coordinates, of floors and of
// remainders.
//
//   2c0 + 3*((c1) mod 4) + 8*floor((c1)/4)
//
//   plus(2 * coordinate(0), plus(3 * remainder(coordinate(1), 4), 8 * quotient(coordinate(1), 4)))
//
// They are combined, printed, read and turned into pieces without isl. isl searches every
// expression for facts that its numbers imply, which does not end for the parities of many bits.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "map/formula/piecewise.h"

namespace heddle::map {

/// Thrown if a number does not fit 64 bits.
struct PastRange {};

struct QuasiTerm;

/// constant + the sum of its terms, no two of which are alike.
struct QuasiSum {
  std::int64_t constant = 0;
  std::vector<QuasiTerm> terms;

  friend bool operator==(const QuasiSum&, const QuasiSum&) = default;
};

/// factor * coordinate, factor * floor(operand / divisor) or factor * (operand mod divisor).
struct QuasiTerm {
  enum class Kind : std::uint8_t { kCoordinate, kQuotient, kRemainder };
  Kind kind = Kind::kCoordinate;
  std::int64_t factor = 1;
  std::size_t coordinate = 0;
  std::int64_t divisor = 1;
  std::shared_ptr<const QuasiSum> operand;

  /// Whether the terms are equal apart from their factors.
  [[nodiscard]] bool is_like(const QuasiTerm& other) const;
  friend bool operator==(const QuasiTerm& a, const QuasiTerm& b) {
    return a.factor == b.factor && a.is_like(b);
  }
};

// All of these throw PastRange.

[[nodiscard]] QuasiSum coordinate(std::size_t index);
[[nodiscard]] QuasiSum plus(QuasiSum a, const QuasiSum& b);
[[nodiscard]] QuasiSum times(std::int64_t factor, QuasiSum sum);
/// floor(sum / divisor) and sum mod divisor, for positive divisors.
[[nodiscard]] QuasiSum quotient(QuasiSum sum, std::int64_t divisor);
[[nodiscard]] QuasiSum remainder(QuasiSum sum, std::int64_t divisor);

/// In isl's syntax, with these names of the coordinates.
[[nodiscard]] std::string to_string(const QuasiSum& sum, std::span<const std::string> names);

/// The piece whose outputs are these sums, on the box between these bounds, both included, one pair
/// for each coordinate. Remainders become differences, and no quotient is in it twice.
[[nodiscard]] AffinePiece piece_of(std::span<const QuasiSum> outputs,
                                   std::span<const std::int64_t> lows,
                                   std::span<const std::int64_t> highs);

}  // namespace heddle::map
