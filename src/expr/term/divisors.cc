#include "expr/term/divisors.h"

#include <algorithm>
#include <utility>

#include "expr/term/normal_condition.h"
#include "expr/term/term.h"

namespace heddle::expr {
namespace {

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
    for_each_factor(value, [this](const AtomPointer& atom) { visit(*atom); });
  }
  [[nodiscard]] std::vector<Int> found() && { return std::move(found_); }

 private:
  void visit(const Atom& atom) {
    if (atom.operation() == Operator::kVariable) return;
    if (atom.operation() == Operator::kSelect) return visit_choice(atom);
    visit(atom.left());
    visit(atom.right());
    const bool divides =
        atom.operation() == Operator::kQuotient || atom.operation() == Operator::kRemainder;
    if (divides && atom.right().is_symbolic()) add(divisor_under(path_, atom.right()));
  }

  void visit_choice(const Atom& choice) {
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

}  // namespace

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

}  // namespace heddle::expr
