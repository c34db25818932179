#include "heddle/expr/int.h"

#include <algorithm>
#include <ostream>

#include "core/text.h"
#include "core/words.h"
#include "expr/bounds.h"
#include "expr/term.h"

namespace heddle {

Int Int::variable(std::string_view name, std::int64_t low, std::int64_t high) {
  if (low > high) return undefined();
  expr::Variable variable;
  variable.name = name;
  variable.range = {low, high};
  return expr::make_variable(std::move(variable));
}

Int Int::variable(std::string_view name) { return variable(name, Range::kNoLow, Range::kNoHigh); }

namespace expr {

bool proves_equal(const Int& a, const Int& b) {
  if (!a.is_defined() || !b.is_defined()) return false;
  if (a == b) return true;
  const Range left = interval_of(a);
  const Range right = interval_of(b);
  if (left.high < right.low || right.high < left.low) return false;
  const Int difference = a - b;
  if (!difference.is_symbolic()) return difference == Int(0);
  // A sum of products of free variables is always 0 only where it is written so.
  if (is_polynomial_in_free_variables(difference)) return false;
  return is_at_least(difference, 0) && is_at_least(-difference, 0);
}

bool proves_at_most(const Int& a, const Int& b) {
  return a.is_defined() && b.is_defined() && is_never_above(a, b, 0);
}

bool proves_less(const Int& a, const Int& b) {
  return a.is_defined() && b.is_defined() && is_never_above(a, b, 1);
}

bool proves_divides(const Int& divisor, const Int& number) {
  if (!divisor.is_defined() || !number.is_defined()) return false;
  if (number == Int(0) || divisor == Int(1)) return true;
  if (divisor == Int(0)) return known_equal(number, 0);
  if (divisor.is_constant()) {
    const std::int64_t known = divisor_of(number);
    return exact::floor_modulo(known, divisor.value()) == 0 || mod(number, divisor) == Int(0);
  }
  return exact_quotient(number, divisor).has_value() || mod(number, divisor) == Int(0);
}

}  // namespace expr

Result<Int> check_defined(const Int& value, std::string_view what) {
  if (value.is_defined()) return value;
  constexpr std::size_t kMost = 200;
  return refuse("overflow", shortened(what, kMost) +
                                " has no 64-bit value: it overflows, divides by zero or has grown "
                                "past the limit of terms");
}

namespace {

using expr::Atom;
using expr::AtomPointer;
using expr::Monomial;
using expr::Operator;
using expr::Product;

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

/// An operand of `//` or `%`: names and numbers stand alone.
std::string operand(const Int& value) {
  std::string text = to_string(value);
  return std::ranges::all_of(text, is_word_character) ? text : in_parentheses(text);
}

/// One factor of a product, and whether it needs parentheses beside others.
struct Factor {
  std::string text;
  bool is_quotient = false;
};

std::string call(std::string_view name, const Atom& atom) {
  return std::string(name) + "(" + to_string(atom.left()) + "," + to_string(atom.right()) + ")";
}

/// `(M//128)//2`, which is what a multiple of 128 halved past 128 comes to, reads better as
/// `M//256`.
std::string quotient_text(const Int& left, const Int& right) {
  const AtomPointer atom = expr::as_atom(left);
  const bool is_whole = atom && atom->operation() == Operator::kVariable &&
                        atom->variable().factors.empty() && right.is_constant();
  const Int below = is_whole ? Int(atom->variable().divisor) * right : Int::undefined();
  if (below.is_defined()) return atom->variable().name + "//" + to_string(below);
  return operand(left) + "//" + operand(right);
}

/// `select(x<3,a,b)`
std::string select_text(const Atom& atom) {
  static constexpr const char* kSigns[] = {"==", "!=", "<", "<="};
  const auto& [left, predicate, right] = atom.condition();
  const std::string condition =
      predicate == Predicate::kDivides
          ? operand(right) + "%" + operand(left) + "==0"
          : to_string(left) + kSigns[static_cast<std::size_t>(predicate)] + to_string(right);
  return "select(" + condition + "," + to_string(atom.left()) + "," + to_string(atom.right()) + ")";
}

Factor operation_text(const Atom& atom) {
  switch (atom.operation()) {
    case Operator::kQuotient:
      return {quotient_text(atom.left(), atom.right()), true};
    case Operator::kRemainder:
      return {operand(atom.left()) + "%" + operand(atom.right()), true};
    case Operator::kMinimum:
      return {call("min", atom)};
    case Operator::kMaximum:
      return {call("max", atom)};
    case Operator::kGcd:
      return {call("gcd", atom)};
    case Operator::kAnd:
      return {call("bit_and", atom)};
    case Operator::kOr:
      return {call("bit_or", atom)};
    case Operator::kXor:
      return {call("bit_xor", atom)};
    case Operator::kSquareRoot:
      return {"isqrt(" + to_string(atom.left()) + ")"};
    case Operator::kSelect:
      return {select_text(atom)};
    case Operator::kPowerOfTwo:
      return {"shift_left(1," + to_string(atom.left()) + ")"};
    case Operator::kVariable:
      break;
  }
  return {atom.variable().name};
}

/// A product while it is written: variables take back what divides them, so that 128*(M//128) is M.
class ProductText {
 public:
  explicit ProductText(const Product& product)
      : coefficient_(product.coefficient), atoms_(product.atoms) {}

