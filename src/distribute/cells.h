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

using Devices = std::vector<std::int64_t>;

struct Cell {
  Box box;
  /// Ascending; nobody wants what is in no cell.
  Devices holders;
  Devices wanters;
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

/// A box as `count` shares: along the first dimension that comes apart evenly, else by the
/// row-major order of its elements, as even as can be, the larger ones first. A share of a box with
/// fewer elements than shares may have none.
[[nodiscard]] std::vector<std::vector<Box>> shares_of(const Box& box, std::size_t count);

/// Two boxes that are together one of more than one element.
[[nodiscard]] std::vector<Box> halves_of(const Box& box);

/// Both distributions by the same boxes: those of the flat index if one of them has them. Refuses
/// `distribute.shapes`, `distribute.too_large`.
[[nodiscard]] Result<std::pair<Distribution, Distribution>> in_common_boxes(
    const Distribution& from, const Distribution& to);

/// Refuses `distribute.bits`, and `overflow` where the bits on all devices cannot be counted.
[[nodiscard]] Result<void> check_bits(std::int64_t element_bits, const Distribution& from);

/// The devices that hold something on either side, ascending.
[[nodiscard]] Devices devices_of(const Distribution& from, const Distribution& to);

}  // namespace heddle::distribute
