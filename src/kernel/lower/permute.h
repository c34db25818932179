#pragma once

// Copies of boxes between two memories whose elements are permuted within tiles: the shuffles of a
// relayout (src/move/shuffle.h), found for addresses of a kernel.
//
//   B[i//2, j, i%2] = A[i, j]   for i < 2, j < N      rows of 8 elements of 2 bytes: two of A are
//   read,
//                                                     interleaved, and two of B are written, for
//                                                     each of N/8 tiles
//
// Addresses are sums of steps along the coordinates and of a part that a table has, as where a
// swizzle takes part: what the tiles' base adds to it is proved to be the same everywhere. A step
// that is not a number, such as N, is a number beyond all others for the search, and is put back
// into what was found.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/kernel/thread_program.h"
#include "kernel/passes/loops.h"

namespace heddle::kernel {

/// For each point of a box, an element is copied, if all conditions on it hold. No two points have
/// one place in the destination, and the two memories do not overlap.
struct BoxCopy {
  /// The variables that are the coordinates of a point, and their extents.
  std::vector<std::string> names;
  std::vector<Int> extents;
  Location to;
  Location from;
  DType type = DType::kF32;
  /// The bits between elements, on both sides.
  std::int64_t bits = 8;
  std::vector<Condition> inside = {};
  /// When lines are to be written past the caches; nullopt for never.
  std::optional<Condition> streams = {};
};

/// What does a copy, if these conditions hold.
struct PermutedBox {
  std::vector<Condition> conditions;
  ThreadBlock body;
  /// What it does, each with the word that it is about: `tiles`, `stores`.
  std::vector<Choice::Note> notes;
};

/// Refuses, with a text for explanations, where no tiles are found that are permuted with fewer
/// steps than loops take. `fresh` names the counters of what is left over. Cost: two evaluations
/// for each of at most 2^13 places that are not evenly apart.
[[nodiscard]] Result<PermutedBox> permuted(const BoxCopy& copy, const Fresh& fresh);

}  // namespace heddle::kernel
