#include "heddle/expr/proof.h"

#include <algorithm>
#include <optional>

#include "expr/term/bounds.h"
#include "expr/term/operation.h"
#include "expr/term/substitute.h"
#include "expr/term/term.h"
#include "heddle/expr/assumptions.h"

namespace heddle {
namespace {

using expr::AtomPointer;
using expr::Operator;

/// Whether the condition holds between constants; nullopt if a side is not constant.
std::optional<bool> holds(const Condition& condition) {
  const Int& left = condition.left;
  const Int& right = condition.right;
  if (!left.is_constant() || !right.is_constant()) return std::nullopt;
  return expr::computed(expr::operation_of(condition.predicate), left.value(), right.value()) == 1;
}

/// A value for each variable atom.
class Assignment {
 public:
  explicit Assignment(std::vector<AtomPointer> atoms)
      : atoms_(std::move(atoms)), values_(atoms_.size()) {}

  [[nodiscard]] const std::vector<AtomPointer>& atoms() const { return atoms_; }
  void set(std::size_t index, std::int64_t quotient) { values_[index] = quotient; }

  [[nodiscard]] Int evaluate(const Int& value) const {
    return expr::substitute(value, [this](const AtomPointer& atom) { return value_of(atom); });
  }

  /// Whether all assumptions hold; those about single variables do by the choice of values.
  [[nodiscard]] bool is_admissible() const {
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      const Int whole = whole_of(i);
      const auto at = [this](const Int& bound) { return evaluate(bound); };
      if (!whole.is_constant() || !expr::is_within_bounds(atoms_[i]->variable(), whole, at)) {
        return false;
      }
    }
    return std::ranges::all_of(atoms_, [&](const AtomPointer& atom) {
      const auto& joint = atom->variable().joint;
      return joint == nullptr || agree(*joint);
    });
  }

  [[nodiscard]] Bindings bindings() const {
    Bindings bindings;
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      bindings[atoms_[i]->variable().name] = whole_of(i);
    }
    return bindings;
  }

 private:
  /// Whether the conditions hold for these values, and are not known to fail for all values that
  /// their other variables may have. Only few conditions are checked in this way.
  [[nodiscard]] bool agree(const expr::JointAssumptions& joint) const {
    constexpr std::size_t kMostOpen = 64;
    const Bindings values = bindings();
    std::vector<Condition> open;
    for (const Condition& condition : joint.conditions) {
      const Result<Condition> here = instantiate(condition, values);
      const std::optional<bool> is_met = here ? holds(*here) : false;
      if (is_met == false) return false;
      if (!is_met) open.push_back(*here);
    }
    if (open.size() > kMostOpen) return false;
    return open.empty() || Assumptions::make(open, joint.default_low).has_value();
  }

  [[nodiscard]] Int value_of(const AtomPointer& atom) const {
    const auto found = std::ranges::find_if(atoms_, expr::SameAs{*atom});
    if (found == atoms_.end()) return Int::undefined();
    return values_[static_cast<std::size_t>(found - atoms_.begin())];
  }
  [[nodiscard]] Int whole_of(std::size_t index) const {
    return expr::whole_value(atoms_[index]->variable(), values_[index],
                             [this](const AtomPointer& atom) { return value_of(atom); });
  }

  std::vector<AtomPointer> atoms_;
  std::vector<std::int64_t> values_;
};

/// A few values of a range that are likely to break a condition: the ends and small numbers.
std::vector<std::int64_t> candidates(const Range& range) {
  std::vector<std::int64_t> values;
  const auto add = [&](std::int64_t value) {
    if (value < range.low || value > range.high) return;
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  };
  for (const std::int64_t offset : {0, 1, 2, 3, 4, 6}) {
    if (range.low != Range::kNoLow) add(exact::add(range.low, offset).value_or(range.low));
  }
  if (range.high != Range::kNoHigh) add(range.high);
  for (const std::int64_t value : {0, 1, -1, 2, 5, 7, -5}) {
    if (range.low == Range::kNoLow) add(value);
  }
  if (range.high == Range::kNoHigh) add(1000);
  return values;
}

