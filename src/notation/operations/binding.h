#pragma once

// Rows of the table of operations, made from plain functions: what a parameter takes is read off
// its type.
//
//   operation("gcd", "tuples", {"values"}, "…", "gcd(12, 18)", "6",
//             [](const std::vector<IntTuple>& values) { … })

#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/notation/linear.h"
#include "heddle/notation/operations.h"
#include "notation/operations/any_layout.h"

namespace heddle::notation {

/// A layout of either kind, or a tuple; or a swizzle.
using Shaped = std::variant<IntTuple, cute::Layout, cute::ComposedLayout>;
using Swizzled = std::variant<cute::Layout, cute::ComposedLayout, cute::Swizzle>;
/// What can be composed and inverted, and the right side of a composition.
using Map = std::variant<cute::Layout, cute::ComposedLayout, cute::Swizzle, cute::FactMorphism,
                         linear::LinearLayout>;
using Factor = std::variant<cute::Layout, cute::ComposedLayout, cute::Swizzle, cute::FactMorphism,
                            linear::LinearLayout, cute::Tiler>;
/// What == compares, and what is applied to a point.
using Listed =
    std::variant<cute::Layout, cute::ComposedLayout, cute::Swizzle, linear::LinearLayout>;
using AnyMap = std::variant<cute::Layout, cute::ComposedLayout, linear::LinearLayout>;
/// A coordinate of a layout; one of a linear layout, with its names.
using Point = std::variant<cute::Coordinate, Datum>;
using Encoded = std::variant<linear::LinearLayout, linear::Encoding>;
/// What partitions act on, and what they give.
using Placed = std::variant<cute::OffsetLayout, cute::ComposedLayout>;
/// A thread-value layout with its tile or without.
using ThreadValue = std::variant<cute::Layout, cute::TvLayout>;
using Tiled = std::variant<cute::TvLayout, cute::TiledMma, cute::TiledCopy>;
/// Mode numbers: `0`, `(0,2)`.
struct Modes {
  std::vector<std::size_t> numbers;
};

/// Names, with sizes or without.
struct Dims {
  Datum names;
};

/// An Axe layout on devices, with its mesh and its shape or without.
using OnDevices = std::variant<axe::Layout, axe::Sharded>;

/// `(8,16)`, `128`: a shape of an Axe layout; several of them.
struct AxeShape {
  std::vector<Int> extents;
};
/// `'[Shard(0), Replicate()]'`, or a list of such texts.
struct ShardingSpec {
  std::string text;
};
struct AxeShapes {
  std::vector<std::vector<Int>> shapes;
};
/// `((0,0),(1,5))`, or flat indices: `(0,21)`.
struct Points {
  std::vector<std::vector<Int>> points;
};
/// `[[0,8],[8,24]]`
struct Region {
  std::vector<std::pair<Int, Int>> intervals;
};

/// `[6,4]`, `(6,4)`, `6`: the sizes of a tile of a LEGO layout, a point of its view.
struct LegoTile {
  std::vector<Int> sizes;
};

/// A table of numbers, or a layout whose notation is not looked at.
struct Tabulated {
  map::AnyLayout layout;
};

/// An expression in quotes, which may say more than what it comes to, or that.
struct Stated {
  Value value;
};

/// How a parameter of type T is declared, and read from a value of its kind.
template <class T>
struct Reader;

template <Kind K, class T>
struct PlainReader {
  static constexpr Kind kKind = K;
  static const T& read(const Value& value) { return value.get<T>(); }
};

template <Kind K, class Variant>
struct VariantReader {
  static constexpr Kind kKind = K;
  static Variant read(const Value& value) {
    return pick(value, static_cast<const Variant*>(nullptr));
  }

