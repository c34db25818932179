#include "heddle/notation/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "heddle/cute/algebra.h"
#include "heddle/notation/lexer.h"
#include "heddle/notation/linear.h"
#include "heddle/notation/triton.h"
#include "notation/language/literals/printed_layout.h"
#include "notation/operations/any_layout.h"
#include "notation/operations/binding.h"
#include "notation/operations/isl_calls.h"
#include "notation/operations/lego_arguments.h"
#include "notation/value/axe.h"
#include "notation/value/value_data.h"

namespace heddle::notation {
namespace {

using cute::ComposedLayout;
using cute::Coordinate;
using cute::Layout;
using cute::Swizzle;
using cute::Tile;
using cute::Tiler;

using Converted = Result<std::optional<Value>>;

std::vector<Operation> make_table() {
  std::vector<Operation> table;
  add_tuple_operations(table);
  add_layout_operations(table);
  add_slicing_operations(table);
  add_algebra_operations(table);
  add_swizzle_operations(table);
  add_permutation_operations(table);
  add_partition_operations(table);
  add_tiled_mma_operations(table);
  add_tiled_copy_operations(table);
  add_tensor_operations(table);
  add_linear_operations(table);
  add_linear_dims_operations(table);
  add_linear_question_operations(table);
  add_column_action_operations(table);
  add_encoding_operations(table);
  add_analyze_operations(table);
  add_axe_operations(table);
  add_axe_grouping_operations(table);
  add_axe_tile_operations(table);
  add_axe_hardware_operations(table);
  add_axe_mesh_operations(table);
  add_lego_operations(table);
  add_lego_question_operations(table);
  add_relation_operations(table);
  add_decision_operations(table);
  add_conversion_operations(table);
  add_recovery_operations(table);
  add_emit_operations(table);
  add_index_operations(table);
  add_instantiate_operations(table);
  add_picture_operations(table);
  return table;
}

// Conversions of a value to a kind.

/// A text, or a list of texts as one: ['Shard(0)', 'Replicate()'].
std::optional<Value> as_spec(const Value& value) {
  if (value.is<std::string>()) return value;
  const auto* datum = value.get_if<Datum>();
  if (datum == nullptr || datum->list() == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Datum& item : *datum->list()) {
    if (item.text() == nullptr) return std::nullopt;
    texts.push_back(*item.text());
  }
  return Value(fmt::format("[{}]", fmt::join(texts, ", ")));
}

/// The integer that a tuple is, through parentheses of one: `(4)` is 4.
std::optional<Int> as_integer(const Value& value) {
  const auto* tuple = value.get_if<IntTuple>();
  if (tuple == nullptr || tuple->leaves().size() != 1) return std::nullopt;
  return tuple->leaf();
}

/// Do values of this kind keep the tile of a thread-value layout?
bool keeps_tile(Kind kind) {
  return kind == Kind::kTvLayout || kind == Kind::kTiled || kind == Kind::kHubLayout ||
         kind == Kind::kRelation || kind == Kind::kTabulated;
}

/// A layout alone counts from 0.
Result<void> check_origin(const cute::Tensor& tensor) {
  const auto* counter = std::get_if<cute::Counter>(&tensor.engine);
  if (counter == nullptr) return {};
  const bool is_zero = std::ranges::all_of(counter->origin.leaves(),
                                           [](const Int& start) { return known_equal(start, 0); });
  if (is_zero) return {};
  return refuse(
      Diagnostic("tensor.origin", fmt::format("{} does not count from 0, and a layout alone would",
                                              cute::to_string(tensor.engine)))
          .with_hint("layout(TENSOR) is the layout alone; a partition, or the tensor "
                     "applied to a coordinate, counts from its beginning"));
}

/// What a layout comes with is left where only its map is wanted: a thread-value layout has a tile,
/// a tensor an engine, and its map is the layout of its element indices.
Converted as_index_layout(const Value& value, Kind kind) {
  if (const auto* tv = value.get_if<cute::TvLayout>()) return Value(tv->layout);
  const auto* tensor = value.get_if<cute::Tensor>();
  if (tensor == nullptr) return value;
  // What asks for shapes alone does not mind where the counting begins.
  if (kind != Kind::kShaped) HEDDLE_CHECK(check_origin(*tensor));
  HEDDLE_TRY(const cute::AnyLayout layout, cute::as_position_independent_swizzle_layout(*tensor));
  return Value(layout);
}

Converted as_layout(const Value& value) {
  if (value.is<Layout>()) return value;
  const auto* shape = value.get_if<IntTuple>();
  if (shape == nullptr) return std::nullopt;
  HEDDLE_TRY(Layout layout, cute::make_layout(*shape));
  return Value(std::move(layout));
}

Converted as_coordinate(const Value& value) {
  if (value.is<Coordinate>()) return value;
  const auto* indices = value.get_if<IntTuple>();
  if (indices == nullptr) return std::nullopt;
  return Value(cute::to_coordinate(*indices));
}

/// What counts from a beginning begins there.
std::optional<Value> counted(const Value& value) {
  const auto* tensor = value.get_if<cute::Tensor>();
  if (tensor == nullptr) return std::nullopt;
  const auto* counter = std::get_if<cute::Counter>(&tensor->engine);
  const auto* layout = std::get_if<Layout>(&tensor->layout);
  if (counter == nullptr || layout == nullptr) return std::nullopt;
  return Value(cute::OffsetLayout(*layout, counter->origin));
}

/// A layout alone begins at 0.
Converted as_placed(const Value& value) {
  if (value.is<cute::OffsetLayout>() || value.is<ComposedLayout>()) return value;
  HEDDLE_TRY(const std::optional<Value> layout, as_layout(value));
  if (!layout) return std::nullopt;
  return Value(cute::OffsetLayout(layout->get<Layout>()));
}

/// An atom alone is the tiled MMA of one atom.
Converted as_tiled_mma(const Value& value) {
  if (value.is<cute::TiledMma>()) return value;
  const auto* atom = value.get_if<cute::MmaAtom>();
  if (atom == nullptr) return std::nullopt;
  HEDDLE_TRY(cute::TiledMma mma, cute::make_tiled_mma(*atom));
  return Value(std::move(mma));
}

/// An atom has a tile too.
Converted as_tiled(const Value& value) {
  if (value.is<cute::TvLayout>() || value.is<cute::TiledCopy>()) return value;
  return as_tiled_mma(value);
}

Tile tile_of(const cute::Index& index) {
  return index.is_underscore() ? Tile(cute::Underscore()) : Tile(index.value());
}

std::optional<Value> as_tiler(const Value& value) {
  if (value.is<Tiler>()) return value;
  if (const auto* layout = value.get_if<Layout>()) return Value(Tiler(Tile(*layout)));
  if (const auto* sizes = value.get_if<IntTuple>()) return Value(cute::to_tiler(*sizes));
  if (const auto* tiles = value.get_if<Coordinate>())
    return Value(transform_leaves(*tiles, tile_of));
  return std::nullopt;
}

std::optional<Value> as_profile(const Value& value) {
  if (value.is<IntTuple>()) return value;
  const auto* coordinate = value.get_if<Coordinate>();
  if (coordinate == nullptr) return std::nullopt;
  return Value(transform_leaves(*coordinate, [](const cute::Index&) { return Int(1); }));
}

std::optional<Value> as_modes(const Value& value) {
  const auto* tuple = value.get_if<IntTuple>();
  if (tuple == nullptr) return std::nullopt;
  const bool are_modes = std::ranges::all_of(
      tuple->leaves(), [](const Int& mode) { return mode.is_constant() && mode.value() >= 0; });
  return are_modes ? std::optional(value) : std::nullopt;
}

/// Quoted, a linear layout is what Triton prints, or JSON; any other text is a text.
Converted as_linear(const Value& value) {
  if (value.is<linear::LinearLayout>()) return value;
  const auto* text = value.get_if<std::string>();
  if (text == nullptr) return std::nullopt;
  const std::string_view trimmed =
      std::string_view(*text).substr(std::min(text->find_first_not_of(" \n"), text->size()));
  if (!begins_printed_layout(trimmed) && !trimmed.starts_with('{')) return std::nullopt;
  HEDDLE_TRY(linear::LinearLayout layout, parse_linear_layout(*text));
  return Value(std::move(layout));
}

Converted as_encoding(const Value& value) {
  if (value.is<linear::Encoding>()) return value;
  const auto* text = value.get_if<std::string>();
  if (text == nullptr || !text->starts_with('#')) return std::nullopt;
  HEDDLE_TRY(linear::Encoding encoding, parse_encoding(*text));
  return Value(std::move(encoding));
}

/// The datum that is so; nothing where it is otherwise or no datum.
template <class Test>
std::optional<Value> as_data(const Value& value, Test is_wanted) {
  std::optional<Datum> datum = as_datum(value);
  if (!datum || !is_wanted(*datum)) return std::nullopt;
  return Value(*std::move(datum));
}

std::optional<Value> value_if(bool condition, const Value& value) {
  return condition ? std::optional(value) : std::nullopt;
}

// Calls.

Refusal wrong_type(const Operation& operation, std::size_t index, const Argument& argument) {
  const Parameter& parameter =
      operation.parameters[std::min(index, operation.parameters.size() - 1)];
  // Of numbers it is the sign that keeps them from being modes.
  const bool is_number = parameter.kind == Kind::kModes && argument.value.is<IntTuple>();
  const std::string given =
      is_number ? to_string(argument.value) : std::string(kind_name(argument.value));
  Diagnostic diagnostic(
      "call.type", fmt::format("argument {} of {}, {}, is {}; {} is needed", index + 1,
                               operation.name, parameter.name, given, description(parameter.kind)));
  if (argument.span) diagnostic = std::move(diagnostic).with_span(*argument.span);
  if (argument.value.is<ComposedLayout>() && parameter.kind == Kind::kLayout) {
    diagnostic = std::move(diagnostic)
                     .with_hint(
                         "a composed layout has no strides; nonswizzle_portion() gives the layout "
                         "within it");
  }
  const bool takes_layouts = parameter.kind == Kind::kHubLayout ||
                             parameter.kind == Kind::kTabulated ||
                             parameter.kind == Kind::kRelation;
  if (takes_layouts) diagnostic = std::move(diagnostic).with_hint(layout_hint(argument.value));
  if (argument.value.is<lego::Layout>()) {
    diagnostic = std::move(diagnostic)
                     .with_hint(
                         "a LEGO layout has no strides; it has apply, inv, slice, dims, "
                         "size and table");
  }
  if (argument.value.is<cute::OffsetLayout>()) {
    diagnostic = std::move(diagnostic).with_hint("layout(T) is the layout without its offset");
  }
  return refuse(std::move(diagnostic));
}

Refusal wrong_arity(const Operation& operation, std::string_view what) {
  return refuse(Diagnostic("call.arity", fmt::format("{} {}", operation.name, what))
                    .with_hint("it is called as " + signature(operation)));
}

Diagnostic unknown_keyword(const Operation& operation, std::string_view keyword) {
  std::vector<std::string> names;
  for (const Parameter& parameter : operation.parameters) names.push_back(parameter.name);
  const std::vector<std::string> nearest = nearest_names(keyword, names);
  const std::string meant =
      nearest.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(nearest, " or "));
  return Diagnostic("call.keyword",
                    fmt::format("{} has no parameter {}", operation.name, quote(keyword)))
      .with_hint(meant + "it is called as " + signature(operation));
}

Refusal refuse_keyword(Diagnostic diagnostic, const Argument& argument) {
  if (argument.span) diagnostic = std::move(diagnostic).with_span(*argument.span);
  return refuse(std::move(diagnostic));
}

/// For each argument slot, which argument fills it.
class Filling {
 public:
  explicit Filling(const Operation& operation)
      : operation_(operation), slots_(operation.parameters.size()) {}

