#pragma once

// Arguments that are numbers on axes: widths, which may be 0, and sets of places.

#include <optional>
#include <vector>

#include "notation/operations/readers.h"

namespace heddle::notation {

/// A number for each axis: `{"m": 64}` as span() gives them, or one step, `64@m`. A sum of steps is
/// none, because it forgets steps of 0.
struct AxisWidths {
  std::vector<axe::Coordinate::Entry> widths;
};
template <>
struct Reader<AxisWidths> : SharedReader<AxisWidths> {
  static constexpr std::string_view kDescription =
      "a width for each axis, as in {\"m\": 64} or 64@m";
  static constexpr ArrayIs kArray = ArrayIs::kData;
  static std::optional<Value> make(const Value& value);
  static AxisWidths read(const Value& value);
};

/// A set of places, or a single one: `5@m + 1@laneid`.
template <>
struct Reader<Places> : PlainReader<Places> {
  static constexpr std::string_view kDescription =
      "a set of places, or a place as in 5@m + 1@laneid";
  static std::optional<Value> make(const Value& value);
};

}  // namespace heddle::notation
