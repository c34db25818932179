#include "heddle/expr/assumptions.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <utility>
#include <vector>

#include "expr/code/program.h"
#include "expr/term/bounds.h"
#include "expr/term/operation.h"
#include "expr/term/substitute.h"
#include "expr/term/term.h"

namespace heddle {
namespace {

using expr::AtomPointer;
using expr::Operator;

/// The values that a variable may have: those in the range that leave this residue, which is in
/// [0, modulus). A range with a low end begins with one of them.
struct Domain {
  Range range;
  std::int64_t residue = 0;
  std::int64_t modulus = 1;
};

/// The facts from the conditions about one name; terms are over plain variables, known by name
/// only.
struct Facts {
  Domain domain;
  std::vector<Int> multiple_of;
  std::vector<Int> at_least;
  std::vector<Int> at_most;
  std::vector<std::int64_t> excluded;
  /// The variable is another name for this term, if nothing else is said about it.
  std::optional<Int> same_as;

  /// Narrows the domain to numbers that are at least, or at most, this one.
  void narrow(bool below, std::int64_t by) {
    auto& [low, high] = domain.range;
    (below ? low : high) = below ? std::max(low, by) : std::min(high, by);
  }
};

Refusal unsupported(const Condition& condition) {
  return refuse(
      Diagnostic("assume.unsupported", "cannot assume " + to_string(condition))
          .with_hint("an assumption bounds a variable (M>=1, K<=2*M, M==128), fixes a remainder "
                     "(M%8==4) or says what divides it (N%K==0)"));
}

Refusal unsupported_hole(const std::string& name, std::int64_t value) {
  const std::string number = std::to_string(value);
  return refuse(Diagnostic("assume.unsupported", "cannot assume " + name + " != " + number +
                                                     ": only an end of a range can be left out")
                    .with_hint("assume " + name + "<" + number + " or " + name + ">" + number));
}

Refusal contradiction(const std::string& what) {
  return refuse("assume.contradiction", "the assumptions contradict each other: " + what);
}

Refusal crossed(const std::string& name, const Int& low, const Int& high) {
  return contradiction(name + " would be at least " + to_string(low) + " and at most " +
                       to_string(high));
}

enum class Meeting : std::uint8_t { kMet, kNever, kTooLarge };

/// Narrows the domain to numbers that also leave this residue.
Meeting meet(Domain& domain, std::int64_t residue, std::int64_t modulus) {
  const std::int64_t common = std::gcd(domain.modulus, modulus);
  if ((domain.residue - residue) % common != 0) return Meeting::kNever;
  const exact::Value both = exact::multiply(domain.modulus / common, modulus);
  if (!both) return Meeting::kTooLarge;
  // More residue classes than this are not searched.
  constexpr std::int64_t kMaxSteps = 1 << 16;
  if (modulus / common > kMaxSteps) return Meeting::kTooLarge;
  while (domain.residue % modulus != residue) domain.residue += domain.modulus;
  domain.modulus = *both;
  return Meeting::kMet;
}

// Conditions that no values satisfy, found by trying all values.
//
//   M%BM==0, M==7, 1 < BM < 7      M is 7, BM from 2 to 6: none of these divides 7
//
// Ranges and divisors of one variable at a time do not see that. So variables with few values take
// these one after the other, and each condition is checked as soon as all its variables have
// values.

/// Values tried, all variables together.
constexpr std::int64_t kMaxTried = 1 << 16;

/// A condition that can be checked once the variables before `needs` have values.
struct Check {
  Predicate predicate;
  expr::Program program;
  std::size_t needs = 0;
};

/// A condition is not known to fail if a side is undefined.
bool breaks(Predicate predicate, const exact::Value& left, const exact::Value& right) {
  return left && right && expr::computed(expr::operation_of(predicate), *left, *right) == 0;
}

/// The number of values in a domain; -1 if there are more than can be tried.
std::int64_t count_of(const Domain& domain) {
  if (!domain.range.is_bounded()) return -1;
  const exact::Value width = exact::subtract(domain.range.high, domain.range.low);
  if (!width) return -1;
  const std::int64_t count = *width / domain.modulus + 1;
  return count <= kMaxTried ? count : -1;
}

class Trial {
 public:
  Trial(std::span<const Condition> conditions, const std::map<std::string, Domain>& domains) {
    std::vector<std::pair<std::int64_t, std::string>> ordered;
    for (const auto& [name, domain] : domains) {
      if (const std::int64_t count = count_of(domain); count >= 0)
        ordered.emplace_back(count, name);
    }
    std::ranges::sort(ordered);
    for (auto& [count, name] : ordered) {
      domains_.push_back(domains.at(name));
      names_.push_back(std::move(name));
    }
    for (const Condition& condition : conditions) add(condition);
  }

