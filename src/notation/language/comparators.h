#pragma once

// Conditions from comparisons.

#include "heddle/expr/condition.h"
#include "heddle/notation/lexer.h"

namespace heddle::notation {

/// `left < right`, `left == right`, … for a comparator.
[[nodiscard]] Condition condition_of(TokenKind comparator, const Int& left, const Int& right);

}  // namespace heddle::notation
