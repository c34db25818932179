#include "expr/term/operation.h"

#include <algorithm>
#include <numeric>

namespace heddle::expr {
namespace {

exact::Value power_of_two_times(std::int64_t a, std::int64_t places) {
  if (places < 0 || places > 62) return std::nullopt;
  return exact::multiply(a, std::int64_t{1} << places);
}

exact::Value gcd_of(std::int64_t a, std::int64_t b) {
  if (!exact::absolute(a) || !exact::absolute(b)) return std::nullopt;
  return std::gcd(a, b);
}

bool divides(std::int64_t divisor, std::int64_t number) {
  return divisor == 0 ? number == 0 : exact::floor_modulo(number, divisor) == 0;
}

}  // namespace

exact::Value computed(CodeOperation operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case CodeOperation::kNegate:
      return exact::subtract(0, a);
    case CodeOperation::kAdd:
      return exact::add(a, b);
    case CodeOperation::kSubtract:
      return exact::subtract(a, b);
    case CodeOperation::kMultiply:
      return exact::multiply(a, b);
    case CodeOperation::kQuotient:
      return exact::floor_divide(a, b);
    case CodeOperation::kRemainder:
      return exact::floor_modulo(a, b);
    case CodeOperation::kMinimum:
      return std::min(a, b);
    case CodeOperation::kMaximum:
      return std::max(a, b);
    case CodeOperation::kGcd:
      return gcd_of(a, b);
    case CodeOperation::kSquareRoot:
      return exact::square_root(a);
    case CodeOperation::kAnd:
      return a & b;
    case CodeOperation::kOr:
      return a | b;
    case CodeOperation::kXor:
      return a ^ b;
    case CodeOperation::kShiftLeft:
      return power_of_two_times(a, b);
    case CodeOperation::kShiftRight:
      return b < 0 ? exact::Value() : a >> std::min<std::int64_t>(b, 63);
    case CodeOperation::kEqual:
      return a == b;
    case CodeOperation::kNotEqual:
      return a != b;
    case CodeOperation::kLess:
      return a < b;
    case CodeOperation::kAtMost:
      return a <= b;
    case CodeOperation::kDivides:
      return divides(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::expr
