#pragma once

// The types of parameters.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/axe/slice.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/linear.h"
#include "notation/operations/any_layout.h"
#include "notation/operations/lego_arguments.h"
#include "notation/operations/reader.h"
#include "notation/value/axe.h"
#include "notation/value/constants.h"

namespace heddle::notation {

template <>
struct Reader<Value> : SharedReader<Value> {
  static constexpr std::string_view kDescription = "a value";
  static constexpr ArrayIs kArray = ArrayIs::kTupleOrNames;
  static ConvertedArgument convert(const Value& given, const CallContext&) { return given; }
  static Value read(const Value& value) { return value; }
};

/// An expression in quotes, whose text may carry more information than its value, or the value
/// itself.
struct QuotedOrValue {
  Value value;
};
template <>
struct Reader<QuotedOrValue> : SharedReader<QuotedOrValue> {
  static constexpr std::string_view kDescription = "an expression, in quotes or as it is";
  static constexpr TextIs kText = TextIs::kName;
  static ConvertedArgument convert(const Value& given, const CallContext&) { return given; }
  static QuotedOrValue read(const Value& value) { return {value}; }
};

template <>
struct Reader<std::string> : PlainReader<std::string> {
  static constexpr std::string_view kDescription = "a text in quotes";
  static constexpr TextIs kText = TextIs::kName;
};

template <>
struct Reader<bool> : PlainReader<bool> {
  static constexpr std::string_view kDescription = "true or false";
};

// ---- Integers and tuples ----

template <>
struct Reader<IntTuple> : PlainReader<IntTuple> {
  static constexpr std::string_view kDescription = "an integer or a tuple of integers";
  /// A tiler of sizes is a tuple: Python writes [4,8].
  static std::optional<Value> make(const Value& value) {
    return value.is<cute::Tiler>() ? as_tuple(value) : PlainReader::make(value);
  }
};

template <>
struct Reader<Int> : SharedReader<Int> {
  static constexpr std::string_view kDescription = "an integer";
  /// Unwraps a tuple of one: `(4)` is 4.
  static std::optional<Value> make(const Value& value) {
    const auto* tuple = value.get_if<IntTuple>();
    if (tuple == nullptr || tuple->leaves().size() != 1) return std::nullopt;
    return Value(tuple->leaf());
  }
  static const Int& read(const Value& value) { return value.get<IntTuple>().leaf(); }
};

// Constants: a symbolic integer is refused with `call.type`.
template <>
struct Reader<std::int64_t> : Reader<Int> {
  static Result<std::int64_t> read(const Value& value) {
    return constant(Reader<Int>::read(value));
  }
};
/// A count; excessive values are clamped, and refused where they are used.
template <>
struct Reader<int> : Reader<Int> {
  static Result<int> read(const Value& value) { return small_constant(Reader<Int>::read(value)); }
};

template <>
struct Reader<Profile> : SharedReader<Profile> {
  static constexpr std::string_view kDescription = "a tuple that shows the nesting";
  static std::optional<Value> make(const Value& value) {
    if (value.is<IntTuple>()) return value;
    const auto* coordinate = value.get_if<cute::Coordinate>();
    if (coordinate == nullptr) return std::nullopt;
    return Value(transform_leaves(*coordinate, [](const cute::Index&) { return Int(1); }));
  }
  static const Profile& read(const Value& value) { return value.get<IntTuple>().profile(); }
};

// Views are read as the types they are views of.
template <>
struct Reader<IntTupleView> : Reader<IntTuple> {};
template <>
struct Reader<ProfileView> : Reader<Profile> {};
template <>
struct Reader<std::string_view> : Reader<std::string> {};

/// Mode numbers: `0`, `(0,2)`.
struct ModeNumbers {
  std::vector<std::size_t> numbers;
};
template <>
struct Reader<ModeNumbers> : SharedReader<ModeNumbers> {
  static constexpr std::string_view kDescription = "a mode number or a tuple of them";
  static std::optional<Value> make(const Value& value) {
    std::optional<Value> tuple = Reader<IntTuple>::make(value);
    if (!tuple) return std::nullopt;
    const bool are_modes = std::ranges::all_of(
        tuple->get<IntTuple>().leaves(),
        [](const Int& mode) { return mode.is_constant() && mode.value() >= 0; });
    return are_modes ? std::move(tuple) : std::nullopt;
  }
  static ModeNumbers read(const Value& value) {
    ModeNumbers modes;
    for (const Int& mode : value.get<IntTuple>().leaves()) {
      modes.numbers.push_back(static_cast<std::size_t>(mode.value()));
    }
    return modes;
  }
};

/// `[6,4]`, `(6,4)`, `6`: a flat shape or a point.
using IntList = std::vector<Int>;
template <>
struct Reader<IntList> : SharedReader<IntList> {
  static constexpr std::string_view kDescription = "a list of sizes or indices, as in [6,4]";
  static constexpr auto make = as_sizes;
  static IntList read(const Value& value) {
    const auto leaves = value.get<IntTuple>().leaves();
    return {leaves.begin(), leaves.end()};
  }
};
template <>
struct Reader<std::span<const Int>> : Reader<IntList> {};
/// The leaves of each mode.
inline std::vector<std::vector<Int>> rows_of(const IntTuple& tuple) {
  std::vector<std::vector<Int>> rows;
  for (const TupleView<Int> mode : tuple.modes()) {
    const auto leaves = mode.leaves();
    rows.emplace_back(leaves.begin(), leaves.end());
  }
  return rows;
}

// ---- CuTe ----

template <>
struct Reader<cute::StrideTuple> : PlainReader<cute::StrideTuple> {
  static constexpr std::string_view kDescription = "strides, as in (1,(2,8))";
  static std::optional<Value> make(const Value& value) {
    const std::optional<Value> tuple = Reader<IntTuple>::make(value);
    return tuple ? Value(cute::to_strides(tuple->get<IntTuple>())) : PlainReader::make(value);
  }
};

template <>
struct Reader<cute::Coordinate> : PlainReader<cute::Coordinate> {
  static constexpr std::string_view kDescription = "a coordinate";
  static std::optional<Value> make(const Value& value) {
    const auto* indices = value.get_if<IntTuple>();
    return indices == nullptr ? PlainReader::make(value) : Value(cute::to_coordinate(*indices));
  }
};

template <>
struct Reader<cute::Tiler> : PlainReader<cute::Tiler> {
  static std::optional<Value> make(const Value& value) {
    if (const auto* layout = value.get_if<cute::Layout>()) {
      return Value(cute::Tiler(cute::Tile(*layout)));
    }
    if (const auto* sizes = value.get_if<IntTuple>()) return Value(cute::to_tiler(*sizes));
    const auto* tiles = value.get_if<cute::Coordinate>();
    if (tiles == nullptr) return PlainReader::make(value);
    return Value(transform_leaves(*tiles, [](const cute::Index& index) {
      return index.is_underscore() ? cute::Tile(cute::Underscore()) : cute::Tile(index.value());
    }));
  }
};

template <>
struct Reader<cute::Layout> : PlainReader<cute::Layout> {
  static constexpr bool kIsLayout = true;
  static ConvertedArgument make(const Value& value) {
    const auto* shape = value.get_if<IntTuple>();
    if (shape == nullptr) return PlainReader::make(value);
    HEDDLE_TRY(cute::Layout layout, cute::make_layout(*shape));
    return Value(std::move(layout));
  }
  static std::string hint(const Value& value) {
    if (!value.is<cute::ComposedLayout>()) return "";
    return "a composed layout has no strides; " +
           fmt::format("nonswizzle_portion({}) is the layout within it", to_string(value));
  }
};

template <>
struct Reader<cute::Swizzle> : PlainReader<cute::Swizzle> {};
template <>
struct Reader<cute::FactMorphism> : PlainReader<cute::FactMorphism> {};

template <>
struct Reader<cute::AnyLayout> : OneOf<cute::AnyLayout> {
  static constexpr std::string_view kDescription = "a layout or a composed layout";
  static constexpr bool kIsLayout = true;
};

/// A layout of either kind, or a tuple.
using LayoutOrTuple = std::variant<IntTuple, cute::Layout, cute::ComposedLayout>;
template <>
struct Reader<LayoutOrTuple> : OneOf<LayoutOrTuple> {
  static constexpr std::string_view kDescription = "a layout or a tuple";
  /// Only the shape matters, so a tensor may count from anywhere.
  static ConvertedArgument convert(const Value& given, const CallContext&) {
    HEDDLE_TRY(Value value, index_layout(given, Origin::kAnywhere));
    return holds(value) ? std::optional(std::move(value)) : std::nullopt;
  }
};

/// A layout of either kind, or a swizzle.
using LayoutOrSwizzle = cute::OuterFunction;
template <>
struct Reader<LayoutOrSwizzle> : OneOf<LayoutOrSwizzle> {
  static constexpr std::string_view kDescription = "a layout or a swizzle";
};

/// Values that can be composed and inverted.
using Composable = std::variant<cute::Layout, cute::ComposedLayout, cute::Swizzle,
                                cute::FactMorphism, linear::LinearLayout>;
template <>
struct Reader<Composable> : OneOf<Composable> {
  static constexpr std::string_view kDescription = "a layout, a swizzle or a morphism";
};

/// The right side of a composition.
using ComposableOrTiler = std::variant<cute::Tiler, cute::Layout, cute::ComposedLayout,
                                       cute::Swizzle, cute::FactMorphism, linear::LinearLayout>;
template <>
struct Reader<ComposableOrTiler> : OneOf<ComposableOrTiler> {
  static constexpr std::string_view kDescription = "a layout, a swizzle, a morphism or a tiler";
};

template <>
struct Reader<cute::OffsetLayout> : PlainReader<cute::OffsetLayout> {
  /// A plain layout has the offset 0.
  static ConvertedArgument make(const Value& value) {
    if (value.is<cute::OffsetLayout>()) return value;
    HEDDLE_TRY(const std::optional<Value> layout, notation::convert<cute::Layout>(value));
    if (!layout) return std::nullopt;
    return Value(cute::OffsetLayout(layout->get<cute::Layout>()));
  }
};

/// The operands and the results of partitions.
using OffsetOrComposedLayout = std::variant<cute::OffsetLayout, cute::ComposedLayout>;
template <>
struct Reader<OffsetOrComposedLayout> : OneOf<OffsetOrComposedLayout> {
  static constexpr std::string_view kDescription =
      "a layout, composed or with an offset or neither";
  /// A tensor with a counter becomes a layout with its origin as the offset.
  static ConvertedArgument convert(const Value& given, const CallContext& context) {
    const auto* tensor = given.get_if<cute::Tensor>();
    const auto* counter = tensor ? std::get_if<cute::Counter>(&tensor->engine) : nullptr;
    const auto* layout = tensor ? std::get_if<cute::Layout>(&tensor->layout) : nullptr;
    if (counter == nullptr || layout == nullptr) return OneOf::convert(given, context);
    return Value(cute::OffsetLayout(*layout, counter->origin));
  }
};

/// A thread-value layout with or without its tile.
using LayoutOrTvLayout = std::variant<cute::Layout, cute::TvLayout>;
template <>
struct Reader<LayoutOrTvLayout> : OneOf<LayoutOrTvLayout> {
  static constexpr std::string_view kDescription = "a thread-value layout";
};

template <>
struct Reader<cute::MmaAtom> : PlainReader<cute::MmaAtom> {};

template <>
struct Reader<cute::TiledMma> : PlainReader<cute::TiledMma> {
  static constexpr std::string_view kDescription = "a tiled MMA or an MMA atom";
  /// A single atom is a tiled MMA of one atom.
  static ConvertedArgument make(const Value& value) {
    const auto* atom = value.get_if<cute::MmaAtom>();
    if (atom == nullptr) return PlainReader::make(value);
    HEDDLE_TRY(cute::TiledMma mma, cute::make_tiled_mma(*atom));
    return Value(std::move(mma));
  }
};

template <>
struct Reader<cute::CopyAtom> : PlainReader<cute::CopyAtom> {};
template <>
struct Reader<cute::TiledCopy> : PlainReader<cute::TiledCopy> {};

/// Values that have a tile.
using WithTile = std::variant<cute::TiledMma, cute::TiledCopy, cute::TvLayout>;
template <>
struct Reader<WithTile> : OneOf<WithTile> {
  static constexpr std::string_view kDescription =
      "a tiled MMA, a tiled copy or a thread-value layout with its tile";
};

template <>
struct Reader<cute::Tensor> : PlainReader<cute::Tensor> {
  static constexpr std::string_view kDescription = "a tensor, as CuTe prints it";
  static ConvertedArgument convert(const Value& given, const CallContext&) { return make(given); }
};

// ---- Triton ----

template <>
struct Reader<linear::LinearLayout> : PlainReader<linear::LinearLayout> {
  /// A quoted text is read as Triton's output or as JSON.
  static ConvertedArgument make(const Value& value);
};

template <>
struct Reader<linear::Encoding> : PlainReader<linear::Encoding> {
  static ConvertedArgument make(const Value& value);
};

using CuteOrLinearLayout = std::variant<cute::Layout, cute::ComposedLayout, linear::LinearLayout>;
template <>
struct Reader<CuteOrLinearLayout> : OneOf<CuteOrLinearLayout> {
  static constexpr std::string_view kDescription = "a layout, a composed layout or a linear layout";
  static constexpr bool kIsLayout = true;
};

/// Values that have a table.
using Enumerable =
    std::variant<cute::Layout, cute::ComposedLayout, cute::Swizzle, linear::LinearLayout>;
template <>
struct Reader<Enumerable> : OneOf<Enumerable> {
  static constexpr std::string_view kDescription = "a layout, a swizzle or a linear layout";
};

template <>
struct Reader<linear::Names> : DataReader<linear::Names> {
  static constexpr std::string_view kDescription = "a name in quotes or a list of them";
  static constexpr TextIs kText = TextIs::kName;
  static constexpr auto parsed = names_of;
};
template <>
struct Reader<linear::NamedSizes> : DataReader<linear::NamedSizes> {
  static constexpr std::string_view kDescription =
      "a list of names with sizes, as in {\"dim0\": 16}";
  static constexpr auto parsed = named_sizes_of;
};
template <>
struct Reader<linear::Sizes> : DataReader<linear::Sizes> {
  static constexpr std::string_view kDescription = "a list of sizes";
  static constexpr auto parsed = sizes_of;
};
template <>
struct Reader<std::span<const std::int64_t>> : Reader<linear::Sizes> {};
/// Dimension numbers; impossible values are clamped, and refused where they are used.
template <>
struct Reader<linear::Order> : Reader<linear::Sizes> {
  static linear::Order read(const Value& value) {
    return order_of(Reader<linear::Sizes>::read(value));
  }
};
template <>
struct Reader<std::span<const int>> : Reader<linear::Order> {};
template <>
struct Reader<linear::Bases> : DataReader<linear::Bases> {
  static constexpr std::string_view kDescription =
      "a list of names with bases, as in {\"lane\": [[1,0],[2,0]]}";
  static constexpr auto parsed = bases_of;
};

/// Names with or without sizes.
using NamesOrNamedSizes = std::variant<linear::NamedSizes, linear::Names>;
template <>
struct Reader<NamesOrNamedSizes> : DataReader<NamesOrNamedSizes> {
  static constexpr std::string_view kDescription = "a list of names, with sizes or without";
  static constexpr TextIs kText = TextIs::kName;
  static std::optional<NamesOrNamedSizes> parsed(const Datum& datum) {
    if (auto sizes = named_sizes_of(datum)) return *std::move(sizes);
    if (auto names = names_of(datum)) return *std::move(names);
    return std::nullopt;
  }
};

/// A coordinate of a layout; for a linear layout, with names.
using Point = std::variant<cute::Coordinate, linear::NamedSizes>;
template <>
struct Reader<Point> : SharedReader<Point> {
  static constexpr std::string_view kDescription =
      "a coordinate, or names with coordinates as in {\"lane\": 3}";
  static constexpr ArrayIs kArray = ArrayIs::kTupleOrNames;
  static ConvertedArgument make(const Value& value) {
    return value.is<Datum>() ? notation::convert<linear::NamedSizes>(value)
                             : notation::convert<cute::Coordinate>(value);
  }
  static Point read(const Value& value) {
    if (const auto* datum = value.get_if<Datum>()) return *named_sizes_of(*datum);
    return value.get<cute::Coordinate>();
  }
};

// ---- Axe ----

template <>
struct Reader<axe::Layout> : PlainReader<axe::Layout> {
  static constexpr bool kIsLayout = true;
  /// A tensor over a mesh is read as its layout if it has no partial axes.
  static std::optional<Value> make(const Value& value) {
    const auto* sharded = value.get_if<axe::Sharded>();
    if (sharded == nullptr || !sharded->partial.empty()) return PlainReader::make(value);
    return Value(sharded->layout);
  }
};

/// An Axe layout on devices, with or without its mesh and shape.
using AxeLayoutOrSharded = std::variant<axe::Layout, axe::Sharded>;
template <>
struct Reader<AxeLayoutOrSharded> : OneOf<AxeLayoutOrSharded> {
  static constexpr std::string_view kDescription =
      "an Axe layout, alone or as a tensor over a mesh";
};

template <>
struct Reader<axe::Mesh> : PlainReader<axe::Mesh> {
  static constexpr std::string_view kDescription =
      "a mesh, or its text as in 'DeviceMesh([[0, 1], [2, 3]])'";
  static ConvertedArgument make(const Value& value) { return as_mesh(value); }
};

template <>
struct Reader<axe::Sharding> : PlainReader<axe::Sharding> {
  static constexpr std::string_view kDescription =
      "a sharding as JAX, PyTorch, Shardy or XLA write it";
  static constexpr TextIs kText = TextIs::kName;
  static constexpr ArrayIs kArray = ArrayIs::kData;
  static ConvertedArgument make(const Value& value);
};

/// `'[Shard(0), Replicate()]'`, or a list of such texts.
struct ShardingSpec {
  std::string text;
};
template <>
struct Reader<ShardingSpec> : SharedReader<ShardingSpec> {
  static constexpr std::string_view kDescription =
      "a text in quotes as PyTorch, JAX or Alpa write it, or a list of texts";
  static constexpr TextIs kText = TextIs::kName;
  static constexpr ArrayIs kArray = ArrayIs::kData;
  static std::optional<Value> make(const Value& value);
  static ShardingSpec read(const Value& value) { return {value.get<std::string>()}; }
};

/// Shapes of Axe layouts.
struct AxeShapes {
  std::vector<std::vector<Int>> shapes;
};
template <>
struct Reader<AxeShapes> : SharedReader<AxeShapes> {
  static constexpr std::string_view kDescription = "a list of shapes";
  static constexpr auto make = as_shapes;
  static AxeShapes read(const Value& value) { return {rows_of(value.get<IntTuple>())}; }
};

/// `((0,0),(1,5))`, or flat indices: `(0,21)`.
struct Points {
  std::vector<std::vector<Int>> points;
};
template <>
struct Reader<Points> : SharedReader<Points> {
  static constexpr std::string_view kDescription = "a list of points or of flat indices";
  static constexpr auto make = as_tuple;
  static Points read(const Value& value) { return {rows_of(value.get<IntTuple>())}; }
};

/// A region of a tensor, in each dimension from begin to end (exclusive): `[[0,8],[8,24]]`.
using Region = std::vector<axe::Interval>;
template <>
struct Reader<Region> : SharedReader<Region> {
  static constexpr std::string_view kDescription = "a list of intervals, as in [[0,8],[8,24]]";
  static std::optional<Value> make(const Value& value);
  static Region read(const Value& value) {
    Region region;
    for (const std::vector<Int>& pair : rows_of(value.get<IntTuple>())) {
      region.push_back({pair[0], pair[1]});
    }
    return region;
  }
};
template <>
struct Reader<std::span<const axe::Interval>> : Reader<Region> {};

template <>
struct Reader<axe::Iter> : PlainReader<axe::Iter> {
  static constexpr std::string_view kDescription = "an iter, as in [128, 1, \"P\"]";
  static constexpr ArrayIs kArray = ArrayIs::kData;
  static std::optional<Value> make(const Value& value);
};
template <>
struct Reader<IterList> : PlainReader<IterList> {
  static constexpr std::string_view kDescription = "a list of iters";
  static constexpr ArrayIs kArray = ArrayIs::kData;
  static std::optional<Value> make(const Value& value);
};

// ---- LEGO ----

template <>
struct Reader<lego::Layout> : PlainReader<lego::Layout> {
  static constexpr bool kIsLayout = true;
};

template <>
struct Reader<LegoFunction> : PlainReader<LegoFunction> {
  static constexpr std::string_view kDescription =
      "a function, as in (i,j) -> 2*i+j or antidiag, or a layout";
  static constexpr TextIs kText = TextIs::kFunction;
  /// A formula, a named function, or the index map of a layout of any system, including lists of
  /// numbers and relations.
  static ConvertedArgument make(const Value& value, const CallContext& context);
};

// ---- Layouts of any system ----

/// Keeps the tile of thread-value layouts.
template <class T>
struct AnyLayoutReader : SharedReader<T> {
  static constexpr ArrayIs kArray = ArrayIs::kTable;
  static constexpr bool kIsLayout = true;
  static ConvertedArgument convert(const Value& given, const CallContext& context) {
    if (given.is<cute::TvLayout>()) return Reader<T>::make(given, context);
    return SharedReader<T>::convert(given, context);
  }
  static std::string hint(const Value& value) { return layout_hint(value); }
};

template <>
struct Reader<BoxedLayout> : AnyLayoutReader<BoxedLayout> {
  static constexpr std::string_view kDescription = "a layout of any system, a relation or a table";
  static constexpr auto make = as_any_layout;
  static BoxedLayout read(const Value& value) { return *boxed_layout(value); }
};
template <>
struct Reader<map::AnyLayout> : Reader<BoxedLayout> {
  static map::AnyLayout read(const Value& value) { return boxed_layout(value)->layout; }
};

/// A layout of any system beside a LEGO layout.
struct BesideLego {
  map::AnyLayout layout;
};
template <>
struct Reader<BesideLego> : AnyLayoutReader<BesideLego> {
  static constexpr std::string_view kDescription = "a layout of any system with a LEGO layout";
  static constexpr auto make = as_any_layout;
  static BesideLego read(const Value& value) { return {boxed_layout(value)->layout}; }
};

/// `'cute'`; refuses as system_named() does.
template <>
struct Reader<map::System> : Reader<std::string> {
  static Result<map::System> read(const Value& value) {
    return system_named(value.get<std::string>());
  }
};
/// `'memory'`; refuses as reading_named() does.
template <>
struct Reader<map::Reading> : Reader<std::string> {
  static Result<map::Reading> read(const Value& value) {
    return reading_named(value.get<std::string>());
  }
};

/// A table of numbers, or a layout whose notation is ignored.
struct TableOrLayout {
  map::AnyLayout layout;
};
template <>
struct Reader<TableOrLayout> : AnyLayoutReader<TableOrLayout> {
  static constexpr std::string_view kDescription =
      "a table of numbers, as in [[0,1],[4,5]], or a layout of any system";
  /// A tuple is read as the list of its numbers, not as a shape: the question is which layout it
  /// is.
  static ConvertedArgument make(const Value& value, const CallContext& context);
  static TableOrLayout read(const Value& value) { return {boxed_layout(value)->layout}; }
};

template <>
struct Reader<map::IntegerRelation> : AnyLayoutReader<map::IntegerRelation> {
  static constexpr std::string_view kDescription = "a relation, or a layout";
  static ConvertedArgument make(const Value& value, const CallContext& context);
  static const map::IntegerRelation& read(const Value& value) {
    return value.get<map::IntegerRelation>();
  }
};

}  // namespace heddle::notation
