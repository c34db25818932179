#pragma once

// Proves that a GenP is a permutation and its inverse the inverse, and finds a missing inverse:
// strided if the function is strided, by an inverted matrix if it is linear over bits, and a table
// for small ones.

#include <memory>
#include <optional>

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

/// The inverse of a function of any size that has one stride for each dimension, if the strides
/// make a permutation of it; nullptr otherwise. Finding one proves that it is a permutation.
[[nodiscard]] std::shared_ptr<const FoundInverse> find_affine_inverse(std::span<const Int> dims,
                                                                      const PointFunction& f);

struct GenPProof {
  Evidence evidence = Evidence::kAssumed;
  /// Why it is no permutation, for kNone.
  std::optional<Diagnostic> failure;
  /// The inverse that was found, if none was given.
  std::shared_ptr<const FoundInverse> found;
};

/// Proved at every point if the tile has at most GenP::kMaxEvaluated of them; otherwise on
/// variables with the ranges of the tile, and tested at a few small sizes and some 2^16 points,
/// which may refute it. Refuses as evaluating it does.
[[nodiscard]] Result<GenPProof> prove_genp(const GenP& genp, const Prover& prover);

}  // namespace heddle::lego
