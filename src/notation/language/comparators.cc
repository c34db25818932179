#include "notation/comparison.h"

namespace heddle::notation {

Condition condition_of(TokenKind comparator, const Int& left, const Int& right) {
  switch (comparator) {
    case TokenKind::kEqual:
      return {left, Relation::kEqual, right};
    case TokenKind::kNotEqual:
      return {left, Relation::kNotEqual, right};
    case TokenKind::kLess:
      return {left, Relation::kLess, right};
    case TokenKind::kLessEqual:
      return {left, Relation::kAtMost, right};
    case TokenKind::kGreater:
      return {right, Relation::kLess, left};
    default:
      return {right, Relation::kAtMost, left};
  }
}

}  // namespace heddle::notation