  Result<void> add(const Argument& argument) {
    if (!argument.name.empty()) return add_named(argument);
    const bool repeats =
        !operation_.parameters.empty() && operation_.parameters.back().need == Need::kRepeated;
    if (next_ >= slots_.size()) {
      if (!repeats) return too_many();
      slots_.push_back(nullptr);
    }
    const Argument*& slot = slots_[next_++];
    if (slot != nullptr) return given_twice(*slot);
    slot = &argument;
    return {};
  }

  /// The arguments by slot; nothing where an optional one is missing.
  Result<std::vector<const Argument*>> finish() && {
    for (std::size_t i = 0; i < operation_.parameters.size(); ++i) {
      if (slots_[i] != nullptr || operation_.parameters[i].need == Need::kOptional) continue;
      return wrong_arity(operation_,
                         fmt::format("needs the argument '{}'", operation_.parameters[i].name));
    }
    return std::move(slots_);
  }

 private:
  Result<void> add_named(const Argument& argument) {
    const auto found = std::ranges::find(operation_.parameters, argument.name, &Parameter::name);
    if (found == operation_.parameters.end()) {
      return refuse_keyword(unknown_keyword(operation_, argument.name), argument);
    }
    auto& slot = slots_[static_cast<std::size_t>(found - operation_.parameters.begin())];
    if (slot != nullptr) return given_twice(argument);
    slot = &argument;
    return {};
  }

