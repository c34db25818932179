#include "heddle/cute/manipulation.h"

#include <algorithm>
#include <functional>

#include "core/text.h"
#include "cute/layout/axes.h"
#include "cute/layout/fast_paths.h"
#include "cute/layout/format.h"
#include "cute/layout/modes.h"
#include "cute/layout/picked_modes.h"
#include "expr/assume_needed.h"
#include "heddle/cute/composition.h"
#include "heddle/cute/product.h"
#include "heddle/cute/tabulate.h"

namespace heddle::cute {
namespace {

Result<void> check_mode(const Layout& layout, std::size_t index) {
  if (index < layout.rank()) return {};
  return refuse("layout.mode", "{} has {}, numbered from 0; there is no mode {}", layout,
                counted(layout.rank(), "mode"), index);
}

Result<void> check_range(const Layout& layout, std::size_t begin, std::size_t end) {
  if (begin < end && end <= layout.rank()) return {};
  return refuse("layout.mode", "modes [{},{}) are not a part of the {} modes of {}", begin, end,
                layout.rank(), layout);
}

enum class End { kFront, kBack };

/// The layout with as many copies of `mode` at one end as bring it to `rank`.
Result<Layout> extended(std::string_view operation, const Layout& layout, std::size_t rank,
                        const Layout& mode, End end) {
  if (rank > kMaxRank) {
    return refuse("layout.mode", "{}: {} has {} and cannot be brought to {}", operation, layout,
                  counted(layout.rank(), "mode"), rank);
  }
  if (rank <= layout.rank()) return layout;
  std::vector<Layout> modes = layout.modes();
  modes.insert(end == End::kFront ? modes.begin() : modes.end(), rank - modes.size(), mode);
  return make_layout(modes);
}

Refusal incongruent(std::string_view operation, const Layout& layout, ProfileView profile) {
  return refuse("tuple.incongruent", "{}: {} does not have the nesting of {}", operation, layout,
                repeat_like(profile, 1));
}

/// `operation` applied to the modes of `layout` at the leaves of `profile`.
Result<Layout> at_leaves(std::string_view name, const Layout& layout, ProfileView profile,
                         const std::function<Result<Layout>(const Layout&)>& operation) {
  if (profile.is_leaf()) return operation(layout);
  if (profile.rank() > layout.rank()) return incongruent(name, layout, profile);
  std::vector<Layout> modes = layout.modes();
  std::size_t i = 0;
  for (const ProfileView part : profile.modes()) {
    HEDDLE_TRY(modes[i], at_leaves(name, modes[i], part, operation));
    ++i;
  }
  return make_layout(modes);
}

/// The layout of the picked leaves.
Result<Layout> pick(const Selection& selection, const Layout& layout) {
  return Layout::make(selection.profile, selection.leaves_of(layout.extents()),
                      selection.leaves_of(layout.strides()));
}

Coordinate with_zeros(const Coordinate& coordinate) {
  return transform_leaves(
      coordinate, [](const Index& index) { return index.is_underscore() ? Index(0) : index; });
}

Result<IntTuple> integral_stride(std::string_view operation, const Layout& layout) {
  if (!layout.is_integral()) {
    return refuse("layout.not_integral", "{}: {} has strides in several axes, which have no order",
                  operation, layout);
  }
  return transform_leaves(layout.stride(), [](const Stride& stride) { return stride.scale(); });
}

/// ((a,b),(c,d)) -> ((a,c),(b,d)) along the tuples of `tiler`.
struct Unzipped {
  Layout first;
  Layout second;
};

Result<Unzipped> unzip(const Layout& layout, TilerView tiler) {
  if (tiler.is_leaf()) {
    // A mode that was not divided is the rest of a tile of one element.
    if (tiler.leaf().is_underscore()) return Unzipped{Layout(), layout};
    if (layout.rank() == 2) return Unzipped{layout.mode(0), layout.mode(1)};
    return refuse("tuple.incongruent", "tile_unzip: mode {} is not a pair of a tile and its rest",
                  layout);
  }
  if (tiler.rank() > layout.rank()) {
    return refuse("tiler.rank", "tile_unzip: a tiler of {} for the {} modes of {}",
                  counted(tiler.rank(), "tile"), layout.rank(), layout);
  }
  const std::vector<Layout> modes = layout.modes();
  std::vector<Layout> firsts;
  std::vector<Layout> seconds;
  for (const TilerView tile : tiler.modes()) {
    HEDDLE_TRY(Unzipped pair, unzip(modes[firsts.size()], tile));
    firsts.push_back(std::move(pair.first));
    seconds.push_back(std::move(pair.second));
  }
  seconds.insert(seconds.end(), modes.begin() + static_cast<std::ptrdiff_t>(firsts.size()),
                 modes.end());
  HEDDLE_TRY(Layout first, make_layout(firsts));
  HEDDLE_TRY(Layout second, make_layout(seconds));
  return Unzipped{std::move(first), std::move(second)};
}

}  // namespace

Result<Layout> make_layout_left(const IntTuple& shape) { return make_layout(shape); }

Result<Layout> make_layout_right(const IntTuple& shape) {
  return Layout::make(shape, to_strides(compact_row_major(shape)));
}

Result<Layout> make_ordered_layout(const IntTuple& shape, const IntTuple& order) {
  HEDDLE_TRY(const IntTuple stride, compact_order(shape, order));
  return Layout::make(shape, to_strides(stride));
}

Result<Layout> make_layout_like(const Layout& layout) {
  HEDDLE_TRY(const IntTuple order, integral_stride("make_layout_like", layout));
  HEDDLE_TRY(const Layout moving, filter_zeros(layout));
  HEDDLE_TRY(const IntTuple stride, compact_order(moving.shape(), order));
  return Layout::make(layout.shape(), to_strides(stride));
}

Result<Layout> make_fragment_like(const Layout& layout) {
  if (layout.rank() <= 1) return make_layout(layout.shape());
  const Layout first = layout.mode(0);
  HEDDLE_TRY(const Layout moving, filter_zeros(first));
  HEDDLE_TRY(const Layout values,
             Layout::make(first.shape(), to_strides(compact_col_major(moving.shape()))));
  HEDDLE_TRY(const Layout rest, take(layout, 1, layout.rank()));
  HEDDLE_TRY(const IntTuple order, integral_stride("make_fragment_like", rest));
  HEDDLE_TRY(const Layout tiler, make_ordered_layout(rest.shape(), order));
  return tiled_product(values, Tiler(Tile(tiler)));
}

Result<Layout> make_identity_layout(const IntTuple& shape) {
  StrideTuple::Leaves strides;
  std::vector<std::size_t> path;
  // Walks the profile in preorder; `left` counts the modes still to come at each level of the path.
  std::vector<std::size_t> left;
  for (const ProfileView::Node node : shape.profile().view().nodes()) {
    const bool is_leaf = node == 0;
    const bool has_modes = node > 1;
    if (has_modes) {
      path.push_back(0);
      left.push_back(node - 1);
      continue;
    }
    if (is_leaf) {
      HEDDLE_TRY(const Basis basis, Basis::make(path));
      strides.emplace_back(Int(1), basis);
    }
    while (!left.empty() && --left.back() == 0) {
      left.pop_back();
      path.pop_back();
    }
    if (!path.empty()) ++path.back();
  }
  return Layout::make(shape, StrideTuple(shape.profile(), std::move(strides)));
}

Result<IntTuple> coshape(const Layout& layout) {
  AxisValues sizes;
  const std::vector<Basis> bases = distinct_bases(layout.strides());
  for (const Basis& basis : bases) sizes[basis] = 1;
  for (const Mode& mode : leaves(layout)) {
    if (!mode.stride.is_zero())
      sizes[mode.stride.basis()] += (mode.extent - 1) * abs(mode.stride.scale());
  }
  for (const auto& [basis, size] : sizes) {
    HEDDLE_CHECK(check_defined(size, [&] { return "the cosize of " + to_string(layout); }));
  }
  if (sizes.empty()) return IntTuple(Int(1));
  const IntTuple coordinate = assemble_coordinate(sizes);
  return transform_leaves(coordinate, [](const Int& size) { return max(size, 1); });
}

Result<Int> cosize(const Layout& layout) {
  HEDDLE_TRY(const IntTuple box, coshape(layout));
  return check_defined(product(box), [&] { return "the cosize of " + to_string(layout); });
}

// The sum of |stride| in cosize is also greatest minus least index: each digit adds its reach on
// one side or the other.
Result<Int> span(const Layout& layout) { return cosize(layout); }

Result<Layout> get(const Layout& layout, std::span<const std::size_t> path) {
  Layout mode = layout;
  for (const std::size_t index : path) {
    HEDDLE_CHECK(check_mode(mode, index));
    mode = mode.mode(index);
  }
  return mode;
}

Result<Layout> take(const Layout& layout, std::size_t begin, std::size_t end) {
  HEDDLE_CHECK(check_range(layout, begin, end));
  const std::vector<Layout> modes = layout.modes();
  return make_layout(std::span(modes).subspan(begin, end - begin));
}

Result<Layout> select(const Layout& layout, std::span<const std::size_t> modes) {
  const std::vector<Layout> all = layout.modes();
  std::vector<Layout> selected;
  for (const std::size_t index : modes) {
    HEDDLE_CHECK(check_mode(layout, index));
    selected.push_back(all[index]);
  }
  return make_layout(selected);
}

Result<Layout> group(const Layout& layout, std::size_t begin, std::size_t end) {
  HEDDLE_CHECK(check_range(layout, begin, end));
  const std::vector<Layout> all = layout.modes();
  HEDDLE_TRY(const Layout grouped, make_layout(std::span(all).subspan(begin, end - begin)));
  std::vector<Layout> modes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(begin));
  modes.push_back(grouped);
  modes.insert(modes.end(), all.begin() + static_cast<std::ptrdiff_t>(end), all.end());
  return make_layout(modes);
}