  /// Whether certainly no values satisfy all conditions. Checks the variables with bounded domains
  /// and the conditions about these; gives up past some ten thousands of values tried.
  bool finds_none() {
    if (checks_.empty()) return false;
    values_.assign(names_.size(), 0);
    return !is_met_from(0);
  }

 private:
  void add(const Condition& condition) {
    const std::vector<Int> sides = {condition.left, condition.right};
    std::optional<expr::Program> program = expr::Program::compile(sides, names_);
    if (!program) return;
    std::size_t needs = 0;
    for (const Int& side : sides) {
      for (const std::string& name : variables(side)) {
        const auto place = std::ranges::find(names_, name) - names_.begin();
        needs = std::max(needs, static_cast<std::size_t>(place) + 1);
      }
    }
    last_ = std::max(last_, needs);
    checks_.push_back({condition.predicate, *std::move(program), needs});
  }

  /// Whether there are, or may be, values for the variables from here on.
  bool is_met_from(std::size_t place) {
    if (place == last_) return true;
    const Domain& domain = domains_[place];
    exact::Value value = domain.range.low;
    for (; value && *value <= domain.range.high; value = exact::add(*value, domain.modulus)) {
      if (++tried_ > kMaxTried) return true;
      values_[place] = *value;
      if (holds_so_far(place + 1) && is_met_from(place + 1)) return true;
    }
    return false;
  }

  bool holds_so_far(std::size_t count) {
    return std::ranges::none_of(checks_, [&](const Check& check) {
      if (check.needs != count) return false;
      check.program.run(values_, registers_);
      return breaks(check.predicate, registers_[check.program.result(0)],
                    registers_[check.program.result(1)]);
    });
  }

  std::vector<std::string> names_;
  std::vector<Domain> domains_;
  std::vector<Check> checks_;
  /// No condition needs the variables past these.
  std::size_t last_ = 0;
  std::vector<std::int64_t> values_;
  std::vector<exact::Value> registers_;
  std::int64_t tried_ = 0;
};

// Assumptions.

/// Far more than anyone writes, and few enough to trace how they depend on each other.
constexpr std::size_t kMaxConditions = 1024;

/// Sorts conditions into facts about names, then makes the variables, each after those it depends
/// on.
class Builder {
 public:
  explicit Builder(std::int64_t default_low) : default_low_(default_low) {}

  Result<Bindings> run(std::span<const Condition> conditions) {
    if (conditions.size() > kMaxConditions) {
      return refuse("assume.unsupported",
                    "cannot assume more than " + std::to_string(kMaxConditions) + " conditions");
    }
    for (const Condition& condition : conditions) {
      if (!condition.left.is_defined() || !condition.right.is_defined()) {
        return unsupported(condition);
      }
      note_names(condition);
    }
    join_names(conditions);
    // Divisors decide how a variable is held, so they come first; equalities come last, when it is
    // known which names have no other facts.
    for (const Turn turn : {Turn::kDivisors, Turn::kBounds, Turn::kEqualities}) {
      for (const Condition& condition : conditions) {
        if (turn_of(condition) == turn) HEDDLE_CHECK(add(condition));
      }
    }
    HEDDLE_CHECK(tighten());
    for (const auto& [name, facts] : facts_) HEDDLE_CHECK(make(name));
    for (const Condition& condition : conditions) HEDDLE_CHECK(check(condition));
    HEDDLE_CHECK(check_together(conditions));
    return made_;
  }

 private:
  void note_names(const Condition& condition) {
    for (const Int& side : {condition.left, condition.right}) {
      for (const std::string& name : variables(side)) facts_[name];
    }
  }

