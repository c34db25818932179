// Encodings of tensor memory: 128 rows (32 for each warp of four), columns of 32 bits.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kTensorMemoryKind = "tensor_memory_encoding";
constexpr std::string_view kScales = "tensor_memory_scales_encoding";
constexpr std::size_t kM = 0;
constexpr std::size_t kN = 1;

Result<void> check_parameters(const TensorMemoryEncoding& encoding) {
  if (encoding.block_m != 64 && encoding.block_m != 128) {
    return refuse("encoding.parameter", "{}: blockM = {}; it is 64 or 128", kTensorMemoryKind,
                  encoding.block_m);
  }
  HEDDLE_CHECK(log2_of(kTensorMemoryKind, "blockN", encoding.block_n));
  if (encoding.block_n > 512) {
    return refuse("encoding.parameter", "{}: blockN = {}; tensor memory has 512 columns",
                  kTensorMemoryKind, encoding.block_n);
  }
  if (encoding.col_stride != 1 && encoding.col_stride != 2 && encoding.col_stride != 4) {
    return refuse("encoding.parameter", "{}: colStride = {}; it is 1, 2 or 4", kTensorMemoryKind,
                  encoding.col_stride);
  }
  return {};
}

/// Each CTA of a pair has 64 rows; as the accumulator its elements fill the columns.
Result<void> check_cta_mode(const TensorMemoryEncoding& encoding) {
  if (encoding.cta_mode == TensorMemoryCtaMode::kDefault) return {};
  if (encoding.block_m != 64) {
    return refuse("encoding.parameter", "{}: ctaMode with blockM = {}; the mode is for 64 rows",
                  kTensorMemoryKind, encoding.block_m);
  }
  if (encoding.cta_mode == TensorMemoryCtaMode::kAccumulator && encoding.col_stride != 1) {
    return refuse("encoding.parameter",
                  "{}: ctaMode = twocta_rhs with colStride = {}; an accumulator has 1",
                  kTensorMemoryKind, encoding.col_stride);
  }
  return {};
}

/// cta_group::2: each CTA of a pair has half of the rows.
Result<void> check_two_ctas(const TensorMemoryEncoding& encoding) {
  const std::vector<std::int64_t> wanted{1, 0};
  const auto& bases = encoding.ctas.block_bases;
  if (!encoding.two_ctas || bases.empty() || bases[0] == wanted) return {};
  return refuse("encoding.cta_layout",
                "{}: twoCTAs needs CGALayout = [[1, 0], …]; it begins with {}", kTensorMemoryKind,
                list_text(bases[0]));
}

/// Refuses a tensor with fewer elements along a dimension than CTAs divide it into.
Result<void> check_split(std::string_view kind, const CtaLayout& ctas, const Frame& frame) {
  HEDDLE_TRY(const CtaSplit split, cta_split(ctas, frame.rank()));
  for (std::size_t dim = 0; dim < frame.rank(); ++dim) {
    const std::int64_t size = std::int64_t{1} << frame.bits[dim];
    if (split.split_num[dim] <= size) continue;
    return refuse("encoding.shape", "{}: {} CTAs divide the {} elements along dim{}", kind,
                  split.split_num[dim], size, dim);
  }
  return {};
}

void deal_columns(Tile& tile, const TensorMemoryEncoding& encoding, int block_n) {
  tile.nowhere(kCol, log2_exact(encoding.col_stride));
  if (encoding.fp4_padded) tile.nowhere(kCol, 1);
  tile.along(kCol, kN, block_n);
}

/// A block of 64 rows leaves every second group of 16 rows free. The block below it takes them,
/// else the block beside it, else they stay empty.
void deal_half_rows(Tile& tile) {
  const Frame& frame = tile.frame();
  const bool has_block_below = frame.cta_bits[kM] > 6;
  const bool has_block_beside = frame.cta_bits[kN] > tile.reached(kN);
  tile.along(kRow, kM, 4);
  if (has_block_below) {
    tile.push(kRow, frame.step(kM, 6));
  } else if (has_block_beside) {
    tile.along(kRow, kN, 1);
  } else {
    tile.nowhere(kRow, 1);
  }
  tile.along(kRow, kM, 2);
  if (has_block_below) tile.reach(kM, 7);
}