Result<Layout> append(const Layout& layout, const Layout& mode) {
  return append(layout, layout.rank() + 1, mode);
}

Result<Layout> append(const Layout& layout, std::size_t rank, const Layout& mode) {
  return extended("append", layout, rank, mode, End::kBack);
}

Result<Layout> prepend(const Layout& layout, const Layout& mode) {
  return prepend(layout, layout.rank() + 1, mode);
}

Result<Layout> prepend(const Layout& layout, std::size_t rank, const Layout& mode) {
  return extended("prepend", layout, rank, mode, End::kFront);
}

Result<Layout> replace(const Layout& layout, std::size_t index, const Layout& mode) {
  HEDDLE_CHECK(check_mode(layout, index));
  std::vector<Layout> modes = layout.modes();
  modes[index] = mode;
  if (layout.profile().is_leaf()) return mode;
  return make_layout(modes);
}

Layout flatten(const Layout& layout) {
  if (layout.depth() <= 1) return layout;
  return *nest(Profile::flat(layout.extents().size()), leaves(layout));
}

Result<Layout> unflatten(const Layout& layout, ProfileView profile) {
  if (layout.depth() > 1 || layout.extents().size() != profile.leaf_count()) {
    return incongruent("unflatten", layout, profile);
  }
  return nest(Profile(profile), leaves(layout));
}

