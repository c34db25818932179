#include "notation/operations/lego_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "core/overloaded.h"
#include "heddle/emit/slice.h"
#include "heddle/map/lego_function.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/operations.h"
#include "notation/operations/readers.h"
#include "notation/value/axe.h"
#include "notation/value/data.h"

namespace heddle::notation {
namespace {

// The marks of an inverse's name, those of the paper first.
constexpr std::array<std::string_view, 4> kPrintedMarks = {"^{inv}", "^{-1}", "^inv", "^-1"};
constexpr std::array<std::string_view, 2> kPlainMarks = {"_inv", "inv"};

template <class Marks>
std::optional<std::string_view> without_mark(std::string_view name, const Marks& marks) {
  for (const std::string_view mark : marks) {
    if (name.size() > mark.size() && name.ends_with(mark)) {
      return name.substr(0, name.size() - mark.size());
    }
  }
  return std::nullopt;
}

bool is_built_in(std::string_view name) {
  const std::vector<std::string> names = lego::built_in_names();
  return std::ranges::find(names, name) != names.end();
}

/// The coordinates that inv() gives, as a tuple.
std::optional<IntTuple> joined(const TupleList& list) {
  std::vector<Int> integers;
  for (const IntTuple& item : list) {
    if (!item.is_leaf()) return std::nullopt;
    integers.push_back(item.leaf());
  }
  if (integers.empty()) return std::nullopt;
  return IntTuple::flat(integers);
}

}  // namespace

Result<lego::Layout> layout_of_tile(const LegoPermutation& tile) {
  const auto dims = lego::dims(tile.permutation);
  HEDDLE_TRY(const lego::Layout view, lego::Layout::group_by({{dims.begin(), dims.end()}}));
  return view.order_by({tile.permutation});
}

std::string to_string(const LegoPermutation& permutation) {
  const auto* regular = std::get_if<lego::RegP>(&permutation.permutation);
  if (regular == nullptr || !permutation.counts_from_zero) {
    return lego::to_string(permutation.permutation);
  }
  std::vector<std::int64_t> sigma(regular->sigma().begin(), regular->sigma().end());
  for (std::int64_t& dimension : sigma) --dimension;
  return fmt::format("RegP({},[{}])", lego::to_string(regular->dims()), fmt::join(sigma, ","));
}

std::string to_string(const LegoOrders& orders) {
  std::vector<std::string> links;
  for (const std::vector<LegoPermutation>& link : orders.links) {
    std::vector<std::string> permutations;
    for (const LegoPermutation& permutation : link) permutations.push_back(to_string(permutation));
    links.push_back(fmt::format("OrderBy({})", fmt::join(permutations, ",")));
  }
  return fmt::format("{}", fmt::join(links, "."));
}

std::string to_string(const LegoFunction& function) {
  const std::string text = lego::to_string(function.function);
  if (!function.is_inverse) return text;
  const std::size_t open = text.find('(');
  return text.substr(0, open) + "_inv" + (open == std::string::npos ? "" : text.substr(open));
}

Datum to_datum(const lego::Slice& slice) {
  Datum::List ranges;
  for (const lego::SliceRange& range : slice.ranges) {
    ranges.emplace_back(Datum::Fields{
        {"variable", to_string(range.variable)},
        {"extent", to_datum(range.extent)},
        {"dimension", range.dimension},
        {"broadcast", emit::broadcast_text(range.position, slice.ranges.size())},
    });
  }
  return Datum(Datum::Fields{{"index", to_datum(slice.index)}, {"ranges", ranges}});
}

std::optional<Value> as_sizes(const Value& value) {
  if (const auto* list = value.get_if<TupleList>()) {
    const std::optional<IntTuple> tuple = joined(*list);
    return tuple ? std::optional<Value>(*tuple) : std::nullopt;
  }
  return as_shape(value);
}

std::optional<std::vector<lego::Sizes>> tiles_of(const Value& value) {
  const auto sizes_in = [](const auto& tuple) {
    const auto leaves = tuple.leaves();
    return lego::Sizes(leaves.begin(), leaves.end());
  };
  if (const auto sizes = as_sizes(value)) {
    return std::vector<lego::Sizes>{sizes_in(sizes->get<IntTuple>())};
  }
  const auto shapes = as_shapes(value);
  if (!shapes) return std::nullopt;
  std::vector<lego::Sizes> tiles;
  for (const TupleView<Int> mode : shapes->get<IntTuple>().modes()) tiles.push_back(sizes_in(mode));
  return tiles;
}

ConvertedArgument Reader<LegoFunction>::make(const Value& value, const CallContext& context) {
  if (value.is<LegoFunction>()) return value;
  // A tuple is a coordinate or a shape here, never the layout of that shape.
  if (value.is<IntTuple>()) return std::nullopt;
  HEDDLE_TRY(const std::optional<Value> layout, as_any_layout(value, context));
  if (!layout) return std::nullopt;
  if (const auto* table = layout->get_if<form::Table>()) {
    return Value(LegoFunction{map::lego_function(*table)});
  }
  HEDDLE_TRY(form::IndexMap map, index_map_of(*layout));
  const std::string text = to_string(*layout);
  const bool is_relation = layout->is<map::IntegerRelation>();
  return Value(
      LegoFunction{lego::NamedMap{is_relation ? fmt::format("relation(\"{}\")", text) : text,
                                  std::make_shared<const form::IndexMap>(std::move(map))}});
}

std::optional<LegoFunction> named_permutation(std::string_view name, std::vector<Int> parameters) {
  const auto function = [&](std::string_view known, bool is_inverse) {
    return LegoFunction{lego::BuiltIn{std::string(known), std::move(parameters)}, is_inverse};
  };
  if (is_built_in(name)) return function(name, false);
  auto base = without_mark(name, kPrintedMarks);
  if (!base) base = without_mark(name, kPlainMarks);
  if (!base || !is_built_in(*base)) return std::nullopt;
  return function(*base, true);
}

std::vector<std::string> inverse_names(std::string_view name) {
  std::vector<std::string> names;
  const auto base = without_mark(name, kPrintedMarks);
  if (!base) return names;
  for (const std::string_view mark : kPlainMarks) names.push_back(std::string(*base) += mark);
  return names;
}

}  // namespace heddle::notation
