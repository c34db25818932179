#pragma once

// Seed 000's relations of a layout as isl's own objects, built as its algorithm 1 and equations 16
// to 23 build them. Called within IslSession::ask().
//
//   (4,2):(1,8)   coordinate   { [c] -> [c0, c1] : c0 = floor((c mod 4)/1) and c1 = floor(c/4) }
//                 index        { [c0, c1] -> [c0 + 8c1] : 0 <= c0 < 4 and 0 <= c1 < 2 }
//                 layout       coordinate followed by index

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/cute/layout.h"
#include "heddle/linear/linear_layout.h"
#include "map/isl/door.h"

namespace heddle::map::isl_engine {

/// Sums of two numbers up to this one fit into 64 bits.
inline constexpr std::int64_t kMostPoints = std::int64_t{1} << 62;

/// The leaves of a layout of numbers on one axis, of at most kMostPoints elements and indices.
struct Leaves {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;

  [[nodiscard]] std::int64_t size() const;
  /// The least of the indices.
  [[nodiscard]] Int least() const;
  [[nodiscard]] Int greatest() const;
  void append(std::int64_t extent, std::int64_t stride) {
    extents.push_back(extent);
    strides.push_back(stride);
  }
};

/// Both refuse `isl_engine.operand`.
[[nodiscard]] Result<Leaves> leaves_of(const cute::Layout& layout);
[[nodiscard]] Result<void> check_operand(const linear::LinearLayout& layout);
/// A flat layout of these leaves; 1:0 if there are none. Refuses what Layout::make refuses.
[[nodiscard]] Result<cute::Layout> flat_layout(const Leaves& leaves);

[[nodiscard]] isl::map parse_map(const IslSession& session, const std::string& text);
/// { [i] : begin <= i < end }.
[[nodiscard]] isl::set interval(const IslSession& session, std::int64_t begin, std::int64_t end);

/// Algorithm 1.
[[nodiscard]] isl::map coordinate_mapping(const IslSession& session,
                                          std::span<const std::int64_t> extents);
[[nodiscard]] isl::map index_mapping(const IslSession& session, const Leaves& leaves);
[[nodiscard]] isl::map layout_mapping(const IslSession& session, const Leaves& leaves);

/// Equations 16 to 23 in sequence: natural coordinates to flat ones, to bits, to bits, to flat
/// indices, to natural indices.
[[nodiscard]] isl::map layout_mapping(const IslSession& session,
                                      const linear::LinearLayout& layout);

/// The strides of an index mapping on a box of these extents, if it is strictly affine and 0 at the
/// origin; 0 for extents of 1. The first half of algorithm 2. Refuses `overflow`.
[[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> affine_strides(
    const isl::map& index_mapping, std::span<const std::int64_t> extents);

/// The strides that the layout mapping has in a shape: algorithm 2.
[[nodiscard]] Result<std::optional<Leaves>> leaves_in_shape(const IslSession& session,
                                                            const isl::map& mapping,
                                                            std::span<const std::int64_t> extents);

/// The extents of a set that is a grid, evenly spaced and bounded in every dimension; nullopt for
/// any other set. The seed's extract_shape.
[[nodiscard]] std::optional<std::vector<std::int64_t>> grid_extents(const isl::set& set);

}  // namespace heddle::map::isl_engine
