// Operations that evaluate and slice layouts.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "heddle/cute/algebra.h"
#include "notation/operations/binding.h"
#include "notation/operations/cut.h"
#include "notation/operations/structure.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {
namespace {

using cute::AnyLayout;
using cute::ComposedLayout;
using cute::Coordinate;
using cute::Layout;

Result<AnyLayout> layout_of(const Structure& target) {
  if (const auto* layout = std::get_if<Layout>(&target)) return AnyLayout(*layout);
  if (const auto* composed = std::get_if<ComposedLayout>(&target)) return AnyLayout(*composed);
  if (const auto* shape = std::get_if<IntTuple>(&target)) {
    return to_any(cute::make_layout(*shape));
  }
  return refuse("call.type", "a layout is needed with the coordinate");
}

/// The slice of a tuple at the `_` of the coordinate, or the dice at its indices.
template <class Leaf>
Result<Value> picked_value(const Coordinate& coordinate, const Tuple<Leaf>& tuple,
                           cute::Keep keep) {
  HEDDLE_TRY(Tuple<Leaf> part, pick_modes(coordinate, tuple, keep));
  if constexpr (std::is_same_v<Leaf, cute::Tile>) return value_of_tiler(std::move(part));
  return Value(std::move(part));
}

/// An operation on a coordinate and a layout, in either order.
template <class Function>
auto of_cut(Function function) {
  return [function](const Value& a, const Value& b) -> Result<Value> {
    HEDDLE_TRY(const Cut cut, cut_of(a, b));
    HEDDLE_TRY(const AnyLayout layout, layout_of(cut.target));
    return to_result(function(cut.coordinate, layout));
  };
}

Result<IntTuple> begin_of_slice(const Coordinate& coordinate, const AnyLayout& layout) {
  if (const auto* plain = std::get_if<Layout>(&layout))
    return cute::slice_offset(coordinate, *plain);
  const Coordinate begin = transform_leaves(coordinate, [](const cute::Index& index) {
    return index.is_underscore() ? cute::Index(Int(0)) : index;
  });
  return cute::evaluate(std::get<ComposedLayout>(layout), begin);
}

Result<Value> apply(const AnyLayout& layout, const Coordinate& coordinate) {
  const auto visit = [&](const auto& any) -> Result<Value> {
    if (cute::has_underscore(coordinate)) return to_result(cute::slice(coordinate, any));
    return to_result(cute::evaluate(any, coordinate));
  };
  return std::visit(visit, layout);
}

/// `L(register=3, lane=7)`: the last point.
std::string call_of_last(const linear::LinearLayout& map) {
  std::vector<std::string> named;
  for (const auto& [name, size] : map.in_dim_sizes())
    named.push_back(fmt::format("{}={}", name, size - 1));
  return fmt::format("L({})", fmt::join(named, ", "));
}

/// The point of a number for each dimension, in their order, or of a flat coordinate, of which the
/// first dimension is the fastest.
Result<linear::NamedSizes> named_point(const linear::LinearLayout& map,
                                       const Coordinate& coordinate) {
  linear::NamedSizes point = map.in_dim_sizes();
  const auto numbers = coordinate.leaves();
  const auto is_number = [](const cute::Index& index) {
    return !index.is_underscore() && index.value().is_constant();
  };
  const bool is_flat = coordinate.is_leaf();
  const bool fits =
      is_flat || (coordinate.rank() == point.size() && numbers.size() == point.size());
  if (!fits || !std::ranges::all_of(numbers, is_number)) {
    return refuse(Diagnostic("call.type",
                             fmt::format("a linear layout is applied to a number for each of its "
                                         "{}, or to names with coordinates",
                                         counted(point.size(), "dimension")))
                      .with_hint(call_of_last(map)));
  }
  std::int64_t flat = numbers.empty() ? 0 : numbers.front().value().value();
  for (std::size_t i = 0; i < point.size(); ++i) {
    std::int64_t& size = point[i].second;
    const std::int64_t digit = i + 1 < point.size() && flat >= 0 ? flat % size : flat;
    flat = flat >= 0 ? flat / size : 0;
    size = is_flat ? digit : numbers[i].value().value();
  }
  return point;
}

/// Applies a linear layout to names with coordinates, and any other layout to a coordinate.
Result<Value> applied_at(const CuteOrLinearLayout& map, const Point& point) {
  const auto* names = std::get_if<linear::NamedSizes>(&point);
  if (const auto* linear = std::get_if<linear::LinearLayout>(&map)) {
    if (names != nullptr) return to_result(linear->apply(*names));
    HEDDLE_TRY(const auto named, named_point(*linear, std::get<Coordinate>(point)));
    return to_result(linear->apply(named));
  }
  if (names != nullptr) {
    return refuse("call.type", "a layout is applied to a coordinate, not to names");
  }
  const auto& coordinate = std::get<Coordinate>(point);
  if (const auto* layout = std::get_if<Layout>(&map)) return apply(*layout, coordinate);
  return apply(std::get<ComposedLayout>(map), coordinate);
}

/// The outputs of the inputs in flat order, first dimension fastest.
Result<TupleList> linear_table(const linear::LinearLayout& layout,
                               const std::optional<Int>& limit) {
  constexpr int kMostBits = 62;
  const int bits = layout.total_in_dim_size_log2();
  // Clamped: a longer table exceeds any valid limit.
  const Int size = std::int64_t{1} << std::min(bits, kMostBits);
  HEDDLE_TRY(const std::size_t length, table_length(size, limit));
  TupleList values;
  for (std::size_t i = 0; i < length; ++i) {
    std::uint64_t output = layout.matrix()(i);
    std::vector<Int> coordinates;
    for (const linear::Dimension& dim : layout.out_dims()) {
      coordinates.emplace_back(
          static_cast<std::int64_t>(output & ((std::uint64_t{1} << dim.bits) - 1)));
      output = dim.bits == 0 ? output : output >> dim.bits;
    }
    values.push_back(coordinates.size() == 1 ? IntTuple(coordinates.front())
                                             : IntTuple::flat(coordinates));
  }
  return values;
}

Result<TupleList> indices_of(const Enumerable& source, const std::optional<Int>& limit) {
  if (const auto* linear = std::get_if<linear::LinearLayout>(&source))
    return linear_table(*linear, limit);
  const Int size = std::visit(
      [](const auto& any) {
        if constexpr (requires { any.size(); }) return Int(any.size());
        return Int();
      },
      source);
  HEDDLE_TRY(const std::size_t length, table_length(size, limit));
  if (const auto* layout = std::get_if<Layout>(&source)) return cute::table(*layout, length);
  TupleList values;
  for (std::size_t i = 0; i < length; ++i) {
    const Int image = std::holds_alternative<cute::Swizzle>(source)
                          ? std::get<cute::Swizzle>(source)(Int(i))
                          : std::get<ComposedLayout>(source)(Int(i));
    values.emplace_back(image);
  }
  return values;
}

}  // namespace

