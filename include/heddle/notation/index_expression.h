#pragma once

// A layout at symbolic coordinates, as integers over variables: what index expressions are made of.
//
//   IndexExpression question = *index_expression("(4,8):(8,1)", {"i", "j"}, {}, environment);
//   question.values.front()           // 8*i+j, with 0 <= i < 4 and 0 <= j < 8

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/core/result.h"
#include "heddle/expr/condition.h"
#include "heddle/expr/int.h"
#include "heddle/lego/definition.h"
#include "heddle/lego/slice.h"
#include "heddle/notation/evaluator.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// Values to compute, over variables.
struct IndexExpression {
  /// What each value is the coordinate on.
  std::vector<std::string> axes;
  std::vector<Int> values;
  /// The values computed with coordinates of which nothing is known, and what is assumed of these;
  /// empty where they are undefined there. A solver compares them with `values`.
  std::vector<Int> raw_values;
  std::vector<Condition> given;
  /// The value of a LEGO layout by its definition, for explanations.
  std::optional<lego::ChainDefinition> definition;
  /// What the coordinates are.
  Bindings known;
  /// The coordinates themselves; and, for an access, with nothing known of them but what is
  /// assumed: what a guard asks about.
  std::vector<Int> point;
  std::vector<Int> guarded_point;
  /// Every name that the coordinates and the layout's sizes have.
  std::set<std::string> names;
  /// The coordinates that are `:`, in the order of their dimensions.
  std::vector<lego::SliceRange> ranges;
};

struct IndexExpressionOptions {
  /// From a position of a LEGO layout to its coordinates.
  bool inverse = false;
  /// Of the tensor of an Axe layout.
  std::vector<std::int64_t> shape;
  /// The coordinates are those of an access in a program. They may hold names that nothing is known
  /// of (`ty+1`); the access promises that together they are a point of the layout.
  bool is_access = false;
  /// Whether the coordinates are a point is all that is asked; there are no values.
  bool is_guard = false;
};

/// The question of a layout, or of its text, at coordinates; without these, a text may be a slice,
/// `LAYOUT[COORDINATE,…]`. Names that nobody gave are none of the sizes of the layout. Refuses
/// `usage.expression` for another number of coordinates, for a coordinate that has the name of a
/// size, and for an Axe layout with copies; `usage.option` for an inverse of anything but a LEGO
/// layout and a shape of anything but an Axe layout; `call.type` for a coordinate that is no
/// number; coordinates that are known to be no point of the layout, as applying it does
/// (`lego.coordinate`, `axe.index`, `linear.coordinate`, `coordinate.negative`); `overflow` for an
/// index that is undefined; and what evaluating the texts refuses. Cost: of evaluating the layout a
/// few times.
[[nodiscard]] Result<IndexExpression> index_expression(const Value& layout,
                                                       const std::vector<std::string>& coordinates,
                                                       const IndexExpressionOptions& options,
                                                       const Environment& environment);

/// A coordinate of an access wherever it may be: names that nothing is known of are any integers.
/// Refuses `call.type` for what is no number, and what evaluating it refuses.
[[nodiscard]] Result<Int> coordinate_value(const std::string& text, const Environment& environment);

}  // namespace heddle::notation
#pragma GCC visibility pop