Result<Layout> zip(const Layout& layout) {
  if (layout.rank() == 0) return layout;
  std::vector<std::vector<Layout>> columns(layout.mode(0).rank());
  for (const Layout& mode : layout.modes()) {
    if (mode.rank() != columns.size()) {
      return refuse("tuple.incongruent", "zip: the modes of {} have different ranks ({} and {})",
                    layout, columns.size(), mode.rank());
    }
    std::size_t i = 0;
    for (Layout& part : mode.modes()) columns[i++].push_back(std::move(part));
  }
  std::vector<Layout> zipped;
  for (const std::vector<Layout>& column : columns) {
    HEDDLE_TRY(Layout mode, make_layout(column));
    zipped.push_back(std::move(mode));
  }
  return make_layout(zipped);
}

Result<Layout> zip(const Layout& a, const Layout& b) {
  HEDDLE_TRY(const Layout both, make_layout({a, b}));
  return zip(both);
}

Result<Layout> tile_unzip(const Layout& layout, const Tiler& tiler) {
  HEDDLE_TRY(const Unzipped pair, unzip(layout, tiler));
  return make_layout({pair.first, pair.second});
}

Result<Layout> with_shape(const Layout& layout, const IntTuple& shape) {
  HEDDLE_TRY(const Layout view, make_layout(shape));
  HEDDLE_TRY(const bool fits, decide({view.size(), Predicate::kEqual, layout.size()},
                                     calling("with_shape", layout, shape)));
  if (!fits) {
    return refuse(
        diagnose("with_shape.size", "with_shape({},{}): the layout has {}, the shape {}", layout,
                 shape, counted(layout.size(), "element"), view.size())
            .with_hint(fmt::format("composition({},{}) takes a part of a layout, or runs on past "
                                   "its end",
                                   layout, view)));
  }
  return composition(layout, view);
}

