#pragma once

// Sparse operands: of every few elements along K half are kept, and a code of 4 bits says which.
//
//   A of f16, a group of 4 elements           0 a 0 b
//   kept                                      a b
//   code: the place of a, then that of b      0b1101, the places 1 and 3
//
// Of elements of 32 bits one of 2 is kept (0b0100 or 0b1110), of 16 and 8 bits two of 4, of 4 bits
// two pairs of four pairs. Places ascend: there are six codes of two. (PTX ISA 9.0, "Sparse matrix
// storage".)

#include <cstdint>
#include <span>

#include "heddle/kernel/dtype.h"

namespace heddle::kernel {

struct SparseGroup {
  /// Elements along K that share a code, half of which are kept.
  std::int64_t elements = 4;
  /// Those that are kept or not together.
  std::int64_t together = 1;
  std::span<const std::int64_t> codes;

  /// Where in the group the kept element is that is stored as the nth of the group.
  [[nodiscard]] std::int64_t place(std::int64_t code, std::int64_t nth) const;
};
/// For elements of up to 32 bits.
[[nodiscard]] SparseGroup sparse_group(DType type);

}  // namespace heddle::kernel
