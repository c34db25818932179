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
#include "heddle/notation/syntax.h"

#pragma GCC visibility push(default)
namespace heddle::notation {

/// Values to compute, over variables.
struct IndexExpression {
  /// The axis of each value.
  std::vector<std::string> axes;
  std::vector<Int> values;
  /// The values at coordinates with no known ranges, and the assumptions about these; empty if they
  /// are undefined there. A solver compares them with `values`.
  std::vector<Int> raw_values;
  std::vector<Condition> given;
  /// The value of a LEGO layout by its definition, for explanations.
  std::optional<lego::ChainDefinition> definition;
  /// What is known of the coordinates.
  Bindings known;
  /// The coordinates themselves; and, for an access, the coordinates with only what is assumed of
  /// them, which a guard asks about.
  std::vector<Int> point;
  std::vector<Int> guarded_point;
  /// Every name in the coordinates and in the layout's sizes.
  std::set<std::string> names;
  /// The coordinates that are `:`, in the order of their dimensions.
  std::vector<lego::SliceRange> ranges;
};

/// A coordinate: a name, an expression, or `_` for all of its dimension.
struct IndexCoordinate {
  Expression expression;
  /// As it is written, for messages. The texts must outlive the coordinate.
  std::string_view text;

  [[nodiscard]] bool is_range() const {
    return std::holds_alternative<UnderscoreLiteral>(expression.node);
  }
};

/// The coordinates in an access, `L[a,f(b,c),:]`, a part of the text.
[[nodiscard]] std::vector<IndexCoordinate> coordinates_in(const Expression& access,
                                                          std::string_view text);
/// The coordinate in a text; `:` is `_`. Refuses what parse_expression() refuses.
[[nodiscard]] Result<IndexCoordinate> parse_index_coordinate(std::string_view text);

struct IndexExpressionOptions {
  /// The expression maps a position of a LEGO layout to its coordinates.
  bool inverse = false;
  /// The shape of the tensor of an Axe layout.
  std::vector<std::int64_t> shape;
  /// The coordinates are those of an access in a program. They may contain unknown names (`ty+1`);
  /// the access promises that together they are a point of the layout.
  bool is_access = false;
  /// Only asks whether the coordinates are a point; there are no values.
  bool is_guard = false;
};

/// The index expression of a layout, or of its text, at coordinates; without these, a text may be a
/// slice, `LAYOUT[COORDINATE,…]`. Default coordinate names avoid the names of the layout's sizes.
/// Refuses `usage.expression` for another number of coordinates, for a coordinate that has the name
/// of a size, and for an Axe layout with copies; `usage.option` for an inverse of anything but a
/// LEGO layout and a shape of anything but an Axe layout; `call.type` for a coordinate that is no
/// number; coordinates that are known not to be a point of the layout, as applying it does
/// (`lego.coordinate`, `axe.index`, `linear.coordinate`, `coordinate.negative`); `overflow` for an
/// index that is undefined; and what evaluating the texts refuses. Cost: a few evaluations of the
/// layout.
[[nodiscard]] Result<IndexExpression> index_expression(const Value& layout,
                                                       const std::vector<std::string>& coordinates,
                                                       const IndexExpressionOptions& options,
                                                       const Environment& environment);
/// The same of coordinates that are already parsed; the layout is no text.
[[nodiscard]] Result<IndexExpression> index_expression_at(const Value& layout,
                                                          std::vector<IndexCoordinate> coordinates,
                                                          const IndexExpressionOptions& options,
                                                          const Environment& environment);

/// The unbound names in an expression, without those that are called: variables of the program.
[[nodiscard]] std::set<std::string> free_names_in(const Expression& expression,
                                                  const Environment& environment);

/// The value of a coordinate of an access without its range: unknown names are any integers.
/// Refuses `call.type` for what is no number, and what evaluating it refuses.
[[nodiscard]] Result<Int> coordinate_value(const IndexCoordinate& coordinate,
                                           const Environment& environment);

}  // namespace heddle::notation
#pragma GCC visibility pop
