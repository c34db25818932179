#pragma once

// Matrices as digits: how their rows and columns are cut, and where a step of each piece leads.
//
//   C, 16 x 8 of mma.m16n8k16     rows     8 steps of 4@laneid, 2 of 2@m      fastest first
//                                 columns  2 of 1@m, 4 of 1@laneid
//
// Threads have one name here: laneid and warpid, in waves of as many lanes as the instruction has.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/axe/layout.h"
#include "heddle/core/result.h"

namespace heddle::machine {

/// Along an axis; a stride of 0 stays.
struct MatrixStep {
  std::string axis;
  std::int64_t stride = 0;

  friend bool operator==(const MatrixStep&, const MatrixStep&) = default;
};

/// `extent` steps.
struct MatrixRun {
  std::int64_t extent = 1;
  MatrixStep step;
};
using MatrixRuns = std::vector<MatrixRun>;

struct MatrixDigits {
  /// Of the rows and the columns, fastest first.
  std::array<MatrixRuns, 2> sides;
  /// Between the copies of an element.
  MatrixRuns copies;
  std::map<std::string, std::int64_t> offset;
};

/// The digits of a layout of constants on a matrix of this shape, without its swizzle; of
/// `sides[0]` those of its side `first`, 0 for rows. Refuses as axe::group().
[[nodiscard]] Result<MatrixDigits> matrix_digits(const axe::Layout& layout,
                                                 std::array<std::int64_t, 2> shape,
                                                 std::int64_t wave);

/// The step that is made every `weight` elements, `extent` times, if the runs have one; as a digit
/// that divides its run if `is_whole`.
[[nodiscard]] std::optional<MatrixStep> step_at(const MatrixRuns& runs, std::int64_t weight,
                                                std::int64_t extent, bool is_whole = true);

/// One digit of a dimension that two matrices share, and its step in each.
struct SharedDigit {
  std::int64_t extent = 1;
  std::array<MatrixStep, 2> steps;
};
/// The digits that both runs have, of prime extents, fastest first; nullopt if one has a cut of
/// which no cut of the other is a multiple or a divisor.
[[nodiscard]] std::optional<std::vector<SharedDigit>> shared_digits(const MatrixRuns& a,
                                                                    const MatrixRuns& b);

/// `32, 64`: after how many elements the runs are cut.
[[nodiscard]] std::vector<std::int64_t> cuts_of(const MatrixRuns& runs);

}  // namespace heddle::machine
