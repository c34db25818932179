#include "heddle/linear/encoding_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kBlocked = "blocked";
/// The width of all banks of shared memory: 32 of 32 bits.
constexpr std::int64_t kBitsOfBanks = 1024;
constexpr std::int64_t kWidestAccess = 128;

/// Threads, with log2 of each number.
struct ThreadBits {
  int warps = 0;
  int lanes = 0;
  int ctas = 0;
};

Result<ThreadBits> bits_of(const Threads& threads) {
  HEDDLE_TRY(const int warps, log2_of(kBlocked, "warps", threads.warps));
  HEDDLE_TRY(const int lanes, log2_of(kBlocked, "threadsPerWarp", threads.threads_per_warp));
  HEDDLE_TRY(const int ctas, log2_of(kBlocked, "CTAs", threads.ctas));
  return ThreadBits{warps, lanes, ctas};
}

/// The number of steps that a dimension of 2^size has beyond boxes of 2^box.
int free_steps(int size, int box) { return std::max(size - box, 0); }

/// CTAs go to the most strided dimensions; those left over, which have no part of their own, count
/// along the last dimension.
CtaLayout ctas_for(std::span<const int> sizes, std::span<const int> boxes, const Order& order,
                   int ctas) {
  std::vector<int> split(sizes.size());
  for (auto entry = order.rbegin(); entry != order.rend(); ++entry) {
    const auto dim = static_cast<std::size_t>(*entry);
    split[dim] = std::min(ctas, free_steps(sizes[dim], boxes[dim]));
    ctas -= split[dim];
  }
  std::vector<int> all = split;
  if (!all.empty()) all.back() += ctas;
  return dealt_ctas(order, split, all);
}

Sizes powers_of_two(std::span<const int> bits) {
  Sizes sizes;
  for (const int bit : bits) sizes.push_back(std::int64_t{1} << bit);
  return sizes;
}

/// The part of a tensor that one CTA has, which wgmma and ldmatrix read; log2.
Result<std::vector<int>> cta_bits(std::string_view kind, std::span<const std::int64_t> shape,
                                  const Order& order, const CtaLayout& ctas) {
  HEDDLE_CHECK(check_order(kind, "order", order, order.size()));
  HEDDLE_TRY(Frame frame, frame_of(kind, shape, order.size(), ctas));
  return std::move(frame.cta_bits);
}

/// One core matrix placed on the bits of a layout: the images of the first bits of the offset, and
/// all bits that they fill.
struct PlacedMatrix {
  std::vector<std::uint64_t> images;
  std::uint64_t filled = 0;
};

/// The core matrix with its rows along the dimension `row` of these outputs; pairs of 4-bit
/// elements are stored as one element of 8 bits. nullopt if the tensor is smaller.
std::optional<PlacedMatrix> placed(const CoreMatrix& core, std::span<const Run> outs,
                                   std::size_t row, bool has_pairs) {
  const int pair_bits = has_pairs ? 1 : 0;
  const int column_bits = core.column_bits + pair_bits;
  if (outs[row].bits < CoreMatrix::kRowBits || outs[1 - row].bits < column_bits) return {};
  const auto place = [&](std::uint64_t row_part, std::uint64_t column_part) {
    return row_part << outs[row].begin | column_part << outs[1 - row].begin;
  };
  PlacedMatrix matrix;
  if (has_pairs) matrix.images.push_back(place(0, 1));
  for (const auto& image : core.images) {
    matrix.images.push_back(place(image.row, image.column << pair_bits));
  }
  matrix.filled = place(low_bits(CoreMatrix::kRowBits), low_bits(column_bits));
  return matrix;
}

/// The first bit at which a layout differs from such matrices, and why.
struct Difference {
  std::size_t bit = 0;
  std::string reason;
};

