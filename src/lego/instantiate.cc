#include "heddle/lego/instantiate.h"

#include <utility>

namespace heddle::lego {
namespace {

Result<std::vector<Int>> instantiated(std::span<const Int> values, const Bindings& bindings) {
  std::vector<Int> result;
  result.reserve(values.size());
  for (const Int& value : values) {
    HEDDLE_TRY(Int number, heddle::instantiate(value, bindings));
    result.push_back(std::move(number));
  }
  return result;
}

/// A parameter hides a variable of its name.
Result<Formula> instantiated(const Formula& formula, Bindings bindings) {
  for (const std::string& parameter : formula.parameters) bindings.erase(parameter);
  HEDDLE_TRY(std::vector<Int> results, instantiated(formula.results, bindings));
  return Formula{formula.parameters, std::move(results)};
}

Result<GenP::Function> instantiated(const GenP::Function& function, const Bindings& bindings) {
  if (const auto* const formula = std::get_if<Formula>(&function)) {
    HEDDLE_TRY(Formula result, instantiated(*formula, bindings));
    return GenP::Function(std::move(result));
  }
  if (const auto* const named = std::get_if<BuiltIn>(&function)) {
    HEDDLE_TRY(std::vector<Int> parameters, instantiated(named->parameters, bindings));
    return GenP::Function(BuiltIn{named->name, std::move(parameters)});
  }
  return function;
}

Result<Permutation> instantiated(const Permutation& permutation, const Bindings& bindings,
                                 const Prover& prover) {
  if (const auto* const genp = std::get_if<GenP>(&permutation)) {
    HEDDLE_TRY(GenP result, instantiate(*genp, bindings, prover));
    return Permutation(std::move(result));
  }
  const RegP& regular = std::get<RegP>(permutation);
  HEDDLE_TRY(Sizes dims, instantiated(regular.dims(), bindings));
  const auto made = [&]() -> Result<RegP> {
    switch (regular.sugar()) {
      case Sugar::kRow:
        return RegP::row(std::move(dims));
      case Sugar::kCol:
        return RegP::col(std::move(dims));
      case Sugar::kNone:
        break;
    }
    return RegP::make(std::move(dims), {regular.sigma().begin(), regular.sigma().end()});
  };
  HEDDLE_TRY(RegP result, made());
  return Permutation(std::move(result));
}

}  // namespace

Result<GenP> instantiate(const GenP& permutation, const Bindings& bindings, const Prover& prover) {
  HEDDLE_TRY(Sizes dims, instantiated(permutation.dims(), bindings));
  HEDDLE_TRY(GenP::Function function, instantiated(permutation.function(), bindings));
  std::optional<Formula> inverse;
  if (permutation.inverse()) {
    HEDDLE_TRY(inverse, instantiated(*permutation.inverse(), bindings));
  }
  return GenP::make(std::move(dims), std::move(function), std::move(inverse), prover);
}

Result<Layout> instantiate(const Layout& layout, const Bindings& bindings, const Prover& prover) {
  std::vector<Sizes> tiles;
  for (const Sizes& tile : layout.tiles()) {
    HEDDLE_TRY(Sizes sizes, instantiated(tile, bindings));
    tiles.push_back(std::move(sizes));
  }
  HEDDLE_TRY(Layout result, layout.is_tiled() ? Layout::tile_by(std::move(tiles))
                                              : Layout::group_by(std::move(tiles)));
  for (const Order& order : layout.chain()) {
    std::vector<Permutation> permutations;
    for (const Permutation& permutation : order.permutations) {
      HEDDLE_TRY(Permutation made, instantiated(permutation, bindings, prover));
      permutations.push_back(std::move(made));
    }
    HEDDLE_TRY(result, order.tiled ? result.tile_order_by(std::move(permutations))
                                   : result.order_by(std::move(permutations)));
  }
  if (!layout.expansion()) return result;
  HEDDLE_TRY(Sizes original, instantiated(layout.expansion()->original, bindings));
  HEDDLE_TRY(Sizes extended, instantiated(layout.expansion()->extended, bindings));
  return Layout::expand_by(std::move(original), std::move(extended), result);
}

}  // namespace heddle::lego
