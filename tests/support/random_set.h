#pragma once

// Random small integer sets: a union of boxes with further constraints, such as triangles and
// remainders, which are known point by point without isl.

#include <cstdint>
#include <string>
#include <vector>

#include "support/random.h"

namespace heddle::test {

using Coordinates = std::vector<std::int64_t>;

/// constant + sum of coefficient * coordinate: at least 0, equal to 0, or a multiple of `divisor`.
struct DrawnConstraint {
  enum class Kind { kAtLeast, kEqual, kMultiple };
  Kind kind = Kind::kAtLeast;
  Coordinates coefficients;
  std::int64_t constant = 0;
  std::int64_t divisor = 1;

  [[nodiscard]] bool holds(const Coordinates& point) const;
  [[nodiscard]] std::string text() const;
};

struct DrawnPart {
  /// Both included.
  Coordinates lows;
  Coordinates highs;
  std::vector<DrawnConstraint> constraints;
};

struct DrawnSet {
  std::size_t dimensions = 1;
  std::vector<DrawnPart> parts;

  [[nodiscard]] bool holds(const Coordinates& point) const;
  /// In isl's syntax, over x0, x1, ….
  [[nodiscard]] std::string text() const;
  /// In lexicographic order.
  [[nodiscard]] std::vector<Coordinates> points() const;
};

/// Of so many dimensions, at most `extent` wide in each, with one to three parts.
[[nodiscard]] DrawnSet drawn_set(Random& random, std::size_t dimensions, std::int64_t extent = 7);
/// Of 1 to 3 dimensions.
[[nodiscard]] DrawnSet drawn_set(Random& random);

}  // namespace heddle::test