/// nullopt if the layout consists of these matrices: its first bits are theirs, and the others step
/// from matrix to matrix.
std::optional<Difference> difference(const LinearLayout& layout, const PlacedMatrix& matrix) {
  const auto offset_bits = static_cast<std::size_t>(run_of(layout.in_dims(), "offset")->bits);
  if (offset_bits < matrix.images.size()) {
    return Difference{0, fmt::format("the layout has 2^{} offsets, one matrix 2^{}", offset_bits,
                                     matrix.images.size())};
  }
  const auto text = [&](std::uint64_t image) {
    return list_text(coordinates(layout.out_dims(), image));
  };
  for (std::size_t bit = 0; bit < layout.matrix().columns().size(); ++bit) {
    const std::uint64_t image = layout.matrix().columns()[bit];
    const bool is_first = bit < matrix.images.size();
    if (is_first ? image == matrix.images[bit] : (image & matrix.filled) == 0) continue;
    return Difference{
        bit, fmt::format("{}, which must be {}", image_text(layout, bit),
                         is_first ? text(matrix.images[bit]) : "a step to another matrix")};
  }
  return std::nullopt;
}

/// As above for the matrices of an encoding, which may be larger than the tensor.
Result<std::optional<Difference>> difference(const LinearLayout& layout,
                                             const NvmmaSharedEncoding& encoding, bool has_pairs) {
  HEDDLE_TRY(const CoreMatrix core, core_matrix(encoding));
  const auto matrix =
      placed(core, runs_of(layout.out_dims()), encoding.transposed ? 1 : 0, has_pairs);
  if (matrix) return difference(layout, *matrix);
  return Difference{0, fmt::format("the tensor is smaller than one matrix of 8 by {}",
                                   std::int64_t{1} << (core.column_bits + (has_pairs ? 1 : 0)))};
}

/// All candidates: 0, 32, 64 and 128 bytes, transposed or not, 4-bit elements padded or not.
std::vector<NvmmaSharedEncoding> candidates(std::int64_t element_bits) {
  std::vector<NvmmaSharedEncoding> all;
  const std::int64_t stored_bits = std::max<std::int64_t>(element_bits, 8);
  for (const bool padded : {false, true}) {
    if (padded && stored_bits != 8) continue;
    for (const int bytes : {0, 32, 64, 128}) {
      for (const bool transposed : {false, true}) {
        all.push_back({.swizzling_byte_width = bytes,
                       .transposed = transposed,
                       .element_bit_width = stored_bits,
                       .fp4_padded = padded});
      }
    }
  }
  return all;
}

/// `64 bytes, transposed`
std::string matrices_text(const NvmmaSharedEncoding& encoding) {
  return fmt::format("{} bytes{}{}", encoding.swizzling_byte_width,
                     encoding.transposed ? ", transposed" : "",
                     encoding.fp4_padded ? ", fp4Padded" : "");
}

}  // namespace

Result<BlockedEncoding> blocked_encoding(std::span<const std::int64_t> shape,
                                         const Sizes& size_per_thread, const Order& order,
                                         const Threads& threads) {
  const std::size_t rank = order.size();
  HEDDLE_CHECK(check_order(kBlocked, "order", order, rank));
  HEDDLE_TRY(const auto sizes, shape_bits(kBlocked, shape, rank));
  HEDDLE_TRY(const auto boxes, log2_of(kBlocked, "sizePerThread", size_per_thread, rank));
  HEDDLE_TRY(const ThreadBits bits, bits_of(threads));
  CtaLayout ctas = ctas_for(sizes, boxes, order, bits.ctas);
  HEDDLE_TRY(const Frame frame, frame_of(kBlocked, shape, rank, ctas));

  std::vector<int> lanes(rank);
  std::vector<int> warps(rank);
  int free_lanes = bits.lanes;
  int free_warps = bits.warps;
  for (const int entry : order) {
    const auto dim = static_cast<std::size_t>(entry);
    const bool is_last = entry == order.back();
    const int steps = free_steps(frame.cta_bits[dim], boxes[dim]);
    lanes[dim] = is_last ? free_lanes : std::min(steps, free_lanes);
    warps[dim] = is_last ? free_warps : std::min(steps - lanes[dim], free_warps);
    free_lanes -= lanes[dim];
    free_warps -= warps[dim];
  }
  return BlockedEncoding{.size_per_thread = size_per_thread,
                         .threads_per_warp = powers_of_two(lanes),
                         .warps_per_cta = powers_of_two(warps),
                         .order = order,
                         .ctas = std::move(ctas)};
}

