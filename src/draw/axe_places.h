#pragma once

// An Axe layout split by axes, for pictures. Every iter is on one axis, so that the places of an
// index are a product of one set for each axis, and the indices of a place are sums of one number
// for each axis.
//
//   S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)] + R[(2):(4@warpid)] + 5@warpid
//     laneid   8 of 4 and 4 of 1          index  16*d0 + 2*d2
//     warpid   2 of 1, replicas 0 and 4   index  8*d1

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/axe/axes.h"
#include "heddle/axe/layout.h"
#include "heddle/core/axis.h"
#include "heddle/core/result.h"

namespace heddle::draw {

/// One iter of the shard in constants: one step of the digit is `weight` of the flat index.
struct AxeDigit {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
  std::int64_t weight = 1;

  [[nodiscard]] std::int64_t of(std::int64_t index) const { return index / weight % extent; }
};

/// The number of places of an axis that are reached, and of those reached by one element alone.
struct AxisCounts {
  std::int64_t reached = 0;
  std::int64_t by_one = 0;
};

/// The part of a layout that is on one axis.
class AxisPart {
 public:
  /// From a layout of constants. Refuses `draw.too_large` for more replicas than a picture can
  /// list.
  [[nodiscard]] static Result<AxisPart> make(const axe::Layout& layout, const Axis& axis,
                                             axe::AxisKind kind);

  [[nodiscard]] const std::string& name() const { return name_; }
  /// `w` for warpid; the name itself if no short one is usual.
  [[nodiscard]] const std::string& short_name() const { return short_name_; }
  void use_full_name();
  [[nodiscard]] axe::AxisKind kind() const { return kind_; }
  /// The least and the greatest coordinate.
  [[nodiscard]] std::int64_t low() const { return low_; }
  [[nodiscard]] std::int64_t high() const { return high_; }
  [[nodiscard]] std::int64_t span() const { return high_ - low_ + 1; }

  /// The coordinates of an index, ascending.
  [[nodiscard]] std::vector<std::int64_t> coordinates(std::int64_t index) const;
  /// The distances of the copies from the first one, ascending.
  [[nodiscard]] std::span<const std::int64_t> replicas() const { return replicas_; }

  /// The parts of indices that are mapped to a coordinate, ascending, unless `lookups` run out.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> sources(std::int64_t coordinate,
                                                                 std::size_t& lookups) const;
  /// nullopt if it takes more than axe::kMaxPlaces sums to tell.
  [[nodiscard]] std::optional<AxisCounts> counts() const;

 private:
  /// A step of a search for the digits of a coordinate.
  struct Term {
    std::int64_t extent = 1;
    std::int64_t stride = 0;
    std::int64_t weight = 0;
    /// The range of the sums of this term and all smaller ones.
    std::int64_t low = 0;
    std::int64_t high = 0;
  };

  AxisPart(const Axis& axis, axe::AxisKind kind);

  [[nodiscard]] Result<void> take_replicas(const axe::Layout& layout);
  void take_shard(const axe::Layout& layout);
  void order_terms();
  void measure(const axe::Layout& layout);
  [[nodiscard]] Result<axe::Layout> as_set() const;
  [[nodiscard]] std::int64_t swizzled(std::int64_t address) const;
  [[nodiscard]] bool search(std::size_t term, std::int64_t rest, std::int64_t index,
                            std::vector<std::int64_t>& found, std::size_t& lookups) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> addresses() const;

  Axis axis_;
  std::string name_;
  std::string short_name_;
  axe::AxisKind kind_;
  std::vector<AxeDigit> digits_;
  std::vector<axe::Iter> iters_;
  std::vector<std::int64_t> replicas_;
  std::vector<Term> terms_;
  std::int64_t offset_ = 0;
  std::optional<axe::Swizzle> swizzle_;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
};

/// All axes of a layout, from devices through threads, outer ones first, to memory.
struct AxeParts {
  std::vector<AxisPart> axes;
  /// Digits that move nothing: their weights connect the elements of one place.
  std::vector<AxeDigit> still;
  std::int64_t size = 1;

  [[nodiscard]] bool is_owned() const;
  /// How many times an element is held; nullopt past 64 bits.
  [[nodiscard]] std::optional<std::int64_t> copies() const;
};
/// Refuses `draw.symbolic`, and as AxisPart::make().
[[nodiscard]] Result<AxeParts> parts_of(const axe::Layout& layout, const axe::AxisTable& table);

/// `5,9`, `0..7`, `0,4..28`, or the first `most` and how many more, `0,1,5,9+12`.
[[nodiscard]] std::string numbers_text(std::span<const std::int64_t> numbers, std::size_t most);

}  // namespace heddle::draw
