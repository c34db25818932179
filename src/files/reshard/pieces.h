#pragma once

// Boxes in pieces: a tensor is read, compared and sent a few megabytes at a time.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "heddle/core/result.h"
#include "heddle/distribute/box.h"

namespace heddle::files {

/// Transports take less than 2 GiB at once.
inline constexpr std::int64_t kMostPieceBytes = std::int64_t{1} << 30;

/// The number of elements in a piece, at least one.
[[nodiscard]] inline std::int64_t elements_in_piece(std::int64_t piece_bytes,
                                                    std::int64_t element_bits) {
  const std::int64_t bits = 8 * std::clamp<std::int64_t>(piece_bytes, 0, kMostPieceBytes);
  return std::max<std::int64_t>(1, bits / element_bits);
}

/// Calls `act` with boxes of at most `most` elements, in row-major order, that together are the
/// box.
template <class Act>
Result<void> each_piece(const distribute::Box& box, std::int64_t most, const Act& act) {
  const std::int64_t elements = distribute::volume(box);
  if (elements == 0) return {};
  const auto longest_first = std::ranges::find_if(
      box, [](const distribute::Extent& extent) { return extent.end - extent.begin > 1; });
  if (elements <= most || longest_first == box.end()) return act(box);
  const auto dim = static_cast<std::size_t>(longest_first - box.begin());
  const std::int64_t row = elements / (box[dim].end - box[dim].begin);
  const std::int64_t step = std::max<std::int64_t>(1, most / row);
  distribute::Box piece = box;
  for (std::int64_t begin = box[dim].begin; begin < box[dim].end; begin += step) {
    piece[dim] = {begin, std::min(begin + step, box[dim].end)};
    HEDDLE_CHECK(each_piece(piece, most, act));
  }
  return {};
}

}  // namespace heddle::files
