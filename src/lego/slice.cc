#include "heddle/lego/slice.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "core/free_names.h"
#include "expr/format.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"

namespace heddle::lego {
namespace {

/// All variables that may occur in the layout's index.
std::set<std::string> variables_in(const Layout& layout) {
  std::set<std::string> names = variables(layout.dims());
  for (const std::vector<Permutation>& permutations : layout.orders()) {
    for (const Permutation& permutation : permutations) {
      names.merge(variables(dims(permutation)));
      const auto* const genp = std::get_if<GenP>(&permutation);
      if (genp == nullptr) continue;
      if (const auto* const formula = std::get_if<Formula>(&genp->function())) {
        names.merge(variables(formula->results));
      }
      if (const auto* const named = std::get_if<BuiltIn>(&genp->function())) {
        names.merge(variables(named->parameters));
      }
    }
  }
  if (const auto& expansion = layout.expansion()) names.merge(variables(expansion->original));
  return names;
}

}  // namespace

Result<Slice> slice(const Layout& layout, std::span<const SliceIndex> coordinates) {
  const Sizes sizes = layout.dims();
  if (coordinates.size() != sizes.size()) {
    return refuse("lego.coordinate", "a slice of {} with {} coordinates, the view {} has {}",
                  to_string(layout), coordinates.size(), to_string(sizes), sizes.size());
  }
  std::set<std::string> taken = variables_in(layout);
  for (const SliceIndex& coordinate : coordinates) {
    if (coordinate) taken.merge(variables(std::span(&*coordinate, 1)));
  }
  FreeNames names("r", std::move(taken));
  Slice result;
  std::vector<Int> point;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (coordinates[i]) {
      point.push_back(*coordinates[i]);
      continue;
    }
    point.push_back(index_variable(names.next(), sizes[i]));
    result.ranges.push_back({point.back(), sizes[i], i, result.ranges.size()});
  }
  HEDDLE_TRY(result.index, layout.apply(point));
  return result;
}

}  // namespace heddle::lego
