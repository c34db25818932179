#pragma once

// A piecewise quasi-affine function in plain numbers: isl's pieces, independent of isl.
//
//   { [c] -> [c + 3 * floor(c/4)] : 0 <= c < 8 }
//
//   quotients     q0 = floor((c) / 4)
//   constraints   c >= 0,  7 - c >= 0
//   outputs       (c + 3*q0) / 1
//
// It can be evaluated on numbers, at one multiplication per coefficient, and on symbolic Ints,
// which gives the expression itself.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/map/integer_relation.h"

namespace heddle::map {

/// constant + sum of coefficient * value. Values are numbered: inputs, parameters, quotients.
struct AffineSum {
  std::int64_t constant = 0;
  std::vector<std::pair<std::size_t, std::int64_t>> terms;
  friend bool operator==(const AffineSum&, const AffineSum&) = default;
};

/// floor(numerator / divisor).
struct AffineQuotient {
  AffineSum numerator;
  std::int64_t divisor = 1;
  friend bool operator==(const AffineQuotient&, const AffineQuotient&) = default;
};

/// sum == 0 or sum >= 0.
struct AffineConstraint {
  AffineSum sum;
  bool is_equality = false;
};

struct AffinePiece {
  /// Each quotient is one of values before it.
  std::vector<AffineQuotient> quotients;
  std::vector<AffineConstraint> constraints;
  std::vector<AffineQuotient> outputs;
};

/// The image of a point.
struct PointImage {
  enum class State { kOutside, kInside, kOverflow };
  State state = State::kOutside;
  std::vector<std::int64_t> values;
};

/// The piece whose constraints hold gives the value; the constraints of different pieces exclude
/// each other.
struct Piecewise {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<AffinePiece> pieces;

  /// The image of a point, inputs and then parameters.
  [[nodiscard]] PointImage operator()(std::span<const std::int64_t> point) const;
  /// The image of symbolic Ints, which must be within the domain: a choice between the pieces.
  [[nodiscard]] std::vector<Int> operator()(std::span<const Int> point) const;
};

/// The piece over these variables; conditions that they always meet are left out. nullopt if they
/// never meet one.
[[nodiscard]] std::optional<Piece> to_piece(const AffinePiece& piece, std::span<const Int> point);

}  // namespace heddle::map
