#include "notation/language/comparators.h"

namespace heddle::notation {

Condition condition_of(TokenKind comparator, const Int& left, const Int& right) {
  switch (comparator) {
    case TokenKind::kEqual:
      return {left, Predicate::kEqual, right};
    case TokenKind::kNotEqual:
      return {left, Predicate::kNotEqual, right};
    case TokenKind::kLess:
      return {left, Predicate::kLess, right};
    case TokenKind::kLessEqual:
      return {left, Predicate::kAtMost, right};
    case TokenKind::kGreater:
      return {right, Predicate::kLess, left};
    case TokenKind::kDivides:
      return {left, Predicate::kDivides, right};
    default:
      return {right, Predicate::kAtMost, left};
  }
}

}  // namespace heddle::notation
