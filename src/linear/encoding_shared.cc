// Encodings of shared memory: swizzled_shared, nvmma_shared, shared_linear, padded_shared.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "core/text.h"
#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kSwizzled = "swizzled_shared";
constexpr std::string_view kPadded = "padded_shared";

constexpr std::string_view kRotating = "amd_rotating_shared";

Result<SwizzlePhases> swizzle_of(std::string_view kind, const SwizzledSharedEncoding& encoding) {
  HEDDLE_TRY(const int vec, log2_of(kind, "vec", encoding.vec));
  HEDDLE_TRY(const int per_phase, log2_of(kind, "perPhase", encoding.per_phase));
  HEDDLE_TRY(const int max_phase, log2_of(kind, "maxPhase", encoding.max_phase));
  return SwizzlePhases{vec, per_phase, max_phase, encoding.rotating};
}

/// Places the rows one after another, each swizzled by its number. Bits that a narrow row does not
/// have are not flipped.
void deal_rows(Tile& tile, const SwizzlePhases& swizzle, const Order& order) {
  const auto col = static_cast<std::size_t>(order[0]);
  const auto row = static_cast<std::size_t>(order[1]);
  const Frame& frame = tile.frame();
  tile.along(kOffset, col, frame.cta_bits[col]);
  for (int bit = 0; bit < frame.cta_bits[row]; ++bit) {
    const auto flipped = swizzle.column(bit);
    tile.push(kOffset, frame.step(row, bit) ^ (flipped ? frame.step(col, *flipped) : 0));
  }
  tile.reach(row, frame.cta_bits[row]);
}

/// Triton derives a rotating swizzle from the whole tensor and then cuts it to the part of a CTA,
/// which leaves offsets without an element.
Result<void> check_undivided_rows(const Frame& frame, const Order& order) {
  for (std::size_t i = 0; i < 2; ++i) {
    const auto dim = static_cast<std::size_t>(order[i]);
    if (frame.bits[dim] == frame.cta_bits[dim]) continue;
    return refuse(
        "encoding.unsupported",
        "amd_rotating_shared: CTAs divide dim{}; no layout is defined for rows or columns "
        "that are divided",
        dim);
  }
  return {};
}

/// Padding moves whole runs of elements: a bit of the offset must be one step along one dimension,
/// and no two offsets of a CTA may hold the same element.
Result<void> check_unswizzled(const LinearLayout& layout) {
  const auto columns = layout.matrix().columns();
  std::uint64_t seen = 0;
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    const bool is_offset = bit < static_cast<std::size_t>(layout.in_dims()[kOffset].bits);
    const bool repeats = is_offset && (columns[bit] == 0 || (seen & columns[bit]) != 0);
    if (is_offset) seen |= columns[bit];
    if (std::popcount(columns[bit]) <= 1 && !repeats) continue;
    return refuse(
        "encoding.linear", "padded_shared: {} {}", image_text(layout, bit),
        repeats ? "repeats what other offsets hold" : "is more than one step along one dimension");
  }
  return {};
}

// ---- nvmma_shared: core matrices of 8 swizzled rows, which fill boxes as TMA writes them, which
// fill the tensor ----

constexpr std::string_view kNvmmaShared = "nvmma_shared";
/// A TMA box has at most 256 elements along a dimension.
constexpr int kBoxBits = 8;
/// Rows are swizzled in units of 16 bytes.
constexpr int kUnitBits = 7;

Result<void> check_matrices(const NvmmaSharedEncoding& encoding) {
  constexpr std::array<std::int64_t, 4> kWidths{0, 32, 64, 128};
  if (std::ranges::find(kWidths, encoding.swizzling_byte_width) == kWidths.end()) {
    return refuse("encoding.parameter",
                  "nvmma_shared: swizzlingByteWidth = {}; it is 0, 32, 64 or 128",
                  encoding.swizzling_byte_width);
  }
  HEDDLE_CHECK(log2_of(kNvmmaShared, "elementBitWidth", encoding.element_bit_width));
  if (encoding.element_bit_width > 128) {
    return refuse("encoding.parameter", "nvmma_shared: elementBitWidth = {}, at most 128",
                  encoding.element_bit_width);
  }
  if (encoding.fp4_padded && encoding.element_bit_width != 8) {
    return refuse("encoding.parameter",
                  "nvmma_shared: fp4Padded with elementBitWidth = {}; pairs of 4-bit elements are "
                  "stored as elements of 8 bits",
                  encoding.element_bit_width);
  }
  return {};
}

/// 16 places hold 8 packed elements and 8 that are padding: bit 3 of the column has the image 0.
std::uint64_t packed(std::uint64_t column) { return (column >> 4U << 3U) | (column & 7U); }

