#include "heddle/expr/assumptions.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "expr/bounds.h"
#include "expr/substitute.h"
#include "expr/term.h"

namespace heddle {
namespace {

using expr::AtomPointer;
using expr::Operator;

/// What the conditions say about one name; terms are over plain variables, known by name only.
struct Facts {
  std::int64_t low = Range::kNoLow;
  std::int64_t high = Range::kNoHigh;
  std::int64_t modulus = 1;
  std::int64_t residue = 0;
  std::optional<Int> multiple_of;
  std::vector<Int> at_least;
  std::vector<Int> at_most;
  std::vector<std::int64_t> excluded;
};

Refusal unsupported(const Condition& condition) {
  return refuse(
      Diagnostic("assume.unsupported", "cannot assume " + to_string(condition))
          .with_hint("an assumption bounds a variable (M>=1, K<=2*M, M==128), fixes a remainder "
                     "(M%8==4) or says what divides it (N%K==0)"));
}

Refusal contradiction(const std::string& what) {
  return refuse("assume.contradiction", "the assumptions contradict each other: " + what);
}

/// The name of a value that is one plain variable.
std::optional<std::string> plain_name(const Int& value) {
  const AtomPointer atom = expr::as_atom(value);
  if (!atom || atom->operation() != Operator::kVariable) return std::nullopt;
  return atom->variable().name;
}

bool occurs(const std::string& name, const Int& value) {
  return std::ranges::count(variables(value), name) > 0;
}

/// x with x = r1 mod m1 and x = r2 mod m2, as {residue, modulus}; nothing where there is none.
struct Congruence {
  std::int64_t residue;
  std::int64_t modulus;
};

enum class Meeting : std::uint8_t { kMet, kNever, kTooLarge };

Meeting meet(Congruence& a, const Congruence& b) {
  const std::int64_t common = std::gcd(a.modulus, b.modulus);
  if ((a.residue - b.residue) % common != 0) return Meeting::kNever;
  const exact::Value modulus = exact::multiply(a.modulus / common, b.modulus);
  if (!modulus) return Meeting::kTooLarge;
  // At most b.modulus/common steps; each is one congruence class of the first.
  constexpr std::int64_t kMaxSteps = 1 << 20;
  if (b.modulus / common > kMaxSteps) return Meeting::kTooLarge;
  std::int64_t residue = a.residue;
  while (residue % b.modulus != b.residue) {
    const exact::Value next = exact::add(residue, a.modulus);
    if (!next) return Meeting::kTooLarge;
    residue = *next;
  }
  a = {residue % *modulus, *modulus};
  return Meeting::kMet;
}

/// Sorts conditions into facts about names, then makes the variables, each after those it depends
/// on.
class Builder {
 public:
  explicit Builder(std::int64_t default_low) : default_low_(default_low) {}

  Result<Bindings> run(std::span<const Condition> conditions) {
    for (const Condition& condition : conditions) {
      if (!condition.left.is_defined() || !condition.right.is_defined()) {
        return unsupported(condition);
      }
      note_names(condition);
    }
    // What divides a variable decides how it is held, so that comes first.
    for (const bool comparisons : {false, true}) {
      for (const Condition& condition : conditions) {
        if (is_comparison(condition) == comparisons) HEDDLE_CHECK(add(condition));
      }
    }
    for (const auto& [name, facts] : facts_) HEDDLE_CHECK(make(name));
    for (const Condition& condition : conditions) HEDDLE_CHECK(check(condition));
    return made_;
  }

 private:
  void note_names(const Condition& condition) {
    for (const Int& side : {condition.left, condition.right}) {
      for (const std::string& name : variables(side)) facts_[name];
    }
  }

  static bool is_remainder(const Int& value) {
    const AtomPointer atom = expr::as_atom(value);
    return atom && atom->operation() == Operator::kRemainder && plain_name(atom->left());
  }
  static bool is_comparison(const Condition& condition) {
    if (condition.relation == Relation::kDivides) return false;
    return condition.relation != Relation::kEqual ||
           (!is_remainder(condition.left) && !is_remainder(condition.right));
  }

  Result<void> add(const Condition& condition) {
    const auto& [left, relation, right] = condition;
    if (left.is_constant() && right.is_constant()) {
      if (known(condition)) return {};
      return contradiction(to_string(condition) + " is false");
    }
    if (relation == Relation::kDivides) return add_multiple(condition, right, left, 0);
    if (relation == Relation::kEqual && is_remainder(left)) {
      const AtomPointer atom = expr::as_atom(left);
      return add_multiple(condition, atom->left(), atom->right(), right);
    }
    if (relation == Relation::kEqual && is_remainder(right)) {
      return add({right, Relation::kEqual, left});
    }
    if (relation == Relation::kNotEqual) return add_excluded(condition);
    if (relation == Relation::kEqual) {
      HEDDLE_CHECK(add_bound(condition, right - left));
      return add_bound(condition, left - right);
    }
    return add_bound(condition, right - left - (relation == Relation::kLess ? 1 : 0));
  }

