// Loops over the points of sets, relations and layouts.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/emit/loops.h"
#include "heddle/map/loop_nest.h"
#include "heddle/map/relations.h"
#include "heddle/notation/any_layout.h"
#include "heddle/notation/lexer.h"
#include "notation/operations/binding.h"
#include "notation/operations/set_reader.h"
#include "notation/value/data.h"

namespace heddle::notation {

/// An order of visits.
struct VisitOrder {
  Value value;
};
template <>
struct Reader<VisitOrder> : SharedReader<VisitOrder> {
  static constexpr std::string_view kDescription =
      "'domain', 'image', a permutation of the dimensions, as in [1,0], or a relation";
  static constexpr TextIs kText = TextIs::kName;
  static ConvertedArgument convert(const Value& given, const CallContext& context) {
    const auto* text = given.get_if<std::string>();
    if (text != nullptr && !looks_like_relation(*text)) return given;
    if (std::optional<Value> sizes = as_sizes(given)) return sizes;
    return Reader<map::IntegerRelation>::convert(given, context);
  }
  static VisitOrder read(const Value& value) { return {value}; }
};

namespace {

using map::IntegerSet;

/// The arguments of a call after what is visited.
struct WantedLoops {
  VisitOrder order;
  std::optional<IntList> tile;
  std::string target;
  std::string name;
  bool openmp = false;
};

Refusal no_order(std::string message) {
  return refuse(Diagnostic("loops.order", std::move(message))
                    .with_hint("'domain', 'image', a permutation of the dimensions, as in [1,0], "
                               "or a relation from points to ranks"));
}

Result<std::vector<std::int64_t>> numbers_in(std::span<const Int> values) {
  std::vector<std::int64_t> numbers;
  for (const Int& value : values) {
    if (!value.is_constant()) {
      return no_order(fmt::format("{} is not a number", to_string(value)));
    }
    numbers.push_back(value.value());
  }
  return numbers;
}

Result<map::LoopOptions> loop_options(const WantedLoops& wanted, const CallContext& context) {
  map::LoopOptions options;
  options.known = context.sizes;
  options.limits = context.decide.limits;
  const Value& order = wanted.order.value;
  if (const auto* text = order.get_if<std::string>()) {
    if (*text != "domain" && *text != "image") {
      return no_order(fmt::format("unknown order {}", quote(*text)));
    }
    options.order = *text == "image" ? map::LoopOrder::kImage : map::LoopOrder::kDomain;
  } else if (const auto* relation = order.get_if<map::IntegerRelation>()) {
    options.order = *relation;
  } else {
    HEDDLE_TRY(const auto numbers, numbers_in(order.get<IntTuple>().leaves()));
    map::DimensionOrder dimensions;
    for (const std::int64_t number : numbers) {
      if (number < 0) return no_order(fmt::format("{} is not a dimension", number));
      dimensions.push_back(static_cast<std::size_t>(number));
    }
    options.order = std::move(dimensions);
  }
  if (wanted.tile) {
    HEDDLE_TRY(options.tile, numbers_in(*wanted.tile));
  }
  return options;
}

Result<Report> written(const map::LoopNest& nest, const WantedLoops& wanted) {
  emit::LoopTextOptions how;
  HEDDLE_TRY(how.dialect, program_dialect_named(wanted.target));
  how.name = wanted.name;
  how.openmp = wanted.openmp;
  HEDDLE_TRY(std::string text, emit::to_text(nest, how));
  Datum::Fields data = {{"target", std::string(emit::name_of(how.dialect))},
                        {"name", how.name},
                        {"text", text},
                        {"coordinates", list_of(nest.coordinates)},
                        {"places", list_of(nest.places)},
                        {"sizes", list_of(nest.sizes)}};
  while (text.ends_with('\n')) text.pop_back();
  return Report{std::move(text), std::move(data)};
}

Result<Report> loops_over_set(const IntegerSet& visited, const VisitOrder& order,
                              const std::optional<IntList>& tile, const std::string& target,
                              const std::string& name, bool openmp, const CallContext& context) {
  const WantedLoops wanted{order, tile, target, name, openmp};
  HEDDLE_TRY(const map::LoopOptions options, loop_options(wanted, context));
  HEDDLE_TRY(const map::LoopNest nest, map::loops(visited, options));
  return written(nest, wanted);
}

/// A layout with a shape is visited as the relation that it is on that shape.
Result<Report> loops_over_layout(const map::AnyLayout& visited, const VisitOrder& order,
                                 const std::optional<IntList>& tile, const std::string& target,
                                 const std::string& name, bool openmp,
                                 const std::optional<IntList>& shape, const CallContext& context) {
  const WantedLoops wanted{order, tile, target, name, openmp};
  HEDDLE_TRY(const map::LoopOptions options, loop_options(wanted, context));
  if (!shape) {
    HEDDLE_TRY(const map::LoopNest nest, map::loops(visited, options));
    return written(nest, wanted);
  }
  HEDDLE_TRY(map::IntegerRelation shaped, map::relation(visited, *shape, options.limits));
  HEDDLE_TRY(map::LoopNest nest, map::loops(map::AnyLayout(std::move(shaped)), options));
  nest.visited =
      fmt::format("{} on the shape {}", map::to_string(visited), to_string(IntTuple::flat(*shape)));
  return written(nest, wanted);
}

}  // namespace

void add_loop_operations(std::vector<Operation>& table) {
  const Rows add = {table, "loops"};
  const std::string call = "order=domain, tile, target=c, name=scan, openmp=false";
  add({.call = fmt::format("loops(layout, {}, shape)", call),
       .summary =
           "Loops that visit each point of a layout or relation once, with its place, in "
           "'c', 'cpp', 'cuda', 'hip', 'python' or 'mlir'. The `order` is lexicographic on "
           "the points ('domain') or on the places ('image'), that of a permutation of the "
           "dimensions, or that of the ranks that a relation gives the points; `tile` has "
           "the sizes of tiles. `openmp` is of C and C++, `shape` that of the tensor of an Axe "
           "layout.",
       .example = {"loops((2,2):(1,4), 'image', target='python')",
                   "# scan: visits each point (c0, c1) of (2,2):(1,4) with its place m,\n"
                   "# once, in the order of the images.\n"
                   "\n\n"
                   "def scan():\n"
                   "    for c1 in range(2):\n"
                   "        for c0 in range(2):\n"
                   "            yield (c0, c1), c0 + (c1 << 2)"}},
      loops_over_layout);
  add({.call = fmt::format("loops(set, {})", call),
       .summary = "The same over a set, whose points have no places.",
       .example = {"loops({ [i, j] : 0 <= j <= i < 4 }, target='python')",
                   "# scan: visits each point (i, j) of { [i, j] : i <= 3 and 0 <= j <= i },\n"
                   "# once, in lexicographic order.\n"
                   "\n\n"
                   "def scan():\n"
                   "    for i in range(4):\n"
                   "        for j in range(i + 1):\n"
                   "            yield (i, j)"}},
      loops_over_set);
}

}  // namespace heddle::notation
