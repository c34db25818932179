#pragma once

// How wide CuTe's copy(a, b) moves elements, and why not wider:
//
//   copy_width((4,8):(1,4), (4,8):(1,16), 16)      4 elements of 16 bits, 64 bits at a time
//
//     common     4 elements are contiguous and in the same order in both
//     aligned    a to 512 bits, b to 64 bits
//     not wider  (0,1) is at 4 in a and at 16 in b
//
// Both layouts map one coordinate to a place, as in `copy(a, b)`; the pointers are aligned for
// every instruction. CuTe assumes that only of static layouts; of layouts with sizes that are known
// at run time it assumes nothing, unless copy_aligned or AutoVectorizingCopyWithAssumedAlignment<N>
// is called: give that N as `max_bits`. Source: CuTe's algorithm/copy.hpp.

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/cute/composed_layout.h"

#pragma GCC visibility push(default)
namespace heddle::machine {

/// The widest access of one thread on NVIDIA's machines, in bits.
inline constexpr std::int64_t kMaxCopyBits = 128;

struct CopyWidth {
  /// Elements that are contiguous and in the same order in both.
  std::int64_t common = 1;
  /// Vectors of this many elements all begin at multiples of it, in a and in b.
  std::int64_t alignment_a = 1;
  std::int64_t alignment_b = 1;
  std::int64_t element_bits = 8;
  /// Bits of one access; those of one element where nothing can be combined.
  std::int64_t vector_bits = 8;
  /// What stands in the way of twice that width.
  std::vector<std::string> limits = {};

  [[nodiscard]] std::int64_t elements() const { return vector_bits / element_bits; }

  friend bool operator==(const CopyWidth&, const CopyWidth&) = default;
};

/// The width that CuTe's copy() takes. Refuses `copy.sizes` for layouts of different sizes,
/// `copy.bits` unless `element_bits` is positive and `max_bits` a power of two from 8 on,
/// `copy.symbolic` for symbolic layouts, and what max_common_vector() and max_alignment() refuse.
[[nodiscard]] Result<CopyWidth> copy_width(const cute::AnyLayout& a, const cute::AnyLayout& b,
                                           std::int64_t element_bits,
                                           std::int64_t max_bits = kMaxCopyBits);

/// `4 elements of 16 bits, 64 bits at a time`, and the lines above.
[[nodiscard]] std::string to_string(const CopyWidth& width);

}  // namespace heddle::machine
#pragma GCC visibility pop
