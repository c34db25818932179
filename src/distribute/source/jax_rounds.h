#pragma once

// A plan as rounds in which each device sends at most one box, and gets at most one, all of one
// size: what JAX's ppermute does.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/plan.h"

namespace heddle::distribute {

/// Where boxes of one size begin in a memory.
struct JaxPlaces {
  Memory memory = Memory::kSource;
  /// The extents of the box; scratch memory has one dimension.
  std::vector<std::int64_t> size;

  friend auto operator<=>(const JaxPlaces&, const JaxPlaces&) = default;
};

struct JaxRound {
  JaxPlaces read;
  JaxPlaces written;
  bool reduces = false;
  /// Whether boxes stay on their devices.
  bool is_local = false;
  /// Positions in the mesh: who sends to whom.
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  /// For each position where the box begins that is read, and that is written; nothing for those
  /// that do not send, or get.
  std::vector<std::vector<std::int64_t>> first_read;
  std::vector<std::vector<std::int64_t>> first_written;
};

/// The rounds of all steps, one after the other. Refuses `distribute.too_large`. Each device must
/// hold one block, row-major.
[[nodiscard]] Result<std::vector<JaxRound>> jax_rounds(const Plan& plan, const axe::Mesh& mesh);

}  // namespace heddle::distribute
