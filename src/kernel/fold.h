#pragma once

// What reductions and scans combine values by, and what they begin with.
//
//   first_of(Fold::kMaximum, DType::kI32, DType::kI8)     -128
//   first_of(Fold::kMaximum, DType::kF32, DType::kI8)     -inf
//   first_of(Fold::kProduct, DType::kI32, DType::kI32)    1

#include <cstdint>
#include <string_view>

#include "heddle/kernel/dtype.h"

namespace heddle::kernel {

enum class Fold : std::uint8_t { kSum, kProduct, kMaximum, kMinimum, kAny, kAll };

/// The one of an operator's option: "sum", "max", "argmax", ….
[[nodiscard]] Fold fold_named(std::string_view name);

/// What folding begins with, as a value of type `computed` that an element of `destination` holds:
/// of a maximum the least number that both types have. It changes no such element.
[[nodiscard]] Number first_of(Fold fold, DType computed, DType destination);

/// The least number of a type or the greatest, as a value of its computed type; the infinities of
/// all floats.
[[nodiscard]] Number end_of(DType type, bool is_least);

}  // namespace heddle::kernel
