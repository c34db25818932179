// Why a term becomes simpler once its variables are known: the rules of int.h, read off the
// operands and the result of each operation.

#include <algorithm>

#include "expr/term/bounds.h"
#include "expr/term/substitute.h"
#include "expr/term/term.h"
#include "heddle/expr/proof.h"
#include "heddle/expr/simplify.h"

namespace heddle::expr {
namespace {

/// A rule and why it holds.
struct Law {
  std::string rule;
  std::string proof;
};

std::string below(const Int& value, const Int& bound) {
  return "range: 0 <= " + to_string(value) + " < " + to_string(bound);
}
std::string divides_text(const Int& divisor, const Int& number) {
  return "divisibility: " + to_string(Condition{divisor, Predicate::kDivides, number});
}
std::string between(const Int& value) {
  const Range ends = range(value);
  return "range: " + to_string(value) + " from " + std::to_string(ends.low) + " to " +
         std::to_string(ends.high);
}
bool is_operation(const Int& value, Operator operation) {
  const AtomPointer atom = as_atom(value);
  return atom && atom->operation() == operation;
}

/// Why u*x + y is split by u, a factor of b: the bound on y, for the first u that works.
std::string low_part(const Int& a, const Int& b) {
  for (const Product& product : Products(a)) {
    const Int unit = gcd(product.coefficient, b);
    if (!known_less(1, unit)) continue;
    const Int rest = divide(a, unit).rest;
    if (rest.is_symbolic() && known_at_most(0, rest) && known_less(rest, unit)) {
      return below(rest, unit);
    }
  }
  return between(a);
}

/// The law for a quotient or a remainder: from the part of the sum that the divisor divides, or
/// from the operation within.
Law law_of_parts(const Int& a, const Int& b, const Int& result, bool is_quotient) {
  const auto [quotient, rest] = divide(a, b);
  if (quotient != Int(0) && rest.is_defined()) {
    const bool is_settled = result == (is_quotient ? quotient : rest);
    return {is_quotient ? "(d*q + r)//d = q + r//d" : "(d*q + r)%d = r%d",
            is_settled ? below(rest, b) : divides_text(b, a - rest)};
  }
  if (is_operation(a, Operator::kRemainder)) {
    return {is_quotient ? "(x%(a*b))//a = (x//a)%b" : "(x%(a*b))%a = x%a",
            divides_text(b, as_atom(a)->right())};
  }
  if (is_quotient && is_operation(a, Operator::kQuotient)) {
    return {"(x//a)//b = x//(a*b)", "form: a, b > 0"};
  }
  return {is_quotient ? "(u*x + y)//(u*b) = x//b for 0 <= y < u"
                      : "(u*x + y)%(u*b) = u*(x%b) + y for 0 <= y < u",
          low_part(a, b)};
}

Law law_of_quotient(const Int& a, const Int& b, const Int& result) {
  if (b == Int(1)) return {"x//1 = x", "form"};
  if (known_less(b, 0)) return {"x//(-d) = -(x//d)", "form: Euclidean division"};
  if (exact_quotient(a, b)) return {"(d*q)//d = q", divides_text(b, a)};
  if (result == Int(0)) return {"x//a = 0 for 0 <= x < a", below(a, b)};
  if (result.is_constant()) return {"x//a = q for a*q <= x < a*(q+1)", between(a)};
  return law_of_parts(a, b, result, true);
}

Law law_of_remainder(const Int& a, const Int& b, const Int& result) {
  if (b == Int(1)) return {"x%1 = 0", "form"};
  if (result == Int(0)) return {"(d*q)%d = 0", divides_text(b, a)};
  if (result == a) return {"x%a = x for 0 <= x < a", below(a, b)};
  return law_of_parts(a, b, result, false);
}

Law law_of(const Atom& atom, const Int& a, const Int& b, const Int& result) {
  switch (atom.operation()) {
    case Operator::kQuotient:
      return law_of_quotient(a, b, result);
    case Operator::kRemainder:
      return law_of_remainder(a, b, result);
    case Operator::kMinimum:
    case Operator::kMaximum: {
      const bool takes_least = atom.operation() == Operator::kMinimum;
      const bool is_left = result == a;
      const Int& least = is_left == takes_least ? a : b;
      const Int& most = is_left == takes_least ? b : a;
      return {takes_least ? "min(a,b) = a for a <= b" : "max(a,b) = b for a <= b",
              "range: " + to_string(Condition{least, Predicate::kAtMost, most})};
    }
    case Operator::kGcd:
      return {"gcd(a,b) = a for a | b", "divisibility"};
    case Operator::kSquareRoot:
      return {"isqrt(s*s + r) = s for 0 <= r <= 2*s", between(a)};
    case Operator::kAnd:
      return {"bit_and(x,2^n-1) = x%2^n", "form: two's complement"};
    case Operator::kOr:
    case Operator::kXor:
      return {"a or b = a xor b = a + b without common bits", "divisibility and range"};
    default:
      return {"the operation on what its operands have become", "form"};
  }
}

/// Puts in the values of variables, operation by operation from the inside, and notes each
/// simplification.
class Explaining {
 public:
  explicit Explaining(const Bindings& variables) : variables_(variables) {}