  /// number % divisor == residue
  Result<void> add_multiple(const Condition& condition, const Int& number, const Int& divisor,
                            const Int& residue) {
    const std::optional<std::string> name = plain_name(number);
    if (!name || !residue.is_constant() || occurs(*name, divisor)) return unsupported(condition);
    Facts& facts = facts_[*name];
    if (divisor.is_constant()) {
      const Int modulus = abs(divisor);
      if (!modulus.is_constant() || modulus.value() == 0) return unsupported(condition);
      if (residue.value() < 0 || residue.value() >= modulus.value()) {
        return contradiction("a remainder by " + to_string(modulus) + " is never " +
                             to_string(residue));
      }
      Congruence met{facts.residue, facts.modulus};
      switch (meet(met, {residue.value(), modulus.value()})) {
        case Meeting::kNever:
          return contradiction(*name + "%" + std::to_string(facts.modulus) + " is " +
                               std::to_string(facts.residue) + ", and " + to_string(condition));
        case Meeting::kTooLarge:
          return unsupported(condition);
        case Meeting::kMet:
          break;
      }
      facts.modulus = met.modulus;
      facts.residue = met.residue;
      return {};
    }
    const bool is_product = divisor.term().products().size() == 1;
    if (residue != Int(0) || !is_product || facts.multiple_of || depends(divisor, *name)) {
      return unsupported(condition);
    }
    facts.multiple_of = abs_coefficient(divisor);
    depend(*name, divisor);
    return {};
  }

  static Int abs_coefficient(const Int& product) {
    return product.term().products().front().coefficient < 0 ? -product : product;
  }

  /// slack >= 0, solved for one of its variables.
  Result<void> add_bound(const Condition& condition, const Int& slack) {
    if (!slack.is_symbolic()) {
      if (known_at_most(0, slack)) return {};
      return contradiction(to_string(condition) + " never holds");
    }
    for (const expr::Product& product : slack.term().products()) {
      if (product.degree() != 1 || (product.coefficient != 1 && product.coefficient != -1)) {
        continue;
      }
      const Int self = expr::make_int(product.atoms.front());
      const std::optional<std::string> name = plain_name(self);
      const Int rest = slack - Int(product.coefficient) * self;
      if (!name || occurs(*name, rest) || depends(rest, *name)) continue;
      if (product.coefficient > 0) return bound_below(*name, -rest);
      return bound_above(*name, rest);
    }
    // 3*M <= 100 still bounds M.
    const expr::Polynomial& products = slack.term().products();
    const bool is_linear = products.size() <= 2 && products.front().degree() == 1 &&
                           (products.size() == 1 || products.back().degree() == 0);
    if (!is_linear) return unsupported(condition);
    const std::optional<std::string> name =
        plain_name(expr::make_int(products.front().atoms.front()));
    if (!name) return unsupported(condition);
    const Int scale = products.front().coefficient;
    const Int offset = slack - scale * expr::make_int(products.front().atoms.front());
    if (known_less(0, scale)) return bound_below(*name, ceil_div(-offset, scale));
    return bound_above(*name, floor_div(offset, -scale));
  }

  Result<void> bound_below(const std::string& name, const Int& bound) {
    Facts& facts = facts_[name];
    if (bound.is_constant()) {
      facts.low = std::max(facts.low, bound.value());
    } else {
      facts.at_least.push_back(bound);
      depend(name, bound);
    }
    return {};
  }
  Result<void> bound_above(const std::string& name, const Int& bound) {
    Facts& facts = facts_[name];
    if (bound.is_constant()) {
      facts.high = std::min(facts.high, bound.value());
    } else {
      facts.at_most.push_back(bound);
      depend(name, bound);
    }
    return {};
  }

  Result<void> add_excluded(const Condition& condition) {
    const bool turned = condition.left.is_constant();
    const Int& number = turned ? condition.right : condition.left;
    const Int& value = turned ? condition.left : condition.right;
    const std::optional<std::string> name = plain_name(number);
    if (!name || !value.is_constant()) return unsupported(condition);
    facts_[*name].excluded.push_back(value.value());
    return {};
  }

  // Dependencies between names.

  void depend(const std::string& name, const Int& on) {
    for (const std::string& other : variables(on)) depends_[name].insert(other);
  }
  [[nodiscard]] bool depends(const Int& value, const std::string& name) const {
    return std::ranges::any_of(variables(value), [&](const std::string& other) {
      std::set<std::string> seen;
      return reaches(other, name, seen);
    });
  }
  bool reaches(const std::string& from, const std::string& to, std::set<std::string>& seen) const {
    if (from == to) return true;
    if (!seen.insert(from).second) return false;
    const auto found = depends_.find(from);
    return found != depends_.end() &&
           std::ranges::any_of(found->second,
                               [&](const std::string& next) { return reaches(next, to, seen); });
  }

  // Making the variables.