 private:
  template <class First, class... Rest>
  static Variant pick(const Value& value, const std::variant<First, Rest...>*) {
    if constexpr (sizeof...(Rest) > 0) {
      if (!value.is<First>()) {
        return std::visit([](auto&& data) { return Variant(std::forward<decltype(data)>(data)); },
                          VariantReader<K, std::variant<Rest...>>::read(value));
      }
    }
    return Variant(value.get<First>());
  }
};

template <>
struct Reader<Value> {
  static constexpr Kind kKind = Kind::kAny;
  static Value read(const Value& value) { return value; }
};
template <>
struct Reader<Stated> {
  static constexpr Kind kKind = Kind::kExpression;
  static Stated read(const Value& value) { return {value}; }
};
template <>
struct Reader<Int> {
  static constexpr Kind kKind = Kind::kInteger;
  static const Int& read(const Value& value) { return value.get<IntTuple>().leaf(); }
};
template <>
struct Reader<Profile> {
  static constexpr Kind kKind = Kind::kProfile;
  static const Profile& read(const Value& value) { return value.get<IntTuple>().profile(); }
};
template <>
struct Reader<Modes> {
  static constexpr Kind kKind = Kind::kModes;
  static Modes read(const Value& value) {
    Modes modes;
    for (const Int& mode : value.get<IntTuple>().leaves()) {
      modes.numbers.push_back(static_cast<std::size_t>(mode.value()));
    }
    return modes;
  }
};
template <>
struct Reader<IntTuple> : PlainReader<Kind::kTuple, IntTuple> {};
template <>
struct Reader<cute::StrideTuple> : PlainReader<Kind::kStrides, cute::StrideTuple> {};
template <>
struct Reader<cute::Coordinate> : PlainReader<Kind::kCoordinate, cute::Coordinate> {};
template <>
struct Reader<cute::Tiler> : PlainReader<Kind::kTiler, cute::Tiler> {};
template <>
struct Reader<cute::Layout> : PlainReader<Kind::kLayout, cute::Layout> {};
template <>
struct Reader<cute::Swizzle> : PlainReader<Kind::kSwizzle, cute::Swizzle> {};
template <>
struct Reader<cute::FactMorphism> : PlainReader<Kind::kMorphism, cute::FactMorphism> {};
template <>
struct Reader<Placed> : VariantReader<Kind::kPlaced, Placed> {};
template <>
struct Reader<ThreadValue> : VariantReader<Kind::kTvLayout, ThreadValue> {};
template <>
struct Reader<Tiled> : VariantReader<Kind::kTiled, Tiled> {};
template <>
struct Reader<cute::MmaAtom> : PlainReader<Kind::kMmaAtom, cute::MmaAtom> {};
template <>
struct Reader<cute::TiledMma> : PlainReader<Kind::kTiledMma, cute::TiledMma> {};
template <>
struct Reader<cute::CopyAtom> : PlainReader<Kind::kCopyAtom, cute::CopyAtom> {};
template <>
struct Reader<cute::TiledCopy> : PlainReader<Kind::kTiledCopy, cute::TiledCopy> {};
template <>
struct Reader<cute::Tensor> : PlainReader<Kind::kTensor, cute::Tensor> {};
template <>
struct Reader<std::string> : PlainReader<Kind::kString, std::string> {};
template <>
struct Reader<bool> : PlainReader<Kind::kTruth, bool> {};
template <>
struct Reader<cute::AnyLayout> : VariantReader<Kind::kCuteLayout, cute::AnyLayout> {};
template <>
struct Reader<Shaped> : VariantReader<Kind::kShaped, Shaped> {};
template <>
struct Reader<Swizzled> : VariantReader<Kind::kSwizzled, Swizzled> {};
template <>
struct Reader<Map> : VariantReader<Kind::kMap, Map> {};
template <>
struct Reader<Factor> : VariantReader<Kind::kFactor, Factor> {};

template <>
struct Reader<linear::LinearLayout> : PlainReader<Kind::kLinear, linear::LinearLayout> {};
template <>
struct Reader<linear::Encoding> : PlainReader<Kind::kEncoding, linear::Encoding> {};
template <>
struct Reader<Encoded> : VariantReader<Kind::kEncoded, Encoded> {};
template <>
struct Reader<AnyMap> : VariantReader<Kind::kAnyMap, AnyMap> {};
template <>
struct Reader<Listed> : VariantReader<Kind::kListed, Listed> {};
template <>
struct Reader<Point> : VariantReader<Kind::kPoint, Point> {};
template <>
struct Reader<linear::Names> {
  static constexpr Kind kKind = Kind::kNames;
  static linear::Names read(const Value& value) { return *names_of(value.get<Datum>()); }
};
template <>
struct Reader<linear::NamedSizes> {
  static constexpr Kind kKind = Kind::kNamedSizes;
  static linear::NamedSizes read(const Value& value) { return *named_sizes_of(value.get<Datum>()); }
};
template <>
struct Reader<Dims> {
  static constexpr Kind kKind = Kind::kDims;
  static Dims read(const Value& value) { return {value.get<Datum>()}; }
};
template <>
struct Reader<linear::Bases> {
  static constexpr Kind kKind = Kind::kBases;
  static linear::Bases read(const Value& value) { return *bases_of(value.get<Datum>()); }
};
template <>
struct Reader<linear::Sizes> {
  static constexpr Kind kKind = Kind::kSizes;
  static linear::Sizes read(const Value& value) { return *sizes_of(value.get<Datum>()); }
};

template <>
struct Reader<axe::Layout> : PlainReader<Kind::kAxe, axe::Layout> {};
template <>
struct Reader<lego::Layout> : PlainReader<Kind::kLego, lego::Layout> {};
template <>
struct Reader<LegoFunction> : PlainReader<Kind::kFunction, LegoFunction> {};
template <>
struct Reader<BoxedLayout> {
  static constexpr Kind kKind = Kind::kAnyLayout;
  static BoxedLayout read(const Value& value) { return *boxed_layout(value); }
};
template <>
struct Reader<map::AnyLayout> {
  static constexpr Kind kKind = Kind::kAnyLayout;
  static map::AnyLayout read(const Value& value) { return boxed_layout(value)->layout; }
};
template <>
struct Reader<Tabulated> {
  static constexpr Kind kKind = Kind::kTabulated;
  static Tabulated read(const Value& value) { return {Reader<map::AnyLayout>::read(value)}; }
};
template <>
struct Reader<map::IntegerRelation> : PlainReader<Kind::kRelation, map::IntegerRelation> {};
template <>
struct Reader<LegoTile> {
  static constexpr Kind kKind = Kind::kTile;
  static LegoTile read(const Value& value) {
    const auto leaves = value.get<IntTuple>().leaves();
    return {{leaves.begin(), leaves.end()}};
  }
};
template <>
struct Reader<axe::Mesh> : PlainReader<Kind::kMesh, axe::Mesh> {};
template <>
struct Reader<ShardingSpec> {
  static constexpr Kind kKind = Kind::kSpec;
  static ShardingSpec read(const Value& value) { return {value.get<std::string>()}; }
};
template <>
struct Reader<OnDevices> : VariantReader<Kind::kSharded, OnDevices> {};
template <>
struct Reader<axe::Iter> : PlainReader<Kind::kIter, axe::Iter> {};
template <>
struct Reader<AxeShape> {
  static constexpr Kind kKind = Kind::kAxeShape;
  static AxeShape read(const Value& value) {
    const auto leaves = value.get<IntTuple>().leaves();
    return {{leaves.begin(), leaves.end()}};
  }
};
/// The leaves of each mode.
inline std::vector<std::vector<Int>> rows_of(const IntTuple& tuple) {
  std::vector<std::vector<Int>> rows;
  for (const TupleView<Int> mode : tuple.modes()) {
    const auto leaves = mode.leaves();
    rows.emplace_back(leaves.begin(), leaves.end());
  }
  return rows;
}
template <>
struct Reader<AxeShapes> {
  static constexpr Kind kKind = Kind::kAxeShapes;
  static AxeShapes read(const Value& value) { return {rows_of(value.get<IntTuple>())}; }
};
template <>
struct Reader<Points> {
  static constexpr Kind kKind = Kind::kPoints;
  static Points read(const Value& value) { return {rows_of(value.get<IntTuple>())}; }
};
template <>
struct Reader<Region> {
  static constexpr Kind kKind = Kind::kRegion;
  static Region read(const Value& value) {
    Region region;
    for (const std::vector<Int>& pair : rows_of(value.get<IntTuple>())) {
      region.intervals.emplace_back(pair[0], pair[1]);
    }
    return region;
  }
};

/// A parameter among the arguments: exactly one, at most one, or all that are left.
template <class T>
struct Slot {
  static constexpr Kind kKind = Reader<T>::kKind;
  static constexpr Need kNeed = Need::kRequired;
  static decltype(auto) read(std::span<const std::optional<Value>> arguments) {
    return Reader<T>::read(*arguments.front());
  }
};
template <class T>
struct Slot<std::optional<T>> {
  static constexpr Kind kKind = Reader<T>::kKind;
  static constexpr Need kNeed = Need::kOptional;
  static std::optional<T> read(std::span<const std::optional<Value>> arguments) {
    if (arguments.empty() || !arguments.front()) return std::nullopt;
    return Reader<T>::read(*arguments.front());
  }
};
template <class T>
struct Slot<std::vector<T>> {
  static constexpr Kind kKind = Reader<T>::kKind;
  static constexpr Need kNeed = Need::kRepeated;
  static std::vector<T> read(std::span<const std::optional<Value>> arguments) {
    std::vector<T> values;
    for (const auto& argument : arguments) values.push_back(Reader<T>::read(*argument));
    return values;
  }
};

/// Names, bases and sizes are one argument each, not all that are left.
template <class T>
struct WholeSlot {
  static constexpr Kind kKind = Reader<T>::kKind;
  static constexpr Need kNeed = Need::kRequired;
  static T read(std::span<const std::optional<Value>> arguments) {
    return Reader<T>::read(*arguments.front());
  }
};
template <>
struct Slot<linear::Names> : WholeSlot<linear::Names> {};
template <>
struct Slot<linear::NamedSizes> : WholeSlot<linear::NamedSizes> {};
template <>
struct Slot<linear::Bases> : WholeSlot<linear::Bases> {};
template <>
struct Slot<linear::Sizes> : WholeSlot<linear::Sizes> {};
template <>
struct Reader<IterList> : PlainReader<Kind::kIters, IterList> {};
template <>
struct Slot<IterList> : WholeSlot<IterList> {};

inline Result<Value> to_result(const linear::Names& names) { return Value(to_datum(names)); }
inline Result<Value> to_result(const linear::NamedSizes& sizes) { return Value(to_datum(sizes)); }

template <class T>
Result<Value> to_result(T value) {
  return Value(std::move(value));
}
template <class T>
Result<Value> to_result(Result<T> result) {
  if (!result) return refuse(std::move(result).error());
  return to_result(*std::move(result));
}
inline Result<Value> to_result(Value value) { return value; }

/// A row without its words: the parameters read off `Types`, the function from `run`, which is
/// called with the context and what the arguments hold.
template <class... Types, class Run, std::size_t... Indices>
Operation bind(std::vector<std::string> names, Run run, std::index_sequence<Indices...>) {
  Operation result;
  [[maybe_unused]] const auto add = [&](std::string name, Kind kind, Need need) {
    std::string default_text;
    if (const std::size_t sign = name.find('='); sign != std::string::npos) {
      default_text = name.substr(sign + 1);
      name.resize(sign);
    }
    result.parameters.push_back({std::move(name), kind, need, std::move(default_text)});
  };
  (add(std::move(names[Indices]), Slot<std::remove_cvref_t<Types>>::kKind,
       Slot<std::remove_cvref_t<Types>>::kNeed),
   ...);
  result.function = [run](std::span<const std::optional<Value>> arguments,
                          const CallContext& context) {
    return to_result(
        run(context, Slot<std::remove_cvref_t<Types>>::read(arguments.subspan(Indices))...));
  };
  return result;
}

template <class Body, class Return, class... Types>
Operation bind(std::vector<std::string> names, Body body, Return (Body::*)(Types...) const) {
  const auto run = [body](const CallContext&, auto&&... arguments) {
    return body(std::forward<decltype(arguments)>(arguments)...);
  };
  return bind<Types...>(std::move(names), run, std::index_sequence_for<Types...>());
}
/// A body that begins with the context is given it.
template <class Body, class Return, class... Types>
Operation bind(std::vector<std::string> names, Body body,
               Return (Body::*)(const CallContext&, Types...) const) {
  return bind<Types...>(std::move(names), body, std::index_sequence_for<Types...>());
}

/// A row of the table. A parameter's name may carry its default, as in "current=1".
template <class Body>
Operation operation(std::string name, std::string family, std::vector<std::string> parameters,
                    std::string summary, std::string example, std::string example_result,
                    Body body) {
  Operation result = bind(std::move(parameters), body, &Body::operator());
  result.name = std::move(name);
  result.family = std::move(family);
  result.summary = std::move(summary);
  result.example = std::move(example);
  result.example_result = std::move(example_result);
  return result;
}

template <class T>
Result<cute::AnyLayout> to_any(Result<T> result) {
  if (!result) return refuse(std::move(result).error());
  return cute::AnyLayout(*std::move(result));
}

/// An operation on plain layouts, carried to composed ones: it acts on the inner layout.
template <class Function>
Result<cute::AnyLayout> on_inner(const cute::AnyLayout& layout, Function function) {
  if (const auto* composed = std::get_if<cute::ComposedLayout>(&layout)) {
    return to_any(cute::map_layout(*composed, function));
  }
  return to_any(Result<cute::Layout>(function(std::get<cute::Layout>(layout))));
}

// The table, family by family.
void add_tuple_operations(std::vector<Operation>& table);
void add_layout_operations(std::vector<Operation>& table);
void add_slicing_operations(std::vector<Operation>& table);
void add_algebra_operations(std::vector<Operation>& table);
void add_swizzle_operations(std::vector<Operation>& table);
void add_permutation_operations(std::vector<Operation>& table);
void add_partition_operations(std::vector<Operation>& table);
void add_tiled_mma_operations(std::vector<Operation>& table);
void add_tiled_copy_operations(std::vector<Operation>& table);
void add_tensor_operations(std::vector<Operation>& table);
void add_linear_operations(std::vector<Operation>& table);
void add_linear_dims_operations(std::vector<Operation>& table);
void add_linear_question_operations(std::vector<Operation>& table);
void add_column_action_operations(std::vector<Operation>& table);
void add_analyze_operations(std::vector<Operation>& table);
void add_encoding_operations(std::vector<Operation>& table);
void add_axe_operations(std::vector<Operation>& table);
void add_axe_grouping_operations(std::vector<Operation>& table);
void add_axe_tile_operations(std::vector<Operation>& table);
void add_axe_hardware_operations(std::vector<Operation>& table);
void add_axe_mesh_operations(std::vector<Operation>& table);
void add_lego_operations(std::vector<Operation>& table);
void add_lego_question_operations(std::vector<Operation>& table);
void add_relation_operations(std::vector<Operation>& table);
void add_decision_operations(std::vector<Operation>& table);
void add_conversion_operations(std::vector<Operation>& table);
void add_recovery_operations(std::vector<Operation>& table);
void add_emit_operations(std::vector<Operation>& table);
// Of rooms that know evaluation, which knows the table.
void add_index_operations(std::vector<Operation>& table);
void add_instantiate_operations(std::vector<Operation>& table);
void add_picture_operations(std::vector<Operation>& table);

}  // namespace heddle::notation
