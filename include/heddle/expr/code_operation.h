#pragma once

// The operations of a machine on integers: those of expressions (expr/code_expression.h), which
// symbolic integers also keep where they do not simplify.

#include <cstdint>

#pragma GCC visibility push(default)
namespace heddle {

/// An operation of an expression on its operands. Quotients and remainders are Euclidean; shifts to
/// the right keep the sign; bits are those of two's complement with infinite sign extension.
enum class CodeOperation : std::uint8_t {
  kConstant,
  kVariable,
  kDefinition,  // an earlier definition of the kernel, by its name
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kQuotient,
  kRemainder,
  kMinimum,
  kMaximum,
  kGcd,
  kSquareRoot,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  // Truth values: these compare two integers.
  kEqual,
  kNotEqual,
  kLess,
  kAtMost,
  kDivides,
  kSelect,  // takes a truth value and two integers; only the branch taken is computed
};

[[nodiscard]] constexpr bool is_condition(CodeOperation operation) {
  return CodeOperation::kEqual <= operation && operation <= CodeOperation::kDivides;
}

}  // namespace heddle
#pragma GCC visibility pop
