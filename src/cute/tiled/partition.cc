#include "heddle/cute/partition.h"

#include <algorithm>
#include <vector>

#include "cute/layout/format.h"
#include "cute/layout/picked_modes.h"
#include "cute/tiled/tiled_part.h"
#include "heddle/cute/divide.h"

namespace heddle::cute {
namespace {

/// Refuses an index that is certainly outside its mode.
Result<void> check_within(CoordinateView coordinate, IntTupleView shape, const Part& part) {
  if (coordinate.is_leaf()) {
    const Index& index = coordinate.leaf();
    if (index.is_underscore()) return {};
    const Int extent = size(shape);
    if (!known_less(index.value(), 0) && !known_at_most(extent, index.value())) return {};
    return refuse(diagnose("partition.coordinate",
                           "the coordinate {} is not one of the {} of a mode of {}", index, extent,
                           part.divided)
                      .with_note(fmt::format("the part is picked by {}", part.coordinate)));
  }
  if (shape.is_leaf() || shape.rank() != coordinate.rank()) return {};  // refused by slicing
  auto mode = shape.modes().begin();
  for (const CoordinateView index : coordinate.modes()) {
    HEDDLE_CHECK(check_within(index, *mode, part));
    ++mode;
  }
  return {};
}

Result<IntTuple> sum(IntTupleView a, IntTupleView b);

/// Coordinates of several axes: a mode that one of them lacks counts as 0.
Result<IntTuple> sum_by_mode(IntTupleView a, IntTupleView b) {
  std::vector<IntTuple> modes;
  for (const IntTupleView mode : a.modes()) modes.emplace_back(mode);
  std::size_t index = 0;
  for (const IntTupleView mode : b.modes()) {
    if (index < modes.size()) {
      HEDDLE_TRY(modes[index], sum(modes[index], mode));
    } else {
      modes.emplace_back(mode);
    }
    ++index;
  }
  return IntTuple::of(modes);
}

/// The sum of two offsets. A layout whose steps are all 0 has the offset 0 in every index space.
Result<IntTuple> sum(IntTupleView a, IntTupleView b) {
  if (a.is_leaf() && known_equal(a.leaf(), 0)) return IntTuple(b);
  if (b.is_leaf() && known_equal(b.leaf(), 0)) return IntTuple(a);
  if (a.is_leaf() && b.is_leaf()) {
    HEDDLE_TRY(const Int total, check_defined(a.leaf() + b.leaf(), "the offset of a partition"));
    return IntTuple(total);
  }
  if (!a.is_leaf() && !b.is_leaf()) return sum_by_mode(a, b);
  return refuse("coordinate.incongruent", "the offsets {} and {} are in different index spaces",
                IntTuple(a), IntTuple(b));
}

/// A coordinate of a mode of this rank: a tuple is filled up with `_`, an index is flat.
Coordinate filled_up(const Coordinate& coordinate, std::size_t rank) {
  if (coordinate.is_leaf() || coordinate.rank() >= rank) return coordinate;
  std::vector<Coordinate> modes;
  for (const CoordinateView mode : coordinate.modes()) modes.emplace_back(mode);
  modes.resize(rank, Coordinate(Index(Underscore())));
  return Coordinate::of(modes);
}

/// A coordinate of one mode means that the tiler has one mode too: `(K)` alone is read as the
/// number K.
Tiler in_modes_of(const Coordinate& coordinate, const Tiler& tiler) {
  const bool needs_mode = tiler.is_leaf() && !coordinate.is_leaf() && coordinate.rank() == 1;
  return needs_mode ? Tiler::of({&tiler, 1}) : tiler;
}

/// The modes of a tuple at which the projection has an index.
template <class Leaf>
Result<Tuple<Leaf>> projected(const Coordinate& projection, const Tuple<Leaf>& tuple) {
  HEDDLE_TRY(Selection kept, select_parts(projection, tuple.profile(), Keep::kIndices));
  typename Tuple<Leaf>::Leaves leaves;
  for (const std::size_t leaf : kept.leaves) leaves.push_back(tuple.leaves()[leaf]);
  return Tuple<Leaf>(std::move(kept.profile), std::move(leaves));
}

/// A number as a tuple of one.
IntTuple as_tuple(const IntTuple& tuple) {
  return tuple.is_leaf() ? IntTuple::of({&tuple, 1}) : tuple;
}

/// Refuses indices from the cosize of the threads on, which no thread has.
Result<void> check_reached(const Layout& threads, const Int& index) {
  HEDDLE_TRY(const Int end, cosize(threads));
  HEDDLE_CHECK(
      lies_within(index, end, [&] { return fmt::format("thread {} of {}", index, threads); }));
  return {};
}

}  // namespace

Result<OffsetLayout> pick(const OffsetLayout& tensor, const Part& part) {
  HEDDLE_CHECK(check_within(part.coordinate, part.divided.shape(), part));
  HEDDLE_TRY(OffsetLayout picked, slice_and_offset(part.coordinate, part.divided));
  HEDDLE_TRY(picked.offset, sum(tensor.offset, picked.offset));
  return picked;
}

Result<ComposedLayout> pick(const ComposedLayout& tensor, const Part& part) {
  HEDDLE_CHECK(check_within(part.coordinate, part.divided.shape(), part));
  HEDDLE_TRY(const ComposedLayout divided, tensor.with(tensor.offset(), part.divided));
  return slice(part.coordinate, divided);
}

Result<Part> inner_part(const Layout& layout, const Tiler& tiler, const Coordinate& coordinate) {
  HEDDLE_TRY(const Layout tiled, zipped_divide(layout, in_modes_of(coordinate, tiler)));
  return Part{
      tiled, Coordinate{everything_of(tiled.mode(0)), filled_up(coordinate, tiled.mode(1).rank())}};
}

Result<Part> outer_part(const Layout& layout, const Tiler& tiler, const Coordinate& coordinate) {
  HEDDLE_TRY(const Layout tiled, zipped_divide(layout, tiler));
  return Part{
      tiled, Coordinate{filled_up(coordinate, tiled.mode(0).rank()), everything_of(tiled.mode(1))}};
}

Result<Part> tile_part(const Layout& layout, const Tiler& tiler, const Coordinate& coordinate,
                       const std::optional<Coordinate>& projection) {
  if (!projection) return inner_part(layout, tiler, coordinate);
  HEDDLE_TRY(const Tiler kept_tiles, projected(*projection, tiler));
  HEDDLE_TRY(const Coordinate kept_indices, projected(*projection, coordinate));
  return inner_part(layout, kept_tiles, kept_indices);
}

Result<Part> thread_part(const Layout& layout, const Layout& threads, const Int& index,
                         const std::optional<Coordinate>& projection) {
  if (!index.is_constant()) HEDDLE_CHECK(check_reached(threads, index));
  HEDDLE_TRY(const IntTuple thread, get_flat_coord(threads, index));
  Tiler sizes = to_tiler(as_tuple(product_each(threads.shape())));
  Coordinate coordinate = to_coordinate(as_tuple(thread));
  if (projection) {
    HEDDLE_TRY(sizes, projected(*projection, sizes));
    HEDDLE_TRY(coordinate, projected(*projection, coordinate));
  }
  return outer_part(layout, sizes, coordinate);
}

}  // namespace heddle::cute
