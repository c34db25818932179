#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "expr/format.h"
#include "expr/numbers_text.h"
#include "heddle/core/inline_vector.h"
#include "heddle/lego/genp.h"
#include "lego/fast_formula.h"

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

std::shared_ptr<const FastFormula> FastFormula::make(const Formula& formula) {
  std::optional<expr::Program> program =
      expr::Program::compile(formula.results, formula.parameters);
  if (!program) return nullptr;
  return std::shared_ptr<const FastFormula>(new FastFormula(*std::move(program)));
}

std::optional<std::vector<Int>> FastFormula::operator()(std::span<const Int> arguments) const {
  InlineVector<std::int64_t, 8> numbers;
  for (const Int& argument : arguments) {
    if (!argument.is_constant()) return std::nullopt;
    numbers.push_back(argument.value());
  }
  std::vector<exact::Value> registers;
  program_.run({numbers.data(), numbers.size()}, registers);
  std::vector<Int> values;
  values.reserve(program_.result_count());
  for (std::size_t i = 0; i < program_.result_count(); ++i) {
    const exact::Value& value = registers[program_.result(i)];
    if (!value) return std::nullopt;
    values.emplace_back(*value);
  }
  return values;
}

}  // namespace heddle::lego
