#pragma once

// Where two layouts of any systems differ.
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

/// The two on common coordinates and axes, for a picture: without indices of one value.
struct ComparedViews {
  View a;
  View b;
};

struct Comparison {
  Verdict verdict = Verdict::unknown("");
  /// Nothing where they are equal, or cannot be compared point by point: no box in common, one of
  /// more than 2^20 points, or more than there was time for.
  std::optional<ComparedViews> views;
  /// The points that differ, first index fastest: the first 4096 of them.
  std::vector<Difference> differences;
  /// How many differ.
  std::int64_t different = 0;
  /// Of the common box, where it has at most 2^20.
  std::int64_t points = 0;
  /// Of the coordinates of a point and of its images; empty where they are numbered only.
  std::vector<std::string> names;
  std::vector<std::string> axes;
};

/// On the box of the one that has a shape of its own; else by flat index, each in its own order.
/// Refuses what view() and images() refuse. Cost: that of
/// equal(), and where the two differ an evaluation of each point.
[[nodiscard]] Result<Comparison> compare(const AnyLayout& a, const AnyLayout& b,
                                         const DecideOptions& asked = {});

}  // namespace heddle::map
#pragma GCC visibility pop
