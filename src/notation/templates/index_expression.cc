#include "heddle/notation/index_expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <utility>

#include "core/free_names.h"
#include "core/text.h"
#include "heddle/emit/dialect.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/map/integer_relation.h"
#include "heddle/map/recover.h"
#include "heddle/map/relations.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/parser.h"

#include "notation/language/free_names.h"
#include "notation/operations/any_layout.h"
#include "notation/templates/member_names.h"
#include "notation/value/shard_pieces.h"

namespace heddle::notation {
namespace {

/// The name of a coordinate; empty for an expression and for `_`.
std::string_view name_of(const Expression& coordinate) {
  const auto* reference = std::get_if<Reference>(&coordinate.node);
  return reference == nullptr ? std::string_view() : reference->name;
}

void take_names(std::set<std::string>& names, const Expression& expression) {
  for (const std::string_view name : names_in(expression)) names.emplace(name);
}

/// The default names of coordinates: those of a linear layout's dimensions, otherwise i, j, k; i0,
/// i1, … if there are more, or if these are names of sizes.
std::vector<std::string> usual_names(const Value& layout, std::size_t count,
                                     const std::set<std::string>& sizes) {
  std::vector<std::string> names;
  if (const auto* linear = layout.get_if<linear::LinearLayout>()) {
    for (const linear::Dimension& dimension : linear->in_dims()) names.push_back(dimension.name);
    return names;
  }
  names = coordinate_names(count);
  const auto is_taken = [&](const std::string& name) { return sizes.contains(name); };
  if (std::ranges::none_of(names, is_taken)) return names;
  FreeNames free("i", sizes);
  for (std::string& name : names) name = free.next();
  return names;
}

// Coordinates.

/// A coordinate that has a name if it is one variable: a name, or a range, which gets an unused
/// one.
struct NamedCoordinate {
  IndexCoordinate given;
  std::string name;

  [[nodiscard]] bool is_range() const { return given.is_range(); }
};

std::vector<NamedCoordinate> named(std::vector<IndexCoordinate> coordinates,
                                   std::set<std::string> taken) {
  for (const IndexCoordinate& coordinate : coordinates) take_names(taken, coordinate.expression);
  FreeNames ranges("r", taken);
  std::vector<NamedCoordinate> named;
  for (IndexCoordinate& coordinate : coordinates) {
    std::string name =
        coordinate.is_range() ? ranges.next() : std::string(name_of(coordinate.expression));
    named.push_back({std::move(coordinate), std::move(name)});
  }
  return named;
}

/// A value as a number; `text` is what the user wrote.
Result<Int> number_in(const Value& value, std::string_view text) {
  if (value.is_integer()) return value.get<IntTuple>().leaf();
  return refuse(Diagnostic("call.type", fmt::format("the coordinate {} is {}; a number is needed",
                                                    quote(text), kind_name(value))));
}

Result<Int> number_at(const IndexCoordinate& coordinate, const Environment& environment) {
  HEDDLE_TRY(const Value value, evaluate(coordinate.expression, environment));
  return number_in(value, coordinate.text);
}

bool mentions(const Condition& condition, const std::string& name) {
  return heddle::variables(std::array{condition.left, condition.right}).contains(name);
}

/// Adds the names in an expression that are not called.
void take_references(std::set<std::string>& names, const Expression& expression) {
  if (const auto* reference = std::get_if<Reference>(&expression.node)) {
    names.insert(std::string(reference->name));
  }
  const bool is_call = std::holds_alternative<Application>(expression.node) &&
                       std::holds_alternative<Reference>(expression.parts.front().node);
  for (std::size_t i = is_call ? 1 : 0; i < expression.parts.size(); ++i) {
    take_references(names, expression.parts[i]);
  }
}

bool is_assumed(const std::string& name, const Environment& environment) {
  return environment.assumptions().variables().contains(name);
}

/// What a reader uses of the names in coordinates.
enum class Knowledge {
  kCoordinates,  // their extents, and the assumptions about them
  kAssumptions,  // the assumptions, and the extents of ranges only
  kNothing,
};

/// Evaluates coordinates: unbound names are variables, in [0, extent) if that is known. A name in
/// several places is within all of their extents.
class CoordinateReader {
 public:
  CoordinateReader(const Environment& environment, Knowledge knowledge)
      : environment_(environment), knowledge_(knowledge) {}

