#pragma once

// Iters, extents and steps: the checks, sets and texts that the folder shares.

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "expr/assume_needed.h"
#include "expr/numbers_text.h"
#include "heddle/axe/layout.h"
#include "heddle/core/axis.h"
#include "heddle/core/result.h"
#include "heddle/expr/int.h"
#include "heddle/form/digit_form.h"

template <>
struct fmt::formatter<heddle::axe::Iter> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::axe::Layout> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::axe::Coordinate> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<heddle::axe::Swizzle> : fmt::ostream_formatter {};

namespace heddle::axe {

/// `4@laneid`, `(M*2+1)@m`.
[[nodiscard]] std::string step_text(const Int& stride, const Axis& axis);

/// `8:4@laneid`.
[[nodiscard]] std::string iter_text(const Iter& iter);
/// `2:1@warpid 4:1@laneid`; empty for none.
[[nodiscard]] std::string iters_text(std::span<const Iter> iters);
/// A number as a factor or a term: `4`, `(-4)`.
[[nodiscard]] std::string factor_text(const Int& number);

using form::flatten;
using form::product;
using form::unflatten;

/// The strides of the shape laid out row-major without gaps, the first one largest.
[[nodiscard]] std::vector<Int> compact_strides(std::span<const Int> shape);

/// Whether one iter could replace the two neighbours (D1); true only if that is known.
[[nodiscard]] inline bool chains(const Iter& outer, const Iter& inner) {
  return outer.axis == inner.axis && known_equal(outer.stride, inner.extent * inner.stride);
}

/// Whether extent and stride are constants.
[[nodiscard]] inline bool is_constant(const Iter& iter) {
  return iter.extent.is_constant() && iter.stride.is_constant();
}
/// Whether all numbers of the shard, the replicas and the offset are constants.
[[nodiscard]] bool is_constant(const Layout& layout);

/// The iters on that axis.
[[nodiscard]] std::vector<Iter> on_axis(std::span<const Iter> iters, const Axis& axis);

/// All sums of one multiple of each iter's stride, sorted, each once: the points of a replica list.
/// nullopt if an extent or a stride is symbolic, or there are more than kMaxPlaces points. The axes
/// of the iters are ignored.
[[nodiscard]] std::optional<std::vector<std::int64_t>> points(std::span<const Iter> iters);

/// Sorts the items and removes duplicates.
template <class T>
void sort_once(std::vector<T>& items) {
  std::ranges::sort(items, [](const T& a, const T& b) { return a < b; });
  const auto repeated = std::ranges::unique(items);
  items.erase(repeated.begin(), repeated.end());
}

/// The place after the layout's swizzle, if it has one.
[[nodiscard]] Coordinate swizzled(const Layout& layout, Coordinate place);

/// Adds the steps of the index's digits along the axes, without the rest of a layout.
void add_steps(std::span<const Iter> iters, const Int& index, Coordinate& sum);

/// The first index at which two shard lists of one size differ, the offsets added; nullopt if they
/// do not, or extents are symbolic. At the least level (in the order of divisibility) whose
/// coefficient differs the steps from the index before to it differ (lemma A.6), so checking these
/// two indices suffices.
[[nodiscard]] std::optional<Int> differing_index(const Layout& a, const Layout& b);

/// The digit as an iter on the one axis on which it moves, on m if it moves on none; nullopt if it
/// moves on several.
[[nodiscard]] std::optional<Iter> iter_of(const form::Digit& digit, std::span<const Axis> axes);

/// The layout with another shard list, or another swizzle. Refuses as Layout::make().
[[nodiscard]] Result<Layout> with_shard(const Layout& layout, std::vector<Iter> shard);
[[nodiscard]] Result<Layout> with_swizzle(const Layout& layout,
                                          const std::optional<Swizzle>& swizzle);

/// Refuses `axe.extent` for an extent below 1, `assume.needed` for one that may be; `describe()`
/// says where the extent occurs.
template <std::invocable Describe>
[[nodiscard]] Result<void> check_extent(const Int& extent, Describe describe) {
  if (extent.is_constant() && extent.value() >= 1) return {};
  HEDDLE_CHECK(check_defined(extent, "an extent"));
  HEDDLE_TRY(const bool positive, decide_needed({Int(1), Predicate::kAtMost, extent}, describe));
  if (positive) return {};
  return refuse(diagnose("axe.extent", "{} has the extent {}", describe(), extent)
                    .with_hint("extents are at least 1"));
}
/// Checks every extent of a shape.
[[nodiscard]] Result<void> check_extents(std::span<const Int> shape);

/// Builds layouts without checks from parts of checked ones, if no size and no coordinate can have
/// grown: iters merged, split or reordered.
struct Unchecked {
  [[nodiscard]] static Layout make(std::vector<Iter> shard, std::vector<Iter> replica,
                                   Coordinate offset, std::optional<Swizzle> swizzle) {
    Layout layout;
    if (!shard.empty()) layout.shard_ = std::move(shard);
    layout.replica_ = std::move(replica);
    layout.offset_ = std::move(offset);
    layout.swizzle_ = std::move(swizzle);
    return layout;
  }

  /// The layout with another shard list.
  [[nodiscard]] static Layout with_shard(Layout layout, std::vector<Iter> shard) {
    if (shard.empty()) shard.emplace_back();
    layout.shard_ = std::move(shard);
    return layout;
  }
};

}  // namespace heddle::axe
