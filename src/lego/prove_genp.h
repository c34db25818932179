#pragma once

// Whether a GenP is a permutation and its inverse the inverse.

#include <memory>
#include <optional>

#include "heddle/core/result.h"
#include "heddle/lego/genp.h"
#include "lego/find_inverse.h"

namespace heddle::lego {

struct GenPProof {
  Evidence evidence = Evidence::kAssumed;
  /// Why it is no permutation, for kNone.
  std::optional<Diagnostic> failure;
  /// The inverse, where none was given.
  std::shared_ptr<const FoundInverse> found;
};

/// At every point where the tile has at most GenP::kMaxEvaluated of them; for others on variables
/// with the ranges of the tile, and at a few small sizes and some 2^16 points, which may refute it.
/// Refuses what evaluating it refuses.
[[nodiscard]] Result<GenPProof> prove_genp(const GenP& genp, const Prover& prover);

}  // namespace heddle::lego