  /// Lets names inside coordinate expressions be variables too; names of the layout's sizes remain
  /// sizes.
  void take_free_names(const std::set<std::string>& sizes) { sizes_ = &sizes; }

  Result<std::vector<Int>> read(std::span<const NamedCoordinate> coordinates,
                                std::span<const Int> extents) {
    std::map<std::string, Int> extent_of;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (coordinates[i].name.empty()) continue;
      if (coordinates[i].is_range()) ranges_.insert(coordinates[i].name);
      const auto [place, is_new] = extent_of.emplace(coordinates[i].name, extents[i]);
      if (!is_new) place->second = min(place->second, extents[i]);
    }
    HEDDLE_TRY(const Assumptions assumptions, assumptions_with(extent_of));
    for (const auto& [name, extent] : extent_of) define(name, extent, assumptions);
    if (sizes_ != nullptr) HEDDLE_CHECK(define_free_names(coordinates, extents));
    std::vector<Int> values;
    for (const NamedCoordinate& coordinate : coordinates) {
      HEDDLE_TRY(values.emplace_back(), value_of(coordinate));
    }
    return values;
  }

  /// The conditions on the variables.
  [[nodiscard]] const std::vector<Condition>& given() const { return given_; }
  [[nodiscard]] const Bindings& variables() const { return variables_; }

 private:
  /// The conditions that a coordinate is in its extent, unless assumptions replace them. A variable
  /// in an assumption is at least 1 unless that gives its lower bound; a coordinate is then at
  /// least 0. Assumed bounds replace the extent, because CuTe's layouts extend past theirs; but an
  /// access is always at a point of the layout.
  [[nodiscard]] std::vector<Condition> within(const std::string& name, const Int& extent) const {
    const Int variable = Int::variable(name);
    const Condition begins{0, Predicate::kAtMost, variable};
    const Condition ends{variable, Predicate::kLess, extent};
    const bool is_access = sizes_ != nullptr;
    if (is_access || !is_assumed(name, environment_)) return {begins, ends};
    const Range given = range(environment_.assumptions().variable(name));
    if (given.low < 1) return {};
    const bool has_ends = given.low > 1 || given.high != Range::kNoHigh;
    return has_ends ? std::vector{begins} : std::vector{begins, ends};
  }

  /// The assumptions, and that the coordinates they mention are in their extents.
  [[nodiscard]] Result<Assumptions> assumptions_with(
      const std::map<std::string, Int>& extent_of) const {
    const std::span<const Condition> assumed = environment_.conditions();
    std::vector<Condition> conditions(assumed.begin(), assumed.end());
    for (const auto& [name, extent] : extent_of) {
      if (!is_assumed(name, environment_)) continue;
      const std::int64_t most = range(extent).high;
      for (Condition& condition : within(name, most == Range::kNoHigh ? Int(0) : Int(most))) {
        const bool is_end = condition.predicate == Predicate::kLess;
        if (!is_end || most != Range::kNoHigh) conditions.push_back(std::move(condition));
      }
    }
    return Assumptions::make(conditions);
  }

  [[nodiscard]] Result<Int> value_of(const NamedCoordinate& coordinate) const {
    const auto& [given, name] = coordinate;
    if (!name.empty()) return number_in(*environment_.find(name), name);
    return number_at(given, environment_);
  }

  void define(const std::string& name, const Int& extent, const Assumptions& assumptions) {
    if (environment_.find(name) != nullptr) return;
    const Int bare = Int::variable(name);
    std::ranges::move(within(name, extent), std::back_inserter(given_));
    for (const Condition& condition : environment_.conditions()) {
      if (mentions(condition, name)) given_.push_back(condition);
    }
    const Int known =
        is_assumed(name, environment_) ? assumptions.variable(name) : index_variable(name, extent);
    variables_[name] = knowledge_ == Knowledge::kNothing       ? bare
                       : knowledge_ == Knowledge::kCoordinates ? known
                                                               : guarded_variable(name, extent);
    environment_.bind(name, Value(variables_[name]));
  }

  /// The variable with its assumptions only, without its extent.
  [[nodiscard]] Int guarded_variable(const std::string& name, const Int& extent) const {
    if (ranges_.contains(name)) return index_variable(name, extent);
    return is_assumed(name, environment_) ? environment_.assumptions().variable(name)
                                          : Int::variable(name);
  }

