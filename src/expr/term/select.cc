// Selects: each branch is simplified by its side of the condition, and parts that both branches
// share are moved out.

#include <algorithm>

#include "expr/term/bounds.h"
#include "expr/term/conditions.h"
#include "expr/term/substitute.h"
#include "expr/term/term.h"

namespace heddle::expr {
namespace {

/// How many selects there are in a value, nested or side by side.
int choices_in(const Int& value) {
  int count = 0;
  for_each_factor(value, [&](const AtomPointer& atom) {
    if (atom->operation() == Operator::kVariable) return;
    if (atom->operation() == Operator::kSelect) ++count;
    count += choices_in(atom->left()) + choices_in(atom->right());
  });
  return count;
}

/// Larger branches and conditions are left as they are: every select examines its branches again,
/// also one within a branch.
bool is_small(const Int& branch) {
  constexpr std::uint32_t kMaxBranchWeight = 512;
  constexpr int kMaxChoices = 2;
  return !branch.is_symbolic() ||
         (branch.term().weight() <= kMaxBranchWeight && choices_in(branch) <= kMaxChoices);
}

/// An atom, and its replacement on one side of a condition.
struct StandIn {
  AtomPointer atom;
  Int narrowed;
};

/// The value with each atom replaced for which `image` has a value.
Int replaced(const Int& value, const std::function<std::optional<Int>(const AtomPointer&)>& image) {
  return with_factors(value, [&](const AtomPointer& atom) {
    if (std::optional<Int> known = image(atom)) return *known;
    if (atom->operation() == Operator::kVariable) return make_int(atom);
    return with_operands(*atom, [&](const Int& operand) { return replaced(operand, image); });
  });
}

/// One side of a condition, and the replacements of atoms there.
class Side {
 public:
  Side(const Condition& condition, bool holds) : condition_(condition), holds_(holds) {
    const Int difference = condition.left - condition.right;
    if (!is_small(difference)) return;
    for (const Int& slack : slacks_of(condition, holds)) narrow_by(slack);
    // A sum that is not 0 may exclude an end of a range.
    if (condition.predicate != Predicate::kEqual || holds) return;
    if (known_at_most(0, difference)) narrow_by(difference - 1);
    if (known_at_most(difference, 0)) narrow_by(-difference - 1);
  }

  /// No values are left: the condition holds everywhere, or nowhere.
  [[nodiscard]] bool is_empty() const { return is_empty_; }

  /// The branch written over the stand-ins; unchanged if it has no value on this side.
  [[nodiscard]] Int narrowed(const Int& branch) const {
    const Int narrow = over_stand_ins(branch);
    return narrow.is_defined() ? narrow : branch;
  }

  /// Replaces the stand-ins by the atoms again.
  [[nodiscard]] Int widened(const Int& narrowed) const {
    if (stand_ins_.empty()) return narrowed;
    return replaced(narrowed, [this](const AtomPointer& atom) -> std::optional<Int> {
      for (const StandIn& known : stand_ins_) {
        const AtomPointer stand_in = as_atom(known.narrowed);
        if (stand_in && same(*stand_in, *atom)) return make_int(known.atom);
      }
      return std::nullopt;
    });
  }

 private:
  [[nodiscard]] Int over_stand_ins(const Int& branch) const {
    return replaced(branch, [this](const AtomPointer& atom) -> std::optional<Int> {
      if (atom->operation() == Operator::kSelect && atom->condition() == condition_) {
        return over_stand_ins(holds_ ? atom->left() : atom->right());
      }
      const StandIn* known = stand_in_of(*atom);
      return known == nullptr ? std::nullopt : std::optional(known->narrowed);
    });
  }

  [[nodiscard]] const StandIn* stand_in_of(const Atom& atom) const {
    const auto found = std::ranges::find_if(
        stand_ins_, [&](const StandIn& known) { return same(*known.atom, atom); });
    return found == stand_ins_.end() ? nullptr : &*found;
  }

  /// Bounds the atoms of a sum that is at least 0.
  void narrow_by(const Int& slack) {
    if (!slack.is_symbolic()) return;
    for (const Product& product : slack.term().products()) {
      if (product.degree() != 1) continue;
      const AtomPointer& atom = product.atoms.front();
      const Int others = slack - Int(product.coefficient) * make_int(atom);
      if (!others.is_defined() || occurs(*atom, others)) continue;
      // Written over the stand-ins, so that each is bounded by those before.
      const Int rest = over_stand_ins(others);
      bound(atom, product.coefficient > 0, end_of(product.coefficient, rest));
    }
  }

  static bool occurs(const Atom& atom, const Int& value) {
    if (atom.operation() != Operator::kVariable) return false;
    return std::ranges::any_of(variable_atoms(value), SameAs{atom});
  }

  void bound(const AtomPointer& atom, bool below, const Int& by) {
    if (!by.is_defined()) return;
    Variable known = knowledge_of(atom);
    const Range limits = interval_of(by);
    Range range = known.range;
    if (below) range.low = std::max(range.low, limits.low);
    if (!below) range.high = std::min(range.high, limits.high);
    const bool is_variable = atom->operation() == Operator::kVariable;
    const bool narrows = range != known.range || (is_variable && by.is_symbolic());
    if (!narrows) return;
    known.range = range;
    if (is_variable && by.is_symbolic()) (below ? known.at_least : known.at_most).push_back(by);
    set(atom, std::move(known));
  }