  std::string text() {
    std::vector<Factor> factors;
    // Those that depend on others come first: they take those back.
    for (bool with_factors : {true, false}) {
      for (std::size_t i = 0; i < atoms_.size();) {
        const AtomPointer atom = atoms_[i];
        if (with_factors && !depends(*atom)) {
          ++i;
          continue;
        }
        atoms_.erase(atoms_.begin() + static_cast<std::ptrdiff_t>(i));
        factors.push_back(factor_of(*atom));
        if (with_factors) i = 0;
      }
    }
    std::ranges::sort(factors, {}, [](const Factor& factor) {
      return std::pair(factor.is_quotient, factor.text);
    });
    return join(factors);
  }

 private:
  static bool depends(const Atom& atom) {
    return atom.operation() == Operator::kVariable && !atom.variable().factors.empty();
  }

  Factor factor_of(const Atom& atom) {
    if (atom.operation() != Operator::kVariable) return operation_text(atom);
    const expr::Variable& variable = atom.variable();
    std::int64_t missing = variable.divisor;
    if (variable.residue == 0) {
      const std::int64_t common = expr::divisor_of(gcd(coefficient_, missing));
      coefficient_ /= common;
      missing /= common;
    }
    Int below = missing;
    for (const AtomPointer& factor : variable.factors) {
      const auto found = std::ranges::find_if(
          atoms_, [&](const AtomPointer& other) { return compare(*factor, *other) == 0; });
      if (found != atoms_.end()) {
        atoms_.erase(found);
      } else {
        below *= expr::make_int(factor);
      }
    }
    if (below == Int(1)) return {variable.name};
    return {variable.name + "//" + operand(below), true};
  }

  std::string join(const std::vector<Factor>& factors) const {
    if (factors.empty()) return std::to_string(coefficient_);
    const bool alone = factors.size() == 1 && coefficient_ == 1;
    std::string text = coefficient_ == 1    ? ""
                       : coefficient_ == -1 ? "-"
                                            : std::to_string(coefficient_) + "*";
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (i > 0) text += '*';
      text += factors[i].is_quotient && !alone ? in_parentheses(factors[i].text) : factors[i].text;
    }
    return text;
  }

  std::int64_t coefficient_;
  Monomial atoms_;
};

}  // namespace

std::string to_string(const Int& value) {
  if (value.is_constant()) return std::to_string(value.value());
  if (!value.is_symbolic()) return "undefined";
  std::string text;
  for (const Product& product : value.term().products()) {
    const std::string next = ProductText(product).text();
    if (!text.empty() && next.front() != '-') text += '+';
    text += next;
  }
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Int& value) {
  return stream << to_string(value);
}

}  // namespace heddle
