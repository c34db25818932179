#include "notation/explain/lego_explain.h"

#include "heddle/lego/explain.h"

namespace heddle::notation {

Explanation lego_steps(std::string_view operation, std::span<const std::optional<Value>> values) {
  const auto* layout = values.empty() || !values[0] ? nullptr : values[0]->get_if<lego::Layout>();
  if (layout == nullptr || values.size() < 2 || !values[1]) return {};
  const auto* argument = values[1]->get_if<IntTuple>();
  if (argument == nullptr) return {};
  if (operation == "apply") {
    return lego::explain_apply(*layout, argument->leaves()).value_or(Explanation());
  }
  if (operation == "inv") {
    return lego::explain_inv(*layout, argument->leaf()).value_or(Explanation());
  }
  return {};
}

bool is_lego_piece(const Operation& operation) {
  return operation.family == "LEGO permutations" ||
         (operation.family == "LEGO views" && operation.name != "desugar");
}

}  // namespace heddle::notation
