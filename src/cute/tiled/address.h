#pragma once

// Where a printed pointer points, as a number:
//
//   smem_ptr[16b](0x400)      1024
//   subptr[4b](0x400.0)       1024, while 0x400.1 begins within a byte

#include <cstdint>
#include <optional>

#include "heddle/cute/tensor.h"

namespace heddle::cute {

/// The address in bytes; nothing for one that is not set, was shortened, begins within a byte or
/// does not fit into 64 bits.
[[nodiscard]] std::optional<std::uint64_t> address_of(const Pointer& pointer);

}  // namespace heddle::cute
