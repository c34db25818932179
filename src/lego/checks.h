#pragma once

// Conditions on sizes: that there are some, that they are at least 1, and that the links of a chain
// have the same number of points.

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "expr/assume_needed.h"
#include "heddle/core/result.h"
#include "heddle/expr/proof.h"
#include "heddle/lego/permutation.h"

namespace heddle::lego {

/// Refuses `lego.tile` for no sizes or more than RegP::kMaxDims, `lego.extent` for one that is
/// known to be below 1, `overflow`; `what` names their owner. Sizes that may be below 1 pass.
[[nodiscard]] Result<void> check_tile(std::span<const Int> sizes, const std::string& what);

/// Refuses `assume.needed` unless every size is known to be at least 1.
[[nodiscard]] Result<void> check_at_least_one(std::span<const Int> sizes, const std::string& what);

/// The refusal `assume.needed` of a condition that is open, with the assumption to make and values
/// for which it fails.
[[nodiscard]] Refusal open_condition(const std::string& call, const Condition& condition);

/// Whether the condition holds; refuses as open_condition() if that is not known.
template <std::invocable Call>
[[nodiscard]] Result<bool> decide_open(const Condition& condition, Call call) {
  if (const std::optional<bool> answer = answer_to(condition)) return *answer;
  return open_condition(call(), condition);
}

}  // namespace heddle::lego