  Refusal given_twice(const Argument& argument) const {
    Diagnostic diagnostic("call.keyword", fmt::format("{} is given the parameter {} twice",
                                                      operation_.name, quote(argument.name)));
    return refuse_keyword(
        std::move(diagnostic).with_hint("it is called as " + signature(operation_)), argument);
  }

  Refusal too_many() const {
    const std::size_t most = slots_.size();
    return wrong_arity(operation_,
                       fmt::format("takes at most {} argument{}", most, most == 1 ? "" : "s"));
  }

  const Operation& operation_;
  std::vector<const Argument*> slots_;
  std::size_t next_ = 0;
};

/// A place in a quoted text is none in the text around it, unless it is written out there.
Refusal refuse_argument(Diagnostic why, const Argument& argument) {
  const bool is_placed = why.span() && !argument.value.is<std::string>();
  if (is_placed || !argument.span) return refuse(std::move(why));
  const bool is_within = why.span() && argument.places.are_known();
  const Span place = is_within ? argument.places.in_source(*why.span()) : *argument.span;
  return refuse(std::move(why).with_span(place));
}

/// What an operation refuses has a place in a text that it read: in its only one, as far as anybody
/// knows, otherwise in one of them.
Refusal refuse_read(Diagnostic why, std::span<const Argument> arguments) {
  const bool has_places = !arguments.empty() && arguments.front().span && arguments.back().span;
  if (!why.span() || !has_places) return refuse(std::move(why));
  if (arguments.size() == 1) return refuse_argument(std::move(why), arguments.front());
  const Span first = *arguments.front().span;
  const Span last = *arguments.back().span;
  return refuse(
      std::move(why).with_span({std::min(first.begin, last.begin), std::max(first.end, last.end)}));
}

Result<std::vector<std::optional<Value>>> convert_all(const Operation& operation,
                                                      std::span<const Argument* const> arguments,
                                                      const CallContext& context) {
  std::vector<std::optional<Value>> values(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr) continue;
    const Parameter& parameter = operation.parameters[std::min(i, operation.parameters.size() - 1)];
    Converted value = convert(arguments[i]->value, parameter.kind, context);
    if (!value) return refuse_argument(std::move(value).error(), *arguments[i]);
    if (!*value) return wrong_type(operation, i, *arguments[i]);
    values[i] = *std::move(value);
  }
  return values;
}

