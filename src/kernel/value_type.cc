#include "kernel/value_type.h"

#include <algorithm>

namespace heddle::kernel {

namespace {

/// Whether the number takes the other's type: a float does not become an integer.
bool gives_way(const ValueType& number, const ValueType& other) {
  return number.is_literal && !other.is_literal && (!is_float(number.type) || is_float(other.type));
}

/// The type that two values are converted to. A truth value takes the type of what it meets.
DType met_type(const ValueType& a, const ValueType& b) {
  if (gives_way(a, b) || a.type == DType::kBool) return computed_in(b.type);
  if (gives_way(b, a) || b.type == DType::kBool) return computed_in(a.type);
  return common_type(computed_in(a.type), computed_in(b.type));
}

}  // namespace

bool is_number(const Elementwise& value) {
  const auto* apply = std::get_if<Elementwise::Apply>(&value.node);
  if (apply == nullptr) return std::holds_alternative<Elementwise::Literal>(value.node);
  if (is_comparison(apply->function) || is_logical(apply->function)) return false;
  const auto combined = std::span(value.operands).subspan(first_combined(apply->function));
  return std::ranges::all_of(combined, is_number);
}

DType combined_in(Function function, std::span<const ValueType> operands) {
  if (is_logical(function)) return DType::kBool;
  const auto combined = operands.subspan(first_combined(function));
  const auto is_truth = [](const ValueType& each) { return each.type == DType::kBool; };
  if (function == Function::kSelect && std::ranges::all_of(combined, is_truth)) return DType::kBool;
  ValueType met = combined.front();
  for (const ValueType& operand : combined.subspan(1)) {
    met = {met_type(met, operand), met.is_literal && operand.is_literal};
  }
  const DType type = computed_in(met.type);
  return takes_floats_only(function) && !is_float(type) ? DType::kF32 : type;
}

ValueType result_of(Function function, std::span<const ValueType> operands) {
  if (is_comparison(function) || is_logical(function)) return {DType::kBool, false};
  const auto combined = operands.subspan(first_combined(function));
  return {combined_in(function, operands), std::ranges::all_of(combined, &ValueType::is_literal)};
}

}  // namespace heddle::kernel
