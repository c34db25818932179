#pragma once

// The inverse of a permutation that came without one. Where the function is strided, that is
// strided too; where it is linear over bits, a matrix is inverted; small ones have a table.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/lego/genp.h"

namespace heddle::lego {

struct FoundInverse {
  InverseKind kind = InverseKind::kTable;
  std::function<Result<std::vector<Int>>(const Int& flat)> point_at;
};

/// The inverse of a permutation of [0, table.size()), given at every flat index of the tile.
[[nodiscard]] std::shared_ptr<const FoundInverse> find_inverse(std::span<const Int> dims,
                                                               std::vector<std::int64_t> table);

/// A function on the points of a tile.
using PointFunction = std::function<Result<Int>(std::span<const Int>)>;

/// The inverse of a function of any size that is one stride for each dimension, where the strides
/// make a permutation of it; nothing otherwise. Finding one proves that it is a permutation.
[[nodiscard]] std::shared_ptr<const FoundInverse> find_affine_inverse(std::span<const Int> dims,
                                                                      const PointFunction& f);

}  // namespace heddle::lego