  /// Refuses elements of the program's arrays, which are no numbers of the expression language.
  static Result<void> check_arithmetic(const IndexCoordinate& coordinate) {
    if (!has_subscript(coordinate.expression)) return {};
    return refuse(
        Diagnostic("call.type", fmt::format("the coordinate {} is an element of something",
                                            quote(coordinate.text)))
            .with_hint("give it a name in the program first"));
  }

  /// Binds the free names in coordinate expressions. If a coordinate is a free name plus a number,
  /// `ty+1`, the extent bounds the name.
  Result<void> define_free_names(std::span<const NamedCoordinate> coordinates,
                                 std::span<const Int> extents) {
    std::map<std::string, Range> range_of;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const auto& [coordinate, name] = coordinates[i];
      if (!name.empty()) continue;
      const std::set<std::string> names = free_names_in(coordinate.expression, environment_);
      HEDDLE_CHECK(check_arithmetic(coordinate));
      for (const std::string& free : names) {
        range_of.emplace(free, sizes_->contains(free) ? Range{1, Range::kNoHigh} : Range{});
      }
      if (names.size() != 1 || sizes_->contains(*names.begin())) continue;
      Range& values = range_of.at(*names.begin());
      HEDDLE_TRY(const Range more, range_by(coordinate, *names.begin(), extents[i]));
      values = {std::max(values.low, more.low), std::min(values.high, more.high)};
    }
    for (const auto& [name, values] : range_of) {
      const bool is_size = sizes_->contains(name);
      const bool is_known =
          (knowledge_ == Knowledge::kCoordinates || is_size) && values.low <= values.high;
      environment_.bind(name, Value(is_known ? Int::variable(name, values.low, values.high)
                                             : Int::variable(name)));
    }
    return {};
  }

  /// The range of a name in a coordinate that adds a number to it; all integers in any other.
  [[nodiscard]] Result<Range> range_by(const IndexCoordinate& given, const std::string& name,
                                       const Int& extent) const {
    const Int variable = Int::variable(name);
    Environment with_name = environment_;
    with_name.bind(name, Value(variable));
    HEDDLE_TRY(const Int coordinate, number_at(given, with_name));
    const Int more = coordinate - variable;
    const std::int64_t end = range(extent).high;
    if (!more.is_constant()) return Range{};
    Range values;
    if (const Int low = 0 - more; low.is_constant()) values.low = low.value();
    const Int high = end == Range::kNoHigh ? Int::undefined() : Int(end) - 1 - more;
    if (high.is_constant()) values.high = high.value();
    return values;
  }

  Environment environment_;
  Knowledge knowledge_;
  std::set<std::string> ranges_;
  const std::set<std::string>* sizes_ = nullptr;
  std::vector<Condition> given_;
  Bindings variables_;
};

// Layouts.

/// A layout as a function from coordinates to coordinates on named axes.
struct Evaluated {
  std::vector<Int> extents;
  std::vector<std::string> axes;
  std::function<Result<std::vector<Int>>(std::span<const Int>)> at;
  /// Refuses coordinates that are known not to be a point.
  std::function<Result<void>(std::span<const Int>)> check = [](auto) { return Result<void>(); };
};

bool is_outside(const Int& coordinate, const Int& extent) {
  return known_less(coordinate, 0) || known_at_most(extent, coordinate);
}

/// A check that refuses coordinates known to be outside of their extents.
auto box_check(std::string code, std::vector<Int> extents, bool is_flat) {
  return [=](std::span<const Int> point) -> Result<void> {
    for (std::size_t i = 0; i < std::min(point.size(), extents.size()); ++i) {
      if (!is_outside(point[i], extents[i])) continue;
      return refuse(Diagnostic(
          code,
          fmt::format("{}{} is not in [0, {})", is_flat ? "the flat coordinate " : "",
                      is_flat ? to_string(point[i])
                              : fmt::format("coordinate {} is {}, which", i, to_string(point[i])),
                      to_string(extents[i]))));
    }
    return {};
  };
}