/// How many values to try: fewer for conditions that take long to evaluate.
int tries_for(const Condition& condition) {
  constexpr std::uint32_t kMaxWork = 1U << 14;
  std::uint32_t work = 1;
  for (const Int* side : {&condition.left, &condition.right}) {
    if (side->is_symbolic()) work += side->term().weight();
  }
  return static_cast<int>(std::clamp(kMaxWork / work, 16U, 1024U));
}

/// Visits assignments of candidate values to the atoms, admissible or not, until `visit` returns
/// false or `tries` are made.
void for_each_assignment(std::vector<AtomPointer> atoms, int tries,
                         const std::function<bool(const Assignment&)>& visit) {
  Assignment assignment(std::move(atoms));
  std::vector<std::vector<std::int64_t>> choices;
  for (const AtomPointer& atom : assignment.atoms()) choices.push_back(candidates(atom->range()));
  std::vector<std::size_t> chosen(choices.size(), 0);
  for (; tries > 0; --tries) {
    for (std::size_t i = 0; i < chosen.size(); ++i) assignment.set(i, choices[i][chosen[i]]);
    if (!visit(assignment)) return;
    std::size_t i = 0;
    for (; i < chosen.size(); ++i) {
      if (++chosen[i] < choices[i].size()) break;
      chosen[i] = 0;
    }
    if (i == chosen.size()) return;
  }
}

/// Values of the variables at which the condition fails.
std::optional<Witness> counterexample(const Condition& condition) {
  std::optional<Witness> witness;
  const Int sides[] = {condition.left, condition.right};
  const auto fails = [&](const Assignment& values) {
    const Condition at{values.evaluate(condition.left), condition.predicate,
                       values.evaluate(condition.right)};
    if (holds(at) == false && values.is_admissible()) {
      witness = failure_at(at, values.bindings());
    }
    return !witness;
  };
  for_each_assignment(expr::variable_atoms(sides, true), tries_for(condition), fails);
  return witness;
}

// Assumptions that would help.

/// The remainder that a variable needs so that the constant divides the sum of it and a number.
std::string remainder_assumption(const Int& divisor, const Int& number) {
  const std::vector<AtomPointer> atoms = expr::variable_atoms(number);
  if (!divisor.is_constant() || divisor.value() < 2 || atoms.size() != 1) return {};
  const Int rest = number - expr::make_int(atoms.front());
  if (!atoms.front()->variable().is_whole() || !rest.is_constant() || rest == Int(0)) return {};
  return atoms.front()->variable().name + "%" + to_string(divisor) +
         "==" + to_string(mod(-rest, divisor));
}

/// An assumption about one variable that makes `divisor` divide `number`.
std::string multiple_assumption(const Int& divisor, const Int& number) {
  if (const std::string remainder = remainder_assumption(divisor, number); !remainder.empty()) {
    return remainder;
  }
  for (const AtomPointer& atom : expr::variable_atoms(number)) {
    const expr::Variable& variable = atom->variable();
    // Would the number be divisible if the quotient of this variable had one more factor?
    const auto tried = [&](const Int& factor) {
      const Int grown = expr::substitute(number, [&](const AtomPointer& other) {
        const Int self = expr::make_int(other);
        return compare(*other, *atom) == 0 ? factor * self : self;
      });
      return known_divides(divisor, grown);
    };
    if (variable.residue != 0) continue;
    Int least = divisor;
    if (divisor.is_constant()) {
      for (std::int64_t part = 2; part < std::min<std::int64_t>(divisor.value(), 4096); ++part) {
        if (divisor.value() % part == 0 && tried(part)) {
          least = part;
          break;
        }
      }
    }
    if (!tried(least)) continue;
    const std::string by = to_string(expr::unit_of(variable) * least);
    const bool is_plain = by.find_first_of("+-*/%") == std::string::npos;
    return variable.name + "%" + (is_plain ? by : "(" + by + ")") + "==0";
  }
  return {};
}

