#pragma once

// to_linear_layout() for each kind of encoding, and the parts that families share.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/linear/encoding.h"
#include "linear/tile.h"

namespace heddle::linear {

using Shape = std::span<const std::int64_t>;

// encoding_distributed.cc
[[nodiscard]] Result<LinearLayout> layout_of(const BlockedEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const SliceEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const LinearEncoding& encoding, Shape shape);
// encoding_mma.cc
[[nodiscard]] Result<LinearLayout> layout_of(const NvidiaMmaEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const DotOperandEncoding& encoding, Shape shape);
// encoding_amd.cc
[[nodiscard]] Result<LinearLayout> layout_of(const AmdMfmaEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const AmdWmmaEncoding& encoding, Shape shape);
/// An operand of the instruction, A for opIdx 0 and B for 1.
[[nodiscard]] Result<LinearLayout> operand_layout_of(const AmdMfmaEncoding& encoding,
                                                     const DotOperandEncoding& operand,
                                                     Shape shape);
[[nodiscard]] Result<LinearLayout> operand_layout_of(const AmdWmmaEncoding& encoding,
                                                     const DotOperandEncoding& operand,
                                                     Shape shape);
// encoding_partitioned.cc
[[nodiscard]] Result<LinearLayout> layout_of(const PartitionedSharedEncoding& encoding,
                                             Shape shape);
// encoding_shared.cc
[[nodiscard]] Result<LinearLayout> layout_of(const SwizzledSharedEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const SharedLinearEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const PaddedSharedEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const NvmmaSharedEncoding& encoding, Shape shape);
// encoding_tensor_memory.cc
[[nodiscard]] Result<LinearLayout> layout_of(const TensorMemoryEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const TensorMemoryScalesEncoding& encoding,
                                             Shape shape);

// encoding_intel.cc
[[nodiscard]] Result<LinearLayout> layout_of(const DpasEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const Subgroup2dBlockEncoding& encoding, Shape shape);
[[nodiscard]] Result<LinearLayout> layout_of(const WarpEncoding& encoding, Shape shape);
/// An operand of the instruction, A for opIdx 0 and B for 1. Refuses as layout_of(), and
/// `encoding.parameter` for a kWidth that is not the one of the instruction.
[[nodiscard]] Result<LinearLayout> operand_layout_of(const DpasEncoding& encoding,
                                                     const DotOperandEncoding& operand,
                                                     Shape shape);
// encoding.cc
[[nodiscard]] Result<LinearLayout> layout_of(const PlaceholderEncoding& encoding, Shape shape);

/// The bits of a XOR swizzle: group g of row r is stored at group g xor (r / per_phase) %
/// max_phase; a rotating one XORs the next bits of the row on the same group. With everything a
/// power of two, each bit of the row flips one bit of the group or none. All are log2; vec in
/// elements.
struct SwizzlePhases {
  int vec = 0;
  int per_phase = 0;
  int max_phase = 0;
  bool rotating = false;

  /// The bit of the column that bit `row` of the row flips.
  [[nodiscard]] std::optional<int> column(int row) const {
    const int phase = row - per_phase;
    if (phase < 0 || phase >= (rotating ? 2 * max_phase : max_phase)) return std::nullopt;
    return vec + phase % max_phase;
  }
};

/// The operand's dimension along which the product sums.
[[nodiscard]] inline std::size_t k_dim_of(const DotOperandEncoding& operand, std::size_t rank) {
  return operand.op_idx == 0 ? rank - 1 : rank - 2;
}
/// The frame of an operand: CTAs of the result that differ along k need the same part of it.
[[nodiscard]] Result<Frame> operand_frame(const DotOperandEncoding& operand, const CtaLayout& ctas,
                                          Shape shape, std::size_t rank);
/// log2 of the operand's kWidth. Refuses `encoding.parameter` for none, `encoding.sizes`, and
/// `linear.too_many_bits` above 2^30.
[[nodiscard]] Result<int> k_width_of(const DotOperandEncoding& operand);

/// The core matrix of nvmma_shared: 8 rows of one swizzle width, over rows and columns.
struct CoreMatrix {
  /// Log2, in elements; for packed 4-bit elements that are padded, of half the row.
  int column_bits = 0;
  static constexpr int kRowBits = 3;
  /// The images of the bits of the offset: bit i of `columns` and of `rows` is bit i of the
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
