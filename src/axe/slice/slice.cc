#include "heddle/axe/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "axe/layout/blocks.h"
#include "axe/layout/iters.h"
#include "axe/slice/block.h"
#include "core/text.h"
#include "expr/assume_needed.h"
#include "heddle/axe/canonical.h"

namespace heddle::axe {
namespace {

Refusal bad_interval(const SliceCall& call, std::size_t j, std::string_view why) {
  return refuse("axe.region", "{}: the interval [{},{}) of dimension {} {}", call.text(),
                call.region[j].begin, call.region[j].end, j, why);
}

Result<void> check_region(const SliceCall& call) {
  if (call.region.size() != call.shape.size()) {
    return refuse("axe.ranks", "{}: the region has {}, the shape {}", call.text(),
                  counted(call.region.size(), "interval"), counted(call.shape.size(), "dimension"));
  }
  const auto decide_text = [&] { return call.text(); };
  const auto holds = [&](const Int& low, const Int& high) {
    return decide_needed({low, Predicate::kAtMost, high}, decide_text);
  };
  for (std::size_t j = 0; j < call.region.size(); ++j) {
    const auto& [begin, end] = call.region[j];
    const Int& extent = call.shape[j];
    if (known_at_most(0, begin) && known_less(begin, end) && known_at_most(end, extent)) continue;
    for (const Int& bound : {begin, end}) {
      HEDDLE_CHECK(check_defined(bound, "a bound of the region"));
    }
    HEDDLE_TRY(const bool starts, holds(0, begin));
    HEDDLE_TRY(const bool has_points, holds(begin + 1, end));
    HEDDLE_TRY(const bool ends, holds(end, extent));
    if (!has_points) return bad_interval(call, j, "is empty");
    if (starts && ends) continue;
    return bad_interval(call, j, fmt::format("leaves [0,{})", extent));
  }
  return {};
}

/// A region of a shape.
struct Box {
  InlineVector<Int, 8> shape;
  InlineVector<Interval, 8> region;
};

/// Merges neighbours into one dimension if the part of both is an interval of it: if one coordinate
/// of the outer one is taken, or the whole inner one. Any layout that groups by the shape groups by
/// this one.
Box merged(const SliceCall& call) {
  Box box;
  for (std::size_t j = 0; j < call.shape.size(); ++j) {
    const Int& extent = call.shape[j];
    const Interval& interval = call.region[j];
    const bool is_whole = interval == Interval{0, extent};
    const bool after_one =
        !box.shape.empty() && box.region.back().end - box.region.back().begin == Int(1);
    if (box.shape.empty() || (!is_whole && !after_one)) {
      box.shape.push_back(extent);
      box.region.push_back(interval);
      continue;
    }
    Interval& before = box.region.back();
    box.shape.back() *= extent;
    before.begin = before.begin * extent + interval.begin;
    before.end = after_one ? before.begin + (interval.end - interval.begin) : before.end * extent;
  }
  return box;
}

class Slicer {
 public:
  Slicer(const Layout& canonical, const SliceCall& call) : layout_(canonical), call_(call) {}

  Result<Layout> run() const {
    Result<Layout> result = slice_box();
    if (result || !layout_.swizzle() || result.error().code() != "axe.no_slice") return result;
    // A swizzle permutes the places, so that none of its own layouts has the map; one without any
    // swizzle may.
    Result<Layout> plain = slice_by_table(layout_, call_, Places::kSwizzled);
    if (plain) return plain;
    const bool is_proof = plain.error().code() == "axe.no_slice";
    return refuse(std::move(result).error().with_note(
        is_proof ? "nor has a layout without a swizzle"
                 : "whether a layout without a swizzle has it is undecided"));
  }

 private:
  Result<Layout> slice_box() const {
    const std::function<std::string()> call = [this] { return call_.text(); };
    if (!call_.is_constant()) {
      // Merged symbolic sizes may be harder to decide.
      const Result<Blocks> blocks = cut_into_blocks(layout_, call_.shape, call);
      if (blocks) return slice_blocks(*blocks, call_.shape, call_.region);
    }
    const Box box = merged(call_);
    const std::span<const Int> shape(box.shape.data(), box.shape.size());
    const Result<Blocks> blocks = cut_into_blocks(layout_, shape, call);
    if (blocks) return slice_blocks(*blocks, shape, {box.region.data(), box.region.size()});
    if (blocks.error().code() != "axe.no_grouping") return refuse(blocks.error());
    return slice_by_table(layout_, call_, Places::kPlain);
  }

  /// On a shape that groups the layout the map is a sum over the dimensions, and a layout has a
  /// part of it exactly if layouts have the part of each dimension: extents of the part are levels
  /// of its map.
  Result<Layout> slice_blocks(const Blocks& blocks, std::span<const Int> shape,
                              std::span<const Interval> region) const {
    std::vector<Iter> part;  // fastest first
    part.reserve(blocks.iters.size());
    Coordinate offset = layout_.offset();
    for (std::size_t j = shape.size(); j-- > 0;) {
      HEDDLE_TRY(const std::optional<SliceObstacle> obstacle,
                 slice_block(blocks[j], region[j], part, call_));
      if (obstacle) return cannot_go_on(*obstacle, j, shape, region);
      add_steps(blocks[j], region[j].begin, offset);
    }
    std::ranges::reverse(part);
    HEDDLE_TRY(const Layout result,
               Layout::make(std::move(part), {layout_.replica().begin(), layout_.replica().end()},
                            std::move(offset), layout_.swizzle()));
    return canonicalize(result);
  }

  [[nodiscard]] Refusal cannot_go_on(const SliceObstacle& obstacle, std::size_t j,
                                     std::span<const Int> shape,
                                     std::span<const Interval> region) const {
    std::vector<Int> point;
    for (const Interval& interval : region) point.push_back(interval.begin);
    point[j] += obstacle.place;
    return no_slice(layout_, call_, flatten(shape, point), obstacle);
  }

  const Layout& layout_;
  const SliceCall& call_;
};

}  // namespace

Result<Layout> slice(const Layout& layout, std::span<const Int> shape,
                     std::span<const Interval> region) {
  const SliceCall call{layout, shape, region};
  HEDDLE_CHECK(check_admits(layout, shape, "slice"));
  HEDDLE_CHECK(check_region(call));
  HEDDLE_TRY(const Layout canonical, canonicalize(layout));
  return Slicer(canonical, call).run();
}

}  // namespace heddle::axe