  /// Gathers the conditions that connect names, directly or through others.
  void join_names(std::span<const Condition> conditions) {
    for (const Condition& condition : conditions) {
      const std::set<std::string> names = variables(std::array{condition.left, condition.right});
      if (names.empty()) continue;
      auto& group = joint_[*names.begin()];
      if (group == nullptr) group = std::make_shared<expr::JointAssumptions>();
      for (const std::string& name : names) join(name, group);
      group->conditions.push_back(condition);
      group->default_low = default_low_;
    }
    std::map<const void*, std::size_t> sizes;
    for (const auto& [name, group] : joint_) ++sizes[group.get()];
    std::erase_if(joint_, [&](const auto& named) { return sizes[named.second.get()] == 1; });
  }

  using Group = std::shared_ptr<expr::JointAssumptions>;

  /// Puts a name, with all names connected to it, into a group.
  void join(const std::string& name, const Group& group) {
    Group& own = joint_[name];
    if (own == group) return;
    const Group before = std::exchange(own, group);
    if (before == nullptr) return;
    std::ranges::copy(before->conditions, std::back_inserter(group->conditions));
    for (auto& [other, joined] : joint_) {
      if (joined == before) joined = group;
    }
  }

  /// number % divisor == residue
  struct Congruence {
    Int number;
    Int divisor;
    Int residue;
  };
  /// The condition as a congruence; for an equality, of a variable.
  static std::optional<Congruence> congruence_of(const Condition& condition) {
    const auto& [left, predicate, right] = condition;
    if (predicate == Predicate::kDivides) return Congruence{right, left, 0};
    if (predicate != Predicate::kEqual) return std::nullopt;
    for (const auto& [remainder, residue] : {std::pair(left, right), std::pair(right, left)}) {
      const AtomPointer atom = expr::as_atom(remainder);
      if (atom && atom->operation() == Operator::kRemainder && expr::name_of(atom->left())) {
        return Congruence{atom->left(), atom->right(), residue};
      }
    }
    return std::nullopt;
  }

  enum class Turn : std::uint8_t { kDivisors, kBounds, kEqualities };

  static Turn turn_of(const Condition& condition) {
    if (congruence_of(condition)) return Turn::kDivisors;
    return condition.predicate == Predicate::kEqual ? Turn::kEqualities : Turn::kBounds;
  }

  Result<void> add(const Condition& condition) {
    const auto& [left, predicate, right] = condition;
    if (left.is_constant() && right.is_constant()) {
      if (known(condition)) return {};
      return contradiction(to_string(condition) + " is false");
    }
    if (const std::optional<Congruence> congruence = congruence_of(condition)) {
      return add_congruence(condition, *congruence);
    }
    if (predicate == Predicate::kNotEqual) return add_excluded(condition);
    if (predicate == Predicate::kEqual) {
      if (is_another_name(left, right) || is_another_name(right, left)) return {};
      HEDDLE_CHECK(add_bound(condition, right - left));
      return add_bound(condition, left - right);
    }
    return add_bound(condition, right - left - (predicate == Predicate::kLess ? 1 : 0));
  }

  static bool says_something(const Facts& facts) {
    return facts.domain.range != Range() || facts.domain.modulus != 1 ||
           !facts.multiple_of.empty() || !facts.at_least.empty() || !facts.at_most.empty() ||
           !facts.excluded.empty();
  }

  /// Notes that a name is another name for a term, unless it already is one.
  bool is_another_name(const Int& number, const Int& term) {
    const std::optional<std::string> name = expr::name_of(number);
    if (!name || !term.is_symbolic() || depends(term, *name)) return false;
    Facts& facts = facts_[*name];
    if (facts.same_as || says_something(facts)) return false;
    facts.same_as = term;
    depend(*name, term);
    return true;
  }

  Result<void> add_congruence(const Condition& condition, const Congruence& congruence) {
    const auto& [number, divisor, residue] = congruence;
    const std::optional<std::string> name = expr::name_of(number);
    if (!name || !residue.is_constant()) return unsupported(condition);
    Facts& facts = facts_[*name];
    if (divisor.is_constant()) {
      const Int modulus = abs(divisor);
      if (!modulus.is_constant() || modulus.value() == 0) return unsupported(condition);
      if (residue.value() < 0 || residue.value() >= modulus.value()) {
        return contradiction("a remainder by " + to_string(modulus) + " is never " +
                             to_string(residue));
      }
      const Domain before = facts.domain;
      switch (meet(facts.domain, residue.value(), modulus.value())) {
        case Meeting::kMet:
          return {};
        case Meeting::kNever:
          return contradiction(*name + "%" + std::to_string(before.modulus) + " is " +
                               std::to_string(before.residue) + ", and " + to_string(condition));
        case Meeting::kTooLarge:
          return unsupported(condition);
      }
    }
    const bool is_product = divisor.term().products().size() == 1;
    if (residue != Int(0) || !is_product || depends(divisor, *name)) return unsupported(condition);
    facts.multiple_of.push_back(abs_coefficient(divisor));
    depend(*name, divisor);
    return {};
  }