  /// The facts known of an atom so far, as those of a variable that takes its values.
  [[nodiscard]] Variable knowledge_of(const AtomPointer& atom) const {
    const StandIn* known = stand_in_of(*atom);
    const AtomPointer stand_in = known == nullptr ? nullptr : as_atom(known->narrowed);
    if (stand_in) return stand_in->variable();
    // A quotient atom of a variable with a known divisor is no more than a number in a range here.
    const bool is_variable = atom->operation() == Operator::kVariable;
    if (is_variable && atom->variable().is_whole()) return atom->variable();
    Variable variable;
    variable.name = "<" + to_string(make_int(atom)) + ">";
    variable.range = atom->range();
    return variable;
  }

  void set(const AtomPointer& atom, Variable known) {
    if (known.range.low > known.range.high) {
      is_empty_ = true;
      return;
    }
    std::erase_if(stand_ins_, [&](const StandIn& other) { return same(*other.atom, *atom); });
    stand_ins_.push_back({atom, make_variable(std::move(known))});
  }

  Condition condition_;
  bool holds_;
  bool is_empty_ = false;
  std::vector<StandIn> stand_ins_;
};

/// The products that both have with the same coefficients.
Int common_part(const Int& a, const Int& b) {
  Polynomial common;
  for (const Product& product : Products(a)) {
    const Products others(b);
    const bool is_shared = std::ranges::any_of(others, [&](const Product& other) {
      return other.coefficient == product.coefficient && compare(other.atoms, product.atoms) == 0;
    });
    if (is_shared) common.push_back(product);
  }
  return make_int(std::move(common));
}

/// select(a<b,a,b) is min(a,b), select(a<b,b,a) is max(a,b); also if the same term is added to
/// both.
std::optional<Int> as_minimum(const Condition& condition, const Int& then, const Int& otherwise) {
  if (condition.predicate != Predicate::kLess) return std::nullopt;
  const Int rise = condition.right - condition.left;
  if (!rise.is_defined()) return std::nullopt;
  const Int common = common_part(then, otherwise);
  // A gap smaller by one is right as well: the branches are equal where the two sides are.
  for (const Int& gap : {rise, rise - 1}) {
    if (otherwise - then == gap) return common + min(then - common, otherwise - common);
    if (then - otherwise == gap) return common + max(then - common, otherwise - common);
  }
  return std::nullopt;
}

/// Whether the branches agree where the sides of the equation do: then `otherwise` serves for both.
bool agree_where_equal(const Condition& condition, const Int& then, const Int& otherwise) {
  if (condition.predicate != Predicate::kEqual) return false;
  const Int difference = condition.left - condition.right;
  return difference.is_symbolic() && exact_quotient(then - otherwise, difference);
}

/// The condition of the 1-or-0 select whose value this condition tests.
std::optional<NormalCondition> inner_condition(const Condition& condition) {
  const Int difference = condition.left - condition.right;
  if (!difference.is_symbolic()) return std::nullopt;
  const Product& leading = difference.term().products().front();
  if (leading.degree() != 1) return std::nullopt;
  const Atom& atom = *leading.atoms.front();
  if (atom.operation() != Operator::kSelect) return std::nullopt;
  const auto with = [&](const Int& branch) {
    return Condition{replace_factor(difference, atom, branch), condition.predicate, 0};
  };
  const Condition then = with(atom.left());
  const Condition otherwise = with(atom.right());
  if (known(then) && known_false(otherwise)) return NormalCondition{atom.condition(), false};
  if (known_false(then) && known(otherwise)) return NormalCondition{atom.condition(), true};
  return std::nullopt;
}

Int make_choice(const Condition& condition, const Int& then, const Int& otherwise,
                const Range& range) {
  const Int common = common_part(then, otherwise);
  // The content is 0 only if both are 0, which the differing branches exclude.
  const Int content = common_divisor(content_of(then - common), content_of(otherwise - common));
  if (common != Int(0) || content != Int(1)) {
    const std::optional<Int> first = exact_quotient(then - common, content);
    const std::optional<Int> second = exact_quotient(otherwise - common, content);
    if (first && second) return common + content * select(condition, *first, *second);
  }
  return make_int(std::make_shared<const Atom>(condition, then, otherwise, range));
}

}  // namespace

}  // namespace heddle::expr

namespace heddle {

Int select(const Condition& condition, const Int& then, const Int& otherwise) {
  if (!condition.left.is_defined() || !condition.right.is_defined()) return Int::undefined();
  if (known(condition)) return then;
  if (known_false(condition)) return otherwise;
  if (!then.is_defined() || !otherwise.is_defined()) return Int::undefined();
  if (then == otherwise) return then;
  const auto [normal, is_turned] = expr::normal_condition(condition);
  if (is_turned) return select(normal, otherwise, then);
  if (const std::optional<expr::NormalCondition> inner = expr::inner_condition(normal)) {
    return inner->is_turned ? select(inner->condition, otherwise, then)
                            : select(inner->condition, then, otherwise);
  }
  if (expr::agree_where_equal(normal, then, otherwise)) return otherwise;
  if (const std::optional<Int> found = expr::as_minimum(normal, then, otherwise)) return *found;

  const expr::Side holds(normal, true);
  const expr::Side fails(normal, false);
  if (holds.is_empty()) return otherwise;
  if (fails.is_empty()) return then;
  const Int first = expr::is_small(then) ? holds.narrowed(then) : then;
  const Int second = expr::is_small(otherwise) ? fails.narrowed(otherwise) : otherwise;
  const Int left = expr::is_small(then) ? holds.widened(first) : then;
  const Int right = expr::is_small(otherwise) ? fails.widened(second) : otherwise;
  if (!left.is_defined() || !right.is_defined()) return Int::undefined();
  if (left == right) return left;
  return expr::make_choice(normal, left, right,
                           joined(expr::interval_of(first), expr::interval_of(second)));
}

}  // namespace heddle