/// How many characters must be changed, inserted or dropped to get from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

/// What the first parameter of an operation takes that is meant by the systems of its arguments,
/// the likeliest first: layouts of several systems, or of none, are the hub's.
std::vector<Kind> kinds_meant(std::span<const Argument> arguments) {
  std::set<map::System> systems;
  bool is_lego = false;
  bool is_axe = false;
  for (const Argument& argument : arguments) {
    const Value& value = argument.value;
    is_lego = is_lego || value.is_lego();
    is_axe = is_axe || value.is_axe();
    if (const auto system = hub_system(value)) systems.insert(*system);
  }
  std::vector<Kind> kinds;
  const bool has_relation = systems.contains(map::System::kRelation);
  if (has_relation) kinds.push_back(Kind::kRelation);
  if (has_relation || systems.contains(map::System::kTable) || systems.size() > 1) {
    kinds.push_back(Kind::kHubLayout);
  }
  if (is_lego) kinds.insert(kinds.end(), {Kind::kLego, Kind::kHubLayout});
  if (is_axe) kinds.insert(kinds.end(), {Kind::kAxe, Kind::kHubLayout});
  return kinds;
}

/// Every argument that is given by name is one of the operation.
bool has_parameters(const Operation& operation, std::span<const Argument> arguments) {
  return std::ranges::all_of(arguments, [&](const Argument& argument) {
    return argument.name.empty() || has_parameter(operation, argument.name);
  });
}