void add_slicing_operations(std::vector<Operation>& table) {
  const Rows add{table, "evaluating and slicing"};
  add({.call = "apply(layout, coordinate)",
       .summary = "The index of a coordinate, or the slice that its `_` leave free.",
       .example = {"apply((4,(2,2)):(2,(1,8)), (1,(1,1)))", "11"}},
      applied_at);
  add({.call = "table(layout, limit)",
       .summary = "The indices (or the points of a linear layout) in flat order, all or the first "
                  "`limit` ones.",
       .example = {"table((4,2):(2,1))", "[0,2,4,6,1,3,5,7]"}},
      indices_of);
  add({.call = "slice(coordinate, layout)",
       .summary = "The layout of what `_` leaves free. The arguments may come in either order.",
       .example = {"slice((_,1), (4,8):(8,1))", "(4):(8)"}},
      [](const Value& a, const Value& b) -> Result<Value> {
        HEDDLE_TRY(const Cut cut, cut_of(a, b));
        const auto sliced = [&](const auto& whole) -> Result<Value> {
          if constexpr (requires { cute::slice(cut.coordinate, whole); }) {
            return to_result(cute::slice(cut.coordinate, whole));
          } else {
            return picked_value(cut.coordinate, whole, cute::Keep::kUnderscores);
          }
        };
        return std::visit(sliced, cut.target);
      });
  add({.call = "dice(coordinate, layout)",
       .summary = "The layout of what the coordinate fixes.",
       .example = {"dice((_,1), (4,8):(8,1))", "(8):(1)"}},
      [](const Value& a, const Value& b) -> Result<Value> {
        HEDDLE_TRY(const Cut cut, cut_of(a, b));
        return on_structure(cut.target, [&](const auto& any) {
          if constexpr (requires { cute::dice(cut.coordinate, any); }) {
            return cute::dice(cut.coordinate, any);
          } else {
            return pick_modes(cut.coordinate, any, cute::Keep::kIndices);
          }
        });
      });
  add({.call = "slice_offset(coordinate, layout)",
       .summary = "The index at which the slice begins.",
       .example = {"slice_offset((_,3), (4,8):(8,1))", "3"}},
      of_cut(begin_of_slice));
  add({.call = "slice_and_offset(coordinate, layout)",
       .summary = "The slice as a plain layout, and the index at which it begins.",
       .example = {"slice_and_offset((_,3), (4,8):(8,1))", "(4):(8) offset 3"}},
      of_cut([](const Coordinate& coordinate, const AnyLayout& layout) {
        return std::visit([&](const auto& any) { return cute::slice_and_offset(coordinate, any); },
                          layout);
      }));
  add({.call = "domain_offset(coordinate, layout)",
       .summary = "The layout as it looks from a coordinate.",
       .example = {"domain_offset((1,3), (4,8):(8,1))", "(4,8):(8,1) offset 11"}},
      of_cut([](const Coordinate& coordinate, const AnyLayout& layout) {
        return std::visit(
            [&](const auto& any) { return to_result(cute::domain_offset(coordinate, any)); },
            layout);
      }));
  add({.call = "get_hier_coord(layout, index)",
       .summary = "The hierarchical coordinate of an index of a compact layout.",
       .example = {"get_hier_coord((4,(2,2)):(2,(1,8)), 11)", "(1,(1,1))"}},
      cute::get_hier_coord);
  add({.call = "get_flat_coord(layout, index)",
       .summary = "The coordinate by mode of an index of a compact layout.",
       .example = {"get_flat_coord((4,(2,2)):(2,(1,8)), 11)", "(1,3)"}},
      cute::get_flat_coord);
  add({.call = "get_1d_coord(layout, index)",
       .summary = "The flat coordinate of an index of a compact layout.",
       .example = {"get_1d_coord((4,(2,2)):(2,(1,8)), 11)", "13"}},
      cute::get_1d_coord);
}

}  // namespace heddle::notation
