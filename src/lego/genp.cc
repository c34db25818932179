#include "heddle/lego/genp.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/overloaded.h"
#include "core/text.h"
#include "expr/format.h"
#include "expr/numbers_text.h"
#include "heddle/expr/index_variable.h"
#include "heddle/lego/layout.h"
#include "lego/checks.h"
#include "lego/formula.h"
#include "lego/names.h"
#include "lego/prove_genp.h"

namespace heddle::lego {
namespace {

/// Refuses another number of parameters or results, with the formula in the message.
Result<void> check_formula(const Formula& formula, std::size_t parameters, std::size_t results,
                           std::span<const Int> dims) {
  for (const Int& result : formula.results) {
    HEDDLE_CHECK(check_defined(result, [&] { return "a result of " + to_string(formula); }));
  }
  for (auto name = formula.parameters.begin(); name != formula.parameters.end(); ++name) {
    if (std::find(formula.parameters.begin(), name, *name) == name) continue;
    return refuse("lego.genp", "GenP on {}: {} has the parameter {} twice", to_string(dims),
                  to_string(formula), *name);
  }
  if (formula.parameters.size() == parameters && formula.results.size() == results) return {};
  return refuse("lego.genp", "GenP on {}: {} takes {} to {}; it should take {} to {}",
                to_string(dims), to_string(formula), formula.parameters.size(),
                formula.results.size(), parameters, results);
}

Result<void> check_map(const NamedMap& named, std::span<const Int> dims) {
  const auto refusal = [&](const std::string& why) {
    return refuse("lego.genp", "GenP({},{}): {}", to_string(dims), named.text, why);
  };
  const form::IndexMap& map = *named.map;
  if (map.axes().size() != 1) {
    return refusal(fmt::format("the map leads to {} axes, not 1", map.axes().size()));
  }
  const bool fits = std::ranges::equal(map.extents(), dims, known_equal);
  if (!fits) return refusal("the map is on the box " + to_string(map.extents()));
  return {};
}

Result<void> check_function(const GenP::Function& function, std::span<const Int> dims) {
  return std::visit(Overloaded{[&](const Formula& formula) -> Result<void> {
                                 HEDDLE_CHECK(check_formula(formula, dims.size(), 1, dims));
                                 return check_divisors(formula, dims);
                               },
                               [&](const BuiltIn& named) { return check_built_in(dims, named); },
                               [&](const NamedMap& named) { return check_map(named, dims); }},
                    function);
}

/// The results at these arguments, by the fast formula if it has them.
Result<std::vector<Int>> evaluate_fast(const Formula& formula, const FastFormula* fast,
                                       std::span<const Int> arguments) {
  if (fast != nullptr) {
    if (std::optional<std::vector<Int>> values = (*fast)(arguments)) return *std::move(values);
  }
  return evaluate(formula, arguments);
}

}  // namespace

std::string to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::kConstruction:
      return "proved by construction";
    case Evidence::kEvaluation:
      return "proved by evaluation";
    case Evidence::kSimplification:
      return "proved by simplification";
    case Evidence::kSolver:
      return "proved by the solver";
    case Evidence::kAssumed:
      return "assumed";
    case Evidence::kNone:
      break;
  }
  return "no permutation";
}

GenP::GenP(Sizes dims, Function function, std::optional<Formula> inverse)
    : dims_(std::move(dims)), function_(std::move(function)), inverse_(std::move(inverse)) {
  const auto* const formula = std::get_if<Formula>(&function_);
  if (formula != nullptr) fast_function_ = FastFormula::make(*formula);
  if (inverse_) fast_inverse_ = FastFormula::make(*inverse_);
}

Result<GenP> GenP::make(Sizes dims, Function function, std::optional<Formula> inverse,
                        const Prover& prover) {
  HEDDLE_CHECK(check_tile(dims, "GenP"));
  HEDDLE_CHECK(check_function(function, dims));
  if (inverse) {
    HEDDLE_CHECK(check_formula(*inverse, 1, dims.size(), dims));
    const Int size = product(dims);
    HEDDLE_CHECK(check_divisors(*inverse, std::span(&size, 1)));
  }
  const bool is_known = std::holds_alternative<BuiltIn>(function) && !inverse;
  GenP genp(std::move(dims), std::move(function), std::move(inverse));
  if (is_known) {
    genp.evidence_ = Evidence::kConstruction;
    return genp;
  }
  HEDDLE_TRY(GenPProof proof, prove_genp(genp, prover));
  if (proof.failure && genp.inverse_) return refuse(*std::move(proof.failure));
  genp.evidence_ = proof.evidence;
  genp.failure_ = std::move(proof.failure);
  genp.found_ = std::move(proof.found);
  return genp;
}