/// A check for CuTe: coordinates may pass the end of the last mode, but may not be negative if
/// several modes share one.
auto cute_check(form::IndexMap map, bool is_flat) {
  return [map = std::move(map), is_flat](std::span<const Int> point) -> Result<void> {
    const auto shares_negative = [&](std::size_t i) {
      if (!known_less(point[i], 0)) return false;
      if (is_flat) return true;
      std::vector<Int> alone(map.extents().size(), Int(0));
      alone[i] = point[i];
      return !std::ranges::all_of(map(alone), &Int::is_defined);
    };
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (!shares_negative(i)) continue;
      return refuse(
          "coordinate.negative",
          fmt::format("the flat coordinate {} of several modes is negative", to_string(point[i])));
    }
    return {};
  };
}

/// A function to the position of a point of a LEGO layout, which every ExpandBy keeps.
auto place_in(const lego::Layout& layout, bool is_flat) {
  return [layout, is_flat](std::span<const Int> indices) -> Result<std::vector<Int>> {
    const std::vector<Int> digits =
        is_flat ? lego::unflatten(layout.dims(), indices.front()) : std::vector<Int>();
    HEDDLE_TRY(lego::Placed placed, layout.place(is_flat ? digits : indices));
    return std::vector<Int>{std::move(placed.position)};
  };
}

/// Evaluation of a LEGO layout, which itself refuses coordinates that are no point.
void evaluate_lego(Evaluated& made, const lego::Layout& layout) {
  made.at = [layout](std::span<const Int> indices) -> Result<std::vector<Int>> {
    HEDDLE_TRY(Int position, layout.apply(indices));
    return std::vector<Int>{std::move(position)};
  };
  made.check = [layout](std::span<const Int> indices) -> Result<void> {
    HEDDLE_CHECK(layout.apply(indices));
    return {};
  };
}

/// The value of the pieces at a point of the domain; the last piece applies if no other's
/// conditions hold.
Result<std::vector<Int>> value_of_pieces(std::span<const map::Piece> pieces,
                                         const Bindings& point) {
  const auto at_point = [&](const Int& value) { return instantiate(value, point); };
  std::vector<Int> values;
  for (const Int& output : pieces.back().outputs) {
    HEDDLE_TRY(values.emplace_back(), at_point(output));
  }
  for (const map::Piece& piece : pieces.first(pieces.size() - 1) | std::views::reverse) {
    std::vector<Condition> conditions;
    for (const auto& [left, relation, right] : piece.conditions) {
      HEDDLE_TRY(Int left_here, at_point(left));
      HEDDLE_TRY(Int right_here, at_point(right));
      conditions.push_back({std::move(left_here), relation, std::move(right_here)});
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      HEDDLE_TRY(Int value, at_point(piece.outputs[k]));
      // All conditions have to hold: each selects between the choice of the next one and the other
      // value.
      for (const Condition& condition : conditions | std::views::reverse) {
        value = select(condition, value, values[k]);
      }
      values[k] = std::move(value);
    }
  }
  return values;
}

/// Limits the conditions, because each may double the length of the expression.
Result<void> check_choices(std::span<const map::Piece> pieces) {
  constexpr std::size_t kMostConditions = 6;
  std::size_t conditions = 0;
  for (const map::Piece& piece : pieces.first(pieces.size() - 1)) {
    conditions += piece.conditions.size();
  }
  if (conditions <= kMostConditions) return {};
  return refuse(Diagnostic("template.long_expression",
                           fmt::format("the relation has {} pieces, which {} conditions tell apart",
                                       pieces.size(), conditions))
                    .with_hint("write a function, {{ emit(L, \"c\", \"name\") }}, and call it"));
}

/// Evaluation of a relation on a domain of any form, for accesses, which are at its points. Refuses
/// `relation.domain` for coordinates that may be negative.
Result<Evaluated> evaluate_relation(const map::IntegerRelation& relation, bool is_guard,
                                    const map::Limits& limits) {
  HEDDLE_TRY(const auto bounds, map::domain_bounds(relation, limits));
  HEDDLE_TRY(const std::vector<map::Piece> pieces, map::pieces(relation, limits));
  if (!is_guard) HEDDLE_CHECK(check_choices(pieces));
  Evaluated made;
  for (const auto& [low, high] : bounds) {
    if (known_less(low, 0)) {
      return refuse(
          Diagnostic("relation.domain", "the relation has points before 0")
              .with_note(relation.text())
              .with_hint("write a function, {{ emit(L, \"c\", \"name\") }}, and call it"));
    }
    made.extents.push_back(high + 1);
  }
  for (const Axis& axis : relation.axes()) made.axes.push_back(axis.name());
  const std::vector<std::string> inputs(relation.inputs().begin(), relation.inputs().end());
  made.at = [inputs, pieces, is_guard](std::span<const Int> point) -> Result<std::vector<Int>> {
    if (is_guard) return std::vector<Int>();
    Bindings bindings;
    for (std::size_t i = 0; i < inputs.size(); ++i) bindings.emplace(inputs[i], point[i]);
    return value_of_pieces(pieces, bindings);
  };
  made.check = box_check("relation.coordinate", made.extents, false);
  return made;
}

