#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "heddle/lego/genp.h"
#include "lego/text.h"

namespace heddle::lego {

std::string to_string(const Formula& formula) {
  const bool is_plain = formula.parameters.size() == 1;
  const std::string parameters = fmt::format("{}", fmt::join(formula.parameters, ","));
  const std::string results = commas(formula.results);
  return fmt::format("{} -> {}", is_plain ? parameters : "(" + parameters + ")",
                     formula.results.size() == 1 ? results : "(" + results + ")");
}

Result<std::vector<Int>> evaluate(const Formula& formula, std::span<const Int> arguments) {
  Bindings bindings;
  for (std::size_t i = 0; i < formula.parameters.size(); ++i) {
    bindings.emplace(formula.parameters[i], arguments[i]);
  }
  std::vector<Int> values;
  values.reserve(formula.results.size());
  for (const Int& result : formula.results) {
    HEDDLE_TRY(Int value, instantiate(result, bindings));
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace heddle::lego