/// No layout stands where numbers are asked for.
bool gives_numbers_where_asked(const Operation& operation, std::span<const Argument> arguments) {
  const std::size_t count = std::min(arguments.size(), operation.parameters.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Kind kind = operation.parameters[i].kind;
    const bool takes_numbers = kind == Kind::kTuple || kind == Kind::kInteger;
    if (takes_numbers && arguments[i].name.empty() && hub_system(arguments[i].value)) return false;
  }
  return true;
}

}  // namespace

std::string_view description(Kind kind) {
  switch (kind) {
    case Kind::kAny:
      return "a value";
    case Kind::kInteger:
      return "an integer";
    case Kind::kTuple:
      return "an integer or a tuple of integers";
    case Kind::kStrides:
      return "strides, as in (1,(2,8))";
    case Kind::kProfile:
      return "a tuple that shows the nesting";
    case Kind::kModes:
      return "a mode number or a tuple of them";
    case Kind::kCoordinate:
      return "a coordinate";
    case Kind::kTiler:
      return "a tiler";
    case Kind::kLayout:
      return "a layout";
    case Kind::kAnyLayout:
      return "a layout or a composed layout";
    case Kind::kShaped:
      return "a layout or a tuple";
    case Kind::kSwizzled:
      return "a layout or a swizzle";
    case Kind::kMap:
      return "a layout, a swizzle or a morphism";
    case Kind::kFactor:
      return "a layout, a swizzle, a morphism or a tiler";
    case Kind::kSwizzle:
      return "a swizzle";
    case Kind::kMorphism:
      return "a morphism of factorizations";
    case Kind::kPlaced:
      return "a layout, composed or with an offset or neither";
    case Kind::kTvLayout:
      return "a thread-value layout";
    case Kind::kMmaAtom:
      return "an MMA atom";
    case Kind::kTiledMma:
      return "a tiled MMA or an MMA atom";
    case Kind::kCopyAtom:
      return "a copy atom";
    case Kind::kTiledCopy:
      return "a tiled copy";
    case Kind::kTiled:
      return "a tiled MMA, a tiled copy or a thread-value layout with its tile";
    case Kind::kTensor:
      return "a tensor, as CuTe prints it";
    case Kind::kString:
      return "a text in quotes";
    case Kind::kTruth:
      return "true or false";
    case Kind::kLinear:
      return "a linear layout";
    case Kind::kEncoding:
      return "an encoding";
    case Kind::kEncoded:
      return "an encoding or a linear layout";
    case Kind::kNames:
      return "a name in quotes or a list of them";
    case Kind::kNamedSizes:
      return "a list of names with sizes, as in {\"dim0\": 16}";
    case Kind::kDims:
      return "a list of names, with sizes or without";
    case Kind::kSizes:
      return "a list of sizes";
    case Kind::kBases:
      return "a list of names with bases, as in {\"lane\": [[1,0],[2,0]]}";
    case Kind::kPoint:
      return "a coordinate, or names with coordinates as in {\"lane\": 3}";
    case Kind::kAnyMap:
      return "a layout, a composed layout or a linear layout";
    case Kind::kListed:
      return "a layout, a swizzle or a linear layout";
    case Kind::kAxe:
      return "an Axe layout";
    case Kind::kMesh:
      return "a mesh, or its text as in 'DeviceMesh([[0, 1], [2, 3]])'";
    case Kind::kSpec:
      return "a text in quotes as PyTorch, JAX or Alpa write it, or a list of texts";
    case Kind::kSharded:
      return "an Axe layout, alone or as a tensor over a mesh";
    case Kind::kAxeShape:
      return "a shape without nesting";
    case Kind::kAxeShapes:
      return "a list of shapes";
    case Kind::kPoints:
      return "a list of points or of flat indices";
    case Kind::kRegion:
      return "a list of intervals, as in [[0,8],[8,24]]";
    case Kind::kIter:
      return "an iter, as in [128, 1, \"P\"]";
    case Kind::kIters:
      return "a list of iters";
    case Kind::kLego:
      return "a LEGO layout";
    case Kind::kTile:
      return "a list of sizes or indices, as in [6,4]";
    case Kind::kFunction:
      return "a function, as in (i,j) -> 2*i+j or antidiag, or a layout";
    case Kind::kHubLayout:
      return "a layout of any system, a relation or a table";
    case Kind::kTabulated:
      return "a table of numbers, as in [[0,1],[4,5]], or a layout of any system";
    case Kind::kRelation:
      return "a relation, or a layout";
    case Kind::kExpression:
      return "an expression, in quotes or as it is";
  }
  return "a value";
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> table = make_table();
  return table;
}

