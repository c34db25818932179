// A value as what a parameter takes: one row for each kind of parameter.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cute/algebra.h"
#include "heddle/notation/linear.h"
#include "heddle/notation/operations.h"
#include "heddle/notation/triton.h"
#include "notation/language/literals/printed_layout.h"
#include "notation/operations/any_layout.h"
#include "notation/operations/lego_arguments.h"
#include "notation/value/as_datum.h"
#include "notation/value/axe.h"

namespace heddle::notation {

namespace {

using cute::ComposedLayout;
using cute::Coordinate;
using cute::FactMorphism;
using cute::Layout;
using cute::Swizzle;
using cute::Tile;
using cute::Tiler;
using linear::LinearLayout;

using Converted = Result<std::optional<Value>>;

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
std::optional<Value> as_integer(const Value& value) {
  const auto* tuple = value.get_if<IntTuple>();
  if (tuple == nullptr || tuple->leaves().size() != 1) return std::nullopt;
  return Value(tuple->leaf());
}

std::optional<Value> as_strides(const Value& value) {
  if (value.is<cute::StrideTuple>()) return value;
  const auto* tuple = value.get_if<IntTuple>();
  if (tuple == nullptr) return std::nullopt;
  return Value(cute::to_strides(*tuple));
}

/// Do values of this kind keep the tile of a thread-value layout?
bool keeps_tile(Kind kind) {
  return kind == Kind::kTvLayout || kind == Kind::kTiled || kind == Kind::kAnyLayout ||
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
  if (value.is<LinearLayout>()) return value;
  const auto* text = value.get_if<std::string>();
  if (text == nullptr) return std::nullopt;
  const std::string_view trimmed =
      std::string_view(*text).substr(std::min(text->find_first_not_of(" \n"), text->size()));
  if (!begins_printed_layout(trimmed) && !trimmed.starts_with('{')) return std::nullopt;
  HEDDLE_TRY(LinearLayout layout, parse_linear_layout(*text));
  return Value(std::move(layout));
}

Converted as_encoding(const Value& value) {
  if (value.is<linear::Encoding>()) return value;
  const auto* text = value.get_if<std::string>();
  if (text == nullptr || !text->starts_with('#')) return std::nullopt;
  HEDDLE_TRY(linear::Encoding encoding, parse_encoding(*text));
  return Value(std::move(encoding));
}

Converted as_point(const Value& value) {
  if (!value.is<Datum>()) return as_coordinate(value);
  return named_sizes_of(value.get<Datum>()) ? std::optional(value) : std::nullopt;
}

bool are_names(const Datum& datum) { return names_of(datum).has_value(); }
bool are_named_sizes(const Datum& datum) { return named_sizes_of(datum).has_value(); }
bool are_dims(const Datum& datum) { return are_names(datum) || are_named_sizes(datum); }
bool are_sizes(const Datum& datum) { return sizes_of(datum).has_value(); }
bool are_bases(const Datum& datum) { return bases_of(datum).has_value(); }

std::optional<Value> as_given(const Value& value) { return value; }

/// What makes of a value what a parameter takes; nothing where it is something else.
using Converter = Converted (*)(const Value&, const CallContext&);

template <auto Convert>
Converted by(const Value& value, const CallContext&) {
  return Convert(value);
}

/// A value that is one of these, as it is, and others as they are converted.
template <auto Convert, class... T>
Converted or_else(const Value& value, const CallContext&) {
  if ((value.is<T>() || ...)) return value;
  return Convert(value);
}

template <class... T>
Converted only(const Value& value, const CallContext&) {
  return (value.is<T>() || ...) ? std::optional(value) : std::nullopt;
}

/// The datum that is so.
template <auto Test>
Converted data(const Value& value, const CallContext&) {
  std::optional<Datum> datum = as_datum(value);
  if (!datum || !Test(*datum)) return std::nullopt;
  return Value(*std::move(datum));
}

struct KindRow {
  Kind kind;
  std::string_view description;
  Converter converter;
};

constexpr std::array kKinds = {
    KindRow{Kind::kAny, "a value", by<as_given>},
    KindRow{Kind::kInteger, "an integer", by<as_integer>},
    KindRow{Kind::kTuple, "an integer or a tuple of integers", only<IntTuple>},
    KindRow{Kind::kStrides, "strides, as in (1,(2,8))", by<as_strides>},
    KindRow{Kind::kProfile, "a tuple that shows the nesting", by<as_profile>},
    KindRow{Kind::kModes, "a mode number or a tuple of them", by<as_modes>},
    KindRow{Kind::kCoordinate, "a coordinate", by<as_coordinate>},
    KindRow{Kind::kTiler, "a tiler", by<as_tiler>},
    KindRow{Kind::kLayout, "a layout", by<as_layout>},
    KindRow{Kind::kCuteLayout, "a layout or a composed layout", or_else<as_layout, ComposedLayout>},
    KindRow{Kind::kShaped, "a layout or a tuple", only<Layout, ComposedLayout, IntTuple>},
    KindRow{Kind::kSwizzled, "a layout or a swizzle", or_else<as_layout, ComposedLayout, Swizzle>},
    KindRow{Kind::kMap, "a layout, a swizzle or a morphism",
            or_else<as_layout, ComposedLayout, Swizzle, FactMorphism, LinearLayout>},
    KindRow{Kind::kFactor, "a layout, a swizzle, a morphism or a tiler",
            or_else<as_tiler, Layout, ComposedLayout, Swizzle, FactMorphism, LinearLayout>},
    KindRow{Kind::kSwizzle, "a swizzle", only<Swizzle>},
    KindRow{Kind::kMorphism, "a morphism of factorizations", only<FactMorphism>},
    KindRow{Kind::kPlaced, "a layout, composed or with an offset or neither", by<as_placed>},
    KindRow{Kind::kTvLayout, "a thread-value layout", or_else<as_layout, cute::TvLayout>},
    KindRow{Kind::kMmaAtom, "an MMA atom", only<cute::MmaAtom>},
    KindRow{Kind::kTiledMma, "a tiled MMA or an MMA atom", by<as_tiled_mma>},
    KindRow{Kind::kCopyAtom, "a copy atom", only<cute::CopyAtom>},
    KindRow{Kind::kTiledCopy, "a tiled copy", only<cute::TiledCopy>},
    KindRow{Kind::kTiled, "a tiled MMA, a tiled copy or a thread-value layout with its tile",
            or_else<as_tiled_mma, cute::TvLayout, cute::TiledCopy>},
    KindRow{Kind::kTensor, "a tensor, as CuTe prints it", only<cute::Tensor>},
    KindRow{Kind::kString, "a text in quotes", only<std::string>},
    KindRow{Kind::kTruth, "true or false", only<bool>},
    KindRow{Kind::kLinear, "a linear layout", by<as_linear>},
    KindRow{Kind::kEncoding, "an encoding", by<as_encoding>},
    KindRow{Kind::kEncoded, "an encoding or a linear layout", or_else<as_encoding, LinearLayout>},
    KindRow{Kind::kNames, "a name in quotes or a list of them", data<are_names>},
    KindRow{Kind::kNamedSizes, "a list of names with sizes, as in {\"dim0\": 16}",
            data<are_named_sizes>},
    KindRow{Kind::kSizes, "a list of sizes", data<are_sizes>},
    KindRow{Kind::kDims, "a list of names, with sizes or without", data<are_dims>},
    KindRow{Kind::kBases, "a list of names with bases, as in {\"lane\": [[1,0],[2,0]]}",
            data<are_bases>},
    KindRow{Kind::kPoint, "a coordinate, or names with coordinates as in {\"lane\": 3}",
            by<as_point>},
    KindRow{Kind::kAnyMap, "a layout, a composed layout or a linear layout",
            or_else<as_layout, ComposedLayout, LinearLayout>},
    KindRow{Kind::kListed, "a layout, a swizzle or a linear layout",
            or_else<as_layout, ComposedLayout, Swizzle, LinearLayout>},
    KindRow{Kind::kAxe, "an Axe layout", by<as_axe>},
    KindRow{Kind::kMesh, "a mesh, or its text as in 'DeviceMesh([[0, 1], [2, 3]])'", by<as_mesh>},
    KindRow{Kind::kSpec, "a text in quotes as PyTorch, JAX or Alpa write it, or a list of texts",
            by<as_spec>},
    KindRow{Kind::kSharded, "an Axe layout, alone or as a tensor over a mesh",
            only<axe::Layout, axe::Sharded>},
    KindRow{Kind::kAxeShape, "a shape without nesting", by<as_shape>},
    KindRow{Kind::kAxeShapes, "a list of shapes", by<as_shapes>},
    KindRow{Kind::kPoints, "a list of points or of flat indices", by<as_tuple>},
    KindRow{Kind::kRegion, "a list of intervals, as in [[0,8],[8,24]]", by<as_region>},
    KindRow{Kind::kIter, "an iter, as in [128, 1, \"P\"]", by<as_iter>},
    KindRow{Kind::kIters, "a list of iters", by<as_iters>},
    KindRow{Kind::kLego, "a LEGO layout", only<lego::Layout>},
    KindRow{Kind::kTile, "a list of sizes or indices, as in [6,4]", by<as_sizes>},
    KindRow{Kind::kFunction, "a function, as in (i,j) -> 2*i+j or antidiag, or a layout",
            as_lego_function},
    KindRow{Kind::kAnyLayout, "a layout of any system, a relation or a table", as_any_layout},
    KindRow{Kind::kRelation, "a relation, or a layout", as_relation},
    KindRow{Kind::kTabulated, "a table of numbers, as in [[0,1],[4,5]], or a layout of any system",
            as_tabulated},
    KindRow{Kind::kExpression, "an expression, in quotes or as it is", by<as_given>},
};

constexpr bool are_complete() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].kind != static_cast<Kind>(i)) return false;
  }
  return kKinds.back().kind == Kind::kExpression;  // the last one
}
static_assert(are_complete(), "each kind has its row, in the order of the enumeration");

const KindRow& row_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view description(Kind kind) { return row_of(kind).description; }

Converted convert(const Value& given, Kind kind, const CallContext& context) {
  if (kind == Kind::kPlaced) {
    if (auto placed = counted(given)) return placed;
  }
  const bool keeps_all = kind == Kind::kAny || kind == Kind::kExpression || kind == Kind::kTensor ||
                         (given.is<cute::TvLayout>() && keeps_tile(kind));
  HEDDLE_TRY(const std::optional<Value> seen,
             keeps_all ? Converted(given) : as_index_layout(given, kind));
  return row_of(kind).converter(*seen, context);
}

}  // namespace heddle::notation
