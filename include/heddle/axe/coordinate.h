#pragma once

// A coordinate of Axe: one integer for each named axis, zero on an axis that is not mentioned.
//
//   5@warpid + 3@m                  Coordinate{{warpid, 5}, {m, 3}}
//   c[Axis("laneid")]               0

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/core/stream.h"
#include "heddle/expr/int.h"

#pragma GCC visibility push(default)
namespace heddle::axe {

using streams::operator<<;

/// An element of the free module over the axes (seed 002, section 2.3): sums and multiples are
/// taken axis by axis. Entries are kept in the order of the axes' names, and none is zero.
class Coordinate {
 public:
  using Entry = std::pair<Axis, Int>;

  Coordinate() = default;
  Coordinate(std::initializer_list<Entry> entries);

  /// The integer on the axis.
  [[nodiscard]] Int operator[](const Axis& axis) const;
  /// Adds to the integer on the axis.
  void add(const Axis& axis, const Int& value);
  /// Replaces the integer on the axis.
  void set(const Axis& axis, const Int& value);

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] bool is_zero() const { return entries_.empty(); }

  Coordinate& operator+=(const Coordinate& other);
  Coordinate& operator-=(const Coordinate& other);
  friend Coordinate operator+(Coordinate a, const Coordinate& b) { return a += b; }
  friend Coordinate operator-(Coordinate a, const Coordinate& b) { return a -= b; }

  friend bool operator==(const Coordinate&, const Coordinate&) = default;

 private:
  std::vector<Entry> entries_;
};

/// The product axis by axis (seed 002, section 2.3). An axis that one of the two does not mention
/// is 0 in it, and so in the product.
[[nodiscard]] Coordinate hadamard(const Coordinate& a, const Coordinate& b);

/// Orders by the axes in the order of their names, an axis not mentioned counting as 0; symbolic
/// numbers come after constants, in the order of their texts.
[[nodiscard]] bool operator<(const Coordinate& a, const Coordinate& b);

/// `3@m + 5@warpid`; `0` if all entries are zero.
[[nodiscard]] std::string to_string(const Coordinate& coordinate);

}  // namespace heddle::axe
#pragma GCC visibility pop