/// Evaluation of a table on its box, or by one flat row-major index: in a recovered notation,
/// otherwise as the pieces of a relation. Refuses `template.long_expression` for a table for which
/// neither is short.
Result<Evaluated> evaluate_table(form::Table table, std::size_t coordinates, bool is_guard,
                                 const map::Limits& limits) {
  if (coordinates == 1) table.extents = {std::ssize(table.values) / std::ssize(table.axes)};
  const std::vector<Int> extents(table.extents.begin(), table.extents.end());
  Evaluated made;
  made.extents = extents;
  for (const Axis& axis : table.axes) made.axes.push_back(axis.name());
  made.check = box_check("relation.coordinate", extents, coordinates == 1);
  const form::IndexMap map = form::index_map(table);
  const auto all_known = [](std::span<const Int> point) {
    return std::ranges::all_of(point, &Int::is_constant);
  };
  map::RecoverOptions options;
  options.limits = limits;
  std::optional<map::AnyLayout> found;
  if (const auto mixed = map::recover_mixed(table, options)) {
    found = std::visit([](const auto& any) { return map::AnyLayout(any); }, *mixed);
  } else if (const auto bits = map::recover_bit_linear(table, options)) {
    found = *bits;
  }
  if (found) {
    HEDDLE_TRY(const map::View plain, map::view(*found, limits));
    HEDDLE_TRY(const map::View view, map::reshaped(plain, extents));
    made.at = [view](std::span<const Int> point) -> Result<std::vector<Int>> {
      return view.evaluate(point, 0);
    };
    return made;
  }
  constexpr std::size_t kFew = 64;
  Result<Evaluated> pieces =
      refuse(Diagnostic("template.long_expression",
                        fmt::format("a table of {} numbers is not a short expression",
                                    table.values.size()))
                 .with_hint("heddle emit writes a function of it"));
  if (table.values.size() <= kFew && !is_guard) {
    HEDDLE_TRY(const map::IntegerRelation relation, map::relation(table, limits));
    pieces = evaluate_relation(relation, is_guard, limits);
  }
  made.at = [map, all_known, is_guard,
             pieces = std::move(pieces)](std::span<const Int> point) -> Result<std::vector<Int>> {
    if (is_guard) return std::vector<Int>();
    if (all_known(point)) return map(point);
    HEDDLE_TRY(const Evaluated evaluated, pieces);
    return evaluated.at(point);
  };
  return made;
}

/// The layout on its own box, or an Axe layout on `shape`.
Result<form::IndexMap> map_on_box(const Value& layout, const std::vector<std::int64_t>& shape) {
  const auto* axe = layout.get_if<axe::Layout>();
  if (axe != nullptr && !axe->replica().empty()) {
    return refuse(Diagnostic("usage.expression",
                             fmt::format("{} holds several copies of each element, and an index "
                                         "expression gives one place",
                                         to_string(*axe)))
                      .with_hint("leave out its R[…], or eval the layout at a coordinate"));
  }
  if (shape.empty()) return index_map_of(layout);
  if (axe == nullptr) return refuse("usage.option", "shape goes with an Axe layout");
  return axe::index_map(*axe, std::vector<Int>(shape.begin(), shape.end()));
}

/// The refusal code of a coordinate outside of its extent; nullptr for CuTe's layouts, which extend
/// past it.
const char* code_outside(const Value& layout) {
  if (layout.is<lego::Layout>()) return "lego.coordinate";
  if (layout.is<axe::Layout>()) return "axe.index";
  if (layout.is<linear::LinearLayout>()) return "linear.coordinate";
  const bool is_listed = layout.is<map::IntegerRelation>() || layout.is<form::Table>();
  return is_listed ? "relation.coordinate" : nullptr;
}