std::size_t contiguous_dim(const NvmmaSharedEncoding& encoding, std::size_t rank) {
  return encoding.transposed ? 0 : rank - 1;
}

/// Log2 of the box that one TMA message writes.
Result<std::vector<int>> box_bits(const NvmmaSharedEncoding& encoding, const Frame& frame) {
  const std::size_t contiguous = contiguous_dim(encoding, frame.rank());
  const int padding = encoding.fp4_padded ? 1 : 0;
  std::vector<int> bits;
  for (std::size_t dim = 0; dim < frame.rank(); ++dim) {
    bits.push_back(std::min(frame.cta_bits[dim] + (dim == contiguous ? padding : 0), kBoxBits));
  }
  if (encoding.swizzling_byte_width != 0) {
    const int wanted =
        log2_exact(8 * encoding.swizzling_byte_width) - log2_exact(encoding.element_bit_width);
    if (bits[contiguous] < wanted) {
      return refuse("encoding.shape",
                    "nvmma_shared: a CTA has {} along dim{}; a row of {} bytes has {}",
                    counted(std::int64_t{1} << frame.cta_bits[contiguous], "element"), contiguous,
                    encoding.swizzling_byte_width, std::int64_t{1} << (wanted - padding));
    }
    bits[contiguous] = wanted;
  }
  bits[contiguous] -= padding;
  return bits;
}

/// The dimensions of a box from its fastest to its slowest. In a transposed one the first dimension
/// is moved to the end.
Order box_order(const NvmmaSharedEncoding& encoding, std::size_t rank) {
  Order order = row_major(rank);
  if (encoding.transposed) std::rotate(order.begin(), order.end() - 1, order.end());
  return order;
}

Result<void> deal_flat(Tile& tile, const NvmmaSharedEncoding& encoding, std::span<const int> box) {
  const std::size_t rank = box.size();
  if (encoding.transposed && rank > 2) {
    return refuse("encoding.unsupported",
                  "nvmma_shared: transposed without a swizzle, in {}: no order of the "
                  "dimensions is defined",
                  counted(rank, "dimension"));
  }
  tile.box(kOffset, box, box_order(encoding, rank));
  tile.fill(kOffset, row_major(rank));
  return {};
}

/// Bit i of the position in a box, counted along its rows, as a step in the tensor.
std::vector<std::uint64_t> steps_of_box(const Frame& frame, std::span<const int> box,
                                        const Order& order) {
  std::vector<std::uint64_t> steps;
  for (const int entry : order) {
    const auto dim = static_cast<std::size_t>(entry);
    for (int bit = 0; bit < box[dim]; ++bit) steps.push_back(frame.step(dim, bit));
  }
  return steps;
}

std::uint64_t image_of(std::uint64_t bits, std::span<const std::uint64_t> steps) {
  std::uint64_t image = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) image ^= (bits >> i & 1U) != 0 ? steps[i] : 0;
  return image;
}

/// Places core matrices first down, then across the box, which is taken as a matrix: its rows are
/// all dimensions but the last (transposed: the last one).
Result<void> deal_swizzled(Tile& tile, const NvmmaSharedEncoding& encoding,
                           std::span<const int> box) {
  HEDDLE_TRY(const CoreMatrix core, core_matrix(encoding));
  const int total = std::accumulate(box.begin(), box.end(), 0);
  const int column_bits = encoding.transposed ? total - box.back() : box.back();
  const int row_bits = total - column_bits;
  if (row_bits < CoreMatrix::kRowBits) {
    return refuse("encoding.shape",
                  "nvmma_shared: a box of the tensor has {}; a swizzled one needs 8",
                  counted(std::int64_t{1} << row_bits, "row"));
  }
  const auto steps = steps_of_box(tile.frame(), box, box_order(encoding, box.size()));
  const auto push = [&](std::uint64_t row, std::uint64_t column) {
    tile.push(kOffset, image_of(row << column_bits | column, steps));
  };
  for (const auto& [row, column] : core.images) push(row, column);
  for (int bit = CoreMatrix::kRowBits; bit < row_bits; ++bit) push(std::uint64_t{1} << bit, 0);
  for (int bit = core.column_bits; bit < column_bits; ++bit) push(0, std::uint64_t{1} << bit);
  Order dims = row_major(box.size());
  std::ranges::reverse(dims);
  for (std::size_t dim = 0; dim < box.size(); ++dim) tile.reach(dim, box[dim]);
  tile.fill(kOffset, dims);
  return {};
}

}  // namespace

