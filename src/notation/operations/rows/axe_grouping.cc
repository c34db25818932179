// Axe layouts: normal forms, grouping by shapes, tiles, direct sums and slices.

#include <fmt/format.h>

#include <utility>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "heddle/axe/slice.h"
#include "heddle/axe/tile.h"
#include "notation/operations/axis_widths.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

// ---- Normal forms of Axe layouts and their grouping by shapes ----

Datum datum_of(const std::vector<std::size_t>& seps) {
  Datum::List list;
  for (const std::size_t sep : seps) list.emplace_back(static_cast<std::int64_t>(sep));
  return list;
}

Value grouped(const axe::Layout& layout, Datum seps) {
  Datum::Fields fields;
  fields.emplace_back("layout", axe::to_string(layout));
  fields.emplace_back("seps", std::move(seps));
  return Value(Datum(std::move(fields)));
}

Result<Value> group_many(const axe::Layout& layout, const AxeShapes& shapes) {
  HEDDLE_TRY(const axe::CommonGrouping common, axe::group_many(layout, shapes.shapes));
  Datum::List seps;
  for (const auto& each : common.seps) seps.push_back(datum_of(each));
  return grouped(common.layout, std::move(seps));
}

void add_grouping(const Rows& add) {
  add({.call = "canonicalize(layout)",
       .summary = "The normal form: no unit iters, neighbours joined, replicas merged and sorted.",
       .example = {"canonicalize(S[(2,3,6):(18,6,1)])", "S[(36):(1@m)]"}},
      axe::canonicalize);
  add({.call = "gap_condition(layout)",
       .summary = "Whether the replicas' strides meet the gap condition, so that no other normal "
                  "form has the same map.",
       .example = {"gap_condition(S[2] + R[(2,3):(3,2)])",
                   "no  (the replicas (2, 3@m) and (3, 2@m): the stride 3 is not above 3*2 = 6)"}},
      axe::gap_condition);
  add({.call = "group(layout, shape)",
       .summary = "The iters as one block for each extent of the shape: block i is from seps[i] up "
                  "to seps[i+1].",
       .example = {"group(S[(4,6):(6,1)], (6,4))",
                   R"({"layout":"S[(6,4):(4@m,1@m)]","seps":[0,1,2]})"}},
      [](const axe::Layout& layout, const IntList& shape) -> Result<Value> {
        HEDDLE_TRY(const axe::Grouping grouping, axe::group(layout, shape));
        return grouped(grouping.layout, datum_of(grouping.seps));
      });
  add({.call = "group_many(layout, shape)",
       .summary =
           "The coarsest list of iters that groups by every shape, and the boundaries of each.",
       .example = {"group_many(S[24], [[4,6],[8,3]])",
                   R"({"layout":"S[(4,2,3):(6@m,3@m,1@m)]","seps":[[0,1,3],[0,2,3]]})"}},
      group_many);
  add({.call = "reshape(layout, shape)",
       .summary = "The same map, its iters grouped by the shape.",
       .example = {"reshape(S[24], (4,6))", "S[(4,6):(6@m,1@m)]"}},
      [](const axe::Layout& layout, const IntList& shape) -> Result<axe::Layout> {
        HEDDLE_TRY(axe::Grouping grouping, axe::reshape(layout, shape));
        return std::move(grouping.layout);
      });
  add({.call = "permute_dims(layout, perm)",
       .summary = "The iters in another order: iter perm[i] becomes iter i.",
       .example = {"permute_dims(S[(8,2):(4@laneid,1@m)], (1,0))", "S[(2,8):(1@m,4@laneid)]"}},
      axe::permute_dims);
  add({.call = "permute_groups(layout, shape, perm)",
       .summary = "The blocks of the shape in another order: a transposition of the tensor.",
       .example = {"permute_groups(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)], (8,16), (1,0))",
                   "S[(2,4,2,8):(1@warpid,1@laneid,1@m,4@laneid)]"}},
      [](const axe::Layout& layout, const IntList& shape,
         const linear::Sizes& perm) -> Result<axe::Layout> {
        HEDDLE_TRY(axe::Grouping grouping, axe::permute_groups(layout, shape, perm));
        return std::move(grouping.layout);
      });
  add({.call = "broadcast(layout, extent, position=-1)",
       .summary = "A new iter of stride 0 before the iter `position`.",
       .example = {"broadcast(S[(8,2):(2,1)], 4, 0)", "S[(4,8,2):(0@m,2@m,1@m)]"}},
      axe::broadcast);
}

