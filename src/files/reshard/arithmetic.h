#pragma once

// How partial values are reduced.

#include <cstdint>
#include <string_view>

#include "heddle/core/result.h"
#include "heddle/distribute/run.h"

namespace heddle::files {

/// Sums, products, least and greatest values of elements of this type of safetensors, each rounded
/// to the type; `avg` of floats; `band`, `bor` and `bxor` of integers. Refuses
/// `reshard.arithmetic`.
[[nodiscard]] Result<distribute::Arithmetic> arithmetic_of(std::string_view safetensors_type,
                                                           std::string_view reduce_op);

}  // namespace heddle::files
