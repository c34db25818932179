// Tiles, direct sums and slices of Axe layouts.

#include <fmt/format.h>

#include <utility>

#include "heddle/axe/slice.h"
#include "heddle/axe/tile.h"
#include "notation/operations/binding.h"

namespace heddle::notation {
namespace {

constexpr const char* kTiles = "tiling Axe layouts";

using Binary = Result<axe::Layout> (*)(const axe::Layout&, std::span<const Int>, const axe::Layout&,
                                       std::span<const Int>);

struct BinaryRow {
  const char* name;
  std::vector<std::string> parameters;
  const char* summary;
  const char* example;
  const char* result;
  Binary function;
};

/// The shapes of two operands.
Result<std::pair<AxeShape, AxeShape>> pair_of(const AxeShapes& shapes, std::string_view operation) {
  if (shapes.shapes.size() == 2) {
    return std::pair(AxeShape{shapes.shapes[0]}, AxeShape{shapes.shapes[1]});
  }
  return refuse(Diagnostic("call.type", fmt::format("shape of {} is a pair of shapes, not {} of "
                                                    "them",
                                                    operation, shapes.shapes.size()))
                    .with_hint("the shapes of the two layouts: [[2,3],[8,8]]"));
}

void add_binary(std::vector<Operation>& table, const BinaryRow& row) {
  table.push_back(operation(
      row.name, kTiles, row.parameters, row.summary, row.example, row.result,
      [name = row.name, function = row.function](const axe::Layout& a, const axe::Layout& b,
                                                 const AxeShapes& shape) -> Result<axe::Layout> {
        HEDDLE_TRY(const auto shapes, pair_of(shape, name));
        return function(a, shapes.first.extents, b, shapes.second.extents);
      }));
}

void add_tiles(std::vector<Operation>& table) {
  add_binary(table, {"tile",
                     {"outer", "inner", "shape"},
                     "A grid `outer` of tiles `inner`, with the shapes of both.",
                     "tile(S[(2,3)], S[(8,8)], [[2,3],[8,8]])",
                     "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]",
                     axe::tile});
  add_binary(table, {"tile_of",
                     {"tiled", "inner", "shape"},
                     "The grid of which a layout is made with this tile.",
                     "tile_of(S[(2,8,3,8):(192,8,64,1)], S[(8,8)], [[16,24],[8,8]])",
                     "S[(6):(1@m)]",
                     axe::tile_of});
  add_binary(table, {"tile_inner_of",
                     {"tiled", "outer", "shape"},
                     "The tile of which a layout is made on this grid.",
                     "tile_inner_of(S[(2,8,3,8):(192,8,64,1)], S[(2,3)], [[16,24],[2,3]])",
                     "S[(64):(1@m)]",
                     axe::tile_inner_of});
  table.push_back(
      operation("tile_to", kTiles, {"layout", "shape"},
                "A row-major grid of copies that fills a shape: [TO, CURRENT].",
                "tile_to(S[(8,8)], [[16,24],[8,8]])", "S[(2,8,3,8):(192@m,8@m,64@m,1@m)]",
                [](const axe::Layout& layout, const AxeShapes& shape) -> Result<axe::Layout> {
                  HEDDLE_TRY(const auto shapes, pair_of(shape, "tile_to"));
                  return axe::tile_to(layout, shapes.first.extents, shapes.second.extents);
                }));
}

void add_direct_sums(std::vector<Operation>& table) {
  add_binary(table, {"direct_sum",
                     {"left", "right", "shape"},
                     "Both placements added, as a tile without the span.",
                     "direct_sum(S[(2,2):(8,2)], S[(2,2):(4,1)], [[2,2],[2,2]])",
                     "S[(2,2,2,2):(8@m,4@m,2@m,1@m)]",
                     axe::direct_sum});
  add_binary(table, {"direct_sum_left_of",
                     {"sum", "right", "shape"},
                     "What added to the left of `right` gives the sum.",
                     "direct_sum_left_of(S[16], S[(2,2):(4,1)], [[4,4],[2,2]])",
                     "S[(2,2):(8@m,2@m)]",
                     axe::direct_sum_left_of});
  add_binary(table, {"direct_sum_right_of",
                     {"sum", "left", "shape"},
                     "What added to the right of `left` gives the sum.",
                     "direct_sum_right_of(S[16], S[(2,2):(8,2)], [[4,4],[2,2]])",
                     "S[(2,2):(4@m,1@m)]",
                     axe::direct_sum_right_of});
}

void add_slices(std::vector<Operation>& table) {
  table.push_back(
      operation("slice", kTiles, {"layout", "shape", "region"},
                "The layout of the part of a tensor from begin up to end in each dimension.",
                "slice(S[(2,8,3,8):(192,8,64,1)], (16,24), [[0,8],[8,24]])",
                "S[(8,2,8):(8@m,64@m,1@m)] + 64@m",
                [](const axe::Layout& layout, const AxeShape& shape, const Region& region) {
                  std::vector<axe::Interval> intervals;
                  for (const auto& [begin, end] : region.intervals) {
                    intervals.push_back({begin, end});
                  }
                  return axe::slice(layout, shape.extents, intervals);
                }));
}

}  // namespace

void add_axe_tile_operations(std::vector<Operation>& table) {
  add_tiles(table);
  add_direct_sums(table);
  add_slices(table);
}

}  // namespace heddle::notation
