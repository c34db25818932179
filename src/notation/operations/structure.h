#pragma once

// What has modes: a layout, a tuple of integers, of strides or of indices, or a tiler. Operations
// that only choose modes and nest them treat all of these alike:
//
//   get((4,(2,2)):(2,(1,8)), 1)       (2,2):(1,8)
//   select((4,8,2), 0, 2)             (4,2)
//   select((1@0,1@1), 1, 0)           (1@1,1@0)
//   get(<(4,8):(1,4),2>, 0)           (4,8):(1,4)
//   slice((_,_,1), (0,_,1))           (0,_)

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cute/layout/picked_modes.h"
#include "heddle/cute/algebra.h"
#include "notation/operations/binding.h"

namespace heddle::notation {

using Structure = std::variant<IntTuple, cute::Layout, cute::ComposedLayout, cute::StrideTuple,
                               cute::Coordinate, cute::Tiler>;
template <>
struct Reader<Structure> : OneOf<Structure> {
  static constexpr std::string_view kDescription = "a layout, a tuple or a tiler";
  /// A tiler of sizes, as Python's [4,[2,2]], is a tuple; a tensor may count from anywhere.
  static ConvertedArgument convert(const Value& given, const CallContext&) {
    if (given.is<cute::Tiler>()) return as_tuple(given).value_or(given);
    HEDDLE_TRY(Value value, index_layout(given, Origin::kAnywhere));
    return holds(value) ? std::optional(std::move(value)) : std::nullopt;
  }
};

/// A tile by itself is the layout, the size or the `_` that it is.
[[nodiscard]] Value value_of_tiler(cute::Tiler tiler);
/// The shapes of a tiler's layouts, and its sizes. Refuses `call.type` for `_`.
[[nodiscard]] Result<Value> shape_of_tiler(cute::TilerView tiler);
/// Refuses `layout.mode`: the tuple has no such mode.
[[nodiscard]] Refusal no_mode(const Value& tuple, std::size_t mode);

/// The mode at the path. Refuses `layout.mode`.
template <class Leaf>
Result<Tuple<Leaf>> mode_at(const Tuple<Leaf>& tuple, std::span<const std::size_t> path) {
  TupleView<Leaf> part = tuple.view();
  for (const std::size_t mode : path) {
    if (mode >= part.rank()) return no_mode(Value(Tuple<Leaf>(part)), mode);
    part = part.mode(mode);
  }
  return Tuple<Leaf>(part);
}

template <class Leaf>
std::vector<Tuple<Leaf>> modes_of(const Tuple<Leaf>& tuple) {
  std::vector<Tuple<Leaf>> modes;
  for (const TupleView<Leaf> mode : tuple.modes()) modes.emplace_back(mode);
  return modes;
}

/// The named modes, in the order named. Refuses `layout.mode`.
template <class Leaf>
Result<Tuple<Leaf>> select_modes(const Tuple<Leaf>& tuple, std::span<const std::size_t> numbers) {
  std::vector<Tuple<Leaf>> modes;
  for (const std::size_t number : numbers) {
    HEDDLE_TRY(Tuple<Leaf> mode, mode_at(tuple, std::span(&number, 1)));
    modes.push_back(std::move(mode));
  }
  return Tuple<Leaf>::of(modes);
}

/// Refuses `layout.mode` unless [begin, end) is a part of the modes.
[[nodiscard]] Result<void> check_range(const Value& tuple, std::size_t rank, std::size_t begin,
                                       std::size_t end);

/// Modes [begin, end).
template <class Leaf>
Result<Tuple<Leaf>> take_modes(const Tuple<Leaf>& tuple, std::size_t begin, std::size_t end) {
  HEDDLE_CHECK(check_range(Value(tuple), tuple.rank(), begin, end));
  const std::vector<Tuple<Leaf>> modes = modes_of(tuple);
  return Tuple<Leaf>::of(std::span(modes).subspan(begin, end - begin));
}

/// Modes [begin, end) become one mode.
template <class Leaf>
Result<Tuple<Leaf>> group_modes(const Tuple<Leaf>& tuple, std::size_t begin, std::size_t end) {
  HEDDLE_TRY(Tuple<Leaf> group, take_modes(tuple, begin, end));
  std::vector<Tuple<Leaf>> modes = modes_of(tuple);
  const auto first = modes.begin() + static_cast<std::ptrdiff_t>(begin);
  modes.erase(first + 1, first + static_cast<std::ptrdiff_t>(end - begin));
  modes[begin] = std::move(group);
  return Tuple<Leaf>::of(modes);
}

/// The same leaves without nesting.
template <class Leaf>
Tuple<Leaf> flatten_modes(const Tuple<Leaf>& tuple) {
  return tuple.is_leaf() ? tuple : Tuple<Leaf>::flat(tuple.leaves());
}

/// The parts at the `_` of the coordinate, or at its indices. Refuses what select_parts() refuses.
template <class Leaf>
Result<Tuple<Leaf>> pick_modes(const cute::Coordinate& coordinate, const Tuple<Leaf>& tuple,
                               cute::Keep keep) {
  HEDDLE_TRY(const cute::Selection selection,
             cute::select_parts(coordinate, tuple.profile(), keep));
  return Tuple<Leaf>(selection.profile, selection.leaves_of(tuple.leaves()));
}

// The same of layouts.
inline Result<cute::Layout> mode_at(const cute::Layout& layout, std::span<const std::size_t> path) {
  return cute::get(layout, path);
}
inline Result<cute::Layout> select_modes(const cute::Layout& layout,
                                         std::span<const std::size_t> numbers) {
  return cute::select(layout, numbers);
}
inline Result<cute::Layout> take_modes(const cute::Layout& layout, std::size_t begin,
                                       std::size_t end) {
  return cute::take(layout, begin, end);
}
inline Result<cute::Layout> group_modes(const cute::Layout& layout, std::size_t begin,
                                        std::size_t end) {
  return cute::group(layout, begin, end);
}
inline cute::Layout flatten_modes(const cute::Layout& layout) { return cute::flatten(layout); }

/// The operation on whatever has the modes: `function` takes a Layout, which may be the inner one
/// of a composed layout, or a tuple of any leaves.
template <class Function>
Result<Value> on_structure(const Structure& x, Function function) {
  const auto on_layout = [&](const cute::Layout& layout) -> Result<cute::Layout> {
    return function(layout);
  };
  const auto on_any = [&](const auto& any) -> Result<Value> {
    using T = std::remove_cvref_t<decltype(any)>;
    if constexpr (std::is_same_v<T, cute::ComposedLayout>) {
      return to_result(cute::map_layout(any, on_layout));
    } else if constexpr (std::is_same_v<T, cute::Layout>) {
      return to_result(on_layout(any));
    } else if constexpr (std::is_same_v<T, cute::Tiler>) {
      return Result<cute::Tiler>(function(any)).map(value_of_tiler);
    } else {
      return to_result(Result<T>(function(any)));
    }
  };
  return std::visit(on_any, x);
}

}  // namespace heddle::notation
