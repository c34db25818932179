// LEGO layouts: what is asked of them.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heddle/lego/equality.h"
#include "heddle/lego/layout.h"
#include "heddle/lego/slice.h"
#include "notation/operations/binding.h"
#include "notation/operations/table_length.h"

namespace heddle::notation {
namespace {

constexpr const char* kLegoQuestions = "LEGO questions";

/// Integers as inv() and dims() give them: `[4,1]`.
TupleList list_of_integers(std::span<const Int> integers) {
  TupleList list;
  for (const Int& integer : integers) list.emplace_back(integer);
  return list;
}

Result<Value> slice_at(const lego::Layout& layout, const cute::Coordinate& coordinate) {
  std::vector<lego::SliceIndex> indices;
  for (const cute::Index& index : coordinate.leaves()) {
    indices.push_back(index.is_underscore() ? lego::SliceIndex() : index.value());
  }
  return to_result(lego::slice(layout, indices));
}

Result<TupleList> table_of(const lego::Layout& layout, const std::optional<Int>& limit) {
  HEDDLE_TRY(const std::size_t length, table_length(layout.size(), limit));
  const lego::Sizes sizes = layout.dims();
  TupleList positions;
  for (std::size_t i = 0; i < length; ++i) {
    HEDDLE_TRY(const Int position, layout.apply(lego::unflatten(sizes, Int(i))));
    positions.emplace_back(position);
  }
  return positions;
}

void add_evaluating_lego(std::vector<Operation>& table) {
  table.push_back(operation(
      "apply", kLegoQuestions, {"layout", "coordinate"},
      "The physical position of a point of the view. Also: L(4,1), L[4,1], L.apply([4,1]).",
      "apply(GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse)), [4,1])", "6",
      [](const lego::Layout& layout, const LegoTile& coordinate) {
        return layout.apply(coordinate.sizes);
      }));
  table.push_back(
      operation("inv", kLegoQuestions, {"layout", "position"},
                "The point of the view at a physical position. Also: L.inv(6).",
                "inv(GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse)), 6)", "[4,1]",
                [](const lego::Layout& layout, const Int& position) -> Result<TupleList> {
                  HEDDLE_TRY(const std::vector<Int> point, layout.inv(position));
                  return list_of_integers(point);
                }));
  table.push_back(operation("slice", kLegoQuestions, {"layout", "coordinate"},
                            "The index expression where `_` leaves dimensions free. Also: L[i, :].",
                            "slice(GroupBy([6,4]).OrderBy(Row(6,4)), (2,_))", "tl.arange(0, 4)+8",
                            [](const lego::Layout& layout, const cute::Coordinate& coordinate) {
                              return slice_at(layout, coordinate);
                            }));
  table.push_back(
      operation("table", kLegoQuestions, {"layout", "limit"},
                "The positions of all points in row-major order, or of the first `limit` ones.",
                "table(GroupBy([2,3]).OrderBy(Col(2,3)))", "[0,2,4,1,3,5]",
                [](const lego::Layout& layout, const std::optional<Int>& limit) {
                  return table_of(layout, limit);
                }));
}

void add_measuring_lego(std::vector<Operation>& table) {
  table.push_back(operation(
      "dims", kLegoQuestions, {"layout"},
      "The sizes of the logical view, all tiles one after the other.", "dims(TileBy([3,3],[2,2]))",
      "[3,3,2,2]", [](const lego::Layout& layout) { return list_of_integers(layout.dims()); }));
  table.push_back(operation(
      "size", kLegoQuestions, {"layout"}, "The number of points of the logical view.",
      "size(TileBy([3,3],[2,2]))", "36", [](const lego::Layout& layout) { return layout.size(); }));
  table.push_back(
      operation("physical_size", kLegoQuestions, {"layout"},
                "The number of positions: the size, or of an ExpandBy that of the original array.",
                "physical_size(ExpandBy([3,7],[4,9],GroupBy([4,9])))", "21",
                [](const lego::Layout& layout) { return layout.physical_size(); }));
  table.push_back(operation("cosize", kLegoQuestions, {"layout"},
                            "One more than the greatest position: as physical_size.",
                            "cosize(GroupBy([4,9]).OrderBy(Col(4,9)))", "36",
                            [](const lego::Layout& layout) { return layout.physical_size(); }));
  table.push_back(operation("rank", kLegoQuestions, {"layout"},
                            "The number of dimensions of the logical view.",
                            "rank(TileBy([3,3],[2,2]))", "4",
                            [](const lego::Layout& layout) { return Int(layout.dims().size()); }));
  table.push_back(operation(
      "evidence", kLegoQuestions, {"layout"},
      "What shows that every GenP is a permutation and its inverse the inverse.",
      "evidence(GroupBy([5,5]).OrderBy(GenP([5,5], (i,j) -> 5*i+j)))", "proved by evaluation",
      [](const lego::Layout& layout) { return lego::to_string(lego::evidence(layout)); }));
  table.push_back(
      operation("equal", kLegoQuestions, {"a", "b"},
                "Whether both lead every flat coordinate to the same position. Also: "
                "a == b.",
                "equal(GroupBy([6]), GroupBy([2,3]))", "yes  (evaluated all 6 coordinates)",
                [](const lego::Layout& a, const lego::Layout& b) { return lego::equal(a, b); }));
}

}  // namespace

void add_lego_question_operations(std::vector<Operation>& table) {
  add_evaluating_lego(table);
  add_measuring_lego(table);
}

}  // namespace heddle::notation
