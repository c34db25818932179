#pragma once

// Conditions that no values meet, found by trying all values.
//
//   M%BM==0, M==7, 1 < BM < 7      M is 7, BM from 2 to 6: none of these divides 7
//
// Ranges and divisors of one variable at a time do not see that. Variables with few values are
// given these one after the other, and each condition is looked at as soon as all its variables
// have values.

#include <map>
#include <span>
#include <string>

#include "heddle/expr/condition.h"
#include "heddle/expr/proof.h"

namespace heddle::expr {

/// The values that a variable may have: those in the range that leave this residue.
struct Domain {
  Range range;
  std::int64_t residue = 0;
  std::int64_t modulus = 1;
};

/// No values meet all conditions, certainly. Looks at the variables whose domains have ends and at
/// the conditions about these; gives up past some ten thousands of values tried.
[[nodiscard]] bool exhausts(std::span<const Condition> conditions,
                            const std::map<std::string, Domain>& domains);

}  // namespace heddle::expr
