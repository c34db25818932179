#pragma once

// A pair of distributions as cells: boxes that the same devices hold, and the same devices want.
//
//   10 rows over devices 0 and 1 to rows over 0, 1 and 2:
//     [0,4)  held by 0, wanted by 0      [4,5)  held by 0, wanted by 1
//     [5,8)  held by 1, wanted by 1      [8,10) held by 1, wanted by 2
//
// Where values are partial, each holder has one of several terms; the sum of all is wanted. Values
// that stay partial over an axis have cells of their own for each coordinate on it.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/distribution.h"

namespace heddle::distribute {

struct Cell {
  Box box;
  /// Ascending; nobody wants what is in no cell.
  std::vector<std::int64_t> holders;
  std::vector<std::int64_t> wanters;
};

/// How terms become values.
struct Reduction {
  /// `sum`; empty if every holder has the value itself.
  std::string op;
  std::int64_t terms = 1;
  /// The term of each device that holds something; empty for one term.
  std::map<std::int64_t, std::int64_t> term;

  [[nodiscard]] std::int64_t term_of(std::int64_t device) const {
    return terms == 1 ? 0 : term.at(device);
  }
};

/// What there is to do for a pair of distributions.
struct Problem {
  Reduction reduction;
  std::vector<Cell> cells;
};

/// Refuses `distribute.shapes`, `distribute.partial`, `distribute.device` for an element that
/// nobody holds, `distribute.too_large`.
[[nodiscard]] Result<Problem> problem_of(const Distribution& from, const Distribution& to);

/// At most `count` parts of a box, as even as can be, along the first dimension that comes apart
/// evenly, or the longest.
[[nodiscard]] std::vector<Box> parts_of(const Box& box, std::size_t count);

/// Both distributions by the same boxes: those of the flat index if one of them has them. Refuses
/// `distribute.shapes`, `distribute.too_large`.
[[nodiscard]] Result<std::pair<Distribution, Distribution>> in_common_boxes(
    const Distribution& from, const Distribution& to);

/// Refuses `distribute.bits`, and `overflow` where the bits on all devices cannot be counted.
[[nodiscard]] Result<void> check_bits(std::int64_t element_bits, const Distribution& from);

/// The devices that hold something on either side, ascending.
[[nodiscard]] std::vector<std::int64_t> devices_of(const Distribution& from,
                                                   const Distribution& to);

}  // namespace heddle::distribute
