#pragma once

// Extents, shapes and steps: the checks and the texts that the folder shares.

#include <concepts>
#include <span>
#include <string>

#include "expr/assume_needed.h"
#include "expr/numbers_text.h"
#include "heddle/axe/layout.h"
#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/expr/int.h"

namespace heddle::axe {

/// `4@laneid`, `(M*2+1)@m`.
[[nodiscard]] std::string step_text(const Int& stride, const Axis& axis);

[[nodiscard]] Int product(std::span<const Int> numbers);

/// One iter could stand for the two neighbours (D1); true only where that is known.
[[nodiscard]] inline bool chains(const Iter& outer, const Iter& inner) {
  return outer.axis == inner.axis && known_equal(outer.stride, inner.extent * inner.stride);
}

/// The refusal `axe.extent`.
[[nodiscard]] Refusal bad_extent(const Int& extent, const std::string& what);

/// Refuses `axe.extent` for an extent below 1, `assume.needed` for one that may be; `describe()`
/// says where the extent stands.
template <std::invocable Describe>
[[nodiscard]] Result<void> check_extent(const Int& extent, Describe describe) {
  if (extent.is_constant() && extent.value() >= 1) return {};
  HEDDLE_CHECK(check_defined(extent, "an extent"));
  HEDDLE_TRY(const bool positive, decide_needed({Int(1), Predicate::kAtMost, extent}, describe));
  if (!positive) return bad_extent(extent, describe());
  return {};
}

}  // namespace heddle::axe
