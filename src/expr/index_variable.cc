#include "heddle/expr/index_variable.h"

#include <string>
#include <utility>

#include "expr/term.h"

namespace heddle {

Int index_variable(std::string_view name, const Int& extent) {
  if (!extent.is_defined() || known_less(extent, 1)) return Int::undefined();
  if (extent.is_constant()) return Int::variable(name, 0, extent.value() - 1);
  expr::Variable variable;
  variable.name = std::string(name);
  const std::int64_t most = range(extent).high;
  variable.range = {0, most == Range::kNoHigh ? most : most - 1};
  variable.at_most.push_back(extent - 1);
  return expr::make_variable(std::move(variable));
}

}  // namespace heddle
