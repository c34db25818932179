#pragma once

// The types of elementwise expressions: in which type a function's operands are combined, and what
// comes out. check(), the meaning and every back end follow these.
//
//   x: f16, n: i8      x + 0.5   in f32: a number takes the type of what it meets
//                      n + 1     in i32
//                      n < 3     in i32, a truth value
//                      x * n     in f32

#include <span>

#include "heddle/kernel/dtype.h"
#include "heddle/kernel/program.h"

namespace heddle::kernel {

/// The type of a value as it is written, and whether it is a number that takes the type of what it
/// meets.
struct ValueType {
  DType type = DType::kF32;
  bool is_literal = false;
};

[[nodiscard]] constexpr bool is_comparison(Function function) {
  return Function::kEqual <= function && function <= Function::kAtMost;
}
/// Whether its operands are truth values, and so is its result.
[[nodiscard]] constexpr bool is_logical(Function function) {
  return Function::kAnd <= function && function <= Function::kNot;
}
[[nodiscard]] constexpr bool takes_floats_only(Function function) {
  return function == Function::kDivide || function == Function::kFloor ||
         (Function::kExp <= function && function <= Function::kErf);
}
/// The first operand that is combined with the others: a select has its condition in front.
[[nodiscard]] constexpr std::size_t first_combined(Function function) {
  return function == Function::kSelect ? 1 : 0;
}

/// Whether the value is computed from numbers alone, so that it takes the type of what it meets.
[[nodiscard]] bool is_number(const Elementwise& value);

/// The computed type to which the operands are converted; kBool for truth values.
[[nodiscard]] DType combined_in(Function function, std::span<const ValueType> operands);
/// The type of the result.
[[nodiscard]] ValueType result_of(Function function, std::span<const ValueType> operands);

}  // namespace heddle::kernel
