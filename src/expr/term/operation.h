#pragma once

// Properties of operations: their kinds, and their results on numbers.

#include <cstdint>

#include "heddle/core/exact.h"
#include "heddle/expr/code_operation.h"
#include "heddle/expr/condition.h"

namespace heddle::expr {

enum class OperationKind : std::uint8_t {
  kLeaf,
  kSum,
  kProduct,
  kDivision,
  kMinMax,
  kRare,  // a greatest common divisor, a square root
  kBits,
  kCondition,
  kSelect,
};

/// The kind follows from the order in which CodeOperation lists them.
[[nodiscard]] constexpr OperationKind kind_of(CodeOperation operation) {
  if (operation <= CodeOperation::kDefinition) return OperationKind::kLeaf;
  if (operation <= CodeOperation::kSubtract) return OperationKind::kSum;
  if (operation == CodeOperation::kMultiply) return OperationKind::kProduct;
  if (operation <= CodeOperation::kRemainder) return OperationKind::kDivision;
  if (operation <= CodeOperation::kMaximum) return OperationKind::kMinMax;
  if (operation <= CodeOperation::kSquareRoot) return OperationKind::kRare;
  if (operation <= CodeOperation::kShiftRight) return OperationKind::kBits;
  return is_condition(operation) ? OperationKind::kCondition : OperationKind::kSelect;
}

/// The operation that tests the predicate; CodeOperation lists them in the same order.
[[nodiscard]] constexpr CodeOperation operation_of(Predicate predicate) {
  return static_cast<CodeOperation>(static_cast<int>(CodeOperation::kEqual) +
                                    static_cast<int>(predicate));
}

/// The result of an operation on two numbers, in plain 64-bit arithmetic and without the rules of
/// Int: 1 or 0 for a truth value, nullopt if it is undefined. An operation with a single operand
/// takes the first number.
[[nodiscard]] exact::Value computed(CodeOperation operation, std::int64_t a, std::int64_t b);

}  // namespace heddle::expr