InverseKind GenP::inverse_kind() const {
  if (inverse_ || std::holds_alternative<BuiltIn>(function_)) return InverseKind::kGiven;
  return found_ ? found_->kind : InverseKind::kMissing;
}

std::size_t GenP::evaluation_cost() const {
  return (fast_function_ ? fast_function_->step_count() : 1) +
         (fast_inverse_ ? fast_inverse_->step_count() : 1);
}

Result<Int> GenP::apply(std::span<const Int> point) const {
  if (const auto* const formula = std::get_if<Formula>(&function_)) {
    HEDDLE_TRY(std::vector<Int> values, evaluate_fast(*formula, fast_function_.get(), point));
    return std::move(values.front());
  }
  if (const auto* const named = std::get_if<BuiltIn>(&function_)) {
    return apply_built_in(dims_, *named, point);
  }
  const form::IndexMap& map = *std::get<NamedMap>(function_).map;
  Int value = map(point).front();
  if (value.is_defined() || std::ranges::all_of(point, &Int::is_constant)) return value;
  return refuse(
      diagnose("lego.no_formula", "a GenP on {} is a table of {}, which has no formula at {}",
               to_string(dims_), counted(to_string(product(dims_)), "point"), point_text(point))
          .with_hint("heddle emit writes the table as a function in pieces"));
}

Result<std::vector<Int>> GenP::inv(const Int& flat) const {
  if (inverse_) return evaluate_fast(*inverse_, fast_inverse_.get(), std::span(&flat, 1));
  if (const auto* const named = std::get_if<BuiltIn>(&function_)) {
    return invert_built_in(dims_, *named, flat);
  }
  if (found_) return found_->point_at(flat);
  Diagnostic missing("lego.no_inverse", to_string(*this) + " has no inverse, and none was found");
  if (failure_) return refuse(std::move(missing).with_note(failure_->message()));
  return refuse(
      std::move(missing).with_hint("give the GenP one: GenP(SIZES, FUNCTION, x -> (x//3, x%3))"));
}

Result<GenP> GenP::inverted() const {
  const Int size = product(dims_);
  const auto* const named = std::get_if<BuiltIn>(&function_);
  if (named != nullptr && named->name == "reverse" && !inverse_) return make({size}, *named);
  const std::string name = parameter_names(1, variables_in(Permutation(*this))).front();
  const Int number = index_variable(name, size);
  const Result<std::vector<Int>> point = inv(number);
  const Result<Int> back = apply(unflatten(dims_, number));
  if (point && back && back->is_defined()) {
    GenP result({size}, Formula{{name}, {flatten(dims_, *point)}}, Formula{{name}, {*back}});
    HEDDLE_CHECK(check_function(result.function_, result.dims_));
    result.evidence_ = evidence_;
    return result;
  }
  if (!size.is_constant() || size.value() > kMaxEvaluated) {
    return refuse(point ? back.error() : point.error());
  }
  const form::IndexMap map(
      {size}, form::FlatOrder::kLastFastest, {Axis::memory()}, [&](std::span<const Int> at) {
        const Result<std::vector<Int>> found = inv(at.front());
        return std::vector<Int>{found ? flatten(dims_, *found) : Int::undefined()};
      });
  HEDDLE_TRY(const form::Table table, form::table_of(map));
  return make({size}, named_map(table));
}

NamedMap named_map(const form::Table& table) {
  return {to_string(table), std::make_shared<const form::IndexMap>(form::index_map(table))};
}

std::string to_string(const BuiltIn& named) {
  if (named.parameters.empty()) return named.name;
  return fmt::format("{}({})", named.name, commas(named.parameters));
}

std::string to_string(const GenP::Function& function) {
  return std::visit(Overloaded{[](const Formula& formula) { return to_string(formula); },
                               [](const BuiltIn& named) { return to_string(named); },
                               [](const NamedMap& named) { return named.text; }},
                    function);
}

std::string to_string(const GenP& permutation) {
  const std::string inverse =
      permutation.inverse() ? "," + to_string(*permutation.inverse()) : std::string();
  return fmt::format("GenP({},{}{})", to_string(permutation.dims()),
                     to_string(permutation.function()), inverse);
}

}  // namespace heddle::lego