std::span<const Operation* const> operations_named(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, std::vector<const Operation*>> by_name;
    for (const Operation& operation : operations()) by_name[operation.name].push_back(&operation);
    // CuTe's names of two of them.
    by_name["get_swizzle_portion"] = by_name.at("swizzle_portion");
    by_name["get_nonswizzle_portion"] = by_name.at("nonswizzle_portion");
    for (const char* maker : {"make_shape", "make_stride", "make_coord", "make_tile", "make_step"})
      by_name[maker] = by_name.at("make_tuple");
    return by_name;
  }();
  const auto found = index.find(name);
  if (found == index.end()) return {};
  return found->second;
}

const Operation* find_operation(std::string_view name) {
  const auto named = operations_named(name);
  return named.empty() ? nullptr : named.front();
}

const Operation* find_operation(std::string_view name, Kind first) {
  for (const Operation* operation : operations_named(name)) {
    if (operation->parameters.empty()) continue;
    if (operation->parameters.front().kind == first) return operation;
  }
  return nullptr;
}

const Operation* find_operation(std::string_view name, std::span<const Argument> arguments) {
  const Operation* hub = find_operation(name, Kind::kHubLayout);
  if (hub != nullptr && has_parameters(*hub, arguments)) {
    for (std::size_t i = 0; i < std::min(arguments.size(), hub->parameters.size()); ++i) {
      const bool is_table = is_list(arguments[i].value) && arguments[i].name.empty();
      if (is_table && hub->parameters[i].kind == Kind::kHubLayout) return hub;
    }
  }
  const std::vector<Kind> wanted = kinds_meant(arguments);
  for (const Kind kind : wanted) {
    const Operation* operation = find_operation(name, kind);
    if (operation != nullptr && has_parameters(*operation, arguments)) return operation;
  }
  const auto takes_all = [&](const Operation* operation) {
    const auto& parameters = operation->parameters;
    const bool repeats = !parameters.empty() && parameters.back().need == Need::kRepeated;
    const bool is_long_enough = repeats || arguments.size() <= parameters.size();
    return is_long_enough && has_parameters(*operation, arguments) &&
           gives_numbers_where_asked(*operation, arguments);
  };
  const auto named = operations_named(name);
  const auto found = std::ranges::find_if(named, takes_all);
  if (found != named.end()) return *found;
  return find_operation(name);
}

bool has_parameter(const Operation& operation, std::string_view name) {
  return std::ranges::find(operation.parameters, name, &Parameter::name) !=
         operation.parameters.end();
}

