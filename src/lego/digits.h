#pragma once

// A position written as digits: what travels along a chain of OrderBys. Each link wants it with
// sizes of its own, and only the stretches whose sizes do differ are put together and taken apart
// again:
//
//   reshape(4 x 3 x 6, to 4 x 9 x 2)     the first digit stays; the others go by way of one of 18
//
// Digits are written last one fastest, each in [0, size).

#include <span>
#include <vector>

#include "heddle/expr/int.h"
#include "heddle/lego/permutation.h"

namespace heddle::lego {

struct Digits {
  std::vector<Int> values;
  Sizes sizes;
};

/// The same position with other sizes, which have the same product: the caller knows that. A size
/// of 1 takes and gives the digit 0.
[[nodiscard]] Digits reshape(Digits digits, std::span<const Int> sizes);

}  // namespace heddle::lego
