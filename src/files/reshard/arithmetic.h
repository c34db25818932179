#pragma once

// How partial values are reduced, and what elements are as texts.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "heddle/core/result.h"
#include "heddle/distribute/run.h"

namespace heddle::files {

/// Sums, products, least and greatest values of elements of this type of safetensors, each rounded
/// to the type; `avg` of floats; `band`, `bor` and `bxor` of integers. The greater and the lesser
/// of a number and NaN is the number. Refuses `reshard.arithmetic`.
[[nodiscard]] Result<distribute::Arithmetic> arithmetic_of(std::string_view safetensors_type,
                                                           std::string_view reduce_op);

/// Two elements that differ, given by their bits, as texts that differ: numbers, or else the bits.
[[nodiscard]] std::pair<std::string, std::string> element_texts(std::string_view safetensors_type,
                                                                std::uint64_t first,
                                                                std::uint64_t second);

}  // namespace heddle::files