// ---- Tiles, direct sums and slices of Axe layouts ----

constexpr const char* kTiles = "tiling Axe layouts";

/// The shapes of two operands.
Result<std::pair<IntList, IntList>> pair_of(const AxeShapes& shapes, std::string_view operation) {
  if (shapes.shapes.size() == 2) {
    return std::pair(shapes.shapes[0], shapes.shapes[1]);
  }
  return refuse(
      Diagnostic("call.type", fmt::format("shape of {} is a pair of shapes, not {} of them",
                                          operation, shapes.shapes.size()))
          .with_hint("the shapes of the two layouts: [[2,3],[8,8]]"));
}

auto with_shapes(std::string_view name,
                 Result<axe::Layout> (*function)(const axe::Layout&, std::span<const Int>,
                                                 const axe::Layout&, std::span<const Int>)) {
  return [=](const axe::Layout& a, const axe::Layout& b,
             const AxeShapes& shape) -> Result<axe::Layout> {
    HEDDLE_TRY(const auto shapes, pair_of(shape, name));
    return function(a, shapes.first, b, shapes.second);
  };
}

/// The same with the shapes one by one, as TVM has them.
auto with_two_shapes(Result<axe::Layout> (*function)(const axe::Layout&, std::span<const Int>,
                                                     const axe::Layout&, std::span<const Int>)) {
  return [=](const axe::Layout& a, const axe::Layout& b, const IntList& a_shape,
             const IntList& b_shape) { return function(a, a_shape, b, b_shape); };
}

/// TVM's methods of the part that ask for the other part of a whole.
auto asked_of_the_part(Result<axe::Layout> (*function)(const axe::Layout&, std::span<const Int>,
                                                       const axe::Layout&, std::span<const Int>)) {
  return [=](const axe::Layout& part, const axe::Layout& whole, const IntList& whole_shape,
             const IntList& part_shape) { return function(whole, whole_shape, part, part_shape); };
}

void add_tiles(const Rows& add) {
  add({.call = "tile(outer, inner, shape)",
       .summary = "A grid `outer` of tiles `inner`, with the shapes of both.",
       .example = {"tile(S[(2,3)], S[(8,8)], [[2,3],[8,8]])", "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]"}},
      with_shapes("tile", axe::tile));
  add({.call = "tile(outer, inner, outer_shape, inner_shape)",
       .summary = "The same with the shapes one by one, as TVM's inner.tile(outer, …) has them.",
       .example = {"S[(8,8)].tile(S[(2,3)], (2,3), (8,8))", "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]"}},
      with_two_shapes(axe::tile));
  add({.call = "tile_of(tiled, inner, shape)",
       .summary = "The grid of which a layout is made with this tile.",
       .example = {"tile_of(S[(2,8,3,8):(192,8,64,1)], S[(8,8)], [[16,24],[8,8]])",
                   "S[(6):(1@m)]"}},
      with_shapes("tile_of", axe::tile_of));
  add({.call = "tile_inner_of(tiled, outer, shape)",
       .summary = "The tile of which a layout is made on this grid.",
       .example = {"tile_inner_of(S[(2,8,3,8):(192,8,64,1)], S[(2,3)], [[16,24],[2,3]])",
                   "S[(64):(1@m)]"}},
      with_shapes("tile_inner_of", axe::tile_inner_of));
  add({.call = "is_tile_inner(inner, tile_layout, tiled_shape, inner_shape)",
       .summary = "TVM's method of the tile: the grid of which the layout is made with it.",
       .example = {"S[(8,8)].is_tile_inner(S[(2,8,3,8):(192,8,64,1)], (16,24), (8,8))",
                   "S[(6):(1@m)]"}},
      asked_of_the_part(axe::tile_of));
  add({.call = "is_tile_outer(outer, tile_layout, tiled_shape, outer_shape)",
       .summary = "TVM's method of the grid: the tile of which the layout is made on it.",
       .example = {"S[(2,3)].is_tile_outer(S[(2,8,3,8):(192,8,64,1)], (16,24), (2,3))",
                   "S[(64):(1@m)]"}},
      asked_of_the_part(axe::tile_inner_of));
  add({.call = "tile_to(layout, shape)",
       .summary = "A row-major grid of copies that fills a shape: [TO, CURRENT].",
       .example = {"tile_to(S[(8,8)], [[16,24],[8,8]])", "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]"}},
      [](const axe::Layout& layout, const AxeShapes& shape) -> Result<axe::Layout> {
        HEDDLE_TRY(const auto shapes, pair_of(shape, "tile_to"));
        return axe::tile_to(layout, shapes.first, shapes.second);
      });
  add({.call = "tile_to(layout, to_shape, current_shape)",
       .summary = "The same with the shapes one by one, as TVM has them.",
       .example = {"S[(8,8)].tile_to((16,24), (8,8))", "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]"}},
      [](const axe::Layout& layout, const IntList& to, const IntList& current) {
        return axe::tile_to(layout, to, current);
      });
}

