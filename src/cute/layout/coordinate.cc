#include "heddle/cute/coordinate.h"

#include <algorithm>
#include <ostream>

namespace heddle::cute {

bool has_underscore(CoordinateView coordinate) {
  return std::ranges::any_of(coordinate.leaves(), &Index::is_underscore);
}

bool all_underscore(CoordinateView coordinate) {
  return std::ranges::all_of(coordinate.leaves(), &Index::is_underscore);
}

Coordinate to_coordinate(const IntTuple& indices) {
  return transform_leaves(indices, [](const Int& index) { return Index(index); });
}

Result<IntTuple> to_int_tuple(const Coordinate& coordinate) {
  if (has_underscore(coordinate)) {
    return refuse("coordinate.underscore", "a coordinate without underscores is needed here");
  }
  return transform_leaves(coordinate, [](const Index& index) { return index.value(); });
}

std::ostream& operator<<(std::ostream& stream, const Index& index) {
  return index.is_underscore() ? stream << '_' : stream << index.value();
}

}  // namespace heddle::cute
