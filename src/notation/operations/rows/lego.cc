// LEGO layouts: constructors and questions.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "heddle/expr/proof.h"
#include "heddle/expr/solver.h"
#include "heddle/lego/algebra.h"
#include "heddle/lego/equality.h"
#include "heddle/lego/layout.h"
#include "heddle/lego/slice.h"
#include "heddle/map/composition.h"
#include "heddle/map/convert.h"
#include "notation/operations/binding.h"
#include "notation/operations/lego_arguments.h"
#include "notation/operations/tuples.h"

namespace heddle::notation {
namespace {

// ---- LEGO layouts: their making ----

Refusal refuse_dialect(std::string message, std::string hint) {
  return refuse(Diagnostic("lego.dialect", std::move(message)).with_hint(std::move(hint)));
}

Refusal refuse_argument(std::string_view operation, std::string_view needed, const Value& given) {
  return refuse("call.type",
                fmt::format("{} takes {}, not {}", operation, needed, kind_name(given)));
}

// Permutations.

/// The dimension numbers of a permutation, which must be constants.
Result<std::vector<std::int64_t>> sigma_of(const IntList& tile) {
  std::vector<std::int64_t> sigma;
  for (const Int& dimension : tile) {
    if (!dimension.is_constant()) {
      return refuse("lego.permutation",
                    fmt::format("a permutation of dimensions has numbers, and {} is not one",
                                to_string(dimension)));
    }
    sigma.push_back(dimension.value());
  }
  return sigma;
}

/// A sigma with a 0 counts from 0, as in LEGO's Python.
Result<Value> make_regular(const IntList& dims, const IntList& permutation) {
  HEDDLE_TRY(std::vector<std::int64_t> sigma, sigma_of(permutation));
  const std::vector<std::int64_t> written = sigma;
  const bool counts_from_zero = std::ranges::find(sigma, 0) != sigma.end();
  if (counts_from_zero) {
    for (std::int64_t& dimension : sigma) dimension += dimension < Range::kNoHigh ? 1 : 0;
  }
  auto regular = lego::RegP::make(dims, std::move(sigma));
  if (regular) return Value(LegoPermutation{*std::move(regular), counts_from_zero});
  if (!counts_from_zero || regular.error().code() != "lego.permutation") {
    return refuse(std::move(regular).error());
  }
  // If both ways of counting are refused, the message shows the numbers as they were written.
  auto plain = lego::RegP::make(dims, written);
  return refuse(plain ? std::move(regular).error() : std::move(plain).error());
}

lego::Sizes joined(const std::vector<IntList>& tiles) {
  lego::Sizes sizes;
  for (const IntList& tile : tiles) std::ranges::copy(tile, std::back_inserter(sizes));
  return sizes;
}

Result<Value> sugared(Result<lego::RegP> permutation) {
  if (!permutation) return refuse(std::move(permutation).error());
  return Value(LegoPermutation{*std::move(permutation)});
}

/// The formula given as the inverse; nullopt if the named permutation has its own.
Result<std::optional<lego::Formula>> inverse_of(const LegoFunction& function,
                                                const std::optional<LegoFunction>& inverse) {
  if (!inverse) return std::nullopt;
  if (const auto* formula = std::get_if<lego::Formula>(&inverse->function)) return *formula;
  const auto* named = std::get_if<lego::BuiltIn>(&function.function);
  const auto* back = std::get_if<lego::BuiltIn>(&inverse->function);
  const bool are_pair = named != nullptr && back != nullptr && named->name == back->name &&
                        (back->parameters.empty() || back->parameters == named->parameters);
  // A self-inverse permutation may be named as its inverse.
  const bool is_mark = inverse->is_inverse || (named != nullptr && named->name == "reverse");
  if (are_pair && is_mark) return std::nullopt;
  return refuse(
      Diagnostic("lego.genp_inverse", fmt::format("{} is not known to be the inverse of {}",
                                                  to_string(*inverse), to_string(function)))
          .with_hint("give a formula, x -> (x//3, x%3), or leave the inverse out"));
}

/// A function with one extra parameter takes the side of a square tile first: antidiag(n, i, j).
Result<lego::Formula> on_square(const lego::Formula& formula, std::size_t parameters,
                                const lego::Sizes& dims) {
  const bool is_square =
      std::ranges::all_of(dims, [&](const Int& size) { return known_equal(size, dims.front()); });
  if (formula.parameters.size() != parameters + 1 || !is_square) return formula;
  const std::set<std::string> taken = variables(std::span(&dims.front(), 1));
  std::vector<Int> arguments = {dims.front()};
  lego::Formula result;
  for (std::string name : std::span(formula.parameters).subspan(1)) {
    while (taken.contains(name)) name += '_';
    arguments.push_back(Int::variable(name));
    result.parameters.push_back(std::move(name));
  }
  HEDDLE_TRY(result.results, lego::evaluate(formula, arguments));
  return result;
}

Result<Value> make_general(const IntList& dims, const LegoFunction& function,
                           const std::optional<LegoFunction>& inverse) {
  if (function.is_inverse) {
    return refuse(Diagnostic(
        "lego.genp",
        fmt::format(
            "{} takes a number to a point; GenP takes a function from points to numbers first",
            to_string(function))));
  }
  HEDDLE_TRY(std::optional<lego::Formula> back, inverse_of(function, inverse));
  lego::GenP::Function there = function.function;
  if (auto* const formula = std::get_if<lego::Formula>(&there)) {
    HEDDLE_TRY(*formula, on_square(*formula, dims.size(), dims));
  }
  if (back) {
    HEDDLE_TRY(*back, on_square(*back, 1, dims));
  }
  // Used only if ranges and normal forms do not decide whether the two are inverse.
  const Solver solver;
  const auto prover = [&](const Condition& condition) { return solver.prove(condition); };
  HEDDLE_TRY(lego::GenP general, lego::GenP::make(dims, std::move(there), std::move(back), prover));
  return Value(LegoPermutation{std::move(general)});
}

void add_permutations(const Rows& add) {
  add({.call = "RegP(tile, sigma)",
       .summary = "A tile whose dimensions are laid down in the order sigma, counted from 1.",
       .example = {"RegP([2,3,2,3],[1,3,2,4])", "RegP([2,3,2,3],[1,3,2,4])"}},
      make_regular);
  add({.call = "Row(sizes)",
       .summary = "A tile in row-major order. Also: Row([4,8]).",
       .example = {"Row(4, 8)", "Row(4,8)"}},
      [](const std::vector<IntList>& sizes) { return sugared(lego::RegP::row(joined(sizes))); });
  add({.call = "Col(sizes)",
       .summary = "A tile in column-major order. Also: Col([4,8]).",
       .example = {"Col(4, 8)", "Col(4,8)"}},
      [](const std::vector<IntList>& sizes) { return sugared(lego::RegP::col(joined(sizes))); });
  add({.call = "GenP(tile, function, inverse)",
       .summary = "A tile numbered by a function: a formula, a named permutation, a layout. The "
                  "inverse is proved to be one, or looked for.",
       .example = {"GenP([3,2], (i,j) -> (2-i)*2+(1-j), x -> (2-x//2, 1-x%2))",
                   "GenP([3,2],(i,j) -> -2*i-j+5,x -> (-(x//2)+2,-(x%2)+1))"}},
      make_general);
}

// Chains.

/// The permutations of a link. Refuses those that count from the other base.
Result<std::vector<lego::Permutation>> permutations_of(const std::vector<LegoPermutation>& link,
                                                       bool from_zero) {
  std::vector<lego::Permutation> permutations;
  for (const LegoPermutation& written : link) {
    const auto* regular = std::get_if<lego::RegP>(&written.permutation);
    const bool is_written_out = regular != nullptr && regular->sugar() == lego::Sugar::kNone;
    if (is_written_out && written.counts_from_zero != from_zero) {
      LegoPermutation other = written;
      other.counts_from_zero = from_zero;
      return refuse_dialect(
          fmt::format("{} counts its dimensions from {}; {} they count from {}", to_string(written),
                      from_zero ? 1 : 0,
                      from_zero ? "where the OrderBys come first, as in LEGO's Python,"
                                : "in the paper's notation",
                      from_zero ? 0 : 1),
          fmt::format("write {}", to_string(other)));
    }
    permutations.push_back(written.permutation);
  }
  return permutations;
}

Result<std::vector<LegoPermutation>> link_of(std::string_view operation,
                                             std::span<const Value> values) {
  std::vector<LegoPermutation> link;
  for (const Value& value : values) {
    const auto* permutation = value.get_if<LegoPermutation>();
    if (permutation == nullptr) {
      return refuse_argument(operation, "permutations: RegP(…), GenP(…), Row(…), Col(…)", value);
    }
    link.push_back(*permutation);
  }
  return link;
}

/// A link after a layout, or after links that have no layout yet.
Result<Value> order_by(const std::vector<Value>& values) {
  const std::span<const Value> all(values);
  const auto* layout = values.front().get_if<lego::Layout>();
  const auto* orders = values.front().get_if<LegoOrders>();
  const bool has_front = layout != nullptr || orders != nullptr;
  HEDDLE_TRY(auto link, link_of("OrderBy", has_front ? all.subspan(1) : all));
  if (layout != nullptr) {
    HEDDLE_TRY(auto permutations, permutations_of(link, /*from_zero=*/false));
    return to_result(layout->order_by(std::move(permutations)));
  }
  LegoOrders chain = orders == nullptr ? LegoOrders() : *orders;
  chain.links.push_back(std::move(link));
  return Value(std::move(chain));
}

Result<Value> tile_order_by(const std::vector<Value>& values) {
  const auto* layout = values.front().get_if<lego::Layout>();
  if (layout == nullptr) {
    return refuse_argument("TileOrderBy", "a layout in front: TileBy([6,6]).TileOrderBy(…)",
                           values.front());
  }
  HEDDLE_TRY(auto link, link_of("TileOrderBy", std::span(values).subspan(1)));
  HEDDLE_TRY(auto permutations, permutations_of(link, /*from_zero=*/false));
  return to_result(layout->tile_order_by(std::move(permutations)));
}

/// Applies links from last to first as written, both for LEGO's Python, which puts them before the
/// GroupBy, and for the paper's figures, which put them into it.
Result<lego::Layout> ordered(lego::Layout layout, const LegoOrders& orders, bool from_zero) {
  for (auto link = orders.links.rbegin(); link != orders.links.rend(); ++link) {
    HEDDLE_TRY(auto permutations, permutations_of(*link, from_zero));
    HEDDLE_TRY(layout, layout.order_by(std::move(permutations)));
  }
  return layout;
}

/// Python's OrderBy(…).TileBy(…): with several permutations the tiles nest, as in a TileOrderBy.
Result<lego::Layout> tile_ordered(const lego::Layout& layout, const LegoOrders& orders) {
  if (orders.links.size() != 1) {
    return refuse_dialect(
        fmt::format(
            "{} OrderBys before a TileBy: it is not stated which of them act on nested tiles",
            orders.links.size()),
        "in the paper's notation: TileBy(…).OrderBy(…).TileOrderBy(…), what acts first comes "
        "first");
  }
  HEDDLE_TRY(auto permutations, permutations_of(orders.links.front(), /*from_zero=*/true));
  return permutations.size() == 1 ? layout.order_by(std::move(permutations))
                                  : layout.tile_order_by(std::move(permutations));
}

/// The arguments of a GroupBy or TileBy, and the links before it.
struct View {
  const LegoOrders* before = nullptr;
  std::vector<lego::Sizes> tiles;
  /// `GroupBy([6,4], OrderBy(…))`
  LegoOrders within;
};

Result<View> view_of(std::string_view operation, const std::vector<Value>& values) {
  View view;
  view.before = values.front().get_if<LegoOrders>();
  for (const Value& value : std::span(values).subspan(view.before == nullptr ? 0 : 1)) {
    if (const auto* orders = value.get_if<LegoOrders>()) {
      std::ranges::copy(orders->links, std::back_inserter(view.within.links));
      continue;
    }
    auto tiles = tiles_of(value);
    if (!tiles || !view.within.links.empty()) {
      return refuse_argument(operation, "tiles, lists of sizes as in [6,4]", value);
    }
    std::ranges::move(*tiles, std::back_inserter(view.tiles));
  }
  return view;
}

Result<lego::Layout> group_by(const std::vector<Value>& values) {
  HEDDLE_TRY(View view, view_of("GroupBy", values));
  HEDDLE_TRY(lego::Layout layout, lego::Layout::group_by(std::move(view.tiles)));
  if (view.before == nullptr) return ordered(std::move(layout), view.within, /*from_zero=*/false);
  if (view.within.links.empty()) {
    return ordered(std::move(layout), *view.before, /*from_zero=*/true);
  }
  return refuse_dialect("OrderBys are both before this GroupBy and inside it",
                        "write GroupBy(…).OrderBy(…), what acts first comes first");
}

Result<lego::Layout> tile_by(const std::vector<Value>& values) {
  HEDDLE_TRY(View view, view_of("TileBy", values));
  HEDDLE_TRY(lego::Layout layout, lego::Layout::tile_by(std::move(view.tiles)));
  if (!view.within.links.empty()) {
    return refuse_dialect("OrderBys are inside this TileBy",
                          "write TileBy(…).OrderBy(…), what acts first comes first");
  }
  return view.before == nullptr ? layout : tile_ordered(layout, *view.before);
}

/// The same map in the paper's core grammar.
Result<lego::Layout> desugared(const lego::Layout& layout) {
  HEDDLE_TRY(lego::Layout plain,
             lego::Layout::group_by({layout.tiles().begin(), layout.tiles().end()}));
  for (const std::vector<lego::Permutation>& order : layout.orders()) {
    HEDDLE_TRY(plain, plain.order_by(order));
  }
  if (!layout.expansion()) return plain;
  return lego::Layout::expand_by(layout.expansion()->original, layout.expansion()->extended, plain);
}

void add_views(const Rows& add) {
  add({.call = "GroupBy(tiles)",
       .summary = "The logical view: its sizes, tile by tile. OrderBys follow it.",
       .example = {"GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse))",
                   "GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse))"}},
      group_by);
  add({.call = "TileBy(tiles)",
       .summary = "The logical view of a tiling, outermost level first: tiles nest dimension by "
                  "dimension.",
       .example = {"TileBy([3,3],[2,2])", "TileBy([3,3],[2,2])"}},
      tile_by);
  add({.call = "OrderBy(permutations)",
       .summary = "The layout in front, reshaped to the tiles of the permutations, each of them "
                  "reordered.",
       .example = {"GroupBy([4,8]).OrderBy(Col(4,8))", "GroupBy([4,8]).OrderBy(Col(4,8))"}},
      order_by);
  add({.call = "TileOrderBy(permutations)",
       .summary = "OrderBy for tiles that nest dimension by dimension, outermost level first.",
       .example = {"TileBy([3,3],[2,2]).TileOrderBy(Row(3,3),Col(2,2))",
                   "TileBy([3,3],[2,2]).TileOrderBy(Row(3,3),Col(2,2))"}},
      tile_order_by);
  add({.call = "ExpandBy(original, extended, layout)",
       .summary = "A layout of extended sizes for an array of the original ones; what is outside "
                  "is at -1.",
       .example = {"ExpandBy([3,7],[4,9],GroupBy([4,9]).OrderBy(Row(4,9)))",
                   "ExpandBy([3,7],[4,9],GroupBy([4,9]).OrderBy(Row(4,9)))"}},
      lego::Layout::expand_by);
  add({.call = "desugar(layout)",
       .summary = "The same layout with GroupBy and OrderBy alone.",
       .example = {"desugar(TileBy([3,3],[2,2]).OrderBy(Row(6,6)))",
                   "GroupBy([3,3],[2,2]).OrderBy(RegP([3,3,2,2],[1,3,2,4])).OrderBy(Row(6,6))"}},
      desugared);
}

// ---- LEGO layouts: what is asked of them ----

constexpr const char* kLegoQuestions = "LEGO questions";

Result<Value> slice_at(const lego::Layout& layout, const cute::Coordinate& coordinate) {
  std::vector<lego::SliceIndex> indices;
  for (const cute::Index& index : coordinate.leaves()) {
    indices.push_back(index.is_underscore() ? lego::SliceIndex() : index.value());
  }
  return to_result(lego::slice(layout, indices));
}

Result<TupleList> positions_of(const lego::Layout& layout, const std::optional<Int>& limit) {
  HEDDLE_TRY(const std::size_t length, table_length(layout.size(), limit));
  const lego::Sizes sizes = layout.dims();
  TupleList positions;
  for (std::size_t i = 0; i < length; ++i) {
    HEDDLE_TRY(const Int position, layout.apply(lego::unflatten(sizes, Int(i))));
    positions.emplace_back(position);
  }
  return positions;
}

/// The positions of a GenP that is not a permutation have gaps, and are looked at one by one.
/// Refuses `table.symbolic` and `table.too_large`.
Result<Int> cosize_of(const lego::Layout& layout) {
  if (lego::evidence(layout) != lego::Evidence::kNone) return layout.physical_size();
  const Result<TupleList> positions = positions_of(layout, std::nullopt);
  if (!positions) {
    return refuse(
        Diagnostic(positions.error()).with_hint("lexmax(range(L)) is the greatest position"));
  }
  Int cosize;
  for (const IntTuple& position : *positions) cosize = max(cosize, position.leaf() + 1);
  return cosize;
}

/// Layouts of two systems, one of them LEGO's, as relations; the result in the notation of the
/// inner one where that can write it.
Result<Value> compose_beside_lego(const BesideLego& outer, const map::AnyLayout& inner,
                                  const map::Limits& limits) {
  HEDDLE_TRY(map::AnyLayout composed, map::composition(outer.layout, inner, limits));
  map::ConvertOptions options;
  options.reading = map::Reading::kLiteral;
  options.limits = limits;
  const auto written = map::convert(composed, map::system_of(inner), options);
  if (!written) return notation::to_value(composed);
  // Where points of an ExpandBy have no image, only the relation says so.
  HEDDLE_TRY(const Int wanted, map::size(inner));
  HEDDLE_TRY(const Int has, map::size(written->layout));
  return notation::to_value(known_equal(has, wanted) ? written->layout : composed);
}

void add_lego_algebra(const Rows& add) {
  add({.call = "composition(a, b)",
       .summary = "a after b: the positions of b are row-major indices of the view of a; the view "
                  "is that of b. Also: a o b.",
       .example = {"composition(GroupBy([4,8]).OrderBy(Col(4,8)), GroupBy([2,16]))",
                   "GroupBy([2,16]).OrderBy(Col(4,8))"}},
      lego::composition);
  add({.call = "composition(a, b)",
       .summary = "a after b, one of them a LEGO layout: the numbers that b gives are flat indices "
                  "of a, in the order of a; in b's notation, or as a relation.",
       .example = {"composition(GroupBy([4,8]).OrderBy(Col(4,8)), (8,4):(1,8))", "(8,4):(4,1)"}},
      compose_beside_lego);
  add({.call = "inverse(layout)",
       .summary = "The layout from positions to row-major numbers of points.",
       .example = {"inverse(GroupBy([4,8]).OrderBy(Col(4,8)))",
                   "GroupBy([8,4]).OrderBy(Col(8,4))"}},
      [](const lego::Layout& layout) { return lego::inverse(layout); });
}

void add_evaluating_lego(const Rows& add) {
  add({.call = "apply(layout, coordinate)",
       .summary =
           "The physical position of a point of the view. Also: L(4,1), L[4,1], L.apply([4,1]).",
       .example = {"apply(GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse)), [4,1])",
                   "6"}},
      &lego::Layout::apply);
  add({.call = "inv(layout, position)",
       .summary = "The point of the view at a physical position. Also: L.inv(6).",
       .example = {"inv(GroupBy([6,4]).OrderBy(RegP([2,2],[2,1]),GenP([3,2],reverse)), 6)",
                   "[4,1]"}},
      &lego::Layout::inv);
  add({.call = "slice(layout, coordinate)",
       .summary = "The index expression where `_` leaves dimensions free. Also: L[i, :].",
       .example = {"slice(GroupBy([6,4]).OrderBy(Row(6,4)), (2,_))", "tl.arange(0, 4)+8"}},
      slice_at);
  add({.call = "table(layout, limit)",
       .summary = "The positions of all points in row-major order, or of the first `limit` ones.",
       .example = {"table(GroupBy([2,3]).OrderBy(Col(2,3)))", "[0,2,4,1,3,5]"}},
      positions_of);
}

void add_measuring_lego(const Rows& add) {
  add({.call = "dims(layout)",
       .summary = "The sizes of the logical view, all tiles one after the other.",
       .example = {"dims(TileBy([3,3],[2,2]))", "[3,3,2,2]"}},
      &lego::Layout::dims);
  add({.call = "size(layout)",
       .summary = "The number of points of the logical view.",
       .example = {"size(TileBy([3,3],[2,2]))", "36"}},
      &lego::Layout::size);
  add({.call = "physical_size(layout)",
       .summary =
           "The number of positions: the size, or of an ExpandBy that of the original array.",
       .example = {"physical_size(ExpandBy([3,7],[4,9],GroupBy([4,9])))", "21"}},
      &lego::Layout::physical_size);
  add({.call = "cosize(layout)",
       .summary = "One more than the greatest position: as physical_size, but for a GenP that is "
                  "not a permutation.",
       .example = {"cosize(GroupBy([4,4]).OrderBy(GenP([4,4], (i,j) -> 20*i+j)))", "64"}},
      cosize_of);
  add({.call = "rank(layout)",
       .summary = "The number of dimensions of the logical view.",
       .example = {"rank(TileBy([3,3],[2,2]))", "4"}},
      [](const lego::Layout& layout) { return Int(layout.dims().size()); });
  add({.call = "evidence(layout)",
       .summary = "What shows that every GenP is a permutation and its inverse the inverse.",
       .example = {"evidence(GroupBy([5,5]).OrderBy(GenP([5,5], (i,j) -> 5*i+j)))",
                   "proved by evaluation"}},
      [](const lego::Layout& layout) { return lego::to_string(lego::evidence(layout)); });
  add({.call = "equal(a, b)",
       .summary = "Whether both lead every flat coordinate to the same position. Also: a == b.",
       .example = {"equal(GroupBy([6]), GroupBy([2,3]))", "yes  (evaluated all 6 coordinates)"}},
      lego::equal);
}

}  // namespace

void add_lego_operations(std::vector<Operation>& table) {
  add_views({table, "LEGO views"});
  add_permutations({table, "LEGO permutations"});
  add_lego_algebra({table, "LEGO algebra"});
  add_evaluating_lego({table, kLegoQuestions});
  add_measuring_lego({table, kLegoQuestions});
}

}  // namespace heddle::notation
