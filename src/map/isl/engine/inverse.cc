// Algorithms 5 and 6: fills the gaps of a layout, and inverts it.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "heddle/cute/manipulation.h"
#include "heddle/map/isl_engine.h"
#include "map/isl/engine/mappings.h"

namespace heddle::map::isl_engine {
namespace {

/// The range of the layout mapping, which is that of the index mapping.
isl::set image(const IslSession& session, const Leaves& leaves) {
  return index_mapping(session, leaves).range();
}

/// The least number of a set that has one.
std::int64_t least(const isl::set& set) { return number(set.dim_min_val(0)).value_or(0); }

Result<cute::Layout> without_ones(const Leaves& leaves) {
  HEDDLE_TRY(const cute::Layout layout, flat_layout(leaves));
  return cute::coalesce(layout);
}

/// Algorithm 5. `layout` has no negative strides.
Leaves filling(const IslSession& session, const Leaves& layout, std::int64_t target) {
  const std::int64_t cosize = layout.greatest().value() + 1;
  const std::int64_t stop = std::max(target, cosize);
  const isl::set own = image(session, layout);
  Leaves all = layout;
  Leaves filled;
  for (std::int64_t done = 1; done < stop;) {
    const isl::set gaps = interval(session, done, stop).subtract(image(session, all));
    if (gaps.is_empty()) break;
    std::int64_t begin = least(gaps);
    std::int64_t end = stop;
    std::int64_t copies = 0;
    if (begin < cosize) {
      end = least(own.subtract(interval(session, 0, begin)));
      copies = end / begin;
    } else {
      // Past everything that has been placed, copies of it follow one another.
      begin = all.greatest().value() + 1;
      copies = (end - 1) / begin + 1;
    }
    if (copies > 1) {
      all.append(copies, begin);
      filled.append(copies, begin);
    }
    done = end;
  }
  return filled;
}

/// Whether the two have only 0 in common, and the second ascends.
bool interlock(const IslSession& session, const Leaves& layout, const Leaves& replica) {
  const isl::set origin = interval(session, 0, 1);
  const isl::set common = image(session, layout).intersect(image(session, replica));
  if (!common.is_subset(origin)) return false;
  const isl::map mapping = layout_mapping(session, replica);
  const isl::map later = parse_map(session, "{ [c] -> [d] : c < d }");
  const isl::map descends = parse_map(session, "{ [i] -> [j] : i >= j }");
  // Pairs of coordinates, the first before the second, through their indices.
  const isl::map not_ascending = mapping.apply_range(descends).apply_range(mapping.reverse());
  if (!later.intersect(not_ascending).is_empty()) return false;
  // Only the origins of both have a common index: f_A(x) = f_R(y) = 0 only if x = y = 0.
  return mapping.intersect_range(origin).domain().is_equal(origin);
}

bool is_large_enough(const Leaves& layout, const Leaves& replica, std::int64_t target) {
  std::int64_t elements = 1;
  for (std::size_t i = 0; i < layout.extents.size(); ++i) {
    if (layout.strides[i] != 0) elements *= layout.extents[i];
  }
  return replica.size() >= target / elements;
}

Result<Leaves> complement_operand(const cute::Layout& layout, std::int64_t target) {
  HEDDLE_TRY(Leaves leaves, leaves_of(layout));
  if (target < 1) {
    return refuse("complement.target", fmt::format("the target {} for the complement of {} is not "
                                                   "positive",
                                                   target, to_string(layout)));
  }
  if (target > kMostPoints) {
    return refuse("isl_engine.operand",
                  fmt::format("the isl engine fills gaps up to 2^62; the target is {}", target));
  }
  if (known_less(leaves.least(), 0)) {
    return refuse("complement.negative_stride",
                  fmt::format("complement: {} runs below 0", to_string(layout)));
  }
  return leaves;
}

Result<Leaves> checked_filling(const IslSession& session, const cute::Layout& layout,
                               const Leaves& leaves, std::int64_t target) {
  Leaves filled = filling(session, leaves, target);
  if (interlock(session, leaves, filled)) return filled;
  return refuse(
      "complement.not_injective",
      fmt::format(
          "complement: {} is not injective or interleaves: copies of it in its gaps meet it",
          to_string(layout)));
}

/// The leaves of more than one element in the order of their strides.
std::vector<std::size_t> order_by_stride(const Leaves& leaves) {
  std::vector<std::size_t> order(leaves.extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return leaves.extents[i] == 1; });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return leaves.strides[i]; });
  return order;
}

/// The coordinates that are 0 wherever a mode repeats one element.
isl::set at_first_element(const IslSession& session, const Leaves& leaves) {
  Leaves moving = leaves;
  for (std::size_t i = 0; i < leaves.extents.size(); ++i) {
    if (leaves.strides[i] == 0) moving.extents[i] = 1;
  }
  return index_mapping(session, moving).domain();
}

/// The run of indices from 0 to the first that the layout misses, inverted to a layout, if its
/// coordinates are a grid.
Result<std::optional<Leaves>> run_read_back(const IslSession& session, const Leaves& leaves) {
  const isl::map index = index_mapping(session, leaves);
  const std::int64_t past = leaves.greatest().value() + 2;
  const std::int64_t begin = least(interval(session, 0, past).subtract(index.range()));
  if (begin <= 1) return std::optional<Leaves>();
  const isl::set run = interval(session, 0, begin);
  const isl::set origins = at_first_element(session, leaves);
  const auto grid = grid_extents(index.intersect_range(run).domain().intersect(origins));
  if (!grid) return std::optional<Leaves>();
  std::vector<std::int64_t> extents;
  Int size = 1;
  for (const std::size_t i : order_by_stride(leaves)) {
    if ((*grid)[i] == 1) continue;
    extents.push_back((*grid)[i]);
    size *= (*grid)[i];
  }
  // There are more coordinates than indices: some index occurs twice.
  if (size != Int(begin)) return std::optional<Leaves>();
  const isl::set flat = origins.apply(coordinate_mapping(session, leaves.extents).reverse());
  const isl::map backwards =
      layout_mapping(session, leaves).intersect_range(run).intersect_domain(flat).reverse();
  return leaves_in_shape(session, backwards, extents);
}