Result<LinearLayout> layout_of(const SwizzledSharedEncoding& encoding, Shape shape) {
  const std::string_view kind = encoding.rotating ? kRotating : kSwizzled;
  const std::size_t rank = encoding.order.size();
  HEDDLE_CHECK(check_order(kind, "order", encoding.order, rank));
  HEDDLE_TRY(const SwizzlePhases swizzle, swizzle_of(kind, encoding));
  HEDDLE_TRY(Frame frame, frame_of(kind, shape, rank, encoding.ctas));
  if (encoding.rotating && rank >= 2) HEDDLE_CHECK(check_undivided_rows(frame, encoding.order));
  Tile tile = shared_tile(std::move(frame));
  if (rank >= 2) deal_rows(tile, swizzle, encoding.order);
  tile.fill(kOffset, encoding.order);
  return tile.layout();
}

Result<LinearLayout> layout_of(const SharedLinearEncoding& encoding, Shape shape) {
  constexpr std::string_view kKind = "shared_linear";
  HEDDLE_CHECK(log2_of(kKind, "alignment", encoding.alignment));
  HEDDLE_CHECK(check_shared_layout(kKind, encoding.layout, shape));
  HEDDLE_CHECK(check_bijective(kKind, encoding.layout));
  return encoding.layout;
}

Result<LinearLayout> layout_of(const PaddedSharedEncoding& encoding, Shape shape) {
  HEDDLE_CHECK(check_paddings(encoding));
  HEDDLE_CHECK(check_shared_layout(kPadded, encoding.layout, shape));
  HEDDLE_CHECK(check_unswizzled(encoding.layout));
  return encoding.layout;
}

Result<PaddedSharedEncoding> PaddedSharedEncoding::make(std::vector<Padding> paddings,
                                                        const Order& order, const Sizes& shape,
                                                        const CtaLayout& ctas) {
  HEDDLE_CHECK(check_order(kPadded, "order", order, order.size()));
  HEDDLE_TRY(Frame frame, frame_of(kPadded, shape, order.size(), ctas));
  Tile tile = shared_tile(std::move(frame));
  tile.fill(kOffset, order);
  HEDDLE_TRY(LinearLayout layout, tile.layout());
  PaddedSharedEncoding encoding{std::move(paddings), std::move(layout)};
  HEDDLE_CHECK(check_paddings(encoding));
  return encoding;
}

Result<CoreMatrix> core_matrix(const NvmmaSharedEncoding& encoding) {
  HEDDLE_CHECK(check_matrices(encoding));
  const int width = log2_exact(8 * std::max<std::int64_t>(encoding.swizzling_byte_width, 16));
  const int element = log2_exact(encoding.element_bit_width);
  // A phase is 8 units of 16 bytes, and there are as many phases as a row has units.
  SwizzlePhases swizzle{.vec = kUnitBits - element};
  if (encoding.swizzling_byte_width != 0) {
    swizzle.per_phase = kUnitBits - (width - 3);
    swizzle.max_phase = width - kUnitBits;
  }
  const auto column_of = [&](std::uint64_t column) {
    return encoding.fp4_padded ? packed(column) : column;
  };
  CoreMatrix core;
  core.column_bits = width - element - (encoding.fp4_padded ? 1 : 0);
  for (int bit = 0; bit < width - element; ++bit) {
    core.images.push_back({0, column_of(std::uint64_t{1} << bit)});
  }
  for (int bit = 0; bit < CoreMatrix::kRowBits; ++bit) {
    const auto flipped = swizzle.column(bit);
    core.images.push_back(
        {std::uint64_t{1} << bit, flipped ? column_of(std::uint64_t{1} << *flipped) : 0});
  }
  return core;
}

Result<LinearLayout> layout_of(const NvmmaSharedEncoding& encoding, Shape shape) {
  HEDDLE_CHECK(check_matrices(encoding));
  const bool is_swizzled = encoding.swizzling_byte_width != 0;
  if (encoding.rank < (is_swizzled ? 2 : 1)) {
    return refuse("encoding.rank", "nvmma_shared: rank = {}; {} needs {} or more", encoding.rank,
                  is_swizzled ? "a swizzle" : "a tensor", is_swizzled ? 2 : 1);
  }
  HEDDLE_TRY(Frame frame,
             frame_of(kNvmmaShared, shape, static_cast<std::size_t>(encoding.rank), encoding.ctas));
  HEDDLE_TRY(const std::vector<int> box, box_bits(encoding, frame));
  Tile tile = shared_tile(std::move(frame));
  HEDDLE_CHECK(is_swizzled ? deal_swizzled(tile, encoding, box) : deal_flat(tile, encoding, box));
  return tile.layout();
}

}  // namespace heddle::linear
