#include "heddle/cute/divide.h"

#include <optional>

#include "cute/algebra/tiling.h"
#include "cute/layout/axes.h"
#include "cute/layout/extension.h"
#include "cute/layout/fast_paths.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "expr/assume_needed.h"
#include "heddle/cute/complement.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/int_tuple.h"
#include "heddle/cute/manipulation.h"

namespace heddle::cute {
namespace {

/// The number of indices that a tile and its copies cover without a hole: extent times stride of
/// its last mode. `tile` is filtered.
Int covered_by(const Layout& tile) {
  Int covered = 1;
  for (const Mode& mode : leaves(tile)) {
    covered = max(covered, mode.extent * mode.stride.scale());
  }
  return covered;
}

}  // namespace

/// The reach of a tile depends on which of its modes have more than one element; modes of stride 1
/// reach as far with one element as without.
template <std::invocable Call>
Result<void> check_reach(const Layout& tile, Call call) {
  HEDDLE_TRY(const Layout filtered, filter(tile));
  for (const Mode& mode : leaves(filtered)) {
    if (mode.extent.is_constant() || mode.stride.is_zero()) continue;
    if (known_equal(mode.stride, Stride(1))) continue;
    const Condition moves{2, Predicate::kAtMost, mode.extent};
    if (!known(moves)) return needed(call(), moves);
  }
  return {};
}

/// Which mode is rounded up depends on which modes join: it must be known that these two do not.
template <std::invocable Call>
Result<void> check_apart(const Mode& mode, const Mode& next, Call call) {
  const Int end = mode.extent * mode.stride.scale();
  const Int& begin = next.stride.scale();
  if (end.is_constant() && begin.is_constant() && next.extent.is_constant()) return {};
  HEDDLE_CHECK(decide({2, Predicate::kAtMost, next.extent}, call));
  if (mode.stride.basis() != next.stride.basis()) return {};
  HEDDLE_CHECK(decide({end, Predicate::kEqual, begin}, call));
  return {};
}

Result<Padded> round_up_to_tiles(const Layout& layout, const Layout& flat, const Layout& tile) {
  const Modes modes = leaves(flat);
  const auto call = calling("logical_divide", layout, tile);
  HEDDLE_TRY(const Layout filtered, filter(tile));
  Int rest = covered_by(filtered);
  std::size_t i = 0;
  for (; i + 1 < modes.size(); ++i) {
    // Whole tiles end at the end of this mode, so nothing is rounded up.
    if (known_divides(rest, modes[i].extent)) break;
    HEDDLE_TRY(const bool ends_here, decide({rest, Predicate::kLess, modes[i].extent}, call));
    if (ends_here) break;
    rest = ceil_div(rest, modes[i].extent);
  }
  HEDDLE_TRY(const Int extent, check_defined(rest * ceil_div(modes[i].extent, rest), [&] {
               return fmt::format("{} rounded up to whole tiles {}", layout, tile);
             }));
  if (!known_equal(extent, modes[i].extent)) HEDDLE_CHECK(check_reach(tile, call));
  const Int size = floor_div(flat.size(), modes[i].extent) * extent;
  // The last mode runs on past its end as it is written, even if `flat` lacks it because its extent
  // is 1.
  if (i + 1 == modes.size() || known_equal(extent, modes[i].extent)) return Padded{layout, size};
  HEDDLE_CHECK(check_apart(modes[i], modes[i + 1], call));
  Modes padded = Extension(layout).modes();
  padded[i].extent = extent;
  HEDDLE_TRY(Layout wider, from_modes(padded));
  return Padded{std::move(wider), size};
}

namespace {

/// E:D divided by a run n:1, the usual tile: (n,ceil(E/n)):(D,n*D), whatever the numbers are.
/// nullopt for other operands and past 64 bits.
std::optional<Layout> divide_by_run(const Layout& layout, const Layout& tile) {
  if (layout.extents().size() != 1 || !tile.profile().is_leaf()) return std::nullopt;
  const Int& run = tile.extents().front();
  if (run == Int(1) || tile.strides().front() != Stride(1)) return std::nullopt;
  const Int& extent = layout.extents().front();
  const Stride& stride = layout.strides().front();
  const Int tiles = ceil_div(extent, run);
  // A single tile has stride 0, as in complements.
  if (tiles == Int(1) || !(tiles * run).is_defined()) return std::nullopt;
  const Mode modes[] = {{run, stride}, {tiles, run * stride}};
  Result<Layout> divided = from_modes(modes);
  if (!divided) return std::nullopt;
  return *std::move(divided);
}

/// Whether the coordinates of the layout, which has strides along modes, lie within the shape.
template <std::invocable Call>
Result<bool> fits_within(const IntTuple& shape, const Layout& layout, Call call) {
  for (const Basis& axis : distinct_bases(layout.strides())) {
    IntTupleView part = shape;
    for (std::size_t level = 0; level < axis.length(); ++level) part = part.mode(axis[level]);
    HEDDLE_TRY(const Layout along, along_axis(layout, axis));
    HEDDLE_TRY(const Int reach, cosize(along));
    HEDDLE_TRY(const bool inside, decide({reach, Predicate::kAtMost, product(part)}, call));
    if (!inside) return false;
  }
  return true;
}

/// A tile with strides along the modes of the layout, which it must divide.
Result<Layout> divide_by_axis(const Layout& layout, const Layout& tile) {
  const auto call = [&] { return fmt::format("logical_divide({},{})", layout, tile); };
  const auto within = [&] { return "in " + call(); };
  const IntTuple shape = layout.shape();
  HEDDLE_TRY(const Layout rest, with_note(rest_by_axis(tile, shape), within));
  // The tile and its copies do not meet, so they have every element if they are as many.
  HEDDLE_TRY(Layout own, filter(tile));
  HEDDLE_TRY(const Layout both, make_layout({std::move(own), rest}));
  HEDDLE_TRY(const bool is_inside, fits_within(shape, both, call));
  HEDDLE_TRY(const bool are_all, decide({both.size(), Predicate::kEqual, layout.size()}, call));
  if (!is_inside || !are_all) {
    return refuse("divide.uncovered",
                  "logical_divide({},{}): the tile and its copies {} do not meet every one of the "
                  "{} elements, or go past them",
                  layout, tile, rest, layout.size());
  }
  HEDDLE_TRY(const Layout split, make_layout({tile, rest}));
  return with_note(composition(layout, split), within);
}

}  // namespace

Result<Layout> logical_divide(const Layout& layout, const Layout& tile) {
  if (!tile.is_integral()) return divide_by_axis(layout, tile);
  if (const auto result = constant::logical_divide(layout, tile)) {
    return layout_of(*result);
  }
  if (std::optional<Layout> divided = divide_by_run(layout, tile)) return *std::move(divided);
  const Layout flat = coalesce(layout);
  const auto call = [&] { return fmt::format("in logical_divide({},{})", layout, tile); };
  HEDDLE_TRY(const Layout rest, with_note(complement(tile, flat.shape()), call));
  HEDDLE_TRY(const Padded padded, round_up_to_tiles(layout, flat, tile));
  // The tile and its copies must have every element: a bijection onto the padded domain.
  HEDDLE_TRY(Layout own, filter(tile));
  HEDDLE_TRY(const Layout both, make_layout({std::move(own), rest}));
  HEDDLE_TRY(const bool covers, fills_exactly(both, padded.size));
  if (!covers) {
    HEDDLE_TRY(const Verdict why, admissible_for_complementation(both, padded.size));
    return refuse(diagnose("divide.uncovered",
                           "logical_divide({},{}): the tile and its copies {} do not meet every "
                           "one of the {} elements",
                           layout, tile, rest, padded.size)
                      .with_note(why.method()));
  }
  HEDDLE_TRY(const Layout split, make_layout({tile, rest}));
  return with_note(composition(padded.layout, split), call);
}

Result<Layout> logical_divide(const Layout& layout, const Tiler& tiler) {
  if (const auto result = constant::logical_divide(layout, tiler)) {
    return layout_of(*result);
  }
  return by_mode("logical_divide", layout, tiler,
                 [](const Layout& mode, const Layout& tile) { return logical_divide(mode, tile); });
}

Result<Layout> zipped_divide(const Layout& layout, const Tiler& tiler) {
  if (const auto result = constant::zipped_divide(layout, tiler)) {
    return layout_of(*result);
  }
  HEDDLE_TRY(const Layout divided, logical_divide(layout, tiler));
  return tile_unzip(divided, tiler);
}

Result<Layout> tiled_divide(const Layout& layout, const Tiler& tiler) {
  if (const auto result = constant::tiled_divide(layout, tiler)) return layout_of(*result);
  return zipped_divide(layout, tiler).and_then(unpack_rest);
}

Result<Layout> flat_divide(const Layout& layout, const Tiler& tiler) {
  return zipped_divide(layout, tiler).and_then(unpack_both);
}

Result<Layout> domain_distribute(const IntTuple& shape, const Int& size) {
  HEDDLE_TRY(const bool positive,
             decide({1, Predicate::kAtMost, size}, calling("domain_distribute", shape, size)));
  if (!positive) {
    return refuse("tuple.divisor", "domain_distribute: the size {} is not positive", size);
  }
  HEDDLE_TRY(const Layout compact, make_layout(shape));
  Modes modes;
  Int rest = size;
  for (const Mode& mode : leaves(compact)) {
    const Int share = gcd(mode.extent, rest);
    modes.push_back({share, mode.stride});
    rest = floor_div(rest, share);
  }
  HEDDLE_TRY(const Layout distributed, from_modes(modes));
  return coalesce(distributed);
}

}  // namespace heddle::cute
