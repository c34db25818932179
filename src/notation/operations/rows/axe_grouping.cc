// Normal forms of Axe layouts and their grouping by shapes.

#include <fmt/format.h>

#include <utility>

#include "heddle/axe/canonical.h"
#include "heddle/axe/group.h"
#include "notation/operations/binding.h"
#include "notation/value/constants.h"

namespace heddle::notation {
namespace {

constexpr const char* kGrouping = "grouping Axe layouts";

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

Result<axe::Layout> broadcast(const axe::Layout& layout, const Int& extent,
                              const std::optional<Int>& position) {
  HEDDLE_TRY(const std::int64_t place, constant(position.value_or(Int(-1))));
  return axe::broadcast(layout, extent, place);
}

void add_grouping(std::vector<Operation>& table) {
  table.push_back(
      operation("canonicalize", kGrouping, {"layout"},
                "The normal form: no unit iters, neighbours joined, replicas merged and sorted.",
                "canonicalize(S[(2,3,6):(18,6,1)])", "S[(36):(1@m)]",
                [](const axe::Layout& layout) { return axe::canonicalize(layout); }));
  table.push_back(
      operation("group", kGrouping, {"layout", "shape"},
                "The iters as one block for each extent of the shape: block i is from seps[i] up "
                "to seps[i+1].",
                "group(S[(4,6):(6,1)], (6,4))", R"({"layout":"S[(6,4):(4@m,1@m)]","seps":[0,1,2]})",
                [](const axe::Layout& layout, const AxeShape& shape) -> Result<Value> {
                  HEDDLE_TRY(const axe::Grouping grouping, axe::group(layout, shape.extents));
                  return grouped(grouping.layout, datum_of(grouping.seps));
                }));
  table.push_back(operation(
      "group_many", kGrouping, {"layout", "shape"},
      "The coarsest list of iters that groups by every shape, and the boundaries of each.",
      "group_many(S[24], [[4,6],[8,3]])",
      R"({"layout":"S[(4,2,3):(6@m,3@m,1@m)]","seps":[[0,1,3],[0,2,3]]})",
      [](const axe::Layout& layout, const AxeShapes& shapes) {
        return group_many(layout, shapes);
      }));
  table.push_back(operation(
      "reshape", kGrouping, {"layout", "shape"}, "The same map, its iters grouped by the shape.",
      "reshape(S[24], (4,6))", "S[(4,6):(6@m,1@m)]",
      [](const axe::Layout& layout, const AxeShape& shape) -> Result<axe::Layout> {
        HEDDLE_TRY(axe::Grouping grouping, axe::reshape(layout, shape.extents));
        return std::move(grouping.layout);
      }));
  table.push_back(operation("permute_dims", kGrouping, {"layout", "perm"},
                            "The iters in another order: iter perm[i] becomes iter i.",
                            "permute_dims(S[(8,2):(4@laneid,1@m)], (1,0))",
                            "S[(2,8):(1@m,4@laneid)]",
                            [](const axe::Layout& layout, const linear::Sizes& perm) {
                              return axe::permute_dims(layout, perm);
                            }));
  table.push_back(operation(
      "permute_groups", kGrouping, {"layout", "shape", "perm"},
      "The blocks of the shape in another order: a transposition of the tensor.",
      "permute_groups(S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1@m)], (8,16), (1,0))",
      "S[(2,4,2,8):(1@warpid,1@laneid,1@m,4@laneid)]",
      [](const axe::Layout& layout, const AxeShape& shape,
         const linear::Sizes& perm) -> Result<axe::Layout> {
        HEDDLE_TRY(axe::Grouping grouping, axe::permute_groups(layout, shape.extents, perm));
        return std::move(grouping.layout);
      }));
  table.push_back(operation(
      "broadcast", kGrouping, {"layout", "extent", "position=-1"},
      "A new iter of stride 0 before the iter `position`.", "broadcast(S[(8,2):(2,1)], 4, 0)",
      "S[(4,8,2):(0@m,2@m,1@m)]",
      [](const axe::Layout& layout, const Int& extent, const std::optional<Int>& position) {
        return broadcast(layout, extent, position);
      }));
}

}  // namespace

void add_axe_grouping_operations(std::vector<Operation>& table) { add_grouping(table); }

}  // namespace heddle::notation
