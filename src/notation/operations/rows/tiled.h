#pragma once

// Rows of the table that tiled copies and tiled MMAs have alike: their thread-value layouts, a
// layout divided by threads and values, and a thread's partition of a tensor.
//
//   const TiledFamily<TiledMma> mmas{"tiled MMAs", "mma"};
//   mmas.add_layout_tv(table, {"layoutC_TV", "…", "layoutC_TV(…)", "… tile (32,16)"},
//                      cute::layoutC_TV);

#include <variant>
#include <vector>

#include "heddle/cute/thread_value.h"
#include "notation/operations/binding.h"

namespace heddle::notation {

/// What an operation is called, what it does, and an example of it.
struct TiledRow {
  const char* name;
  const char* summary;
  const char* example;
  const char* result;
};

/// The operations whose first parameter is a tiled copy, or a tiled MMA.
template <class Tiled>
struct TiledFamily {
  const char* name;
  const char* parameter;

  /// `row(copy, …)`, with these parameters after the first.
  template <class Body>
  void add(std::vector<Operation>& table, const TiledRow& row, std::vector<std::string> others,
           Body body) const {
    others.insert(others.begin(), parameter);
    table.push_back(operation(row.name, name, std::move(others), row.summary, row.example,
                              row.result, std::move(body)));
  }

  void add_layout_tv(std::vector<Operation>& table, const TiledRow& row,
                     Result<cute::TvLayout> (*function)(const Tiled&)) const {
    add(table, row, {}, [function](const Tiled& tiled) { return function(tiled); });
  }

  /// Of a layout by threads and values.
  void add_division(std::vector<Operation>& table, const TiledRow& row,
                    Result<cute::Layout> (*function)(const Tiled&, const cute::Layout&)) const {
    add(table, row, {"layout"}, [function](const Tiled& tiled, const cute::AnyLayout& layout) {
      return on_inner(layout, [&](const cute::Layout& plain) { return function(tiled, plain); });
    });
  }

  /// `partition` takes tensors of either kind.
  template <class Partition>
  void add_partition(std::vector<Operation>& table, const TiledRow& row,
                     Partition partition) const {
    add(table, row, {"tensor", "thread"},
        [partition](const Tiled& tiled, const Placed& tensor, const Int& thread) {
          return std::visit(
              [&](const auto& any) { return to_result(partition(tiled, any, thread)); }, tensor);
        });
  }
};

}  // namespace heddle::notation