/// The 64 rows of each CTA of a pair are followed by the second half of their columns.
void deal_pair(Tile& tile, const TensorMemoryEncoding& encoding, int block_n) {
  deal_columns(tile, encoding, block_n - 1);
  tile.along(kRow, kM, 6);
  tile.along(kRow, kN, 1);
}

/// A pair's left operand: the upper 64 rows repeat the lower ones.
void deal_repeated_rows(Tile& tile, const TensorMemoryEncoding& encoding, int block_n) {
  deal_columns(tile, encoding, block_n);
  tile.along(kRow, kM, 6);
  tile.nowhere(kRow, 1);
}

/// Whether half of the columns are in the upper 64 rows.
bool is_pair(const TensorMemoryEncoding& encoding) {
  using enum TensorMemoryCtaMode;
  if (encoding.cta_mode != kDefault) return encoding.cta_mode == kAccumulator;
  return encoding.block_m == 64 && encoding.two_ctas;
}

/// One block, of 2^block_m rows.
void deal_block(Tile& tile, const TensorMemoryEncoding& encoding, int block_m, int block_n) {
  if (is_pair(encoding)) return deal_pair(tile, encoding, block_n);
  if (encoding.cta_mode == TensorMemoryCtaMode::kLeftOperand) {
    return deal_repeated_rows(tile, encoding, block_n);
  }
  deal_columns(tile, encoding, block_n);
  if (encoding.block_m == 64) return deal_half_rows(tile);
  tile.along(kRow, kM, block_m);
}

}  // namespace

Result<LinearLayout> layout_of(const TensorMemoryEncoding& encoding, Shape shape) {
  HEDDLE_CHECK(check_parameters(encoding));
  HEDDLE_CHECK(check_cta_mode(encoding));
  HEDDLE_CHECK(check_two_ctas(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kTensorMemoryKind, shape, 2, encoding.ctas));
  HEDDLE_CHECK(check_split(kTensorMemoryKind, encoding.ctas, frame));
  HEDDLE_TRY(const int block_m, log2_of(kTensorMemoryKind, "blockM", encoding.block_m));
  HEDDLE_TRY(const int widest, log2_of(kTensorMemoryKind, "blockN", encoding.block_n));
  if (frame.cta_bits[kM] < block_m) {
    return refuse("encoding.shape", "{}: a CTA has {} along dim0, a block {}", kTensorMemoryKind,
                  counted(std::int64_t{1} << frame.cta_bits[kM], "element"), encoding.block_m);
  }
  const int block_n = std::min(widest, frame.cta_bits[kN]);
  if (is_pair(encoding) && block_n == 0) {
    return refuse("encoding.shape",
                  "{}: twoCTAs with blockM = 64 puts half of the columns into rows; a CTA has 1 "
                  "element along dim1",
                  kTensorMemoryKind);
  }
  Tile tile = tensor_memory_tile(std::move(frame));
  deal_block(tile, encoding, block_m, block_n);
  tile.fill(kCol, {0, 1});
  return tile.layout();
}

Result<LinearLayout> layout_of(const TensorMemoryScalesEncoding& encoding, Shape shape) {
  HEDDLE_TRY(Frame frame, frame_of(kScales, shape, 2, encoding.ctas));
  HEDDLE_CHECK(check_split(kScales, encoding.ctas, frame));
  Tile tile = tensor_memory_tile(std::move(frame));
  tile.along(kRow, kM, 5);
  tile.nowhere(kRow, 2);
  tile.along(kCol, kN, 2);
  tile.along(kCol, kM, 1);
  if (encoding.k_then_mn) {
    // The order is that of pieces of 128 rows: two blocks of 64 rows are adjacent before it
    // applies.
    if (tile.frame().cta_bits[kM] > tile.reached(kM)) tile.along(kCol, kM, 1);
    tile.fill(kCol, {1, 0});
  } else {
    tile.fill(kCol, {0, 1});
  }
  return tile.layout();
}

}  // namespace heddle::linear