/// An assumption on the one variable of a linear slack that makes the slack nonnegative.
std::string bound_of_one(const Int& slack) {
  const std::vector<AtomPointer> atoms = expr::variable_atoms(slack);
  if (atoms.size() != 1 || !atoms.front()->variable().factors.empty()) return {};
  const expr::Variable& variable = atoms.front()->variable();
  const auto line = expr::line_in(slack, atoms.front());
  if (!line || !line->quotient.is_constant() || !line->rest.is_constant()) return {};
  const bool rises = line->quotient.value() > 0;
  const Int quotient = expr::end_of(line->quotient, line->rest);
  const Int bound = variable.divisor * quotient + variable.residue;
  return variable.name + (rises ? ">=" : "<=") + to_string(bound);
}

/// An assumption on a variable that is a summand by itself that makes the sum 0, or nonnegative.
std::string isolated_assumption(const Int& sum, bool zero) {
  for (const AtomPointer& atom : expr::variable_atoms(sum)) {
    const expr::Variable& variable = atom->variable();
    if (!variable.is_whole()) continue;
    const auto line = expr::line_in(sum, atom);
    if (!line || !line->quotient.is_constant() || line->quotient == Int(0)) continue;
    const auto& [slope, rest] = *line;
    const bool is_unit = slope == Int(1) || slope == Int(-1);
    const bool by_itself = std::ranges::count(variables(rest), variable.name) == 0;
    if (!by_itself || (!is_unit && !(zero && known_divides(slope, rest)))) continue;
    const bool rises = slope.value() > 0;
    const Int bound = floor_div(-rest, slope);
    const char* sign = zero ? "==" : rises ? ">=" : "<=";
    const Predicate reached = zero ? Predicate::kEqual : Predicate::kAtMost;
    const Int whole = expr::make_int(atom);
    const bool impossible = known_false({rises ? bound : whole, reached, rises ? whole : bound});
    if (!impossible) return variable.name + sign + to_string(bound);
  }
  return {};
}

std::string bound_assumption(const Int& slack) {
  const std::string bound = bound_of_one(slack);
  return bound.empty() ? isolated_assumption(slack, false) : bound;
}

Refusal inadmissible(const expr::Variable& variable, const Int& value, const std::string& why) {
  return refuse("instantiate.inadmissible",
                variable.name + "=" + to_string(value) + " contradicts what is assumed: " + why);
}

Result<void> check_admissible(const expr::Variable& variable, const Int& value, const Int& quotient,
                              const std::function<Int(const AtomPointer&)>& image) {
  const Int back = expr::whole_value(variable, quotient, image);
  if (!known_equal(back, value)) {
    return inadmissible(variable, value,
                        variable.name + "%" + to_string(expr::unit_of(variable, image)) + " is " +
                            std::to_string(variable.residue));
  }
  if (known_less(value, variable.range.low) || known_less(variable.range.high, value)) {
    const std::string low =
        variable.range.low == Range::kNoLow ? "" : std::to_string(variable.range.low) + " <= ";
    const std::string high =
        variable.range.high == Range::kNoHigh ? "" : " <= " + std::to_string(variable.range.high);
    return inadmissible(variable, value, low + variable.name + high);
  }
  for (const Int& part : variable.multiple_of) {
    if (known_false({expr::substitute(part, image), Predicate::kDivides, value})) {
      return inadmissible(variable, value, to_string(part) + " | " + variable.name);
    }
  }
  for (const Int& bound : variable.at_least) {
    if (known_less(value, expr::substitute(bound, image))) {
      return inadmissible(variable, value, to_string(bound) + " <= " + variable.name);
    }
  }
  for (const Int& bound : variable.at_most) {
    if (known_less(expr::substitute(bound, image), value)) {
      return inadmissible(variable, value, variable.name + " <= " + to_string(bound));
    }
  }
  return {};
}

}  // namespace

