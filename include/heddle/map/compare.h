#pragma once

// The points at which two layouts of any systems differ.
//
//   compare((4,4):(4,1), (4,4):(1,4))      no: 12 of 16 points differ
//     (1,0)     4 and 1
//     (2,0)     8 and 2
//     …

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/core/verdict.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/decide.h"

#pragma GCC visibility push(default)
namespace heddle::map {

/// A point at which the two differ, with the sorted images that each has there.
struct Difference {
  std::vector<Int> point;
  std::vector<std::vector<Int>> a;
  std::vector<std::vector<Int>> b;
};

/// The two layouts on common coordinates and axes, without indices of one value, for a picture.
struct ComparedViews {
  View a;
  View b;
};

struct Comparison {
  Verdict verdict = Verdict::unknown("");
  /// nullopt if the layouts are equal or cannot be compared point by point: no box in common, a box
  /// of more than 2^20 points, or not enough time.
  std::optional<ComparedViews> views;
  /// The first 4096 points that differ, first index fastest.
  std::vector<Difference> differences;
  /// The number of points that differ.
  std::int64_t different = 0;
  /// The number of points of the common box, if it has at most 2^20.
  std::int64_t points = 0;
  /// The names of a point's coordinates and of its images' axes; empty if they are only numbered.
  std::vector<std::string> names;
  std::vector<std::string> axes;
};

/// Compares two layouts on the box of the one that has a shape of its own; else by flat index, each
/// in its own order. Refuses what view() and images() refuse. Cost: that of equal(), and if the two
/// differ one evaluation of each point.
[[nodiscard]] Result<Comparison> compare(const AnyLayout& a, const AnyLayout& b,
                                         const DecideOptions& asked = {});

}  // namespace heddle::map
#pragma GCC visibility pop
