#include "heddle/lego/definition.h"

#include "lego/digits.h"

namespace heddle::lego {

Result<ChainDefinition> definition_at(const Layout& layout, std::span<const Int> point) {
  if (layout.expansion()) return refuse("call.type", "a layout without ExpandBy is needed");
  ChainDefinition made;
  made.start = flatten(layout.dims(), point);
  // A name that no user can write.
  made.variable = "?index";
  for (const std::vector<Permutation>& permutations : layout.orders()) {
    HEDDLE_TRY(made.links.emplace_back(),
               ordered_index(permutations, Int::variable(made.variable), [](const auto&...) {}));
  }
  return made;
}

}  // namespace heddle::lego