Verdict prove(const Condition& condition) {
  if (!condition.left.is_defined() || !condition.right.is_defined()) {
    return Verdict::unknown("a side is undefined");
  }
  if (known(condition)) return Verdict::yes("ranges and divisors");
  if (std::optional<Witness> witness = counterexample(condition)) {
    return Verdict::no("values tried", std::move(witness));
  }
  return Verdict::unknown("neither ranges and divisors nor values tried decide it");
}

std::string assumption_for(const Condition& condition) {
  const auto& [left, predicate, right] = condition;
  if (!left.is_defined() || !right.is_defined()) return {};
  if (!left.is_symbolic() && !right.is_symbolic()) return {};
  if (predicate == Predicate::kDivides) {
    const std::string multiple = multiple_assumption(left, right);
    return multiple.empty() && left.is_symbolic() ? isolated_assumption(right - left, true)
                                                  : multiple;
  }
  if (predicate == Predicate::kNotEqual) return {};
  if (!expr::is_plain(left) || !expr::is_plain(right)) {
    const Int strict = predicate == Predicate::kLess ? 1 : 0;
    return predicate == Predicate::kEqual ? isolated_assumption(right - left, true)
                                          : bound_assumption(right - left - strict);
  }
  const bool turned = left.is_constant();
  const char* sign = predicate == Predicate::kEqual  ? "=="
                     : predicate == Predicate::kLess ? (turned ? ">" : "<")
                                                     : (turned ? ">=" : "<=");
  return to_string(turned ? right : left) + sign + to_string(turned ? left : right);
}

std::string needs(const Condition& condition) {
  const std::string assumption = assumption_for(condition);
  const std::string need = "needs " + to_string(condition);
  return assumption.empty() ? need : need + "; try --assume '" + assumption + "'";
}

Witness where(Witness witness, const Bindings& values) {
  witness.coordinate += (witness.coordinate.empty() ? "where " : " where ") + bindings_text(values);
  if (!witness.numbers) return witness;
  for (const auto& [name, value] : values) {
    if (value.is_constant()) witness.numbers->sizes.emplace_back(name, value.value());
  }
  return witness;
}

Witness failure_at(const Condition& at, const Bindings& values) {
  Witness sides;
  sides.found = to_string(at.left);
  sides.wanted = to_string(at.right);
  sides.wanted_by = "the right side";
  if (at.left.is_constant() && at.right.is_constant()) {
    sides.numbers.emplace();
    sides.numbers->found = one_number(at.left.value());
    sides.numbers->wanted = one_number(at.right.value());
  }
  Witness all = where(std::move(sides), values);
  all.coordinate = bindings_text(values);
  return all;
}

std::vector<Bindings> samples(std::span<const Int> values, std::size_t limit) {
  constexpr int kMaxTries = 4096;
  std::vector<Bindings> found;
  const auto visit = [&](const Assignment& assignment) {
    if (assignment.is_admissible()) found.push_back(assignment.bindings());
    return found.size() < limit;
  };
  for_each_assignment(expr::variable_atoms(values, true), kMaxTries, visit);
  return found;
}

Result<Int> instantiate(const Int& value, const Bindings& bindings) {
  if (!value.is_symbolic()) return value;
  const std::function<Int(const AtomPointer&)> image = [&](const AtomPointer& atom) -> Int {
    const expr::Variable& variable = atom->variable();
    const auto found = bindings.find(variable.name);
    return found == bindings.end() ? expr::make_int(atom)
                                   : expr::quotient_at(variable, found->second, image);
  };
  for (const AtomPointer& atom : expr::variable_atoms(value, true)) {
    const auto found = bindings.find(atom->variable().name);
    if (found == bindings.end()) continue;
    HEDDLE_CHECK(check_admissible(atom->variable(), found->second, image(atom), image));
  }
  return check_defined(expr::substitute(value, image),
                       [&] { return to_string(value) + " with these values"; });
}

Result<Condition> instantiate(const Condition& condition, const Bindings& bindings) {
  HEDDLE_TRY(Int left, instantiate(condition.left, bindings));
  HEDDLE_TRY(Int right, instantiate(condition.right, bindings));
  return Condition{std::move(left), condition.predicate, std::move(right)};
}

}  // namespace heddle