  Result<void> make(const std::string& name) {
    if (made_.contains(name)) return {};
    const Facts& facts = facts_.at(name);
    if (const auto found = depends_.find(name); found != depends_.end()) {
      for (const std::string& other : found->second) HEDDLE_CHECK(make(other));
    }
    expr::Variable variable;
    variable.name = name;
    HEDDLE_CHECK(set_range(variable, facts));
    variable.divisor = facts.modulus;
    variable.residue = facts.residue;
    if (facts.multiple_of) HEDDLE_CHECK(set_factors(variable, *facts.multiple_of));
    for (const Int& bound : facts.at_least) {
      HEDDLE_TRY(Int made, instantiate(bound, made_));
      variable.at_least.push_back(std::move(made));
    }
    for (const Int& bound : facts.at_most) {
      HEDDLE_TRY(Int made, instantiate(bound, made_));
      variable.at_most.push_back(std::move(made));
    }
    const Range quotient = expr::quotient_range(variable);
    if (quotient.low > quotient.high) {
      return contradiction("no " + name + " is left");
    }
    HEDDLE_CHECK(check_bounds(variable));
    made_[name] = expr::make_variable(std::move(variable));
    return {};
  }

  Result<void> set_range(expr::Variable& variable, const Facts& facts) const {
    variable.range = {facts.low, facts.high};
    const bool assumes_default = facts.low == Range::kNoLow && facts.high >= default_low_;
    if (assumes_default) variable.range.low = default_low_;
    // Whatever is excluded must be an end of what is left.
    std::vector<std::int64_t> excluded = facts.excluded;
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::int64_t value : excluded) {
        if (value == variable.range.low && value < variable.range.high) {
          ++variable.range.low;
          moved = true;
        } else if (value == variable.range.high && value > variable.range.low) {
          --variable.range.high;
          moved = true;
        }
      }
    }
    for (const std::int64_t value : excluded) {
      if (value < variable.range.low || value > variable.range.high) continue;
      return unsupported({Int::variable(variable.name), Relation::kNotEqual, value});
    }
    if (variable.range.low > variable.range.high) {
      return contradiction(variable.name + " would be at least " +
                           std::to_string(variable.range.low) + " and at most " +
                           std::to_string(variable.range.high));
    }
    return {};
  }

  Result<void> set_factors(expr::Variable& variable, const Int& multiple_of) {
    HEDDLE_TRY(const Int by, instantiate(multiple_of, made_));
    const Condition condition{by, Relation::kDivides, Int::variable(variable.name)};
    const expr::Polynomial products = expr::polynomial(by);
    if (products.size() != 1 || variable.residue != 0) return unsupported(condition);
    // A multiple of both 8 and K is a multiple of 8*K only where 8 divides K.
    if (!known_divides(variable.divisor, by)) {
      return refuse(
          Diagnostic("assume.unsupported",
                     "cannot assume both " + to_string(condition) + " and " +
                         std::to_string(variable.divisor) + " | " + variable.name)
              .with_hint("assume that " + std::to_string(variable.divisor) + " divides " +
                         to_string(by) + ", or that their product divides " + variable.name));
    }
    const bool positive = expr::is_at_least(by, 1);
    if (!positive) {
      return refuse(Diagnostic("assume.unsupported", "cannot assume " + to_string(condition) +
                                                         " where " + to_string(by) +
                                                         " may be 0 or negative"));
    }
    variable.divisor = products.front().coefficient;
    variable.factors = products.front().atoms;
    return {};
  }

  static Result<void> check_bounds(const expr::Variable& variable) {
    for (const Int& low : variable.at_least) {
      if (known_less(variable.range.high, low)) {
        return contradiction(variable.name + " would be at least " + to_string(low) +
                             " and at most " + std::to_string(variable.range.high));
      }
      for (const Int& high : variable.at_most) {
        if (known_less(high, low)) {
          return contradiction(variable.name + " would be at least " + to_string(low) +
                               " and at most " + to_string(high));
        }
      }
    }
    for (const Int& high : variable.at_most) {
      if (known_less(high, variable.range.low)) {
        return contradiction(variable.name + " would be at least " +
                             std::to_string(variable.range.low) + " and at most " +
                             to_string(high));
      }
    }
    return {};
  }

  /// The condition with what the variables have become.
  Result<void> check(const Condition& condition) const {
    HEDDLE_TRY(const Int left, instantiate(condition.left, made_));
    HEDDLE_TRY(const Int right, instantiate(condition.right, made_));
    if (!known_false({left, condition.relation, right})) return {};
    return contradiction(to_string(condition) + " cannot hold");
  }

  std::int64_t default_low_;
  std::map<std::string, Facts> facts_;
  std::map<std::string, std::set<std::string>> depends_;
  Bindings made_;
};

}  // namespace

Result<Assumptions> Assumptions::make(std::span<const Condition> conditions,
                                      std::int64_t default_low) {
  Assumptions assumptions;
  assumptions.default_low_ = default_low;
  HEDDLE_TRY(assumptions.variables_, Builder(default_low).run(conditions));
  return assumptions;
}

Int Assumptions::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  if (found != variables_.end()) return found->second;
  return Int::variable(name, default_low_, Range::kNoHigh);
}

}  // namespace heddle