/// Evaluation of a layout, from its coordinates (or one flat coordinate, or a point of `shape`) to
/// its indices.
Result<Evaluated> forward(const Value& layout, std::size_t coordinates,
                          const IndexExpressionOptions& options, const map::Limits& limits) {
  if (const auto* table = layout.get_if<form::Table>()) {
    return evaluate_table(*table, coordinates, options.is_guard, limits);
  }
  Result<form::IndexMap> on_box = map_on_box(layout, options.shape);
  const auto* relation = layout.get_if<map::IntegerRelation>();
  if (!on_box && relation != nullptr && options.is_access) {
    return evaluate_relation(*relation, options.is_guard, limits);
  }
  HEDDLE_TRY(const form::IndexMap map, std::move(on_box));
  Evaluated made;
  made.extents.assign(map.extents().begin(), map.extents().end());
  for (const Axis& axis : map.axes()) made.axes.push_back(axis.name());
  const bool is_flat = coordinates == 1 && made.extents.size() != 1;
  if (is_flat) made.extents = {map.size()};
  const char* code = code_outside(layout);
  const bool goes_on = code == nullptr;
  made.at = [map, is_flat](std::span<const Int> indices) -> Result<std::vector<Int>> {
    return is_flat ? map.at(indices.front()) : map(indices);
  };
  if (goes_on) {
    made.check = cute_check(map, is_flat);
  } else {
    made.check = box_check(code, made.extents, is_flat);
  }
  const auto* lego = layout.get_if<lego::Layout>();
  if (lego != nullptr && coordinates == lego->dims().size()) evaluate_lego(made, *lego);
  if (lego != nullptr && options.is_access) made.at = place_in(*lego, is_flat);
  return made;
}

/// Evaluation of a LEGO layout's inverse, from a position to its coordinates.
Result<Evaluated> backward(const Value& layout) {
  const auto* lego = layout.get_if<lego::Layout>();
  if (lego == nullptr) {
    return refuse(Diagnostic("usage.option", "inverse goes with a LEGO layout")
                      .with_hint("other layouts have the operations left_inverse, right_inverse "
                                 "and invert"));
  }
  Evaluated made;
  made.extents = {lego->physical_size()};
  made.axes = usual_names(layout, lego->dims().size(), {});
  made.at = [lego = *lego](std::span<const Int> position) { return lego.inv(position.front()); };
  made.check = [lego = *lego, box = box_check("lego.coordinate", made.extents, true)](
                   std::span<const Int> position) -> Result<void> {
    HEDDLE_CHECK(box(position));
    HEDDLE_CHECK(lego.inv(position.front()));
    return {};
  };
  return made;
}

/// The names of the layout's sizes: all variables in its extents and in its index at any point.
std::set<std::string> sizes_in(const Evaluated& function) {
  std::set<std::string> names = heddle::variables(function.extents);
  // No user can write such a name.
  const auto hidden = [](std::size_t i) { return fmt::format("?{}", i); };
  std::vector<Int> bare;
  std::vector<Int> inside;
  for (std::size_t i = 0; i < function.extents.size(); ++i) {
    bare.push_back(Int::variable(hidden(i)));
    inside.push_back(index_variable(hidden(i), function.extents[i]));
  }
  for (const auto* point : {&bare, &inside}) {
    if (const auto values = function.at(*point)) names.merge(heddle::variables(*values));
  }
  for (std::size_t i = 0; i < function.extents.size(); ++i) names.erase(hidden(i));
  return names;
}

Result<void> check_count(const Value& layout, const Evaluated& function,
                         const std::set<std::string>& sizes, std::size_t count) {
  const std::size_t wanted = function.extents.size();
  if (wanted == count) return {};
  const std::vector<std::string> usual = usual_names(layout, wanted, sizes);
  return refuse(Diagnostic("usage.expression", fmt::format("the layout takes {}, not {}",
                                                           counted(wanted, "coordinate"), count))
                    .with_hint(fmt::format("{}; or one flat coordinate", fmt::join(usual, " "))));
}

Result<void> check_names(std::span<const NamedCoordinate> coordinates,
                         const std::set<std::string>& sizes) {
  for (const NamedCoordinate& coordinate : coordinates) {
    if (!sizes.contains(coordinate.name)) continue;
    return refuse(Diagnostic("usage.expression",
                             fmt::format("{} is a size of the layout; a coordinate needs a name "
                                         "of its own",
                                         coordinate.name)));
  }
  return {};
}