void add_direct_sums(const Rows& add) {
  add({.call = "scale(layout, widths)",
       .summary = "Every stride and the offset times the width of its axis, as a tile scales its "
                  "grid; other axes stay.",
       .example = {"scale(S[(2,2):(8,2)] + R[2:1@laneid], span(S[(2,2):(4,1)]))",
                   "S[(2,2):(48@m,12@m)] + R[(2):(1@laneid)]"}},
      [](const axe::Layout& layout, const AxisWidths& widths) {
        return axe::scale(layout, widths.widths);
      });
  add({.call = "direct_sum(left, right, shape)",
       .summary = "Both placements added, as a tile without the span.",
       .example = {"direct_sum(S[(2,2):(8,2)], S[(2,2):(4,1)], [[2,2],[2,2]])",
                   "S[(2,2,2,2):(8@m,4@m,2@m,1@m)]"}},
      with_shapes("direct_sum", axe::direct_sum));
  add({.call = "direct_sum(left, right, left_shape, right_shape)",
       .summary = "The same with the shapes one by one, as TVM's right.direct_sum(left, …).",
       .example = {"S[(2,2):(4,1)].direct_sum(S[(2,2):(8,2)], (2,2), (2,2))",
                   "S[(2,2,2,2):(8@m,4@m,2@m,1@m)]"}},
      with_two_shapes(axe::direct_sum));
  add({.call = "direct_sum_left_of(sum, right, shape)",
       .summary = "What added to the left of `right` gives the sum.",
       .example = {"direct_sum_left_of(S[16], S[(2,2):(4,1)], [[4,4],[2,2]])",
                   "S[(2,2):(8@m,2@m)]"}},
      with_shapes("direct_sum_left_of", axe::direct_sum_left_of));
  add({.call = "direct_sum_right_of(sum, left, shape)",
       .summary = "What added to the right of `left` gives the sum.",
       .example = {"direct_sum_right_of(S[16], S[(2,2):(8,2)], [[4,4],[2,2]])",
                   "S[(2,2):(4@m,1@m)]"}},
      with_shapes("direct_sum_right_of", axe::direct_sum_right_of));
  add({.call = "is_direct_sum_right(right, sum_layout, sum_shape, right_shape)",
       .summary = "TVM's method of the right part: the left part of the sum.",
       .example = {"S[(2,2):(4,1)].is_direct_sum_right(S[16], (4,4), (2,2))",
                   "S[(2,2):(8@m,2@m)]"}},
      asked_of_the_part(axe::direct_sum_left_of));
  add({.call = "is_direct_sum_left(left, sum_layout, sum_shape, left_shape)",
       .summary = "TVM's method of the left part: the right part of the sum.",
       .example = {"S[(2,2):(8,2)].is_direct_sum_left(S[16], (4,4), (2,2))", "S[(2,2):(4@m,1@m)]"}},
      asked_of_the_part(axe::direct_sum_right_of));
}

void add_slices(const Rows& add) {
  add({.call = "slice(layout, shape, region)",
       .summary = "The layout of the part of a tensor from begin up to end in each dimension.",
       .example = {"slice(S[(2,8,3,8):(192,8,64,1)], (16,24), [[0,8],[8,24]])",
                   "S[(8,2,8):(8@m,64@m,1@m)] + 64@m"}},
      axe::slice);
}

}  // namespace

void add_axe_grouping_operations(std::vector<Operation>& table) {
  add_grouping({table, "grouping Axe layouts"});
  add_tiles({table, kTiles});
  add_direct_sums({table, kTiles});
  add_slices({table, kTiles});
}

}  // namespace heddle::notation
