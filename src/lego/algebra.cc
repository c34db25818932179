#include "heddle/lego/algebra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "expr/format.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/form/table.h"
#include "lego/checks.h"
#include "lego/digits.h"
#include "lego/names.h"

namespace heddle::lego {
namespace {

std::string text_of(const Layout& outer, const Layout& inner) {
  return fmt::format("composition({},{})", to_string(outer), to_string(inner));
}

/// A point of the view as variables, and their names.
struct SymbolicPoint {
  std::vector<std::string> names;
  std::vector<Int> indices;
};

SymbolicPoint symbolic_point(std::span<const Int> sizes, const std::set<std::string>& taken) {
  SymbolicPoint point{parameter_names(sizes.size(), taken), {}};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    point.indices.push_back(index_variable(point.names[i], sizes[i]));
  }
  return point;
}

/// Whether the points of a view are few enough to look at each.
bool are_listed(const Int& size) {
  return size.is_constant() && size.value() <= GenP::kMaxEvaluated;
}

/// A map on the points of a box, by its formula, or if it has none by its values.
template <class Evaluate>
Result<Layout> layout_of_function(const Sizes& sizes, const std::set<std::string>& taken,
                                  Evaluate evaluate) {
  HEDDLE_TRY(const Layout view, Layout::group_by({sizes}));
  const SymbolicPoint point = symbolic_point(sizes, taken);
  const Result<Int> formula = evaluate(point.indices);
  if (formula && formula->is_defined()) {
    HEDDLE_TRY(GenP function, GenP::make(sizes, Formula{point.names, {*formula}}));
    return view.order_by({std::move(function)});
  }
  if (!are_listed(view.size())) {
    return formula
               ? refuse("overflow", "a formula on {} does not fit into 64 bits", to_string(sizes))
               : refuse(formula.error());
  }
  const form::IndexMap map(sizes, form::FlatOrder::kLastFastest, {Axis::memory()},
                           [&](std::span<const Int> at) {
                             return std::vector<Int>{evaluate(at).value_or(Int::undefined())};
                           });
  HEDDLE_TRY(const form::Table table, form::table_of(map));
  HEDDLE_TRY(GenP function, GenP::make(sizes, named_map(table)));
  return view.order_by({std::move(function)});
}

// ---- Composition ----

Diagnostic outside(const Layout& outer, const Layout& inner, const std::string& why) {
  return diagnose("lego.composition", "{}: {}", text_of(outer, inner), why)
      .with_hint("compose(relation(B), relation(A)) has the points that stay within A's view");
}

Refusal refuse_point(const Layout& outer, const Layout& inner, std::span<const Int> point,
                     const Int& position) {
  return refuse(
      outside(outer, inner,
              fmt::format("{} has {}, and not every position of {} is one", to_string(outer),
                          counted(outer.size(), "index"), to_string(inner)))
          .with_witness({.coordinate = to_string(point),
                         .found = heddle::to_string(position),
                         .wanted = fmt::format("a number from 0 to {}", outer.size() - 1),
                         .wanted_by = "the outer layout"}));
}

/// Refuses unless the inner layout, a bijection, has no more positions than the outer one indices.
Result<void> check_size(const Layout& outer, const Layout& inner) {
  const Condition fits{inner.size(), Predicate::kAtMost, outer.size()};
  HEDDLE_TRY(const bool is_within, decide_open(fits, [&] { return text_of(outer, inner); }));
  if (is_within) return {};
  const Result<std::vector<Int>> point = inner.inv(outer.size());
  if (point) return refuse_point(outer, inner, *point, outer.size());
  return refuse(outside(
      outer, inner,
      fmt::format("the inner layout has {} positions, the outer {}", inner.size(), outer.size())));
}

/// Refuses unless the values of the inner layout, an injective one, are indices of the outer one.
Result<void> check_values(const Layout& outer, const Layout& inner) {
  const Int size = outer.size();
  if (are_listed(inner.size()) && size.is_constant()) {
    const Sizes sizes = inner.dims();
    bool are_constant = true;
    for (std::int64_t flat = 0; are_constant && flat < inner.size().value(); ++flat) {
      const std::vector<Int> point = unflatten(sizes, Int(flat));
      HEDDLE_TRY(const Int position, inner.apply(point));
      are_constant = position.is_constant();
      const bool is_index = known_at_most(0, position) && known_less(position, size);
      if (are_constant && !is_index) return refuse_point(outer, inner, point, position);
    }
    if (are_constant) return {};
  }
  std::set<std::string> taken = variables_in(outer);
  taken.merge(variables_in(inner));
  HEDDLE_TRY(const Int position, inner.apply(symbolic_point(inner.dims(), taken).indices));
  for (const Condition& condition :
       {Condition{0, Predicate::kAtMost, position}, Condition{position, Predicate::kLess, size}}) {
    const Verdict verdict = prove(condition);
    if (verdict.is_yes()) continue;
    if (verdict.is_no()) {
      return refuse(
          outside(outer, inner,
                  fmt::format("not always {}, at {}", heddle::to_string(condition),
                              verdict.counterexample() ? verdict.counterexample()->coordinate
                                                       : std::string("some sizes"))));
    }
    return refuse("composition.undecided", "{}: it is not known whether {}", text_of(outer, inner),
                  heddle::to_string(condition));
  }
  return {};
}

/// The links of the outer layout after those of the inner one.
Result<Layout> chained(const Layout& outer, const Layout& inner) {
  Layout result = inner;
  if (outer.is_tiled()) {
    HEDDLE_TRY(result, result.order_by(outer.orders().front()));
  }
  for (const Order& order : outer.chain()) {
    HEDDLE_TRY(result, order.tiled ? result.tile_order_by(order.permutations)
                                   : result.order_by(order.permutations));
  }
  if (!outer.expansion()) return result;
  return Layout::expand_by(outer.expansion()->original, outer.expansion()->extended, result);
}

// ---- Inverse ----

RegP inverse_of(const RegP& permutation) {
  // The sizes are those of a checked permutation, in another order.
  const Sizes laid_down = permutation.physical_dims();
  switch (permutation.sugar()) {
    case Sugar::kRow:
      return RegP::row(laid_down).value();
    case Sugar::kCol:
      return RegP::col(laid_down).value();
    case Sugar::kNone:
      break;
  }
  return RegP::make(laid_down, lego::inverse(permutation.sigma())).value();
}

Result<Permutation> inverse_of(const Permutation& permutation) {
  if (const auto* const regular = std::get_if<RegP>(&permutation)) return inverse_of(*regular);
  HEDDLE_TRY(GenP general, std::get<GenP>(permutation).inverted());
  return Permutation(std::move(general));
}

}  // namespace

