#include "lego/formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/assume_needed.h"
#include "expr/format.h"
#include "expr/numbers_text.h"
#include "expr/term/conditions.h"
#include "heddle/core/inline_vector.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "heddle/lego/genp.h"

namespace heddle::lego {
namespace {

Refusal divides_by_zero(const Formula& formula, const std::string& where) {
  return refuse(
      diagnose("arithmetic.zero_divisor", "{} divides by zero at {}", to_string(formula), where)
          .with_witness({where, "no number", "", ""}));
}

/// The divisor over the points of the box; undefined if it does not fit into 64 bits.
Int divisor_within(const Int& divisor, const Formula& formula, std::span<const Int> box) {
  Bindings bindings;
  for (std::size_t i = 0; i < box.size(); ++i) {
    bindings.insert_or_assign(formula.parameters[i], index_variable(formula.parameters[i], box[i]));
  }
  const Result<Int> here = instantiate(divisor, bindings);
  return here ? *here : Int::undefined();
}

/// The result of a walk over the points of a box.
struct ZeroSearch {
  /// Whether the walk reached the end of the box, or a zero.
  bool is_complete = false;
  /// The first point at which the divisor is 0.
  std::optional<std::vector<Int>> zero = {};
};

ZeroSearch find_zero(const Formula& divisor, std::span<const Int> box) {
  const Int size = product(box);
  if (!size.is_constant() || size.value() > GenP::kMaxEvaluated) return {};
  const auto fast = FastFormula::make(divisor);
  if (fast == nullptr) return {};
  const auto steps = static_cast<std::int64_t>(fast->step_count());
  if (steps > GenP::kMaxOperations / size.value()) return {};
  for (std::int64_t flat = 0; flat < size.value(); ++flat) {
    const std::vector<Int> point = unflatten(box, flat);
    const std::optional<std::vector<Int>> value = (*fast)(point);
    if (!value) return {};
    if (value->front() == Int(0)) return {true, point};
  }
  return {true};
}

/// Refuses a condition that neither ranges nor points settle.
Refusal refuse_open(const Condition& condition, const Formula& formula, std::span<const Int> box) {
  const std::vector<std::string> names = variables(condition.left);
  const auto is_parameter = [&](const std::string& name) {
    return std::ranges::count(formula.parameters, name) > 0;
  };
  if (std::ranges::none_of(names, is_parameter)) return needed(to_string(formula), condition);
  // For some values of the sizes it may never divide by 0.
  const bool has_sizes = !product(box).is_constant() || !std::ranges::all_of(names, is_parameter);
  const Verdict verdict = prove(condition);
  if (!has_sizes && verdict.counterexample()) {
    return divides_by_zero(formula, verdict.counterexample()->coordinate);
  }
  Diagnostic open =
      diagnose("assume.needed", "{}: needs {}", to_string(formula), to_string(condition));
  if (!verdict.counterexample()) return refuse(std::move(open));
  return refuse(std::move(open).with_note("it fails at " + verdict.counterexample()->coordinate));
}

Result<void> check_divisor(const Int& divisor, const Formula& formula, std::span<const Int> box) {
  const Int here = divisor_within(divisor, formula, box);
  if (here.is_defined() && known_different(here, 0)) return {};
  const ZeroSearch search = find_zero({formula.parameters, {divisor}}, box);
  if (search.zero) return divides_by_zero(formula, to_string(*search.zero));
  if (search.is_complete) return {};
  return refuse_open({here.is_defined() ? here : divisor, Predicate::kNotEqual, 0}, formula, box);
}

}  // namespace

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

Result<void> check_divisors(const Formula& formula, std::span<const Int> box) {
  for (const Int& result : formula.results) {
    for (const Int& divisor : expr::open_divisors(result)) {
      HEDDLE_CHECK(check_divisor(divisor, formula, box));
    }
  }
  return {};
}

}  // namespace heddle::lego