  static Int abs_coefficient(const Int& product) {
    return product.term().products().front().coefficient < 0 ? -product : product;
  }

  /// M - K, M - K + 1
  static bool is_difference(const Int& slack) {
    const expr::Polynomial& products = slack.term().products();
    return products.size() >= 2 && products[0].degree() == 1 && products[1].degree() == 1 &&
           products[0].coefficient + products[1].coefficient == 0 &&
           (products.size() == 2 || (products.size() == 3 && products[2].degree() == 0));
  }

  /// The sum has only one variable, once: the bound on it is the whole condition.
  static bool is_of_one(const Int& slack) {
    const expr::Polynomial& products = slack.term().products();
    return products.front().degree() == 1 &&
           (products.size() == 1 || (products.size() == 2 && products.back().degree() == 0));
  }

  /// slack >= 0, solved for one of its variables.
  Result<void> add_bound(const Condition& condition, const Int& slack) {
    if (!slack.is_defined()) return unsupported(condition);
    if (!slack.is_symbolic()) {
      if (known_at_most(0, slack)) return {};
      return contradiction(to_string(condition) + " never holds");
    }
    if (!is_of_one(slack)) slacks_.push_back(slack);
    std::vector<expr::Product> products(slack.term().products().begin(),
                                        slack.term().products().end());
    // For M - K >= 0 the smaller K gets the bound, so that all above a variable is found from it.
    if (is_difference(slack)) std::ranges::stable_sort(products, {}, &expr::Product::coefficient);
    for (const expr::Product& product : products) {
      const bool is_unit = product.coefficient == 1 || product.coefficient == -1;
      // 3*M <= 100 still bounds M.
      if (product.degree() != 1 || (!is_unit && !is_of_one(slack))) continue;
      const Int self = expr::make_int(product.atoms.front());
      const std::optional<std::string> name = expr::name_of(self);
      const Int rest = slack - Int(product.coefficient) * self;
      if (!name || depends(rest, *name)) continue;
      return bound(*name, product.coefficient > 0, expr::end_of(product.coefficient, rest));
    }
    return unsupported(condition);
  }

  Result<void> bound(const std::string& name, bool below, const Int& by) {
    Facts& facts = facts_[name];
    // The least and greatest 64-bit numbers mean that there is no bound.
    if (by == Int(below ? Range::kNoHigh : Range::kNoLow)) {
      return refuse("assume.unsupported",
                    "cannot assume a bound of " + name + " at the edge of the 64-bit range");
    }
    if (by.is_constant()) {
      facts.narrow(below, by.value());
    } else {
      (below ? facts.at_least : facts.at_most).push_back(by);
      depend(name, by);
    }
    return {};
  }