Result<Layout> composition(const Layout& outer, const Layout& inner) {
  if (inner.is_injective_only()) {
    HEDDLE_CHECK(check_values(outer, inner));
  } else if (!inner.expansion()) {
    HEDDLE_CHECK(check_size(outer, inner));
  }
  const bool is_identity = outer.orders().empty() && !outer.expansion();
  if (is_identity && !inner.expansion()) return inner;
  if (inner.expansion()) {
    return refuse(
        diagnose(
            "lego.expand",
            "{}: the ExpandBy inside leaves points out, at -1, and -1 is not an index of a view",
            text_of(outer, inner))
            .with_hint("expand the composition: ExpandBy(original, extended, A o B)"));
  }
  const bool are_bijections = !outer.is_injective_only() && !inner.is_injective_only();
  if (are_bijections && answer_to({inner.size(), Predicate::kEqual, outer.size()}) == true) {
    return chained(outer, inner);
  }
  if (outer.expansion()) {
    return refuse("lego.expand", "{}: an ExpandBy of a layout that is not a bijection",
                  text_of(outer, inner));
  }
  std::set<std::string> taken = variables_in(outer);
  taken.merge(variables_in(inner));
  const Sizes indices = outer.dims();
  return layout_of_function(inner.dims(), taken, [&](std::span<const Int> point) -> Result<Int> {
    HEDDLE_TRY(const Int position, inner.apply(point));
    return outer.apply(unflatten(indices, position));
  });
}

Result<Layout> inverse(const Layout& layout) {
  if (layout.is_injective_only()) HEDDLE_CHECK(layout.inv(0));
  if (const auto& expansion = layout.expansion()) {
    const Sizes sizes = layout.dims();
    return layout_of_function(
        expansion->original, variables_in(layout), [&](std::span<const Int> point) -> Result<Int> {
          HEDDLE_TRY(const std::vector<Int> found, layout.inv(flatten(expansion->original, point)));
          return flatten(sizes, found);
        });
  }
  const std::span<const std::vector<Permutation>> orders = layout.orders();
  if (orders.empty()) return layout;
  std::vector<std::vector<Permutation>> links;
  for (std::size_t i = orders.size(); i-- > 0;) {
    std::vector<Permutation>& link = links.emplace_back();
    for (const Permutation& permutation : orders[i]) {
      HEDDLE_TRY(Permutation back, inverse_of(permutation));
      link.push_back(std::move(back));
    }
  }
  std::vector<Sizes> tiles;
  for (const Permutation& permutation : links.front()) {
    const std::span<const Int> tile = dims(permutation);
    tiles.emplace_back(tile.begin(), tile.end());
  }
  HEDDLE_TRY(Layout result, Layout::group_by(std::move(tiles)));
  for (std::vector<Permutation>& link : links) {
    HEDDLE_TRY(result, result.order_by(std::move(link)));
  }
  return result;
}

}  // namespace heddle::lego
