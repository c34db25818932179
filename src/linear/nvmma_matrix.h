#pragma once

// The core matrix of nvmma_shared: 8 rows of one swizzle width, over rows and columns.

#include <cstdint>
#include <vector>

#include "heddle/linear/encoding.h"

namespace heddle::linear {

struct CoreMatrix {
  /// Log2, in elements; of packed 4-bit elements that are padded, half of the row.
  int column_bits = 0;
  static constexpr int kRowBits = 3;
  /// The images of the bits of the offset: bit i of `columns` and of `rows` is one of the
  /// coordinate.
  struct Image {
    std::uint64_t row = 0;
    std::uint64_t column = 0;
  };
  std::vector<Image> images;
};

/// Refuses `encoding.sizes`, `encoding.parameter`.
[[nodiscard]] Result<CoreMatrix> core_matrix(const NvmmaSharedEncoding& encoding);

}  // namespace heddle::linear
