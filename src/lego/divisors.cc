#include "lego/divisors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expr/assume_needed.h"
#include "expr/format.h"
#include "expr/term.h"
#include "heddle/expr/index_variable.h"
#include "heddle/expr/proof.h"
#include "lego/fast_formula.h"

namespace heddle::lego {
namespace {

using expr::Operator;

/// The divisor is what the condition says to be different from 0.
bool says_not_zero(const Condition& condition, const Int& divisor) {
  if (condition.predicate != Predicate::kNotEqual) return false;
  const Int difference = condition.left - condition.right;
  return difference == divisor || difference == -divisor;
}

/// Gathers divisors and keeps what holds where each of them divides.
class Divisors {
 public:
  void visit(const Int& value) {
    if (!value.is_symbolic()) return;
    for (const expr::Product& product : value.term().products()) {
      for (const expr::AtomPointer& atom : product.atoms) visit(*atom);
    }
  }
  [[nodiscard]] std::vector<Int> found() && { return std::move(found_); }

 private:
  void visit(const expr::Atom& atom) {
    if (atom.operation() == Operator::kVariable) return;
    if (atom.operation() == Operator::kSelect) return visit_choice(atom);
    visit(atom.left());
    visit(atom.right());
    const bool divides =
        atom.operation() == Operator::kQuotient || atom.operation() == Operator::kRemainder;
    if (divides && atom.right().is_symbolic()) add(divisor_under(path_, atom.right()));
  }

  void visit_choice(const expr::Atom& choice) {
    visit(choice.condition().left);
    visit(choice.condition().right);
    visit_branch(choice.left(), choice.condition());
    visit_branch(choice.right(), opposite_of(choice.condition()));
  }

  void visit_branch(const Int& branch, const std::optional<Condition>& condition) {
    if (condition) path_.push_back(*condition);
    visit(branch);
    if (condition) path_.pop_back();
  }

  void add(Int divisor) {
    if (divisor.is_defined() && known_different(divisor, 0)) return;
    if (std::ranges::find(found_, divisor) == found_.end()) found_.push_back(std::move(divisor));
  }

  std::vector<Condition> path_;
  std::vector<Int> found_;
};

Refusal divides_by_zero(const Formula& formula, const std::string& where) {
  return refuse(Diagnostic("arithmetic.zero_divisor",
                           fmt::format("{} divides by zero at {}", to_string(formula), where))
                    .with_witness({where, "no number", "", ""}));
}

/// The divisor over the points of the box; undefined where 64 bits do not hold it.
Int divisor_within(const Int& divisor, const Formula& formula, std::span<const Int> box) {
  Bindings bindings;
  for (std::size_t i = 0; i < box.size(); ++i) {
    bindings.insert_or_assign(formula.parameters[i], index_variable(formula.parameters[i], box[i]));
  }
  const Result<Int> here = instantiate(divisor, bindings);
  return here ? *here : Int::undefined();
}

enum class Found : std::uint8_t { kZero, kNone, kOpen };

/// Looks at every point of a box of numbers, up to the first at which the divisor is 0.
Found find_zero(const Formula& divisor, std::span<const Int> box, std::int64_t& flat) {
  const Int size = product(box);
  if (!size.is_constant() || size.value() > GenP::kMaxEvaluated) return Found::kOpen;
  const auto fast = FastFormula::make(divisor);
  if (fast == nullptr) return Found::kOpen;
  const auto steps = static_cast<std::int64_t>(fast->step_count());
  if (steps > GenP::kMaxOperations / size.value()) return Found::kOpen;
  for (flat = 0; flat < size.value(); ++flat) {
    const std::optional<std::vector<Int>> value = (*fast)(unflatten(box, flat));
    if (!value) return Found::kOpen;
    if (value->front() == Int(0)) return Found::kZero;
  }
  return Found::kNone;
}

Result<void> check_divisor(const Int& divisor, const Formula& formula, std::span<const Int> box) {
  const Int here = divisor_within(divisor, formula, box);
  if (here.is_defined() && known_different(here, 0)) return {};
  std::int64_t flat = 0;
  const Found found = find_zero({formula.parameters, {divisor}}, box, flat);
  if (found == Found::kNone) return {};
  if (found == Found::kZero) return divides_by_zero(formula, to_string(unflatten(box, flat)));
  const Condition condition = {here.is_defined() ? here : divisor, Predicate::kNotEqual, 0};
  const std::vector<std::string> names = variables(condition.left);
  const auto is_parameter = [&](const std::string& name) {
    return std::ranges::count(formula.parameters, name) > 0;
  };
  if (std::ranges::none_of(names, is_parameter)) return needed(to_string(formula), condition);
  // Sizes may have values for which nothing is divided by 0.
  const bool has_sizes = !product(box).is_constant() || !std::ranges::all_of(names, is_parameter);
  const Verdict verdict = prove(condition);
  if (!has_sizes && verdict.counterexample()) {
    return divides_by_zero(formula, verdict.counterexample()->coordinate);
  }
  Diagnostic open("assume.needed",
                  fmt::format("{}: needs {}", to_string(formula), to_string(condition)));
  if (!verdict.counterexample()) return refuse(std::move(open));
  return refuse(std::move(open).with_note("it fails at " + verdict.counterexample()->coordinate));
}

}  // namespace

std::optional<Condition> opposite_of(const Condition& condition) {
  const auto& [left, predicate, right] = condition;
  switch (predicate) {
    case Predicate::kEqual:
      return Condition{left, Predicate::kNotEqual, right};
    case Predicate::kNotEqual:
      return Condition{left, Predicate::kEqual, right};
    case Predicate::kLess:
      return Condition{right, Predicate::kAtMost, left};
    case Predicate::kAtMost:
      return Condition{right, Predicate::kLess, left};
    case Predicate::kDivides:
      break;
  }
  return std::nullopt;
}

Int divisor_under(std::span<const Condition> path, const Int& divisor) {
  Int here = divisor;
  // Only where the outermost condition holds the others need a value.
  for (std::size_t i = path.size(); i-- > 0;) {
    if (says_not_zero(path[i], divisor)) return 1;
    here = select(path[i], here, 1);
  }
  return here;
}

std::vector<Int> open_divisors(const Int& value) {
  Divisors divisors;
  divisors.visit(value);
  return std::move(divisors).found();
}

Result<void> check_divisors(const Formula& formula, std::span<const Int> box) {
  for (const Int& result : formula.results) {
    for (const Int& divisor : open_divisors(result)) {
      HEDDLE_CHECK(check_divisor(divisor, formula, box));
    }
  }
  return {};
}

}  // namespace heddle::lego
