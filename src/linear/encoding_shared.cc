// Encodings of shared memory: swizzled_shared, shared_linear, padded_shared.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "linear/bit_runs.h"
#include "linear/encoding_checks.h"
#include "linear/encoding_families.h"
#include "linear/swizzle_phases.h"
#include "linear/tile.h"

namespace heddle::linear {
namespace {

constexpr std::string_view kSwizzled = "swizzled_shared";
constexpr std::string_view kPadded = "padded_shared";

Result<SwizzlePhases> swizzle_of(const SwizzledSharedEncoding& encoding) {
  HEDDLE_TRY(const int vec, log2_of(kSwizzled, "vec", encoding.vec));
  HEDDLE_TRY(const int per_phase, log2_of(kSwizzled, "perPhase", encoding.per_phase));
  HEDDLE_TRY(const int max_phase, log2_of(kSwizzled, "maxPhase", encoding.max_phase));
  return SwizzlePhases{vec, per_phase, max_phase};
}

/// Rows follow each other; each is swizzled by its number. Bits that a narrow row does not have are
/// not flipped.
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

/// Padding moves whole runs of elements: a bit of the offset is one step along one dimension, and
/// no two offsets of a CTA hold the same element.
Result<void> check_unswizzled(const LinearLayout& layout) {
  const auto columns = layout.matrix().columns();
  std::uint64_t seen = 0;
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    const bool is_offset = bit < static_cast<std::size_t>(layout.in_dims()[kOffset].bits);
    const bool repeats = is_offset && (columns[bit] == 0 || (seen & columns[bit]) != 0);
    if (is_offset) seen |= columns[bit];
    if (std::popcount(columns[bit]) <= 1 && !repeats) continue;
    return refuse("encoding.linear",
                  fmt::format("padded_shared: {} -> {} {}", bit_name(layout.in_dims(), bit),
                              list_text(coordinates(layout.out_dims(), columns[bit])),
                              repeats ? "repeats what other offsets hold"
                                      : "is more than one step along one dimension"));
  }
  return {};
}

}  // namespace

Result<LinearLayout> layout_of(const SwizzledSharedEncoding& encoding, Shape shape) {
  const std::size_t rank = encoding.order.size();
  HEDDLE_CHECK(check_order(kSwizzled, "order", encoding.order, rank));
  HEDDLE_TRY(const SwizzlePhases swizzle, swizzle_of(encoding));
  HEDDLE_TRY(Frame frame, frame_of(kSwizzled, shape, rank, encoding.ctas));
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

}  // namespace heddle::linear
