#pragma once

// A position written as digits, the form in which it passes along a chain of OrderBys. Each link
// needs it with sizes of its own, and only the stretches whose sizes differ are joined and split
// again:
//
//   reshape(4 x 3 x 6, to 4 x 9 x 2)     the first digit stays; the others are joined to one of 18
//
// Digits are written last one fastest, each in [0, size).

#include <span>
#include <vector>

#include "heddle/expr/int.h"
#include "heddle/lego/layout.h"
#include "heddle/lego/permutation.h"

namespace heddle::lego {

struct Digits {
  std::vector<Int> values;
  Sizes sizes;
};

/// The same position with other sizes, which must have the same product (not checked). A size of 1
/// takes and gives the digit 0.
[[nodiscard]] Digits reshape(Digits digits, std::span<const Int> sizes);

/// Sample indices below `size`, if that is too large to examine each: some from both ends, those
/// near the powers of two, and some in between, the same on every run.
[[nodiscard]] std::vector<std::int64_t> sampled_indices(std::int64_t size, std::int64_t ends,
                                                        std::int64_t anywhere);

/// The sizes of the tiles of some permutations, one after the other.
[[nodiscard]] Sizes sizes_of(std::span<const Permutation> permutations);

/// One OrderBy on a flat index: each permutation on its digits, the last one fastest.
/// `see(permutation, point, number)` is called for each.
template <class See>
[[nodiscard]] Result<Int> ordered_index(std::span<const Permutation> permutations, const Int& flat,
                                        See see) {
  const std::vector<Int> digits = unflatten(sizes_of(permutations), flat);
  std::span<const Int> rest = digits;
  Int index = 0;
  for (const Permutation& permutation : permutations) {
    const std::span<const Int> tile = dims(permutation);
    const std::span<const Int> point = rest.first(tile.size());
    rest = rest.subspan(tile.size());
    HEDDLE_TRY(const Int number, apply(permutation, point));
    see(permutation, point, number);
    index = index * product(tile) + number;
  }
  return index;
}

}  // namespace heddle::lego
