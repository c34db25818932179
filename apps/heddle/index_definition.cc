#include "heddle/index_definition.h"

#include <utility>
#include <variant>

namespace heddle::app {
namespace {

/// One permutation on a flat index of its own digits.
Result<Int> permuted_index(const lego::Permutation& permutation, std::span<const Int> digits) {
  if (const auto* regular = std::get_if<lego::RegP>(&permutation)) {
    return lego::flatten(lego::permuted(regular->sigma(), regular->dims()),
                         lego::permuted(regular->sigma(), digits));
  }
  return std::get<lego::GenP>(permutation).apply(digits);
}

/// One OrderBy: the permutations side by side, the last one fastest.
Result<Int> ordered_index(std::span<const lego::Permutation> permutations, const Int& flat) {
  std::vector<Int> sizes;
  for (const lego::Permutation& permutation : permutations) {
    const std::span<const Int> tile = lego::dims(permutation);
    sizes.insert(sizes.end(), tile.begin(), tile.end());
  }
  const std::vector<Int> digits = lego::unflatten(sizes, flat);
  Int index = 0;
  std::size_t begin = 0;
  for (const lego::Permutation& permutation : permutations) {
    const std::span<const Int> tile = lego::dims(permutation);
    const auto part = std::span<const Int>(digits).subspan(begin, tile.size());
    HEDDLE_TRY(const Int place, permuted_index(permutation, part));
    index = index * lego::product(tile) + place;
    begin += tile.size();
  }
  return index;
}

}  // namespace

Result<IndexDefinition> definition_at(const lego::Layout& layout, std::span<const Int> point) {
  if (layout.expansion()) return refuse("call.type", "a layout without ExpandBy is needed");
  IndexDefinition made;
  made.start = lego::flatten(layout.dims(), point);
  // No name that anybody can give.
  made.variable = "?index";
  for (const std::vector<lego::Permutation>& permutations : layout.orders()) {
    HEDDLE_TRY(Int link, ordered_index(permutations, Int::variable(made.variable)));
    made.links.push_back(std::move(link));
  }
  return made;
}

}  // namespace heddle::app