Result<BlockedEncoding> default_blocked_encoding(std::span<const std::int64_t> shape,
                                                 const Threads& threads) {
  return blocked_encoding(shape, Sizes(shape.size(), 1), row_major(shape.size()), threads);
}

Result<BlockedEncoding> coalesced_encoding(std::span<const std::int64_t> shape, const Order& order,
                                           std::int64_t element_bits, const Threads& threads) {
  const std::size_t rank = order.size();
  HEDDLE_CHECK(check_order(kBlocked, "order", order, rank));
  HEDDLE_CHECK(log2_of(kBlocked, "element bits", element_bits));
  HEDDLE_TRY(const BlockedEncoding whole, blocked_encoding(shape, Sizes(rank, 1), order, threads));
  HEDDLE_TRY(const Frame frame, frame_of(kBlocked, shape, rank, whole.ctas));
  HEDDLE_TRY(const ThreadBits bits, bits_of(threads));

  const auto contiguous = static_cast<std::size_t>(order[0]);
  const int total = std::accumulate(frame.cta_bits.begin(), frame.cta_bits.end(), 0);
  const int widest = log2_exact(std::max<std::int64_t>(kWidestAccess / element_bits, 1));
  Sizes size_per_thread(rank, 1);
  size_per_thread[contiguous] =
      std::int64_t{1} << std::min(
          {widest, frame.cta_bits[contiguous], std::max(total - bits.warps - bits.lanes, 0)});
  HEDDLE_TRY(BlockedEncoding encoding, blocked_encoding(shape, size_per_thread, order, threads));
  encoding.ctas = whole.ctas;
  return encoding;
}

Result<SwizzledSharedEncoding> swizzled_shared_encoding(const DotOperandEncoding& operand,
                                                        std::span<const std::int64_t> shape,
                                                        const Order& order,
                                                        std::int64_t element_bits,
                                                        const CtaLayout& ctas, bool transposed) {
  constexpr std::string_view kKind = "swizzled_shared";
  HEDDLE_TRY(const auto sizes, cta_bits(kKind, shape, order, ctas));
  HEDDLE_CHECK(log2_of(kKind, "element bits", element_bits));
  HEDDLE_CHECK(check_parent("dot_op", operand.parent));
  const bool is_mma = operand.parent->get_if<NvidiaMmaEncoding>() != nullptr;
  if (!is_mma) return SwizzledSharedEncoding{.order = order, .ctas = ctas};
  HEDDLE_CHECK(to_linear_layout(operand, shape));

  // A thread reads `vec` elements along k, and 8 rows (4 of 64 bits) are read at once; if the rows
  // in memory are not along k, the two numbers change places.
  const std::size_t rank = order.size();
  const auto k_dim = static_cast<int>(operand.op_idx == 0 ? rank - 1 : rank - 2);
  std::int64_t vec = 4 * operand.k_width;
  std::int64_t rows = element_bits == 64 ? 4 : 8;
  if (transposed != (order[0] != k_dim)) std::swap(vec, rows);

  const std::int64_t row_bits = element_bits << sizes[static_cast<std::size_t>(order[0])];
  const std::int64_t per_phase = std::max<std::int64_t>(kBitsOfBanks / row_bits, 1);
  const std::int64_t phases =
      std::max<std::int64_t>(std::min(rows, kBitsOfBanks / (vec * element_bits)), 1);
  return SwizzledSharedEncoding{.vec = vec,
                                .per_phase = per_phase,
                                .max_phase = std::max<std::int64_t>(phases / per_phase, 1),
                                .order = order,
                                .ctas = ctas};
}

