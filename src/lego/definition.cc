#include "heddle/lego/definition.h"

#include <utility>
#include <variant>

namespace heddle::lego {
namespace {

/// One permutation on a flat index of its own digits.
Result<Int> permuted_index(const Permutation& permutation, std::span<const Int> digits) {
  if (const auto* regular = std::get_if<RegP>(&permutation)) {
    return flatten(permuted(regular->sigma(), regular->dims()), permuted(regular->sigma(), digits));
  }
  return std::get<GenP>(permutation).apply(digits);
}

/// One OrderBy: the permutations side by side, the last one fastest.
Result<Int> ordered_index(std::span<const Permutation> permutations, const Int& flat) {
  std::vector<Int> sizes;
  for (const Permutation& permutation : permutations) {
    const std::span<const Int> tile = dims(permutation);
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  const std::vector<Int> digits = unflatten(sizes, flat);
  Int index = 0;
  std::size_t begin = 0;
  for (const Permutation& permutation : permutations) {
    const std::span<const Int> tile = dims(permutation);
    const auto part = std::span<const Int>(digits).subspan(begin, tile.size());
    HEDDLE_TRY(const Int place, permuted_index(permutation, part));
    index = index * product(tile) + place;
    begin += tile.size();
  }
  return index;
}

}  // namespace

Result<ChainDefinition> definition_at(const Layout& layout, std::span<const Int> point) {
  if (layout.expansion()) return refuse("call.type", "a layout without ExpandBy is needed");
  ChainDefinition made;
  made.start = flatten(layout.dims(), point);
  // No name that anybody can give.
  made.variable = "?index";
  for (const std::vector<Permutation>& permutations : layout.orders()) {
    HEDDLE_TRY(Int link, ordered_index(permutations, Int::variable(made.variable)));
    made.links.push_back(std::move(link));
  }
  return made;
}

}  // namespace heddle::lego
