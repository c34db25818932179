#include "heddle/expr/condition.h"

#include <algorithm>
#include <utility>

#include "expr/term/bounds.h"
#include "expr/term/conditions.h"
#include "expr/term/term.h"
#include "heddle/expr/variables.h"

namespace heddle::expr {
namespace {

/// The difference of the two sides divided by its content: 4*x < 10 becomes x < 3. nullopt if that
/// decides the condition: 4*x == 10 holds nowhere, which ranges and divisors have shown.
std::optional<Int> primitive(const Int& difference, Predicate predicate) {
  const Int offset = constant_of(difference);
  const std::int64_t content = content_of(difference - offset);
  if (content <= 1) return difference;
  if (predicate == Predicate::kEqual && mod(offset, content) != Int(0)) return std::nullopt;
  return *exact_quotient(difference - offset, content) + floor_div(offset, content);
}

/// Positive products go to the left, negative ones to the right, and a constant to a side that is
/// otherwise empty, if possible.
Condition from_difference(const Int& difference, Predicate predicate) {
  const Int offset = constant_of(difference);
  Polynomial adding;
  for (const Product& product : Products(difference)) {
    if (product.degree() > 0 && product.coefficient > 0) adding.push_back(product);
  }
  Int left = make_int(std::move(adding));
  Int right = left - (difference - offset);
  const bool goes_right = right == Int(0) || (left != Int(0) && known_less(offset, 0));
  (goes_right ? right : left) += goes_right ? -offset : offset;
  return {left, predicate, right};
}

NormalCondition normalized(const Condition& condition) {
  const auto& [left, predicate, right] = condition;
  switch (predicate) {
    case Predicate::kAtMost:
      return normalized({left, Predicate::kLess, right + 1});
    case Predicate::kNotEqual: {
      NormalCondition equal = normalized({left, Predicate::kEqual, right});
      equal.is_turned = !equal.is_turned;
      return equal;
    }
    case Predicate::kDivides:
      if (!known_different(left, 0)) return {condition};
      return normalized({mod(right, left), Predicate::kEqual, 0});
    default:
      break;
  }
  const Int difference = left - right;
  if (!difference.is_symbolic()) return {condition};
  const std::optional<Int> reduced = primitive(difference, predicate);
  if (!reduced || !reduced->is_symbolic()) return {condition};
  // A negative leading product is inverted: d < 0 fails where -d - 1 < 0.
  if (Products(*reduced).front().coefficient > 0) return {from_difference(*reduced, predicate)};
  const bool is_less = predicate == Predicate::kLess;
  const Int turned = Int(0) - *reduced - (is_less ? 1 : 0);
  if (!turned.is_defined()) return {condition};
  return {from_difference(turned, predicate), is_less};
}

/// Whether `number` is positive and below a few times `divisor`, and none of the multiples below.
bool is_no_small_multiple(const Int& number, const Int& divisor) {
  constexpr int kMaxMultiple = 4;
  if (!known_less(0, number) || !known_less(0, divisor)) return false;
  for (Int n = 1; known_at_most(n, kMaxMultiple); n += 1) {
    if (known_less(number, n * divisor)) return true;
    if (!known_false({n * divisor, Predicate::kEqual, number})) return false;
  }
  return false;
}

/// Whether a number divides all its products except the constant, and not the constant: it is never
/// 0.
bool leaves_remainder(const Int& value) {
  if (!value.is_symbolic()) return false;
  const std::int64_t constant = constant_of(value);
  return exact::floor_modulo(constant, divisor_of(value - constant)).value_or(0) != 0;
}

/// Whether the condition says that the divisor is not 0.
bool says_not_zero(const Condition& condition, const Int& divisor) {
  if (condition.predicate != Predicate::kNotEqual) return false;
  const Int difference = condition.left - condition.right;
  return difference == divisor || difference == -divisor;
}

/// Gathers divisors with the conditions under which each of them divides.
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

NormalCondition normal_condition(const Condition& condition) {
  NormalCondition normal = normalized(condition);
  const auto& [left, predicate, right] = normal.condition;
  if (!left.is_defined() || !right.is_defined()) return {condition};
  return normal;
}

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

std::vector<Int> slacks_of(const Condition& condition, bool holds) {
  const Int difference = condition.right - condition.left;
  if (condition.predicate == Predicate::kLess) {
    return {holds ? difference - 1 : Int(0) - difference};
  }
  if (condition.predicate != Predicate::kEqual || !holds) return {};
  return {difference, Int(0) - difference};
}

Int divisor_under(std::span<const Condition> path, const Int& divisor) {
  Int here = divisor;
  // The other conditions need a value only where the outermost one holds.
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

namespace heddle {

bool known(const Condition& condition) {
  const auto& [left, predicate, right] = condition;
  switch (predicate) {
    case Predicate::kEqual:
      return known_equal(left, right);
    case Predicate::kNotEqual:
      return known_different(left, right);
    case Predicate::kLess:
      return known_less(left, right);
    case Predicate::kAtMost:
      return known_at_most(left, right);
    case Predicate::kDivides:
      return known_divides(left, right);
  }
  return false;
}

bool known_false(const Condition& condition) {
  const auto& [left, predicate, right] = condition;
  if (const std::optional<Condition> opposite = expr::opposite_of(condition)) {
    return known(*opposite) ||
           (predicate == Predicate::kEqual && expr::leaves_remainder(left - right));
  }
  if (known_equal(left, 0)) return known_different(right, 0);
  if (known_different(left, 0) && known_less(0, mod(right, left))) return true;
  return expr::is_no_small_multiple(right, left);
}

}  // namespace heddle
