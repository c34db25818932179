#pragma once

// What heddle index is asked: a layout at symbolic coordinates, as integers over variables.

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/commands.h"
#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/index_definition.h"
#include "heddle/notation/evaluator.h"

namespace heddle::app {

/// A coordinate that is `:`, a range over its whole dimension.
struct IndexRange {
  std::string name;
  Int extent;
};

/// Values to compute, over variables.
struct IndexQuestion {
  /// What each value is the coordinate on.
  std::vector<std::string> axes;
  std::vector<Int> values;
  /// The same over coordinates of which nothing is known, and what is assumed of these; empty where
  /// that has no value.
  std::vector<Int> raw_values;
  std::vector<Condition> given;
  /// The value of a LEGO layout by its definition, for explanations.
  std::optional<IndexDefinition> definition;
  /// What the coordinates are.
  Bindings known;
  /// Every name that the coordinates and the layout's sizes have.
  std::set<std::string> names;
  /// In the order of their dimensions.
  std::vector<IndexRange> ranges;
};

/// The question of `LAYOUT COORDINATE…`, or of one slice `LAYOUT[COORDINATE,…]`. Names that nobody
/// gave are none of the sizes of the layout. Refuses `usage.expression` for another number of
/// coordinates and for a coordinate that has the name of a size; coordinates that are known to be
/// no point of the layout, as applying it does; and what evaluating the texts refuses.
[[nodiscard]] Result<IndexQuestion> question_of(const std::vector<std::string>& expressions,
                                                const IndexOptions& options,
                                                const notation::Environment& environment);

}  // namespace heddle::app
