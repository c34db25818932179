#pragma once

// Assumptions about symbolic sizes as people write them:
//
//   M%128==0          N>=1          K<=2*M          lane in [0,32)
//   0<=t<128          8|K           M==256          M%8==0, N%8==0
//
// Each comparison is a condition (expr/proof.h); `expr/assumptions.h` says what can be assumed.

#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/proof.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// The conditions that a text states, over plain variables. Commas separate assumptions. Refuses
/// `assume.syntax` and what parse_expression() refuses.
[[nodiscard]] Result<std::vector<Condition>> parse_assumptions(std::string_view text);

}  // namespace heddle::notation
#pragma GCC visibility pop