  Result<void> add_excluded(const Condition& condition) {
    const bool turned = condition.left.is_constant();
    const Int& number = turned ? condition.right : condition.left;
    const Int& value = turned ? condition.left : condition.right;
    const std::optional<std::string> name = expr::name_of(number);
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

  // Ranges.

  /// Constant ends of ranges: the default, what congruences and exclusions leave, and the values of
  /// bounds by other variables. A few rounds settle all that matters.
  Result<void> tighten() {
    constexpr int kMaxRounds = 8;
    for (auto& [name, facts] : facts_) {
      if (facts.same_as) note_equality(name, *facts.same_as);
      auto& [low, high] = facts.domain.range;
      if (low == Range::kNoLow && high >= default_low_) low = default_low_;
    }
    for (int round = 0; round < kMaxRounds; ++round) {
      const std::vector<Range> before = all_ends();
      for (auto& [name, facts] : facts_) HEDDLE_CHECK(settle(name, facts));
      // Back and forth, so that a chain is settled in whichever order its links were written.
      for (const Int& slack : slacks_) tighten_by(slack);
      for (const Int& slack : slacks_ | std::views::reverse) tighten_by(slack);
      if (before == all_ends()) break;
    }
    for (auto& [name, facts] : facts_) HEDDLE_CHECK(settle(name, facts));
    return {};
  }

  /// The term that a name is equal to bounds it from both sides, as far as that fits into 64 bits.
  void note_equality(const std::string& name, const Int& term) {
    const Int number = Int::variable(name);
    for (const Int& slack : {number - term, term - number}) {
      if (slack.is_symbolic()) slacks_.push_back(slack);
    }
  }

  [[nodiscard]] std::vector<Range> all_ends() const {
    std::vector<Range> ends;
    ends.reserve(facts_.size());
    for (const auto& [name, facts] : facts_) ends.push_back(facts.domain.range);
    return ends;
  }

  /// Moves the ends of a range past numbers that the congruence or an exclusion does not allow.
  static Result<void> settle(const std::string& name, Facts& facts) {
    const auto& [range, residue, modulus] = facts.domain;
    const auto steps_to = [&](std::int64_t from, std::int64_t to) {
      return exact::floor_modulo(to, modulus).value() - exact::floor_modulo(from, modulus).value();
    };
    const auto excluded = [&](std::int64_t value) {
      return std::ranges::find(facts.excluded, value) != facts.excluded.end();
    };
    const auto step = [&](std::int64_t& end, std::int64_t no_end, std::int64_t direction) {
      if (end == no_end) return;
      const std::int64_t offset = steps_to(end, residue);
      const bool turns = direction > 0 ? offset < 0 : offset > 0;
      end = exact::add(end, offset + (turns ? direction * modulus : 0)).value_or(no_end);
      while (end != no_end && excluded(end)) {
        end = exact::add(end, direction * modulus).value_or(no_end);
      }
    };
    const Range given = facts.domain.range;
    auto& [low, high] = facts.domain.range;
    step(low, Range::kNoLow, 1);
    step(high, Range::kNoHigh, -1);
    if (given.low > given.high) return crossed(name, given.low, given.high);
    if (low > high) {
      const std::string asked = modulus == 1 ? " is left"
                                             : " has " + name + "%" + std::to_string(modulus) +
                                                   " == " + std::to_string(residue);
      return contradiction("no " + name + " from " + std::to_string(given.low) + " to " +
                           std::to_string(given.high) + asked);
    }
    for (const std::int64_t value : facts.excluded) {
      const bool matters = low < value && value < high && steps_to(value, residue) == 0;
      if (matters) return unsupported_hole(name, value);
    }
    return {};
  }

  /// slack >= 0 bounds each of its variables by the greatest value of the other summands.
  void tighten_by(const Int& slack) {
    Bindings ranged;
    for (const std::string& name : variables(slack)) {
      ranged[name] =
          Int::variable(name, facts_[name].domain.range.low, facts_[name].domain.range.high);
    }
    for (const expr::Product& product : slack.term().products()) {
      if (product.degree() != 1) continue;
      const Int self = expr::make_int(product.atoms.front());
      const std::optional<std::string> name = expr::name_of(self);
      const Int rest = slack - Int(product.coefficient) * self;
      if (!name || !rest.is_defined() || std::ranges::count(variables(rest), *name) > 0) continue;
      const Result<Int> others = instantiate(rest, ranged);
      const std::int64_t most = others ? range(*others).high : Range::kNoHigh;
      if (most == Range::kNoHigh) continue;
      const Int end = expr::end_of(product.coefficient, most);
      if (end.is_constant()) facts_[*name].narrow(product.coefficient > 0, end.value());
    }
  }

  // Making the variables.

  Result<void> make(const std::string& name) {
    if (made_.contains(name)) return {};
    const Facts& facts = facts_.at(name);
    if (const auto found = depends_.find(name); found != depends_.end()) {
      for (const std::string& other : found->second) HEDDLE_CHECK(make(other));
    }
    if (facts.same_as) {
      HEDDLE_TRY(Int same, instantiate(*facts.same_as, made_));
      if (known_at_most(facts.domain.range.low, same)) {
        made_[name] = std::move(same);
        return {};
      }
    }
    expr::Variable variable;
    variable.name = name;
    variable.range = facts.domain.range;
    variable.divisor = facts.domain.modulus;
    variable.residue = facts.domain.residue;
    if (const auto found = joint_.find(name); found != joint_.end()) variable.joint = found->second;
    for (const Int& divisor : facts.multiple_of) HEDDLE_CHECK(set_factors(variable, divisor));
    for (const bool below : {true, false}) {
      for (const Int& bound : below ? facts.at_least : facts.at_most) {
        HEDDLE_TRY(Int made, instantiate(bound, made_));
        (below ? variable.at_least : variable.at_most).push_back(std::move(made));
      }
    }
    if (facts.same_as) {
      HEDDLE_TRY(const Int same, instantiate(*facts.same_as, made_));
      variable.at_least.push_back(same);
      variable.at_most.push_back(same);
    }
    const Range quotient = expr::quotient_range(variable);
    if (quotient.low > quotient.high) return contradiction("no " + name + " is left");
    HEDDLE_CHECK(check_bounds(variable));
    made_[name] = expr::make_variable(std::move(variable));
    if (made_[name].is_defined()) return {};
    return refuse("assume.unsupported", "too many assumptions about " + name);
  }

  Result<void> set_factors(expr::Variable& variable, const Int& multiple_of) {
    HEDDLE_TRY(const Int by, instantiate(multiple_of, made_));
    const Condition condition{by, Predicate::kDivides, Int::variable(variable.name)};
    const expr::Products products(by);
    if (products.size() != 1 || variable.residue != 0) return unsupported(condition);
    const bool positive = expr::is_at_least(by, 1);
    if (!positive) {
      return refuse(Diagnostic("assume.unsupported", "cannot assume " + to_string(condition) +
                                                         " where " + to_string(by) +
                                                         " may be 0 or negative"));
    }
    const Int unit = expr::unit_of(variable);
    if (known_divides(by, unit)) return {};
    // A multiple of both 8 and K need be a multiple of 8*K only if 8 divides K.
    if (known_divides(unit, by)) {
      variable.divisor = products.front().coefficient;
      variable.factors = products.front().atoms;
      return {};
    }
    variable.multiple_of.push_back(by);
    if (variable.range.low > 0) variable.at_least.push_back(by);
    return {};
  }

  static Result<void> check_bounds(const expr::Variable& variable) {
    std::vector<Int> lows = variable.at_least;
    lows.emplace_back(variable.range.low);
    std::vector<Int> highs = {variable.range.high};
    highs.insert(highs.end(), variable.at_most.begin(), variable.at_most.end());
    for (const Int& low : lows) {
      for (const Int& high : highs) {
        if (known_less(high, low)) return crossed(variable.name, low, high);
      }
    }
    return {};
  }

  /// Checks the condition with the variables that were made.
  Result<void> check(const Condition& condition) const {
    HEDDLE_TRY(const Condition made, instantiate(condition, made_));
    if (!known_false(made)) return {};
    return contradiction(to_string(condition) + " cannot hold");
  }

  /// Checks all conditions about variables of few values together, by trying these values.
  Result<void> check_together(std::span<const Condition> conditions) {
    for (const auto& [name, facts] : facts_) {
      if (facts.domain.range.low <= 0) continue;
      for (const Int& divisor : facts.multiple_of) {
        bound_factors(divisor, facts.domain.range.high);
      }
    }
    std::map<std::string, Domain> domains;
    for (const auto& [name, facts] : facts_) {
      domains[name] = facts.domain;
    }
    if (!Trial(conditions, domains).finds_none()) return {};
    return contradiction("no values of the variables satisfy all of them");
  }

  /// A divisor of a positive number is at most that number, and so are its positive factors.
  void bound_factors(const Int& divisor, std::int64_t most) {
    for (const std::string& name : variables(divisor)) {
      Facts& facts = facts_[name];
      if (facts.domain.range.low > 0) facts.narrow(false, most);
    }
  }

  std::int64_t default_low_;
  std::map<std::string, Facts> facts_;
  std::map<std::string, std::set<std::string>> depends_;
  std::map<std::string, std::shared_ptr<expr::JointAssumptions>> joint_;
  /// Terms that are at least 0.
  std::vector<Int> slacks_;
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
