#pragma once

// Which tensors are so large that the offsets of their elements need 64 bits. All other integers of
// kernels have 32, which GPUs compute several times as fast.
//
//   Pool: f16[P,16,128] with assume P <= 4000000      8192000000 elements: 64 bits
//   Pool: f16[P,16,128]                               32 bits; a launch refuses larger ones

#include <cstdint>
#include <limits>
#include <string>

#include "heddle/kernel/program.h"

namespace heddle::kernel {

/// What integers of a kernel go up to, and thus the number of elements of a tensor without wide
/// offsets.
inline constexpr std::int64_t kGreatestInt = std::numeric_limits<std::int32_t>::max();
/// The greatest size of a kernel: places of tiles that reach past it have 32 bits, too.
inline constexpr std::int64_t kGreatestSize = kGreatestInt + 1 - (std::int64_t{1} << 20);

/// Whether the shape or the layout of a parameter, with what is assumed of its sizes, has offsets
/// past kGreatestInt. A size without an upper bound does not: launches check such tensors.
[[nodiscard]] bool has_wide_offsets(const Tensor& parameter);

/// What to assume so that offsets are wide in a tensor of this shape: `assume P <= 4194304 before
/// the launch, and offsets in Pool have 64 bits`. Empty if no bound is missing.
[[nodiscard]] std::string bounds_for_wide_offsets(const Tensor& parameter,
                                                  const std::vector<std::int64_t>& shape);

}  // namespace heddle::kernel
