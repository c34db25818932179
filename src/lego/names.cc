#include "lego/names.h"

#include <algorithm>
#include <array>

#include "core/free_names.h"
#include "expr/format.h"
#include "heddle/expr/proof.h"

namespace heddle::lego {

std::set<std::string> variables_in(const Permutation& permutation) {
  std::set<std::string> names = variables(dims(permutation));
  const auto* const genp = std::get_if<GenP>(&permutation);
  if (genp == nullptr) return names;
  if (const auto* const formula = std::get_if<Formula>(&genp->function())) {
    names.merge(variables(formula->results));
  }
  if (const auto* const named = std::get_if<BuiltIn>(&genp->function())) {
    names.merge(variables(named->parameters));
  }
  return names;
}

std::set<std::string> variables_in(const Layout& layout) {
  std::set<std::string> names = variables(layout.dims());
  for (const std::vector<Permutation>& permutations : layout.orders()) {
    for (const Permutation& permutation : permutations) names.merge(variables_in(permutation));
  }
  if (const auto& expansion = layout.expansion()) names.merge(variables(expansion->original));
  return names;
}

std::vector<std::string> parameter_names(std::size_t count, const std::set<std::string>& taken) {
  constexpr std::array kUsual = {"i", "j", "k", "l"};
  std::vector<std::string> names;
  if (count == 1) names.emplace_back("x");
  if (count > 1 && count <= kUsual.size()) names.assign(kUsual.begin(), kUsual.begin() + count);
  const auto is_free = [&](const std::string& name) { return !taken.contains(name); };
  if (!names.empty() && std::ranges::all_of(names, is_free)) return names;
  names.clear();
  FreeNames more("i", taken);
  while (names.size() < count) names.push_back(more.next());
  return names;
}

}  // namespace heddle::lego