Layout coalesce(const Layout& layout) {
  if (const auto result = constant::coalesce(layout)) return Layout(*result);
  const Modes joined = join_neighbours(leaves(layout));
  return *from_modes(joined);
}

Result<Layout> coalesce(const Layout& layout, ProfileView profile) {
  return at_leaves("coalesce", layout, profile, [](const Layout& mode) { return coalesce(mode); });
}

Result<Layout> filter_zeros(const Layout& layout) {
  Modes modes = leaves(layout);
  for (Mode& mode : modes) {
    HEDDLE_CHECK(check_moves(mode, calling("filter_zeros", layout)));
    if (mode.stride.is_zero()) mode.extent = 1;
  }
  return nest(layout.profile(), modes);
}

Result<Layout> filter(const Layout& layout) {
  if (const auto filtered = constant::filter(layout)) return constant::layout_of(*filtered);
  HEDDLE_TRY(const Layout moving, filter_zeros(layout));
  return coalesce(moving);
}

Result<Layout> filter(const Layout& layout, ProfileView profile) {
  return at_leaves("filter", layout, profile, [](const Layout& mode) { return filter(mode); });
}

Result<Layout> sort(const Layout& layout) {
  HEDDLE_CHECK(integral_stride("sort", layout));
  if (layout.profile().is_leaf()) return layout;
  auto modes = leaves(layout);
  const auto call = calling("sort", layout);
  // Two stable sorts: by stride, and by extent where the strides are equal.
  const auto extent = [](const Mode& mode) -> const Int& { return mode.extent; };
  const auto stride = [](const Mode& mode) -> const Int& { return mode.stride.scale(); };
  HEDDLE_CHECK(sort_by(modes, extent, call, Ties::kStable));
  HEDDLE_CHECK(sort_by(modes, stride, call, Ties::kStable));
  return nest(Profile::flat(modes.size()), modes);
}

Result<Layout> slice(const Coordinate& coordinate, const Layout& layout) {
  HEDDLE_TRY(const Selection selection,
             select_parts(coordinate, layout.profile(), Keep::kUnderscores));
  return pick(selection, layout);
}

Result<Layout> dice(const Coordinate& coordinate, const Layout& layout) {
  HEDDLE_TRY(const Selection selection, select_parts(coordinate, layout.profile(), Keep::kIndices));
  return pick(selection, layout);
}

