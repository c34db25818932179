#include "notation/operations/tuples.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "expr/assume_needed.h"
#include "notation/operations/readers.h"

namespace heddle::notation {
namespace {

using cute::Coordinate;
using cute::Index;
using cute::Layout;
using cute::Stride;
using cute::StrideTuple;
using cute::Tile;
using cute::Tiler;

template <class Leaf, class Convert>
Value joined(const std::vector<Value>& parts, Convert convert) {
  std::vector<Tuple<Leaf>> modes;
  modes.reserve(parts.size());
  for (const Value& part : parts) modes.push_back(convert(part));
  return Tuple<Leaf>::of(modes);
}

template <class T, class... More>
bool all_are(const std::vector<Value>& parts) {
  return std::ranges::all_of(
      parts, [](const Value& part) { return part.is<T>() || (... || part.is<More>()); });
}

/// The part converted to a T, which must be possible.
template <class T>
T part_as(const Value& part) {
  return (*convert<T>(part).value_or(std::nullopt)).template get<T>();
}

bool is_mode(const Value& part) {
  return part.is<IntTuple>() || part.is<Coordinate>() || part.is<Layout>() ||
         part.is<cute::TvLayout>() || part.is<Tiler>();
}

}  // namespace

StrideTuple strides_of(const Value& value) {
  if (const auto* strides = value.get_if<StrideTuple>()) return *strides;
  return cute::to_strides(value.get<IntTuple>());
}

Result<void> check_parts(std::string_view what, std::span<const Value> parts) {
  std::size_t leaves = 0;
  std::size_t inner_depth = 0;
  for (const Value& part : parts) {
    leaves += leaf_count(part);
    inner_depth = std::max(inner_depth, depth(part));
  }
  if (leaves > kMaxLeaves) {
    return refuse("call.too_large", fmt::format("{} has {} leaves; at most {} are worked on", what,
                                                leaves, kMaxLeaves));
  }
  return check_depth(what, inner_depth + 1);
}

Result<Value> tuple_of(const std::vector<Value>& modes) {
  HEDDLE_CHECK(check_parts("the tuple", modes));
  if (all_are<IntTuple>(modes)) {
    return joined<Int>(modes, [](const Value& part) { return part.get<IntTuple>(); });
  }
  if (all_are<IntTuple, StrideTuple>(modes)) return joined<Stride>(modes, strides_of);
  if (all_are<IntTuple, Coordinate>(modes)) return joined<Index>(modes, part_as<Coordinate>);
  if (all_are<IntTuple, Coordinate, Layout, cute::TvLayout, Tiler>(modes)) {
    return joined<Tile>(modes, part_as<Tiler>);
  }
  const auto other = std::ranges::find_if_not(modes, is_mode);
  const std::string what = other == modes.end() ? "a stride along modes with a layout or '_'"
                                                : std::string(kind_name(*other));
  return refuse(
      "call.type",
      fmt::format("mode {} of a tuple is {}; an integer, a tuple, a layout or '_' is needed",
                  other == modes.end() ? 0 : other - modes.begin(), what));
}

Result<std::size_t> table_length(const Int& size, const std::optional<Int>& limit) {
  if (limit && known_less(*limit, 0)) {
    return refuse("table.limit", fmt::format("a table of {} values", to_string(*limit)));
  }
  const Int length = limit ? min(*limit, size) : size;
  if (!length.is_constant()) {
    return refuse(
        Diagnostic("table.symbolic",
                   fmt::format("a table of {} values: the size is not a number", to_string(length)))
            .with_hint("give a limit, limit=16, or " + value_hint({&length, 1})));
  }
  if (known_at_most(length, kMaxListed)) return static_cast<std::size_t>(length.value());
  return refuse(
      Diagnostic("table.too_large", fmt::format("a table of {} values; at most {} are listed",
                                                to_string(length), kMaxListed))
          .with_hint("give a limit: limit=16"));
}

}  // namespace heddle::notation