Result<void> check_values(const std::vector<Int>& values) {
  for (const Int& value : values) HEDDLE_CHECK(check_defined(value, "the index"));
  return {};
}

// Questions.

/// A layout and the coordinates to evaluate it at.
struct Asked {
  Value layout;
  Evaluated function;
  /// The names of the layout's sizes.
  std::set<std::string> sizes;
  std::vector<NamedCoordinate> coordinates;
};

/// Coordinates that are not given have default names.
std::vector<NamedCoordinate> coordinates_of_their_own(const Value& layout,
                                                      const Evaluated& function,
                                                      const std::set<std::string>& sizes,
                                                      bool is_inverse) {
  if (is_inverse) return {{{}, sizes.contains("p") ? FreeNames("p", sizes).next() : "p"}};
  std::vector<NamedCoordinate> coordinates;
  for (std::string& name : usual_names(layout, function.extents.size(), sizes)) {
    coordinates.push_back({{}, std::move(name)});
  }
  return coordinates;
}

/// The names that a range must not have: sizes, and bound or assumed names.
std::set<std::string> taken_names(const std::set<std::string>& sizes,
                                  const Environment& environment) {
  std::set<std::string> taken = sizes;
  for (const auto& [name, value] : environment.assumptions().variables()) taken.insert(name);
  for (const auto& [name, value] : environment.values()) taken.insert(name);
  return taken;
}

Result<Asked> asked_in(Value layout, std::vector<IndexCoordinate> given,
                       const IndexExpressionOptions& options, const Environment& environment) {
  if (!index_map_of(layout)) {
    // A list of numbers becomes a table.
    const auto any = to_any_layout(layout, environment.context());
    if (any && std::holds_alternative<form::Table>(*any)) layout = to_value(*any);
  }
  HEDDLE_TRY(Evaluated function, options.inverse ? backward(layout)
                                                 : forward(layout, given.size(), options,
                                                           environment.context().decide.limits));
  std::set<std::string> sizes = sizes_in(function);
  std::vector<NamedCoordinate> coordinates =
      given.empty() ? coordinates_of_their_own(layout, function, sizes, options.inverse)
                    : named(std::move(given), taken_names(sizes, environment));
  HEDDLE_CHECK(check_count(layout, function, sizes, coordinates.size()));
  HEDDLE_CHECK(check_names(coordinates, sizes));
  return Asked{std::move(layout), std::move(function), std::move(sizes), std::move(coordinates)};
}

/// The question without values and conditions.
IndexExpression unanswered(const Asked& asked) {
  IndexExpression question;
  question.axes = asked.function.axes;
  question.names = asked.sizes;
  for (std::size_t i = 0; i < asked.coordinates.size(); ++i) {
    const NamedCoordinate& coordinate = asked.coordinates[i];
    if (coordinate.name.empty()) take_names(question.names, coordinate.given.expression);
    if (!coordinate.name.empty()) question.names.insert(coordinate.name);
    if (!coordinate.is_range()) continue;
    const Int& extent = asked.function.extents[i];
    question.ranges.push_back(
        {index_variable(coordinate.name, extent), extent, i, question.ranges.size()});
  }
  return question;
}

/// Adds the values at the point.
Result<void> add_values(IndexExpression& question, const Asked& asked, CoordinateReader reader,
                        bool is_guard) {
  HEDDLE_TRY(question.point, reader.read(asked.coordinates, asked.function.extents));
  question.known = reader.variables();
  // A guard asks whether the point is one.
  if (!is_guard) HEDDLE_CHECK(asked.function.check(question.point));
  if (is_guard) return {};
  HEDDLE_TRY(question.values, asked.function.at(question.point));
  return check_values(question.values);
}

/// Adds the values at coordinates with no known ranges, if they are defined.
Result<void> add_raw_values(IndexExpression& question, const Asked& asked,
                            CoordinateReader reader) {
  HEDDLE_TRY(const std::vector<Int> point, reader.read(asked.coordinates, asked.function.extents));
  const auto raw = asked.function.at(point);
  if (!raw || !check_values(*raw)) return {};
  question.raw_values = *raw;
  question.given = reader.given();
  return {};
}

