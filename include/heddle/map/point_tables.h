#pragma once

// Many points at once, as machine integers: what an interpreter or an array library asks of a
// layout of any system.
//
//   const PointTables tables = *PointTables::make(layout, Coordinates::kFlat);
//   tables.evaluate({coordinates}, {offsets})       offsets[i] = layout(coordinates[i])
//
// The digits or bits that a layout shows are gathered in groups of a few thousand values, each of
// which is a table: a coordinate is divided by multiplying with reciprocals, and what the tables
// hold is added, or for a matrix over GF(2) combined by XOR. Few digits of numbers below 2^31 are
// computed in vector registers instead. A map whose notation shows no structure is one table of all
// its points.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/map/any_layout.h"
#include "heddle/map/limits.h"

#pragma GCC visibility push(default)
namespace heddle::map {

struct NarrowMap;

/// One flat coordinate a point, in the order of the layout's system, or one for each index of its
/// box.
enum class Coordinates : std::uint8_t { kFlat, kBox };

class PointTables {
 public:
  using Inputs = std::vector<std::span<const std::int64_t>>;
  using Outputs = std::vector<std::span<std::int64_t>>;

  /// Refuses `recover.copies` for a layout that is no function, `table.symbolic`, `overflow`,
  /// `table.too_large` past 2^22 points of a map that shows no structure or that leaves points out,
  /// and what view() refuses.
  [[nodiscard]] static Result<PointTables> make(const AnyLayout& layout, Coordinates coordinates,
                                                const Limits& limits = {});

  /// The extents of the coordinates: one of kFlat, that of each index of kBox.
  [[nodiscard]] std::span<const std::int64_t> extents() const { return extents_; }
  /// The extents of the box, one for each of names().
  [[nodiscard]] std::span<const std::int64_t> box() const { return box_; }
  [[nodiscard]] std::span<const std::string> names() const { return names_; }
  [[nodiscard]] std::span<const Axis> axes() const { return axes_; }

  /// Writes the image of every point, one output for each axis; an output may be the memory of an
  /// input. All spans are of one length. The result is the first point outside of the extents,
  /// whose block of outputs holds unspecified numbers; nullopt if there is none. Cost: about a
  /// nanosecond a point and group.
  [[nodiscard]] std::optional<std::size_t> evaluate(const Inputs& points,
                                                    const Outputs& images) const;

 private:
  /// Some of a coordinate's digits: `size` values, and what they add or flip on each axis; a table
  /// is empty where that is a multiple of `strides`.
  struct Group {
    std::uint64_t size = 1;
    std::uint64_t reciprocal = 0;
    int shift = -1;
    std::vector<std::vector<std::int64_t>> tables;
    std::vector<std::int64_t> strides;
  };
  /// The groups of one coordinate, fastest first.
  using Groups = std::vector<Group>;
  struct Maker;

  void evaluate_block(const Inputs& points, const Outputs& images, std::size_t begin,
                      std::size_t end) const;
  /// The first point from `begin` to `end` that is outside.
  [[nodiscard]] std::optional<std::size_t> outside(const Inputs& points, std::size_t begin,
                                                   std::size_t end) const;

  std::vector<std::int64_t> extents_;
  std::vector<std::int64_t> box_;
  std::vector<std::string> names_;
  std::vector<Axis> axes_;
  std::vector<Groups> coordinates_;
  std::vector<std::int64_t> offsets_;
  bool by_xor_ = false;
  std::optional<SwizzleStep> swizzle_;
  /// For a map without structure: the groups lead to a place in these tables, one for each axis.
  std::vector<std::vector<std::int64_t>> whole_;
  /// The same map of numbers below 2^31; nullptr where there are greater ones, or tables are
  /// faster.
  std::shared_ptr<const NarrowMap> narrow_;
};

}  // namespace heddle::map
#pragma GCC visibility pop
