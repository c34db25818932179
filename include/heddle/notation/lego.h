#pragma once

// LEGO layouts as text, in the paper's dotted notation with its sugar:
//
//   GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse))
//   TileBy([M//BM, K//BK], [BM, BK]).OrderBy(Row(M, K))
//   TileBy([6,6]).TileOrderBy(RegP([2,2],[2,1]),GenP([3,3],antidiag,antidiag^{inv}))
//   GroupBy([3,2]).OrderBy(GenP([3,2], (i,j) -> (2-i)*2+(1-j), x -> (2-x//2, 1-x%2)))
//   ExpandBy([3,7],[4,9],GroupBy([4,9]).OrderBy(Row(4,9)))
//   GroupBy([6,4], OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse)))          as its figures write it
//   OrderBy(RegP([2,2],[1,0]),GenP([3,2],reverse)).GroupBy([(6,4)])         as its Python writes it
//
// All of them are expressions of the language (evaluator.h); output uses the dotted notation.
// Unbound names in tiles are symbolic sizes, small letters too; unbound names as indices are
// variables in the range of their dimension:
//
//   DL_a = TileBy([M//BM, K//BK], [BM, BK]).OrderBy(Row(M, K))
//   DL_a[pid_m, k, :, :]          the index expression, with a range for each `:`
//
// In the Python order the part nearest to the GroupBy acts first, and RegP counts from 0. A text
// that mixes the two notations is refused (`lego.dialect`).

#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/lego/layout.h"
#include "heddle/lego/slice.h"
#include "heddle/notation/datum.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// `RegP([2,2],[2,1])` on its own, before an OrderBy takes it.
struct LegoPermutation {
  lego::Permutation permutation;
  /// Written as LEGO's Python does, RegP([2,2],[1,0]).
  bool counts_from_zero = false;

  friend bool operator==(const LegoPermutation&, const LegoPermutation&) = default;
};

/// `OrderBy(…).OrderBy(…)` without the layout it orders: the links as they were written.
struct LegoOrders {
  std::vector<std::vector<LegoPermutation>> links;

  friend bool operator==(const LegoOrders&, const LegoOrders&) = default;
};

/// A function that numbers a tile: `(i,j) -> 2*i+j`, `antidiag`, or the inverse of a named one,
/// `antidiag_inv`.
struct LegoFunction {
  lego::GenP::Function function;
  bool is_inverse = false;

  friend bool operator==(const LegoFunction&, const LegoFunction&) = default;
};

[[nodiscard]] std::string to_string(const LegoPermutation& permutation);
[[nodiscard]] std::string to_string(const LegoOrders& orders);
[[nodiscard]] std::string to_string(const LegoFunction& function);

/// `{"index":"K*r0+r1","ranges":[{"variable":"r0","extent":64,"dimension":2,"broadcast":"[:,
/// None]"}, …]}`
[[nodiscard]] Datum to_datum(const lego::Slice& slice);

/// A layout in any of its spellings. Refuses `call.type` if the text is something else, and what
/// evaluate() refuses.
[[nodiscard]] Result<lego::Layout> parse_lego(std::string_view text);

}  // namespace heddle::notation
#pragma GCC visibility pop
