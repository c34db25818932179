#pragma once

// The map of a layout as a table: for every index and every axis the set of coordinates. A layout's
// set of places is the product of these sets; this also holds for a product of layouts.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "axe/quotient/product.h"
#include "heddle/axe/layout.h"

namespace heddle::axe {

/// The sets of one axis, one for each index, sorted.
class Sets {
 public:
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  [[nodiscard]] std::span<const std::int64_t> operator[](std::int64_t index) const {
    const auto i = static_cast<std::size_t>(index);
    return std::span(points_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  /// Appends the set of the next index, sorted and without duplicates.
  void append(std::vector<std::int64_t> set);
  [[nodiscard]] std::size_t count() const { return points_.size(); }

  friend bool operator==(const Sets&, const Sets&) = default;

 private:
  std::vector<std::size_t> starts_ = {0};
  std::vector<std::int64_t> points_;
};

struct SetMap {
  std::int64_t size = 1;
  /// An axis that is missing is 0 at every index.
  std::map<Axis, Sets> axes;

  /// The set at an index: {0} on an axis that is missing.
  [[nodiscard]] std::span<const std::int64_t> at(const Axis& axis, std::int64_t index) const;
  /// The lowest and the highest coordinate on the axis.
  [[nodiscard]] std::int64_t low(const Axis& axis) const;
};

/// The interleaved domain of two shapes of constants: the index of x || 0 for every x, in the order
/// of flat indices, and that of 0 || y; the index of x || y is the sum of both.
struct Interleaving {
  Interleaving(std::span<const Int> left_shape, std::span<const Int> right_shape);

  std::vector<std::int64_t> of_left;
  std::vector<std::int64_t> of_right;
};

/// Coordinates up to this size are tabulated, so that sums and swizzled ones fit into 64 bits.
inline constexpr std::int64_t kMaxCoordinate = std::int64_t{1} << 61;

/// The layout's map; nullopt for symbolic numbers, for more than kMaxPlaces points on an axis, or
/// coordinates past kMaxCoordinate.
[[nodiscard]] std::optional<SetMap> evaluate(const Layout& layout);

/// left(x) * W + right(y) at x || y; nullopt as for evaluate().
[[nodiscard]] std::optional<SetMap> combine(const SetMap& left, const Scale& scale,
                                            const SetMap& right, const Interleaving& domain);

/// All axes of either map.
[[nodiscard]] std::set<Axis> axes_of(const SetMap& a, const SetMap& b);

/// The first index at which the maps differ; they have one size.
[[nodiscard]] std::optional<std::int64_t> first_difference(const SetMap& a, const SetMap& b);

/// `{0@m, 4@m} x {1@warpid}`, `3@m`, at an index.
[[nodiscard]] std::string set_text(const SetMap& map, std::int64_t index);

// ---- The layout of such a table ----

struct Recovery {
  /// A layout with the map.
  std::optional<Layout> layout = {};
  /// If there is no layout: whether that is proved, for any swizzle; otherwise the search took too
  /// many steps.
  bool is_proof = true;
};

/// The layout without a swizzle that has the map, otherwise one with a swizzle, which groups by the
/// shape (any shape if that is empty). Every possible swizzle is tried.
[[nodiscard]] Recovery recover(const SetMap& map, std::span<const Int> shape);

/// The first index at which no layout without a swizzle can continue.
struct PlainObstacle {
  std::int64_t index = 0;
  std::string found;
  std::string wanted;
};
[[nodiscard]] std::optional<PlainObstacle> plain_obstacle(const SetMap& map);

}  // namespace heddle::axe