Result<NvmmaSharedEncoding> nvmma_shared_encoding(std::span<const std::int64_t> shape,
                                                  const Order& order, std::int64_t element_bits,
                                                  bool fp4_padded, const CtaLayout& ctas) {
  constexpr std::string_view kKind = "nvmma_shared";
  HEDDLE_TRY(const auto sizes, cta_bits(kKind, shape, order, ctas));
  HEDDLE_TRY(const int element, log2_of(kKind, "elementBitWidth", element_bits));
  const auto contiguous = static_cast<std::size_t>(order[0]);
  const int rows = std::accumulate(sizes.begin(), sizes.end(), 0) - sizes[contiguous];
  const int row_bits = sizes[contiguous] + element + (fp4_padded ? 1 : 0);
  NvmmaSharedEncoding encoding{.transposed = order.size() > 1 && contiguous == 0,
                               .element_bit_width = element_bits,
                               .fp4_padded = fp4_padded,
                               .rank = static_cast<int>(order.size()),
                               .ctas = ctas};
  for (const int bytes : {32, 64, 128}) {
    if (rows >= CoreMatrix::kRowBits && row_bits >= log2_exact(8 * bytes)) {
      encoding.swizzling_byte_width = bytes;
    }
  }
  HEDDLE_CHECK(to_linear_layout(encoding, shape));
  return encoding;
}

Result<NvmmaSharedEncoding> recognize_nvmma_shared(const LinearLayout& layout,
                                                   std::int64_t element_bits) {
  constexpr std::string_view kKind = "recognize_nvmma_shared";
  Sizes shape;
  for (const Dimension& out : layout.out_dims()) shape.push_back(out.size());
  HEDDLE_CHECK(check_shared_layout(kKind, layout, shape));
  HEDDLE_CHECK(check_bijective(kKind, layout));
  HEDDLE_CHECK(log2_of(kKind, "element bits", element_bits));
  if (shape.size() != 2) {
    return refuse("encoding.not_nvmma", "a matrix has 2 dimensions, the layout has {}",
                  shape.size());
  }
  Difference closest;
  std::string closest_text;
  for (const NvmmaSharedEncoding& candidate : candidates(element_bits)) {
    HEDDLE_TRY(auto other, difference(layout, candidate, element_bits == 4));
    if (!other) return candidate;
    if (!closest_text.empty() && other->bit <= closest.bit) continue;
    closest = *std::move(other);
    closest_text = matrices_text(candidate);
  }
  return refuse(
      diagnose("encoding.not_nvmma",
               "the layout is not made of the matrices of any nvmma_shared of {}-bit elements",
               element_bits)
          .with_note(
              fmt::format("the closest one, {}, differs: {}", closest_text, closest.reason)));
}

Result<LinearLayout> sm120_dot_scaled_scale_layout(std::span<const std::int64_t> shape, int op_idx,
                                                   const Sizes& warps_per_cta,
                                                   const CtaLayout& ctas) {
  constexpr std::string_view kKind = "sm120_dot_scaled_scale_layout";
  constexpr std::size_t kRows = 0;
  constexpr std::size_t kGroups = 1;
  if (op_idx != 0 && op_idx != 1) {
    return refuse("encoding.parameter", "{}: opIdx = {}; it is 0 for A and 1 for B", kKind, op_idx);
  }
  HEDDLE_TRY(Frame frame, frame_of(kKind, shape, 2, ctas));
  HEDDLE_TRY(const auto warps, log2_of(kKind, "warpsPerCTA", warps_per_cta, 2));
  const bool is_a = op_idx == 0;
  Tile tile = register_tile(std::move(frame));
  tile.along(kRegister, kGroups, tile.frame().bits[kGroups]);
  // The lanes of a quad: for A two of them hold the rows of the lower half of m16.
  if (is_a) tile.push(kLane, tile.frame().step(kRows, 3));
  tile.nowhere(kLane, is_a ? 1 : 2);
  tile.along(kLane, kRows, 3);
  if (is_a) tile.reach(kRows, 4);
  // Warps that differ in the dimension of the other operand hold the same factors; they come first
  // for A.
  const int along = is_a ? warps[0] : warps[1];
  const int across = is_a ? warps[1] : warps[0];
  if (is_a) tile.nowhere(kWarp, across);
  tile.along(kWarp, kRows, along);
  if (!is_a) tile.nowhere(kWarp, across);
  tile.fill(kRegister, {1, 0});
  return tile.layout();
}

}  // namespace heddle::linear