  Int run(const Int& value) {
    if (!value.is_symbolic()) return value;
    Int sum = 0;
    for (const Product& product : value.term().products()) {
      Int part = product.coefficient;
      for (const AtomPointer& atom : product.atoms) part *= run(atom);
      const Int longer = sum + part;
      note_union(sum, part, longer);
      sum = longer;
    }
    return sum;
  }
  std::vector<SimplificationStep> steps() && { return std::move(steps_); }

 private:
  Int run(const AtomPointer& pointer) {
    const Atom& atom = *pointer;
    if (atom.operation() == Operator::kVariable) return variable(pointer);
    if (atom.operation() == Operator::kSelect) return choice(atom);
    const Int left = run(atom.left());
    const Int right = run(atom.right());
    Int result = apply(atom.operation(), left, right);
    if (left.is_constant() && right.is_constant()) return result;
    if (!left.is_defined() || !right.is_defined() || !result.is_defined()) return result;
    const Int plain = make_operation(atom.operation(), left, right);
    if (plain == result || to_string(plain) == to_string(result)) return result;
    Law law = law_of(atom, left, right, result);
    add({std::move(law.rule), to_string(plain), to_string(result), std::move(law.proof)});
    return result;
  }

  [[nodiscard]] Int variable(const AtomPointer& atom) const {
    const auto found = variables_.find(atom->variable().name);
    if (found == variables_.end()) return make_int(atom);
    return quotient_at(atom->variable(), found->second,
                       [this](const AtomPointer& factor) { return variable(factor); });
  }

  Int choice(const Atom& atom) {
    const auto& [left, predicate, right] = atom.condition();
    const Condition condition{run(left), predicate, run(right)};
    const bool holds = known(condition);
    if (holds || known_false(condition)) {
      const Int& branch = holds ? atom.left() : atom.right();
      add({"select(c,a,b) is the branch taken where c is known", to_string(condition),
           to_string(branch),
           std::string("range: the condition ") + (holds ? "always holds" : "never holds")});
      return run(branch);
    }
    return select(condition, run(atom.left()), run(atom.right()));
  }

  /// Notes a quotient and its remainder that are joined.
  void note_union(const Int& sum, const Int& part, const Int& longer) {
    if (!longer.is_defined() || !sum.is_symbolic() || !part.is_symbolic()) return;
    const std::size_t before = divisions_in(sum) + divisions_in(part);
    if (divisions_in(longer) >= before || longer == Int(0)) return;
    const bool cancels = sum == Int(0) - part;
    if (cancels || divisions_in(sum) == 0) return;
    add({"d*(x//d) + x%d = x", to_string(sum) + "+" + to_string(part), to_string(longer),
         "form: an identity of division"});
  }

  static std::size_t divisions_in(const Int& value) {
    std::size_t count = 0;
    for (const Product& product : Products(value)) {
      count += static_cast<std::size_t>(
          std::ranges::count_if(product.atoms, [](const AtomPointer& atom) {
            return atom->operation() == Operator::kQuotient ||
                   atom->operation() == Operator::kRemainder;
          }));
    }
    return count;
  }

  /// Steps that occur in several places are listed once.
  void add(SimplificationStep step) {
    const bool is_known = std::ranges::any_of(steps_, [&](const SimplificationStep& other) {
      return other.before == step.before && other.after == step.after;
    });
    if (!is_known) steps_.push_back(std::move(step));
  }

  const Bindings& variables_;
  std::vector<SimplificationStep> steps_;
};

}  // namespace

}  // namespace heddle::expr

namespace heddle {

Result<ExplainedValue> explain(const Int& value, const Bindings& variables) {
  // Refuses inadmissible values; the value is the same.
  HEDDLE_TRY(const Int wanted, instantiate(value, variables));
  expr::Explaining explaining(variables);
  (void)explaining.run(value);
  return ExplainedValue{wanted, std::move(explaining).steps()};
}

}  // namespace heddle
