#pragma once

// Distributions from their blocks.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/distribute/distribution.h"

namespace heddle::distribute {

struct DistributionAccess {
  /// The distribution with these blocks, in any order. Refuses `distribute.device`,
  /// `distribute.too_large`, `distribute.axes` for a place below 0, and as move::make_plan().
  [[nodiscard]] static Result<Distribution> make(axe::Mesh mesh, std::vector<std::int64_t> shape,
                                                 std::vector<Block> blocks,
                                                 std::vector<axe::PartialAxis> partial,
                                                 bool is_flat);
  /// Blocks of the scratch memory of devices, for boxes of the same tensor. Refuses
  /// `distribute.too_large`.
  [[nodiscard]] static Result<Distribution> make_scratch(const Distribution& tensor,
                                                         std::span<const std::int64_t> devices,
                                                         std::vector<Block> blocks);
};

/// The place of the part `part` of the block's box, by the row-major index within the part; nullopt
/// if no layout says it, or none is found: then its halves may have one. A single element always
/// has; should it not, this is refused as axe::slice() does.
[[nodiscard]] Result<std::optional<axe::Layout>> place_of(const Block& block, const Box& part);

/// The number of elements of a shape. Refuses `overflow`.
[[nodiscard]] Result<std::int64_t> elements_of(std::span<const std::int64_t> shape);

/// The bytes of elements without gaps, rounded up.
[[nodiscard]] constexpr std::int64_t bytes_of(std::int64_t elements, std::int64_t element_bits) {
  constexpr std::int64_t kByte = 8;
  return (elements * element_bits + kByte - 1) / kByte;
}

/// The layout of a box row-major and without gaps, from place `first` on.
[[nodiscard]] axe::Layout row_major(const Box& box, std::int64_t first = 0);

}  // namespace heddle::distribute