Result<cute::Layout> right_inverse_of(const IslSession& session, const Leaves& leaves) {
  HEDDLE_TRY(const auto run, run_read_back(session, leaves));
  return run ? without_ones(*run) : cute::Layout();
}

bool is_identity(const IslSession& session, const isl::map& map, std::int64_t size) {
  return map.is_equal(parse_map(session, fmt::format("{{ [c] -> [c] : 0 <= c < {} }}", size)));
}

bool undoes(const IslSession& session, const Leaves& inverse, const Leaves& layout) {
  const isl::map there_and_back =
      layout_mapping(session, layout).apply_range(layout_mapping(session, inverse));
  return is_identity(session, there_and_back, layout.size());
}

}  // namespace

Result<cute::Layout> complement_fill(const cute::Layout& layout, std::int64_t target,
                                     const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, complement_operand(layout, target));
  IslSession session(limits);
  return session.ask("complement_fill", [&]() -> Result<cute::Layout> {
    HEDDLE_TRY(const Leaves filled, checked_filling(session, layout, leaves, target));
    return without_ones(filled);
  });
}

Result<cute::Layout> complement(const cute::Layout& layout, std::int64_t target,
                                const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, complement_operand(layout, target));
  IslSession session(limits);
  return session.ask("complement", [&]() -> Result<cute::Layout> {
    HEDDLE_TRY(const Leaves filled, checked_filling(session, layout, leaves, target));
    if (is_large_enough(leaves, filled, target)) return without_ones(filled);
    HEDDLE_TRY(const cute::Layout found, without_ones(filled));
    return refuse("complement.holes",
                  fmt::format("complement({},{}): what fills its gaps, {}, is too small",
                              to_string(layout), target, to_string(found)));
  });
}

Result<bool> is_complement(const cute::Layout& layout, const cute::Layout& replica,
                           std::int64_t target, const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, complement_operand(layout, target));
  HEDDLE_TRY(const Leaves other, leaves_of(replica));
  IslSession session(limits);
  return session.ask("complement", [&] {
    return interlock(session, leaves, other) && is_large_enough(leaves, other, target);
  });
}

Result<cute::Layout> inverse(const cute::Layout& layout, const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, leaves_of(layout));
  IslSession session(limits);
  return session.ask("inverse", [&]() -> Result<cute::Layout> {
    const isl::map mapping = layout_mapping(session, leaves);
    // There are as many indices as coordinates: none occurs twice.
    if (!image(session, leaves).is_equal(interval(session, 0, leaves.size()))) {
      return refuse(
          "inverse.not_bijective",
          fmt::format("inverse({}): the layout is not a bijection onto its {} first indices",
                      to_string(layout), leaves.size()));
    }
    std::vector<std::int64_t> extents;
    for (const std::size_t i : order_by_stride(leaves)) extents.push_back(leaves.extents[i]);
    HEDDLE_TRY(const auto inverted, leaves_in_shape(session, mapping.reverse(), extents));
    if (!inverted) {
      return refuse("inverse.not_bijective",
                    fmt::format("inverse({}): the inverse relation is affine in no shape",
                                to_string(layout)));
    }
    return flat_layout(*inverted);
  });
}

Result<cute::Layout> right_inverse(const cute::Layout& layout, const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, leaves_of(layout));
  IslSession session(limits);
  return session.ask("right_inverse", [&] { return right_inverse_of(session, leaves); });
}

Result<cute::Layout> left_inverse(const cute::Layout& layout, const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, leaves_of(layout));
  if (known_less(leaves.least(), 0)) {
    return refuse("inverse.negative_stride",
                  fmt::format("left_inverse({}): the layout leads to indices below 0, which no "
                              "layout reads",
                              to_string(layout)));
  }
  IslSession session(limits);
  return session.ask("left_inverse", [&]() -> Result<cute::Layout> {
    Leaves whole = leaves;
    const Leaves filled = filling(session, leaves, leaves.greatest().value() + 1);
    for (std::size_t i = 0; i < filled.extents.size(); ++i) {
      whole.append(filled.extents[i], filled.strides[i]);
    }
    HEDDLE_TRY(cute::Layout result, right_inverse_of(session, whole));
    HEDDLE_TRY(const Leaves inverse, leaves_of(result));
    if (undoes(session, inverse, leaves)) return result;
    return refuse("left_inverse.divisibility",
                  fmt::format("left_inverse({}): the layout meets an index twice, or copies of it "
                              "do not fill its gaps",
                              to_string(layout)));
  });
}

Result<bool> is_left_inverse(const cute::Layout& layout, const cute::Layout& r,
                             const Limits& limits) {
  HEDDLE_TRY(const Leaves leaves, leaves_of(layout));
  HEDDLE_TRY(const Leaves inverse, leaves_of(r));
  IslSession session(limits);
  return session.ask("left_inverse", [&] { return undoes(session, inverse, leaves); });
}

Result<bool> is_right_inverse(const cute::Layout& layout, const cute::Layout& r,
                              const Limits& limits) {
  return is_left_inverse(r, layout, limits);
}

}  // namespace heddle::map::isl_engine