/// The definition of a LEGO layout's value, link by link.
std::optional<lego::ChainDefinition> definition_of(const Value& layout,
                                                   std::span<const Int> point) {
  const auto* lego = layout.get_if<lego::Layout>();
  if (lego == nullptr || point.size() != lego->dims().size()) return std::nullopt;
  const auto definition = lego::definition_at(*lego, point);
  return definition ? std::optional(*definition) : std::nullopt;
}

/// The question of a text: of a slice, that of its layout at its coordinates.
Result<IndexExpression> question_in(std::string_view text, std::vector<IndexCoordinate> coordinates,
                                    const IndexExpressionOptions& options,
                                    const Environment& environment) {
  HEDDLE_TRY(const Expression expression, parse_expression(text));
  if (coordinates.empty() && std::holds_alternative<Subscript>(expression.node)) {
    const auto layout = evaluate(expression.parts.front(), environment);
    if (layout && (index_map_of(*layout) || to_any_layout(*layout))) {
      return index_expression_at(*layout, coordinates_in(expression, text), options, environment);
    }
  }
  HEDDLE_TRY(const Value layout, evaluate(expression, environment));
  return index_expression_at(layout, std::move(coordinates), options, environment);
}

}  // namespace

std::vector<IndexCoordinate> coordinates_in(const Expression& access, std::string_view text) {
  std::vector<IndexCoordinate> coordinates;
  for (const Expression& part : access.parts | std::views::drop(1)) {
    coordinates.push_back({part, text_at(text, part.span)});
  }
  return coordinates;
}

Result<IndexCoordinate> parse_index_coordinate(std::string_view text) {
  if (text == ":") return IndexCoordinate{{UnderscoreLiteral{}, {}, {0, text.size()}}, text};
  HEDDLE_TRY(Expression expression, parse_expression(text));
  return IndexCoordinate{std::move(expression), text};
}

std::set<std::string> free_names_in(const Expression& expression, const Environment& environment) {
  std::set<std::string> names;
  take_references(names, expression);
  std::erase_if(names, [&](const std::string& name) {
    return environment.find(name) != nullptr || is_assumed(name, environment) || name == "true" ||
           name == "false";
  });
  return names;
}

Result<Int> coordinate_value(const IndexCoordinate& coordinate, const Environment& environment) {
  Environment with_names = environment;
  for (const std::string& name : free_names_in(coordinate.expression, environment)) {
    with_names.bind(name, Value(Int::variable(name)));
  }
  return number_at(coordinate, with_names);
}

Result<IndexExpression> index_expression(const Value& layout,
                                         const std::vector<std::string>& coordinates,
                                         const IndexExpressionOptions& options,
                                         const Environment& environment) {
  std::vector<IndexCoordinate> parsed;
  for (const std::string& coordinate : coordinates) {
    HEDDLE_TRY(parsed.emplace_back(), parse_index_coordinate(coordinate));
  }
  if (const auto* text = layout.get_if<std::string>()) {
    return question_in(*text, std::move(parsed), options, environment);
  }
  return index_expression_at(layout, std::move(parsed), options, environment);
}

Result<IndexExpression> index_expression_at(const Value& layout,
                                            std::vector<IndexCoordinate> coordinates,
                                            const IndexExpressionOptions& options,
                                            const Environment& environment) {
  HEDDLE_TRY(const Value mapped, with_pieces(layout));
  HEDDLE_TRY(const Asked asked, asked_in(mapped, std::move(coordinates), options, environment));
  const auto reader = [&](Knowledge knowledge) {
    CoordinateReader made(environment, knowledge);
    if (options.is_access) made.take_free_names(asked.sizes);
    return made;
  };
  IndexExpression question = unanswered(asked);
  HEDDLE_CHECK(add_values(question, asked, reader(Knowledge::kCoordinates), options.is_guard));
  if (options.is_access) {  // an access is not verified, so it needs no raw values
    HEDDLE_TRY(question.guarded_point,
               reader(Knowledge::kAssumptions).read(asked.coordinates, asked.function.extents));
    return question;
  }
  HEDDLE_CHECK(add_raw_values(question, asked, reader(Knowledge::kNothing)));
  if (!options.inverse) question.definition = definition_of(asked.layout, question.point);
  return question;
}

}  // namespace heddle::notation
