#pragma once

// A coordinate picks an element, or, with underscores, a slice of elements.
//
//   Coordinate{1, 2}        (1,2)     one element
//   Coordinate{1, _}        (1,_)     the second row

#include <iosfwd>

#include "heddle/core/tuple.h"
#include "heddle/expr/int_tuple.h"

#pragma GCC visibility push(default)
namespace heddle::cute {

/// CuTe's `_`: everything along a mode.
struct Underscore {
  friend bool operator==(Underscore, Underscore) = default;
};
inline constexpr Underscore _{};

/// One leaf of a coordinate: an index or `_`.
class Index {
 public:
  Index(Underscore) : is_underscore_(true) {}  // NOLINT: `_` is an index
  template <std::convertible_to<Int> T>
  Index(T value) : value_(value) {}  // NOLINT: an integer is an index

  [[nodiscard]] bool is_underscore() const { return is_underscore_; }
  /// The number; only for an index that is no underscore.
  [[nodiscard]] const Int& value() const { return value_; }

  friend bool operator==(const Index&, const Index&) = default;

 private:
  Int value_;
  bool is_underscore_ = false;
};

using Coordinate = Tuple<Index>;
using CoordinateView = TupleView<Index>;

[[nodiscard]] bool has_underscore(CoordinateView coordinate);
[[nodiscard]] bool all_underscore(CoordinateView coordinate);

/// The coordinate with these indices.
[[nodiscard]] Coordinate to_coordinate(const IntTuple& indices);
/// The indices of a coordinate without underscores; refuses (`coordinate.underscore`) a coordinate
/// that has any.
[[nodiscard]] Result<IntTuple> to_int_tuple(const Coordinate& coordinate);

std::ostream& operator<<(std::ostream& stream, const Index& index);

}  // namespace heddle::cute
#pragma GCC visibility pop