std::string signature(const Operation& operation) {
  std::string text = operation.name + "(";
  bool first = true;
  for (const Parameter& parameter : operation.parameters) {
    const bool is_optional = parameter.need == Need::kOptional;
    if (is_optional) text += '[';
    if (!first) text += ", ";
    text += parameter.name;
    if (!parameter.default_text.empty()) text += "=" + parameter.default_text;
    if (is_optional) text += ']';
    if (parameter.need == Need::kRepeated) text += "…";
    first = false;
  }
  return text + ")";
}

Result<void> check_keyword(std::string_view operation, std::string_view keyword) {
  const auto named = operations_named(operation);
  const auto takes_it = [&](const Operation* one) { return has_parameter(*one, keyword); };
  if (named.empty() || std::ranges::any_of(named, takes_it)) return {};
  return refuse(unknown_keyword(*named.front(), keyword));
}

Converted convert(const Value& given, Kind kind, const CallContext& context) {
  if (kind == Kind::kPlaced) {
    if (auto placed = counted(given)) return placed;
  }
  const bool keeps_all = kind == Kind::kAny || kind == Kind::kExpression || kind == Kind::kTensor ||
                         (given.is<cute::TvLayout>() && keeps_tile(kind));
  HEDDLE_TRY(const std::optional<Value> seen,
             keeps_all ? Converted(given) : as_index_layout(given, kind));
  const Value& value = *seen;
  switch (kind) {
    case Kind::kAny:
    case Kind::kExpression:
      return value;
    case Kind::kInteger: {
      const auto integer = as_integer(value);
      return integer ? std::optional(Value(*integer)) : std::nullopt;
    }
    case Kind::kTuple:
      return value_if(value.is<IntTuple>(), value);
    case Kind::kStrides:
      return value.is<IntTuple>() ? Converted(Value(cute::to_strides(value.get<IntTuple>())))
                                  : value_if(value.is<cute::StrideTuple>(), value);
    case Kind::kProfile:
      return as_profile(value);
    case Kind::kModes:
      return as_modes(value);
    case Kind::kCoordinate:
      return as_coordinate(value);
    case Kind::kTiler:
      return as_tiler(value);
    case Kind::kLayout:
      return as_layout(value);
    case Kind::kAnyLayout:
      return value.is<ComposedLayout>() ? Converted(value) : as_layout(value);
    case Kind::kShaped:
      return value_if(value.is_layout() || value.is<IntTuple>(), value);
    case Kind::kSwizzled:
      return value.is<ComposedLayout>() || value.is<Swizzle>() ? Converted(value)
                                                               : as_layout(value);
    case Kind::kMap:
      return value.is<cute::FactMorphism>() || value.is<linear::LinearLayout>()
                 ? Converted(value)
                 : convert(value, Kind::kSwizzled);
    case Kind::kFactor:
      return value.is_layout() || value.is<Swizzle>() || value.is<cute::FactMorphism>() ||
                     value.is<linear::LinearLayout>()
                 ? Converted(value)
                 : as_tiler(value);
    case Kind::kSwizzle:
      return value_if(value.is<Swizzle>(), value);
    case Kind::kMorphism:
      return value_if(value.is<cute::FactMorphism>(), value);
    case Kind::kPlaced:
      return as_placed(value);
    case Kind::kTvLayout:
      return value.is<cute::TvLayout>() ? Converted(value) : as_layout(value);
    case Kind::kMmaAtom:
      return value_if(value.is<cute::MmaAtom>(), value);
    case Kind::kTiledMma:
      return as_tiled_mma(value);
    case Kind::kCopyAtom:
      return value_if(value.is<cute::CopyAtom>(), value);
    case Kind::kTiledCopy:
      return value_if(value.is<cute::TiledCopy>(), value);
    case Kind::kTiled:
      return as_tiled(value);
    case Kind::kTensor:
      return value_if(value.is<cute::Tensor>(), value);
    case Kind::kString:
      return value_if(value.is<std::string>(), value);
    case Kind::kTruth:
      return value_if(value.is<bool>(), value);
    case Kind::kLinear:
      return as_linear(value);
    case Kind::kEncoding:
      return as_encoding(value);
    case Kind::kEncoded:
      return value.is<linear::LinearLayout>() ? Converted(value) : as_encoding(value);
    case Kind::kNames:
      return as_data(value, [](const Datum& datum) { return names_of(datum).has_value(); });
    case Kind::kNamedSizes:
      return as_data(value, [](const Datum& datum) { return named_sizes_of(datum).has_value(); });
    case Kind::kDims:
      return as_data(value, [](const Datum& datum) {
        return names_of(datum).has_value() || named_sizes_of(datum).has_value();
      });
    case Kind::kSizes:
      return as_data(value, [](const Datum& datum) { return sizes_of(datum).has_value(); });
    case Kind::kBases:
      return as_data(value, [](const Datum& datum) { return bases_of(datum).has_value(); });
    case Kind::kPoint:
      return value.is<Datum>() ? convert(value, Kind::kNamedSizes) : as_coordinate(value);
    case Kind::kAnyMap:
      return value.is<linear::LinearLayout>() ? Converted(value) : convert(value, Kind::kAnyLayout);
    case Kind::kListed:
      return value.is<linear::LinearLayout>() ? Converted(value) : convert(value, Kind::kSwizzled);
    case Kind::kAxe:
      return as_axe(value);
    case Kind::kSpec:
      return as_spec(value);
    case Kind::kMesh:
      return as_mesh(value);
    case Kind::kSharded:
      return value_if(value.is<axe::Layout>() || value.is<axe::Sharded>(), value);
    case Kind::kAxeShape:
      return as_shape(value);
    case Kind::kAxeShapes:
      return as_shapes(value);
    case Kind::kPoints:
      return as_tuple(value);
    case Kind::kRegion:
      return as_region(value);
    case Kind::kIter:
      return as_iter(value);
    case Kind::kIters:
      return as_iters(value);
    case Kind::kLego:
      return value_if(value.is<lego::Layout>(), value);
    case Kind::kTile:
      return as_sizes(value);
    case Kind::kFunction:
      return as_lego_function(value, context);
    case Kind::kHubLayout:
      return as_any_layout(value, context);
    case Kind::kTabulated:
      return as_tabulated(value, context);
    case Kind::kRelation:
      return as_relation(value, context);
  }
  return std::nullopt;
}

