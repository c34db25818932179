#pragma once

// The operands of Intel's DPAS, D = A * B + C, in the registers of a subgroup: for the listings of
// instructions and for Triton's encoding (linear/encoding_intel.cc).

#include <optional>

#include "heddle/form/fragment.h"

namespace heddle::form {

/// The sizes of one instruction: M is the repeat count, N the execution size, K the systolic depth
/// times the operations of a channel.
struct DpasSizes {
  std::int64_t repeat_count = 8;
  std::int64_t systolic_depth = 8;
  std::int64_t execution_size = 16;
  /// Elements of A and B in 32 bits.
  std::int64_t ops_per_channel = 2;
  /// Lanes of the subgroup.
  std::int64_t lanes = 16;
};

/// The operand 'A', 'B' or 'C'. None if the lanes do not hold whole rows: the subgroup is larger
/// than the matrix, or narrower than a row of it.
[[nodiscard]] std::optional<Fragment> dpas_fragment(char operand, const DpasSizes& sizes);

}  // namespace heddle::form