Result<IntTuple> slice_offset(const Coordinate& coordinate, const Layout& layout) {
  return evaluate(layout, with_zeros(coordinate));
}

Result<OffsetLayout> slice_and_offset(const Coordinate& coordinate, const Layout& layout) {
  HEDDLE_TRY(Layout part, slice(coordinate, layout));
  HEDDLE_TRY(IntTuple offset, slice_offset(coordinate, layout));
  return OffsetLayout{std::move(part), std::move(offset)};
}

Result<OffsetLayout> domain_offset(const Coordinate& coordinate, const Layout& layout) {
  HEDDLE_TRY(IntTuple offset, evaluate(layout, coordinate));
  return OffsetLayout{layout, std::move(offset)};
}

Result<IntTuple> get_hier_coord(const Layout& layout, const Int& index) {
  HEDDLE_CHECK(integral_stride("the coordinate of an index", layout));
  IntTuple::Leaves digits;
  for (const Mode& mode : leaves(layout)) {
    HEDDLE_CHECK(check_moves(mode, calling("get_hier_coord", layout, index)));
    const bool repeats = known_equal(mode.extent, 1) || mode.stride.is_zero();
    digits.push_back(repeats ? Int(0) : mod(floor_div(index, mode.stride.scale()), mode.extent));
  }
  const IntTuple coordinate(layout.profile(), std::move(digits));
  HEDDLE_TRY(const IntTuple image, evaluate(layout, to_coordinate(coordinate)));
  HEDDLE_TRY(const bool found, decide({image.leaf(), Predicate::kEqual, index}, [&] {
               return fmt::format("the coordinate of index {} of {}", index, layout);
             }));
  if (found) return coordinate;
  return refuse(
      diagnose("coordinate.not_found",
               "index {} of {} cannot be taken apart by division: the digits {} lead to {}", index,
               layout, coordinate, image)
          .with_hint(fmt::format("for layouts that are not compact: left_inverse({})({})", layout,
                                 index)));
}

Result<IntTuple> get_flat_coord(const Layout& layout, const Int& index) {
  HEDDLE_TRY(const IntTuple coordinate, get_hier_coord(layout, index));
  if (layout.rank() == 1) {
    HEDDLE_TRY(const Int flat, crd2idx(coordinate, layout.shape()));
    return IntTuple(flat);
  }
  return crd2crd(coordinate, layout.shape(), repeat_like(Profile::flat(layout.rank()), 1));
}

Result<Int> get_1d_coord(const Layout& layout, const Int& index) {
  HEDDLE_TRY(const IntTuple coordinate, get_hier_coord(layout, index));
  return crd2idx(coordinate, layout.shape());
}

Result<std::vector<IntTuple>> table(const Layout& layout, std::optional<std::size_t> limit) {
  constexpr std::int64_t kMaxLeaves = std::int64_t{1} << 24;
  const Layout flat = coalesce(layout);
  const Int count = limit ? min(layout.size(), *limit) : layout.size();
  HEDDLE_TRY(const IntTuple first, evaluate(flat, Coordinate(Index(0))));
  if (!count.is_constant()) {
    return refuse(
        diagnose("table.symbolic", "table({}): the size {} is not a number", layout, count)
            .with_hint("give a limit, limit=16, or " + value_hint({&count, 1})));
  }
  if (!known_at_most(count * first.leaves().size(), kMaxLeaves)) {
    return refuse("table.too_large",
                  "table({}): {} values of {} numbers each are more than {} numbers", layout, count,
                  first.leaves().size(), kMaxLeaves);
  }
  std::vector<IntTuple> values;
  if (is_constant(flat) && flat.is_integral()) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(count.value()));
    HEDDLE_CHECK(tabulate(flat, indices));
    values.assign(indices.begin(), indices.end());
    return values;
  }
  for (Int c = 0; known_less(c, count); c += 1) {
    HEDDLE_TRY(IntTuple value, evaluate(flat, Coordinate(Index(c))));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace heddle::cute