Result<std::vector<std::optional<Value>>> arranged(const Operation& operation,
                                                   std::span<const Argument> arguments,
                                                   const CallContext& context) {
  std::size_t leaves = 0;
  for (const Argument& argument : arguments) leaves += leaf_count(argument.value);
  if (leaves > kMaxLeaves) {
    return refuse("call.too_large",
                  fmt::format("the arguments of {} have {} leaves together; at most {} are "
                              "worked on",
                              operation.name, leaves, kMaxLeaves));
  }
  Filling filling(operation);
  for (const Argument& argument : arguments) HEDDLE_CHECK(filling.add(argument));
  HEDDLE_TRY(const auto slots, std::move(filling).finish());
  return convert_all(operation, slots, context);
}

Result<Value> call(const Operation& operation, std::span<const Argument> arguments,
                   const CallContext& context) {
  HEDDLE_TRY(const auto values, arranged(operation, arguments, context));
  if (context.engine == AlgebraEngine::kIsl) {
    if (auto by_isl = call_by_isl(operation, values, context.decide.limits)) return *by_isl;
  }
  Result<Value> result = operation.function(values, context);
  if (!result) return refuse_read(std::move(result).error(), arguments);
  if (is_defined(*result)) return result;
  return refuse("overflow",
                fmt::format("the result of {} does not fit into 64 bits", operation.name));
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> names) {
  constexpr std::size_t kMaxNames = 3;
  constexpr std::size_t kMaxLength = 64;
  if (name.size() > kMaxLength) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool is_part = name.size() >= 3 && candidate.find(name) != std::string::npos;
    if (distance <= 1 + name.size() / 4 || is_part) near.emplace_back(distance, candidate);
  }
  std::ranges::sort(near);
  // Several systems have operations of one name.
  near.erase(std::unique(near.begin(), near.end()), near.end());
  near.resize(std::min(near.size(), kMaxNames));
  std::vector<std::string> nearest;
  for (auto& [distance, candidate] : near) nearest.push_back(std::move(candidate));
  return nearest;
}

}  // namespace heddle::notation
